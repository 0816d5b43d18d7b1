"""Search for the most probable sets of classes of documents: section 2 of McCallum (1999).

All ways visit sets in rounds. In a round every document proposes some sets; the different ones
among them are numbered, so that mixture weights of a set are computed once for all documents.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import BoolArray, Counts, FloatArray, IntArray
from leaven.documents._label_sets import numbered
from leaven.models import _label_set_kernels
from leaven.models._known_sets import KnownSets

__all__ = ["MOST_EXHAUSTIVE", "SEARCHES", "Scale", "SetSearch", "Visited"]

MOST_EXHAUSTIVE = 10  # classes of an exhaustive search
MOST_ADDED = 12  # classes that are tried as additions to a set
MOST_FAILED = 2  # additions in a row without improvement, after which a greedy search ends
FEWEST_FOR_THREADS = 2000  # pairs of documents and sets, or words, beyond which threads are used
STEPS_OF_SHARES = 5  # of EM for the mixture weights of one document
# Pseudo-counts of the background and of the uniform distribution in the mixture weights of one
# document; those of all classes together are 1.
BACKGROUND_PRIOR, UNIFORM_PRIOR = 1.0, 0.1
N_STEPS, HOTTEST, COOLEST = 60, 2.0, 0.1  # simulated annealing: steps, first and last temperature
RANK_DECAY = 0.25  # simulated annealing: probability of the best class, then of the next, …
LEAST_ODDS = 1e-12  # share of the sets with a class, and of those without, at least


@dataclass(frozen=True)
class Scale:
    """How the score of a set is put together.

    likelihood * length^-length_power * log P(document | set) + prior * log P(set)
    """

    likelihood: float = 1.0
    prior: float = 1.0
    length_power: float = 0.0


@dataclass(frozen=True, eq=False)
class Visited:
    """Sets that were visited for each document, and their scores."""

    documents: IntArray  # (n_pairs,) ascending
    sets: IntArray  # (n_pairs,)
    scores: FloatArray  # (n_pairs,)
    members: BoolArray  # (n_sets, n_classes)
    n_documents: int

    @cached_property
    def _starts(self) -> IntArray:
        return np.searchsorted(self.documents, np.arange(self.n_documents))

    def best(self) -> BoolArray:
        """The set with the highest score of each document, (n_documents, n_classes)."""
        order = np.lexsort((-self.scores, self.documents))
        return self.members[self.sets[order[self._starts]]]

    def scores_of_singles(self) -> FloatArray:
        """Scores of the sets of one class, (n_documents, n_classes)."""
        is_single = self.members.sum(axis=1) == 1
        pairs = np.flatnonzero(is_single[self.sets])
        table = np.empty((self.n_documents, self.members.shape[1]))
        classes = self.members.argmax(axis=1)[self.sets[pairs]]
        table[self.documents[pairs], classes] = self.scores[pairs]
        return table

    def log_odds(self) -> FloatArray:
        """Log odds that each class is in a document's set, (n_documents, n_classes)."""
        top = np.maximum.reduceat(self.scores, self._starts)
        weight = np.exp(self.scores - top[self.documents])
        total = np.add.reduceat(weight, self._starts)
        shape = (self.n_documents, len(self.members))
        of_sets = csr_array((weight, (self.documents, self.sets)), shape=shape)
        with_class = (of_sets @ csr_array(self.members).astype(np.float64)).toarray()
        without = np.maximum(total[:, None] - with_class, LEAST_ODDS * total[:, None])
        with_class = np.maximum(with_class, LEAST_ODDS * total[:, None])
        odds: FloatArray = np.log(with_class) - np.log(without)
        return odds


@dataclass(frozen=True, eq=False)
class SetSearch:
    """Visits the sets of classes that are most probable for documents.

    Parameters
    ----------
    known : KnownSets
        The sets of training documents.
    probabilities : ndarray of shape (n_words, n_classes + 1)
        Of words, given classes and background.
    scale : Scale
        How scores are put together.
    largest : int
        Number of classes of the largest set that is visited.
    allows_empty : bool
        Whether the empty set is visited.
    """

    known: KnownSets
    probabilities: FloatArray
    scale: Scale
    largest: int
    allows_empty: bool = False
    n_threads: int | None = None

    @property
    def n_classes(self) -> int:
        return self.known.n_classes

    def visit(self, X: Counts, how: str = "both", seed: int = 0) -> Visited:
        """Visit sets of counted documents in one of the ways of ``SEARCHES``."""
        rounds = _Rounds(self, X)
        if rounds.n_documents:
            SEARCHES[how](rounds, seed)
        return rounds.visited()


