"""Rare words of a block, stored a second time word by word: those whose parameters are not near."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora import _rare_word_kernels

__all__ = ["RarePart", "RareWords"]

N_NEAR = 2048  # words whose parameters, for a few dozen classes, stay in a core's cache
DOCUMENTS_PER_PART = 16_384  # whose shares of classes stay in the processor's; below 2¹⁶
MOST_RARE = 0.5  # of the values: with more, frequent words do not come first


@dataclass(frozen=True, eq=False)
class RarePart:
    """The rare words of some neighboring documents."""

    first: int  # document
    last: int
    near_ends: IntArray  # (n_documents,) where in the block's values a document's rare words begin
    starts: IntArray  # (n_rare_words + 1,) where each word's documents begin
    documents: IntArray  # (n_values,) numbered from the first
    data: FloatArray  # (n_values,)


@dataclass(frozen=True, eq=False)
class RareWords:
    """The words of documents after the first ``n_near``, which are the most frequent ones.

    Made when they are first asked for: that takes a fraction of an iteration of EM. Together they
    take six bytes a value in single precision, beside the eight of each value of the documents.
    """

    X: Counts
    n_near: int = N_NEAR
    most: float = MOST_RARE
    documents_per_part: int = DOCUMENTS_PER_PART

    @cached_property
    def parts(self) -> list[RarePart]:
        """Empty where words are not ordered by frequency."""
        X = self.X
        found = []
        for first in range(0, X.shape[0], self.documents_per_part):
            last = min(first + self.documents_per_part, X.shape[0])
            part = self._part(first, last)
            if part is None:
                return []
            found.append(part)
        return found if any(len(part.data) for part in found) else []

    @property
    def nbytes(self) -> int:
        """Bytes in memory so far."""
        arrays = [
            array
            for part in self.__dict__.get("parts", [])
            for array in (part.near_ends, part.starts, part.documents, part.data)
        ]
        return sum(array.nbytes for array in arrays)

    def __getstate__(self) -> dict[str, object]:
        """Without the parts, which are made again where they are needed."""
        return {name: value for name, value in self.__dict__.items() if name != "parts"}

    def _part(self, first: int, last: int) -> RarePart | None:
        X = self.X
        near_ends = np.empty(last - first, X.indptr.dtype)
        starts = np.zeros(max(X.shape[1] - self.n_near, 0) + 1, np.int64)
        is_sorted = _rare_word_kernels.count_rare(
            X.indptr[first : last + 1], X.indices, self.n_near, near_ends, starts
        )
        if not is_sorted or starts[-1] > self.most * (X.indptr[last] - X.indptr[first]):
            return None
        documents = np.empty(starts[-1], np.uint16)
        data = np.empty(starts[-1], X.data.dtype)
        _rare_word_kernels.sort_rare(
            X.indptr[first : last + 1],
            X.indices,
            X.data,
            self.n_near,
            near_ends,
            starts,
            documents,
            data,
        )
        return RarePart(first, last, near_ends, starts, documents, data)
