"""How predict and evaluate read and write documents, and what they warn about."""

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self, TypeVar

import typer

from leaven._base.progress import Listener, Progress
from leaven.cli._common import read_files
from leaven.cli._help import WHERE

if TYPE_CHECKING:
    import pyarrow as pa

    from leaven.classifier import AnySums, Scorer
    from leaven.documents import DocumentFiles
    from leaven.documents._reading import Reading

__all__ = [
    "StreamThrough",
    "warn_bad_files",
    "warn_other_columns",
    "warn_wordless",
    "write_counted",
    "write_errors",
]


class Addable(Protocol):
    """Counts of batches, which add up."""

    def __add__(self, other: Self, /) -> Self: ...


C = TypeVar("C", bound=Addable)

StreamThrough = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="For files larger than memory: read and classify them in pieces.",
        rich_help_panel=WHERE,
    ),
]


def warn_other_columns(reading: "Reading", files: "DocumentFiles") -> None:
    """Warn where files lack the text columns that the model was trained on."""
    trained = reading.likely_text
    if reading.text is None and trained is not None and files.text_column != trained:
        trained_on, found = (
            " and ".join(map(repr, [names] if isinstance(names, str) else names))
            for names in (trained, files.text_column)
        )
        warnings.warn(
            f"the model was trained on the text in {trained_on}, which {files.source} does not "
            f"have; {found} is read instead. --text chooses other columns",
            stacklevel=2,
        )


def warn_bad_files(files: "DocumentFiles") -> None:
    """Warn about files that were left out."""
    from leaven.documents._readers import bad_files_notes

    for note in bad_files_notes(files):
        warnings.warn(note, stacklevel=2)


def warn_wordless(n_wordless: int, n_documents: int) -> None:
    """Warn once about all documents without a word that the model knows."""
    if n_wordless:
        from leaven.classifier._fitted import wordless_message
        from leaven.exceptions import UnseenWordsWarning

        warnings.warn(wordless_message(n_wordless, n_documents), UnseenWordsWarning, stacklevel=2)


def write_counted(
    batches: "Iterator[tuple[pa.Table, C]]",
    output: str,
    format: str | None = None,
    *,
    delimiter: str = ",",
    bom: bool = False,
) -> C:
    """Write tables as they arrive; returns the sum of what was counted in them."""
    from leaven.documents._writers import write_tables

    total: C | None = None

    def tables() -> "Iterator[pa.Table]":
        nonlocal total
        for table, counted in batches:
            total = counted if total is None else total + counted
            yield table

    write_tables(tables(), output, format, delimiter=delimiter, bom=bom)
    assert total is not None
    return total


def write_errors(
    files: "DocumentFiles",
    scorer: "Scorer",
    output: str,
    stream: bool,
    client: Any,
    on_progress: Listener | None,
) -> "AnySums":
    """Score documents and write those that are misclassified, with all their columns."""
    from leaven.classifier._mistakes import MistakeFinder
    from leaven.classifier._predictions import label_separator
    from leaven.documents._writers import holds_lists

    joined_by = None if holds_lists(output) else label_separator(scorer.fitted)
    progress = Progress(on_progress)
    if client is not None:
        from leaven.classifier.on_dask import predicted_tables
        from leaven.corpora.dask import Cluster

        finder = MistakeFinder.beside(scorer, files.column_names, joined_by=joined_by)
        done = progress.phase("pieces")
        return write_counted(predicted_tables(files, Cluster(client), finder, done), output)
    if stream:
        finder = MistakeFinder.beside(scorer, files.column_names, joined_by=joined_by)
        files.report_to(progress.phase("reading"))
        return write_counted(map(finder, files.sound()), output)
    documents = read_files(files, on_progress)
    assert documents.columns is not None
    finder = MistakeFinder.beside(scorer, documents.columns.column_names, True, joined_by)
    return write_counted(iter([finder(documents, progress.phase("classifying"))]), output)