class _Rounds:
    """The sets that documents have visited so far."""

    def __init__(self, search: SetSearch, X: Counts) -> None:
        self.search, self.X = search, X
        self.n_documents, self.n_classes = X.shape[0], search.n_classes
        lengths = np.asarray(X.sum(axis=1), np.float64).ravel()
        scale = search.scale
        factor = np.maximum(lengths, 1.0) ** -scale.length_power
        self.factor = scale.likelihood * factor
        self.every = np.arange(self.n_documents)
        self._documents: list[IntArray] = []
        self._members: list[BoolArray] = []  # different sets of each round
        self._sets: list[IntArray] = []  # numbers of the sets in all rounds so far
        self._scores: list[FloatArray] = []

    def try_sets(
        self, documents: IntArray, members: BoolArray, codes: IntArray | None = None
    ) -> FloatArray:
        """Scores of sets, one for each of these documents; they are visited.

        ``members`` has a row for each document, or one for each code.
        """
        different, numbers = numbered(members)
        codes = numbers if codes is None else numbers[codes]
        sets = self.search.known.numbered(different)
        found = np.empty(len(documents))
        n_tasks = count_threads(self.search.n_threads) if len(found) > FEWEST_FOR_THREADS else 1
        cuts = np.linspace(0, len(found), n_tasks + 1).astype(np.int64)

        def score(task: int) -> None:
            part = slice(cuts[task], cuts[task + 1])
            _label_set_kernels.likelihoods(
                self.X.indptr,
                self.X.indices,
                self.X.data,
                documents[part],
                codes[part],
                sets.starts,
                sets.slots,
                sets.shares,
                self.search.probabilities,
                found[part],
            )

        run_in_threads(score, n_tasks)
        prior = self.search.scale.prior * sets.log_prior
        scores = self.factor[documents] * found + prior[codes]
        self._documents.append(documents)
        self._sets.append(codes + sum(map(len, self._members)))
        self._members.append(different)
        self._scores.append(scores)
        return scores

    def visited(self) -> Visited:
        """Every set once for each document."""
        n_classes = self.n_classes
        documents = np.concatenate([np.zeros(0, np.int64), *self._documents])
        members, number = numbered(np.vstack([np.zeros((0, n_classes), bool), *self._members]))
        sets = number[np.concatenate([np.zeros(0, np.int64), *self._sets])]
        scores = np.concatenate([np.zeros(0), *self._scores])
        _, first = np.unique(documents * max(len(members), 1) + sets, return_index=True)
        return Visited(documents[first], sets[first], scores[first], members, self.n_documents)

    def try_everywhere(self, row: BoolArray) -> FloatArray:
        """Scores of one set for all documents, by which it is visited."""
        return self.try_sets(self.every, row[None], np.zeros(self.n_documents, np.int64))

    def singles(self) -> FloatArray:
        """Scores of the sets of one class, (n_documents, n_classes); the empty set is visited."""
        if self.search.allows_empty:
            self.try_everywhere(np.zeros(self.n_classes, bool))
        codes = np.tile(np.arange(self.n_classes), self.n_documents)
        each = np.eye(self.n_classes, dtype=bool)
        scores = self.try_sets(np.repeat(self.every, self.n_classes), each, codes)
        return scores.reshape(self.n_documents, self.n_classes)


def _only_singles(rounds: _Rounds, seed: int) -> None:
    rounds.singles()


def _greedy(rounds: _Rounds, seed: int) -> None:
    """Method (1): the best single class, then the best addition to it, and so on.

    A document stops when its last two additions did not improve its best score.
    """
    single = rounds.singles()
    n_tried = min(MOST_ADDED, rounds.n_classes)
    likely = np.argsort(-single, axis=1, kind="stable")[:, :n_tried]
    documents, best = rounds.every, single.max(axis=1)
    current = np.eye(rounds.n_classes, dtype=bool)[likely[:, 0]]
    n_failed = np.zeros(len(documents), np.int64)
    for size in range(2, rounds.search.largest + 1):
        tried = likely[documents]
        is_new = ~np.take_along_axis(current, tried, axis=1)
        rows, places = np.nonzero(is_new)
        proposed = current[rows]
        proposed[np.arange(len(rows)), tried[rows, places]] = True
        scores = np.full(tried.shape, -np.inf)
        scores[rows, places] = rounds.try_sets(documents[rows], proposed)
        chosen = scores.argmax(axis=1)
        added = tried[np.arange(len(documents)), chosen]
        current[np.arange(len(documents)), added] = True
        top = scores.max(axis=1)
        n_failed = np.where(top > best, 0, n_failed + 1)
        best = np.maximum(best, top)
        goes_on = (n_failed < MOST_FAILED) & (size < n_tried)
        documents, best, current = documents[goes_on], best[goes_on], current[goes_on]
        n_failed = n_failed[goes_on]
        if not len(documents):
            break


