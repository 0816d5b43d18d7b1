"""A corpus read again from its source on every pass."""

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from leaven._base.matrices import check_matrix
from leaven.corpora._base import Block, S
from leaven.exceptions import DataError

__all__ = ["StreamedCorpus"]


class StreamedCorpus:
    """Blocks read again from their source on every pass; one is in memory at a time.

    Parameters
    ----------
    blocks : iterable of Block
        Iterated once per EM iteration, so it must restart each time: an object
        with ``__iter__``, not a generator.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        if isinstance(blocks, Iterator):
            raise TypeError(
                "StreamedCorpus needs an iterable that restarts on every pass, got the "
                f"one-shot iterator {type(blocks).__name__!r}. Pass an object whose "
                "__iter__ opens the source again."
            )
        self.blocks = blocks
        self._n_documents: int | None = None  # known after the first pass

    @cached_property
    def _counts(self) -> tuple[int, np.dtype[Any]]:
        """Columns and precision of the counts, from the first block."""
        for block in self.blocks:
            return block.X.shape[1], np.dtype(block.X.dtype)
        raise self._empty()

    @property
    def n_words(self) -> int:
        return self._counts[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._counts[1]

    def _empty(self) -> DataError:
        return DataError("the source contains no documents; check the paths it reads")

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        total: S | None = None
        n_documents = 0
        for block in self.blocks:
            check_matrix(block.X)
            n_documents += block.X.shape[0]
            stats = summarize(block)
            total = stats if total is None else add(total, stats)
        if total is None:
            raise self._empty()
        if self._n_documents is not None and n_documents != self._n_documents:
            raise DataError(
                f"the source had {n_documents:,} documents on this pass and "
                f"{self._n_documents:,} on the first: a file changed while it was streamed; train "
                "again once nothing writes to it, or on a copy"
            )
        self._n_documents = n_documents
        return total

    def map(self, change: Callable[[Block], Block]) -> "StreamedCorpus":
        """The corpus of the changed blocks, changed on every pass."""
        return StreamedCorpus(_Changed(self.blocks, change))


class _Changed:
    """Blocks as they come from their source, changed."""

    def __init__(self, blocks: Iterable[Block], change: Callable[[Block], Block]) -> None:
        self.blocks, self.change = blocks, change

    def __iter__(self) -> Iterator[Block]:
        return map(self.change, self.blocks)
