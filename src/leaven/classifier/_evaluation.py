"""Evaluation where every document has one class: true against predicted classes."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow.compute as pc

from leaven._base.measures import macro_f1
from leaven._base.typing import BoolArray, IntArray
from leaven.classifier._confusion import Confusion
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
    confusion: Confusion  # of these classes
    n_unlabeled: int  # documents skipped
    mean_confidence: float  # mean probability of the predictions
    calibration_error: float  # expected: how far accuracy is from confidence, ten bins
    n_bad_files: int = 0  # left out
    n_from_training: int = 0  # labeled documents of the training
    includes_training: bool = False  # whether these are scored, or left out
    by_confidence: ByConfidence = field(default_factory=ByConfidence.empty)

    @property
    def n_documents(self) -> int:
        return self.confusion.n_documents

    @property
    def n_errors(self) -> int:
        """Documents that are misclassified."""
        return self.n_documents - self.confusion.n_right

    @property
    def accuracy(self) -> float:
        return self.confusion.n_right / self.n_documents

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        return wilson_interval(self.confusion.n_right, self.n_documents)

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes that occur among the labels or the predictions."""
        return macro_f1(*self._of_class)

    @property
    def per_class(self) -> dict[str, dict[str, float]]:
        """Precision, recall, F1 (0 where nothing was predicted, or nothing is there), support."""
        return shares_of(self.classes, *self._of_class)

    @property
    def _of_class(self) -> tuple[IntArray, IntArray, IntArray]:
        """Correct documents of each class, documents that have it, and that are predicted to."""
        table = self.confusion
        return table.right_of_class, table.true_of_class, table.predicted_of_class

    def to_json(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.accuracy_interval),
            "macro_f1": self.macro_f1,
            "mean_confidence": self.mean_confidence,
            "calibration_error": self.calibration_error,
            "per_class": self.per_class,
            "confusion": {"classes": self.classes, **self.confusion.to_json()},
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
    confusion: Confusion  # of these classes
    unknown: Counter[tuple[str, int]]  # label that the model does not know, and predicted code
    totals: Totals

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            self.known,
            self.confusion + other.confusion,
            self.unknown + other.unknown,
            self.totals + other.totals,
        )

    @property
    def n_documents(self) -> int:
        return self.totals.n_documents

    @property
    def has_known(self) -> bool:
        """Whether some label is one of the model's."""
        return self.confusion.n_documents > 0

    @property
    def unknown_labels(self) -> list[str]:
        """Labels that the model does not know, in alphabetical order."""
        return sorted({name for name, _ in self.unknown})

    @property
    def n_unknown(self) -> int:
        """Documents with such a label."""
        return self.unknown.total()

    def evaluation(self, n_bad_files: int = 0) -> Evaluation:
        """Scores of all documents that were added up; at least one must be labeled."""
        totals, unknown = self.totals, self.unknown_labels
        classes = [*self.known, *unknown]
        code = {name: number for number, name in enumerate(unknown, len(self.known))}
        added = Confusion.of(
            np.array([code[name] for name, _ in self.unknown], np.int64),
            np.array([predicted for _, predicted in self.unknown], np.int64),
            len(classes),
            np.array(list(self.unknown.values()), np.int64),
        )
        return Evaluation(
            classes,
            self.confusion + added,
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
        names, truth, codes = self.scored.known.names, self.truth, self.scored.decided.codes
        is_known = truth < len(names)
        others = [self.unknown[code - len(names)] for code in truth[~is_known].tolist()]
        return Sums(
            tuple(names),
            Confusion.of(truth[is_known], codes[is_known], len(names)),
            Counter(zip(others, codes[~is_known].tolist(), strict=True)),
            Totals.of(self.scored, self.is_right),
        )
