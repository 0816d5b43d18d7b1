"""Evaluation: counts of true against predicted classes, summed over batches, and scores."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._base.measures import calibration_gaps, macro_f1
from leaven._base.progress import OnDone
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.classifier._coverage import ByConfidence
from leaven.classifier._fitted import FittedClassifier
from leaven.documents._labels import Labels
from leaven.documents._pieces import Documents
from leaven.documents._vectors import vector_array
from leaven.significance import wilson_interval

__all__ = ["Evaluation", "Judged", "Scorer", "Sums"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """True against predicted classes."""

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
        right = self.confusion.diagonal().tolist()
        predicted = self.confusion.sum(axis=0).tolist()
        support = self.confusion.sum(axis=1).tolist()
        return {
            name: {
                "precision": r / p if p else 0.0,
                "recall": r / s if s else 0.0,
                "f1": 2 * r / (p + s) if p + s else 0.0,
                "support": s,
            }
            for name, r, p, s in zip(self.classes, right, predicted, support, strict=True)
        }

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


@dataclass(frozen=True, eq=False)
class Sums:
    """Counts of a batch of documents; those of several batches can be added."""

    known: tuple[str, ...]  # classes of the model
    confusion: IntArray  # (n_known, n_known) documents; rows are true, columns predicted
    unknown: dict[str, IntArray]  # label that the model does not know → predicted classes
    gaps: FloatArray  # of calibration, in each bin
    confidence: float
    n_unlabeled: int
    n_wordless: int
    by_confidence: ByConfidence
    n_from_training: int = 0  # labeled documents that the model learned from
    includes_training: bool = False  # whether these are among the counts, or left out

    def __add__(self, other: "Sums") -> "Sums":
        unknown = dict(self.unknown)
        for name, row in other.unknown.items():
            unknown[name] = unknown[name] + row if name in unknown else row
        return Sums(
            self.known,
            self.confusion + other.confusion,
            unknown,
            self.gaps + other.gaps,
            self.confidence + other.confidence,
            self.n_unlabeled + other.n_unlabeled,
            self.n_wordless + other.n_wordless,
            self.by_confidence + other.by_confidence,
            self.n_from_training + other.n_from_training,
            self.includes_training,
        )

    @property
    def n_documents(self) -> int:
        """All documents: those scored, unlabeled ones, and those left out."""
        n_left_out = 0 if self.includes_training else self.n_from_training
        return self.n_labeled + self.n_unlabeled + n_left_out

    @property
    def n_labeled(self) -> int:
        """Documents that are scored."""
        return int(self.confusion.sum()) + sum(self.n_unknown.values())

    @property
    def n_unknown(self) -> dict[str, int]:
        """Documents of each label that the model does not know, in alphabetical order."""
        return {name: int(self.unknown[name].sum()) for name in sorted(self.unknown)}

    def evaluation(self, n_bad_files: int = 0) -> Evaluation:
        """Scores of all documents that were added up; at least one must be labeled."""
        classes = [*self.known, *sorted(self.unknown)]
        n_known, n_labeled = len(self.known), self.n_labeled
        confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
        confusion[:n_known, :n_known] = self.confusion
        for code, name in enumerate(classes[n_known:], n_known):
            confusion[code, :n_known] = self.unknown[name]
        return Evaluation(
            classes,
            confusion,
            self.n_unlabeled,
            self.confidence / n_labeled,
            float(np.abs(self.gaps).sum() / n_labeled),
            n_bad_files,
            self.n_from_training,
            self.includes_training,
            self.by_confidence,
        )


@dataclass(frozen=True, eq=False)
class Judged:
    """The scored documents of a batch: their labels and predictions."""

    known: Labels  # classes of the model
    unknown: list[str]  # labels that the model does not know, numbered after its classes
    is_scored: BoolArray  # of all documents of the batch; the arrays below are of the scored ones
    truth: IntArray
    predicted: IntArray
    confidence: FloatArray
    is_wordless: BoolArray
    n_unlabeled: int
    n_from_training: int
    includes_training: bool

    def sums(self) -> Sums:
        """The counts of the batch."""
        known, right = self.known, self.predicted == self.truth
        table = np.zeros((len(known) + len(self.unknown), len(known)), dtype=np.int64)
        np.add.at(table, (self.truth, self.predicted), 1)
        return Sums(
            tuple(known.names),
            table[: len(known)],
            dict(zip(self.unknown, table[len(known) :], strict=True)),
            calibration_gaps(self.confidence, right),
            float(self.confidence.sum()),
            self.n_unlabeled,
            int(self.is_wordless.sum()),
            ByConfidence.of(self.confidence, right),
            self.n_from_training,
            self.includes_training,
        )


@dataclass(frozen=True, eq=False)
class Scorer:
    """Counts how the labels of documents and their predictions agree.

    Labeled documents that the model learned from are left out, unless they are to be included.
    """

    fitted: FittedClassifier
    vectors: str | None = None  # column of the user's vectors
    n_threads: int | None = None
    includes_training: bool = False

    def __call__(self, documents: Documents, on_progress: OnDone | None = None) -> Sums:
        return self.judged(documents, on_progress).sums()

    def judged(self, documents: Documents, on_progress: OnDone | None = None) -> Judged:
        """Labels and predictions of the labeled documents."""
        column = documents.labels
        assert column is not None
        is_scored = column.is_valid().to_numpy(zero_copy_only=False)
        n_unlabeled = int((~is_scored).sum())
        is_known = np.zeros(len(is_scored), bool)
        is_known[is_scored] = self.fitted.learned_from(documents.texts.filter(pa.array(is_scored)))
        if not self.includes_training:
            is_scored = is_scored & ~is_known
        column = column.filter(pa.array(is_scored))
        given = None
        if self.vectors is not None:
            assert documents.columns is not None
            given = vector_array(documents.columns, self.vectors, documents.source)[is_scored]
        probability, is_wordless = self.fitted.classify(
            documents.texts.filter(pa.array(is_scored)),
            vectors=given,
            n_threads=self.n_threads,
            on_progress=on_progress,
        )
        known = self.fitted.labels
        decided = self.fitted.decide(probability)
        unknown = known.unknown(column)
        return Judged(
            known,
            unknown,
            is_scored,
            known.followed_by(unknown).encode(column),
            decided.codes,
            self.fitted.confidence(probability, decided),
            is_wordless,
            n_unlabeled,
            int(is_known.sum()),
            self.includes_training,
        )
