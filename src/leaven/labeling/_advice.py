"""How far labeling has come: accuracy by audits, whether models still change, when to stop."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leaven._base.typing import IntArray
from leaven.labeling._events import Label
from leaven.significance import Z_90, wilson_interval

__all__ = [
    "Accuracy",
    "Advice",
    "Agreements",
    "Check",
    "accuracy_of_audits",
    "advise",
    "agreement",
    "audits_of",
    "n_right",
]

FEWEST_AUDITS = 10  # before an accuracy is shown
APART = 10  # labels between two models that are compared
AGREES, TIMES = 0.96, 3  # kappa of models that no longer change, and how often in a row
NO_NEW_CLASS_IN = 30  # answers
PER_CLASS = 5  # labels


class Accuracy(NamedTuple):
    """Accuracy on audits, with its 90 % interval."""

    accuracy: float
    low: float
    high: float
    n_audits: int


class Check(NamedTuple):
    """One condition of the advice to stop."""

    text: str
    holds: bool
    otherwise: str  # what to say while it does not hold


@dataclass(frozen=True)
class Advice:
    """Whether more labels are worth the effort."""

    stop: bool
    text: str
    checks: tuple[Check, ...] = ()


def audits_of(labels: Sequence[Label]) -> list[Label]:
    """Labels of documents drawn at random, where a model had predicted them before."""
    return [label for label in labels if label.why == "audit" and label.predicted is not None]


def n_right(audits: Sequence[Label]) -> int:
    """How many of the audits a model had predicted correctly."""
    return sum(set(audit.predicted or ()) == set(audit.classes) for audit in audits)


def accuracy_of_audits(labels: Sequence[Label]) -> Accuracy | None:
    """Share of the audits that the model of that moment classified correctly, if enough.

    An audit is a document drawn at random whose label the model did not know. Earlier audits met
    earlier models, so that the current one is at least as good, if labels help.
    """
    audits = audits_of(labels)
    if len(audits) < FEWEST_AUDITS:
        return None
    right = n_right(audits)
    low, high = wilson_interval(right, len(audits), Z_90)
    return Accuracy(right / len(audits), low, high, len(audits))


def agreement(a: IntArray, b: IntArray) -> float:
    """Cohen's kappa of two models' decisions on the same documents."""
    same = float((a == b).mean())
    codes = np.unique(np.concatenate([a, b]))
    by_chance = sum(float((a == code).mean() * (b == code).mean()) for code in codes)
    return 1.0 if by_chance >= 1.0 else (same - by_chance) / (1.0 - by_chance)


class Agreements:
    """Agreement of each model with the one ten labels before it."""

    def __init__(self) -> None:
        self._last: tuple[int, IntArray] | None = None
        self.found: list[tuple[int, float]] = []  # labels, kappa

    def add(self, n_labels: int, decided: IntArray) -> None:
        """Compare a model if there are ten more labels than at the last comparison.

        ``decided`` are numbers of classes, which mean the same in all models.
        """
        if self._last is not None and n_labels < self._last[0]:  # labels were taken back
            self._last = None
        if self._last is None:
            self._last = (n_labels, decided)
        elif n_labels >= self._last[0] + APART:
            self.found.append((n_labels, agreement(self._last[1], decided)))
            self._last = (n_labels, decided)

    @property
    def has_settled(self) -> bool:
        lately = self.found[-TIMES:]
        return len(lately) == TIMES and all(kappa >= AGREES for _, kappa in lately)


def advise(answers: Sequence[Label], sizes: Sequence[int], agreements: Agreements) -> Advice:
    """Advice from all answers in their order, the labels of each class, and the agreements."""
    if len(sizes) < 2:
        return Advice(False, "Name at least two classes, and label a document of each.")
    before = {number for each in answers[:-NO_NEW_CLASS_IN] for number in each.classes}
    lately = {number for each in answers[-NO_NEW_CLASS_IN:] for number in each.classes}
    checks = (
        Check(
            f"Every class has at least {PER_CLASS} labels",
            min(sizes) >= PER_CLASS,
            f"some classes have fewer than {PER_CLASS} labels",
        ),
        Check(
            f"No new class in the last {NO_NEW_CLASS_IN} answers",
            len(answers) > NO_NEW_CLASS_IN and lately <= before,
            f"a class was new within the last {NO_NEW_CLASS_IN} answers",
        ),
        Check(
            f"Models {APART} labels apart agree: kappa is {AGREES} or more, {TIMES} times in a row",
            agreements.has_settled,
            f"models {APART} labels apart still disagree",
        ),
    )
    if all(check.holds for check in checks):
        return Advice(
            True, "More labels will change little: export them, or train a model.", checks
        )
    missing = next(check for check in checks if not check.holds)
    return Advice(False, f"Keep labeling: {missing.otherwise}.", checks)
