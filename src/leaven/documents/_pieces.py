"""Files split into pieces that can be read independently: row groups, lines or rows."""

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from leaven.documents._columns import Wanted, text_array
from leaven.documents._csv import DelimitedSource
from leaven.documents._csv_kernels import FIELD_START, scan_rows
from leaven.documents._encodings import BOM
from leaven.documents._folders import FolderSource
from leaven.documents._formats import ParquetSource, Source
from leaven.documents._label_cells import label_array
from leaven.documents._label_rules import AS_WRITTEN, LabelRules
from leaven.exceptions import DataError

__all__ = ["Documents", "FilePiece", "split"]

Run = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]


@dataclass(frozen=True)
class Documents:
    """Documents read from files, in the order of the files."""

    texts: pa.LargeStringArray  # no nulls
    # Null is unlabeled; sets of labels are keys (see SEPARATOR). None: there is no label column.
    labels: pa.LargeStringArray | None
    columns: pa.Table | None  # all columns of the files, if requested
    source: str  # what was read, for messages


@dataclass(frozen=True)
class FilePiece:
    """A file, or a piece of one, and which of its columns to read."""

    source: Source
    text: tuple[str, ...]
    label: str | None  # None where this file has no labels
    is_labeled: bool  # whether any file has labels
    keep_columns: bool
    rules: LabelRules = AS_WRITTEN
    label_separator: str | None = None  # between the labels of a document

    @property
    def n_bytes(self) -> int:
        """Approximate size on disk."""
        return self.source.piece_size

    def __iter__(self) -> Iterator[Documents]:
        return (batch for batch, _ in self.read())

    def read(self) -> Iterator[tuple[Documents, int]]:
        """Batches, each with the bytes of the file consumed so far."""
        try:
            with self.source.explained():
                for table, position in self.source.tables(self._wanted):
                    yield self._documents(table), position
        except DataError:
            if self.source.span is not None:
                # Only a reader of the whole file can locate the fault in it.
                whole = self.source.whole()
                with whole.explained():
                    for _ in whole.tables(self._wanted):
                        pass
            raise

    @property
    def _wanted(self) -> Wanted:
        return Wanted(self.text, self.label, self.keep_columns)

    def _documents(self, table: pa.Table) -> Documents:
        labels = None
        if self.label is not None:
            column = table.column(self.label)
            labels = label_array(
                column, self.label, self.source.name, self.rules, self.label_separator
            )
        elif self.is_labeled:
            labels = pa.nulls(table.num_rows, pa.large_string())
        return Documents(
            text_array(table, self.text, self.source.name),
            labels,
            table if self.keep_columns else None,
            self.source.name,
        )


def split(source: Source, n_bytes: int, run: Run | None = None) -> list[Source]:
    """Cut a file into pieces of about ``n_bytes`` on disk; one piece where it cannot be cut.

    ``run(function, argument tuples)`` may call the function elsewhere, in any order.
    """
    run = run or (lambda function, calls: [function(*arguments) for arguments in calls])
    with source.explained():
        if isinstance(source, ParquetSource):
            return _row_groups(source, n_bytes)
        if isinstance(source, FolderSource):
            return _runs_of_files(source, n_bytes)
        if source.size < 2 * n_bytes or not source.can_be_cut:
            return [source]
        if isinstance(source, DelimitedSource):
            return _runs_of_rows(source, n_bytes, run)
        return _pieces(source, _line_starts(source, n_bytes))


def _pieces(source: Source, starts: Sequence[int]) -> list[Source]:
    bounds = [*starts, source.size]
    return [source.piece((begin, end)) for begin, end in pairwise(bounds) if end > begin]


def _row_groups(source: ParquetSource, n_bytes: int) -> list[Source]:
    """Consecutive row groups, grouped."""
    with source.opened() as file:
        meta = file.metadata
        sizes = [meta.row_group(i).total_byte_size for i in range(meta.num_row_groups)]
    # Sizes in memory, scaled to shares of the file.
    shares = np.array(sizes, dtype=np.float64) * (source.size / max(sum(sizes), 1))
    pieces = []
    for begin, end in _runs(shares, n_bytes):
        pieces.append(source.piece((begin, end)))
        pieces[-1].piece_size = int(shares[begin:end].sum())
    return list(pieces)


def _runs_of_files(source: FolderSource, n_bytes: int) -> list[Source]:
    sizes = np.array([file.stat().st_size for file, _ in source.files], dtype=np.float64)
    pieces: list[Source] = []
    for begin, end in _runs(sizes, n_bytes):
        piece = copy.copy(source)
        piece.files = source.files[begin:end]
        piece.size = piece.piece_size = int(sizes[begin:end].sum())
        pieces.append(piece)
    return pieces


def _runs(sizes: Any, n_bytes: int) -> list[tuple[int, int]]:
    """Bounds of runs of consecutive entries of about ``n_bytes`` in total."""
    number = (np.cumsum(sizes) - sizes / 2) // n_bytes
    bounds = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(sizes)]
    return list(pairwise(bounds))


def _line_starts(source: Source, n_bytes: int) -> list[int]:
    starts = [0]
    with source.path.open("rb") as file:
        for offset in range(n_bytes, source.size, n_bytes):
            file.seek(max(offset, starts[-1]))
            file.readline()
            if starts[-1] < file.tell() < source.size:
                starts.append(file.tell())
    return starts


def _runs_of_rows(source: DelimitedSource, n_bytes: int, run: Run) -> list[Source]:
    rows_begin = source.rows_begin()
    with source.path.open("rb") as file:
        first = len(BOM) if file.read(len(BOM)) == BOM else 0
    offsets = list(range(first, source.size, n_bytes))
    delimiter = ord(source.delimiter)
    scans = [
        (os.fspath(source.path), begin, end, delimiter)
        for begin, end in zip(offsets, [*offsets[1:], source.size], strict=True)
    ]
    starts = [0]
    state = FIELD_START
    for offset, (end, row) in zip(offsets, run(scan_file, scans), strict=True):
        start = offset + row[state]
        # The first piece holds the header, and what is before it.
        if row[state] >= 0 and start >= rows_begin and offset > first:
            starts.append(start)
        state = end[state]
    return _pieces(source, starts)


def scan_file(path: str, begin: int, end: int, delimiter: int) -> tuple[list[int], list[int]]:
    """States and row starts of ``scan_rows`` for some bytes of a file."""
    with open(path, "rb") as file:
        file.seek(begin)
        content = np.frombuffer(bytearray(file.read(end - begin)), dtype=np.uint8)
    final, first = scan_rows(content, delimiter)
    return final.tolist(), first.tolist()
