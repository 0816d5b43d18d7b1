"""Documents read from files: CSV, TSV, JSON Lines, Parquet, text, a folder per class."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from leaven._base.progress import OnDone
from leaven._base.validation import check_choice, check_in
from leaven.documents._columns import (
    REMEDY,
    TEXT_NAMES,
    Header,
    choose_label,
    choose_text,
    guess,
)
from leaven.documents._folders import FolderSource
from leaven.documents._formats import Source
from leaven.documents._label_rules import LabelRules
from leaven.documents._pieces import Documents, FilePiece, Run, split
from leaven.documents._sources import FORMATS, SourceFinder, codec_name
from leaven.documents._writers import flat, write_table
from leaven.exceptions import DataError

__all__ = ["DocumentFiles", "Documents", "FORMATS", "read_documents", "write_table"]

T = TypeVar("T")
SHOWN = 3  # names of bad files in a note


class DocumentFiles:
    """Documents in files, read in batches that fit in memory, again on every pass.

    Columns are chosen when the object is created, so that an unsuitable file is refused
    before any work starts.

    Parameters
    ----------
    paths : str, Path or sequence of them
        Files (CSV, TSV, JSON Lines, Parquet, or text with one document per line; all but
        Parquet also gzipped), glob patterns, folders with a sub-folder per class, folders of
        data files, or "-" for standard input. Documents of a file without the label column,
        in a set where another file has it, are unlabeled.
    text, label : str, optional
        Column names. By default common names are searched for, ignoring case.
    likely_text, likely_label : str, optional
        Column names to prefer to common ones, where a file has them.
    unlabeled : sequence of str, default=()
        Values of the label column that mean unlabeled, besides an empty one.
    ignore_case : bool, default=False
        Read labels in lower case, with single spaces.
    format : {"csv", "tsv", "jsonl", "parquet", "txt"}, optional
        By default inferred from the file's extension.
    encoding : str, default="utf-8"
        Encoding of every file except Parquet.
    needs_labels : bool, default=False
        Refuse files without a label column.
    keep_columns : bool, default=False
        Include all columns in every batch. In JSON Lines, where fields may vary, each batch
        has the columns and types that occur in it; ``read`` combines them.
    block_bytes : int, default=16 MiB
        How much to read at a time; the block of a longer document is larger.
    skip_bad : bool, default=False
        Leave out files that are missing, empty or damaged, and list them in ``bad``. A file
        that turns out to be damaged is left out entirely by :meth:`per_file` and
        :meth:`read`.
    on_bytes : callable, optional
        Called with the number of bytes read since the last call; over a pass these sum to
        ``total_bytes``.

    Attributes
    ----------
    text_column, label_column : str
        The chosen columns; ``label_column`` is None if no file has labels.
    column_names : frozenset of str
        All columns seen during that choice; in JSON Lines others may occur later.
    total_bytes : int
        Size on disk of the files that were not left out.
    bad : dict
        What was wrong with each file that was left out, by its name.
    """

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        text: str | None = None,
        label: str | None = None,
        likely_text: str | None = None,
        likely_label: str | None = None,
        unlabeled: Sequence[str] = (),
        ignore_case: bool = False,
        format: str | None = None,
        encoding: str = "utf-8",
        needs_labels: bool = False,
        keep_columns: bool = False,
        block_bytes: int = 1 << 24,
        skip_bad: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> None:
        check_in("block_bytes", block_bytes, "[1, 2147483647]")
        if format is not None:
            check_choice("format", format, FORMATS)
        if text is not None and text == label:
            raise DataError(f"the text and the label must be two columns, got {text!r} for both")
        self._given = (text, label)
        self._likely = (likely_text, likely_label)
        self._rules = LabelRules.of(unlabeled, ignore_case)
        self.keep_columns = keep_columns
        self.skip_bad = skip_bad
        self.bad: dict[str, str] = {}
        self.on_bytes = on_bytes
        listed = _listed(paths)
        self._sources: list[Source] = []
        finder = SourceFinder(codec_name(encoding), block_bytes, format, text, self)
        for path in listed:
            for name, open_source in finder.at(path):
                with self._skipping(name):
                    self._sources.append(open_source())
        if not listed:
            raise DataError("at least one file must be given, got none; name the data files")
        self._check_some_good()
        self._settle_columns(needs_labels)

    @property
    def source(self) -> str:
        """The files, for messages."""
        first, *others = self._sources
        return f"{first.name} and {len(others)} more" if others else first.name

    facts = property(lambda self: {"text": self.text_column, "label": self.label_column})
    described = property(lambda self: f"read {self.source}: {self.facts}")  # temporary, both

    @property
    def total_bytes(self) -> int:
        """Size on disk of all files except those left out."""
        return sum(source.size for source in self._sources)

    def __iter__(self) -> Iterator[Documents]:
        for source in self._sources:
            yield from self._batches(source)

    def sound(self) -> Iterator[Documents]:
        """Iterate over batches of files without faults.

        If bad files are skipped, each file is read completely before its first batch is yielded.
        """
        for source in list(self._sources):
            if self._is_sound(source):
                yield from self._batches(source)
            else:
                self._sources.remove(source)
        self._check_some_good()

    def _is_sound(self, source: Source) -> bool:
        if self.skip_bad:
            with self._skipping(source.name):
                for _ in self._batches(source, reports=False):
                    pass
        return source.name not in self.bad

    def report_to(self, progress: OnDone | None) -> None:
        """Call ``progress(done, total)`` with the bytes read from now on."""
        done = 0

        def add(n_bytes: int) -> None:
            nonlocal done
            done += n_bytes
            if progress is not None:
                # Bytes read from a file before it was left out are not part of the total.
                progress(min(done, self.total_bytes), self.total_bytes)

        add(0)
        self.on_bytes = add

    def per_file(self, gather: Callable[[Iterator[Documents]], T]) -> Iterator[T]:
        """Yield ``gather(batches)`` of each file, so that a bad file is left out entirely."""
        for source in list(self._sources):
            gathered = None
            with self._skipping(source.name):
                gathered = [gather(self._batches(source))]
            if gathered is None:
                self._sources.remove(source)
            else:
                yield gathered[0]
        self._check_some_good()

    def read(self) -> Documents:
        """Read all documents at once."""
        batches = [batch for batches_of_file in self.per_file(list) for batch in batches_of_file]
        labels = columns = None
        if self.label_column is not None:
            labels = pa.concat_arrays([batch.labels for batch in batches])
        if self.keep_columns:
            columns = _united([b.columns for b in batches if b.columns is not None])
        texts = pa.concat_arrays([batch.texts for batch in batches])
        return Documents(texts, labels, columns, self.source)

    @contextmanager
    def _skipping(self, name: str) -> Iterator[None]:
        """Record what is wrong with a file and continue, if bad files are skipped."""
        try:
            yield
        except DataError as error:
            if not self.skip_bad:
                raise
            self.bad[name] = str(error)

    def _check_some_good(self) -> None:
        if not self._sources:
            first = next(iter(self.bad.values()))
            raise DataError(
                f"none of the {len(self.bad)} files can be read; the first: {first}"
                if len(self.bad) > 1
                else first
            )

    def pieces(self, n_bytes: int, run: Run | None = None) -> list[list[FilePiece]]:
        """The files in pieces of about ``n_bytes`` that can be read independently, in order.

        A file that cannot be split, because something is wrong with it, is left out if bad files
        are skipped. ``run`` as in :func:`leaven.documents._pieces.split`.
        """
        pieces: list[list[FilePiece]] = []
        for source in list(self._sources):
            try:
                with self._skipping(source.name):
                    parts = split(source, n_bytes, run)
                    pieces.append([self._piece(part, source) for part in parts])
            finally:
                if source.name in self.bad:
                    self._sources.remove(source)
        self._check_some_good()
        return pieces

    def leave_out(self, name: str, reason: str) -> None:
        """Record that a file turned out to be bad; raise an error unless bad files are skipped."""
        with self._skipping(name):
            raise DataError(reason)
        self._sources = [source for source in self._sources if source.name != name]
        self._check_some_good()

    def _piece(self, source: Source, of: Source) -> FilePiece:
        label = self.label_column if of in self._labeled else None
        is_labeled = self.label_column is not None
        return FilePiece(
            source, self.text_column, label, is_labeled, self.keep_columns, self._rules
        )

    def _batches(self, source: Source, reports: bool = True) -> Iterator[Documents]:
        on_bytes = self.on_bytes if reports else None
        reported = n_documents = 0
        for batch, position in self._piece(source, source).read():
            yield batch
            n_documents += len(batch.texts)
            position = min(position, source.size)
            if on_bytes is not None and position > reported:
                on_bytes(position - reported)
                reported = position
        if n_documents == 0:
            raise DataError(f"{source.name} holds no documents; pass a file that does")
        if on_bytes is not None and source.size > reported:
            on_bytes(source.size - reported)

    def _settle_columns(self, needs_labels: bool) -> None:
        text, label = self._given
        likely_text, likely_label = self._likely
        wants_label = label is not None or needs_labels
        headers: dict[Source, Header | None] = {}

        def enough(names: Sequence[str]) -> bool:
            header = Header(tuple(names), frozenset())
            has_text = text in names if text else guess(names, _before(likely_text, TEXT_NAMES))
            return bool(has_text) and not (
                wants_label
                and choose_label(header, label, text or "", True, "", likely_label) is None
            )

        for source in list(self._sources):
            with self._skipping(source.name):
                with source.explained():
                    header = source.header(enough)
                if header is not None:
                    if not header.names:
                        raise DataError(f"{source.name} holds no documents; pass a file that does")
                    text = choose_text(header, text, source.name, likely_text)
                headers[source] = header
        self._sources = list(headers)
        self._check_some_good()
        self.text_column = text or "text"
        named = [header.names for header in headers.values() if header is not None]

        self._labeled: set[Source] = set()
        for source, header in headers.items():
            if header is not None:
                column = choose_label(
                    header, label, self.text_column, needs_labels, source.name, likely_label
                )
                label = column or label
                if column is not None:
                    self._labeled.add(source)
        for source in self._sources:
            if isinstance(source, FolderSource) and source.has_labels:
                label = label or "label"
                self._labeled.add(source)
        self.label_column = label if self._labeled else None
        # The first three are those of sources without a header.
        without_header = {"file", self.text_column, label or self.text_column}
        self.column_names = frozenset().union(without_header, *named)
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


def _before(likely: str | None, names: Sequence[str]) -> Sequence[str]:
    return names if likely is None else (likely, *names)


def _listed(paths: Any) -> list[str]:
    """Paths as a list, one or many."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if isinstance(paths, bytes) or not isinstance(paths, Iterable):
        raise TypeError(f"paths must be a path or a list of paths, got {paths!r}")
    listed = list(paths)
    for path in listed:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"a path must be a str or a path object, got {path!r} among the paths")
    return [os.fspath(path) for path in listed]


