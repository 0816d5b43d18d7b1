"""CSV and TSV as Arrow tables: blocks of whole rows, each parsed by itself."""

import contextlib
import csv
import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from leaven.documents._columns import Header, Wanted
from leaven.documents._csv_kernels import FIELD_START, QUOTED, find_row_ends
from leaven.documents._csv_rows import DELIMITERS
from leaven.documents._encodings import BOM
from leaven.documents._formats import MAX_BLOCK, SAMPLE_ROWS, Source
from leaven.exceptions import DataError

__all__ = ["DelimitedSource"]

QUOTED_VALUE = re.compile(rb'(?<![^,;\t|\r\n])"(?:[^"]|"")*"')
BLANK = re.compile(rb"[\r\n]*")
LINE_FEED = 10
LONGEST_NAME = 1 << 17  # what Python's csv module takes for a value
SAMPLE_BYTES = 1 << 14
SENTENCE = 8  # words in a name that is a document rather than a name


class DelimitedSource(Source):
    """CSV or TSV; quoted values may hold line breaks.

    Rows are what Arrow's parser takes for rows. It gets blocks of whole rows, so that the size
    of the blocks makes no difference; where rows end is found here, because Arrow's own search
    loses line breaks in quotes between two blocks.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        encoding: str | None,
        block_bytes: int,
        delimiter: str = ",",
        has_header: bool = True,
    ) -> None:
        self.kind = "TSV" if delimiter == "\t" else "CSV"
        self.format = self.kind.lower()
        super().__init__(path, name, encoding, block_bytes)
        self.has_header = has_header
        self.delimiter = delimiter
        self._names: tuple[str, ...] = ()
        if delimiter == ",":
            with self.explained():
                self.delimiter = self._used_delimiter()

    @property
    def described(self) -> str:
        shown = "tabs" if self.delimiter == "\t" else repr(self.delimiter)
        without = "" if self.has_header else " and no header"
        kind = f"{self.kind} with {shown}" if self.kind == "CSV" else self.kind
        return f"{kind}{without}, {self.encoding.upper()}"

    def _used_delimiter(self) -> str:
        # Spreadsheets in many locales write CSV files with ";".
        raw, stream = self.open()
        with raw, stream:
            start = stream.read(SAMPLE_BYTES).removeprefix(BOM).lstrip(b" \r\n")
        lines = re.split(rb"[\r\n]+", QUOTED_VALUE.sub(b"", start).rstrip(b"\r\n"))
        # A header has no delimiter but its own; among documents, every row has as many.
        rows = lines[:1] if self.has_header else (lines[:-1] or lines)[:SAMPLE_ROWS]
        return max(DELIMITERS, key=lambda each: min(row.count(each.encode()) for row in rows))

    def rows_begin(self) -> int:
        """The byte at which the first row after the header begins; the size if none does."""
        if not self.has_header:
            return 0
        raw, _ = self.open()
        with raw:
            done = len(BOM) if raw.read(len(BOM)) == BOM else 0
            raw.seek(done)
            for block in self._row_blocks(raw, SAMPLE_BYTES, start=False):
                begin = _n_blank(block)
                if begin < block.size:
                    return done + self._first_row(block, begin) - 1
                done += block.size - 1  # without the line feed before it
        return self.size

    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header:
        raw, stream = self.open()
        sample = b""
        with raw, stream:
            names, blocks = self._start(stream, SAMPLE_BYTES)
            # What is wrong with rows is told when they are read.
            with contextlib.suppress(UnicodeError, OSError, pa.ArrowException):
                for block in blocks:
                    sample += block.to_pybytes()
                    if len(sample) >= SAMPLE_BYTES:
                        break
        self._names = names
        values = self._sampled(sample, len(names))
        strings = [name for name, own in zip(names, values, strict=True) if any(map(_wordy, own))]
        looks_like_data = self.has_header and any(
            len(name.split()) >= SENTENCE or (_is_number(name) and all(map(_is_number, own)))
            or (name in own and bool(name))
            for name, own in zip(names, values, strict=True)
        )  # fmt: skip
        return Header(names, frozenset(strings), looks_like_data=looks_like_data)

    def _sampled(self, rows: bytes, n_columns: int) -> list[list[str]]:
        """Values of each column in the first rows, as far as these are sound."""
        if rows and n_columns:
            with contextlib.suppress(pa.ArrowException):
                parse = self._parse_options(lambda _: "skip")
                table = self._parsed(
                    pa.py_buffer(rows), list(map(str, range(n_columns))), None, parse
                )
                return [column[:SAMPLE_ROWS].to_pylist() for column in table.columns]
        return [[] for _ in range(n_columns)]

    def tables(self, wanted: Wanted) -> Iterator[tuple[pa.Table, int]]:
        raw, stream = self.open()
        with raw, stream:
            names, blocks = self._start(stream, self.block_bytes)
            keys = list(map(str, range(len(names))))
            kept = None if wanted.keeps_all else [self._position(n, names) for n in wanted.names]
            shown = names if kept is None else wanted.names
            parse = self._parse_options()
            for block in blocks:
                include = None if kept is None else [keys[i] for i in kept]
                table = self._parsed(block, keys, include, parse)
                if table.num_rows:
                    yield table.rename_columns(list(shown)), raw.tell()

    def _position(self, name: str, names: Sequence[str]) -> int:
        if name not in names:
            raise DataError(
                f"{self.name} has no column {name!r} any more; it must not change while it is read"
            )
        return list(names).index(name)

    def _start(
        self, stream: pa.NativeFile, size: int
    ) -> tuple[tuple[str, ...], Iterator[pa.Buffer]]:
        """The names of the columns, and the rows after the header in blocks."""
        blocks = self._row_blocks(stream, size, self.is_start)
        if not self.is_start:
            return self._names, blocks
        for block in blocks:
            begin = _n_blank(block)
            if begin < block.size:
                end = self._first_row(block, begin)
                names = self._first_values(block[begin:end].to_pybytes())
                if self.has_header:
                    others = [block[end - 1 :]] if end < block.size else []
                    return names, chain(others, blocks)
                return tuple(map(str, range(1, len(names) + 1))), chain([block], blocks)
        return (), iter(())

    def _row_blocks(
        self, stream: pa.NativeFile, size: int, start: bool = True
    ) -> Iterator[pa.Buffer]:
        """Cut a stream into blocks of whole rows; a row longer than ``size`` is one block.

        At the ``start`` of a file a byte order mark is removed. Every block begins with a line
        feed, because Arrow would take a mark at its start for one of a file.
        """
        rest = pa.py_buffer(b"")
        state = FIELD_START
        while True:
            # In steps that grow with the row, so that a long one is not copied too often.
            step = min(max(size, rest.size, len(BOM)), MAX_BLOCK - 2 - rest.size)
            buffer = pa.allocate_buffer(1 + rest.size + step)
            content = np.frombuffer(buffer, dtype=np.uint8)
            first, known = 1, 1 + rest.size
            content[first:known] = np.frombuffer(rest, dtype=np.uint8)
            content[0] = LINE_FEED
            end = known + stream.readinto(content[known:])
            if end == known:
                break
            if start and content[first:end][: len(BOM)].tobytes() == BOM:
                first = known = first + len(BOM)
                content[first - 1] = LINE_FEED
            start = False
            state, _, last = self._row_ends(content[known:end], state)
            cut = known + last if last else first
            if last:
                yield buffer[first - 1 : cut]
            rest = buffer[cut:end]
            if rest.size > MAX_BLOCK // 2:
                raise DataError(
                    f"a row of {self.name} is longer than 1 GiB (is a quotation mark left open?); "
                    "repair or split it"
                )
        if rest.size:
            yield buffer[:known]

    def _first_row(self, block: pa.Buffer, begin: int) -> int:
        """Where the first row ends that begins at some byte; at the end of the block at last."""
        content = np.frombuffer(block, dtype=np.uint8)
        for end in (begin + SAMPLE_BYTES, len(content)):
            _, first, _ = self._row_ends(content[begin:end], FIELD_START)
            if first:
                return int(begin + first)
        return len(content)

    def _row_ends(self, content: NDArray[np.uint8], state: int) -> tuple[int, int, int]:
        """State after some bytes, and where the first and the last row end in them, or 0."""
        content = content.view()
        content.flags.writeable = False  # as some buffers are: so the kernel is compiled once
        found: tuple[int, int, int] = find_row_ends(content, ord(self.delimiter), state)
        return found

    def _first_values(self, row: bytes) -> tuple[str, ...]:
        """The values of one row, however many there are."""
        at_most = row.count(self.delimiter.encode()) + 1
        types = {f"f{i}": pa.large_string() for i in range(at_most)}
        _check_utf8(pa.py_buffer(row))
        # Arrow counts the columns of a row that ends, so the last one of a file is ended here.
        content = np.frombuffer(bytearray(row), dtype=np.uint8)
        state, _, _ = self._row_ends(content, FIELD_START)
        row += b'"\n' if state == QUOTED else b"\n"
        table = pa.csv.read_csv(
            pa.BufferReader(row),
            pa.csv.ReadOptions(
                block_size=len(row) + 1, use_threads=False, autogenerate_column_names=True
            ),
            self._parse_options(),
            pa.csv.ConvertOptions(column_types=types),
        )
        values = tuple(column[0].as_py() for column in table.columns)
        if self.has_header and max(map(len, values)) > LONGEST_NAME:
            raise DataError(
                f"{self.name} must begin with a header line of column names, but one of them has "
                f"{max(map(len, values)):,} characters; pass --no-header if there is no header, "
                "or --format txt for one document per line"
            )
        return values

    def _parse_options(self, on_bad_row: Callable[..., str] | None = None) -> pa.csv.ParseOptions:
        return pa.csv.ParseOptions(
            delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=on_bad_row
        )

    def _parsed(
        self,
        rows: pa.Buffer,
        keys: list[str],
        include: list[str] | None,
        parse: pa.csv.ParseOptions,
    ) -> pa.Table:
        # Also bytes of columns that are not wanted must be text, as if they were.
        _check_utf8(rows)
        return pa.csv.read_csv(
            pa.BufferReader(rows),
            # In one block, because Arrow would look for the ends of rows otherwise.
            pa.csv.ReadOptions(block_size=rows.size + 1, use_threads=False, column_names=keys),
            parse,
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(keys, pa.large_string()),
                include_columns=include,
                check_utf8=False,
            ),
        )

    def explain(self, error: Exception) -> DataError:
        if "columns, got" in str(error) and self.span is None:
            return self._odd_row(error)
        return super().explain(error)

    def _odd_row(self, error: Exception) -> DataError:
        # Arrow counts rows, and people lines: search for the row again.
        limit = csv.field_size_limit(sys.maxsize)
        try:
            raw, stream = self.open()
            with raw, stream:
                rows = self._lines(stream)
                n_names = len(next(rows)[1])
                for line, row in rows:
                    if len(row) != n_names:
                        hint = " (is a quotation mark left open?)" if "\n" in "".join(row) else ""
                        first = "header" if self.has_header else "first row"
                        return DataError(
                            f"line {line} of {self.name} must have {n_names} fields like its "
                            f"{first}, but has {len(row)}{hint}; repair the line, or quote values "
                            f"that hold {self.delimiter!r}"
                        )
        except (csv.Error, OSError, ValueError):
            pass
        finally:
            csv.field_size_limit(limit)
        return super().explain(error)

    def _lines(self, stream: pa.NativeFile) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank, each with its first line's number."""
        lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        reader = csv.reader(lines, delimiter=self.delimiter)
        line = 1
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1


def _n_blank(block: pa.Buffer) -> int:
    """Bytes of the line breaks at the start."""
    found = BLANK.match(block)
    return found.end() if found else 0


def _check_utf8(content: pa.Buffer) -> None:
    offsets = pa.py_buffer(np.array([0, content.size], dtype=np.int64))
    pa.LargeStringArray.from_buffers(1, offsets, content).validate(full=True)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _wordy(value: str) -> bool:
    return bool(value) and not _is_number(value)
