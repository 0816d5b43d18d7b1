"""A log-linear model of words as an expert."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from leaven._base.tensors import Settings, check_sensible, check_shapes
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.experts._base import Expert, ScoresOfText, StoredExpert, register_expert
from leaven.experts._linear import centred_words
from leaven.models._word_sum_kernels import add_words

__all__ = ["LogLinearExpert"]


@register_expert
@dataclass(frozen=True, eq=False)
class LogLinearExpert(Expert):
    """Scores a class by the weights of a document's words, which add up, and its own weight."""

    kind: ClassVar[str] = "log-linear"

    name: str
    table: FloatArray  # (n_words + 1, n_classes); the classes' own weights are in the last row

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        return np.asarray(X @ self.table[:-1] + self.table[-1], np.float64)

    def one_text(self) -> ScoresOfText:
        words, bias = np.ascontiguousarray(self.table[:-1]), self.table[-1]

        def scores(indices: IntArray, values: FloatArray, vector: FloatArray | None) -> FloatArray:
            totals = np.zeros(len(bias), np.result_type(words, values))
            add_words(indices, values, words, values.dtype.type(1.0), totals)
            return np.asarray(totals + bias, np.float64)

        return scores

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        return np.asarray(x.data[:, None] * self.table[x.indices], np.float64)

    def word_scores(self) -> FloatArray:
        """Weights of words against the other classes' mean."""
        return self.word_scores_of(slice(None))

    def word_scores_of(self, classes: slice) -> FloatArray:
        return centred_words(self.table[:-1], self._mean_of_word, classes)

    @cached_property
    def _mean_of_word(self) -> FloatArray:
        return np.asarray(self.table[:-1].mean(axis=1, keepdims=True))

    def linear_weights(self) -> FloatArray:
        return self.table

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        return {}, {"table": self.table}

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        stored.check_settings()
        table = stored.arrays.get("table", 2)
        check_shapes(table.shape == (stored.n_words + 1, stored.n_classes))
        check_sensible(table)
        return cls(stored.name, table)
