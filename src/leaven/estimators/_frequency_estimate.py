"""Semi-supervised frequency estimate as a scikit-learn classifier on counts."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from leaven._base.validation import check_in, check_whole
from leaven.corpora import Corpus
from leaven.estimators._checks import check_documents_of_classes, one_class_message
from leaven.estimators._count_classifier import MixtureClassifier
from leaven.learners._components import Choice
from leaven.models import MixtureParams, MultinomialMixture
from leaven.models._frequency_estimate import FrequencyEstimate

__all__ = ["FrequencyEstimateNB"]


class FrequencyEstimateNB(MixtureClassifier):
    """Naive Bayes whose word frequencies come from all documents, labeled or not.

    Labeled documents tell which classes a word belongs to, all documents how frequent it is.
    One pass over the documents and a closed form, no iterations: the cost does not grow with
    the number of classes. Choose it where documents are too many for EM, or where EM collapses.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count added to every word count of every class.
    unlabeled_weight : float in [0, 1], default=1.0
        How much a word of an unlabeled document counts, relative to one of a labeled document;
        0 is supervised naive Bayes.
    shrinkage : float, default=0.3
        How many labeled words, spread over classes as the labeled documents are, every word is
        given before its classes are read off: a word seen once is no proof. At 0 there are
        none, as in the paper.
    random_state : int or None, default=0
        Not used here: nothing is drawn. Where labels are held out, the seed of folds.
    n_threads : int or None, default=None
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
        NaN: words are shared out, documents are given to no class.

    See Also
    --------
    NaiveBayesEM : Shares out documents instead of words, in several passes.
    sklearn.naive_bayes.MultinomialNB : The supervised case, to which this one reduces.

    References
    ----------
    .. [1] J. Su, J. Sayyad-Shirabad and S. Matwin, "Large scale text classification using
       semi-supervised multinomial naive Bayes", ICML 2011.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> FrequencyEstimateNB().fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    most_steps = 0  # of EM, for progress bars
    climbs_unlabeled = False  # there is no EM that could go astray

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        unlabeled_weight: float = 1.0,
        shrinkage: float = 0.3,
        random_state: int | None = 0,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.unlabeled_weight = unlabeled_weight
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_threads = n_threads

    def fit_corpus(
        self,
        corpus: Corpus,
        *,
        classes: Any,
        n_words: int,
        dtype: Any = np.float64,
        on_step: Callable[[int, float], None] | None = None,
        on_fold: Callable[[int, int], None] | None = None,
        warn: bool = True,
    ) -> Self:
        """Fit on any corpus, in one pass; its class codes index ``classes``.

        ``on_step`` and ``on_fold`` are never called: there are no steps and no folds.
        """
        self.check_options(dtype)
        classes = np.asarray(classes)
        if len(classes) < 2:
            raise ValueError(one_class_message(classes))
        formula = self._formula(len(classes), n_words)
        totals = corpus.reduce(formula.count)
        check_documents_of_classes(totals.documents, classes)
        self.classes_, self.n_features_in_ = classes, n_words
        prior = (self.alpha, 0.0, self.unlabeled_weight)
        self._model = MultinomialMixture(np.arange(len(classes)), *prior, self.n_threads)
        self._params = formula.estimate(totals, dtype)
        self._describe_components()
        self.unlabeled_shares_ = np.full(len(classes), np.nan)
        # What a fit by EM would tell of itself.
        self.objective_, self.betas_ = np.zeros(0), np.zeros(0)
        self.converged_ = True
        self.choices_: list[Choice] = []
        self._messages = []
        return self

    def refit(self, corpus: Corpus, n_words: int, dtype: Any, seed: Any) -> MixtureParams:
        """Parameters from other documents; the estimator stays as it is."""
        formula = self._formula(len(self.classes_), n_words)
        return formula.estimate(corpus.reduce(formula.count), dtype)

    def _formula(self, n_classes: int, n_words: int) -> FrequencyEstimate:
        return FrequencyEstimate(
            n_classes, n_words, self.alpha, self.unlabeled_weight, self.shrinkage
        )

    def check_options(self, dtype: Any) -> None:
        """Refuse options that make no sense."""
        check_in("alpha", self.alpha, "(0, inf)")
        check_in("unlabeled_weight", self.unlabeled_weight, "[0, 1]")
        check_in("shrinkage", self.shrinkage, "[0, inf)")
        if self.random_state is not None:
            check_whole("random_state", self.random_state, "[0, inf)")
