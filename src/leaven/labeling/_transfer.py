"""Labels out of a session and into it: tables with all columns, and lists of labels."""

import csv
import io
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from leaven.classifier._predictions import free_names, rounded
from leaven.labeling._classes import checked_name, folded
from leaven.labeling._session import LabelingSession
from leaven.labeling._store import StoreError

__all__ = ["FORMATS", "exported", "imported"]

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
CHOSEN = {"audit": "audit", "file": "file"}  # how labels were chosen; all others were "chosen"
SEPARATOR = ";"  # between several labels in CSV, unless the file has its own
ROWS_PER_TABLE = 20_000
LABEL_COLUMNS = ("label", "labels", "class", "category")
NUMBER_COLUMNS = ("document", "number", "row")
NUMBER = re.compile(r"[0-9]{1,15}")
LONGEST_SHOWN = 200  # characters of the first line in a message


def exported(
    session: LabelingSession, format: str, only_labeled: bool = False
) -> Iterator[pa.Table]:
    """All columns of the file, then labels and predictions, some rows at a time.

    Labels are in the file's own column of labels, if it has one. ``label_chosen`` says which labels
    were audits, for ``leaven train --audited label_chosen``.
    """
    documents = session.documents
    classes, every = session.store.contents()
    names = {each.id: each.name for each in classes}
    labels = {label.document: label for label in every}
    own = documents.label_column
    existing = [name for name in documents.columns.column_names if name != own]
    label_name = own if own is not None else free_names(["label"], existing)[0]
    added = free_names(["label_chosen", "predicted", "probability"], [*existing, label_name])
    numbers = sorted(labels) if only_labeled else range(len(documents))
    several, has_lists = session.store.several_labels, format != "csv"
    joined_by = _separator(session)

    def cells(sets: list[tuple[int, ...] | None]) -> pa.Array:
        """Labels of documents, None where there are none, as the format holds them."""
        named = [None if each is None else [names[one] for one in each] for each in sets]
        if not several:
            return pa.array([None if each is None else each[0] for each in named], pa.string())
        if has_lists:
            return pa.array(named, pa.list_(pa.string()))
        # A cell of the separator alone has none of the labels; an empty one is unlabeled.
        joined = [None if each is None else joined_by.join(each) or joined_by for each in named]
        return pa.array(joined, pa.string())

    for start in range(0, max(len(numbers), 1), ROWS_PER_TABLE):
        rows = list(numbers[start : start + ROWS_PER_TABLE])
        table = documents.columns.select(existing).take(pa.array(rows, pa.int64()))
        known = [labels.get(row) for row in rows]
        given = cells([None if each is None else each.classes for each in known])
        chosen = ["" if each is None else CHOSEN.get(each.why, "chosen") for each in known]
        said = session.predictions(rows)
        # A prediction names classes that may have been merged or removed since.
        kept = [
            None
            if each is None or each.is_unsupported or not set(each.classes) <= set(names)
            else each
            for each in said
        ]
        predicted = cells([None if each is None else each.classes for each in kept])
        probability = np.array([np.nan if each is None else each.probability for each in kept])
        table = table.append_column(label_name, given)
        for name, column in zip(
            added,
            (pa.array(chosen, pa.string()), predicted, _nullable(probability)),
            strict=True,
        ):
            table = table.append_column(name, column)
        yield table


def _separator(session: LabelingSession) -> str:
    """Between several labels in CSV."""
    return session.documents.reading.label_separator or SEPARATOR


def _nullable(values: np.ndarray) -> pa.Array:
    return pa.array(rounded(values).to_numpy(zero_copy_only=False), from_pandas=True)


def imported(session: LabelingSession, text: str, request: str) -> tuple[int, int]:
    """Take labels from CSV: how many documents were labeled, and how many rows fit none.

    Rows name a document by its text, or by its number (from 0) if there is no column of texts:
    other commands write files with numbers from 1. New classes are created.
    """
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    try:
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    except csv.Error as error:
        raise StoreError("bad_import", f"this is no CSV file ({error}): save it as CSV") from error
    head = [name.strip().lower() for name in rows[0]] if rows else []
    label, number, written = _places(session, head)
    if label is None or (number is None and written is None):
        raise StoreError(
            "bad_import",
            "the first line must name a column label and a column document (numbers from 0) or "
            f"text, got {', '.join(head)[:LONGEST_SHOWN] or 'nothing'}: add them",
        )
    found: dict[int, tuple[str, ...]] = {}
    by_text: dict[str, int] | None = None
    n_unmatched = 0
    for row in rows[1:]:
        name = row[label].strip() if label < len(row) else ""
        if not name:
            continue
        place: int | None = None
        if written is not None and written < len(row):
            if by_text is None:
                values = session.documents.texts.to_pylist()
                by_text = {each: i for i, each in reversed(list(enumerate(values)))}
            place = by_text.get(row[written])
        elif number is not None and number < len(row) and NUMBER.fullmatch(row[number].strip()):
            place = int(row[number])
            place = place if place < len(session.documents) else None
        if place is None:
            n_unmatched += 1
        elif session.store.several_labels:
            parts = (checked_name(part) for part in name.split(_separator(session)) if part.strip())
            found[place] = tuple(parts)
        else:
            found[place] = (checked_name(name),)
    ids = {folded(each.name): each.id for each in session.store.classes()}
    for name in dict.fromkeys(each for own in found.values() for each in own):
        if folded(name) not in ids:
            created = session.store.add_class(name, f"{request} {name}")
            ids[folded(name)] = created.id
    labels = {d: tuple(sorted({ids[folded(each)] for each in own})) for d, own in found.items()}
    return session.label_each(labels, request), n_unmatched


def _places(session: LabelingSession, head: list[str]) -> tuple[int | None, int | None, int | None]:
    """Columns of labels, of numbers and of texts in a CSV file with this first line.

    Columns of the data file with such names hold something else, and an export has them too.
    """
    documents = session.documents
    own = {name.lower() for name in documents.columns.column_names}
    own_label = (documents.label_column or LABEL_COLUMNS[0]).lower()
    labels = [own_label, *(name for name in LABEL_COLUMNS if name not in own)]
    numbers = [name for name in NUMBER_COLUMNS if name not in own]
    texts = [name.lower() for name in documents.text_columns]
    written = [*(texts if len(texts) == 1 else []), *(["text"] if "text" not in own else [])]

    def place(names: list[str]) -> int | None:
        return next((head.index(name) for name in names if name in head), None)

    return place(labels), place(numbers), place(written)
