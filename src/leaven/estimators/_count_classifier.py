"""What every classifier of one mixture on counts shares, however it was fitted."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from leaven._base.typing import FloatArray
from leaven.corpora import Block, Corpus, in_memory
from leaven.documents._labels import UNLABELED, encode_labels
from leaven.estimators._checks import check_counts, checked_targets
from leaven.experts._explanations import class_log_words
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import SOFT

__all__ = ["MixtureClassifier"]


class MixtureClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Counts and labels in, one mixture with its parameters out, and what it says of documents.

    A subclass fits: ``fit_corpus`` and ``refit``. It leaves ``classes_``, ``_model``,
    ``_params`` and ``_messages`` behind.
    """

    n_threads: int | None
    classes_: Any
    _model: MultinomialMixture
    _params: MixtureParams
    _messages: list[tuple[type[Warning], str]]

    @abstractmethod
    def check_options(self, dtype: Any) -> None:
        """Refuse options that make no sense, for counts of this precision."""

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
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, vectors: Any = None) -> Self:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "give one label per document, -1 where unlabeled"
            )
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=True)
        check_counts(X, f"{type(self).__name__}.fit")
        labels = encode_labels(checked_targets(y))
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        block = self._prepared(Block(csr_array(X), labels.codes, weight, vectors))
        self.fit_corpus(
            in_memory(block, self.n_threads),
            classes=labels.classes,
            n_words=X.shape[1],
            dtype=X.dtype,
            warn=False,
        )
        self.warn(stacklevel=4)
        return self

    @abstractmethod
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
        """Fit on any corpus; its class codes index ``classes``."""

    @abstractmethod
    def refit(self, corpus: Corpus, n_words: int, dtype: Any, seed: Any) -> MixtureParams:
        """Parameters of the fitted model on other documents; the estimator stays as it is."""

    def _prepared(self, block: Block) -> Block:
        """Training documents as the model wants to see them; the word view needs nothing."""
        return block

    def _seen(self, block: Block) -> Block:
        """New documents as the model wants to see them."""
        return block

    def _describe_components(self) -> None:
        self.component_class_ = self._model.component_class
        self.component_log_prob_ = self._params.log_word
        self.class_log_prior_ = self._model.split_weights(self._params.log_weight)[0]
        is_plain = np.array_equal(self.component_class_, np.arange(len(self.classes_)))
        self.feature_log_prob_ = (
            self._params.log_word if is_plain else class_log_words(self._model, self._params)
        )

    @property
    def messages_(self) -> list[str]:
        """What there was to warn of in the last fit."""
        return [message for _, message in self._messages]

    def warn(self, stacklevel: int = 2) -> None:
        """Issue the warnings of the last fit."""
        for category, message in self._messages:
            warnings.warn(message, category, stacklevel=stacklevel)

    def _class_log_joint(self, X: Any, vectors: Any = None) -> FloatArray:
        check_is_fitted(self, "_params")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        check_counts(X, f"{type(self).__name__}.predict")
        n_documents = X.shape[0]
        unknown, weight = np.full(n_documents, UNLABELED), np.ones(n_documents)
        block = self._seen(Block(csr_array(X), unknown, weight, vectors))
        return self._model.class_log_joint(self._params, block.X, block.vectors)

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
