"""Expected accuracy on new documents, from held-out labels and a prior from other corpora."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.significance import Z_90

__all__ = ["Expectation", "expect_accuracy"]

# Expected accuracy before any label is held out: fitted on training-side documents of
# fourteen corpora, where it missed by 0.13 (root mean square), as much as PRIOR_LABELS labels.
CHANCE, PER_WORD, BASE, PER_LABEL = 0.48, 0.05, 0.12, 0.08
PRIOR_LABELS = 12.0
# A model trained on all labels is better than those trained on four fifths of them.
PER_DOUBLING = 0.06
# Held-out documents of one labeled set are correlated, so each counts less than one.
PRIOR_CERTAINTY, CERTAINTY = 8.0, 0.6
SYSTEMATIC = 0.03  # and labeled documents are not quite like the others
UNKNOWN = 0.3  # half-width of the interval for classes without evidence


@dataclass(frozen=True)
class Expectation:
    """Expected accuracy on new documents, and its 90 % interval."""

    accuracy: float
    low: float
    high: float
    n_held_out: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def expect_accuracy(
    right: FloatArray,
    importance: FloatArray,
    n_classes: int,
    n_labeled: int,
    words_per_document: float,
    n_folds: int,
    covered: float = 1.0,
) -> Expectation:
    """Expected accuracy, given which held-out documents were classified correctly.

    ``importance`` is the weight of each of them, ``covered`` the share of the corpus in classes
    with a document to hold out; for the other classes the usual accuracy with one label is
    assumed.
    """
    per_class = max(n_labeled / n_classes, 1.0)
    alone = BASE + CHANCE / n_classes + PER_WORD * np.log(max(words_per_document, 1.0))
    alone = min(max(alone, 1 / n_classes), 0.95)
    prior = min(alone + PER_LABEL * np.log(per_class), 0.95)
    seen, n_effective = 0.0, 0.0
    if len(right):
        n_effective = float(importance.sum() ** 2 / (importance**2).sum())
        seen = float(np.average(right, weights=importance))
        gain = PER_DOUBLING * np.log2(n_folds / (n_folds - 1.0))
        seen = min(seen + gain * 4 * seen * (1 - seen), 0.99)
    total = PRIOR_LABELS + n_effective
    mean = (PRIOR_LABELS * prior + n_effective * seen) / total
    certain = PRIOR_CERTAINTY + CERTAINTY * n_effective
    spread = Z_90 * np.sqrt(mean * (1 - mean) / certain + SYSTEMATIC**2)
    if len(right):
        mean = covered * mean + (1 - covered) * alone
        spread = covered * spread + (1 - covered) * UNKNOWN
    low, high = max(mean - spread, 0.0), min(mean + spread, 1.0)
    return Expectation(float(mean), float(low), float(high), len(right))