def read_documents(paths: str | Path | Sequence[str | Path], **options: Any) -> Documents:
    """Read all documents of the files; the options are those of `DocumentFiles`."""
    return DocumentFiles(paths, **options).read()


def bad_files_notes(files: DocumentFiles) -> list[str]:
    """Notes on files that were left out."""
    if not files.bad:
        return []
    names, first = list(files.bad), next(iter(files.bad.values()))
    if len(names) == 1:
        return [f"1 bad file was left out: {first}"]
    shown = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    return [f"{len(names):,} bad files were left out ({shown}); the first: {first}"]


def no_labels_message(
    files: DocumentFiles, remedy: str = "label a few documents of each class"
) -> str:
    """The message for files in which no document is labeled."""
    return (
        f"no document in {files.source} is labeled: column {files.label_column!r} is empty in "
        f"every row; {remedy}, or choose another column with --label"
    )


def _united(tables: list[pa.Table]) -> pa.Table:
    """Concatenate tables; columns of incompatible types become strings."""
    if all(table.schema.equals(tables[0].schema) for table in tables):
        return pa.concat_tables(tables)
    types: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for name in table.schema.names:
            if table.schema.names.count(name) > 1:
                raise DataError(
                    f"columns must have different names to combine several files, but {name!r} "
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
