"""File formats: each source yields Arrow tables of bounded size."""

import codecs
import copy
import csv
import io
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from leaven.documents._columns import Header
from leaven.exceptions import DataError

__all__ = ["DelimitedSource", "LinesSource", "ParquetSource", "Source"]

BOM = codecs.BOM_UTF8
GZIP_MAGIC = b"\x1f\x8b"
MAX_BLOCK = 2**31 - 1  # Arrow's block sizes are 32-bit
HEADER_BLOCK = 1 << 20  # Arrow treats a file as empty if its header is longer than a block
SAMPLE_ROWS = 100
DELIMITERS = ",;\t|"  # of files called CSV; the first wins ties
QUOTED = re.compile(rb'(?<![^,;\t|\n])"(?:[^"]|"")*"')  # a whole value in quotation marks


class Source(ABC):
    """One file (or folder) that can be read again on every pass."""

    kind = "text"
    # The part of the file to read, if not all: bytes, or row groups of Parquet.
    span: tuple[int, int] | None = None
    head = b""  # read before the bytes of the span

    def __init__(self, path: Path, name: str, encoding: str, block_bytes: int) -> None:
        self.path = path
        self.name = name
        self.encoding = encoding
        self.block_bytes = block_bytes
        with self.explained():
            self.size = self.piece_size = self.measure()
        if self.size == 0:
            raise DataError(f"{name} is empty; pass a file that holds documents")

    @abstractmethod
    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header | None:
        """Read the column names; None for formats without columns.

        Formats in which columns may first occur late are searched until ``enough(names)``.
        """

    @abstractmethod
    def tables(
        self, text: str, label: str | None, keep_columns: bool
    ) -> Iterator[tuple[pa.Table, int]]:
        """Yield the columns, with the bytes of the file consumed so far."""

    def measure(self) -> int:
        """Size on disk, in bytes."""
        return self.path.stat().st_size

    def open(self) -> tuple[pa.NativeFile, pa.NativeFile]:
        """Open the file: as it is on disk, and as plain UTF-8."""
        if self.span is not None:
            begin, end = self.span
            with self.path.open("rb") as file:
                file.seek(begin)
                content = pa.BufferReader(self.head + file.read(end - begin))
            return content, content
        raw = pa.OSFile(str(self.path))
        zipped = raw.read(2) == GZIP_MAGIC
        raw.seek(0)
        stream = pa.CompressedInputStream(raw, "gzip") if zipped else raw
        if self.encoding != "utf-8":
            stream = pa.transcoding_input_stream(stream, self.encoding, "utf-8")
        return raw, stream

    def piece(self, span: tuple[int, int], head: bytes) -> Self:
        """A part of this source, given by its bytes (of Parquet: row groups)."""
        piece = copy.copy(self)
        piece.span, piece.head, piece.piece_size = span, head, span[1] - span[0]
        return piece

    def whole(self) -> Self:
        """The source that this one is a piece of."""
        source = copy.copy(self)
        source.span, source.head = None, b""
        return source

    @property
    def is_start(self) -> bool:
        """Whether the file is read from its first byte."""
        return self.span is None or self.span[0] == 0

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors while reading into a one-sentence DataError about the file."""
        try:
            yield
        except DataError:
            raise
        except UnicodeError:
            raise self.wrong_encoding() from None
        except (OSError, pa.ArrowException, EOFError) as error:
            raise self.explain(error) from None

    def explain(self, error: Exception) -> DataError:
        """Describe what a lower-level error means for this file."""
        message = " ".join(str(error).split())
        if "utf8" in message.lower():
            return self.wrong_encoding()
        if isinstance(error, FileNotFoundError):
            return DataError(f"{self.name} does not exist; check the path")
        if "zlib" in message or "compressed stream" in message:
            return DataError(
                f"{self.name} is a truncated or damaged gzip file ({message}); fetch or compress "
                "it again"
            )
        if isinstance(error, OSError) and error.strerror:
            message = error.strerror
        return DataError(f"{self.name} cannot be read as {self.kind}: {message[:200]}")

    def wrong_encoding(self) -> DataError:
        """The error that names the first byte that the encoding does not allow."""
        return wrong_encoding(self.path, self.name, self.encoding)


def wrong_encoding(path: Path, name: str, encoding: str) -> DataError:
    """The error that names the first byte of a file that the encoding does not allow."""
    where, remedy = "", "latin-1"
    line = 1
    decoder = codecs.getincrementaldecoder(encoding)()
    with pa.input_stream(str(path), compression=None) as raw:
        zipped = raw.read(2) == GZIP_MAGIC
    with pa.input_stream(str(path), compression="gzip" if zipped else None) as stream:
        while True:
            chunk = stream.read(1 << 20)
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                line += error.object.count(b"\n", 0, error.start)
                where = f" (byte 0x{error.object[error.start]:02x} on line {line})"
                if error.start == 0 and error.object[:2] in (codecs.BOM_UTF16_LE, b"\xfe\xff"):
                    remedy = "utf-16"
                break
            except UnicodeError:
                break
            if not chunk:
                break
            line += chunk.count(b"\n")
    if encoding != "utf-8":
        return DataError(
            f"{name} is not valid {encoding}{where}; pass the encoding it was written in with "
            "--encoding (encoding= in Python)"
        )
    return DataError(
        f"{name} is not valid UTF-8{where}; pass --encoding {remedy} (encoding={remedy!r} in "
        "Python) or convert the file to UTF-8"
    )


def line_blocks(stream: pa.NativeFile, size: int, start: bool = True) -> Iterator[bytes]:
    """Cut a stream into blocks of whole lines; a line longer than ``size`` is one block.

    At the ``start`` of a file a byte order mark is removed.
    """
    parts: list[bytes] = []
    while chunk := stream.read(size):
        if start and chunk.startswith(BOM):
            chunk = chunk[len(BOM) :]
        start = False
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*parts, chunk[:cut]])
            parts = []
        parts.append(chunk[cut:])
    if rest := b"".join(parts):
        yield rest


class LinesSource(Source):
    """Plain text, one document per line; a blank line is an empty document."""

    kind = "text"

    def header(self, enough: Callable[[Sequence[str]], bool]) -> None:
        return None

    def tables(
        self, text: str, label: str | None, keep_columns: bool
    ) -> Iterator[tuple[pa.Table, int]]:
        raw, stream = self.open()
        with raw, stream:
            for block in line_blocks(stream, self.block_bytes, self.is_start):
                whole = pa.array([block.replace(b"\r\n", b"\n")], pa.large_binary())
                lines = pc.split_pattern(whole, b"\n").values
                if block.endswith(b"\n"):
                    lines = lines[:-1]
                yield pa.table({text: lines.cast(pa.large_string())}), raw.tell()


class DelimitedSource(Source):
    """CSV or TSV with a header; quoted values may hold line breaks."""

    kind = "CSV"

    def __init__(
        self, path: Path, name: str, encoding: str, block_bytes: int, delimiter: str = ","
    ) -> None:
        super().__init__(path, name, encoding, block_bytes)
        self.kind = "TSV" if delimiter == "\t" else "CSV"
        self.delimiter = delimiter
        # Arrow reads up to 32 blocks ahead, so its blocks are a fraction of ours.
        self._arrow_block = max(64, block_bytes // 16)
        if delimiter == ",":
            with self.explained():
                self.delimiter = self._used_delimiter()

    def _used_delimiter(self) -> str:
        # Spreadsheets in many locales write CSV files with ";".
        raw, stream = self.open()
        with raw, stream:
            start = stream.read(1 << 16).removeprefix(BOM).lstrip(b" \r\n")
        header = re.split(rb"[\r\n]", QUOTED.sub(b"", start), maxsplit=1)[0]
        return max(DELIMITERS, key=lambda delimiter: header.count(delimiter.encode()))

    def _rows(self, stream: pa.NativeFile) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank, each with its first line's number."""
        lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        reader = csv.reader(lines, delimiter=self.delimiter)
        line = 1
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1

    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header:
        raw, stream = self.open()
        with raw, stream:
            rows = self._rows(stream)
            try:
                names = next(rows, (1, []))[1]
            except csv.Error as error:
                raise DataError(
                    f"{self.name} must begin with a header line of column names, but it cannot "
                    f"be read ({error}); pass --format txt for one document per line"
                ) from None
            strings: set[str] = set()
            try:
                for _, row in islice(rows, SAMPLE_ROWS):
                    strings.update(n for n, value in zip(names, row, strict=False) if _wordy(value))
            except csv.Error:
                # Only a cell too long for Python's csv module raises this, so it is text.
                strings.update(names)
        return Header(tuple(names), frozenset(strings))

    def tables(
        self, text: str, label: str | None, keep_columns: bool
    ) -> Iterator[tuple[pa.Table, int]]:
        wanted = [name for name in (text, label) if name is not None]
        names = self.header(lambda _: True).names
        convert = pa.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            include_columns=None if keep_columns else wanted,
        )
        parse = pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        done = 0
        while True:
            skip = done
            waiting: list[pa.RecordBatch] = []
            raw, stream = self.open()
            read = pa.csv.ReadOptions(block_size=self._arrow_block)
            try:
                # Arrow must close the file itself: its threads read ahead, and would continue
                # with whatever file gets the same descriptor next.
                with pa.csv.open_csv(stream, read, parse, convert) as batches:
                    for batch in batches:
                        rest = batch.slice(min(skip, batch.num_rows))
                        skip -= batch.num_rows - rest.num_rows
                        waiting.append(rest)
                        if sum(batch.nbytes for batch in waiting) >= self.block_bytes:
                            table, waiting = pa.Table.from_batches(waiting), []
                            done += table.num_rows
                            yield table, raw.tell()
                    if waiting:
                        yield pa.Table.from_batches(waiting), raw.tell()
                return
            except pa.ArrowInvalid as error:
                # A row is longer than a block: restart with larger ones, after the rows done.
                if "straddl" in str(error) and self._arrow_block < MAX_BLOCK:
                    self._arrow_block = min(4 * self._arrow_block, MAX_BLOCK)
                elif "Empty CSV" in str(error) and self._arrow_block < HEADER_BLOCK:
                    self._arrow_block = HEADER_BLOCK
                elif "Empty CSV" in str(error):
                    return
                else:
                    raise

    def explain(self, error: Exception) -> DataError:
        if "columns, got" in str(error):
            return self._odd_row(error)
        return super().explain(error)

    def _odd_row(self, error: Exception) -> DataError:
        # Arrow's parallel parser does not report the line, so search for the row again.
        limit = csv.field_size_limit(sys.maxsize)
        try:
            raw, stream = self.open()
            with raw, stream:
                rows = self._rows(stream)
                n_names = len(next(rows)[1])
                for line, row in rows:
                    if len(row) != n_names:
                        hint = " (is a quotation mark left open?)" if "\n" in "".join(row) else ""
                        return DataError(
                            f"line {line} of {self.name} must have {n_names} fields like its "
                            f"header, but has {len(row)}{hint}; repair the line, or quote values "
                            f"that hold {self.delimiter!r}"
                        )
        except (csv.Error, OSError, ValueError):
            pass
        finally:
            csv.field_size_limit(limit)
        return super().explain(error)


