"""Losses of transductive support vector machines, as sums over documents.

Collobert, Sinz, Weston and Bottou (2006): an unlabeled document counts as two, one of either sign,
with the ramp loss R(z) = H(z) - H_s(z) of its margin z, where H is the hinge loss and H_s(z) = H(z
+ 1 - s) is zero from s on. The concave-convex procedure (CCCP) replaces the concave part, -H_s, by
its tangent at the last solution, so that each step is a convex problem. The hinge is rounded at its
corner, so that the problem has a gradient; it is flat where unlabeled documents are undecided.
"""

from dataclasses import dataclass

import numpy as np

from leaven._base.typing import FloatArray, IntArray
from leaven.corpora._base import Block
from leaven.models._base import Slope, SummedFields

__all__ = ["RampLoss", "UnlabeledMean", "hinge"]

ROUNDED = 0.25  # width of the rounded corner of the hinge loss


def hinge(margin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The hinge loss max(0, 1 - z), rounded where z is a little below 1, and its derivative."""
    short = np.maximum(1.0 - margin, 0.0)
    is_near = short < ROUNDED
    loss = np.where(is_near, short**2 / (2 * ROUNDED), short - ROUNDED / 2)
    slope = np.where(is_near, -short / ROUNDED, -1.0)
    return loss, slope


@dataclass(frozen=True, eq=False)
class UnlabeledMean(SummedFields):
    """Sum of the unlabeled documents, and sum of documents' signs, for their means."""

    words: FloatArray  # (n_words,)
    n_unlabeled: float
    signs: FloatArray  # (n_machines,)
    n_signs: float


@dataclass(frozen=True, eq=False)
class RampLoss:
    """Losses of one machine for each class, or a single one for two classes.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    C : float
        Weight of the losses of labeled documents.
    C_unlabeled : float
        Weight of the losses of unlabeled documents.
    ramp : float
        Margin below which the ramp loss no longer rises, s.
    """

    n_classes: int
    C: float
    C_unlabeled: float
    ramp: float

    @property
    def machine_classes(self) -> IntArray:
        """The class that is on the positive side of each machine."""
        return np.array([1]) if self.n_classes == 2 else np.arange(self.n_classes)

    def means(self, predicted: FloatArray | None, block: Block) -> UnlabeledMean:
        """What the balance of classes needs: signs of labels, or those that a table predicts."""
        is_labeled = block.y >= 0
        unlabeled, labeled = (np.where(own, block.weight, 0.0) for own in (~is_labeled, is_labeled))
        signs, weight = self._signs(block.y), labeled
        if predicted is not None:
            signs, weight = self._signs(self.decided(predicted, block)), unlabeled
        return UnlabeledMean(
            np.asarray(unlabeled @ block.X, np.float64),
            float(unlabeled.sum()),
            weight @ signs,
            float(weight.sum()),
        )

    def decided(self, table: FloatArray, block: Block) -> IntArray:
        """Classes of documents by the machines of a table."""
        scores = block.X @ table[:-1] + table[-1]
        if self.n_classes == 2:
            return np.asarray(scores[:, 0] > 0, np.int64)
        return np.asarray(scores.argmax(axis=1), np.int64)

    def convex(self, table: FloatArray, block: Block) -> Slope:
        """The convex part of the losses; ``table`` (n_words + 1, n_machines) ends with biases."""
        margins, cost, sign = self._margins(table, block)
        loss, slope = hinge(margins * sign)
        slope *= sign
        unlabeled = np.flatnonzero((block.y < 0) & (cost > 0))
        other_loss, other_slope = hinge(-margins[unlabeled])
        loss[unlabeled] += other_loss
        slope[unlabeled] -= other_slope
        return self._slope(loss, slope, cost, block)

    def concave(self, table: FloatArray, block: Block) -> Slope:
        """The concave part of the losses: its value and its tangent."""
        margins, cost, _ = self._margins(table, block)
        cost = np.where(block.y < 0, cost, 0.0)
        loss, slope = hinge(margins + (1.0 - self.ramp))
        other_loss, other_slope = hinge((1.0 - self.ramp) - margins)
        return self._slope(-loss - other_loss, other_slope - slope, cost, block)

    def _margins(
        self, table: FloatArray, block: Block
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scores of the machines, the cost of each document, and signs, one if unlabeled."""
        margins: FloatArray = block.X @ table[:-1] + table[-1]
        cost = block.weight * np.where(block.y >= 0, self.C, self.C_unlabeled)
        return margins, cost, self._signs(block.y)

    def _signs(self, codes: IntArray) -> FloatArray:
        is_positive = (codes[:, None] == self.machine_classes) | (codes[:, None] < 0)
        return np.where(is_positive, 1.0, -1.0)

    def _slope(self, loss: FloatArray, slope: FloatArray, cost: FloatArray, block: Block) -> Slope:
        slope = slope * cost[:, None]
        table = np.vstack([block.X.T @ slope, slope.sum(axis=0)])
        return Slope(float(cost @ loss.sum(axis=1)), table, float(block.weight.sum()))