def _by_weights(rounds: _Rounds, seed: int) -> None:
    """Method (2): classes one after the other, in the order of the document's mixture weights."""
    rounds.singles()
    search = rounds.search
    known = search.known
    prior = 1.0 + known.documents @ known.members
    prior = np.append(prior / prior.sum(), [BACKGROUND_PRIOR, UNIFORM_PRIOR])
    shares = np.empty((rounds.n_documents, rounds.n_classes + 2))
    X = rounds.X
    n_tasks = count_threads(search.n_threads) if X.nnz > FEWEST_FOR_THREADS else 1
    cuts = np.linspace(0, rounds.n_documents, n_tasks + 1).astype(np.int64)

    def estimate(task: int) -> None:
        first, last = cuts[task], cuts[task + 1]
        _label_set_kernels.document_shares(
            X.indptr[first : last + 1],
            X.indices,
            X.data,
            search.probabilities,
            prior,
            STEPS_OF_SHARES,
            shares[first:last],
        )

    run_in_threads(estimate, n_tasks)
    order = np.argsort(-shares[:, : rounds.n_classes], axis=1, kind="stable")
    current = np.zeros((rounds.n_documents, rounds.n_classes), bool)
    for size in range(1, min(search.largest, rounds.n_classes) + 1):
        current[rounds.every, order[:, size - 1]] = True
        rounds.try_sets(rounds.every, current.copy())


def _both(rounds: _Rounds, seed: int) -> None:
    _greedy(rounds, seed)
    _by_weights(rounds, seed)


def _exhaustive(rounds: _Rounds, seed: int) -> None:
    """All sets of at most as many classes as the largest set has."""
    n_classes = rounds.n_classes
    if n_classes > MOST_EXHAUSTIVE:
        raise ValueError(
            f"an exhaustive search needs at most {MOST_EXHAUSTIVE} classes, got {n_classes}; use "
            "search='both'"
        )
    rounds.singles()
    numbers = np.arange(2**n_classes)
    members = (numbers[:, None] >> np.arange(n_classes)) & 1 == 1
    sizes = members.sum(axis=1)
    for row in members[(sizes > 1) & (sizes <= rounds.search.largest)]:
        rounds.try_everywhere(row)


def _stochastic(rounds: _Rounds, seed: int) -> None:
    """Method (3): simulated annealing from the best single class.

    In each step a class is added to the set or removed from it, at random; a worse set is
    accepted with a probability that falls as the temperature does.
    """
    rng = np.random.default_rng(seed)
    single = rounds.singles()
    current = np.eye(rounds.n_classes, dtype=bool)[single.argmax(axis=1)]
    score = single.max(axis=1)
    # Classes that explain the document by themselves are proposed more often.
    likely = np.argsort(-single, axis=1, kind="stable")
    for temperature in np.geomspace(HOTTEST, COOLEST, N_STEPS):
        rank = np.minimum(rng.geometric(RANK_DECAY, rounds.n_documents) - 1, rounds.n_classes - 1)
        proposed = current.copy()
        proposed[rounds.every, likely[rounds.every, rank]] ^= True
        sizes = proposed.sum(axis=1)
        is_allowed = (sizes <= rounds.search.largest) & (sizes >= 1)
        documents = np.flatnonzero(is_allowed)
        found = rounds.try_sets(documents, proposed[documents])
        gap = np.minimum((found - score[documents]) / temperature, 0.0)
        is_accepted = rng.random(len(documents)) < np.exp(gap)
        moved = documents[is_accepted]
        current[moved], score[moved] = proposed[moved], found[is_accepted]


SEARCHES: dict[str, Callable[[_Rounds, int], None]] = {
    "both": _both,
    "greedy": _greedy,
    "weights": _by_weights,
    "exhaustive": _exhaustive,
    "stochastic": _stochastic,
    "single": _only_singles,
}
