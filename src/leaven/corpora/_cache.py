"""A corpus counted once and cached on disk: any number of documents in bounded memory."""

import mmap
import operator
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from leaven._base.matrices import check_matrix
from leaven._base.threads import count_threads, run_in_threads
from leaven.corpora._base import Block, S, stacked
from leaven.exceptions import DataError

__all__ = ["CachedCorpus", "gathered", "values_per_block"]

# Values per block: enough that adding up statistics is cheap compared to computing them, few
# enough that the blocks of all threads together take some tens of megabytes.
VALUES_PER_BLOCK = 4_000_000
VALUES_OF_ALL_THREADS = 8_000_000
DOCUMENTS_PER_BLOCK = 65_536  # as in memory: kernels sum in the precision of the counts
ALIGNMENT = 64

Layout = list[tuple[str, tuple[int, ...], int]]  # dtype, shape and place of each array


class CachedCorpus:
    """Blocks of counts in an unnamed file, of which each thread maps one at a time.

    The system frees the file as soon as the process ends, however it ends. Every pass reads
    each block once, through the system's file cache as far as memory allows.

    Parameters
    ----------
    blocks : iterable of Block
        Iterated once. They should be of similar size; see ``gathered``.
    folder : str or None, default=None
        Folder of the file; None is the folder of temporary files (``TMPDIR``).
    n_threads : int or None, default=None
        Threads to sum in; None is one per processor.
    """

    def __init__(
        self, blocks: Iterable[Block], folder: str | None = None, n_threads: int | None = None
    ) -> None:
        self.folder = folder
        self.n_threads = count_threads(n_threads)
        self._places: list[tuple[int, int, Layout]] = []  # begin and end in the file
        self.n_words = 0  # known once a block is written
        self.dtype: np.dtype[Any] = np.dtype(np.float32)
        with self._room():
            self._file: Any = tempfile.TemporaryFile(prefix="leaven-", dir=folder)  # noqa: SIM115
        weakref.finalize(self, _close, self._file)
        for block in blocks:
            with self._room():
                self._write(block)
        with self._room():
            self._file.flush()
        if not self._places:
            raise DataError("the source contains no documents; check the paths it reads")

    @property
    def n_bytes(self) -> int:
        """Size on disk."""
        return self._places[-1][1]

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        n_threads = min(self.n_threads, len(self._places))

        faults: list[BaseException] = []  # also an interrupt stops all threads at their next block

        def blocks(thread: int) -> Iterator[Block]:
            for number in range(thread, len(self._places), n_threads):
                if faults:
                    raise faults[0]
                yield self._block(number, number + n_threads)

        def share(thread: int) -> S:
            try:
                return reduce(add, map(summarize, blocks(thread)))
            except BaseException as fault:
                faults.append(fault)
                raise

        return reduce(add, run_in_threads(share, n_threads))

    def map(self, change: Callable[[Block], Block]) -> "CachedCorpus":
        """The corpus of the changed blocks, in a new file."""
        n_threads = self.n_threads

        def one(first: int, number: int) -> Block:
            return change(self._block(first + number, first + number + n_threads))

        def changed() -> Iterator[Block]:
            for first in range(0, len(self._places), n_threads):
                n_tasks = min(n_threads, len(self._places) - first)
                yield from run_in_threads(partial(one, first), n_tasks)

        return CachedCorpus(changed(), self.folder, n_threads)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Explain what to do when the disk is full or the folder is missing."""
        try:
            yield
        except OSError as error:
            place = self.folder or tempfile.gettempdir()
            if isinstance(error, FileNotFoundError):
                raise DataError(
                    f"counts cannot be kept in {place!r}: the folder does not exist; create it, "
                    "or choose another with --cache (cache= in Python)"
                ) from None
            raise DataError(
                f"counts cannot be kept in {place!r}: {error.strerror or error}; choose a folder "
                "on a disk with more space with --cache (cache= in Python), or set TMPDIR"
            ) from None

    def _write(self, block: Block) -> None:
        X = block.X
        check_matrix(X)
        self.n_words, self.dtype = X.shape[1], np.dtype(X.dtype)
        arrays: list[Any] = [X.indptr, X.indices, X.data, block.y, block.weight, block.numbers]
        if block.vectors is not None:
            arrays.append(block.vectors)
        begin = -(-self._file.tell() // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
        layout: Layout = []
        place = 0
        for array in arrays:
            layout.append((array.dtype.str, array.shape, place))
            self._file.seek(begin + place)
            self._file.write(np.ascontiguousarray(array).view(np.uint8))
            place += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        self._file.truncate(begin + place)  # so that the last array is padded too
        self._file.seek(begin + place)
        self._places.append((begin, begin + place, layout))

    def _block(self, number: int, following: int | None = None) -> Block:
        """A block, mapped while it is used; the ``following`` one is fetched meanwhile."""
        if following is not None and following < len(self._places):
            begin, end, _ = self._places[following]
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(self._file.fileno(), begin, end - begin, os.POSIX_FADV_WILLNEED)
        begin, end, layout = self._places[number]
        # Copy on write, because kernels are compiled for writable arrays.
        memory = mmap.mmap(self._file.fileno(), end - begin, offset=begin, access=mmap.ACCESS_COPY)
        arrays: list[Any] = [
            np.frombuffer(memory, dtype, int(np.prod(shape)), place).reshape(shape)
            for dtype, shape, place in layout
        ]
        indptr, indices, data, y, weight, numbers, *vectors = arrays
        X = csr_array((data, indices, indptr), shape=(len(y), self.n_words), copy=False)
        return Block(X, y, weight, vectors[0] if vectors else None, numbers)


def values_per_block(n_threads: int | None) -> int:
    """Values per block when each thread has one block in memory."""
    return min(VALUES_PER_BLOCK, VALUES_OF_ALL_THREADS // count_threads(n_threads))


def gathered(
    blocks: Iterable[Block],
    n_values: int = VALUES_PER_BLOCK,
    n_documents: int = DOCUMENTS_PER_BLOCK,
) -> Iterator[Block]:
    """The same documents in blocks of about ``n_values`` counts, in the same order."""
    waiting: list[Block] = []
    size = length = 0
    for block in blocks:
        for piece in _cut(block, n_values, n_documents):
            if waiting and (size + piece.X.nnz > n_values or length + len(piece.y) > n_documents):
                yield stacked(waiting)
                waiting, size, length = [], 0, 0
            waiting.append(piece)
            size, length = size + piece.X.nnz, length + len(piece.y)
    if waiting:
        yield stacked(waiting)


def _cut(block: Block, n_values: int, n_documents: int) -> Iterator[Block]:
    check_matrix(block.X)
    length = len(block.y)
    if block.X.nnz <= n_values and length <= n_documents:
        yield block
        return
    by_values = np.searchsorted(block.X.indptr, np.arange(n_values, block.X.nnz, n_values))
    by_documents = np.arange(0, length, n_documents)
    for begin, end in pairwise(np.unique([*by_values, *by_documents, length])):
        yield block.rows(slice(begin, end))


def _close(file: Any) -> None:
    with suppress(OSError):  # what could not be written is no longer needed
        file.close()
