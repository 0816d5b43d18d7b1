"""File formats: each source yields Arrow tables of bounded size."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pyarrow as pa
import pyarrow.compute as pc

from leaven.documents._columns import Header, Wanted, is_list_type
from leaven.documents._encodings import (
    BOM,
    GZIP_MAGIC,
    damaged_gzip,
    detect_encoding,
    open_plain,
    wrong_encoding,
)
from leaven.exceptions import DataError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

__all__ = ["LinesSource", "ParquetSource", "Source", "line_blocks"]

MAX_BLOCK = 2**31 - 1  # Arrow's block sizes are 32-bit
SAMPLE_ROWS = 100


class Source(ABC):
    """One file (or folder) that can be read again on every pass."""

    kind = "text"  # the format, for people
    format = "txt"
    # The part of the file to read, if not all: bytes, or row groups of Parquet.
    span: tuple[int, int] | None = None

    def __init__(self, path: Path, name: str, encoding: str | None, block_bytes: int) -> None:
        self.path = path
        self.name = name
        self.encoding = encoding or "utf-8"
        self.block_bytes = block_bytes
        with self.explained():
            self.size = self.piece_size = self.measure()
        if self.size == 0:
            raise DataError(f"{name} is empty; pass a file that holds documents")
        with self.explained():
            self.encoding = self.find_encoding(encoding)

    @abstractmethod
    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header | None:
        """Read the column names; None for formats without columns.

        Formats in which columns may first occur late are searched until ``enough(names)``.
        """

    @abstractmethod
    def tables(self, wanted: Wanted) -> Iterator[tuple[pa.Table, int]]:
        """Yield the columns, with the bytes of the file consumed so far."""

    def measure(self) -> int:
        """Size on disk, in bytes."""
        return self.path.stat().st_size

    def find_encoding(self, given: str | None) -> str:
        """The encoding of the file, as given or as its first bytes show."""
        return detect_encoding(self.path, self.name, given)

    @property
    def n_files(self) -> int:
        """Files that the documents are in."""
        return 1

    @property
    def can_be_cut(self) -> bool:
        """Whether a part of the file's bytes can be read without what comes before it."""
        if self.encoding != "utf-8":
            return False
        with self.path.open("rb") as file:
            return file.read(2) != GZIP_MAGIC

    @property
    def described(self) -> str:
        """Format and encoding, for people."""
        return f"{self.kind}, {self.encoding.upper()}"

    def open(self) -> tuple[pa.NativeFile, pa.NativeFile]:
        """Open the file: as it is on disk, and as plain UTF-8."""
        if self.span is not None:
            begin, end = self.span
            with self.path.open("rb") as file:
                file.seek(begin)
                content = pa.BufferReader(file.read(end - begin))
            return content, content
        raw, stream = open_plain(self.path)
        if self.encoding != "utf-8":
            stream = pa.transcoding_input_stream(stream, self.encoding, "utf-8")
        return raw, stream

    def piece(self, span: tuple[int, int]) -> Self:
        """A part of this source, given by its bytes (of Parquet: row groups)."""
        piece = copy.copy(self)
        piece.span, piece.piece_size = span, span[1] - span[0]
        return piece

    def whole(self) -> Self:
        """The source that this one is a piece of."""
        source = copy.copy(self)
        source.span = None
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
        message = _printable(" ".join(str(error).split()))
        if "utf8" in message.lower():
            return self.wrong_encoding()
        if isinstance(error, FileNotFoundError):
            return DataError(f"{self.name} does not exist; check the path")
        if "zlib" in message or "compressed stream" in message:
            return damaged_gzip(self.name, message)
        if isinstance(error, OSError) and error.strerror:
            message = error.strerror
        return DataError(f"{self.name} cannot be read as {self.kind}: {message[:200]}")

    def wrong_encoding(self) -> DataError:
        """The error that names the first byte that the encoding does not allow."""
        return wrong_encoding(self.path, self.name, self.encoding)


def _printable(text: str) -> str:
    """Text that may quote any bytes of a file, with escape sequences as in Python."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def line_blocks(stream: pa.NativeFile, size: int, start: bool = True) -> Iterator[bytes]:
    """Cut a stream into blocks of whole lines; a line longer than ``size`` is one block.

    At the ``start`` of a file a byte order mark is removed.
    """
    parts: list[bytes] = []
    while chunk := stream.read(max(size, len(BOM)) if start else size):
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

    @property
    def described(self) -> str:
        return f"text with one document per line, {self.encoding.upper()}"

    def header(self, enough: Callable[[Sequence[str]], bool]) -> None:
        return None

    def tables(self, wanted: Wanted) -> Iterator[tuple[pa.Table, int]]:
        raw, stream = self.open()
        with raw, stream:
            for block in line_blocks(stream, self.block_bytes, self.is_start):
                whole = pa.array([block.replace(b"\r\n", b"\n")], pa.large_binary())
                lines = pc.split_pattern(whole, b"\n").values
                if block.endswith(b"\n"):
                    lines = lines[:-1]
                yield pa.table({wanted.text[0]: lines.cast(pa.large_string())}), raw.tell()


class ParquetSource(Source):
    """Parquet; columns keep their types. A column that is not wanted is not read."""

    kind = "Parquet"
    format = "parquet"

    def find_encoding(self, given: str | None) -> str:
        return "utf-8"

    @property
    def described(self) -> str:
        return self.kind

    def opened(self) -> "pq.ParquetFile":
        """The file, to be closed."""
        import pyarrow.parquet as pq  # a fiftieth of a second, which other formats do not need

        return pq.ParquetFile(self.path)

    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header:
        with self.opened() as file:
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
            frozenset(name for name, kind in named if is_list_type(kind)),
        )

    def tables(self, wanted: Wanted) -> Iterator[tuple[pa.Table, int]]:
        with self.opened() as file:
            meta = file.metadata
            n_bytes = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
            rows = max(1, self.block_bytes * meta.num_rows // max(1, n_bytes))
            groups = range(meta.num_row_groups) if self.span is None else range(*self.span)
            _check_types(meta, groups, wanted)
            done = 0
            for batch in file.iter_batches(
                batch_size=min(rows, 1 << 16),
                columns=None if wanted.keeps_all else wanted.names,
                row_groups=groups,
            ):
                done += batch.num_rows
                yield pa.Table.from_batches([batch]), self.size * done // meta.num_rows
            if done != sum(meta.row_group(i).num_rows for i in groups):
                # Arrow notices only where the last batch is wider in one column than in another.
                raise pa.ArrowInvalid("columns do not have the same size")


def _check_types(meta: "pq.FileMetaData", groups: range, wanted: Wanted) -> None:
    """Refuse a damaged row group, which Arrow notices or not depending on the size of batches."""
    schema = [meta.schema.column(j) for j in range(meta.num_columns)]
    read = [
        j
        for j, column in enumerate(schema)
        if wanted.keeps_all or column.path.split(".")[0] in wanted.names
    ]
    for group in map(meta.row_group, groups):
        for j in read:
            found, expected = group.column(j).physical_type, schema[j].physical_type
            if found != expected:
                raise pa.ArrowInvalid(f"a column of type {expected} holds {found} values")
