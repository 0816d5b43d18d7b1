"""Weights, biases and thresholds for documents with several labels, fitted to held-out labels.

Log odds of a class are the weighted sum of the experts' scores plus a bias of the class. Weights
and biases maximize the likelihood of held-out labels times priors, so that the odds are calibrated.
A class is predicted above a threshold.
"""

from collections.abc import Sequence

import numpy as np

from leaven._base.typing import BoolArray, FloatArray

__all__ = ["choose_thresholds", "fit_set_weights"]

SPREAD = 1.0  # of the prior of log weights
BIAS_SPREAD = 1.0  # of the prior of a class's bias around that of all classes


def fit_set_weights(
    held_out: Sequence[FloatArray], truth: BoolArray, prior: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Weights (n_experts,) and biases (n_classes,) from scores (n_held_out, n_classes) each."""
    center = np.log(np.asarray(prior, dtype=np.float64))
    n_experts, n_classes = len(center), truth.shape[1]
    if not len(truth):
        return np.exp(center), np.zeros(n_classes)
    from scipy.optimize import minimize  # half a second that only training needs

    scores = np.stack([np.asarray(each, dtype=np.float64) for each in held_out])
    sign = np.where(truth, 1.0, -1.0)

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        log_weights, common, own = np.split(values, [n_experts, n_experts + 1])
        weights = np.exp(log_weights)
        odds = np.tensordot(weights, scores, 1) + common + own
        gap = (log_weights - center) / SPREAD
        far = own / BIAS_SPREAD
        value = np.logaddexp(0.0, -sign * odds).sum() + 0.5 * ((gap**2).sum() + (far**2).sum())
        error = -sign / (1.0 + np.exp(np.clip(sign * odds, -500, 500)))
        slope = np.tensordot(scores, error, axes=([1, 2], [0, 1]))
        of_class = error.sum(axis=0)
        parts = [weights * slope + gap / SPREAD, [of_class.sum()], of_class + far / BIAS_SPREAD]
        return float(value), np.concatenate(parts)

    start = np.concatenate([center, np.zeros(1 + n_classes)])
    best = minimize(loss, start, jac=True, method="L-BFGS-B").x
    log_weights, common, own = np.split(best, [n_experts, n_experts + 1])
    return np.exp(log_weights), common + own


def choose_thresholds(probability: FloatArray, truth: BoolArray) -> FloatArray:
    """Thresholds of the classes, (n_classes,)."""
    return np.full(truth.shape[1], 0.5)
