"""Semi-supervised frequency estimate as a scikit-learn classifier on counts."""

from typing import ClassVar

from leaven._base.validation import Seed
from leaven.estimators._mixture_attributes import MixtureClassifier
from leaven.learners import FrequencyEstimateLearner, Learner

__all__ = ["FrequencyEstimateNB"]


class FrequencyEstimateNB(MixtureClassifier):
    """Naive Bayes whose word frequencies come from all documents, labeled or not.

    Labeled documents show which classes a word belongs to, all documents how frequent it is.
    One pass over the documents and a closed form, no iterations: the cost does not grow with
    the number of classes. Use it where there are too many documents for EM, or where EM collapses.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count added to every word count of every class.
    unlabeled_weight : float in [0, 1], default=1.0
        How much a word of an unlabeled document counts, relative to one of a labeled document;
        0 is supervised naive Bayes.
    shrinkage : float, default=0.3
        Pseudo-occurrences of every word, spread over classes as the labeled documents are, that
        are added before the word's class shares are estimated: one occurrence is weak evidence.
        0 adds none, as in the paper.
    random_state : int, RandomState, Generator or None, default=0
        Not used by the fit, which is deterministic; seed of the folds where labels are held out.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    feature_log_prob_ : ndarray of shape (n_classes, n_words)
        log p(word | class).
    class_log_prior_ : ndarray of shape (n_classes,)
        log p(class), of the labeled documents.
    unlabeled_shares_ : ndarray of shape (n_classes,)
        NaN: words are distributed over classes, documents are not.

    See Also
    --------
    NaiveBayesEM : Distributes documents instead of words over classes, in several passes.
    sklearn.naive_bayes.MultinomialNB : The supervised case, to which this one reduces.

    References
    ----------
    [Su, Sayyad-Shirabad and Matwin (2011)][su2011]; [Clark and Clark][clark], section 2.3.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> FrequencyEstimateNB().fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    learner_type: ClassVar[type[Learner]] = FrequencyEstimateLearner

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        unlabeled_weight: float = 1.0,
        shrinkage: float = 0.3,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.unlabeled_weight = unlabeled_weight
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
