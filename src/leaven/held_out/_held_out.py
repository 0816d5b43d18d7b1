"""Labeled documents held out in turn, and what experts trained on the others say of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray, IntArray
from leaven.corpora import Block, Corpus, Joined, in_memory, labeled_documents, sample_unlabeled
from leaven.held_out._weights import Expectation, expect_accuracy
from leaven.learners._frequent_words import WordEM
from leaven.learners._linear import LabeledFeatures
from leaven.learning._cross_validation import Held

__all__ = ["HeldOut"]

FOLDS = 5
ENOUGH = 1000  # held-out documents: more folds would tell nothing new
MOST_UNLABELED = 10_000  # documents in a sample that stands for all
UNEVEN = (0.2, 5.0)  # how much less or more than one a held-out document may stand for

OnFit = Callable[[int, int], None]


class HeldOut:
    """The labeled documents of a corpus in folds of which as many are used as tell enough.

    The only labeled document of a class is never held out; where every class has but one
    there are no folds at all.
    """

    def __init__(
        self,
        corpus: Corpus,
        n_words: int,
        dtype: Any,
        seed: Any,
        n_threads: int | None = None,
        on_fit: OnFit | None = None,
    ) -> None:
        self.n_words, self.dtype, self.seed, self.on_fit = n_words, dtype, seed, on_fit
        self.n_threads = n_threads
        self.labeled = _telling(labeled_documents(corpus))
        most = int(np.bincount(self.labeled.y).max())
        self.n_folds = min(FOLDS, most)
        self.folds: list[IntArray] = []
        if most > 1:
            self.held = Held(corpus, self.n_folds, seed, self.labeled)
            rng = np.random.default_rng(seed)
            self.unlabeled = sample_unlabeled(corpus, MOST_UNLABELED, rng)[0]
            self.held.unlabeled = in_memory(self.unlabeled, n_threads)
            sizes = np.cumsum([len(fold) for fold in self.held.folds])
            self.folds = self.held.folds[: int(np.searchsorted(sizes, ENOUGH)) + 1]
        self.places = np.concatenate([np.zeros(0, np.int64), *self.folds]).astype(np.int64)
        self.truth = self.labeled.y[self.places]

    @property
    def n_classes(self) -> int:
        return int(self.labeled.y.max()) + 1

    def mixture_scores(self, estimator: Any) -> FloatArray:
        """What mixtures fitted without them, as this one was, say of the documents held out."""
        found: list[FloatArray] = [np.zeros((0, self.n_classes))]
        for number, fold in enumerate(self.folds):
            rest, own = self.held.rest(fold), self.held.documents(fold)
            params = estimator.refit(rest, self.n_words, self.dtype, self.seed)
            found.append(estimator._model.class_log_joint(params, own.X, own.vectors))
            if self.on_fit is not None:
                self.on_fit(number + 1, len(self.folds))
        return np.concatenate(found)

    def word_scores(self, words: WordEM) -> FloatArray:
        """What naive Bayes with EM, fitted without them, says of the documents held out."""
        found: list[FloatArray] = [np.zeros((0, self.n_classes))]
        if self.folds:
            others = in_memory(words.seen(self.unlabeled), self.n_threads)
            labeled = words.seen(self.labeled)
        for fold in self.folds:
            kept = np.setdiff1d(np.arange(len(self.labeled.y)), fold)
            rest = Joined([in_memory(labeled.rows(kept), 1), others])
            found.append(words.scores(words.fit(rest, self.seed), labeled.rows(fold)))
        return np.concatenate(found)

    def linear_scores(self, features: LabeledFeatures) -> FloatArray:
        """What linear models fitted without them say of the documents held out."""
        found: list[FloatArray] = [np.zeros((0, self.n_classes))]
        for fold in self.folds:
            kept = np.setdiff1d(np.arange(len(self.labeled.y)), fold)
            found.append(features.scores(features.fit(self.labeled.y, kept), fold))
        return np.concatenate(found)

    def importance(self, shares: FloatArray) -> FloatArray:
        """How much each held-out document stands for, given the classes' shares in the corpus.

        Labels are often balanced where the corpus is not. The root, because the shares are
        guesses too. The mean is one.
        """
        own = np.bincount(self.labeled.y, minlength=self.n_classes) / len(self.labeled.y)
        ratio = np.sqrt(np.clip(shares / own, *UNEVEN))[self.truth]
        return ratio / ratio.mean() if len(ratio) else ratio

    def expectation(
        self, scores: FloatArray, shares: FloatArray, words_per_document: float
    ) -> Expectation:
        """Expected accuracy of a classifier with these held-out scores.

        ``shares`` are the classes' in the corpus, as far as they can be guessed.
        """
        right = (scores.argmax(axis=1) == self.truth).astype(np.float64)
        heard = np.unique(self.truth)
        # Half by number: of classes with one label, shares too are hardly known.
        covered = (shares[heard].sum() + len(heard) / self.n_classes) / 2
        return expect_accuracy(
            right,
            self.importance(shares),
            self.n_classes,
            len(self.labeled.y),
            words_per_document,
            self.n_folds,
            float(covered),
        )


def _telling(labeled: Block) -> Block:
    """The documents that say something, each once; all of a class of which none does.

    The copy of a document that was trained on tells nothing about new ones. Labeled documents
    come in the order of their content, so copies are neighbours.
    """
    X = labeled.X
    speaks = np.diff(X.indptr) > 0
    heard = np.bincount(labeled.y, speaks, int(labeled.y.max()) + 1) > 0
    is_copy = np.zeros(len(speaks), dtype=bool)
    same = (labeled.y[1:] == labeled.y[:-1]) & (np.diff(X.indptr)[1:] == np.diff(X.indptr)[:-1])
    for i in np.flatnonzero(same):
        first, second, end = X.indptr[i : i + 3]
        is_copy[i + 1] = np.array_equal(
            X.indices[first:second], X.indices[second:end]
        ) and np.array_equal(X.data[first:second], X.data[second:end])
        if labeled.vectors is not None:
            is_copy[i + 1] &= np.allclose(labeled.vectors[i], labeled.vectors[i + 1], atol=1e-6)
    return labeled.rows(np.flatnonzero((speaks & ~is_copy) | ~heard[labeled.y]))
