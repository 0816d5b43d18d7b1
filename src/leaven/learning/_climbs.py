"""Fitting a mixture by EM: starts, restarts, annealing, correspondence."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from leaven._base.progress import OnStep
from leaven._base.typing import FloatArray, IntArray
from leaven.corpora._base import Block, Corpus
from leaven.learning._correspondence import by_labels, by_reference, reordered
from leaven.learning._em import EMResult, run_em
from leaven.models import MixtureParams, MixtureStats, MultinomialMixture
from leaven.posteriors import SOFT, Tempered

__all__ = [
    "CORRESPONDENCES",
    "Ascent",
    "Climb",
    "Fit",
    "components_of",
    "fit_mixture",
    "scaled_prior",
    "supervised_start",
]

CORRESPONDENCES = ("as-is", "labels", "em")
# How far, in nats, the components of a class are apart on a typical document at the start.
SPREAD = 1.0
NOTHING = 1e-9  # weight of unlabeled documents, relative to the labeled ones, that is rounding
MOST_TEMPERATURES = 80  # of annealing, in fits that only score held-out labels


@dataclass(frozen=True)
class Climb:
    """How EM searches for a maximum."""

    n_init: int = 1  # starts, where a class has several components
    warm_up: Sequence[Tempered] = ()  # the temperatures of annealing
    correspondence: str = "as-is"  # of components to classes after annealing
    max_iter: int = 100
    tol: float = 1e-6

    def thinned(self) -> "Climb":
        """With fewer temperatures, for fits that only score held-out labels."""
        every = -(-len(self.warm_up) // MOST_TEMPERATURES) or 1
        return replace(self, warm_up=self.warm_up[::every])


@dataclass(frozen=True, eq=False)
class Ascent:
    """A model, and how EM searches for its parameters."""

    model: MultinomialMixture
    climb: Climb


@dataclass(frozen=True, eq=False)
class Fit:
    """A maximum, and the labeled documents' statistics that the climb began with."""

    result: EMResult[MixtureParams, MixtureStats]
    labeled: MixtureStats
    start_objectives: list[float]  # what each start reached

    def unlabeled_shares(self, model: MultinomialMixture) -> FloatArray | None:
        """Share of the unlabeled documents that each class took; None without any."""
        of_class = partial(np.bincount, model.component_class, minlength=model.n_classes)
        # Labeled documents move between components of their class, so by class first.
        taken = np.maximum(of_class(self.result.stats.documents - self.labeled.documents), 0.0)
        total = taken.sum()
        has_any = total > NOTHING * self.labeled.documents.sum()
        return taken / total if has_any else None


def components_of(sizes: Sequence[int]) -> IntArray:
    """Class of each component, for classes of these numbers of components."""
    return np.repeat(np.arange(len(sizes)), sizes)


def fit_mixture(
    model: MultinomialMixture,
    corpus: Corpus,
    climb: Climb,
    seed: Any = 0,
    on_step: OnStep | None = None,
    start: MixtureParams | None = None,
    keep_words: bool = True,
) -> Fit:
    """Run EM from the labeled documents, from several starts if a class has several components.

    The most probable of the maxima is kept. Where unlabeled documents count for less, so does
    the prior: see ``scaled_prior``. If ``on_step`` returns True, the climb ends.

    From a ``start``, such as the parameters of an interrupted climb, EM continues without restarts
    and without annealing. After new labels, start from scratch instead: EM would stay near the
    earlier maximum, in which the new labels hardly count.

    Without ``keep_words`` the statistics hold no words: of many classes, those are as large as the
    parameters.
    """
    model = scaled_prior(model, corpus)
    has_several = len(model.component_class) > model.n_classes
    n_starts = climb.n_init if has_several and start is None else 1
    spread = _spread(model, corpus)
    streams = np.random.SeedSequence(seed).spawn(n_starts)
    best: Fit | None = None
    reached: list[float] = []
    watch = _Watch(on_step)
    for number, stream in enumerate(streams):
        supervised, labeled = supervised_start(model, corpus, seed=stream, spread=spread)
        labeled = labeled if keep_words else _without_words(labeled)
        watch.first = number * (len(climb.warm_up) + climb.max_iter)
        if start is None:
            result = _climb(model, corpus, supervised, climb, watch)
        else:
            result = run_em(
                model, corpus, start, max_iter=climb.max_iter, tol=climb.tol, on_step=watch
            )
        if not keep_words:
            result = replace(result, stats=_without_words(result.stats))
        reached.append(result.objective[-1])
        if best is None or result.objective[-1] > best.result.objective[-1]:
            best = Fit(result, labeled, reached)
        if watch.is_stopped:
            break
    assert best is not None
    return best


