"""Experts, weights and the decision for documents with several labels."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from leaven._base.typing import BoolArray
from leaven.corpora import TrainingSet
from leaven.documents._label_sets import LabelSets
from leaven.experts import SeveralLabels
from leaven.held_out._combination import Combination
from leaven.held_out._expectation import Expectation
from leaven.held_out._held_out import HeldOut
from leaven.held_out._set_weights import fit_set_weights, set_decision
from leaven.learners import Learned, Run
from leaven.significance import Z_90, wilson_interval

# Documents to hold out: more than for one label, because classes are judged one by one.
ENOUGH = 5000

__all__ = ["calibrate_sets", "combine_sets"]


def calibrate_sets(learned: Learned, training: TrainingSet, run: Run) -> Combination:
    """One expert, with the weight, biases and thresholds that suit held-out labels."""
    return combine_sets([learned], training, run)


def combine_sets(members: Sequence[Learned], training: TrainingSet, run: Run) -> Combination:
    """Several experts, with weights, biases and thresholds that suit held-out labels."""
    held = HeldOut(training, run, ENOUGH)
    held_out = [held.scores(member) for member in members]
    truth = training.labels.membership(held.truth)
    held_out = [scores[: len(truth)] for scores in held_out]  # fewer, where it was stopped
    labels = cast(LabelSets, training.labels)
    experts = tuple(member.expert for member in members)
    if not len(truth):
        nothing_held_out = Expectation(None, None, None, 0, 0.5)
        weights = np.array([member.learner.prior_weight(training.size) for member in members])
        decision = SeveralLabels.plain(labels)
        return Combination(experts, weights, nothing_held_out, decision=decision)
    fitted = fit_set_weights(held_out, truth)
    odds = fitted.log_odds(held_out)
    decision = set_decision(labels, fitted, odds, truth)
    expected = _expectation(decision.rows(odds), truth)
    return Combination(experts, fitted.weights, expected, decision=decision)


def _expectation(decided: BoolArray, truth: BoolArray) -> Expectation:
    """Expected share of documents whose whole set is predicted correctly."""
    right = (decided == truth).all(axis=1)
    low, high = wilson_interval(int(right.sum()), len(right), Z_90)
    accuracy = float(right.mean())
    return Expectation(accuracy, low, high, len(right), accuracy)
