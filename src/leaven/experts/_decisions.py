"""Decisions: how a classifier's scores become probabilities, and probabilities labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from leaven._base.measures import logit, sigmoid, softmax
from leaven._base.typing import BoolArray, FloatArray
from leaven.documents._label_sets import LabelSets, numbered
from leaven.documents._labels import EncodedLabels, Labels

__all__ = ["Decision", "OneLabel", "SeveralLabels", "usual_decision"]


ROWS_AT_ONCE = 10_000  # documents whose scores of sets are in memory together
TINY = 1e-300  # a probability whose logarithm is still finite
TIE = 1e-9  # a difference of scores that is only rounding


class Decision(Protocol):
    """From the experts' weighted scores, (n_documents, n_classes), to labels."""

    @property
    def labels(self) -> Labels: ...

    def probability(self, scores: FloatArray) -> FloatArray:
        """Probabilities of the classes."""
        ...

    def without_words(self, probability: FloatArray, is_wordless: BoolArray) -> FloatArray:
        """Probabilities where those of documents without a known word do not depend on scores."""
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

    kind: ClassVar[str] = "one label"  # what model files call it

    labels: Labels
    bias: FloatArray | None = None  # (n_classes,) added to the scores, for the classes' shares

    def probability(self, scores: FloatArray) -> FloatArray:
        return softmax(scores if self.bias is None else scores + self.bias)

    def without_words(self, probability: FloatArray, is_wordless: BoolArray) -> FloatArray:
        return probability  # scores are those of the classes' frequencies

    def decided(self, probability: FloatArray) -> EncodedLabels:
        return EncodedLabels(self.labels.decide(probability), self.labels)

    def confidence(self, probability: FloatArray, decided: EncodedLabels) -> FloatArray:
        highest: FloatArray = probability.max(axis=1)
        return highest

    def to_tensors(self) -> tuple[dict[str, Any] | None, Mapping[str, Any]]:
        return (None, {}) if self.bias is None else ({"kind": self.kind}, {"bias": self.bias})


@dataclass(frozen=True, eq=False)
class SeveralLabels:
    """Every document has the classes whose probability exceeds a threshold.

    If none does, it has the one that comes nearest to it, unless documents without a class are
    allowed. A set of the training documents is preferred to this set if it is better by the sum
    of its classes' log odds above the threshold plus the bonus of the set: classes that often
    occur together are found together.

    Slopes and biases are fitted on documents with words. In one without, classes are as probable
    as they are frequent.
    """

    kind: ClassVar[str] = "several labels"  # what model files call it

    labels: LabelSets
    slopes: FloatArray  # (n_classes,) factors on the scores
    bias: FloatArray  # (n_classes,) added to them
    thresholds: FloatArray  # (n_classes,) between 0 and 1
    bonuses: FloatArray  # (n_codes,) of the labels' sets, 0 where a set is not considered
    rates: FloatArray | None = None  # (n_classes,) shares of documents; None: nothing was fitted

    @classmethod
    def plain(cls, labels: LabelSets) -> "SeveralLabels":
        """Scores as log odds: a class belongs to the set if it is more probable than not."""
        n_classes = len(labels)
        none = np.zeros(n_classes)
        return cls(labels, np.ones(n_classes), none, none + 0.5, np.zeros(labels.n_codes))

    def probability(self, scores: FloatArray) -> FloatArray:
        return sigmoid(self.slopes * scores + self.bias)

    def without_words(self, probability: FloatArray, is_wordless: BoolArray) -> FloatArray:
        if self.rates is None or not is_wordless.any():
            return probability
        return np.where(is_wordless[:, None], self.rates, probability)

    def decided(self, probability: FloatArray) -> EncodedLabels:
        return self.labels.of_rows(self.rows(logit(probability)))

    def rows(self, log_odds: FloatArray) -> BoolArray:
        """The classes of documents, from log odds, (n_documents, n_classes) both."""
        excess = log_odds - logit(self.thresholds)
        rows = excess > 0
        if not self.labels.allows_empty and len(rows):
            is_empty = ~rows.any(axis=1)
            rows[is_empty, excess[is_empty].argmax(axis=1)] = True
        return self._known_instead(rows, excess) if self.bonuses.any() else rows

    def _known_instead(self, rows: BoolArray, excess: FloatArray) -> BoolArray:
        """Rows, or a set of the training documents where one is better."""
        members = self.labels.members
        is_usable = (self.bonuses != 0) & (self.labels.allows_empty | members.any(axis=1))
        sets, bonuses = members[is_usable], self.bonuses[is_usable]
        own_bonus = _bonuses_of(rows, sets, bonuses)
        own = np.where(rows, excess, 0.0).sum(axis=1) + own_bonus
        chosen = rows.copy()
        for first in range(0, len(rows), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            scores = excess[part] @ sets.T.astype(np.float64) + bonuses
            best = scores.argmax(axis=1)
            is_better = scores[np.arange(len(best)), best] > own[part] + TIE
            chosen[part][is_better] = sets[best[is_better]]
        return chosen

    def confidence(self, probability: FloatArray, decided: EncodedLabels) -> FloatArray:
        """Probability of exactly this set, if classes were independent of each other.

        Where every document has a class, given that it has one.
        """
        agrees = np.where(decided.membership, probability, 1.0 - probability)
        together: FloatArray = np.exp(np.log(np.maximum(agrees, TINY)).sum(axis=1))
        if not self.labels.allows_empty:
            is_none = np.exp(np.log(np.maximum(1.0 - probability, TINY)).sum(axis=1))
            together = np.minimum(together / np.maximum(1.0 - is_none, TINY), 1.0)
        return together

    def to_tensors(self) -> tuple[dict[str, Any] | None, Mapping[str, Any]]:
        labels = self.labels
        settings = {
            "kind": self.kind,
            "allows_empty": labels.allows_empty,
            "is_matrix": labels.is_matrix,
        }
        arrays = {
            "members": labels.members,
            "slopes": self.slopes,
            "bias": self.bias,
            "thresholds": self.thresholds,
            "bonuses": self.bonuses,
            "rates": np.zeros(0) if self.rates is None else self.rates,
        }
        return settings, arrays


def _bonuses_of(rows: BoolArray, sets: BoolArray, bonuses: FloatArray) -> FloatArray:
    """The bonus of each row that is one of the sets, else 0."""
    different, codes = numbered(np.vstack([sets, rows]))
    of_code = np.zeros(len(different))
    of_code[codes[: len(sets)]] = bonuses
    return of_code[codes[len(sets) :]]


def usual_decision(labels: Labels) -> Decision:
    """The decision for scores that nothing was calibrated for."""
    return SeveralLabels.plain(cast(LabelSets, labels)) if labels.has_sets else OneLabel(labels)
