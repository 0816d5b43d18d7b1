"""Naive Bayes with EM as a scikit-learn classifier on counts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from leaven._base.validation import check_whole
from leaven.corpora import Corpus
from leaven.estimators._checks import (
    check_em_options,
    check_every_class_labeled,
    one_class_message,
)
from leaven.estimators._count_classifier import MixtureClassifier
from leaven.exceptions import CollapseWarning
from leaven.learners._collapse import collapse_message
from leaven.learners._components import Choice, choose_sizes, listed_candidates, sizes_of
from leaven.learning._climbs import Climb, Fit, components_of, fit_mixture
from leaven.learning._correspondence import by_hand
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import cooling

__all__ = ["NaiveBayesEM"]

MOST_TEMPERATURES = 80  # of annealing, where labels are only held out


class NaiveBayesEM(MixtureClassifier):
    """Naive Bayes for text, trained on labeled and unlabeled documents by EM.

    Choose it when classes are topics and most documents are unlabeled. It wants every
    document scaled to a constant length (``TextVectorizer(length=200)``): on raw counts
    long documents decide alone, and EM often makes things worse.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count added to every word count.
    class_alpha : float, default=0.0
        Pseudo-count added to every class's number of documents.
    unlabeled_weight : float in [0, 1], default=1.0
        How much an unlabeled document counts, relative to a labeled one; 0 is supervised naive
        Bayes. Between 0 and 1 the pseudo-counts ``alpha`` shrink with the words that count, so
        that they keep their share of them: left as they are, they would make one class take
        all documents. With documents of constant length 1 is best on most corpora; on raw
        counts 0.03 to 0.1 often is.
    components : int, dict, list or "auto", default=1
        Components of each class: one number for all, or a mapping from classes to numbers
        (a class left out has one). Several suit a class of many topics, such as "everything
        else". From a list of such the one that classifies held-out labeled documents best is
        chosen; "auto" is the list 1, 2, 3, 5, 10, 20.
    n_init : int, default=3
        Random starts where a class has several components; the most probable result is kept.
    n_folds : int, "loo" or None, default=None
        Folds of labeled documents by which to choose among several ``components``; unlabeled
        documents always train. None leaves one out up to 20 labels, and makes 10 folds beyond.
    beta_start : float in (0, 1], default=1.0
        Inverse temperature at which deterministic annealing starts (the paper: 0.02); at 1
        there is none. Annealing finds more probable models from few labels, slowly.
    beta_factor : float above 1, default=1.01
        What the inverse temperature is multiplied by till it reaches 1.
    beta_iter : int, default=1
        M-steps at each temperature.
    correspondence : {"as-is", "labels", "em"}, default="as-is"
        Which class each component has after annealing: its own; by the classes of the labeled
        documents that it takes; by its similarity to the components of plain EM.
    max_iter : int, default=100
        Most M-steps to take from a start, after annealing.
    tol : float, default=1e-6
        EM stops once an M-step gains no more than ``tol`` times the objective.
    random_state : int or None, default=0
        Seed of starts and folds; None draws a new one every time.
    n_threads : int or None, default=None
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
        Share of the unlabeled documents that each class took; NaN without any.

    See Also
    --------
    sklearn.naive_bayes.MultinomialNB : The supervised case, to which this one reduces.

    Notes
    -----
    Computed in the precision of ``X``: float32 is about 1.6 times as fast as float64. The class
    probabilities are not smoothed unless ``class_alpha`` says so (the paper adds one), so
    that without unlabeled documents the result is ``MultinomialNB``'s.

    References
    ----------
    .. [1] K. Nigam, A. McCallum and T. Mitchell, "Semi-supervised text classification using
       EM", in Semi-Supervised Learning, MIT Press, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> NaiveBayesEM().fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        class_alpha: float = 0.0,
        unlabeled_weight: float = 1.0,
        components: Any = 1,
        n_init: int = 3,
        n_folds: int | str | None = None,
        beta_start: float = 1.0,
        beta_factor: float = 1.01,
        beta_iter: int = 1,
        correspondence: str = "as-is",
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: int | None = 0,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.class_alpha = class_alpha
        self.unlabeled_weight = unlabeled_weight
        self.components = components
        self.n_init = n_init
        self.n_folds = n_folds
        self.beta_start = beta_start
        self.beta_factor = beta_factor
        self.beta_iter = beta_iter
        self.correspondence = correspondence
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_threads = n_threads

    def check_options(self, dtype: Any) -> None:
        """Refuse options that make no sense, for counts of this precision."""
        check_em_options(self, dtype)
        if listed_candidates(self.components) is None and not isinstance(self.components, Mapping):
            check_whole("components", self.components, "[1, inf)")

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
        """Fit on any corpus; its class codes index ``classes``.

        ``on_step(step, objective)`` is called after every E-step of the fit proper,
        ``on_fold(done, total)`` after every fit that helps to choose ``components``. With
        ``warn=False`` the caller is to call :meth:`warn`.
        """
        self.check_options(dtype)
        classes = np.asarray(classes)
        if len(classes) < 2:
            raise ValueError(one_class_message(classes))
        # Without unlabeled documents EM still tells the components of a class apart.
        candidates = listed_candidates(self.components)
        climbs = self.unlabeled_weight > 0 or candidates is not None or self.components != 1
        climb = Climb(
            self.n_init,
            cooling(self.beta_start, self.beta_factor, self.beta_iter) if climbs else (),
            self.correspondence,
            self.max_iter if climbs else 0,
            self.tol,
        )
        seed = np.random.SeedSequence(self.random_state).entropy
        model = self._mixture(len(classes))
        check_every_class_labeled(model, corpus, classes, n_words, dtype)
        choices: list[Choice] = []
        if candidates is None:
            sizes = sizes_of(self.components, classes)
        else:
            sizes, choices = choose_sizes(
                candidates,
                classes,
                model,
                corpus,
                n_words,
                dtype,
                climb,
                n_folds=self.n_folds,
                seed=seed,
                on_fit=on_fold,
            )
        model = replace(model, component_class=components_of(sizes))
        fit = fit_mixture(model, corpus, n_words, dtype, climb, seed, on_step)
        # Only now, so that a failed fit leaves the estimator as it was.
        self.classes_, self.n_features_in_ = classes, n_words
        self.choices_ = choices
        self._keep(model, fit)
        self._messages = self._find_faults(fit, climb.max_iter)
        if warn:
            self.warn(stacklevel=3)
        return self

    def refit(self, corpus: Corpus, n_words: int, dtype: Any, seed: Any) -> MixtureParams:
        """Parameters of the fitted model on other documents; the estimator stays as it is.

        For documents that are held out: from one start, and no more patient than need be.
        """
        warm_up = cooling(self.beta_start, self.beta_factor, self.beta_iter)
        every = -(-len(warm_up) // MOST_TEMPERATURES) or 1
        climb = Climb(1, warm_up[::every], self.correspondence, self.max_iter, self.tol)
        return fit_mixture(self._model, corpus, n_words, dtype, climb, seed).result.params

    def _mixture(self, n_classes: int) -> MultinomialMixture:
        """The model with one component per class."""
        prior = (self.alpha, self.class_alpha, self.unlabeled_weight)
        return MultinomialMixture(np.arange(n_classes), *prior, self.n_threads)

    def _keep(self, model: MultinomialMixture, fit: Fit) -> None:
        result = fit.result
        self._model, self._params = model, result.params
        self.objective_ = np.array(result.objective)
        self.betas_ = np.array(result.betas)
        self.start_objectives_ = fit.start_objectives
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self._describe_components()
        of_class = partial(np.bincount, model.component_class, minlength=model.n_classes)
        # Labeled documents move between components of their class, so by class first.
        taken = np.maximum(of_class(result.stats.documents - fit.labeled.documents), 0.0)
        total = taken.sum()
        self.unlabeled_shares_ = np.full(len(taken), np.nan)
        if total > 1e-9 * fit.labeled.documents.sum():
            self.unlabeled_shares_ = taken / total

    def _find_faults(self, fit: Fit, max_iter: int) -> list[tuple[type[Warning], str]]:
        found: list[tuple[type[Warning], str]] = []
        if max_iter and not self.converged_:
            message = (
                f"EM stopped after {self.max_iter} iterations before reaching the tolerance "
                f"{self.tol}; increase max_iter or tol"
            )
            found.append((ConvergenceWarning, message))
        collapse = collapse_message(
            self.classes_,
            np.bincount(self.component_class_, fit.labeled.documents).astype(np.float64),
            self.unlabeled_shares_,
        )
        if collapse is not None:
            found.append((CollapseWarning, collapse))
        return found

    def assign_components(self, mapping: Mapping[int, Any]) -> Self:
        """Give components to other classes, as their top words suggest after annealing.

        Parameters
        ----------
        mapping : dict
            Component number to class; components not named keep their class.
        """
        check_is_fitted(self, "_params")
        self._model = by_hand(self._model, self.classes_, mapping)
        self._describe_components()
        # What the fit said of classes is no longer true of them.
        self.unlabeled_shares_ = np.full(len(self.classes_), np.nan)
        self._messages = []
        return self

    @property
    def climbs_unlabeled(self) -> bool:
        """Whether unlabeled documents change the result at all."""
        return self.unlabeled_weight > 0 and (self.max_iter > 0 or self.beta_start < 1)

    @property
    def most_steps(self) -> int:
        """Most steps that ``on_step`` can be called for, over all starts, for progress bars."""
        n_cooling = len(cooling(self.beta_start, self.beta_factor, self.beta_iter))
        is_single = isinstance(self.components, Integral) and self.components == 1
        n_starts = 1 if is_single else self.n_init
        return n_starts * (n_cooling + self.max_iter)
