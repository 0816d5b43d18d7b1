"""The law of the readers: memory, stream and pieces give the same documents, or one-line errors.

Every file is read at once, in small blocks and in pieces, with all its columns and without; what
was read is written in another format and read again.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from fuzzing._cases import Fault, checked_message, pattern_of
from leaven.documents._combining import united
from leaven.documents._pieces import Documents
from leaven.documents._readers import DocumentFiles
from leaven.documents._writers import write_tables
from leaven.exceptions import DataError

if TYPE_CHECKING:
    from fuzzing.files import FileCase

__all__ = ["check"]


@dataclass(frozen=True)
class View:
    """A file as one way of reading it shows it."""

    refusal: str | None  # the message, where it is refused
    texts: list[Any]
    labels: list[Any]
    columns: pa.Table | None

    @property
    def result(self) -> str:
        return "read" if self.refusal is None else "refused"


def check(case: "FileCase", path: Path) -> str:
    """Read a file in all ways; "read" or "refused", or a Fault where they disagree."""

    def files(**options: Any) -> DocumentFiles:
        return DocumentFiles(path, **{"encoding": case.encoding, **case.columns, **options})

    first = _view(lambda: [files().read()])
    kept = _view(lambda: [files(keep_columns=True).read()])
    if path.suffix != ".parquet" or first.refusal is not None or kept.refusal is None:
        _compare(first, kept, "with kept columns")
    # Otherwise a column is damaged that is read only where it is kept.
    for keep, reference in ((False, first), (True, kept)):
        for size in case.blocks:
            streamed = _view(partial(files, keep_columns=keep, block_bytes=size))
            _compare(reference, streamed, "when streamed")
        for size in case.pieces:
            pieces = _view(partial(_pieces, partial(files, keep_columns=keep), size))
            _compare(reference, pieces, "in pieces")
    if kept.columns is not None:
        chosen = files()
        for format in case.written:
            _check_round_trip(kept, chosen, path.with_name(f"written.{format}"))
    return first.result


def _pieces(files: Callable[[], DocumentFiles], n_bytes: int) -> Iterable[Documents]:
    for pieces in files().pieces(n_bytes):
        n_documents = 0
        for piece in pieces:
            for batch in piece:
                n_documents += len(batch.texts)
                yield batch
        if n_documents == 0:  # as on a cluster, where each piece may be empty
            raise DataError("no documents")


def _view(batches: Callable[[], Iterable[Documents]]) -> View:
    try:
        found = list(batches())
        tables = [batch.columns for batch in found if batch.columns is not None]
        columns = united(tables) if tables else None
    except DataError as error:
        return View(checked_message(error), [], [], None)
    return View(
        None,
        [text for batch in found for text in batch.texts.to_pylist()],
        [label for batch in found for label in _labels(batch)],
        columns,
    )


def _labels(batch: Documents) -> list[Any]:
    return [] if batch.labels is None else list(batch.labels.to_pylist())


def _compare(reference: View, other: View, how: str) -> None:
    if reference.result != other.result:
        message = other.refusal or reference.refusal or ""
        raise Fault(f"{other.result} only {how}: {pattern_of(message)}", message)
    for what in ("texts", "labels"):
        expected, found = getattr(reference, what), getattr(other, what)
        if expected != found:
            raise Fault(f"other {what} {how}", _difference(expected, found))
    if reference.columns is not None and other.columns is not None:
        _compare_columns(reference.columns, other.columns, how)


def _compare_columns(expected: pa.Table, found: pa.Table, how: str) -> None:
    if expected.column_names != found.column_names:
        raise Fault(f"other names {how}", _difference(expected.column_names, found.column_names))
    for field, column, other in zip(expected.schema, expected.columns, found.columns, strict=True):
        if column.type != other.type:
            raise Fault(
                f"other type {how}: {column.type} and {other.type}", f"column {field.name!r}"
            )
        if not column.equals(other) and _values(column) != _values(other):
            detail = _difference(_values(column), _values(other))
            raise Fault(f"other {column.type} values {how}", detail)


def _values(column: pa.ChunkedArray) -> list[str]:
    """Values as text, so that NaN equals itself, and 1 is not 1.0."""
    try:
        return [repr(value) for value in column.to_pylist()]
    except (ValueError, OverflowError):  # a date that Python cannot represent, in a damaged file
        return [str(column)]


def _difference(expected: list[Any], found: list[Any]) -> str:
    if len(expected) != len(found):
        return f"{len(expected)} and {len(found)} of them"
    pairs = zip(expected, found, strict=True)
    place, (one, other) = next(
        (place, pair) for place, pair in enumerate(pairs) if pair[0] != pair[1]
    )
    return f"at {place}: {one!r:.80} and {other!r:.80}"


def _check_round_trip(kept: View, chosen: DocumentFiles, path: Path) -> None:
    how = f"after a round trip through {path.suffix[1:]}"
    try:
        write_tables([kept.columns], path)
    except DataError as error:
        checked_message(error)
        return
    text, label = chosen.text_column, chosen.label_column
    back = _view(lambda: [DocumentFiles(path, text=text, label=label).read()])
    if back.refusal is not None:
        return
    # Where no column held labels, the guess is free to find some in what was written.
    for what in ("texts", "labels") if chosen.label_column is not None else ("texts",):
        expected, found = getattr(kept, what), getattr(back, what)
        if path.suffix == ".jsonl":  # JSON has no infinity, so that null is written for it
            infinite = {"inf": "" if what == "texts" else None}
            infinite["-inf"] = infinite["inf"]
            found = [infinite.get(one, one) for one in found]
            expected = [infinite.get(one, one) for one in expected]
        if expected != found:
            raise Fault(f"other {what} {how}", _difference(expected, found))
