"""Documents read from files: CSV, TSV, JSON, Parquet, text, a folder per class."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from leaven._base.progress import OnDone
from leaven._base.validation import check_choice, check_in
from leaven.documents._combining import united
from leaven.documents._encodings import codec_name
from leaven.documents._facts import described, facts
from leaven.documents._formats import Source
from leaven.documents._label_cells import check_separator
from leaven.documents._label_rules import LabelRules
from leaven.documents._pieces import Documents, FilePiece, Run, split
from leaven.documents._reading import Columns
from leaven.documents._settling import Choice, settle
from leaven.documents._sources import FORMATS, SourceFinder
from leaven.documents._writers import write_table
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
        Files (CSV, TSV, JSON Lines, a JSON array of objects, Parquet, or text with one document
        per line; all but Parquet also gzipped), glob patterns, folders with a sub-folder per
        class, folders of data files, or "-" for standard input. Documents of a file without the
        label column, in a set where another file has it, are unlabeled.
    text : str or tuple of str, optional
        Column of the text. Several columns, also written as ``"subject,body"``, are joined by a
        blank line, without those that are empty. By default common names are searched for,
        ignoring case.
    label : str, optional
        Column of the label; by default searched for in the same way. Where it holds lists, or
        text that is a JSON list, documents have sets of labels.
    likely_text, likely_label : str (or for the text a tuple), optional
        Column names to prefer to common ones, where a file has them.
    unlabeled : sequence of str, default=()
        Values of the label column that mean unlabeled, besides an empty one.
    ignore_case : bool, default=False
        Read labels in lower case, with single spaces.
    label_separator : str, optional
        Text between the labels of a document that has several. A cell of the separator alone
        means that a document has none of the labels; an empty cell, that it is unlabeled.
        Columns of lists (Parquet, JSON) hold several labels without it.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "txt"}, optional
        By default inferred from the file's extension.
    encoding : str, optional
        Encoding of every file except Parquet. By default UTF-8, unless a file begins with the
        byte order mark of UTF-16 or UTF-32.
    header : bool, default=True
        Whether the first row of a CSV or TSV file holds the names of its columns. Otherwise the
        columns are called "1", "2" and so on.
    needs_labels : bool, default=False
        Refuse files without a label column.
    keep_columns : bool, default=False
        Include all columns in every batch. In JSON Lines, where fields may vary, each batch
        has the types that occur in it, and may have columns that the first rows lack; ``read``
        combines them. There a column whose values have no type in common is text.
    block_bytes : int, default=16 MiB
        How much to read at a time; the block of a longer document is larger.
    skip_bad : bool, default=False
        Leave out files that are missing, empty or damaged, and list them in ``bad``. A file
        that turns out to be damaged is left out entirely by ``per_file`` and
        ``read``.
    on_bytes : callable, optional
        Called with the number of bytes read since the last call; over a pass these sum to
        ``total_bytes``.

    Attributes
    ----------
    text_column : str or tuple of str
        The chosen column, or columns.
    label_column : str or None
        The chosen column; None if no file has labels.
    column_names : frozenset of str
        All columns seen during that choice; in JSON Lines others may occur later.
    total_bytes : int
        Size on disk of the files that were not left out.
    bad : dict
        What was wrong with each file that was left out, by its name.

    Notes
    -----
    What a file holds does not depend on ``block_bytes``, on pieces, or on ``keep_columns``, with
    one exception: Parquet stores columns apart, and a column that is not wanted is not read, so
    that damage to it is found only with ``keep_columns``. A file of text must be valid in its
    encoding throughout. JSON is read as Python's parser does, but for control characters in
    strings and NaN, which are accepted (NaN as a missing value), and for more than 256 levels of
    nesting, which are refused.
    """

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        text: Columns | None = None,
        label: str | None = None,
        likely_text: Columns | None = None,
        likely_label: str | None = None,
        unlabeled: Sequence[str] = (),
        ignore_case: bool = False,
        label_separator: str | None = None,
        format: str | None = None,
        encoding: str | None = None,
        header: bool = True,
        needs_labels: bool = False,
        keep_columns: bool = False,
        block_bytes: int = 1 << 24,
        skip_bad: bool = False,
        on_bytes: Callable[[int], None] | None = None,
    ) -> None:
        check_in("block_bytes", block_bytes, "[1, 2147483647]")
        if format is not None:
            check_choice("format", format, FORMATS)
        choice = Choice(text, label, likely_text, likely_label, needs_labels)
        choice.check()
        self._rules = LabelRules.of(unlabeled, ignore_case)
        check_separator(label_separator)
        self._label_separator = label_separator
        self.keep_columns = keep_columns
        self.skip_bad = skip_bad
        self.bad: dict[str, str] = {}
        self.on_bytes = on_bytes
        listed = _listed(paths)
        self._sources: list[Source] = []
        finder = SourceFinder(codec_name(encoding), block_bytes, format, header, text, self)
        for path in listed:
            for name, open_source in finder.at(path):
                with self._skipping(name):
                    self._sources.append(open_source())
        if not listed:
            raise DataError("at least one file must be given, got none; name the data files")
        self._check_some_good()
        settled = settle(self._sources, choice, self._skipping)
        self._sources = [source for source in self._sources if source.name not in self.bad]
        self._check_some_good()
        settled.check()
        self._settled = settled

    @property
    def source(self) -> str:
        """The files, for messages."""
        first, *others = self._sources
        return f"{first.name} and {len(others)} more" if others else first.name

    @property
    def text_column(self) -> Columns:
        """The column of the text, or several."""
        text = self._settled.text
        return text[0] if len(text) == 1 else text

    @property
    def label_column(self) -> str | None:
        """The column of the label; None if no file has labels."""
        return self._settled.label

    @property
    def column_names(self) -> frozenset[str]:
        """All columns seen when those of the text and the label were chosen."""
        return self._settled.column_names

    @property
    def delimiter(self) -> str | None:
        """What delimits the values of the first CSV or TSV file; None if there is none."""
        found = (getattr(source, "delimiter", None) for source in self._sources)
        return next((each for each in found if each is not None), None)

    @property
    def facts(self) -> dict[str, Any]:
        """What was read and how, for reports: columns, delimiter, encoding, format."""
        return facts(self._sources, self._settled)

    @property
    def described(self) -> str:
        """The facts in one sentence."""
        return described(self.source, self._sources, self._settled)

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
            columns = united([b.columns for b in batches if b.columns is not None])
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
        are skipped. ``run`` as in ``leaven.documents._pieces.split``.
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
        settled = self._settled
        return FilePiece(
            source,
            settled.text if of in settled.with_header else settled.text_without_header,
            settled.label if of in settled.labeled else None,
            settled.label is not None,
            self.keep_columns,
            self._rules,
            self._label_separator,
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
