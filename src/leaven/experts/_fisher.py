"""Linear models of Fisher scores as an expert."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from leaven._base.tensors import Settings, check_sensible, check_shapes
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.experts._base import Expert, StoredExpert, register_expert
from leaven.experts._mixture import MixtureExpert, TwoViewExpert
from leaven.models import FeatureOptions, FisherScores

__all__ = ["FisherExpert"]

MOST_STORED = 20_000_000  # features in memory at once, if documents had all components


@register_expert
@dataclass(frozen=True, eq=False)
class FisherExpert(Expert):
    """Weights of the Fisher scores of a mixture, of those that training documents have."""

    kind: ClassVar[str] = "fisher"

    name: str
    mixture: MixtureExpert
    options: FeatureOptions
    columns: IntArray  # (n_kept,) numbers of the features that have weights, rising
    weights: FloatArray  # (n_kept, n_classes)
    bias: FloatArray  # (n_classes,)
    vector: FloatArray | None = None  # of the document that is explained

    @property
    def sees_vectors(self) -> bool:
        return self.mixture.sees_vectors

    @property
    def describes_words(self) -> bool:
        return True

    @cached_property
    def fisher(self) -> FisherScores:
        """What documents are described by."""
        return self.mixture.fisher_scores(self.options)

    @cached_property
    def _places(self) -> IntArray:
        """Row of ``_padded`` of every feature."""
        places = np.full(self.fisher.n_features, len(self.columns), np.int64)
        places[self.columns] = np.arange(len(self.columns))
        return places

    @cached_property
    def _padded(self) -> FloatArray:
        """The weights, and zeros for all features that have none."""
        return np.vstack([self.weights, np.zeros((1, len(self.bias)), self.weights.dtype)])

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        assert vectors is not None  # those of two-view EM
        scores = np.empty((X.shape[0], len(self.bias)))
        per_document = X.nnz / max(len(scores), 1) + self.fisher.n_dims + 1
        at_once = max(int(MOST_STORED / (per_document * self.fisher.n_components)), 1)
        for first in range(0, len(scores), at_once):
            rows = slice(first, first + at_once)
            found = self.fisher.features(csr_array(X[rows]), vectors[rows])
            kept = csr_array(
                (found.data, self._places[found.indices], found.indptr),
                shape=(found.shape[0], len(self.columns) + 1),
            )
            scores[rows] = kept @ self._padded
        return scores + self.bias

    def for_document(self, vector: FloatArray | None) -> Self:
        return replace(self, vector=vector)

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        """What a word's features added, at the shares that components have in the document.

        These depend on its vector (``for_document``; else that of the words alone). A word's
        part in the features of the vector is its part in the vector.
        """
        n_words, n_classes, n_dims = x.nnz, len(self.bias), self.fisher.n_dims
        parts = np.zeros((n_words, n_dims)) if word_vectors is None else word_vectors
        vector = parts.sum(axis=0) if self.vector is None else self.vector
        found = self.fisher.features(x, vector[None].astype(x.dtype))
        weights = self._padded[self._places[found.indices]].astype(np.float64)
        n_of_words = int(np.searchsorted(found.indices, self.fisher.n_word_features))
        n_active = n_of_words // (n_words + 1)  # components
        added = (found.data[:n_of_words, None] * weights[:n_of_words])[: n_words * n_active]
        total: FloatArray = added.reshape(n_words, n_active, n_classes).sum(axis=1)
        # The features of a component's direction are the vector times a number.
        of_vector = found.data[n_of_words:].reshape(-1, n_dims) @ vector
        times = of_vector / max(float(vector @ vector), 1e-30)
        towards = weights[n_of_words:].reshape(-1, n_dims, n_classes)
        return total + parts @ np.tensordot(times, towards, 1)

    def word_scores(self) -> FloatArray:
        """Words that the mixture's classes are known by."""
        return self.mixture.word_scores()

    def word_scores_of(self, classes: slice) -> FloatArray:
        return self.mixture.word_scores_of(classes)

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        settings, arrays = self.mixture.to_tensors()
        own = {"columns": self.columns, "weights": self.weights, "bias": self.bias}
        return {**settings, **self.options._asdict()}, {**arrays, **own}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        settings = dict(stored.settings)
        options = FeatureOptions(*(settings.pop(name) for name in FeatureOptions._fields))
        options.check()
        mixture = TwoViewExpert.from_tensors(replace(stored, settings=settings))
        if mixture.scale != 1.0:
            raise ValueError("its model's settings are malformed")
        columns = stored.arrays.get("columns", 1, frozenset({"int64"}))
        weights = stored.arrays.get("weights", 2)
        bias = stored.arrays.get("bias", 1, frozenset({"float64"}))
        check_shapes(
            weights.shape == (len(columns), stored.n_classes),
            bias.shape == (stored.n_classes,),
            bool((columns >= 0).all()),
            bool((columns < mixture.fisher_scores(options).n_features).all()),
            bool((columns[1:] > columns[:-1]).all()),
        )
        check_sensible(weights, bias)
        return cls(stored.name, mixture, options, columns, weights, bias)
