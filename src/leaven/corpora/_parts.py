"""Parts of a corpus: its labeled documents in memory, the unlabeled ones in place."""

import hashlib
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from leaven._base.typing import IntArray
from leaven.corpora._base import Block, Corpus, S, stacked
from leaven.corpora._sample import SALT, Sample, vector_ties

__all__ = [
    "MOST_LABELED",
    "Joined",
    "Unlabeled",
    "distinct_documents",
    "distinct_rows",
    "labeled_documents",
    "numbered_documents",
]

MOST_LABELED = 20_000  # labeled documents loaded into memory; of more, a sample is


def labeled_documents(
    corpus: Corpus, most: int = MOST_LABELED, first: IntArray | None = None
) -> Block:
    """The labeled documents of positive weight, ordered by their content.

    So random draws from them do not depend on where the corpus is stored. More than ``most``
    are sampled; every class is in the sample, and copies are merged into one document. Those with
    the numbers ``first`` are sampled apart from the others, so that these do not displace them.
    """

    def sampled(are_first: bool | None = None) -> Block:
        return corpus.reduce(
            lambda block: Sample.of(_only_labeled(block, first, are_first), most, SALT)
        ).block

    together = sampled() if first is None else stacked([sampled(True), sampled(False)])
    X, y, weight = together.X, together.y, together.weight
    ties = vector_ties(together).tolist()
    numbers = together.numbers.tolist()
    keys = [
        (
            int(y[i]),
            _digest(X.indices[begin:end], X.data[begin:end]),
            float(weight[i]),
            ties[i],
            numbers[i],
        )
        for i, (begin, end) in enumerate(zip(X.indptr, X.indptr[1:], strict=False))
    ]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    return together.rows(order)


def numbered_documents(corpus: Corpus, numbers: IntArray) -> Block:
    """The documents of these numbers in memory, in this order."""

    def found(block: Block) -> Sample:
        rows = block.rows(np.flatnonzero(np.isin(block.numbers, numbers)))
        return Sample.of(rows, len(numbers), SALT)

    together = corpus.reduce(found).block
    places = np.argsort(together.numbers)
    return together.rows(places[np.searchsorted(together.numbers, numbers, sorter=places)])


def _only_labeled(block: Block, first: IntArray | None, are_first: bool | None) -> Block:
    is_wanted = (block.y >= 0) & (block.weight > 0)
    if first is not None:
        is_wanted &= np.isin(block.numbers, first) == are_first
    rows = np.flatnonzero(is_wanted)
    labeled = block.rows(rows)
    labeled.X.sum_duplicates()  # canonical rows, however they were stored: sorted, no zeros
    labeled.X.eliminate_zeros()
    return labeled


def _digest(indices: Any, data: Any) -> bytes:
    content = indices.astype(np.int64).tobytes() + data.astype(np.float64).tobytes()
    return hashlib.blake2b(content, digest_size=8).digest()


def distinct_documents(labeled: Block) -> Block:
    """The documents that contain words, without copies; all documents of a class without words.

    A copy of a training document says nothing about new documents.
    """
    return labeled.rows(distinct_rows(labeled)[0])


def distinct_rows(labeled: Block) -> tuple[IntArray, IntArray]:
    """Rows of the distinct documents, and of every document the row that it is a copy of.

    Labeled documents are ordered by content, so copies are adjacent. A document that is no copy
    has its own row.
    """
    X = labeled.X
    has_words = np.diff(X.indptr) > 0
    has_any = np.bincount(labeled.y, has_words, int(labeled.y.max()) + 1) > 0
    is_copy = np.zeros(len(has_words), dtype=bool)
    same = (labeled.y[1:] == labeled.y[:-1]) & (np.diff(X.indptr)[1:] == np.diff(X.indptr)[:-1])
    for i in np.flatnonzero(same):
        first, second, end = X.indptr[i : i + 3]
        is_copy[i + 1] = np.array_equal(
            X.indices[first:second], X.indices[second:end]
        ) and np.array_equal(X.data[first:second], X.data[second:end])
        if labeled.vectors is not None:
            is_copy[i + 1] &= np.allclose(labeled.vectors[i], labeled.vectors[i + 1], atol=1e-6)
    original = np.maximum.accumulate(np.where(is_copy, 0, np.arange(len(is_copy))))
    return np.flatnonzero((has_words & ~is_copy) | ~has_any[labeled.y]), original


class Unlabeled:
    """The unlabeled documents of a corpus; the others get weight zero."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    @property
    def n_words(self) -> int:
        return self.corpus.n_words

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.corpus.dtype

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        return self.corpus.reduce(
            lambda block: summarize(replace(block, weight=block.weight * (block.y < 0))), add
        )

    def map(self, change: Callable[[Block], Block]) -> "Unlabeled":
        return Unlabeled(self.corpus.map(change))


class Joined:
    """Several corpora as one."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        self.corpora = corpora

    @property
    def n_words(self) -> int:
        return self.corpora[0].n_words

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.corpora[0].dtype

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        return reduce(add, [corpus.reduce(summarize, add) for corpus in self.corpora])

    def map(self, change: Callable[[Block], Block]) -> "Joined":
        return Joined([corpus.map(change) for corpus in self.corpora])
