"""True against predicted classes: counts of batches that add up, and scores made of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._base.typing import FloatArray, IntArray
from leaven.classifier._fitted import FittedClassifier
from leaven.documents._labels import encode_labels
from leaven.documents._pieces import Documents
from leaven.documents._vectors import vector_array
from leaven.held_out._weights import calibration_gaps
from leaven.significance import wilson_interval
from leaven.text._counting import Progress

__all__ = ["Evaluation", "Scorer", "Sums"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """True against predicted classes."""

    classes: list[str]  # the model's, then labels that it does not know
    confusion: IntArray  # (n_classes, n_classes) documents; rows are true, columns predicted
    n_unlabeled: int  # documents skipped
    mean_confidence: float  # mean probability of the predictions
    calibration_error: float  # expected: how far accuracy is from confidence, ten bins
    n_bad_files: int = 0  # left out

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
        occurring = self.confusion.sum(axis=0) + self.confusion.sum(axis=1) > 0
        scores = zip(self.per_class.values(), occurring.tolist(), strict=True)
        return float(sum(own["f1"] for own, occurs in scores if occurs) / occurring.sum())

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
            "n_documents": self.n_documents,
            "n_unlabeled": self.n_unlabeled,
            "n_bad_files": self.n_bad_files,
        }


@dataclass(frozen=True, eq=False)
class Sums:
    """What is counted of a batch of documents; sums of batches add up."""

    known: tuple[str, ...]  # classes of the model
    confusion: IntArray  # (n_known, n_known) documents; rows are true, columns predicted
    unknown: dict[str, IntArray]  # label that the model does not know → predicted classes
    gaps: FloatArray  # of calibration, in each bin
    confidence: float
    n_unlabeled: int
    n_wordless: int

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
        )

    @property
    def n_labeled(self) -> int:
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
        )


@dataclass(frozen=True, eq=False)
class Scorer:
    """Counts how the labels of documents and their predictions agree."""

    fitted: FittedClassifier
    vectors: str | None = None  # column of vectors of the user's own
    n_threads: int | None = None

    def __call__(self, documents: Documents, on_progress: Progress | None = None) -> Sums:
        labels = encode_labels(documents.labels)
        is_labeled = labels.codes >= 0
        given = None
        if self.vectors is not None:
            assert documents.columns is not None
            given = vector_array(documents.columns, self.vectors, documents.source)[is_labeled]
        probability, n_wordless = self.fitted.classify(
            documents.texts.filter(pa.array(is_labeled)),
            vectors=given,
            n_threads=self.n_threads,
            on_progress=on_progress,
        )
        predicted, confidence = probability.argmax(axis=1), probability.max(axis=1)
        known = tuple(str(name) for name in self.fitted.classes.tolist())
        unknown = [name for name in labels.classes.tolist() if name not in set(known)]
        code = {name: i for i, name in enumerate([*known, *unknown])}
        codes = np.array([code[name] for name in labels.classes], dtype=np.int64)
        truth = codes[labels.codes[is_labeled]]
        table = np.zeros((len(code), len(known)), dtype=np.int64)
        np.add.at(table, (truth, predicted), 1)
        return Sums(
            known,
            table[: len(known)],
            dict(zip(unknown, table[len(known) :], strict=True)),
            calibration_gaps(confidence, predicted == truth),
            float(confidence.sum()),
            int((~is_labeled).sum()),
            n_wordless,
        )
