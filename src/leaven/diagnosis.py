"""Is unlabeled text helping? Model probability against accuracy on held-out labels.

EM looks for a probable model, not for an accurate one. Where the two go together unlabeled
documents help; where they do not, EM does harm (Nigam, McCallum and Mitchell, figures 3.2 and
3.3). The paper sees which it is on a test set. Here the labeled documents are all there is,
so EM starts several times from a part of them and is scored on the others.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from leaven._typing import FloatArray, IntArray
from leaven._validation import check_whole
from leaven.corpora import Block, Corpus, InMemoryCorpus, Joined, labeled_documents
from leaven.em import run_em
from leaven.fitting import Climb, components_of, fit_mixture, supervised_start
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import SOFT, cooling

__all__ = ["Alternative", "Diagnosis", "Point", "diagnose_alternatives", "diagnose_corpus"]

MOST_UNLABELED = 3000  # documents in a sample that stands for all
MOST_HELD_OUT = 1000  # labeled documents that a start is scored on
PARTS = (0.25, 0.8)  # least and largest share of the labels that a start gets
MOST_ITERATIONS, LOOSE = 30, 1e-4  # accuracy has settled long before EM converges
ONE_SIDED_95 = 1.645  # standard errors
N_RESAMPLED = 1000
NOTICEABLE = 0.02  # a difference in accuracy below this is a little one

OnFit = Callable[[int, int], None]


@dataclass(frozen=True)
class Point:
    """A model on its way from a supervised start to the end of EM."""

    start: int
    iteration: int
    log_probability: float  # of the unlabeled documents and the parameters, per document
    accuracy: float  # on the labeled documents held out
    n_held_out: int


class Difference(NamedTuple):
    """Mean over starts of a difference in accuracy, and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class Alternative:
    """A way to train, scored on the labeled documents that were held out."""

    name: str
    advice: str  # how to train in this way
    accuracy: float
    versus_em: Difference
    versus_supervised: Difference


@dataclass(frozen=True)
class Diagnosis:
    """Whether unlabeled text helps, and the evidence.

    ``print(diagnosis)`` is for people, ``diagnosis.to_json()`` for machines.
    """

    points: list[Point]
    correlation: float | None  # of log probability and accuracy over all points
    correlation_interval: tuple[float, float] | None  # 90 %
    gain: float  # accuracy after EM minus that of the supervised start, mean over starts
    gain_error: float  # standard error
    n_labeled: int
    n_held_out: int  # different documents that some start was scored on
    n_unlabeled: int
    verdict: str  # "helps", "hurts" or "unclear"
    sentence: str
    recommendation: str
    alternatives: list[Alternative] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        written = asdict(self)
        for alternative in written["alternatives"]:
            for name in ("versus_em", "versus_supervised"):
                alternative[name] = alternative[name]._asdict()
        return written

    def __str__(self) -> str:
        lines = [self.sentence, self.recommendation]
        width = max((len(own.name) for own in self.alternatives), default=0)
        lines += [
            f"  {own.name:<{width}}  {own.accuracy:6.1%}  {_points(own.versus_em)} to plain EM, "
            f"{_points(own.versus_supervised)} to supervised"
            for own in self.alternatives
        ]
        return "\n".join(lines)


def diagnose_corpus(
    model: MultinomialMixture,
    corpus: Corpus,
    n_words: int,
    dtype: Any,
    *,
    climb: Climb,
    n_starts: int = 10,
    n_unlabeled: int = MOST_UNLABELED,
    seed: Any = 0,
    on_fit: OnFit | None = None,
) -> Diagnosis:
    """Tell whether EM over unlabeled documents makes this model better.

    Parameters
    ----------
    model : MultinomialMixture
        The model to be trained, with its components and pseudo-counts.
    corpus : Corpus
        All documents, labeled and unlabeled.
    n_words, dtype : int and dtype
        Of the counts in the corpus.
    climb : Climb
        How it is to be trained; here less precisely, and from one random start each time.
    n_starts : int, default=10
        Parts of the labeled documents to start from: time grows with it, doubt falls.
    n_unlabeled : int, default=3000
        Most unlabeled documents to use. If there are more, a sample stands for all of them.
    seed : int, default=0
        Of parts, sample and starts.
    on_fit : callable or None, default=None
        Called as ``on_fit(done, total)`` after every fit.
    """
    trials = _Trials(corpus, n_words, dtype, climb, n_starts, n_unlabeled, seed)
    return _judge(trials, *_follow(trials, model, _Counted(on_fit, len(trials.splits))))


