"""Expected accuracy on new documents, from held-out labels and a prior from other corpora."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.significance import Z_90

__all__ = ["Expectation", "expect_accuracy"]

# Least and largest accuracy of method auto with one label per class, over the draws and corpora
# of studies/few_labels.py: a test compares these with its results.
STUDY_LOW, STUDY_HIGH, N_STUDY_CORPORA = 0.11, 0.80, 8
# Expected accuracy before any label is held out: fitted on training-side documents of
# fourteen corpora, where it missed by 0.13 (root mean square), as much as PRIOR_LABELS labels.
# On other corpora it misses by more, so it is a prior and never stated by itself.
CHANCE, PER_WORD, BASE, PER_LABEL = 0.48, 0.05, 0.12, 0.08
PRIOR_LABELS = 12.0
# A model trained on all labels is better than those trained on four fifths of them.
PER_DOUBLING = 0.06
# Held-out documents of one labeled set are correlated, so each counts less than one.
PRIOR_CERTAINTY, CERTAINTY = 8.0, 0.6
SYSTEMATIC = 0.03  # and labeled documents are not quite like the others
# Beside classes of many labels, those of one get less than they would among their like.
STARVED = 0.5


@dataclass(frozen=True)
class Expectation:
    """Expected accuracy on new documents, and its 90 % interval.

    All three are None where no label was held out: then the accuracy cannot be known, and
    ``guess`` is only what other corpora suggest.
    """

    accuracy: float | None
    low: float | None
    high: float | None
    n_held_out: int
    guess: float  # the accuracy that probabilities are calibrated to

    def to_json(self) -> dict[str, Any]:
        """As reports hold it; where nothing was held out, with the range that a study found."""
        found = {
            "accuracy": self.accuracy,
            "low": self.low,
            "high": self.high,
            "n_held_out": self.n_held_out,
        }
        if self.n_held_out:
            return found
        study = {
            "study_low": STUDY_LOW,
            "study_high": STUDY_HIGH,
            "n_study_corpora": N_STUDY_CORPORA,
        }
        return {**found, **study}


def expect_accuracy(
    right: FloatArray,
    importance: FloatArray,
    n_classes: int,
    n_labeled: int,
    words_per_document: float,
    n_folds: int,
    covered: tuple[float, float] = (1.0, 1.0),
) -> Expectation:
    """Expected accuracy, given which held-out documents were classified correctly, if any.

    ``importance`` is the weight of each of them, ``covered`` the least and the largest share of
    the corpus that classes with more than one label may have. Of the documents of the others
    none could be held out: the interval allows for all of them to be misclassified.
    """
    per_class = max(n_labeled / n_classes, 1.0)
    alone = BASE + CHANCE / n_classes + PER_WORD * np.log(max(words_per_document, 1.0))
    alone = min(max(alone, 1 / n_classes), 0.95)
    prior = min(alone + PER_LABEL * np.log(per_class), 0.95)
    if not len(right):
        return Expectation(None, None, None, 0, float(prior))
    n_effective = float(importance.sum() ** 2 / (importance**2).sum())
    seen = float(np.average(right, weights=importance))
    gain = PER_DOUBLING * np.log2(n_folds / (n_folds - 1.0))
    seen = min(seen + gain * 4 * seen * (1 - seen), 0.99)
    total = PRIOR_LABELS + n_effective
    mean = (PRIOR_LABELS * prior + n_effective * seen) / total
    certain = PRIOR_CERTAINTY + CERTAINTY * n_effective
    spread = Z_90 * np.sqrt(mean * (1 - mean) / certain + SYSTEMATIC**2)
    least, most = covered
    low = least * max(mean - spread, 0.0)
    high = most * min(mean + spread, 1.0) + (1 - most) * STUDY_HIGH
    middle = (least + most) / 2
    mean = middle * mean + (1 - middle) * STARVED * alone
    return Expectation(float(mean), float(low), float(high), len(right), float(mean))
