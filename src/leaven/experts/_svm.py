"""Linear support vector machines as an expert."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from leaven._base.tensors import Settings, check_sensible, check_shapes
from leaven._base.typing import Counts, FloatArray
from leaven.experts._base import Expert, StoredExpert, register_expert
from leaven.models import WordWeights

__all__ = ["SVMExpert"]


@register_expert
@dataclass(frozen=True, eq=False)
class SVMExpert(Expert):
    """Linear models of a document's weighted words, at unit length."""

    kind: ClassVar[str] = "svm"

    name: str
    weights: WordWeights
    words: FloatArray  # (n_words, n_classes)
    bias: FloatArray  # (n_classes,)

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        total: FloatArray = self.weights.applied(X) @ self.words
        return total.astype(np.float64) + self.bias

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        x = self.weights.applied(x)
        added = np.asarray(x.data, np.float64)[:, None] * self.words[x.indices]
        return np.asarray(added, np.float64)

    def word_scores(self) -> FloatArray:
        """Weights of words against the other classes' mean."""
        centred: FloatArray = self.words - self.words.mean(axis=1, keepdims=True)
        return centred.T

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        return {}, {"weights": self.weights.weights, "words": self.words, "bias": self.bias}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        stored.check_settings()
        weights, words = stored.arrays.get("weights", 1), stored.arrays.get("words", 2)
        bias = stored.arrays.get("bias", 1, frozenset({"float64"}))
        check_shapes(
            weights.shape == (stored.n_words,),
            words.shape == (stored.n_words, stored.n_classes),
            bias.shape == (stored.n_classes,),
            bool((weights >= 0).all()),
        )
        check_sensible(weights, words, bias)
        return cls(stored.name, WordWeights(weights, 1.0), words, bias)
