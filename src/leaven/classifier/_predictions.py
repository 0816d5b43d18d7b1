"""Predictions as columns of the documents' tables, batch by batch."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leaven._base.progress import OnDone
from leaven._base.typing import FloatArray, IntArray
from leaven.classifier._fitted import FittedClassifier
from leaven.documents._pieces import Documents
from leaven.documents._vectors import vector_array
from leaven.exceptions import DataError

__all__ = ["TablePredictor", "Tally", "new_columns"]

DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Tally:
    """Predictions counted; tallies of batches add up."""

    counts: IntArray  # (n_classes,) documents predicted
    n_wordless: int = 0  # documents without a word that the model knows

    @property
    def n_documents(self) -> int:
        return int(self.counts.sum())

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.counts + other.counts, self.n_wordless + other.n_wordless)


def new_columns(
    fitted: FittedClassifier, existing: Collection[str], proba: bool = False
) -> tuple[str, ...]:
    """Names of the columns to add; one that exists already is followed by a number."""
    wanted = ["predicted", "probability"]
    if proba:
        wanted += [f"p_{name}" for name in fitted.classes.tolist()]
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


@dataclass(frozen=True, eq=False)
class TablePredictor:
    """Adds predictions to the tables of documents that were read with all their columns."""

    fitted: FittedClassifier
    names: tuple[str, ...]  # of the columns to add, as new_columns gives them
    vectors: str | None = None  # column of the user's vectors
    n_threads: int | None = None

    def __call__(
        self, documents: Documents, on_progress: OnDone | None = None
    ) -> tuple[pa.Table, Tally]:
        """All columns with the predictions, and how many there are of each class."""
        table = documents.columns
        assert table is not None
        given = None
        if self.vectors is not None:
            given = vector_array(table, self.vectors, documents.source)
        probability, n_wordless = self.fitted.classify(
            documents.texts, vectors=given, n_threads=self.n_threads, on_progress=on_progress
        )
        codes = self.fitted.decide(probability)
        classes = pa.array(self.fitted.classes.tolist())
        columns = [classes.take(pa.array(codes)), _rounded(probability.max(axis=1))]
        columns += [_rounded(probability[:, code]) for code in range(len(self.names) - 2)]
        for name, column in zip(self.names, columns, strict=True):
            if name in table.column_names:
                raise DataError(
                    f"{documents.source} has a column {name!r} that its first rows do not have, "
                    "and predictions are written under that name already; rename it"
                )
            table = table.append_column(name, column)
        counts = np.bincount(codes, minlength=len(classes))
        return table, Tally(counts, n_wordless)


def _rounded(probability: FloatArray) -> pa.Array:
    return pa.array(np.round(probability.astype(np.float64), DECIMALS))
