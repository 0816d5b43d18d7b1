"""The diagnosis of a corpus: the verdict alone, or with alternatives to plain EM."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from leaven._base.progress import OnDone
from leaven._base.validation import check_in, check_whole
from leaven.corpora import TrainingSet
from leaven.held_out.diagnosis._findings import (
    Alternative,
    Diagnosis,
    Difference,
    judge,
    paired_difference,
)
from leaven.held_out.diagnosis._trials import MOST_UNLABELED, Trials
from leaven.learning import Ascent, components_of
from leaven.posteriors import cooling

__all__ = ["diagnose_alternatives", "diagnose_corpus"]

SUPERVISED, EM, ANNEALED = 0, 1, 4  # places among the ways to train
JUDGING, COMPARING = 4, 5  # streams of random numbers


def diagnose_corpus(
    ascent: Ascent,
    training: TrainingSet,
    *,
    n_starts: int = 10,
    most_unlabeled: int = MOST_UNLABELED,
    seed: Any = 0,
    on_fit: OnDone | None = None,
) -> Diagnosis:
    """Judge whether EM over unlabeled documents makes this model better.

    Parameters
    ----------
    ascent : Ascent
        The model to be trained, with its components and pseudo-counts, and how; here less
        precisely, and from one random start each time.
    training : TrainingSet
        All documents, labeled and unlabeled.
    n_starts : int, default=10
        Parts of the labeled documents to start from: more take longer and are more certain.
    most_unlabeled : int, default=6000
        Unlabeled documents to use; where there are more, a sample stands for all of them.
    seed : int, default=0
        Seed of parts, sample and starts.
    on_fit : callable or None, default=None
        Called as ``on_fit(done, total)`` after every fit.
    """
    _check_that_it_climbs(ascent)
    n_threads = ascent.model.n_threads
    trials = Trials(training, n_starts, most_unlabeled, seed, n_threads, on_fit)
    points, first, last = trials.follow(ascent)
    return judge(points, last - first, trials.rng(JUDGING), trials.n_labeled, trials.n_unlabeled)


def diagnose_alternatives(
    ascent: Ascent,
    training: TrainingSet,
    *,
    n_starts: int = 10,
    most_unlabeled: int = MOST_UNLABELED,
    seed: Any = 0,
    on_fit: OnDone | None = None,
) -> Diagnosis:
    """Judge as :func:`diagnose_corpus` does, and try alternatives.

    Supervised training, plain EM, a lower unlabeled weight, five components per class,
    annealing, and the given model if it is none of these, are scored on the same
    held-out labels. The best is recommended if it beats both supervised training and plain EM
    by more than a standard error, else the better of these two. The parameters are those of
    :func:`diagnose_corpus`.
    """
    _check_that_it_climbs(ascent)
    ways, asked = _ways(ascent)
    n_threads = ascent.model.n_threads
    trials = Trials(training, n_starts, most_unlabeled, seed, n_threads, on_fit, len(ways))
    points, first, last = trials.follow(ascent)
    found = judge(points, last - first, trials.rng(JUDGING), trials.n_labeled, trials.n_unlabeled)
    if not points:
        return found
    right = [last if way == asked else trials.score(ways[way].ascent) for way in range(len(ways))]

    def compare(way: int, other: int) -> Difference:
        if way == other:
            return Difference(0.0, 0.0)
        return paired_difference(right[way] - right[other], trials.rng(COMPARING))

    accuracies = [float(np.nanmean(each, axis=1).mean()) for each in right]
    alternatives = [
        Alternative(
            way.name,
            way.advice,
            accuracies[place],
            versus_em=compare(place, EM),
            versus_supervised=compare(place, SUPERVISED),
        )
        for place, way in enumerate(ways)
    ]
    best = max(range(len(ways)), key=accuracies.__getitem__)
    simple = EM if accuracies[EM] > accuracies[SUPERVISED] else SUPERVISED
    ahead = compare(best, simple)
    taken = best if ahead.mean > ahead.error else simple
    return replace(
        found,
        alternatives=alternatives,
        recommended=ways[taken].name,
        recommendation=_recommendation(alternatives, taken, best),
    )


def _check_that_it_climbs(ascent: Ascent) -> None:
    check_in("unlabeled_weight", ascent.model.unlabeled_weight, "(0, 1]")
    if not ascent.climb.warm_up:
        check_whole("max_iter", ascent.climb.max_iter, "[1, inf)")


class _Way(NamedTuple):
    name: str
    advice: str
    ascent: Ascent


def _ways(asked: Ascent) -> tuple[list[_Way], int]:
    """Ways to train, the simplest first, and the place of the given one."""
    model, climb = asked.model, asked.climb
    n_classes = model.n_classes
    plain = replace(model, component_class=np.arange(n_classes), unlabeled_weight=1.0)
    straight = replace(climb, warm_up=())
    cooled = replace(climb, warm_up=cooling(), correspondence="labels")
    ways = [
        _Way(
            "supervised",
            "Train without the unlabeled text (method nb)",
            Ascent(replace(plain, unlabeled_weight=0.0), replace(straight, max_iter=0)),
        ),
        _Way("plain EM", "Train with the unlabeled text (method em)", Ascent(plain, straight)),
        _Way(
            "unlabeled weight 0.1",
            "Train with the unlabeled text at a weight of 0.1 (method em, unlabeled_weight 0.1)",
            Ascent(replace(plain, unlabeled_weight=0.1), straight),
        ),
        _Way(
            "5 components per class",
            "Give every class 5 components (method mixture, components 5)",
            Ascent(replace(plain, component_class=components_of([5] * n_classes)), straight),
        ),
        _Way("annealed", "Anneal (method annealed)", Ascent(plain, cooled)),
    ]
    if len(model.component_class) == n_classes and model.unlabeled_weight == 1.0:
        return ways, ANNEALED if climb.warm_up else EM
    return [*ways, _Way("as asked", "Train as asked", asked)], len(ways)


def _recommendation(alternatives: list[Alternative], taken: int, best: int) -> str:
    chosen, others = alternatives[taken], [SUPERVISED, EM]
    against = " and ".join(
        f"{alternatives[way].accuracy:.0%} {how}"
        for way, how in zip(others, ("without unlabeled text", "with plain EM"), strict=True)
        if way != taken
    )
    text = f"{chosen.advice}: {chosen.accuracy:.0%} of the held-out labels right, against {against}"
    if best not in (taken, *others):
        top = alternatives[best]
        text += f"; {top.name} with {top.accuracy:.0%} is not better beyond chance"
    return text + "."
