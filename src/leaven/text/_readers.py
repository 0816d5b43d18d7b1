"""Documents from files: CSV, TSV, JSON Lines, Parquet, plain text, a folder per class."""

import codecs
import csv
import glob
import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from leaven._validation import check_choice, check_in
from leaven.exceptions import DataError
from leaven.text._columns import (
    REMEDY,
    TEXT_NAMES,
    Header,
    choose_label,
    choose_text,
    guess,
    label_array,
    text_array,
)
from leaven.text._folders import FolderSource
from leaven.text._formats import (
    BOM,
    DelimitedSource,
    LinesSource,
    ParquetSource,
    Source,
)
from leaven.text._json import JsonSource
from leaven.text._writers import SUFFIXES, flat, write_table

__all__ = ["DocumentFiles", "Documents", "FORMATS", "read_documents", "write_table"]

FORMATS = ("csv", "tsv", "jsonl", "parquet", "txt")
DATA = frozenset(SUFFIXES.values())  # formats that make a folder one of data files


@dataclass(frozen=True)
class Documents:
    """Documents read from files, in the order of the files."""

    texts: pa.LargeStringArray  # no nulls
    labels: pa.LargeStringArray | None  # null = unlabeled; None if there is no label column
    columns: pa.Table | None  # all columns of the files, if they were asked for
    source: str  # what was read, for messages


