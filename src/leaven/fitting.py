"""From labels to a fitted mixture: starts, restarts, annealing, correspondence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from leaven._typing import IntArray
from leaven.corpora._base import Block, Corpus
from leaven.correspondence import by_labels, by_reference, reordered
from leaven.em import EMResult, run_em
from leaven.models import MixtureParams, MixtureStats, MultinomialMixture
from leaven.posteriors import SOFT, Tempered

__all__ = ["CORRESPONDENCES", "Climb", "Fit", "components_of", "fit_mixture"]

CORRESPONDENCES = ("as-is", "labels", "em")
# How far, in nats, the components of a class are apart on a typical document at the start.
SPREAD = 1.0

OnStep = Callable[[int, float], None]


@dataclass(frozen=True)
class Climb:
    """How to look for a maximum."""

    n_init: int = 1  # starts, where a class has several components
    warm_up: Sequence[Tempered] = ()  # the temperatures of annealing
    correspondence: str = "as-is"  # of components to classes after annealing
    max_iter: int = 100
    tol: float = 1e-6


@dataclass(frozen=True, eq=False)
class Fit:
    """A maximum, and the labeled documents' statistics that the climb began with."""

    result: EMResult[MixtureParams, MixtureStats]
    labeled: MixtureStats
    start_objectives: list[float]  # what each start reached


def components_of(sizes: Sequence[int]) -> IntArray:
    """Class of each component, for classes of these numbers of components."""
    return np.repeat(np.arange(len(sizes)), sizes)


def fit_mixture(
    model: MultinomialMixture,
    corpus: Corpus,
    n_words: int,
    dtype: Any,
    climb: Climb,
    seed: Any = 0,
    on_step: OnStep | None = None,
) -> Fit:
    """Climb from the labeled documents, from several starts if components are to be told apart.

    The most probable of the maxima is kept.
    """
    has_several = len(model.component_class) > model.n_classes
    n_starts = climb.n_init if has_several else 1
    spread = SPREAD / _typical_norm(corpus) if has_several else 0.0
    streams = np.random.SeedSequence(seed).spawn(n_starts)
    best: Fit | None = None
    reached = []
    for number, stream in enumerate(streams):
        flat = model.flat_params(n_words, np.dtype(dtype))
        if has_several:
            # Labeled documents go softly and at random to the components of their class.
            noise = np.random.default_rng(stream).standard_normal(flat.log_word.T.shape, dtype)
            flat.log_word[:] = spread * noise.T
        labeled = corpus.reduce(partial(replace(model, unlabeled_weight=0.0).expect, flat, SOFT))
        start = model.maximize(flat, labeled)
        result = _climb(model, corpus, start, climb, _shifted(on_step, number, climb))
        reached.append(result.objective[-1])
        if best is None or result.objective[-1] > best.result.objective[-1]:
            best = Fit(result, labeled, reached)
    assert best is not None
    return best


def _climb(
    model: MultinomialMixture,
    corpus: Corpus,
    start: MixtureParams,
    climb: Climb,
    on_step: OnStep | None,
) -> EMResult[MixtureParams, MixtureStats]:
    em = partial(run_em, model, corpus, max_iter=climb.max_iter, tol=climb.tol)
    if not climb.warm_up:
        return em(start, on_step=on_step)
    cooled = run_em(model, corpus, start, warm_up=climb.warm_up, max_iter=0, on_step=on_step)
    params = cooled.params
    if climb.correspondence == "labels":
        params = reordered(params, by_labels(model, params, corpus))
    elif climb.correspondence == "em":
        params = reordered(params, by_reference(params, em(start).params))
    n_cooled = cooled.n_iter
    result = em(params, on_step=on_step and (lambda step, value: on_step(n_cooled + step, value)))
    return replace(
        result,
        objective=cooled.objective[:-1] + result.objective,
        betas=cooled.betas[:-1] + result.betas,
    )


def _shifted(on_step: OnStep | None, number: int, climb: Climb) -> OnStep | None:
    """Steps of the start ``number`` counted on from those of the earlier ones."""
    if on_step is None:
        return None
    first = number * (len(climb.warm_up) + climb.max_iter)
    return lambda step, value: on_step(first + step, value)


def _typical_norm(corpus: Corpus) -> float:
    """Root of the mean squared length of the labeled documents' vectors of counts."""

    def measure(block: Block) -> Any:
        labeled = np.flatnonzero((block.y >= 0) & (block.weight > 0))
        data = np.asarray(block.X[labeled].data, dtype=np.float64)
        return np.array([data @ data, len(labeled)])

    squares, n_documents = corpus.reduce(measure)
    return float(np.sqrt(squares / n_documents)) if squares else 1.0
