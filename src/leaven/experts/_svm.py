"""Linear support vector machines as an expert."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from leaven._base.tensors import Settings, check_sensible, check_shapes
from leaven._base.typing import Counts, FloatArray
from leaven.experts._base import Expert, StoredExpert, register_expert
from leaven.experts._linear import centred_words
from leaven.models import WordWeights

__all__ = ["SVMExpert"]


@register_expert
@dataclass(frozen=True, eq=False)
class SVMExpert(Expert):
    """Linear models of a document's weighted words, at unit length, or of its vector."""

    kind: ClassVar[str] = "svm"

    name: str
    weights: WordWeights
    words: FloatArray  # (n_words, n_classes); n_words is 0 where it uses vectors
    directions: FloatArray  # (n_dims, n_classes); n_dims is 0 where it uses words
    bias: FloatArray  # (n_classes,)

    @property
    def sees_vectors(self) -> bool:
        return len(self.directions) > 0

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        if self.sees_vectors:
            assert vectors is not None
            # In float64, so that the scores of a document do not depend on those beside it.
            total: FloatArray = vectors.astype(np.float64) @ self.directions
        else:
            total = self.weights.applied(X) @ self.words
        return total.astype(np.float64) + self.bias

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        if self.sees_vectors:
            nothing = np.zeros((x.nnz, len(self.bias)))
            return nothing if word_vectors is None else word_vectors @ self.directions
        x = self.weights.applied(x)
        added = np.asarray(x.data, np.float64)[:, None] * self.words[x.indices]
        return np.asarray(added, np.float64)

    def word_scores(self) -> FloatArray:
        """Weights of words against the other classes' mean."""
        return self.word_scores_of(slice(None))

    def word_scores_of(self, classes: slice) -> FloatArray:
        if self.sees_vectors:
            return np.zeros((len(self.bias[classes]), 1))
        return centred_words(self.words, self._mean_of_word, classes)

    @cached_property
    def _mean_of_word(self) -> FloatArray:
        return np.asarray(self.words.mean(axis=1, keepdims=True))

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        arrays = {"words": self.words, "directions": self.directions, "bias": self.bias}
        return {}, {**arrays, "weights": self.weights.weights}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        stored.check_settings()
        weights, words = stored.arrays.get("weights", 1), stored.arrays.get("words", 2)
        directions = stored.arrays.get("directions", 2)
        bias = stored.arrays.get("bias", 1, frozenset({"float64"}))
        n_classes = stored.n_classes
        check_shapes(
            words.shape in ((0, n_classes), (stored.n_words, n_classes)),
            directions.shape in ((0, n_classes), (stored.n_dims, n_classes)),
            (len(words) > 0) != (len(directions) > 0),
            weights.shape == (len(words),),
            bias.shape == (n_classes,),
            bool((weights >= 0).all()),
        )
        check_sensible(weights, words, directions, bias)
        return cls(stored.name, WordWeights(weights, 1.0), words, directions, bias)