class DocumentFiles:
    """Documents in files, read in batches that fit in memory, again on every pass.

    Columns are settled when the object is made, so that a wrong file is refused before any
    work starts.

    Parameters
    ----------
    paths : str, Path or sequence of them
        Files (CSV, TSV, JSON Lines, Parquet, or text with one document per line; all but
        Parquet also gzipped), glob patterns, folders with a sub-folder per class, folders of
        data files, or "-" for standard input. Documents of a file without the label column,
        in a set where another file has it, are unlabeled.
    text, label : str, optional
        Column names. By default the usual names are looked for, in any case.
    format : {"csv", "tsv", "jsonl", "parquet", "txt"}, optional
        By default the file's ending tells.
    encoding : str, default="utf-8"
        Of every file but Parquet.
    needs_labels : bool, default=False
        Refuse files without a label column.
    keep_columns : bool, default=False
        Give all columns with every batch. In JSON Lines, whose fields may vary, each batch
        has the columns and types that occur in it; ``read`` unites them.
    block_bytes : int, default=16 MiB
        How much to read at a time; a longer document makes its block grow.
    on_bytes : callable, optional
        Called with the number of bytes read since the last call; a pass adds up to
        ``total_bytes``.

    Attributes
    ----------
    text_column, label_column : str
        The columns settled on; ``label_column`` is None if there is none.
    total_bytes : int
        Size of the files on disk.
    """

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        text: str | None = None,
        label: str | None = None,
        format: str | None = None,
        encoding: str = "utf-8",
        needs_labels: bool = False,
        keep_columns: bool = False,
        block_bytes: int = 1 << 24,
        on_bytes: Callable[[int], None] | None = None,
    ) -> None:
        check_in("block_bytes", block_bytes, "[1, 2147483647]")
        if format is not None:
            check_choice("format", format, FORMATS)
        if text is not None and text == label:
            raise DataError(f"the text and the label must be two columns, got {text!r} for both")
        self._reading = (_codec_name(encoding), block_bytes)
        self._format = format
        self._given = (text, label)
        self.keep_columns = keep_columns
        self.on_bytes = on_bytes
        given = [paths] if isinstance(paths, (str, Path)) else list(paths)
        self._sources = [source for path in given for source in self._sources_at(path)]
        if not self._sources:
            raise DataError("at least one file must be given, got none; name the data files")
        self.source = self._sources[0].name
        if len(self._sources) > 1:
            self.source += f" and {len(self._sources) - 1} more"
        self.total_bytes = sum(source.size for source in self._sources)
        self._settle_columns(needs_labels)

    def __iter__(self) -> Iterator[Documents]:
        for source in self._sources:
            reported = n_documents = 0
            with source.explained():
                label = self.label_column if source in self._labeled else None
                for table, position in source.tables(self.text_column, label, self.keep_columns):
                    yield self._documents(table, source)
                    n_documents += table.num_rows
                    position = min(position, source.size)
                    if self.on_bytes is not None and position > reported:
                        self.on_bytes(position - reported)
                        reported = position
            if n_documents == 0:
                raise DataError(f"{source.name} holds no documents; pass a file that does")
            if self.on_bytes is not None and source.size > reported:
                self.on_bytes(source.size - reported)

    def read(self) -> Documents:
        """Read all documents at once."""
        batches = list(self)
        labels = columns = None
        if self.label_column is not None:
            labels = pa.concat_arrays([batch.labels for batch in batches])
        if self.keep_columns:
            columns = _united([b.columns for b in batches if b.columns is not None])
        texts = pa.concat_arrays([batch.texts for batch in batches])
        return Documents(texts, labels, columns, self.source)

    def _documents(self, table: pa.Table, source: Source) -> Documents:
        labels = None
        if self.label_column is not None:
            if source in self._labeled:
                column = table.column(self.label_column)
                labels = label_array(column, self.label_column, source.name)
            else:
                labels = pa.nulls(table.num_rows, pa.large_string())
        return Documents(
            text_array(table.column(self.text_column), self.text_column, source.name),
            labels,
            table if self.keep_columns else None,
            source.name,
        )

    def _settle_columns(self, needs_labels: bool) -> None:
        text, label = self._given
        wants_label = label is not None or needs_labels
        headers: dict[Source, Header | None] = {}

        def enough(names: Sequence[str]) -> bool:
            header = Header(tuple(names), frozenset())
            found = text in names if text else guess(names, TEXT_NAMES)
            return bool(found) and not (
                wants_label and choose_label(header, label, text or "", True, "") is None
            )

        for source in self._sources:
            with source.explained():
                header = headers[source] = source.header(enough)
            if header is not None:
                if not header.names:
                    raise DataError(f"{source.name} holds no documents; pass a file that does")
                text = choose_text(header, text, source.name)
        self.text_column = text or "text"

        self._labeled: set[Source] = set()
        for source, header in headers.items():
            if header is not None:
                found = choose_label(header, label, self.text_column, needs_labels, source.name)
                label = found or label
                if found is not None:
                    self._labeled.add(source)
        for source in self._sources:
            if isinstance(source, FolderSource) and source.has_labels:
                label = label or "label"
                self._labeled.add(source)
        self.label_column = label if self._labeled else None
        if wants_label and not self._labeled:
            raise self._no_labels(headers)

    def _no_labels(self, headers: dict[Source, Header | None]) -> DataError:
        label = self._given[1]
        for source, header in headers.items():
            if header is not None:
                missing = f"column {label!r}" if label else "column that is clearly the label"
                return DataError(f"{source.name} has no {missing} ({header}); {REMEDY['label']}")
        return DataError(
            f"{self.source} has no labels; use a file with a label column, or a folder per class"
        )

    def _sources_at(self, path: str | Path) -> Iterator[Source]:
        if str(path) == "-":
            yield self._standard_input()
            return
        if not os.path.exists(path):
            if glob.has_magic(str(path)):
                found = sorted(glob.glob(str(path), recursive=True))
                if not found:
                    raise DataError(f"no file matches {str(path)!r}; check the pattern")
                for name in found:
                    yield from self._sources_at(name)
                return
            raise DataError(f"{path} does not exist; check the path")
        place = Path(path)
        if place.is_dir():
            yield from self._sources_in(place, str(path))
        else:
            yield self._source(place, str(path), self._format or _known_format(place))

    def _sources_in(self, folder: Path, name: str) -> Iterator[Source]:
        inside = sorted(p for p in folder.iterdir() if not p.name.startswith("."))
        files = [p for p in inside if p.is_file() and (self._format or _format_of(p) in DATA)]
        folders = [p for p in inside if p.is_dir()]
        if not files:
            yield FolderSource(folder, name, *self._reading)
        elif folders:
            raise DataError(
                f"{name} must hold either data files or a folder per class, but holds both "
                f"({files[0].name!r} and the folder {folders[0].name!r}); name the files "
                f"themselves, or move them elsewhere to use the folders"
            )
        for file in files:
            yield self._source(file, str(file), self._format or _known_format(file))

    def _source(self, path: Path, name: str, format: str) -> Source:
        if format in ("csv", "tsv"):
            return DelimitedSource(path, name, *self._reading, "\t" if format == "tsv" else ",")
        if format == "jsonl":
            return JsonSource(path, name, *self._reading)
        if format == "parquet":
            return ParquetSource(path, name, *self._reading)
        return LinesSource(path, name, *self._reading)

    def _standard_input(self) -> Source:
        # Every pass reads the documents anew, which a pipe cannot: they wait in a file.
        handle, name = tempfile.mkstemp(prefix="leaven-")
        weakref.finalize(self, Path(name).unlink, missing_ok=True)
        with open(handle, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        lines = LinesSource(Path(name), "standard input", *self._reading)
        if self._format is not None:
            return self._source(lines.path, lines.name, self._format)
        with lines.path.open("rb") as file:
            if file.read(4) == b"PAR1":
                return self._source(lines.path, lines.name, "parquet")
        with lines.explained():
            raw, stream = lines.open()
            with raw, stream:
                head = stream.read(1 << 16).removeprefix(BOM).lstrip()
        return self._source(lines.path, lines.name, _sniffed(head, self._given[0]))


def read_documents(paths: str | Path | Sequence[str | Path], **options: Any) -> Documents:
    """Read all documents of the files; the options are those of `DocumentFiles`."""
    return DocumentFiles(paths, **options).read()


def _codec_name(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(encoding)
    except (LookupError, TypeError):
        raise DataError(
            f"encoding must be a text encoding that Python knows, got {encoding!r}; use for "
            "example utf-8, latin-1, cp1252 or utf-16"
        ) from None
    return name


def _format_of(path: Path) -> str | None:
    ending = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    return "txt" if ending == ".txt" else SUFFIXES.get(ending)


def _known_format(path: Path) -> str:
    format = _format_of(path)
    if format is None:
        raise DataError(
            f"{path} must have one of the endings {', '.join(SUFFIXES)}, .txt (.gz may follow) to "
            f"tell its format; rename it or pass --format {'|'.join(FORMATS)} (format= in Python)"
        )
    return format


def _sniffed(head: bytes, text: str | None) -> str:
    """Tell the format of standard input by its first line."""
    if head.startswith(b"{"):
        return "jsonl"
    first = head.partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    for delimiter, format in (("\t", "tsv"), (",", "csv"), (";", "csv"), ("|", "csv")):
        names = next(csv.reader([first], delimiter=delimiter), [])
        # A sentence with a comma is not a header, even if it begins with "Review".
        if text in names or (
            guess(names, TEXT_NAMES) and all(re.fullmatch(r"|\S|\S.{,62}\S", n) for n in names)
        ):
            return format
    return "txt"


def _united(tables: list[pa.Table]) -> pa.Table:
    """Put tables below each other; columns whose types do not mix become strings."""
    if all(table.schema.equals(tables[0].schema) for table in tables):
        return pa.concat_tables(tables)
    types: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for name in table.schema.names:
            if table.schema.names.count(name) > 1:
                raise DataError(
                    f"columns must have different names to unite several files, but {name!r} "
                    "occurs twice in one; rename it"
                )
            types.setdefault(name, set()).add(table.schema.field(name).type)
    for name, kinds in types.items():
        try:
            empty = [pa.table({name: pa.array([], kind)}) for kind in kinds]
            pa.concat_tables(empty, promote_options="permissive")
        except pa.ArrowException:
            tables = [_with_strings(table, name) for table in tables]
    return pa.concat_tables(tables, promote_options="permissive")


def _with_strings(table: pa.Table, name: str) -> pa.Table:
    if name not in table.schema.names:
        return table
    strings = flat(table.select([name])).column(0).cast(pa.large_string())
    return table.set_column(table.schema.get_field_index(name), name, strings)
