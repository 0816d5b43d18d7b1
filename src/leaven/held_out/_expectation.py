"""Expected accuracy on new documents, from held-out labels and a prior from other corpora."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.significance import Z_90, wilson_interval

__all__ = [
    "FEWEST_AUDITED",
    "Expectation",
    "expect_accuracy",
    "expect_from_audits",
    "usual_accuracy",
]

# Expected accuracy before any label is held out: fitted on training-side documents of
# fourteen corpora, where it missed by 0.13 (root mean square), as much as PRIOR_LABELS labels.
# On other corpora it misses by more, so it is a prior and never stated by itself.
CHANCE, PER_WORD, BASE, PER_LABEL = 0.48, 0.05, 0.12, 0.08
PRIOR_LABELS = 12.0  # held-out labels that the prior is worth
MOST_USUAL = 0.95  # accuracy that is expected of any corpus before labels are held out
# Half the width of the range that is stated with one label per class. On training-side documents of
# N_CORPORA corpora, twelve of them of short texts, it contained the accuracy in nine of ten fits.
ALONE, N_CORPORA = 0.3, 20
# A model trained on all labels is better than those trained on four fifths of them: by so much
# per doubling of the labels, at an accuracy of one half.
PER_DOUBLING = 0.06
MOST_SEEN = 0.99  # accuracy on held-out labels, with this gain added
# Held-out documents of one labeled set are correlated, so each counts less than one: with these
# numbers intervals contained the accuracy in nine of ten fits to the same documents.
PRIOR_CERTAINTY, CERTAINTY = 6.0, 0.45
SYSTEMATIC = 0.03  # and labeled documents are not quite like the others
# Beside classes of many labels, those of one get less than they would among their like.
STARVED = 0.5
# Fewer documents drawn at random say too little: the interval of 10 is about 40 points wide.
FEWEST_AUDITED = 10


@dataclass(frozen=True)
class Expectation:
    """Expected accuracy on new documents, and its 90 % interval.

    Where no label was held out, the accuracy cannot be known and is None: the interval, if there is
    one, and ``guess`` are only what other corpora with as many classes and words suggest.
    """

    accuracy: float | None
    low: float | None
    high: float | None
    n_held_out: int
    guess: float  # the accuracy that probabilities are calibrated to
    n_audited: int | None = None  # labels of documents drawn at random; None where not known
    n_right: int | None = None  # held-out ones that were predicted correctly, where all are audited

    def to_json(self) -> dict[str, Any]:
        """As reports hold it; where nothing was held out, with the number of other corpora."""
        found = {
            "accuracy": self.accuracy,
            "low": self.low,
            "high": self.high,
            "n_held_out": self.n_held_out,
        }
        if self.n_audited is not None:
            found["n_audited"] = self.n_audited
            found["n_audits_needed"] = max(FEWEST_AUDITED - self.n_audited, 0)
            found["n_right"] = self.n_right
        if not self.n_held_out and self.low is not None:
            found["n_study_corpora"] = N_CORPORA
        return found


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
    alone, prior = usual_accuracy(n_classes, n_labeled, words_per_document)
    if not len(right):
        if n_labeled > n_classes:  # labels could be held out, but the fit was stopped
            return Expectation(None, None, None, 0, float(prior))
        low, high = max(alone - ALONE, 0.0), min(alone + ALONE, 1.0)
        return Expectation(None, low, high, 0, float(prior))
    n_effective = float(importance.sum() ** 2 / (importance**2).sum())
    seen = float(np.average(right, weights=importance))
    gain = PER_DOUBLING * np.log2(n_folds / (n_folds - 1.0))
    seen = min(seen + gain * 4 * seen * (1 - seen), MOST_SEEN)
    total = PRIOR_LABELS + n_effective
    mean = (PRIOR_LABELS * prior + n_effective * seen) / total
    certain = PRIOR_CERTAINTY + CERTAINTY * n_effective
    spread = Z_90 * np.sqrt(mean * (1 - mean) / certain + SYSTEMATIC**2)
    least, most = covered
    low = least * max(mean - spread, 0.0)
    high = most * min(mean + spread, 1.0) + (1 - most) * min(alone + ALONE, 1.0)
    middle = (least + most) / 2
    mean = middle * mean + (1 - middle) * STARVED * alone
    return Expectation(float(mean), float(low), float(high), len(right), float(mean))


def expect_from_audits(
    right: FloatArray, n_audited: int, n_alone: int, guess: float = 0.5
) -> Expectation:
    """Expected accuracy, given which documents of a random sample were classified correctly.

    The models were trained on almost all labels, so nothing is added for training on all. Of the
    ``n_audited`` documents ``n_alone`` are the only labeled ones of their class, which could not be
    held out: the interval allows for all of them to be misclassified, and for none. It is Wilson's,
    whose middle is the observed share shrunk towards one half. The accuracy stated is shrunk by as
    much, but towards the ``guess`` from other corpora: ten documents of ten classified correctly
    are no reason to expect 100 %. It is always inside the interval.
    """
    if not len(right):
        return Expectation(None, None, None, 0, guess, n_audited)
    n_right = int(right.sum())
    # Of very many documents only a part was held out, and the others count in proportion.
    n_alone = round(n_alone * len(right) / (n_audited - n_alone))
    n = len(right) + n_alone
    low, _ = wilson_interval(n_right, n, Z_90)
    _, high = wilson_interval(n_right + n_alone, n, Z_90)
    mean = (n_right + STARVED * n_alone + Z_90**2 * guess) / (n + Z_90**2)
    return Expectation(mean, low, high, len(right), mean, n_audited, n_right)


def usual_accuracy(
    n_classes: int, n_labeled: int, words_per_document: float
) -> tuple[float, float]:
    """The usual accuracy with one label per class, and with as many as there are."""
    per_class = max(n_labeled / n_classes, 1.0)
    alone = BASE + CHANCE / n_classes + PER_WORD * np.log(max(words_per_document, 1.0))
    alone = min(max(alone, 1 / n_classes), MOST_USUAL)
    return float(alone), float(min(alone + PER_LABEL * np.log(per_class), MOST_USUAL))
