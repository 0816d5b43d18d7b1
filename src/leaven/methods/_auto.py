"""The default method: linear models and two kinds of EM, weighted by held-out labels."""

from dataclasses import replace
from typing import Any

import numpy as np

from leaven._base.percent import percent
from leaven._base.typing import FloatArray
from leaven.corpora import TrainingSet
from leaven.held_out import (
    Combination,
    HeldOut,
    class_shares,
    fit_weights,
    sampled_scores,
    tempered,
)
from leaven.learners import Learned, Run
from leaven.learners._frequent_words import FrequentWordsLearner
from leaven.learners._linear import LinearLearner, LinearVectorsLearner
from leaven.methods._registry import METHODS
from leaven.significance import Z_90, wilson_interval

__all__ = ["blend"]

SURE = 2.0  # standard errors by which the supervised model must win to be used alone
LITTLE = 0.1  # a share of the weight that is negligible


def blend(learned: Learned, training: TrainingSet, run: Run) -> Combination:
    """A linear model of words, one of words and vectors, two-view EM and naive Bayes with EM.

    ``learned`` is the result of two-view EM. The weights are fitted to held-out labels.
    """
    run = replace(run, start=None)  # which is two-view EM's
    held = HeldOut(training, run)
    members: list[Learned] = [learner.fit(training, run) for learner in _LINEAR]
    # Where labels can be held out, they are better evidence of whether EM failed.
    is_left_out = learned.has_collapsed and not held.places
    if not is_left_out:
        members.append(learned)
    # Naive Bayes with EM is worse than two-view EM unless held-out labels show otherwise.
    if held.places and learned.ascent is not None:
        members.append(_frequent_words(training).fit(training, run))
    held_out = [held.scores(member) for member in members]
    held_out = [scores[: len(held.truth)] for scores in held_out]  # fewer, where it was stopped
    priors = [member.learner.prior_weight(training.size) for member in members]
    seen, scores = sampled_scores([member.expert for member in members], training)
    of_linear = scores[len(_LINEAR) - 1]  # the better informed of the linear models
    shares = class_shares(training.labels, of_linear, seen.weight)
    importance = held.importance(shares)
    weights = fit_weights(held_out, held.truth, priors, importance)
    together = np.tensordot(weights, np.stack(held_out), 1)
    is_supervised = _supervised_wins(held_out[0], together, held)
    if is_supervised:
        members, held_out, scores = members[:1], held_out[:1], scores[:1]
        priors = priors[:1]
        weights = fit_weights(held_out, held.truth, priors, importance)
        together = weights[0] * held_out[0]
    # Audits are few, and weights that were fitted to them suit them too well.
    judged = together if held.n_audited is None else _cross_fitted(held_out, held, priors)
    expected = held.expectation(judged, shares)
    weights = tempered(weights, scores, seen, expected)
    parts = _effective_shares(weights, scores)
    candidates = [
        _candidate(member.expert.name, held, held_scores, part)
        for member, held_scores, part in zip(members, held_out, parts, strict=True)
    ]
    of_em = sum(parts[len(_LINEAR) :])
    reason = _reason(candidates, held, together, of_em, is_supervised)
    if is_left_out:
        reason += f"; {learned.expert.name} collapsed and was left out"
    experts = tuple(member.expert for member in members)
    return Combination(experts, weights, expected, candidates, reason)


def _cross_fitted(held_out: list[FloatArray], held: HeldOut, priors: list[float]) -> FloatArray:
    """Scores of the members together, in each fold with the weights that suit the others."""
    scores = np.stack(held_out)
    together = np.zeros(scores.shape[1:])
    for fold, others in held.each_fold():
        weights = fit_weights(list(scores[:, others]), held.truth[others], priors)
        together[fold] = np.tensordot(weights, scores[:, fold], 1)
    return together


_LINEAR = (LinearLearner(), LinearVectorsLearner())  # the first is the supervised baseline


def _frequent_words(training: TrainingSet) -> FrequentWordsLearner:
    """Naive Bayes with EM, which needs fewer words and larger counts than two-view EM."""
    alone = METHODS["em"]
    fewest = alone.fewest_documents(training.size.n_documents)
    return FrequentWordsLearner(fewest, alone.text["length"])


def _candidate(name: str, held: HeldOut, scores: FloatArray, part: float) -> dict[str, Any]:
    if not held.places:
        return {"name": name, "accuracy": None, "low": None, "high": None, "share": part}
    right = held.is_right(scores)
    low, high = wilson_interval(int(right.sum()), len(right), Z_90)
    accuracy = float(right.mean())
    return {"name": name, "accuracy": accuracy, "low": low, "high": high, "share": part}


def _reason(
    candidates: list[dict[str, Any]],
    held: HeldOut,
    together: FloatArray,
    of_em: float,
    is_supervised: bool,
) -> str:
    n, kind = len(held.truth), f"{held.kind} labels"
    if not n:
        why = "with one label per class none can be held out"
        why = "too few labels are audited to compare models on them" if held.lacks_audits else why
        why = "training was stopped before labels were held out" if held.is_stopped else why
        return f"{why}, so default weights are used"
    right = float(held.is_right(together).mean())
    if is_supervised:
        return (
            f"unlabeled text hurts here: accuracy on {n:,} {kind} is {percent(right)} "
            "for the supervised model alone, and lower with unlabeled text"
        )
    if not held.n_unlabeled:
        return f"all documents are labeled: {percent(right)} accuracy on {n:,} {kind}"
    if of_em < LITTLE:
        return (
            f"unlabeled text adds little here, so supervised models get most of the weight: "
            f"{percent(right)} accuracy on {n:,} {kind}"
        )
    alone = candidates[0]["accuracy"]
    return (
        f"accuracy on {n:,} {kind}: {percent(right)} combined, {percent(alone)} for the "
        "supervised model alone"
    )


def _supervised_wins(alone: FloatArray, together: FloatArray, held: HeldOut) -> bool:
    """Whether words and labels alone beat everything together beyond doubt."""
    gap = held.is_right(alone).astype(np.float64) - held.is_right(together)
    n_different = int((gap != 0).sum())
    return bool(n_different and gap.sum() > SURE * np.sqrt(n_different))


def _effective_shares(weights: FloatArray, scores: list[FloatArray]) -> list[float]:
    """Shares of the experts in the spread of the classes' scores, over all documents."""
    pairs = zip(weights, scores, strict=True)
    reach = np.array([weight * of_expert.std(axis=1).mean() for weight, of_expert in pairs])
    return [float(share) for share in reach / max(reach.sum(), 1e-30)]
