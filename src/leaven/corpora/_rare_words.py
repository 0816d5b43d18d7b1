"""Rare words of a block, stored a second time word by word: those whose parameters are not near."""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise

import numpy as np

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora import _rare_word_kernels

__all__ = ["RarePart", "RareWords"]

N_NEAR = 2048  # words whose parameters, for a few dozen classes, stay in a core's cache
DOCUMENTS_PER_PART = 16_384  # whose shares of classes stay in the processor's; below 2¹⁶
MOST_RARE = 0.5  # of the values: with more, there are hardly any frequent words


@dataclass(frozen=True, eq=False)
class RarePart:
    """Some neighboring documents: their frequent words, and word by word the rare ones."""

    first: int  # document
    last: int
    near_words: IntArray  # (n_near,) which words are frequent
    begins: IntArray  # (n_documents,) where among the values a document's frequent words begin
    ends: IntArray  # (n_documents,)
    indices: IntArray  # of the values: their word
    values: FloatArray
    rare_words: IntArray  # (n_rare,) all the others, in descending order of their documents here
    starts: IntArray  # (n_rare + 1,) where each of them begins
    documents: IntArray  # (n_rare_values,) numbered from the first
    counts: FloatArray  # (n_rare_values,) of the word in the document

    def nbytes_beside(self, X: Counts) -> int:
        """Bytes of what is not shared with the documents themselves."""
        arrays = [getattr(self, each.name) for each in fields(self)[2:]]
        own = [array for array in arrays if array is not X.indices and array is not X.data]
        return sum(array.nbytes for array in own)


@dataclass(frozen=True, eq=False)
class RareWords:
    """The words of documents except the ``n_near`` most frequent ones.

    Made when they are first asked for: that takes about as long as an iteration of EM. Each of
    their values takes six bytes in single precision, beside the eight of each value of the
    documents. Where frequent words do not come first, the values of these are copied.
    """

    X: Counts
    n_near: int = N_NEAR
    most: float = MOST_RARE
    documents_per_part: int = DOCUMENTS_PER_PART

    @cached_property
    def parts(self) -> list[RarePart]:
        """Empty where no words are rare, or too many."""
        X = self.X
        if X.shape[1] <= self.n_near:
            return []
        n_parts = -(-X.shape[0] // self.documents_per_part)
        bounds = np.linspace(0, X.shape[0], n_parts + 1).astype(np.int64).tolist()
        found = []
        for first, last in pairwise(bounds):
            part = self._part(first, last)
            if part is None:
                return []
            found.append(part)
        return found

    @property
    def nbytes(self) -> int:
        """Bytes in memory so far, beside the documents."""
        return sum(part.nbytes_beside(self.X) for part in self.__dict__.get("parts", []))

    def __getstate__(self) -> dict[str, object]:
        """Without the parts, which are made again where they are needed."""
        return {name: value for name, value in self.__dict__.items() if name != "parts"}

    def _part(self, first: int, last: int) -> RarePart | None:
        X, n_near = self.X, self.n_near
        indptr = X.indptr[first : last + 1]
        frequency = np.zeros(X.shape[1], np.int64)
        ends = np.empty(last - first, X.indptr.dtype)
        in_order = _rare_word_kernels.count_words(indptr, X.indices, n_near, frequency, ends)
        most = self.most * frequency.sum()
        in_order = in_order and frequency[n_near:].sum() <= most
        is_rare = np.ones(X.shape[1], np.bool_)
        is_rare[slice(n_near) if in_order else np.argpartition(-frequency, n_near)[:n_near]] = False
        near_words, rare_words = np.flatnonzero(~is_rare), np.flatnonzero(is_rare)
        # Equally frequent words follow each other, so that a processor predicts when a word's loop
        # ends. Of 16 bits because numpy sorts these by radix.
        descending = ~frequency[rare_words].astype(np.uint16)
        rare_words = rare_words[np.argsort(descending, kind="stable")]
        starts = np.concatenate([[0], np.cumsum(frequency[rare_words])])
        n_rare = int(starts[-1])
        if n_rare > most:
            return None
        documents, counts = np.empty(n_rare, np.uint16), np.empty(n_rare, X.data.dtype)
        place = np.zeros(X.shape[1], np.int64)
        place[rare_words] = starts[:-1]
        begins, indices, values = indptr[:-1], X.indices, X.data
        if not in_order:
            n_values = int(indptr[-1] - indptr[0]) - n_rare
            begins = np.empty_like(ends)
            indices, values = np.empty(n_values, indices.dtype), np.empty(n_values, values.dtype)
            _rare_word_kernels.copy_near(
                indptr, X.indices, X.data, is_rare, begins, ends, indices, values
            )
        first_rare = ends if in_order else indptr[:-1]
        _rare_word_kernels.sort_rare(
            first_rare, indptr[1:], X.indices, X.data, is_rare, place, documents, counts
        )
        return RarePart(
            first,
            last,
            near_words,
            begins,
            ends,
            indices,
            values,
            rare_words,
            starts,
            documents,
            counts,
        )
