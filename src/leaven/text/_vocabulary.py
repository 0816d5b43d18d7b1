"""Vocabulary of a corpus, stored as one block of bytes, and selection of its words."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leaven._base.typing import BoolArray, Counts, FloatArray, IntArray
from leaven.text._hash_table_kernels import PADDING, build_table, merge_words
from leaven.text._order_kernels import order_by_prefix, select_words

__all__ = [
    "EmptyVocabularyError",
    "Vocabulary",
    "check_words",
    "document_frequency_limits",
    "mutual_information",
    "top_ranked",
]


class EmptyVocabularyError(ValueError):
    """No word of the texts is left to count."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Distinct words, in order of their numbers.

    ``arena`` holds their UTF-8 bytes one after another and eight bytes of padding; word i
    is ``arena[starts[i]:starts[i + 1]]``. Python strings are created only on request.
    """

    arena: NDArray[np.uint8]  # (n_bytes + 8,)
    starts: NDArray[np.int64]  # (n_words + 1,)
    known_table: NDArray[np.uint64] | None = field(default=None, repr=False)

    @classmethod
    def empty(cls) -> Self:
        return cls(np.zeros(PADDING, dtype=np.uint8), np.zeros(1, dtype=np.int64))

    @classmethod
    def of(cls, words: Iterable[str]) -> Self:
        """Vocabulary of distinct ``words``, numbered in the order given."""
        encoded = [word.encode() for word in words]
        starts = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(word) for word in encoded], out=starts[1:])
        padded = b"".join(encoded) + bytes(PADDING)
        return cls(np.frombuffer(padded, dtype=np.uint8).copy(), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def table(self) -> NDArray[np.uint64]:
        if self.known_table is not None:
            return self.known_table
        table: NDArray[np.uint64] = build_table(self.arena, self.starts)
        return table

    def writable(self) -> Self:
        """This vocabulary, with copies of its arrays if they are shared or mapped read-only.

        Kernels are compiled for arrays that can be written to.
        """
        arrays = (self.arena, self.starts, self.table)
        if all(array.flags.writeable for array in arrays):
            return self
        return type(self)(np.array(self.arena), np.array(self.starts), np.array(self.table))

    @property
    def words(self) -> pa.LargeStringArray:
        return self._as_array(pa.large_string())

    def _as_array(self, kind: pa.DataType) -> Any:
        buffers = [None, pa.py_buffer(self.starts), pa.py_buffer(self.arena)]
        return pa.Array.from_buffers(kind, len(self), buffers)

    def merged(self, other: "Vocabulary") -> tuple[Self, NDArray[np.int32]]:
        """Both vocabularies' words, and the number of each of the other's words in it."""
        arena, starts, table, number = merge_words(
            self.arena, self.starts, self.table.copy(), other.arena, other.starts
        )
        return type(self)(arena, starts, table), number

    def sorted_order(self) -> IntArray:
        """Numbers of the words in the order of their code points (which is UTF-8's)."""
        order: IntArray
        order, is_tied = order_by_prefix(self.arena, self.starts)
        tied = order[is_tied]  # words with the same first eight bytes: few, so compared fully
        words = self._as_array(pa.large_binary()).take(pa.array(tied))
        order[is_tied] = tied[pc.array_sort_indices(words).to_numpy()]
        return order

    def select(self, numbers: IntArray) -> Self:
        """Vocabulary of the words with these numbers, in this order."""
        wanted = np.ascontiguousarray(numbers, dtype=np.int64)
        return type(self)(*select_words(self.arena, self.starts, wanted))


def document_frequency_limits(
    min_df: float, max_df: float, n_documents: int
) -> tuple[float, float]:
    """Fewest and most documents a word may occur in; a float is a share of the documents."""
    low = min_df if isinstance(min_df, int | np.integer) else min_df * n_documents
    high = max_df if isinstance(max_df, int | np.integer) else max_df * n_documents
    if high < low:
        raise ValueError(
            f"max_df must allow at least as many documents as min_df, got max_df={max_df!r} "
            f"({high:g} documents) and min_df={min_df!r} ({low:g} documents)"
        )
    return low, high


def mutual_information(X: Counts, codes: IntArray, n_classes: int) -> FloatArray:
    """Mutual information, in nats, between a word's presence in a document and its class.

    ``X`` holds labeled documents only and ``codes`` their classes. This is the average
    mutual information by which Nigam, McCallum and Mitchell rank words (section 3.4).
    """
    n_documents = X.shape[0]
    one_hot = np.zeros((n_documents, n_classes))
    one_hot[np.arange(n_documents), codes] = 1.0
    is_present = X.astype(bool).astype(np.float64)
    present = np.asarray(is_present.T @ one_hot)  # (n_words, n_classes) documents
    class_size = one_hot.sum(axis=0)
    information = np.zeros(X.shape[1])
    for counts in (present, class_size - present):  # the word occurs, or does not
        joint = counts / n_documents
        independent = counts.sum(axis=1, keepdims=True) * class_size / n_documents**2
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = joint * np.log(joint / independent)
        information += np.where(counts > 0, terms, 0.0).sum(axis=1)
    return np.maximum(information, 0.0)


def top_ranked(scores: FloatArray | IntArray, how_many: int) -> BoolArray:
    """Mask of the ``how_many`` largest scores; ties go to the lower number."""
    keep = np.zeros(len(scores), dtype=bool)
    keep[np.argsort(-np.asarray(scores), kind="stable")[:how_many]] = True
    return keep


def check_words(name: str, words: Iterable[Any], *, may_hold_nul: bool = False) -> list[str]:
    """The words of the user's option ``name`` as a list; refuses values that cannot be words.

    No word of a text holds NUL, but n-grams of characters may.
    """
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        raise TypeError(
            f"{name} must be a list of words, got {words!r}; put a single word into a list"
        )
    listed = list(words)
    for word in listed:
        if not isinstance(word, str):
            raise TypeError(f"{name} must hold words of type str, got {word!r}; convert it to str")
        if "\0" in word and not may_hold_nul:
            raise ValueError(
                f"{name} must hold words without NUL characters, got {word!r}; remove it"
            )
        try:
            word.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{name} must hold valid Unicode, but {word!r} has a lone surrogate (half of a "
                "character); remove it"
            ) from None
    return listed
