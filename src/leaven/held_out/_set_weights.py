"""Weights, thresholds and preferred sets for documents with several labels, from held-out labels.

The log odds of class c are exp(a_c) * sum_e w_e s_ec + b + b_c, with a weight w_e for each expert,
and a slope and a bias of the class. They maximize the likelihood of held-out labels times
priors, so that the odds are calibrated. A class is predicted above a threshold, which lies between
that of the fewest errors and that of the best F1; sets that occur oftener than independent
classes would are preferred.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leaven._base.measures import logit, sigmoid
from leaven._base.typing import BoolArray, FloatArray
from leaven.documents._label_sets import LabelSets, numbered
from leaven.experts import SeveralLabels

__all__ = ["SetWeights", "fit_set_weights", "set_decision"]

# Spreads of the priors: of log weights around one over the spread of the scores, of log slopes
# around 0, of biases of classes around the common one.
SPREAD, SLOPE_SPREAD, BIAS_SPREAD = 1.0, 0.5, 2.0
MOST_STEPS = 200  # of L-BFGS
LEAST_SPREAD = 1e-9  # of an expert's scores, whose inverse is the center of its weight's prior
# How much the preference of sets counts: the best of these, by whole sets predicted correctly.
PREFERENCES = (0.0, 0.25, 0.5, 0.75, 1.0)
FEW = 50  # held-out documents; fewer tell nothing about sets, and little about the threshold
HALF_WAY = 0.5  # of the threshold, from one half to that of the best expected F1, in log odds
PSEUDO_DOCUMENTS = 0.5  # with a class, and as many without, added to the held-out ones
PSEUDO_SETS = 1.0  # added to the documents of a set, and to those expected
MOST_SETS = 2000  # the most frequent ones can be preferred
CELLS_AT_ONCE = 20_000_000  # pairs of documents and sets in memory together
SEED = 1  # of the halves in which preferences are compared


@dataclass(frozen=True, eq=False)
class SetWeights:
    """Weights of experts, and slopes and biases of classes."""

    weights: FloatArray  # (n_experts,)
    slopes: FloatArray  # (n_classes,)
    bias: FloatArray  # (n_classes,)

    def log_odds(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Log odds of the classes from the experts' scores."""
        odds: FloatArray = self.slopes * np.tensordot(self.weights, np.stack(scores), 1)
        return odds + self.bias


def fit_set_weights(
    held_out: Sequence[FloatArray], truth: BoolArray, most_steps: int = MOST_STEPS
) -> SetWeights:
    """Weights from scores of held-out documents, (n_held_out, n_classes) for each expert.

    A class that no held-out document has, or all of them, tells nothing about its slope.
    """
    from scipy.optimize import minimize  # half a second that only training needs

    scores = np.stack([np.asarray(each, dtype=np.float64) for each in held_out])
    n_experts, _, n_classes = scores.shape
    center = -np.log(np.maximum(scores.std(axis=(1, 2)), LEAST_SPREAD))
    cuts = [n_experts, n_experts + 1, n_experts + 1 + n_classes]

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        log_weights, common, own, log_slopes = np.split(values, cuts)
        weights, slopes = np.exp(log_weights), np.exp(log_slopes)
        sums = np.tensordot(weights, scores, 1)
        odds = sums * slopes + (common + own)
        shrunk = np.exp(-np.abs(odds))
        value = np.maximum(odds, 0.0).sum() + np.log1p(shrunk).sum() - odds[truth].sum()
        error = np.where(odds >= 0, 1.0, shrunk) / (1.0 + shrunk) - truth
        sloped = error * slopes
        gap, far, steep = log_weights - center, own / BIAS_SPREAD**2, log_slopes / SLOPE_SPREAD**2
        of_class = error.sum(axis=0)
        value += 0.5 * ((gap**2).sum() / SPREAD**2 + far @ own + steep @ log_slopes)
        slope = np.tensordot(scores, sloped, axes=([1, 2], [0, 1]))
        parts = [
            weights * slope + gap / SPREAD**2,
            [of_class.sum()],
            of_class + far,
            (sloped * sums).sum(axis=0) + steep,
        ]
        return float(value), np.concatenate(parts)

    rate = (truth.sum() + PSEUDO_DOCUMENTS) / (truth.size + 2 * PSEUDO_DOCUMENTS)
    start = np.concatenate(
        [center - np.log(n_experts), [logit(np.array(rate))], np.zeros(2 * n_classes)]
    )
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": most_steps}).x
    log_weights, common, own, log_slopes = np.split(best, cuts)
    return SetWeights(np.exp(log_weights), np.exp(log_slopes), common + own)


