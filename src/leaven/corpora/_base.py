"""Contract of a corpus, and the blocks of documents that it is made of."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from scipy.sparse import csr_array, vstack

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora._rare_words import RarePart, RareWords
from leaven.documents._labels import UNLABELED

__all__ = ["UNLABELED", "Addable", "Block", "Corpus", "stacked"]


class Addable(Protocol):
    """Statistics: anything that can be summed over documents."""

    def __add__(self, other: Self) -> Self: ...


S = TypeVar("S", bound=Addable)


@dataclass(frozen=True, eq=False)
class Block:
    """Some documents of a corpus, with their numbers in it.

    A block created without ``numbers`` is a separate corpus with documents numbered from 0.
    """

    X: Counts  # (n_documents, n_words)
    y: IntArray  # (n_documents,) class code, UNLABELED where unknown
    weight: FloatArray  # (n_documents,) a document of weight 2 counts as two
    vectors: FloatArray | None = None  # (n_documents, n_dims) second view, for models with one
    numbers: IntArray = None  # type: ignore[assignment]  # (n_documents,) position in the corpus
    rare: RareWords | None = None  # of X, in blocks that stay in memory

    def __post_init__(self) -> None:
        if self.numbers is None:
            object.__setattr__(self, "numbers", np.arange(len(self.y)))

    def __sizeof__(self) -> int:
        """Bytes in memory, so that a cluster knows when to move blocks to disk."""
        X = self.X
        arrays = [X.indptr, X.indices, X.data, self.y, self.weight, self.vectors, self.numbers]
        size = object.__sizeof__(self) + sum(array.nbytes for array in arrays if array is not None)
        return size if self.rare is None else size + self.rare.nbytes

    def kept(self) -> "Block":
        """The same block, of which more is remembered, for a corpus that keeps it in memory."""
        return replace(self, rare=RareWords(self.X))

    @property
    def rare_parts(self) -> list[RarePart]:
        """Rare words of its documents, word by word; empty if that would not be faster."""
        if self.rare is None or self.rare.X is not self.X:
            return []
        return self.rare.parts

    def rows(self, rows: Any) -> "Block":
        """Some of the documents, in this order."""
        vectors = None if self.vectors is None else self.vectors[rows]
        X, numbers = csr_array(self.X[rows]), self.numbers[rows]
        return Block(X, self.y[rows], self.weight[rows], vectors, numbers)


def stacked(blocks: Sequence[Block]) -> Block:
    """The documents of several blocks as one."""
    vectors = [block.vectors for block in blocks if block.vectors is not None]
    return Block(
        csr_array(vstack([block.X for block in blocks], format="csr")),
        np.concatenate([block.y for block in blocks]),
        np.concatenate([block.weight for block in blocks]),
        np.concatenate(vectors) if vectors else None,
        np.concatenate([block.numbers for block in blocks]),
    )


class Corpus(Protocol):
    """Documents that can be summed over, wherever they are stored."""

    @property
    def n_words(self) -> int:
        """Columns of the counts."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the counts, and of what is computed from them."""
        ...

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        """Sum of ``summarize(block)`` over blocks that hold each document once.

        ``add(total, part)`` may change its arguments, neither of which is used afterwards.
        """
        ...

    def map(self, change: Callable[[Block], Block]) -> "Corpus":
        """The corpus of the changed blocks, where this one is; a block is changed once."""
        ...
