"""Where documents live: the contract of a corpus, and what passes through it."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from scipy.sparse import csr_array, vstack

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.documents._labels import UNLABELED

__all__ = ["UNLABELED", "Addable", "Block", "Corpus", "stacked"]


class Addable(Protocol):
    """Statistics: whatever adds up over documents."""

    def __add__(self, other: Self) -> Self: ...


S = TypeVar("S", bound=Addable)


@dataclass(frozen=True, eq=False)
class Block:
    """Some documents of a corpus."""

    X: Counts  # (n_documents, n_words)
    y: IntArray  # (n_documents,) class code, UNLABELED where unknown
    weight: FloatArray  # (n_documents,) a document of weight 2 counts as two
    vectors: FloatArray | None = None  # (n_documents, n_dims) a second view, for models that look

    def __sizeof__(self) -> int:
        """Bytes in memory, so that a cluster knows when to move blocks to disk."""
        X = self.X
        arrays = [X.indptr, X.indices, X.data, self.y, self.weight, self.vectors]
        return object.__sizeof__(self) + sum(own.nbytes for own in arrays if own is not None)

    def rows(self, rows: Any) -> "Block":
        """Some of the documents, in this order."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return Block(csr_array(self.X[rows]), self.y[rows], self.weight[rows], vectors)


def stacked(blocks: Sequence[Block]) -> Block:
    """The documents of several blocks as one."""
    vectors = [block.vectors for block in blocks if block.vectors is not None]
    return Block(
        csr_array(vstack([block.X for block in blocks], format="csr")),
        np.concatenate([block.y for block in blocks]),
        np.concatenate([block.weight for block in blocks]),
        np.concatenate(vectors) if vectors else None,
    )


class Corpus(Protocol):
    """Documents, wherever they are, that can be summed over."""

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        """Sum of ``summarize(block)`` over blocks that hold each document once.

        ``add(total, part)`` may change its arguments, neither of which is used afterwards.
        """
        ...

    def map(self, change: Callable[[Block], Block]) -> "Corpus":
        """The corpus of the changed blocks, where this one is; a block is changed once."""
        ...
