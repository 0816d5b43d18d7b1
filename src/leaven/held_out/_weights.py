"""How much each expert counts, by held-out labels; and what accuracy to expect.

Experts' scores are added up with positive weights, log p(class | x) = sum_e w_e s_e(x) - log Z,
and the weights maximize the likelihood of labeled documents that the experts were not
trained on, times a log-normal prior: with few such documents the prior ranking decides, with
many the documents do. The same weights make the probabilities honest: an expert that is too
sure of itself gets a weight below one.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray, IntArray
from leaven.significance import Z_90

__all__ = [
    "Expectation",
    "calibration_error",
    "calibration_gaps",
    "expect_accuracy",
    "fit_weights",
    "log_softmax",
    "temper",
]

SPREAD = 1.0  # of the prior of log weights
# What accuracy to expect before any label was held out: fitted on training-side documents of
# fourteen corpora, where it missed by 0.13 (root mean square), as much as PRIOR_LABELS labels.
CHANCE, PER_WORD, BASE, PER_LABEL = 0.48, 0.05, 0.12, 0.08
PRIOR_LABELS = 12.0
# A model trained on all labels is better than those trained on four fifths of them.
PER_DOUBLING = 0.06
# Held-out documents of one labeled set share its luck, so they tell less than as many others.
PRIOR_CERTAINTY, CERTAINTY = 8.0, 0.6
SYSTEMATIC = 0.03  # and labeled documents are not quite like the others
UNKNOWN = 0.3  # half an interval that knows nearly nothing
MOST_FOR_MATCH = 4000  # documents are enough to see the mean confidence


@dataclass(frozen=True)
class Expectation:
    """Expected accuracy on new documents, and the interval that holds it nine times in ten."""

    accuracy: float
    low: float
    high: float
    n_held_out: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def fit_weights(
    held_out: Sequence[FloatArray],
    truth: IntArray,
    prior: Sequence[float],
    importance: FloatArray | None = None,
) -> FloatArray:
    """Weights of experts from their scores of held-out documents, (n_held_out, n_classes) each."""
    center = np.log(np.asarray(prior, dtype=np.float64))
    if not len(truth):
        return np.exp(center)
    from scipy.optimize import minimize  # half a second that only training needs

    scores = np.stack([np.asarray(own, dtype=np.float64) for own in held_out])
    rows = np.arange(len(truth))
    importance = np.ones(len(truth)) if importance is None else importance

    def loss(log_weights: FloatArray) -> tuple[float, FloatArray]:
        weights = np.exp(log_weights)
        log_p = log_softmax(np.tensordot(weights, scores, 1))
        gap = (log_weights - center) / SPREAD
        value = -(importance * log_p[rows, truth]).sum() + 0.5 * (gap**2).sum()
        error = np.exp(log_p)
        error[rows, truth] -= 1.0
        slope = np.tensordot(scores, importance[:, None] * error, axes=([1, 2], [0, 1]))
        return float(value), weights * slope + gap / SPREAD

    best: FloatArray = np.exp(minimize(loss, center, jac=True, method="L-BFGS-B").x)
    return best


def expect_accuracy(
    right: FloatArray,
    importance: FloatArray,
    n_classes: int,
    n_labeled: int,
    words_per_document: float,
    n_folds: int,
    covered: float = 1.0,
) -> Expectation:
    """Expected accuracy from which held-out documents were classified rightly.

    ``importance`` says how many documents of the corpus each of them stands for, ``covered``
    which share of the corpus is of classes that had a document to hold out; of the others
    nothing is known but what classes of one label usually have.
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


def temper(scores: FloatArray, expected: Expectation, weight: FloatArray | None = None) -> float:
    """The factor on the scores of unlabeled documents that makes confidence honest.

    A model is surer of documents that it was fitted on than of new ones, and one trained on
    all labels surer than those that its weights were fitted by. So mean confidence is moved
    half way to the accuracy expected; all the way where no label was held out.
    """
    from scipy.optimize import brentq

    if not len(scores):
        return 1.0
    every = -(-len(scores) // MOST_FOR_MATCH) or 1
    sample, own = scores[::every], None if weight is None else weight[::every]

    def confidence(log_factor: float) -> float:
        best = np.exp(log_softmax(np.exp(log_factor) * sample).max(axis=1))
        return float(np.average(best, weights=own))

    target = expected.accuracy
    if expected.n_held_out:
        target = (target + confidence(0.0)) / 2
    if not (confidence(-7.0) < target < confidence(7.0)):
        return 1.0
    return float(np.exp(brentq(lambda own: confidence(own) - target, -7.0, 7.0, xtol=1e-3)))


def log_softmax(scores: FloatArray) -> FloatArray:
    """Scores of classes as log probabilities."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    normalized: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalized


def calibration_error(confidence: FloatArray, right: Any, n_bins: int = 10) -> float:
    """Expected calibration error: accuracy against confidence, in bins of equal width."""
    if not len(confidence):
        return float("nan")
    return float(np.abs(calibration_gaps(confidence, right, n_bins)).sum() / len(confidence))


def calibration_gaps(confidence: FloatArray, right: Any, n_bins: int = 10) -> FloatArray:
    """Documents that were right, less confidence, in each bin; those of batches add up."""
    place = np.minimum((np.asarray(confidence) * n_bins).astype(np.int64), n_bins - 1)
    gap = np.asarray(right, np.float64) - confidence
    return np.bincount(place, gap, n_bins).astype(np.float64)