def scaled_prior(model: MultinomialMixture, corpus: Corpus) -> MultinomialMixture:
    """The model, its prior as strong relative to the words as at an unlabeled weight of 1.

    A lower weight leaves fewer words in every class. Relative to an unscaled prior they would
    weigh little; any word would then look more likely in the class with the most words, which
    takes the next documents, and in the end all of them.
    """
    weight = model.unlabeled_weight
    if weight in (0.0, 1.0):  # at 0 there is no EM, and no class can take anything
        return model
    labeled, unlabeled = corpus.reduce(_count_words)
    if not unlabeled:
        return model
    share = (labeled + weight * unlabeled) / (labeled + unlabeled)
    return replace(model, alpha=model.alpha * float(share))


def supervised_start(
    model: MultinomialMixture,
    corpus: Corpus,
    *,
    seed: Any = 0,
    spread: float | None = None,
) -> tuple[MixtureParams, MixtureStats]:
    """Parameters from the labeled documents alone, and the statistics of these documents.

    Where a class has several components, its documents are assigned to them softly and at random,
    the more randomly the larger ``spread`` is; None chooses it by the documents' lengths.
    """
    dtype = corpus.dtype
    flat = model.flat_params(corpus.n_words, dtype)
    spread = _spread(model, corpus) if spread is None else spread
    if spread:
        noise = np.random.default_rng(seed).standard_normal(flat.log_word.T.shape, dtype.type)
        flat.log_word[:] = spread * noise.T
    expect = partial(replace(model, unlabeled_weight=0.0).expect, flat, SOFT)
    labeled = corpus.reduce(expect, operator.iadd)
    return model.maximize(flat, labeled, out=flat), labeled


def _without_words(stats: MixtureStats) -> MixtureStats:
    return replace(stats, words=np.empty((len(stats.documents), 0)))


def _spread(model: MultinomialMixture, corpus: Corpus) -> float:
    """How large the noise must be to separate components of a class; 0 if each class has one."""
    if len(model.component_class) == model.n_classes:
        return 0.0
    return SPREAD / _typical_norm(corpus)


def _climb(
    model: MultinomialMixture,
    corpus: Corpus,
    start: MixtureParams,
    climb: Climb,
    watch: "_Watch",
) -> EMResult[MixtureParams, MixtureStats]:
    """Climb from ``start``, whose arrays may be overwritten."""
    em = partial(run_em, model, corpus, max_iter=climb.max_iter, tol=climb.tol)
    if not climb.warm_up or climb.correspondence == "as-is":
        return em(start, warm_up=climb.warm_up, on_step=watch, overwrite=True)
    n_warm = len(climb.warm_up)
    cooled = run_em(
        model,
        corpus,
        start,
        warm_up=climb.warm_up,
        max_iter=0,
        on_step=lambda step, value: step < n_warm and watch(step, value),
    )
    if climb.correspondence == "labels":
        order = by_labels(model, cooled.params, corpus)
    else:
        reference = em(start, on_step=lambda *_: watch.is_stopped)
        order = by_reference(cooled.params, reference.params)
    # EM continues with every component in its new place, and computes the new objective.
    result = em(
        reordered(cooled.params, order),
        on_step=lambda step, value: watch(n_warm + step, value),
    )
    return replace(
        result,
        objective=cooled.objective[:-1] + result.objective,
        betas=cooled.betas[:-1] + result.betas,
    )


class _Watch:
    """Reports steps, counted over all starts, and remembers whether a stop was requested."""

    def __init__(self, on_step: OnStep | None) -> None:
        self.on_step = on_step
        self.first = 0  # number of the current start's first step
        self.is_stopped = False

    def __call__(self, step: int, objective: float) -> bool:
        if self.on_step is not None and not self.is_stopped:
            self.is_stopped = self.on_step(self.first + step, objective) is True
        return self.is_stopped


def _count_words(block: Block) -> Any:
    """Weighted numbers of words in labeled and in unlabeled documents."""
    words = block.weight * np.asarray(block.X.sum(axis=1), dtype=np.float64).ravel()
    is_labeled = block.y >= 0
    return np.array([words[is_labeled].sum(), words[~is_labeled].sum()])


def _typical_norm(corpus: Corpus) -> float:
    """Root of the weighted mean squared length of the labeled documents' vectors of counts."""

    def measure(block: Block) -> Any:
        weight = np.where(block.y >= 0, block.weight, 0.0)
        squares = np.asarray(block.X.data, dtype=np.float64) ** 2
        return np.array([np.repeat(weight, np.diff(block.X.indptr)) @ squares, weight.sum()])

    squares, n_documents = corpus.reduce(measure)
    return float(np.sqrt(squares / n_documents)) if squares else 1.0
