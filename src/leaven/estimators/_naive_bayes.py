"""Naive Bayes with EM as a scikit-learn classifier on counts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from leaven._base.validation import Seed
from leaven.estimators._mixture_attributes import MixtureClassifier
from leaven.learners import Learner, MixtureLearned, NaiveBayesLearner
from leaven.learning._correspondence import by_hand

__all__ = ["NaiveBayesEM"]


class NaiveBayesEM(MixtureClassifier):
    """Naive Bayes for text, trained on labeled and unlabeled documents by EM.

    Use it when classes are topics and most documents are unlabeled. Scale every
    document to a constant length (``TextVectorizer(length=200)``): on raw counts long
    documents dominate, and EM often makes things worse.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count added to every word count.
    class_alpha : float, default=0.0
        Pseudo-count added to every class's number of documents.
    unlabeled_weight : float in [0, 1], default=1.0
        How much an unlabeled document counts, relative to a labeled one; 0 is supervised naive
        Bayes. Between 0 and 1 the pseudo-counts ``alpha`` are scaled with the weighted words,
        so that their ratio stays the same: without scaling, all documents could collapse into
        one class. With documents of constant length 1 is best on most corpora; on raw
        counts 0.03 to 0.1 often is.
    n_components : int, dict, list or "auto", default=1
        Components of each class: one number for all, or a mapping from classes to numbers
        (classes not listed have one). Use several for a class that covers several topics, such as
        "everything else". From a list of these, the most accurate one on held-out labeled
        documents is chosen; "auto" is the list 1, 2, 3, 5, 10, 20.
    n_init : int, default=3
        Random initializations where a class has several components; the most probable model
        is kept.
    n_splits : int, "loo" or None, default=None
        Folds of labeled documents by which to choose among several ``n_components``; unlabeled
        documents are always used in training. None leaves one out up to 20 labels, and makes
        10 folds beyond.
    beta_start : float in (0, 1], default=1.0
        Inverse temperature at which deterministic annealing starts (the paper: 0.02); 1 is
        no annealing. Annealing finds more probable models from few labels, slowly.
    beta_factor : float above 1, default=1.01
        Factor by which the inverse temperature grows until it reaches 1.
    beta_iter : int, default=1
        M-steps at each temperature.
    correspondence : {"as-is", "labels", "em"}, default="as-is"
        How components get their class after annealing: unchanged; from the labeled documents
        assigned to them; from the most similar component of plain EM.
    max_iter : int, default=100
        Maximum number of M-steps from a start, after annealing.
    tol : float, default=1e-6
        EM stops once an M-step gains no more than ``tol`` times the objective.
    random_state : int, RandomState, Generator or None, default=0
        Seed of starts and folds; None draws a new one every time.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    feature_log_prob_ : ndarray of shape (n_classes, n_words)
        log p(word | class); several components are mixed by their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        log p(class).
    component_class_ : ndarray of shape (n_components,)
        Number in ``classes_`` of each component's class.
    component_log_prob_ : ndarray of shape (n_components, n_words)
        log p(word | component).
    objective_ : ndarray of shape (n_iter_ + 1,)
        Penalized log likelihood, up to a constant, before the first M-step and after each; of
        the tempered problem while annealing.
    betas_ : ndarray of shape (n_iter_ + 1,)
        Inverse temperature of each objective.
    choices_ : list of Choice
        Accuracy of each candidate number of components, where one was chosen.
    start_objectives_ : list of float
        The objective that each random start reached.
    n_iter_ : int
        Number of M-steps taken.
    converged_ : bool
        Whether ``tol`` was reached.
    unlabeled_shares_ : ndarray of shape (n_classes,)
        Share of the unlabeled documents assigned to each class; NaN without any.

    See Also
    --------
    sklearn.naive_bayes.MultinomialNB : The supervised case, to which this one reduces.

    Notes
    -----
    Computed in the precision of ``X``: float32 is about 1.6 times as fast as float64. The class
    probabilities are not smoothed unless ``class_alpha`` is set (the paper adds one), so
    that without unlabeled documents the result is ``MultinomialNB``'s.

    References
    ----------
    [Nigam, McCallum and Mitchell (2006)][nigam2006]: sections 3.2 (EM), 3.4 (several components)
    and 3.5 (annealing).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> NaiveBayesEM().fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    learner_type: ClassVar[type[Learner]] = NaiveBayesLearner
    _learned: MixtureLearned

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        class_alpha: float = 0.0,
        unlabeled_weight: float = 1.0,
        n_components: Any = 1,
        n_init: int = 3,
        n_splits: int | str | None = None,
        beta_start: float = 1.0,
        beta_factor: float = 1.01,
        beta_iter: int = 1,
        correspondence: str = "as-is",
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.class_alpha = class_alpha
        self.unlabeled_weight = unlabeled_weight
        self.n_components = n_components
        self.n_init = n_init
        self.n_splits = n_splits
        self.beta_start = beta_start
        self.beta_factor = beta_factor
        self.beta_iter = beta_iter
        self.correspondence = correspondence
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _describe(self) -> None:
        super()._describe()
        learned = self._learned
        result = learned.fit.result
        self.objective_ = np.array(result.objective)
        self.betas_ = np.array(result.betas)
        self.start_objectives_ = learned.fit.start_objectives
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.choices_ = list(learned.choices)
        shares = learned.unlabeled_shares
        self.unlabeled_shares_ = self._no_shares() if shares is None else shares

    def assign_components(self, mapping: Mapping[int, Any]) -> Self:
        """Assign components to other classes, as their top words suggest after annealing.

        Parameters
        ----------
        mapping : dict
            Component number to class; components not named keep their class.

        Returns
        -------
        self
            This estimator, changed.
        """
        check_is_fitted(self, "_learned")
        expert = self._learned.expert
        model = by_hand(expert.model, self.classes_, mapping)
        # What the fit reported about the classes no longer holds.
        moved = replace(expert, model=model)
        self._learned = replace(self._learned, expert=moved, unlabeled_shares=None, messages=())
        self._describe()
        return self
