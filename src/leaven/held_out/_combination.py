"""Experts with their weights, and their expected accuracy."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.corpora import Block, TrainingSet, sample_documents
from leaven.documents._labels import Labels
from leaven.experts import Decision, Expert, checked_scores
from leaven.held_out._expectation import Expectation
from leaven.held_out._held_out import HeldOut
from leaven.held_out._weights import fit_weights, temper
from leaven.learners import Learned, Run

__all__ = ["Combination", "calibrate", "class_shares", "sampled_documents", "tempering"]

MOST_LOOKED_AT = 20_000  # documents that stand for all, on which experts' scores are compared
MOST_SCORES = 20_000_000  # of these documents, by one expert; fewer are used where classes are many


@dataclass(frozen=True, eq=False)
class Combination:
    """The experts of a classifier, their weights, and how these were chosen."""

    experts: tuple[Expert, ...]
    weights: FloatArray  # (n_experts,)
    expected: Expectation | None = None
    candidates: list[dict[str, Any]] = field(default_factory=list)  # what was compared
    reason: str | None = None
    decision: Decision | None = None  # None: the usual one for the labels
    beside: "Combination | None" = None  # experts that see the documents counted in another way


def calibrate(learned: Learned, training: TrainingSet, run: Run) -> Combination:
    """One expert, with the weight that calibrates its probabilities."""
    held = HeldOut(training, run)
    held_out = held.scores(learned)
    prior = learned.learner.prior_weight(training.size)
    seen = sampled_documents(training)
    scores = checked_scores(learned.expert, seen.X, seen.vectors, training.n_classes)
    shares = class_shares(training.labels, scores, seen.weight)
    weights = fit_weights([held_out], held.truth, [prior], held.importance(shares))
    expected = held.expectation(held_out, shares)
    weights = weights * tempering(weights[0] * scores, seen, expected)
    return Combination((learned.expert,), weights, expected)


def sampled_documents(training: TrainingSet) -> Block:
    """Documents that represent all, on which to compare the scores of experts."""
    every = sample_documents(training.corpus, MOST_LOOKED_AT)
    most = max(MOST_SCORES // training.n_classes, 1)
    if len(every.y) <= most:
        return every
    # A sample keeps documents of every class, so that with many classes it must be drawn from.
    rows = np.sort(np.random.default_rng(0).choice(len(every.y), most, replace=False))
    drawn = every.rows(rows)
    return replace(drawn, weight=drawn.weight * (every.weight.sum() / drawn.weight.sum()))


def class_shares(labels: Labels, scores: FloatArray, weight: FloatArray) -> FloatArray:
    """Classes' shares of the documents, as decided by their scores; none is zero."""
    counts = np.bincount(labels.decide(scores), weight, len(labels)) + 1.0
    return np.asarray(counts / counts.sum(), np.float64)


def tempering(scores: FloatArray, seen: Block, expected: Expectation) -> float:
    """Factor on scores by which confidence in unlabeled documents suits the expected accuracy."""
    is_unlabeled = seen.y < 0
    return temper(scores[is_unlabeled], expected, seen.weight[is_unlabeled])
