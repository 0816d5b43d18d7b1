"""A corpus in memory, summed in threads."""

import copy
import itertools
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from leaven._base.matrices import check_matrix, row_range
from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora._base import Block, S

__all__ = ["InMemoryCorpus", "in_memory"]

# Kernels sum a block in the precision of the counts; at this size float32 is safe.
MOST_DOCUMENTS_PER_BLOCK = 65_536
FEWEST_VALUES_PER_BLOCK = 20_000  # with fewer, a thread costs more than it saves


class InMemoryCorpus:
    """Documents in memory, cut into one block per thread.

    Parameters
    ----------
    X : sparse array of shape (n_documents, n_words)
        Counts, float32 or float64; statistics are computed in the same precision.
    y : ndarray of shape (n_documents,)
        Class codes, ``UNLABELED`` where unknown.
    weight : ndarray of shape (n_documents,) or None, default=None
        Weight of each document; None is one each.
    vectors : ndarray of shape (n_documents, n_dims) or None, default=None
        A second view of each document, for models that have one.
    numbers : ndarray of shape (n_documents,) or None, default=None
        Number of each document; None numbers them from 0.
    n_threads : int or None, default=None
        Threads to sum in; None is one per processor.
    """

    def __init__(
        self,
        X: Counts,
        y: IntArray,
        weight: FloatArray | None = None,
        *,
        vectors: FloatArray | None = None,
        numbers: IntArray | None = None,
        n_threads: int | None = None,
    ) -> None:
        n_documents = X.shape[0]
        weight = np.ones(n_documents) if weight is None else weight
        if vectors is not None and len(vectors) != n_documents:
            raise ValueError(
                f"vectors must have one row per document, got {len(vectors):,} for {n_documents:,}"
            )
        if not n_documents == len(y) == len(weight):
            raise ValueError(
                "X, y and weight must have one entry per document, got "
                f"{n_documents}, {len(y)} and {len(weight)}"
            )
        check_matrix(X)
        self.n_threads = count_threads(n_threads)
        numbers = np.arange(n_documents) if numbers is None else numbers
        whole = Block(
            X,
            np.ascontiguousarray(y, dtype=np.int64),
            np.ascontiguousarray(weight, dtype=np.float64),
            vectors,
            numbers,
        )
        self.blocks = _cut(whole, self.n_threads)

    @property
    def n_words(self) -> int:
        return self.blocks[0].X.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.blocks[0].X.dtype)

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        n_threads = min(self.n_threads, len(self.blocks))

        def share(thread: int) -> S:
            return reduce(add, map(summarize, self.blocks[thread::n_threads]))

        return reduce(add, run_in_threads(share, n_threads))

    def map(self, change: Callable[[Block], Block]) -> "InMemoryCorpus":
        """The corpus of the changed blocks."""
        changed = copy.copy(self)
        n_threads = min(self.n_threads, len(self.blocks))

        def share(thread: int) -> list[Block]:
            return [change(block).kept() for block in self.blocks[thread::n_threads]]

        changed.blocks = [None] * len(self.blocks)  # type: ignore[list-item]
        for thread, blocks in enumerate(run_in_threads(share, n_threads)):
            changed.blocks[thread::n_threads] = blocks
        return changed


def in_memory(block: Block, n_threads: int | None = None) -> InMemoryCorpus:
    """The documents of a block as a corpus."""
    return InMemoryCorpus(
        block.X,
        block.y,
        block.weight,
        vectors=block.vectors,
        numbers=block.numbers,
        n_threads=n_threads,
    )


def _cut(whole: Block, n_threads: int) -> list[Block]:
    X, vectors = whole.X, whole.vectors
    n_documents = X.shape[0]
    n_blocks = min(n_threads, max(1, X.nnz // FEWEST_VALUES_PER_BLOCK))
    n_blocks = max(n_blocks, -(-n_documents // MOST_DOCUMENTS_PER_BLOCK))
    if n_blocks > n_threads:
        n_blocks = -(-n_blocks // n_threads) * n_threads
    # Equal numbers of values, not of documents: they determine the cost of an iteration.
    targets = X.nnz * np.arange(1, n_blocks) // n_blocks
    bounds = np.unique(np.concatenate([[0], np.searchsorted(X.indptr, targets), [n_documents]]))
    pieces = [np.arange(*pair, MOST_DOCUMENTS_PER_BLOCK) for pair in itertools.pairwise(bounds)]
    bounds = np.concatenate([*pieces, [n_documents]])
    blocks = []
    for first, last in itertools.pairwise(bounds):
        part = slice(first, last)
        blocks.append(
            Block(
                row_range(X, first, last),
                whole.y[part],
                whole.weight[part],
                None if vectors is None else vectors[part],
                whole.numbers[part],
            ).kept()
        )
    return blocks or [whole]
