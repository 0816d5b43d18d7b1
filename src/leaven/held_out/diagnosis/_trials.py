"""Starts from parts of the labeled documents, scored on the others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leaven._base.progress import OnDone
from leaven._base.typing import FloatArray, IntArray
from leaven._base.validation import check_whole
from leaven.corpora import (
    Block,
    Corpus,
    Joined,
    TrainingSet,
    in_memory,
    labeled_documents,
    sample_unlabeled,
)
from leaven.held_out.diagnosis._findings import Point
from leaven.learning import (
    Ascent,
    Climb,
    fit_mixture,
    run_em,
    scaled_prior,
    supervised_start,
)
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import SOFT

__all__ = ["MOST_UNLABELED", "Rival", "Trials"]

MOST_UNLABELED = 6000  # documents in a sample that stands for all
MOST_HELD_OUT = 500  # labeled documents that a start is scored on
MOST_TO_START = 10_000  # labeled documents that a start gets
LEAST_PART, LARGEST_PART = 0.25, 0.8  # shares of the labels that the first and last start get
# Iterations of EM, and its tolerance: accuracy settles long before EM converges.
MOST_ITERATIONS, LOOSE = 30, 1e-4
SAMPLE, PARTS, COMPONENTS = 1, 2, 3  # streams of random numbers


@dataclass(frozen=True)
class Rival:
    """A way to train that is not EM of the model at hand, to be tried on the same documents.

    ``answers(labeled, unlabeled, held)`` are the codes that it gives the third block after
    training on the first two. It may see the documents otherwise: their numbers say which.
    """

    name: str
    advice: str  # how to train in this way
    answers: Callable[[Block, Block, Block], IntArray]


class Trials:
    """Several splits of the labeled documents into a part to start from and others to score.

    All ways to train are tried on the same splits, so that they can be compared in pairs.

    Parameters
    ----------
    training : TrainingSet
        All documents.
    n_starts : int
        Number of splits.
    most_unlabeled : int
        Largest sample of unlabeled documents.
    seed : int
        Seed of splits, sample and starts.
    n_threads : int or None
        Threads of an E-step.
    on_fit : callable or None
        Called as ``on_fit(done, total)`` after every fit.
    n_ways : int
        Ways to train that will be tried, for the total.
    """

    def __init__(
        self,
        training: TrainingSet,
        n_starts: int,
        most_unlabeled: int,
        seed: Any,
        n_threads: int | None,
        on_fit: OnDone | None,
        n_ways: int = 1,
    ) -> None:
        check_whole("n_starts", n_starts, "[2, inf)")
        check_whole("most_unlabeled", most_unlabeled, "[1, inf)")
        corpus, self.labels = training.corpus, training.labels
        self.entropy = np.random.SeedSequence(seed).entropy
        self.labeled = labeled_documents(corpus)
        sample, self.n_unlabeled = sample_unlabeled(corpus, most_unlabeled, self.rng(SAMPLE))
        if not len(sample.y):
            self.n_unlabeled = 0  # documents without words are no text
        self.sample, self.unlabeled = sample, in_memory(sample, n_threads)
        self.weight = float(sample.weight.sum())
        self.splits = []
        if self.n_unlabeled:
            self.splits = split_labels(self.labeled.y, n_starts, self.rng(PARTS))
        self.on_fit, self.n_fits, self.total = on_fit, 0, n_ways * len(self.splits)

    @property
    def n_labeled(self) -> int:
        return len(self.labeled.y)

    def rng(self, *stream: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=stream))

    def follow(self, ascent: Ascent) -> tuple[list[Point], FloatArray, FloatArray]:
        """Points from every start on, and the right answers at the start and at the end."""
        model = ascent.model
        points: list[Point] = []
        first, last = self._nothing_right(), self._nothing_right()
        for number, (part, held) in enumerate(self.splits):
            labeled = self.labeled.rows(part)
            scaled = scaled_prior(model, self._corpus(labeled))
            for iteration, params, objective in self._ascent(ascent, scaled, number, labeled):
                last[number, held] = self._right(model, params, held)
                if not iteration:
                    first[number] = last[number]
                value = self._log_probability(scaled, params, objective, labeled)
                accuracy = float(last[number, held].mean())
                points.append(Point(number, iteration, value, accuracy, len(held)))
            self._count()
        return points, first, last

    def score(self, ascent: Ascent) -> FloatArray:
        """Right answers of one way to train: 1, 0, or NaN where not held out, a row per start."""
        right = self._nothing_right()
        for number, (part, held) in enumerate(self.splits):
            corpus = self._corpus(self.labeled.rows(part))
            quick = _quickened(ascent.climb)
            fit = fit_mixture(ascent.model, corpus, quick, self._seed(number))
            right[number, held] = self._right(ascent.model, fit.result.params, held)
            self._count()
        return right

    def score_rival(self, rival: Rival) -> FloatArray:
        """Right answers of another way to train, as ``score`` gives them."""
        right = self._nothing_right()
        for number, (part, held) in enumerate(self.splits):
            documents = self.labeled.rows(held)
            codes = rival.answers(self.labeled.rows(part), self.sample, documents)
            right[number, held] = codes == documents.y
            self._count()
        return right

    def _ascent(
        self,
        ascent: Ascent,
        scaled: MultinomialMixture,
        number: int,
        labeled: Block,
    ) -> Iterator[tuple[int, MixtureParams, float]]:
        """Parameters and objective after 0, 1, 2, 4, 8… iterations and in the end.

        ``scaled`` is the model with the prior that ``fit_mixture`` gives it.
        """
        corpus, climb, seed = self._corpus(labeled), _quickened(ascent.climb), self._seed(number)
        stream = np.random.SeedSequence(seed).spawn(1)[0]  # the one that fit_mixture uses
        params, _ = supervised_start(scaled, corpus, seed=stream)
        if climb.warm_up:
            # Objectives at other temperatures cannot be compared with these.
            yield 0, params, run_em(scaled, corpus, params, max_iter=0).objective[0]
            result = fit_mixture(ascent.model, corpus, climb, seed).result
            yield result.n_iter, result.params, result.objective[-1]
            return
        done, converged = 0, False
        while not converged and done < climb.max_iter:
            n_more = min(max(done, 1), climb.max_iter - done)
            result = run_em(scaled, corpus, params, max_iter=n_more, tol=climb.tol)
            if not done:
                yield 0, params, result.objective[0]
            params, converged, done = result.params, result.converged, done + result.n_iter
            yield done, params, result.objective[-1]

    def _corpus(self, labeled: Block) -> Corpus:
        """The labeled documents of a start, and the unlabeled ones."""
        return Joined([in_memory(labeled, 1), self.unlabeled])

    def _seed(self, number: int) -> int:
        return int(self.rng(COMPONENTS, number).integers(2**63))

    def _log_probability(
        self, model: MultinomialMixture, params: MixtureParams, objective: float, labeled: Block
    ) -> float:
        """Comparable over all starts: of the unlabeled documents and the parameters."""
        prior = model.log_prior(params)
        of_labeled = model.expect(params, SOFT, labeled).objective
        of_unlabeled = (objective - of_labeled - prior) / model.unlabeled_weight
        return (of_unlabeled + prior) / self.weight

    def _right(
        self, model: MultinomialMixture, params: MixtureParams, held: IntArray
    ) -> FloatArray:
        documents = self.labeled.rows(held)
        scores = model.class_log_joint(params, documents.X, documents.vectors)
        right: FloatArray = (self.labels.decide(scores) == documents.y).astype(np.float64)
        return right

    def _nothing_right(self) -> FloatArray:
        return np.full((len(self.splits), len(self.labeled.y)), np.nan)

    def _count(self) -> None:
        self.n_fits += 1
        if self.on_fit is not None:
            self.on_fit(self.n_fits, self.total)


def _quickened(climb: Climb) -> Climb:
    return replace(
        climb.thinned(),
        n_init=1,
        max_iter=min(climb.max_iter, MOST_ITERATIONS),
        tol=max(climb.tol, LOOSE),
    )


def split_labels(
    codes: IntArray, n_starts: int, rng: np.random.Generator
) -> list[tuple[IntArray, IntArray]]:
    """Places of the labeled documents to start from, and of those to score.

    The first start gets a quarter of every class, the last one four fifths. A class always
    keeps a document, so one with a single label is never held out; if every class has a single
    label, there is no split.
    """
    counts = np.bincount(codes)
    if counts.max(initial=0) < 2:
        return []
    splits: list[tuple[IntArray, IntArray]] = []
    for share in np.geomspace(LEAST_PART, LARGEST_PART, n_starts):
        # Rounded at random, so that small classes too get their share on average.
        wanted = np.floor(share * counts + rng.random(len(counts)))
        n_kept = np.clip(wanted, 1, np.maximum(counts - 1, 1)).astype(np.int64)
        shuffled = rng.permutation(len(codes))
        dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]  # class after class
        place = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
        is_kept = place < np.repeat(n_kept, counts)
        held = rng.permutation(dealt[~is_kept])[:MOST_HELD_OUT]
        splits.append((np.sort(_thinned(dealt[is_kept], codes)), np.sort(held)))
    return splits


def _thinned(part: IntArray, codes: IntArray) -> IntArray:
    """At most about MOST_TO_START documents, every class among them."""
    every = -(-len(part) // MOST_TO_START)
    part_codes = codes[part]
    is_first = np.r_[True, part_codes[1:] != part_codes[:-1]]
    thinned: IntArray = part[is_first | (np.arange(len(part)) % every == 0)]
    return thinned
