"""Experts, how much each has to say, and what to expect of them together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.corpora import Corpus, sample_documents
from leaven.corpora._size import CorpusSize
from leaven.estimators._count_classifier import MixtureClassifier
from leaven.exceptions import CollapseWarning
from leaven.experts._experts import Expert, MixtureExpert
from leaven.held_out._held_out import HeldOut
from leaven.held_out._weights import Expectation, fit_weights, temper
from leaven.learners._frequent_words import WordEM
from leaven.learners._linear import LabeledFeatures
from leaven.significance import Z_90, wilson_interval

__all__ = ["Blended", "blend", "calibrate"]

# Prior weights, by which experts are ranked till labels can tell.
WORDS_PRIOR, BOTH_PRIOR, TWO_VIEW_PRIOR = 0.25, 0.35, 0.1
WORD_EM_SHARE = 1 / 15  # of two-view EM's prior weight; its scores are three times as large
LONG = 120.0  # different words in a document of which nothing more is learned by reading on
MIXTURE_PRIOR = 5.0  # words that a mixture should believe a document has
SURE = 2.0  # standard errors by which the supervised model must win to be left alone
MOST_LOOKED_AT = 20_000  # documents
LITTLE = 0.1  # a say that is not worth mentioning
NAMES = {
    "words": "linear model of words",
    "both": "linear model of words and vectors",
    "two-view": "two-view EM",
    "em": "naive Bayes with EM",
}


@dataclass(frozen=True, eq=False)
class Blended:
    """What a classifier asks, and what is known of it."""

    experts: tuple[Expert, ...]
    weights: FloatArray
    expected: Expectation | None = None
    candidates: list[dict[str, Any]] = field(default_factory=list)
    reason: str | None = None


def calibrate(
    estimator: MixtureClassifier,
    name: str,
    corpus: Corpus,
    size: CorpusSize,
    dtype: Any,
    on_fit: Callable[[int, int], None] | None = None,
) -> Blended:
    """One mixture, with the weight that makes its probabilities honest."""
    expert = MixtureExpert(name, estimator._model, estimator._params)
    held = _held_out(estimator, corpus, size, dtype, on_fit)
    own = held.mixture_scores(estimator)
    if expert.sees_vectors:
        prior = _two_view_prior(size)
    else:
        prior = min(1.0, MIXTURE_PRIOR / max(size.mean_length, 1e-9))
    seen = sample_documents(corpus, MOST_LOOKED_AT)
    scores = expert.scores(seen.X, seen.vectors)
    shares = _shares(scores, seen.weight)
    is_open = seen.y < 0
    weights = fit_weights([own], held.truth, [prior], held.importance(shares))
    expected = held.expectation(own, shares, size.words_per_document)
    weights = weights * temper(weights[0] * scores[is_open], expected, seen.weight[is_open])
    return Blended((expert,), weights, expected)


def blend(
    estimator: MixtureClassifier,
    corpus: Corpus,
    size: CorpusSize,
    dtype: Any,
    fewest: int,
    on_fit: Callable[[int, int], None] | None = None,
) -> Blended:
    """A linear model of words, one of words and vectors, two-view EM and naive Bayes with EM.

    Each with the say that held-out labels give it; ``fewest`` is the number of documents that
    the last wants words to occur in.
    """
    held = _held_out(estimator, corpus, size, dtype, on_fit)
    experts: list[Expert] = []
    held_out: list[FloatArray] = []
    for name, vectors in (("words", None), ("both", held.labeled.vectors)):
        features = LabeledFeatures(held.labeled.X, vectors)
        experts.append(features.expert(NAMES[name], features.fit(held.labeled.y)))
        held_out.append(held.linear_scores(features))
    priors = [WORDS_PRIOR, BOTH_PRIOR]
    # Where labels can be held out they tell better whether EM went astray.
    has_collapsed = not len(held.truth) and any(
        kind is CollapseWarning for kind, _ in estimator._messages
    )
    if not has_collapsed:
        experts.append(MixtureExpert(NAMES["two-view"], estimator._model, estimator._params))
        held_out.append(held.mixture_scores(estimator))
        priors.append(_two_view_prior(size))
    # Naive Bayes with EM is no match for two-view EM till labels say so.
    if len(held.truth) and estimator.climbs_unlabeled:
        words = WordEM(size, held.n_classes, fewest, dtype, estimator.n_threads)
        experts.append(words.fitted(NAMES["em"], corpus, held.seed))
        held_out.append(held.word_scores(words))
        priors.append(WORD_EM_SHARE * _two_view_prior(size))
    seen = sample_documents(corpus, MOST_LOOKED_AT)
    all_scores = [own.scores(seen.X, seen.vectors) for own in experts]
    shares = _shares(all_scores[1], seen.weight)
    importance = held.importance(shares)
    weights = fit_weights(held_out, held.truth, priors, importance)
    together = np.tensordot(weights, np.stack(held_out), 1)
    is_supervised = _supervised_wins(held_out[0], together, held)
    if is_supervised:
        experts, held_out, all_scores = experts[:1], held_out[:1], all_scores[:1]
        weights = fit_weights(held_out, held.truth, priors[:1], importance)
        together = weights[0] * held_out[0]
    expected = held.expectation(together, shares, size.words_per_document)
    is_open = seen.y < 0
    unlabeled = np.tensordot(weights, np.stack(all_scores), 1)[is_open]
    weights = weights * temper(unlabeled, expected, seen.weight[is_open])
    says = _says(weights, all_scores)
    candidates = [
        _candidate(own.name, held, scores, say)
        for own, scores, say in zip(experts, held_out, says, strict=True)
    ]
    reason = _reason(candidates, held, together, is_supervised, has_collapsed)
    return Blended(tuple(experts), weights, expected, candidates, reason)


def _candidate(name: str, held: HeldOut, scores: FloatArray, say: float) -> dict[str, Any]:
    if not len(held.truth):
        return {"name": name, "accuracy": None, "low": None, "high": None, "share": say}
    right = scores.argmax(axis=1) == held.truth
    low, high = wilson_interval(int(right.sum()), len(right), Z_90)
    return {
        "name": name, "accuracy": float(right.mean()), "low": low, "high": high, "share": say,
    }  # fmt: skip


def _reason(
    candidates: list[dict[str, Any]],
    held: HeldOut,
    together: FloatArray,
    is_supervised: bool,
    has_collapsed: bool,
) -> str:
    n = len(held.truth)
    lost = "; two-view EM collapsed and is left out" if has_collapsed else ""
    if not n:
        return f"one label per class is too few to compare by, so the usual ranking decides{lost}"
    right = float((together.argmax(axis=1) == held.truth).mean())
    if is_supervised:
        return (
            f"unlabeled text would hurt here: the supervised model is right on {right:.0%} of "
            f"{n:,} held-out labels, more than with it{lost}"
        )
    say = sum(own["share"] for own in candidates if own["name"].endswith("EM"))
    if say < LITTLE:
        return (
            f"unlabeled text adds little here, so the supervised models have most of the say: "
            f"{right:.0%} of {n:,} held-out labels right{lost}"
        )
    alone = candidates[0]["accuracy"]
    return (
        f"together the models are right on {right:.0%} of {n:,} held-out labels, the supervised "
        f"one alone on {alone:.0%}{lost}"
    )


def _supervised_wins(alone: FloatArray, together: FloatArray, held: HeldOut) -> bool:
    """Whether words and labels alone beat everything together beyond doubt."""
    right = (alone.argmax(axis=1) == held.truth).astype(np.float64)
    gap = right - (together.argmax(axis=1) == held.truth)
    n_different = int((gap != 0).sum())
    return bool(n_different and gap.sum() > SURE * np.sqrt(n_different))


def _says(weights: FloatArray, scores: list[FloatArray]) -> list[float]:
    """Shares of the experts in how far classes are moved apart, over all documents."""
    reach = np.array([w * own.std(axis=1).mean() for w, own in zip(weights, scores, strict=True)])
    return [float(own) for own in reach / max(reach.sum(), 1e-30)]


def _two_view_prior(size: CorpusSize) -> float:
    # Words of a short text, scaled to the same total, are believed too much.
    return TWO_VIEW_PRIOR * float(np.sqrt(min(size.words_per_document / LONG, 1.0)))


def _shares(scores: FloatArray, weight: FloatArray) -> FloatArray:
    """Classes' shares of the documents, by their best class; none is nothing."""
    n_classes = scores.shape[1]
    counts = np.bincount(scores.argmax(axis=1), weight, n_classes) + 1.0
    return np.asarray(counts / counts.sum(), np.float64)


def _held_out(
    estimator: MixtureClassifier,
    corpus: Corpus,
    size: CorpusSize,
    dtype: Any,
    on_fit: Callable[[int, int], None] | None,
) -> HeldOut:
    seed = np.random.SeedSequence(estimator.random_state).entropy
    return HeldOut(corpus, len(size.documents), dtype, seed, estimator.n_threads, on_fit)