def diagnose_alternatives(
    model: MultinomialMixture,
    corpus: Corpus,
    n_words: int,
    dtype: Any,
    *,
    climb: Climb,
    n_starts: int = 10,
    n_unlabeled: int = MOST_UNLABELED,
    seed: Any = 0,
    on_fit: OnFit | None = None,
) -> Diagnosis:
    """Tell as :func:`diagnose_corpus` does, and try on the same held-out labels what else to do.

    The simplest of the alternatives that the best one beats by no more than a standard error
    is recommended.
    """
    trials = _Trials(corpus, n_words, dtype, climb, n_starts, n_unlabeled, seed)
    ways = _ways(model, climb)
    counted = _Counted(on_fit, (1 + len(ways)) * len(trials.splits))
    found = _judge(trials, *_follow(trials, model, counted))
    if not found.points:
        return found
    right = [trials.score(way, counted) for way in ways]
    alternatives = [
        Alternative(
            way.name,
            way.advice,
            float(np.nanmean(own, axis=1).mean()),
            _difference(own - right[EM], trials.rng(3)),
            _difference(own - right[SUPERVISED], trials.rng(3)),
        )
        for way, own in zip(ways, right, strict=True)
    ]
    best = max(range(len(ways)), key=lambda i: alternatives[i].accuracy)
    lost = [_difference(right[best] - own, trials.rng(3)) for own in right]
    taken = next(i for i in range(len(ways)) if i == best or lost[i].mean <= lost[i].error)
    advice = _advice(alternatives, taken, best)
    return replace(found, alternatives=alternatives, recommendation=advice)


class _Way(NamedTuple):
    name: str
    advice: str
    model: MultinomialMixture
    climb: Climb


SUPERVISED, EM = 0, 1  # places among the ways


def _ways(model: MultinomialMixture, climb: Climb) -> list[_Way]:
    """Ways to train, the simplest first."""
    n_classes = model.n_classes
    plain = replace(model, component_class=np.arange(n_classes), unlabeled_weight=1.0)
    several = replace(plain, component_class=components_of([5] * n_classes))
    straight = replace(climb, warm_up=())
    # Coarser steps than in training: a fifth of the time, and much the same models.
    cooled = replace(climb, warm_up=climb.warm_up or cooling(0.02, 1.05), correspondence="labels")
    ways = [
        _Way("supervised", "train without the unlabeled text (method nb)", plain,
             replace(straight, max_iter=0)),
        _Way("plain EM", "train with the unlabeled text (method em)", plain, straight),
        _Way("unlabeled weight 0.1", "lower the unlabeled weight to 0.1 (method em)",
             replace(plain, unlabeled_weight=0.1), straight),
        _Way("5 components per class", "give every class 5 components (method mixture)",
             several, straight),
        _Way("annealed", "anneal (method annealed)", plain, cooled),
    ]  # fmt: skip
    is_plain = len(model.component_class) == n_classes and model.unlabeled_weight == 1.0
    if not is_plain:
        ways.append(_Way("as asked", "train as asked", model, climb))
    return ways


class _Trials:
    """Parts of the labeled documents to start from, the rest to score, and the unlabeled ones."""

    def __init__(
        self,
        corpus: Corpus,
        n_words: int,
        dtype: Any,
        climb: Climb,
        n_starts: int,
        n_unlabeled: int,
        seed: Any,
    ) -> None:
        check_whole("n_starts", n_starts, "[2, inf)")
        check_whole("n_unlabeled", n_unlabeled, "[1, inf)")
        self.n_words, self.dtype = n_words, dtype
        self.climb, self.seed = climb, np.random.SeedSequence(seed).entropy
        self.labeled = labeled_documents(corpus)
        self.unlabeled, self.n_unlabeled = _sample(corpus, n_unlabeled, self.rng(1))
        parts = _parts(self.labeled.y, n_starts, self.rng(2)) if self.n_unlabeled else []
        held = [np.setdiff1d(np.arange(len(self.labeled.y)), part) for part in parts]
        self.splits = list(zip(parts, held, strict=True))