def set_decision(
    labels: LabelSets, fitted: SetWeights, odds: FloatArray, truth: BoolArray
) -> SeveralLabels:
    """The decision for calibrated log odds of held-out documents and their true classes."""
    level = _threshold(sigmoid(odds))
    thresholds = np.full(len(labels), level)
    counts = np.zeros(labels.n_codes)
    rates = (truth.sum(axis=0) + PSEUDO_DOCUMENTS) / (len(truth) + 2 * PSEUDO_DOCUMENTS)
    decision = SeveralLabels(labels, fitted.slopes, fitted.bias, thresholds, counts, rates)
    is_first = np.random.default_rng(SEED).permutation(len(truth)) % 2 == 0
    n_right = np.zeros(len(PREFERENCES), np.int64)
    for half in (is_first, ~is_first) if len(truth) >= FEW else ():
        bonus = _log_ratios(labels, odds[half], truth[half])
        for number, preference in enumerate(PREFERENCES):
            tried = replace(decision, bonuses=preference * bonus)
            right = (tried.rows(odds[~half]) == truth[~half]).all(axis=1)
            n_right[number] += int(right.sum())
    preference = PREFERENCES[int(n_right.argmax())]
    return replace(decision, bonuses=preference * _log_ratios(labels, odds, truth))


def _threshold(probability: FloatArray) -> float:
    """Half way, in log odds, between one half and the threshold of the best expected F1.

    The largest expected F1 of predicting the k most probable of all pairs of documents and
    classes is F = max_k 2 sum_{top k} p / (k + sum p); the best threshold is F / 2.
    With few documents, which do not tell F, it stays nearer to one half.
    """
    p = -np.sort(-probability.ravel())
    best = (2.0 * np.cumsum(p) / (np.arange(1, len(p) + 1) + p.sum())).max()
    certainty = len(probability) / (len(probability) + FEW)
    return float(sigmoid(HALF_WAY * certainty * logit(np.array(best / 2.0))))


def _log_ratios(labels: LabelSets, odds: FloatArray, truth: BoolArray) -> FloatArray:
    """How much oftener each set occurs than if classes were independent: a logarithm for each.

    The number of documents of each set and the number expected by the classes' probabilities,
    both plus one, are divided.
    """
    together, codes = numbered(np.vstack([labels.members, truth]))
    number = np.bincount(codes[labels.n_codes :], minlength=len(together))
    n_documents = number[codes[: labels.n_codes]].astype(np.float64)
    frequent = np.argsort(-n_documents, kind="stable")[:MOST_SETS]
    frequent = frequent[n_documents[frequent] > 0]
    sets = labels.members[frequent].T.astype(np.float64)
    expected = np.zeros(len(frequent))
    at_once = max(CELLS_AT_ONCE // max(len(frequent), 1), 1)
    for first in range(0, len(odds), at_once):
        part = odds[first : first + at_once]
        of_none = np.logaddexp(0.0, part).sum(axis=1)
        expected += np.exp(part @ sets - of_none[:, None]).sum(axis=0)
    ratios = np.zeros(labels.n_codes)
    ratios[frequent] = np.log((n_documents[frequent] + PSEUDO_SETS) / (expected + PSEUDO_SETS))
    return ratios
