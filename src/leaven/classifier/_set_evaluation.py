"""Evaluation where documents have several labels: true against predicted label sets."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow.compute as pc

from leaven._base.measures import calibration_gaps, macro_f1
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.classifier._coverage import ByConfidence
from leaven.classifier._evaluation import shares_of
from leaven.classifier._scored import Scored, Totals
from leaven.documents._label_sets import membership_of_keys, names_in
from leaven.significance import wilson_interval

__all__ = ["JudgedSets", "SetEvaluation", "SetSums", "WithoutLabel"]


@dataclass(frozen=True)
class WithoutLabel:
    """Documents without any label."""

    n_true: int = 0
    n_predicted: int = 0
    n_right: int = 0  # both

    def __add__(self, other: "WithoutLabel") -> "WithoutLabel":
        return WithoutLabel(
            self.n_true + other.n_true,
            self.n_predicted + other.n_predicted,
            self.n_right + other.n_right,
        )


@dataclass(frozen=True, eq=False)
class SetEvaluation:
    """True against predicted label sets.

    Labels that the model does not know are missed in all their documents.
    """

    has_sets: ClassVar[Literal[True]] = True

    classes: list[str]  # the model's, then labels that it does not know
    n_documents: int
    n_exact: int  # documents whose whole set is predicted correctly
    n_right: IntArray  # (n_classes,) documents that have the label and are predicted to
    n_true: IntArray  # (n_classes,) documents that have the label
    n_predicted: IntArray  # (n_classes,) documents that are predicted to have it
    without_label: WithoutLabel
    n_unlabeled: int  # documents skipped
    mean_confidence: float  # mean probability of the predicted sets
    calibration_error: float  # expected: how far exact match is from confidence, ten bins
    label_calibration_error: float  # the same of all labels' probabilities
    n_bad_files: int = 0  # left out
    n_from_training: int = 0  # labeled documents of the training
    includes_training: bool = False  # whether these are scored, or left out
    by_confidence: ByConfidence = field(default_factory=ByConfidence.empty)

    @property
    def n_errors(self) -> int:
        """Documents whose set is not predicted exactly."""
        return self.n_documents - self.n_exact

    @property
    def exact_match(self) -> float:
        """Share of documents whose whole set is predicted correctly."""
        return self.n_exact / self.n_documents

    @property
    def exact_match_interval(self) -> tuple[float, float]:
        return wilson_interval(self.n_exact, self.n_documents)

    @property
    def micro_f1(self) -> float:
        """F1 of all pairs of a document and a label; 0 where there is none."""
        n_both = int(self.n_true.sum() + self.n_predicted.sum())
        return float(2 * self.n_right.sum() / n_both) if n_both else 0.0

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the labels that documents have or are predicted to have; 0 without any."""
        if not (self.n_true.any() or self.n_predicted.any()):
            return 0.0
        return macro_f1(self.n_right, self.n_true, self.n_predicted)

    @property
    def n_missed(self) -> IntArray:
        """Documents of each label that are not predicted to have it."""
        return self.n_true - self.n_right

    @property
    def n_added(self) -> IntArray:
        """Documents that are wrongly predicted to have each label."""
        return self.n_predicted - self.n_right

    @property
    def hamming_loss(self) -> float:
        """Share of pairs of a document and a label that are wrong."""
        n_wrong = int(self.n_missed.sum() + self.n_added.sum())
        return n_wrong / (self.n_documents * len(self.classes))

    @property
    def labels_per_document(self) -> dict[str, float]:
        """Mean number of labels, true and predicted."""
        return {
            "true": float(self.n_true.sum() / self.n_documents),
            "predicted": float(self.n_predicted.sum() / self.n_documents),
        }

    @property
    def per_class(self) -> dict[str, dict[str, float]]:
        """Precision, recall, F1 (0 where nothing was predicted, or nothing is there), support."""
        shares = shares_of(self.classes, self.n_right, self.n_true, self.n_predicted)
        predicted = self.n_predicted.tolist()
        return {
            name: {**own, "predicted": count}
            for (name, own), count in zip(shares.items(), predicted, strict=True)
        }

    def to_json(self) -> dict[str, Any]:
        without = self.without_label
        return {
            "exact_match": self.exact_match,
            "exact_match_interval": list(self.exact_match_interval),
            "micro_f1": self.micro_f1,
            "macro_f1": self.macro_f1,
            "hamming_loss": self.hamming_loss,
            "labels_per_document": self.labels_per_document,
            "mean_confidence": self.mean_confidence,
            "calibration_error": self.calibration_error,
            "label_calibration_error": self.label_calibration_error,
            "per_class": self.per_class,
            "without_label": {
                "support": without.n_true,
                "predicted": without.n_predicted,
                "right": without.n_right,
            },
            "coverage": [point.to_json() for point in self.by_confidence.points()],
            "n_documents": self.n_documents,
            "n_unlabeled": self.n_unlabeled,
            "n_bad_files": self.n_bad_files,
            "n_from_training": self.n_from_training,
            "includes_training": self.includes_training,
        }


