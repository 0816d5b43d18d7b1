"""Weights of experts, fitted to held-out labels.

Experts' scores are added up with positive weights, log p(class | x) = sum_e w_e s_e(x) - log Z,
and the weights maximize the likelihood of labeled documents that the experts were not
trained on, times a log-normal prior: with few such documents the prior ranking decides, with
many the documents do. The same weights calibrate the probabilities: an overconfident expert
gets a weight below one.
"""

from collections.abc import Sequence

import numpy as np

from leaven._base.measures import log_softmax
from leaven._base.typing import FloatArray, IntArray
from leaven.held_out._expectation import Expectation

__all__ = ["fit_weights", "temper"]

SPREAD = 1.0  # of the prior of log weights
MOST_FOR_MATCH = 4000  # documents are enough to estimate the mean confidence
PART_OF_WAY = 0.5  # by which the mean confidence is moved to the expected accuracy
# The logarithm of the factor on the scores is sought between minus and plus this, this precisely.
FARTHEST, PRECISION = 7.0, 1e-3


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

    scores = np.stack([np.asarray(each, dtype=np.float64) for each in held_out])
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


def temper(scores: FloatArray, expected: Expectation, weight: FloatArray | None = None) -> float:
    """The factor on the scores that calibrates the confidence in unlabeled documents.

    A model is more confident in documents that it was fitted on than in new ones, and one
    trained on all labels more than those that its weights were fitted to. So mean confidence is
    moved half way to the expected accuracy; where no label was held out, all the way to the
    accuracy that other corpora suggest.
    """
    from scipy.optimize import brentq

    if not len(scores):
        return 1.0
    every = -(-len(scores) // MOST_FOR_MATCH) or 1
    sample = scores[::every]
    sample_weight = None if weight is None else weight[::every]

    def confidence(log_factor: float) -> float:
        best = np.exp(log_softmax(np.exp(log_factor) * sample).max(axis=1))
        return float(np.average(best, weights=sample_weight))

    target = expected.guess
    if expected.n_held_out:
        target = PART_OF_WAY * target + (1 - PART_OF_WAY) * confidence(0.0)
    if not (confidence(-FARTHEST) < target < confidence(FARTHEST)):
        return 1.0
    log_factor = brentq(
        lambda value: confidence(value) - target, -FARTHEST, FARTHEST, xtol=PRECISION
    )
    return float(np.exp(log_factor))
