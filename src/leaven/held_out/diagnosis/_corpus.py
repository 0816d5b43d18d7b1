"""The diagnosis of a corpus: the verdict alone, or with alternatives to plain EM."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from leaven._base.percent import percent
from leaven._base.progress import OnDone
from leaven._base.typing import FloatArray
from leaven._base.validation import check_in, check_whole
from leaven.corpora import TrainingSet
from leaven.held_out.diagnosis._findings import (
    NAIVE_BAYES,
    Alternative,
    Diagnosis,
    Difference,
    Point,
    Spelling,
    judge,
    paired_difference,
)
from leaven.held_out.diagnosis._trials import MOST_UNLABELED, Rival, Trials
from leaven.learning import Ascent, components_of
from leaven.posteriors import cooling

__all__ = ["diagnose_alternatives", "diagnose_corpus"]

SUPERVISED, EM, ANNEALED, DEFAULT = 0, 1, 4, 5  # places among the ways to train
JUDGING, COMPARING = 4, 5  # streams of random numbers
N_STARTS = 10  # parts of the labeled documents, by default
LIGHT, SEVERAL = 0.1, 5  # unlabeled weight, and components per class, of the alternatives


def diagnose_corpus(
    ascent: Ascent,
    training: TrainingSet,
    *,
    n_starts: int = N_STARTS,
    most_unlabeled: int = MOST_UNLABELED,
    seed: Any = 0,
    spelling: Spelling = NAIVE_BAYES,
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
    spelling : Spelling
        How users ask for each way to train this model, for the advice.
    on_fit : callable or None, default=None
        Called as ``on_fit(done, total)`` after every fit.
    """
    _check_that_it_climbs(ascent)
    n_threads = ascent.model.n_threads
    trials = Trials(training, n_starts, most_unlabeled, seed, n_threads, on_fit)
    points, first, last = trials.follow(ascent)
    return _judged(trials, points, last - first, spelling)


def diagnose_alternatives(
    ascent: Ascent,
    training: TrainingSet,
    *,
    n_starts: int = N_STARTS,
    most_unlabeled: int = MOST_UNLABELED,
    seed: Any = 0,
    spelling: Spelling = NAIVE_BAYES,
    default: Rival | None = None,
    on_fit: OnDone | None = None,
) -> Diagnosis:
    """Judge as ``diagnose_corpus`` does, and try alternatives.

    Supervised training, plain EM, a lower unlabeled weight, five components per class,
    annealing, and the given model if it is none of these, are scored on the same
    held-out labels, and so is ``default``, the way to train where users ask for none. The best
    is recommended if it beats the default by more than a standard error, else the default is;
    without a default, the better of supervised training and plain EM takes its place. The other
    parameters are those of ``diagnose_corpus``.
    """
    _check_that_it_climbs(ascent)
    ways, asked = _ways(ascent, spelling, default)
    n_threads = ascent.model.n_threads
    trials = Trials(training, n_starts, most_unlabeled, seed, n_threads, on_fit, len(ways))
    points, first, last = trials.follow(ascent)
    found = _judged(trials, points, last - first, spelling)
    if not points:
        return found
    right = [last if place == asked else way.tried_in(trials) for place, way in enumerate(ways)]

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
    usual = EM if accuracies[EM] > accuracies[SUPERVISED] else SUPERVISED
    if default is not None:
        usual = DEFAULT
    ahead = compare(best, usual)
    taken = best if ahead.mean > ahead.error else usual
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


def _judged(
    trials: Trials, points: list[Point], gains: FloatArray, spelling: Spelling
) -> Diagnosis:
    rng = trials.rng(JUDGING)
    return judge(points, gains, rng, trials.n_labeled, trials.n_unlabeled, spelling)


class _Way(NamedTuple):
    name: str
    advice: str
    tried_in: Callable[[Trials], FloatArray]  # its right answers


def _by_em(name: str, advice: str, ascent: Ascent) -> _Way:
    return _Way(name, advice, lambda trials: trials.score(ascent))


def _ways(asked: Ascent, spelling: Spelling, default: Rival | None) -> tuple[list[_Way], int]:
    """Ways to train, the simplest first, and the place of the given one."""
    model, climb = asked.model, asked.climb
    n_classes = model.n_classes
    plain = replace(model, component_class=np.arange(n_classes), unlabeled_weight=1.0)
    straight = replace(climb, warm_up=())
    cooled = replace(climb, warm_up=cooling(), correspondence="labels")
    ways = [
        _by_em(
            "supervised",
            f"Train without the unlabeled text {spelling.supervised}",
            Ascent(replace(plain, unlabeled_weight=0.0), replace(straight, max_iter=0)),
        ),
        _by_em(
            "plain EM",
            f"Train with the unlabeled text {spelling.plain}",
            Ascent(plain, straight),
        ),
        _by_em(
            f"unlabeled weight {LIGHT}",
            f"Train with the unlabeled text at a weight of {LIGHT} {spelling.light}",
            Ascent(replace(plain, unlabeled_weight=LIGHT), straight),
        ),
        _by_em(
            f"{SEVERAL} components per class",
            f"Use {SEVERAL} components per class {spelling.components}",
            Ascent(replace(plain, component_class=components_of([SEVERAL] * n_classes)), straight),
        ),
        _by_em("annealed", f"Use annealing {spelling.annealed}", Ascent(plain, cooled)),
    ]
    if default is not None:
        ways.append(_Way(default.name, default.advice, lambda trials: trials.score_rival(default)))
    if len(model.component_class) == n_classes and model.unlabeled_weight == 1.0:
        return ways, ANNEALED if climb.warm_up else EM
    return [*ways, _by_em("as configured", "Train as configured", asked)], len(ways)


def _recommendation(alternatives: list[Alternative], taken: int, best: int) -> str:
    chosen, others = alternatives[taken], [SUPERVISED, EM]
    against = " and ".join(
        f"{percent(alternatives[way].accuracy)} {how}"
        for way, how in zip(others, ("without unlabeled text", "with plain EM"), strict=True)
        if way != taken
    )
    text = (
        f"{chosen.advice}: {percent(chosen.accuracy)} accuracy on held-out labels, compared with "
        f"{against}"
    )
    if best != taken:
        top = alternatives[best]
        text += f"; {top.name} with {percent(top.accuracy)} is not significantly better"
    return text + "."
