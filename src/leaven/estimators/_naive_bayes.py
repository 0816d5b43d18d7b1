"""Naive Bayes with EM as a scikit-learn classifier on counts."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from leaven._labels import encode_labels, is_missing
from leaven._typing import FloatArray
from leaven._validation import check_in, check_whole
from leaven.corpora import Corpus, InMemoryCorpus
from leaven.em import EMResult, run_em
from leaven.estimators._collapse import collapse_message
from leaven.exceptions import CollapseWarning
from leaven.models import MixtureParams, MixtureStats, MultinomialMixture
from leaven.posteriors import SOFT

__all__ = ["NaiveBayesEM"]


class NaiveBayesEM(ClassifierMixin, BaseEstimator):
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
        How much an unlabeled document counts, relative to a labeled one. Lower it when
        unlabeled documents vastly outnumber labeled ones; 0 is supervised naive Bayes.
    max_iter : int, default=100
        Most M-steps to take.
    tol : float, default=1e-6
        EM stops once an M-step gains no more than ``tol`` times the objective.
    n_threads : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    feature_log_prob_ : ndarray of shape (n_classes, n_words)
        log p(word | class).
    class_log_prior_ : ndarray of shape (n_classes,)
        log p(class).
    objective_ : ndarray of shape (n_iter_ + 1,)
        Penalized log likelihood, up to a constant, before the first M-step and after each.
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
        max_iter: int = 100,
        tol: float = 1e-6,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.class_alpha = class_alpha
        self.unlabeled_weight = unlabeled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on documents in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            Counts, whole or fractional, none negative.
        y : array of shape (n_documents,)
            Class labels; -1 among whole numbers, None or "" among strings, is unlabeled.
        sample_weight : array of shape (n_documents,) or None, default=None
            A document of weight 2 counts as two.
        """
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "give one label per document, -1 where unlabeled"
            )
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=True)
        check_counts(X, f"{type(self).__name__}.fit")
        labels = encode_labels(_checked_targets(y))
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        corpus = InMemoryCorpus(csr_array(X), labels.codes, weight, n_threads=self.n_threads)
        self.fit_corpus(
            corpus, classes=labels.classes, n_words=X.shape[1], dtype=X.dtype, warn=False
        )
        self.warn(stacklevel=3)
        return self

    def fit_corpus(
        self,
        corpus: Corpus,
        *,
        classes: Any,
        n_words: int,
        dtype: Any = np.float64,
        on_step: Callable[[int, float], None] | None = None,
        warn: bool = True,
    ) -> Self:
        """Fit on any corpus; its class codes index ``classes``.

        With ``warn=False`` the caller is to call :meth:`warn`.
        """
        check_in("alpha", self.alpha, "(0, inf)")
        limits = np.finfo(dtype)
        if not limits.tiny <= self.alpha <= limits.max:
            raise ValueError(
                f"alpha must be representable in the precision of the counts, {limits.dtype}, "
                f"got {self.alpha!r}; choose one between 1e-30 and 1e30"
            )
        check_in("class_alpha", self.class_alpha, "[0, inf)")
        check_in("unlabeled_weight", self.unlabeled_weight, "[0, 1]")
        check_whole("max_iter", self.max_iter, "[0, inf)")
        check_in("tol", self.tol, "[0, inf)")
        classes = np.asarray(classes)
        if len(classes) < 2:
            raise ValueError(one_class_message(classes))
        model = MultinomialMixture(
            np.arange(len(classes)),
            self.alpha,
            self.class_alpha,
            self.unlabeled_weight,
            self.n_threads,
        )
        # The priming M-step: labeled documents alone (section 3.2.2 of [1]_).
        flat = model.flat_params(n_words, np.dtype(dtype))
        supervised = replace(model, unlabeled_weight=0.0)
        labeled = corpus.reduce(partial(supervised.expect, flat, SOFT))
        if not (labeled.documents > 0).all():
            empty = classes.tolist()[int(labeled.documents.argmin())]
            raise ValueError(
                f"every class needs a labeled document of positive weight, class {empty!r} has none"
            )
        start = model.maximize(flat, labeled)
        max_iter = self.max_iter if self.unlabeled_weight > 0 else 0
        result = run_em(model, corpus, start, max_iter=max_iter, tol=self.tol, on_step=on_step)
        # Only now, so that a failed fit leaves the estimator as it was.
        self.classes_, self.n_features_in_ = classes, n_words
        self._keep(model, result, labeled)
        self._messages = self._find_faults(labeled, max_iter)
        if warn:
            self.warn(stacklevel=3)
        return self

    def _keep(
        self,
        model: MultinomialMixture,
        result: EMResult[MixtureParams, MixtureStats],
        labeled: MixtureStats,
    ) -> None:
        self._model, self._params = model, result.params
        self.objective_ = np.array(result.objective)
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.class_log_prior_ = result.params.log_weight
        self.feature_log_prob_ = result.params.log_word
        taken = np.maximum(result.stats.documents - labeled.documents, 0.0)
        total = taken.sum()
        self.unlabeled_shares_ = np.full(len(taken), np.nan)
        if total > 1e-9 * labeled.documents.sum():
            self.unlabeled_shares_ = taken / total

    def _find_faults(self, labeled: MixtureStats, max_iter: int) -> list[tuple[type[Warning], str]]:
        found: list[tuple[type[Warning], str]] = []
        if max_iter and not self.converged_:
            message = (
                f"EM stopped after {self.max_iter} iterations before reaching the tolerance "
                f"{self.tol}; increase max_iter or tol"
            )
            found.append((ConvergenceWarning, message))
        collapse = collapse_message(self.classes_, labeled.documents, self.unlabeled_shares_)
        if collapse is not None:
            found.append((CollapseWarning, collapse))
        return found

    @property
    def messages_(self) -> list[str]:
        """What there was to warn of in the last fit."""
        return [message for _, message in self._messages]

    def warn(self, stacklevel: int = 2) -> None:
        """Issue the warnings of the last fit."""
        for category, message in self._messages:
            warnings.warn(message, category, stacklevel=stacklevel)

    def _class_log_joint(self, X: Any) -> FloatArray:
        check_is_fitted(self, "_params")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        check_counts(X, f"{type(self).__name__}.predict")
        return self._model.class_log_joint(self._params, csr_array(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities, (n_documents, n_classes)."""
        return SOFT(self._class_log_joint(X))[0]

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithms of the class probabilities; precise where those round to 0."""
        log_joint = self._class_log_joint(X)
        return log_joint - np.logaddexp.reduce(log_joint, axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        """Most probable class of each document."""
        best = self._class_log_joint(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def check_counts(X: Any, whom: str) -> None:
    """Refuse negative counts, naming the first."""
    X = csr_array(X)
    if X.nnz and X.data.min() < 0:
        where = X.tocoo()
        first = int(np.flatnonzero(where.data < 0)[0])
        document, word = int(where.coords[0][first]), int(where.coords[1][first])
        raise ValueError(
            f"Negative values in data passed to {whom}: counts must not be negative, found "
            f"{float(where.data[first])!r} at document {document}, word {word}; with hashed "
            "features set alternate_sign=False"
        )


def one_class_message(classes: Any) -> str:
    """What to say when there is nothing to tell apart."""
    if not len(classes):
        return (
            "y must label at least one document of two or more classes, and no document is "
            "labeled: every label is missing (-1, None or empty)"
        )
    return (
        f"a classifier needs at least 2 classes, and all labeled documents are of one class, "
        f"{np.asarray(classes).tolist()[0]!r}; label documents of another class too"
    )


def _checked_targets(y: Any) -> Any:
    """Labels after scikit-learn's checks, which want an array; a list stays what it was.

    An array of a list of strings would turn a missing NaN into the label "nan".
    """
    is_list = isinstance(y, list | tuple)
    holds_gaps = is_list and (
        any(label is None for label in y)
        or (any(isinstance(label, str) for label in y) and any(map(is_missing, y)))
    )
    array = np.asarray(y, dtype=object) if holds_gaps else np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        return column_or_1d(array, warn=True)
    if array.dtype != object:
        assert_all_finite(array, input_name="y")
        check_classification_targets(array)
    return y if is_list else array