@dataclass(frozen=True, eq=False)
class SetSums:
    """Counts of a batch of documents; those of several batches can be added."""

    known: tuple[str, ...]  # classes of the model
    counts: IntArray  # (3, n_known) documents of each label: correct, true, predicted
    unknown: dict[str, int]  # label that the model does not know → documents
    n_unknown: int  # documents with such a label
    n_exact: int
    without_label: WithoutLabel
    label_gaps: FloatArray  # of calibration of the labels' probabilities, in each bin
    totals: Totals

    def __add__(self, other: "SetSums") -> "SetSums":
        names = {**self.unknown, **other.unknown}
        return SetSums(
            self.known,
            self.counts + other.counts,
            {name: self.unknown.get(name, 0) + other.unknown.get(name, 0) for name in names},
            self.n_unknown + other.n_unknown,
            self.n_exact + other.n_exact,
            self.without_label + other.without_label,
            self.label_gaps + other.label_gaps,
            self.totals + other.totals,
        )

    @property
    def n_documents(self) -> int:
        return self.totals.n_documents

    @property
    def has_known(self) -> bool:
        """Whether some label is one of the model's, or some document has none."""
        return bool(self.counts[1].any()) or self.without_label.n_true > 0

    @property
    def unknown_labels(self) -> list[str]:
        """Labels that the model does not know, in alphabetical order."""
        return sorted(self.unknown)

    def evaluation(self, n_bad_files: int = 0) -> SetEvaluation:
        """Scores of all documents that were added up; at least one must be labeled."""
        totals, names = self.totals, self.unknown_labels
        missed = np.zeros((3, len(names)), dtype=np.int64)
        missed[1] = [self.unknown[name] for name in names]
        n_right, n_true, n_predicted = np.hstack([self.counts, missed])
        n_pairs = totals.n_labeled * len(self.known)
        return SetEvaluation(
            [*self.known, *names],
            totals.n_labeled,
            self.n_exact,
            n_right,
            n_true,
            n_predicted,
            self.without_label,
            totals.n_unlabeled,
            totals.mean_confidence,
            totals.calibration_error,
            float(np.abs(self.label_gaps).sum() / n_pairs),
            n_bad_files,
            totals.n_from_training,
            totals.includes_training,
            totals.by_confidence,
        )


@dataclass(frozen=True, eq=False)
class JudgedSets:
    """The scored documents of a batch: their label sets against the predicted ones."""

    scored: Scored

    @cached_property
    def unknown(self) -> list[str]:
        """Labels that the model does not know."""
        keys = pc.unique(self.scored.column).to_pylist()
        return sorted({name for key in keys for name in names_in(key)} - set(self._known))

    @cached_property
    def truth(self) -> BoolArray:
        """Labels of the documents, the model's first, then unknown ones."""
        return membership_of_keys(self.scored.column, [*self._known, *self.unknown])

    @property
    def _known(self) -> list[str]:
        return self.scored.known.names

    @cached_property
    def is_right(self) -> BoolArray:
        n_known = len(self._known)
        is_same = (self.truth[:, :n_known] == self.scored.decided.membership).all(axis=1)
        right: BoolArray = is_same & ~self.truth[:, n_known:].any(axis=1)
        return right

    def sums(self) -> SetSums:
        """The counts of the batch."""
        n_known, predicted = len(self._known), self.scored.decided.membership
        truth, others = self.truth[:, :n_known], self.truth[:, n_known:]
        counts = np.stack(
            [(truth & predicted).sum(axis=0), truth.sum(axis=0), predicted.sum(axis=0)]
        )
        is_empty, is_without = ~self.truth.any(axis=1), ~predicted.any(axis=1)
        return SetSums(
            tuple(self._known),
            counts,
            dict(zip(self.unknown, others.sum(axis=0).tolist(), strict=True)),
            int(others.any(axis=1).sum()),
            int(self.is_right.sum()),
            WithoutLabel(
                int(is_empty.sum()), int(is_without.sum()), int((is_empty & is_without).sum())
            ),
            self._label_gaps(truth),
            Totals.of(self.scored, self.is_right),
        )

    def _label_gaps(self, truth: BoolArray) -> FloatArray:
        # Label by label, which needs less memory than all at once.
        assert self.scored.probability is not None
        columns = zip(self.scored.probability.T, truth.T, strict=True)
        gaps: FloatArray = np.sum([calibration_gaps(p, has_label) for p, has_label in columns], 0)
        return gaps
