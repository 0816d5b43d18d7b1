"""Predictions as columns of the documents' tables, batch by batch."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
import pyarrow as pa

from leaven._base.progress import OnDone
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven._base.validation import check_whole
from leaven.classifier._coverage import is_confident
from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._in_parts import classified_parts
from leaven.classifier._nearby import joined_numbers
from leaven.documents._labels import EncodedLabels
from leaven.documents._pieces import Documents
from leaven.exceptions import DataError
from leaven.experts import highest
from leaven.text._embeddings import VectorSource, vectors_of

__all__ = [
    "NO_KNOWN_WORD",
    "UNDECIDED",
    "Columns",
    "TablePredictor",
    "Tally",
    "free_names",
    "label_separator",
    "note_of",
    "notes",
    "rounded",
    "with_columns",
]

DECIMALS = 6
NO_KNOWN_WORD = "no known word"
UNDECIDED = "undecided"
NOTES = (NO_KNOWN_WORD, UNDECIDED, f"{UNDECIDED}, {NO_KNOWN_WORD}")
SEPARATORS = (";", "|", ",", "/")  # of several labels, the usual one first


@dataclass(frozen=True, eq=False)
class Tally:
    """Predictions counted; tallies of batches add up."""

    counts: IntArray  # (n_classes,) documents predicted; one of several labels counts for each
    n_documents: int
    n_wordless: int = 0  # documents without a word that the model knows
    n_undecided: int = 0  # documents below the lowest probability allowed
    n_without_label: int = 0  # documents predicted to have no label

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.counts + other.counts,
            self.n_documents + other.n_documents,
            self.n_wordless + other.n_wordless,
            self.n_undecided + other.n_undecided,
            self.n_without_label + other.n_without_label,
        )


@dataclass(frozen=True)
class Columns:
    """Which columns are added to the documents."""

    min_probability: float = 0.0  # below it a document is undecided
    top: int = 0  # so many of the most probable classes
    proba: bool = False  # the probability of every class
    neighbors: int = 0  # so many of the nearest training documents
    joined_by: str | None = None  # what is between several labels; None: they are lists

    def names(self, fitted: FittedClassifier, existing: Collection[str]) -> tuple[str, ...]:
        """Names that no column has already."""
        classes = fitted.classes.tolist()
        check_whole("top", self.top, "[0, inf)")
        if self.top > len(classes):
            raise ValueError(
                f"--top must be at most {len(classes)}, the number of the model's classes, got "
                f"{self.top}"
            )
        wanted = ["predicted", "probability", "note"]
        for rank in range(1, self.top + 1):
            wanted += [f"top{rank}", f"top{rank}_probability"]
        if self.proba:
            wanted += [f"p_{name}" for name in classes]
        check_whole("neighbors", self.neighbors, "[0, inf)")
        if self.neighbors:
            fitted.kept_documents()  # or an error
            wanted.append("neighbors")
        return free_names(wanted, existing)

    def values(
        self, fitted: FittedClassifier, probability: FloatArray, is_wordless: BoolArray
    ) -> tuple[list[pa.Array], Tally]:
        """Values of the columns, and the predictions counted."""
        decided = fitted.decide(probability)
        confidence = fitted.confidence(probability, decided)
        is_decided = is_confident(confidence, self.min_probability)
        classes = pa.array(fitted.classes.tolist())
        written = decided.labels.written(self.joined_by)
        predicted = written.take(pa.array(decided.codes, mask=~is_decided))
        columns = [predicted, rounded(confidence), notes(is_wordless, ~is_decided)]
        if self.top:
            # Of equal ones the first, so that the first class is the one decided on.
            order = np.array(highest(probability, self.top), np.int64).reshape(-1, self.top)
            ranked = np.take_along_axis(probability, order, axis=1)
            for rank in range(self.top):
                columns += [classes.take(pa.array(order[:, rank])), rounded(ranked[:, rank])]
        if self.proba:
            columns += [rounded(column) for column in probability.T]
        return columns, _tally(decided, is_decided, is_wordless)


def _tally(decided: EncodedLabels, is_decided: BoolArray, is_wordless: BoolArray) -> Tally:
    labels = decided.labels
    counts = np.bincount(decided.codes[is_decided], minlength=labels.n_codes)
    is_empty = np.array([meaning == () for meaning in labels.meanings], bool)
    return Tally(
        labels.per_class(counts),
        len(is_decided),
        int(is_wordless.sum()),
        int((~is_decided).sum()),
        int(counts[is_empty].sum()),
    )


def label_separator(fitted: FittedClassifier) -> str:
    """What is written between several labels: as in training, or what is in no label."""
    trained = None if fitted.reading is None else fitted.reading.label_separator
    usual = (each for each in SEPARATORS if not any(each in name for name in fitted.labels.names))
    return trained or next(usual, SEPARATORS[0])


@dataclass(frozen=True, eq=False)
class TablePredictor:
    """Adds predictions to the tables of documents that were read with all their columns."""

    fitted: FittedClassifier
    columns: Columns
    names: tuple[str, ...]  # of the columns to add, as Columns.names gives them
    vectors: VectorSource = None  # where vectors that are not learned come from
    n_threads: int | None = None

    def __call__(
        self, documents: Documents, on_progress: OnDone | None = None
    ) -> tuple[pa.Table, Tally]:
        """All columns with the predictions, and how many there are of each class."""
        table = documents.columns
        assert table is not None
        given = vectors_of(documents, self.vectors)
        parts, tallies = [], []
        for probability, is_wordless in classified_parts(
            self.fitted, documents.texts, given, self.n_threads, on_progress
        ):
            values, tally = self.columns.values(self.fitted, probability, is_wordless)
            parts.append(values)
            tallies.append(tally)
        values = [pa.concat_arrays(column) for column in zip(*parts, strict=True)]
        tally = reduce(add, tallies)
        if self.columns.neighbors:
            values.append(self._neighbors(documents.texts))
        return with_columns(table, self.names, values, documents.source), tally

    def _neighbors(self, texts: pa.LargeStringArray) -> pa.Array:
        fitted = self.fitted
        nearby = fitted.nearby(texts, self.columns.neighbors, self.n_threads)
        return joined_numbers(nearby, fitted.kept_documents())


def free_names(wanted: Sequence[str], existing: Collection[str]) -> tuple[str, ...]:
    """Names of new columns; one that exists already is followed by a number."""
    taken = set(existing)
    names = []
    for name in wanted:
        free, number = name, 1
        while free in taken:
            number += 1
            free = f"{name}_{number}"
        taken.add(free)
        names.append(free)
    return tuple(names)


def with_columns(
    table: pa.Table, names: Sequence[str], columns: Sequence[pa.Array], source: str
) -> pa.Table:
    """The table with more columns; one that has appeared under such a name is refused."""
    taken = set(table.column_names).intersection(names)
    if taken:
        raise DataError(
            f"{source} has a column {min(taken)!r} that its first rows do not have, "
            "and predictions are written under that name already; rename it"
        )
    # All at once: a table of ten thousand classes is not copied for each of them.
    fields = [pa.field(name, each.type) for name, each in zip(names, columns, strict=True)]
    schema = pa.schema([*table.schema, *fields], table.schema.metadata)
    return pa.table([*table.columns, *columns], schema=schema)


def notes(is_wordless: BoolArray, is_undecided: BoolArray | None = None) -> pa.Array:
    """What to know about each prediction; null for most."""
    undecided = np.zeros(len(is_wordless), bool) if is_undecided is None else is_undecided
    texts = pa.array(NOTES, pa.string())
    number = is_wordless + 2 * undecided.astype(np.int64) - 1
    return texts.take(pa.array(number, mask=number < 0))


def note_of(is_wordless: bool, is_undecided: bool) -> str | None:
    """What to know about one prediction; None for most."""
    number = is_wordless + 2 * is_undecided
    return NOTES[number - 1] if number else None


def rounded(probability: FloatArray) -> pa.Array:
    """Probabilities as files hold them."""
    return pa.array(np.round(probability.astype(np.float64), DECIMALS))
