"""Measures computed from scores and counts of correct predictions."""

from typing import Any

import numpy as np

from leaven._base.typing import FloatArray, IntArray

__all__ = [
    "calibration_error",
    "calibration_gaps",
    "log_softmax",
    "logit",
    "macro_f1",
    "micro_f1",
    "sigmoid",
    "softmax",
]

NEAREST_TO_CERTAIN = 1e-12  # a probability that is not told apart from 0, or from 1


def log_softmax(scores: FloatArray) -> FloatArray:
    """Scores of classes as log probabilities."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    normalized: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalized


def softmax(scores: FloatArray) -> FloatArray:
    """Scores of classes as probabilities."""
    probabilities: FloatArray = np.exp(log_softmax(scores))
    return probabilities


def sigmoid(scores: FloatArray) -> FloatArray:
    """Log odds as probabilities."""
    odds = np.exp(-np.abs(scores))
    probabilities: FloatArray = np.where(scores >= 0, 1.0, odds) / (1.0 + odds)
    return probabilities


def logit(probabilities: FloatArray) -> FloatArray:
    """Probabilities as log odds, which are finite."""
    inside = np.clip(probabilities, NEAREST_TO_CERTAIN, 1.0 - NEAREST_TO_CERTAIN)
    scores: FloatArray = np.log(inside) - np.log1p(-inside)
    return scores


def macro_f1(n_right: IntArray, n_true: IntArray, n_predicted: IntArray) -> float:
    """Mean F1 of the classes that occur among the labels or the predictions."""
    n_both = n_true + n_predicted
    occurs = n_both > 0
    return float((2 * n_right[occurs] / n_both[occurs]).mean()) if occurs.any() else 0.0


def micro_f1(n_right: IntArray, n_true: IntArray, n_predicted: IntArray) -> float:
    """F1 of all pairs of a document and a class together."""
    return float(2 * n_right.sum() / max(int(n_true.sum() + n_predicted.sum()), 1))


def calibration_error(confidence: FloatArray, right: Any, n_bins: int = 10) -> float:
    """Expected calibration error: accuracy against confidence, in bins of equal width."""
    if not len(confidence):
        return float("nan")
    return float(np.abs(calibration_gaps(confidence, right, n_bins)).sum() / len(confidence))


def calibration_gaps(confidence: FloatArray, right: Any, n_bins: int = 10) -> FloatArray:
    """Number of correct documents minus total confidence, by bin; gaps of batches add up."""
    place = np.minimum((np.asarray(confidence) * n_bins).astype(np.int64), n_bins - 1)
    gap = np.asarray(right, np.float64) - confidence
    return np.bincount(place, gap, n_bins).astype(np.float64)
