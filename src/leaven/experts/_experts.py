"""What a fitted classifier asks: experts, each of which scores every class for a document.

A classifier adds up its experts' scores, each times a weight, and takes the softmax: a
product of experts. One expert with a weight is a calibrated mixture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from leaven._base.typing import Counts, FloatArray
from leaven.experts._explanations import mixture_pulls
from leaven.models import MixtureParams, MultinomialMixture, TwoViewMixture, TwoViewParams

__all__ = ["Expert", "LinearExpert", "MixtureExpert", "linear_top_words", "row_norms"]


class Expert(Protocol):
    """Scores documents."""

    @property
    def name(self) -> str: ...

    @property
    def sees_vectors(self) -> bool: ...

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        """Log-odds of the classes, (n_documents, n_classes), up to a constant per document."""
        ...

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        """What each word of one document added to the classes' scores, (n_present, n_classes).

        ``word_vectors`` are the words' parts of the document's vector, None where its vector
        does not come from its words.
        """
        ...


@dataclass(frozen=True, eq=False)
class MixtureExpert:
    """A mixture fitted by EM."""

    name: str
    model: MultinomialMixture
    params: MixtureParams
    scale: float = 1.0  # on the counts: experts of one classifier may want different lengths

    @property
    def sees_vectors(self) -> bool:
        return isinstance(self.model, TwoViewMixture)

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        own = vectors if self.sees_vectors else None
        return self.model.class_log_joint(self.params, self._scaled(X), own)

    def _scaled(self, X: Counts) -> Counts:
        return X if self.scale == 1.0 else csr_array(X * self.scale)

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        extra = None
        if isinstance(self.params, TwoViewParams) and word_vectors is not None:
            assert isinstance(self.model, TwoViewMixture)
            extra = self.model.concentration * word_vectors @ self.params.directions.T
        return mixture_pulls(self.model, self.params, self._scaled(x), extra)


@dataclass(frozen=True, eq=False)
class LinearExpert:
    """A linear model of a document's unit-length words and, where it has any, its vector."""

    name: str
    words: FloatArray  # (n_words, n_classes)
    directions: FloatArray  # (n_dims, n_classes); n_dims is 0 where it looks at words alone
    bias: FloatArray  # (n_classes,)

    @property
    def sees_vectors(self) -> bool:
        return len(self.directions) > 0

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        total: FloatArray = X @ self.words
        total = total.astype(np.float64) / row_norms(X)[:, None] + self.bias
        if self.sees_vectors:
            assert vectors is not None
            total = total + vectors @ self.directions
        return total

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        own = np.asarray(x.data, np.float64)[:, None] * self.words[x.indices]
        own = own / row_norms(x)[0]
        if self.sees_vectors and word_vectors is not None:
            own = own + word_vectors @ self.directions
        return np.asarray(own, np.float64)


def row_norms(X: Counts) -> FloatArray:
    """Euclidean length of each document's counts; one where it has none."""
    squares = np.asarray(X.data, np.float64) ** 2
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    norms = np.sqrt(np.maximum(sums[X.indptr[1:]] - sums[X.indptr[:-1]], 0.0))
    return np.where(norms > 0, norms, 1.0)


def linear_top_words(experts: Sequence[Expert], weights: FloatArray, how_many: int) -> list[Any]:
    """Numbers of each class's words of largest weight against the other classes' mean."""
    linear = [
        weight * own.words
        for weight, own in zip(weights, experts, strict=True)
        if isinstance(own, LinearExpert)
    ]
    total = np.sum(linear, axis=0)
    centred = total - total.mean(axis=1, keepdims=True)
    return list(np.argsort(-centred, axis=0, kind="stable")[:how_many].T)
