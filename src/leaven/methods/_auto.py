"""The default method: linear models and two kinds of EM, weighted by held-out labels.

Where documents are short, there are as many models of their subwords.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leaven._base.percent import percent
from leaven._base.typing import Counts, FloatArray
from leaven.corpora import TrainingSet, numbered_documents
from leaven.experts import Expert, OneLabel, checked_scores
from leaven.held_out import (
    Combination,
    HeldOut,
    class_bias,
    class_shares,
    fit_weights,
    sampled_documents,
    tempering,
)
from leaven.learners import Learned, Run
from leaven.learners._frequent_words import FrequentWordsLearner
from leaven.learners._linear import LinearLearner, LinearVectorsLearner
from leaven.learners._subwords import (
    FrequentSubwordsLearner,
    LinearSubwordsLearner,
    TwoViewSubwordsLearner,
)
from leaven.methods._options import learner_options
from leaven.methods._registry import METHODS
from leaven.significance import Z_90, wilson_interval

__all__ = ["blend"]

SURE = 2.0  # standard errors by which the supervised model must win to be used alone
LITTLE = 0.1  # a share of the weight that is negligible


def blend(
    learned: Learned, training: TrainingSet, run: Run, beside: TrainingSet | None = None
) -> Combination:
    """A linear model of words, one of words and vectors, two-view EM and naive Bayes with EM.

    ``learned`` is the result of two-view EM. ``beside`` are the same documents by their subwords,
    of which there are models too. The weights are fitted to held-out labels.
    """
    run = replace(run, start=None)  # which is two-view EM's
    held = HeldOut(training, run)
    # Where labels can be held out, they are better evidence of whether EM failed.
    is_left_out = learned.has_collapsed and not held.places
    fits = _of_words(learned, training, run, held, is_left_out)
    members = _members(fits, len(_LINEAR), training, held)
    n_own = len(members)
    if beside is not None:
        fits = _of_subwords(learned, beside, run, held)
        members += _members(fits, 1, beside, HeldOut(beside, run))
    if held.is_stopped:  # perhaps after some were scored
        held.places = []
    members = [member.first(len(held.truth)) for member in members]
    seen = sampled_documents(training)
    scores = [member.scores(seen.X, seen.vectors) for member in members[:n_own]]
    if beside is not None:
        same = numbered_documents(beside.corpus, seen.numbers)
        scores += [member.scores(same.X, same.vectors) for member in members[n_own:]]
    of_linear = scores[len(_LINEAR) - 1]  # the better informed of the linear models
    shares = class_shares(training.labels, of_linear, seen.weight)
    weights = _weights(members, held, held.importance(shares))
    is_supervised = _supervised_wins(members[0].held_out, _together(weights, members), held)
    if is_supervised:
        members, scores, n_own = members[:1], scores[:1], 1
        weights = _weights(members, held, held.importance(shares))
    together = _together(weights, members)
    found: FloatArray = np.tensordot(weights, np.stack(scores), 1)
    # Audits are few, and weights that were fitted to them suit them too well.
    judged = together if held.n_audited is None else _cross_fitted(members, held)
    bias: FloatArray = np.zeros(training.n_classes)
    if held.n_audited is None:
        guess, is_new = held.expectation(judged, shares).guess, seen.y < 0
        bias = class_bias(found[is_new], seen.weight[is_new], training.labeled.y, guess)
        shares = class_shares(training.labels, found + bias, seen.weight)
    expected = held.expectation(judged + bias, shares)
    factor = tempering(found + bias, seen, expected)
    weights, bias = factor * weights, factor * bias
    parts = _effective_shares(weights, scores)
    candidates = [
        _candidate(member.expert.name, held, member.held_out, part)
        for member, part in zip(members, parts, strict=True)
    ]
    of_em = sum(part for member, part in zip(members, parts, strict=True) if member.is_em)
    reason = _reason(candidates, held, together + bias / factor, of_em, is_supervised)
    if is_left_out:
        reason += f"; {learned.expert.name} collapsed and was left out"
    experts = tuple(member.expert for member in members)
    decision = OneLabel(training.labels, bias)
    own = Combination(experts[:n_own], weights[:n_own], expected, candidates, reason, decision)
    if len(experts) == n_own:
        return own
    return replace(own, beside=Combination(experts[n_own:], weights[n_own:]))


@dataclass(frozen=True, eq=False)
class _Member:
    """A candidate for the blend."""

    expert: Expert
    prior: float  # weight before any label is held out
    is_em: bool
    n_classes: int
    held_out: FloatArray  # scores of the labeled documents that were held out

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        return checked_scores(self.expert, X, vectors, self.n_classes)

    def first(self, n_held_out: int) -> "_Member":
        return replace(self, held_out=self.held_out[:n_held_out])


def _members(
    fits: Sequence[Learned], n_linear: int, training: TrainingSet, held: HeldOut
) -> list[_Member]:
    """Fits as members; the first ``n_linear`` are linear models, the others EM's."""
    return [
        _Member(
            learned.expert,
            learned.learner.prior_weight(training.size),
            number >= n_linear,
            training.n_classes,
            held.scores(learned),
        )
        for number, learned in enumerate(fits)
    ]


def _of_words(
    learned: Learned, training: TrainingSet, run: Run, held: HeldOut, is_left_out: bool
) -> list[Learned]:
    fits: list[Learned] = [learner.fit(training, run) for learner in _LINEAR]
    if not is_left_out:
        fits.append(learned)
    # Naive Bayes with EM is worse than two-view EM unless held-out labels show otherwise.
    if held.places and learned.ascent is not None:
        fits.append(_frequent(FrequentWordsLearner, training).fit(training, run))
    return fits


def _of_subwords(learned: Learned, beside: TrainingSet, run: Run, held: HeldOut) -> list[Learned]:
    fits: list[Learned] = [LinearSubwordsLearner().fit(beside, run)]
    em = TwoViewSubwordsLearner(**learner_options(learned.learner)).fit(beside, run)
    if held.places or not em.has_collapsed:
        fits.append(em)
    if held.places and em.ascent is not None:
        fits.append(_frequent(FrequentSubwordsLearner, beside).fit(beside, run))
    return fits


def _weights(members: Sequence[_Member], held: HeldOut, importance: FloatArray) -> FloatArray:
    scores, priors = [each.held_out for each in members], [each.prior for each in members]
    return fit_weights(scores, held.truth, priors, importance)


def _together(weights: FloatArray, members: Sequence[_Member]) -> FloatArray:
    total: FloatArray = np.tensordot(weights, np.stack([each.held_out for each in members]), 1)
    return total


def _cross_fitted(members: Sequence[_Member], held: HeldOut) -> FloatArray:
    """Scores of the members together, in each fold with the weights that suit the others."""
    scores = np.stack([member.held_out for member in members])
    priors = [member.prior for member in members]
    together = np.zeros(scores.shape[1:])
    for fold, others in held.each_fold():
        weights = fit_weights(list(scores[:, others]), held.truth[others], priors)
        together[fold] = np.tensordot(weights, scores[:, fold], 1)
    return together


_LINEAR = (LinearLearner(), LinearVectorsLearner())  # the first is the supervised baseline


def _frequent(learner: type[FrequentWordsLearner], training: TrainingSet) -> FrequentWordsLearner:
    """Naive Bayes with EM, which needs fewer words and larger counts than two-view EM."""
    alone = METHODS["em"]
    fewest = alone.fewest_documents(training.size.n_documents)
    return learner(fewest, alone.text["length"])


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
