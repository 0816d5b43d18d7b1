"""Decisions: how a classifier's scores become probabilities, and probabilities labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from leaven._base.measures import logit, sigmoid, softmax
from leaven._base.typing import FloatArray
from leaven.documents._label_sets import LabelSets
from leaven.documents._labels import EncodedLabels, Labels

__all__ = ["Decision", "OneLabel", "SeveralLabels", "usual_decision"]


class Decision(Protocol):
    """From the experts' weighted scores, (n_documents, n_classes), to labels."""

    @property
    def labels(self) -> Labels: ...

    def probability(self, scores: FloatArray) -> FloatArray:
        """Probabilities of the classes."""
        ...

    def decided(self, probability: FloatArray) -> EncodedLabels:
        """The label of each document."""
        ...

    def confidence(self, probability: FloatArray, decided: EncodedLabels) -> FloatArray:
        """Probability that each document's label is correct."""
        ...

    def to_tensors(self) -> tuple[dict[str, Any] | None, Mapping[str, Any]]:
        """What model files hold besides the classes: settings, None where usual, and arrays."""
        ...


@dataclass(frozen=True, eq=False)
class OneLabel:
    """Every document has the class that is most probable."""

    labels: Labels

    def probability(self, scores: FloatArray) -> FloatArray:
        return softmax(scores)

    def decided(self, probability: FloatArray) -> EncodedLabels:
        return EncodedLabels(self.labels.decide(probability), self.labels)

    def confidence(self, probability: FloatArray, decided: EncodedLabels) -> FloatArray:
        highest: FloatArray = probability.max(axis=1)
        return highest

    def to_tensors(self) -> tuple[dict[str, Any] | None, Mapping[str, Any]]:
        return None, {}


@dataclass(frozen=True, eq=False)
class SeveralLabels:
    """Every document has all classes whose probability exceeds their threshold.

    If none does, it has the one that comes nearest to it, unless documents without a class are
    allowed.
    """

    kind: ClassVar[str] = "several labels"  # what model files call it

    labels: LabelSets
    bias: FloatArray  # (n_classes,) added to the scores
    thresholds: FloatArray  # (n_classes,) between 0 and 1

    @classmethod
    def plain(cls, labels: LabelSets) -> "SeveralLabels":
        """Scores as log odds: a class belongs to the set if it is more probable than not."""
        return cls(labels, np.zeros(len(labels)), np.full(len(labels), 0.5))

    def probability(self, scores: FloatArray) -> FloatArray:
        return sigmoid(scores + self.bias)

    def decided(self, probability: FloatArray) -> EncodedLabels:
        excess = logit(probability) - logit(self.thresholds)
        rows = excess > 0
        if not self.labels.allows_empty and len(rows):
            is_empty = ~rows.any(axis=1)
            rows[is_empty, excess[is_empty].argmax(axis=1)] = True
        return self.labels.of_rows(rows)

    def confidence(self, probability: FloatArray, decided: EncodedLabels) -> FloatArray:
        """Probability of exactly this set, if classes were independent of each other."""
        agrees = np.where(decided.membership, probability, 1.0 - probability)
        together: FloatArray = np.exp(np.log(np.maximum(agrees, 1e-300)).sum(axis=1))
        return together

    def to_tensors(self) -> tuple[dict[str, Any] | None, Mapping[str, Any]]:
        labels = self.labels
        settings = {
            "kind": self.kind,
            "allows_empty": labels.allows_empty,
            "is_matrix": labels.is_matrix,
        }
        arrays = {"members": labels.members, "bias": self.bias, "thresholds": self.thresholds}
        return settings, arrays


def usual_decision(labels: Labels) -> Decision:
    """The decision for scores that nothing was calibrated for."""
    return SeveralLabels.plain(labels) if isinstance(labels, LabelSets) else OneLabel(labels)
