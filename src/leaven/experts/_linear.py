"""A linear model as an expert."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from leaven._base.tensors import Settings, check_sensible, check_shapes
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.experts._base import Expert, ScoresOfText, StoredExpert, register_expert
from leaven.models._word_sum_kernels import add_words, length_of
from leaven.models._word_sums import row_norms, word_sums

__all__ = ["LinearExpert", "centred_words", "row_norms"]


@register_expert
@dataclass(frozen=True, eq=False)
class LinearExpert(Expert):
    """A linear model of a document's unit-length words and, where it has any, its vector."""

    kind: ClassVar[str] = "linear"

    name: str
    words: FloatArray  # (n_words, n_classes)
    directions: FloatArray  # (n_dims, n_classes); n_dims is 0 where it uses words alone
    bias: FloatArray  # (n_classes,)

    @property
    def sees_vectors(self) -> bool:
        return len(self.directions) > 0

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        total = word_sums(X, self.words) / row_norms(X)[:, None] + self.bias
        if self.sees_vectors:
            assert vectors is not None
            # In float64, so that the scores of a document do not depend on those beside it.
            total = total + vectors.astype(np.float64) @ self.directions
        return total

    def one_text(self) -> ScoresOfText:
        words, directions = np.ascontiguousarray(self.words), self.directions.astype(np.float64)

        def scores(indices: IntArray, values: FloatArray, vector: FloatArray | None) -> FloatArray:
            totals = np.zeros(len(self.bias))
            add_words(indices, values, words, values.dtype.type(1.0), totals)
            found: FloatArray = totals / length_of(values) + self.bias
            return found if vector is None or not len(directions) else found + vector @ directions

        return scores

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        added = np.asarray(x.data, np.float64)[:, None] * self.words[x.indices]
        added = added / row_norms(x)[0]
        if self.sees_vectors and word_vectors is not None:
            added = added + word_vectors @ self.directions
        return np.asarray(added, np.float64)

    def word_scores(self) -> FloatArray:
        """Weights of words against the other classes' mean."""
        return self.word_scores_of(slice(None))

    def word_scores_of(self, classes: slice) -> FloatArray:
        return centred_words(self.words, self._mean_of_word, classes)

    @cached_property
    def _mean_of_word(self) -> FloatArray:
        return np.asarray(self.words.mean(axis=1, keepdims=True))

    def linear_weights(self) -> FloatArray | None:
        return None if self.sees_vectors else np.vstack([self.words, self.bias])

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        return {}, {"words": self.words, "directions": self.directions, "bias": self.bias}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        stored.check_settings()
        words, directions = stored.arrays.get("words", 2), stored.arrays.get("directions", 2)
        bias = stored.arrays.get("bias", 1, frozenset({"float64"}))
        n_classes = stored.n_classes
        check_shapes(
            words.shape == (stored.n_words, n_classes),
            directions.shape in ((0, n_classes), (stored.n_dims, n_classes)),
            bias.shape == (n_classes,),
        )
        check_sensible(words, directions, bias)
        return cls(stored.name, words, directions, bias)


def centred_words(words: FloatArray, mean: FloatArray, classes: slice) -> FloatArray:
    """Weights of words, (n_words, n_classes), against the classes' mean: (n_some, n_words)."""
    centred: FloatArray = words[:, classes] - mean
    return centred.T