def _wordy(value: str) -> bool:
    try:
        float(value or 0)
    except ValueError:
        return True
    return False


class ParquetSource(Source):
    """Parquet; columns keep their types."""

    kind = "Parquet"

    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header:
        with pq.ParquetFile(self.path) as file:
            schema = file.schema_arrow
        kinds = [
            field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            for field in schema
        ]
        named = list(zip(schema.names, kinds, strict=True))
        return Header(
            tuple(schema.names),
            frozenset(
                name
                for name, kind in named
                if pa.types.is_string(kind) or pa.types.is_large_string(kind)
            ),
            frozenset(
                name
                for name, kind in named
                if pa.types.is_list(kind) or pa.types.is_large_list(kind)
            ),
        )

    def tables(
        self, text: str, label: str | None, keep_columns: bool
    ) -> Iterator[tuple[pa.Table, int]]:
        wanted = [name for name in (text, label) if name is not None]
        with pq.ParquetFile(self.path) as file:
            meta = file.metadata
            n_bytes = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
            rows = max(1, self.block_bytes * meta.num_rows // max(1, n_bytes))
            done = 0
            for batch in file.iter_batches(
                batch_size=min(rows, 1 << 16),
                columns=None if keep_columns else wanted,
                row_groups=None if self.span is None else range(*self.span),
            ):
                done += batch.num_rows
                yield pa.Table.from_batches([batch]), self.size * done // meta.num_rows
