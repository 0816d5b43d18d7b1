"""Accuracy of the confident predictions: how it rises as fewer documents are decided."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven._base.validation import check_in
from leaven.significance import wilson_interval

__all__ = ["ByConfidence", "CoveragePoint", "Target", "is_confident"]

# Probabilities are written with six decimals and compared as whole millionths, so that the
# number in a file and the threshold of the user always agree.
MILLION = 1_000_000
# Bins from one threshold to the next: thousandths, and finer ones near certainty, where the
# confidence of most documents can be.
EDGES: IntArray = np.concatenate(
    [
        np.arange(0, 990_000, 1000),
        np.arange(990_000, 999_000, 100),
        np.arange(999_000, 999_900, 10),
        np.arange(999_900, MILLION + 1),
    ]
)
SHOWN_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
# Thresholds tried for a target, as shares of the documents. Few and far apart, because the
# best of many thresholds would look better than it is.
TRIED_COVERAGES = tuple(number / 20 for number in range(20, 0, -1))
RISK = 0.05  # that the accuracy is below the target after all


def _millionths(values: Any) -> IntArray:
    return np.rint(np.asarray(values, np.float64) * MILLION).astype(np.int64)


def is_confident(confidence: FloatArray, min_probability: float) -> BoolArray:
    """Which predictions reach a probability, to six decimals."""
    check_in("min_probability", min_probability, "[0, 1]")
    reached: BoolArray = _millionths(confidence) >= _millionths(min_probability)
    return reached


@dataclass(frozen=True)
class CoveragePoint:
    """The documents with at least a probability: their share and their accuracy."""

    min_probability: float
    coverage: float
    accuracy: float
    low: float  # of the 95 % interval, Wilson's
    high: float
    n_documents: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Target:
    """The lowest probability from which predictions have a wanted accuracy."""

    accuracy: float  # wanted
    point: CoveragePoint | None  # None where no threshold is known to suffice

    def to_json(self) -> dict[str, Any]:
        point = None if self.point is None else self.point.to_json()
        return {"accuracy": self.accuracy, "confidence": 1 - RISK, "reached": point}


@dataclass(frozen=True, eq=False)
class ByConfidence:
    """Correct and wrong predictions in fixed bins of confidence; those of batches add up."""

    right: IntArray  # (n_bins,) documents
    wrong: IntArray

    @classmethod
    def of(cls, confidence: FloatArray, is_right: BoolArray) -> "ByConfidence":
        """Count predictions by the probability of the predicted class."""
        bins = np.searchsorted(EDGES, _millionths(confidence), "right") - 1
        counts = [np.bincount(bins[mask], minlength=len(EDGES)) for mask in (is_right, ~is_right)]
        return cls(*counts)

    @classmethod
    def empty(cls) -> "ByConfidence":
        """Of no document."""
        return cls.of(np.zeros(0), np.zeros(0, bool))

    def __add__(self, other: "ByConfidence") -> "ByConfidence":
        return ByConfidence(self.right + other.right, self.wrong + other.wrong)

    @property
    def n_documents(self) -> int:
        return int(self.right.sum() + self.wrong.sum())

    def points(self, coverages: Sequence[float] = SHOWN_COVERAGES) -> list[CoveragePoint]:
        """For each share the highest threshold that still covers it; no threshold twice."""
        n_kept = self._kept(self.right + self.wrong)
        wanted = np.asarray(coverages) * self.n_documents
        # The number kept falls from bin to bin; the last that suffices has the threshold.
        places = np.searchsorted(-n_kept, -(wanted - 1e-9), "right") - 1
        # Everything is kept without a threshold too.
        places[n_kept[places] == self.n_documents] = 0
        unique = dict.fromkeys(places.tolist())
        return [self._point(place) for place in unique] if self.n_documents else []

    def curve(self) -> list[CoveragePoint]:
        """A point for every bin that holds documents, all documents first."""
        total = self.right + self.wrong
        return [self._point(place) for place in np.flatnonzero(total).tolist()]

    def target(self, accuracy: float) -> Target:
        """The threshold of largest coverage whose accuracy is at least ``accuracy``.

        It is at least that with 95 % confidence: the lower bound of Clopper and Pearson is
        compared, not the accuracy measured.
        """
        check_in("target accuracy", accuracy, "(0, 1)")
        from scipy.special import betaincinv

        for point in self.points(TRIED_COVERAGES):
            n_right = round(point.accuracy * point.n_documents)
            n_wrong = point.n_documents - n_right
            if n_right and betaincinv(n_right, n_wrong + 1, RISK) >= accuracy:
                return Target(accuracy, point)
        return Target(accuracy, None)

    def _point(self, place: int) -> CoveragePoint:
        n_right, n_wrong = int(self.right[place:].sum()), int(self.wrong[place:].sum())
        n = n_right + n_wrong
        low, high = wilson_interval(n_right, n)
        edge = float(EDGES[place] / MILLION)
        return CoveragePoint(edge, n / self.n_documents, n_right / n, low, high, n)

    @staticmethod
    def _kept(counts: IntArray) -> IntArray:
        """Documents in each bin and all above it."""
        kept: IntArray = counts[::-1].cumsum()[::-1]
        return kept
