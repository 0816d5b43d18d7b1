"""Where documents live: the contract of a corpus, and what passes through it."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from leaven._labels import UNLABELED
from leaven._typing import Counts, FloatArray, IntArray

__all__ = ["UNLABELED", "Addable", "Block", "Corpus"]


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


class Corpus(Protocol):
    """Documents, wherever they are, that can be summed over."""

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        """Sum of ``summarize(block)`` over blocks that hold each document once.

        ``add(total, part)`` may change its arguments, neither of which is used afterwards.
        """
        ...
