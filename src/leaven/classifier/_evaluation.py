"""Evaluation where every document has one class: true against predicted classes."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow.compute as pc

from leaven._base.measures import macro_f1
from leaven._base.typing import BoolArray, IntArray
from leaven.classifier._coverage import ByConfidence
from leaven.classifier._scored import Scored, Totals
from leaven.documents._label_sets import SEPARATOR
from leaven.exceptions import DataError
from leaven.significance import wilson_interval

__all__ = ["Evaluation", "JudgedClasses", "Sums", "shares_of"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """True against predicted classes."""

    has_sets: ClassVar[Literal[False]] = False

    classes: list[str]  # the model's, then labels that it does not know
    confusion: IntArray  # (n_classes, n_classes) documents; rows are true, columns predicted
    n_unlabeled: int  # documents skipped
    mean_confidence: float  # mean probability of the predictions
    calibration_error: float  # expected: how far accuracy is from confidence, ten bins
    n_bad_files: int = 0  # left out
    n_from_training: int = 0  # labeled documents of the training
    includes_training: bool = False  # whether these are scored, or left out
    by_confidence: ByConfidence = field(default_factory=ByConfidence.empty)

    @property
    def n_documents(self) -> int:
        return int(self.confusion.sum())

    @property
    def n_errors(self) -> int:
        """Documents that are misclassified."""
        return self.n_documents - int(self.confusion.trace())

    @property
    def accuracy(self) -> float:
        return float(self.confusion.trace() / self.confusion.sum())

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        return wilson_interval(int(self.confusion.trace()), self.n_documents)

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes that occur among the labels or the predictions."""
        table = self.confusion
        return macro_f1(table.diagonal(), table.sum(axis=1), table.sum(axis=0))

    @property
    def per_class(self) -> dict[str, dict[str, float]]:
        """Precision, recall, F1 (0 where nothing was predicted, or nothing is there), support."""
        table = self.confusion
        return shares_of(self.classes, table.diagonal(), table.sum(axis=1), table.sum(axis=0))

    def to_json(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.accuracy_interval),
            "macro_f1": self.macro_f1,
            "mean_confidence": self.mean_confidence,
            "calibration_error": self.calibration_error,
            "per_class": self.per_class,
            "confusion": {"classes": self.classes, "matrix": self.confusion.tolist()},
            "coverage": [point.to_json() for point in self.by_confidence.points()],
            "n_documents": self.n_documents,
            "n_unlabeled": self.n_unlabeled,
            "n_bad_files": self.n_bad_files,
            "n_from_training": self.n_from_training,
            "includes_training": self.includes_training,
        }


def shares_of(
    classes: list[str], n_right: IntArray, n_true: IntArray, n_predicted: IntArray
) -> dict[str, dict[str, float]]:
    """Precision, recall, F1 and support of each class."""
    counts = zip(classes, n_right.tolist(), n_true.tolist(), n_predicted.tolist(), strict=True)
    return {
        name: {
            "precision": right / predicted if predicted else 0.0,
            "recall": right / true if true else 0.0,
            "f1": 2 * right / (predicted + true) if predicted + true else 0.0,
            "support": true,
        }
        for name, right, true, predicted in counts
    }


@dataclass(frozen=True, eq=False)
class Sums:
    """Counts of a batch of documents; those of several batches can be added."""

    known: tuple[str, ...]  # classes of the model
    confusion: IntArray  # (n_known, n_known) documents; rows are true, columns predicted
    unknown: dict[str, IntArray]  # label that the model does not know → predicted classes
    totals: Totals

    def __add__(self, other: "Sums") -> "Sums":
        unknown = dict(self.unknown)
        for name, row in other.unknown.items():
            unknown[name] = unknown[name] + row if name in unknown else row
        confusion = self.confusion + other.confusion
        return Sums(self.known, confusion, unknown, self.totals + other.totals)

    @property
    def n_documents(self) -> int:
        return self.totals.n_documents

    @property
    def has_known(self) -> bool:
        """Whether some label is one of the model's."""
        return bool(self.confusion.any())

    @property
    def unknown_labels(self) -> list[str]:
        """Labels that the model does not know, in alphabetical order."""
        return sorted(self.unknown)

    @property
    def n_unknown(self) -> int:
        """Documents with such a label."""
        return sum(int(row.sum()) for row in self.unknown.values())

    def evaluation(self, n_bad_files: int = 0) -> Evaluation:
        """Scores of all documents that were added up; at least one must be labeled."""
        classes = [*self.known, *self.unknown_labels]
        n_known, totals = len(self.known), self.totals
        confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
        confusion[:n_known, :n_known] = self.confusion
        for code, name in enumerate(classes[n_known:], n_known):
            confusion[code, :n_known] = self.unknown[name]
        return Evaluation(
            classes,
            confusion,
            totals.n_unlabeled,
            totals.mean_confidence,
            totals.calibration_error,
            n_bad_files,
            totals.n_from_training,
            totals.includes_training,
            totals.by_confidence,
        )


@dataclass(frozen=True, eq=False)
class JudgedClasses:
    """The scored documents of a batch: their classes against the predicted ones."""

    scored: Scored

    @cached_property
    def unknown(self) -> list[str]:
        """Labels that the model does not know, numbered after its classes."""
        column = self.scored.column
        if pc.any(pc.starts_with(column, SEPARATOR)).as_py():
            raise DataError(
                f"{self.scored.source} has documents with several labels, but the model gives each "
                "document one; give documents with one label, or train it with several"
            )
        return self.scored.known.unknown(column)

    @cached_property
    def truth(self) -> IntArray:
        """Codes of the labels."""
        return self.scored.known.followed_by(self.unknown).encode(self.scored.column)

    @property
    def is_right(self) -> BoolArray:
        right: BoolArray = self.scored.decided.codes == self.truth
        return right

    def sums(self) -> Sums:
        """The counts of the batch."""
        known, unknown = self.scored.known, self.unknown
        table = np.zeros((len(known) + len(unknown), len(known)), dtype=np.int64)
        np.add.at(table, (self.truth, self.scored.decided.codes), 1)
        return Sums(
            tuple(known.names),
            table[: len(known)],
            dict(zip(unknown, table[len(known) :], strict=True)),
            Totals.of(self.scored, self.is_right),
        )
