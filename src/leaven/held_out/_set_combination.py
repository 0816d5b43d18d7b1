"""Experts, weights and the decision for documents with several labels."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from leaven._base.percent import percent
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.corpora import MOST_LABELED, TrainingSet
from leaven.documents._label_sets import LabelSets
from leaven.experts import SeveralLabels
from leaven.held_out._combination import Combination
from leaven.held_out._expectation import Expectation, expect_from_audits
from leaven.held_out._held_out import HeldOut
from leaven.held_out._set_weights import fit_set_weights, set_decision
from leaven.learners import Learned, Run
from leaven.significance import Z_90, wilson_interval

# Documents to hold out: more than for one label, because classes are judged one by one.
ENOUGH = 5000
FEWER_STEPS = 30  # of L-BFGS in a fit that is only reported

__all__ = ["calibrate_sets", "combine_sets"]


def calibrate_sets(learned: Learned, training: TrainingSet, run: Run) -> Combination:
    """One expert, with the weight, biases and thresholds that suit held-out labels."""
    return combine_sets([learned], training, run)


def combine_sets(members: Sequence[Learned], training: TrainingSet, run: Run) -> Combination:
    """Several experts, with weights, biases and thresholds that suit held-out labels."""
    held = HeldOut(training, run, ENOUGH)
    held_out = [held.scores(member) for member in members]
    rows = _representative(held, training)
    truth = training.labels.membership(held.truth[rows])
    labels = cast(LabelSets, training.labels)
    experts = tuple(member.expert for member in members)
    if not len(truth):
        nothing_held_out = Expectation(None, None, None, 0, 0.5, held.n_audited)
        weights = np.array([member.learner.prior_weight(training.size) for member in members])
        decision = SeveralLabels.plain(labels)
        return Combination(experts, weights, nothing_held_out, decision=decision)
    held_out = [scores[rows] for scores in held_out]
    fitted = fit_set_weights(held_out, truth)
    odds = fitted.log_odds(held_out)
    decision = set_decision(labels, fitted, odds, truth)
    expected = found = _expectation(decision.rows(odds), truth)
    if held.n_audited is not None:
        decided = _cross_fitted(held, labels, held_out, truth)
        right = (decided == truth).all(axis=1).astype(np.float64)
        expected = expect_from_audits(right, held.n_audited, held.n_alone)
    if len(members) == 1:
        return Combination(experts, fitted.weights, expected, decision=decision)
    reach = [w * scores.std() for w, scores in zip(fitted.weights, held_out, strict=True)]
    candidates = [
        _candidate(expert.name, labels, scores, truth, float(part / sum(reach)))
        for expert, scores, part in zip(experts, held_out, reach, strict=True)
    ]
    return Combination(
        experts, fitted.weights, expected, candidates, _reason(candidates, found, held), decision
    )


def _representative(held: HeldOut, training: TrainingSet) -> IntArray:
    """Held-out documents whose sets are as frequent as in all labeled documents.

    Of very many documents a sample is held out, in which rare sets are too frequent. Sets that
    are rarer in it, because copies were merged, stay so.
    """
    codes, weights = training.labeled.y, training.label_weights
    truth = held.truth
    # Audits are a sample of their own, all of which are kept.
    if weights.sum() <= MOST_LABELED or not len(truth) or training.audited is not None:
        return np.arange(len(truth))
    share = np.bincount(codes, minlength=len(weights)) / np.maximum(weights, 1e-12)
    order = np.argsort(share, kind="stable")
    middle = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    usual = share[order[middle]]  # of half of the documents
    rng = np.random.default_rng(training.labels.n_codes)
    return np.flatnonzero(rng.random(len(truth)) < usual / share[truth])


def _candidate(
    name: str, labels: LabelSets, scores: FloatArray, truth: BoolArray, part: float
) -> dict[str, Any]:
    """How well one expert would do alone."""
    fitted = fit_set_weights([scores], truth, FEWER_STEPS)
    odds = fitted.log_odds([scores])
    found = _expectation(SeveralLabels.plain(labels).rows(odds), truth)
    return {
        "name": name,
        "accuracy": found.accuracy,
        "low": found.low,
        "high": found.high,
        "share": part,
    }


def _reason(candidates: list[dict[str, Any]], expected: Expectation, held: HeldOut) -> str:
    best = max(candidates, key=lambda each: float(each["accuracy"]))
    return (
        f"exact match on {expected.n_held_out:,} {held.kind} documents: "
        f"{percent(cast(float, expected.accuracy))} combined, {percent(best['accuracy'])} for the "
        f"{best['name']} alone"
    )


def _cross_fitted(
    held: HeldOut, labels: LabelSets, held_out: Sequence[FloatArray], truth: BoolArray
) -> BoolArray:
    """Sets decided on in each fold by weights and a decision that suit the others."""
    decided = np.zeros_like(truth)
    for fold, others in held.each_fold():
        fitted = fit_set_weights([scores[others] for scores in held_out], truth[others])
        odds = fitted.log_odds([scores[others] for scores in held_out])
        decision = set_decision(labels, fitted, odds, truth[others])
        decided[fold] = decision.rows(fitted.log_odds([scores[fold] for scores in held_out]))
    return decided


def _expectation(decided: BoolArray, truth: BoolArray) -> Expectation:
    """Expected share of documents whose whole set is predicted correctly."""
    right = (decided == truth).all(axis=1)
    low, high = wilson_interval(int(right.sum()), len(right), Z_90)
    accuracy = float(right.mean())
    return Expectation(accuracy, low, high, len(right), accuracy)
