"""Labeled documents held out in turn, and their scores by experts trained on the others."""

from collections.abc import Iterator

import numpy as np

from leaven._base.folds import ENOUGH, drawn_folds, enough_folds
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.corpora import TrainingSet, in_memory, sample_unlabeled
from leaven.held_out._expectation import (
    FEWEST_AUDITED,
    Expectation,
    expect_accuracy,
    expect_from_audits,
    usual_accuracy,
)
from leaven.learners import Learned, Run
from leaven.learning._cross_validation import Folds

__all__ = ["HeldOut"]

FOLDS = 5  # of labeled documents, at most
MOST_UNLABELED = 10_000  # documents in a sample that stands for all
# Scores of held-out documents in memory, 160 MB: of more, as classes are many, a part is held out.
MOST_SCORES = 20_000_000
UNEVEN = (0.2, 5.0)  # limits of a class's share of the corpus relative to its share of the labels


class HeldOut:
    """The labeled documents of a training set in folds, of which only as many as needed are used.

    The only labeled document of a class is never held out; there are no folds where every
    class has only one, or where the fit was asked to stop. Where it is known which documents were
    drawn at random, the audits, only these are held out, and none if they are too few: what chosen
    documents say does not hold for others.
    """

    def __init__(self, training: TrainingSet, run: Run, enough: int = ENOUGH) -> None:
        self.training, self.run = training, run
        self.labels = training.labels
        codes = training.labels.strata(training.labeled.y)
        n_of_class = np.bincount(codes)
        most = int(n_of_class.max())
        self.n_folds, can_hold_out = min(FOLDS, most), most > 1
        self._able = training.is_audited
        self.n_audited: int | None = None  # documents drawn at random; None where not known
        self.n_alone = 0  # of them, those that are the only labeled ones of their class
        if self._able is not None:
            is_alone = self._able & (n_of_class[codes] == 1)
            self.n_audited, self.n_alone = int(self._able.sum()), int(is_alone.sum())
            self.n_folds = FOLDS
            can_hold_out = not self.lacks_audits and self.n_audited > self.n_alone
        self.n_unlabeled = 0  # documents that experts are also fitted on
        self.places: list[IntArray] = []  # of the documents in each fold
        if can_hold_out and not run.progress.is_stopped:
            rng = np.random.default_rng(run.seed)
            sample = sample_unlabeled(training.corpus, MOST_UNLABELED, rng)[0]
            self.n_unlabeled = len(sample.y)
            unlabeled = in_memory(sample, run.n_threads)
            self._folds = Folds(
                training, self.n_folds, run.seed, training.labeled, unlabeled, self._able
            )
            places = enough_folds(self._folds.folds, enough)
            self.places = drawn_folds(places, MOST_SCORES // len(self.labels), rng)

    @property
    def is_stopped(self) -> bool:
        """Whether the fit was asked to stop, so that nothing is held out."""
        return self.run.progress.is_stopped

    @property
    def kind(self) -> str:
        """What reports call the labels held out."""
        return "held-out" if self.n_audited is None else "audited"

    @property
    def lacks_audits(self) -> bool:
        """Whether too few documents were drawn at random, so that nothing is held out."""
        return self.n_audited is not None and self.n_audited < FEWEST_AUDITED

    @property
    def truth(self) -> IntArray:
        """Codes of the documents held out."""
        places = np.concatenate([np.zeros(0, np.int64), *self.places]).astype(np.int64)
        return self.training.labeled.y[places]

    def scores(self, learned: Learned) -> FloatArray:
        """Scores of the held-out documents, by experts fitted without them in the same way.

        Once a stop is requested, nothing is held out: not even what was scored before.
        """
        if not self.places:
            return np.zeros((0, len(self.labels)))
        found = learned.held_out_scores(self._folds, self.places, self.run)
        if self.is_stopped:
            self.places = []
        return found[: len(self.truth)]

    def each_fold(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Of the documents held out, those of each fold, and those of the others."""
        every = np.arange(len(self.truth))
        sizes = [len(fold) for fold in self.places]
        for fold in np.split(every, np.cumsum(sizes)[:-1]) if sizes else ():
            yield fold, np.setdiff1d(every, fold)

    def is_right(self, scores: FloatArray) -> BoolArray:
        """Which held-out documents the scores classify correctly."""
        right: BoolArray = self.labels.decide(scores) == self.truth
        return right

    def importance(self, shares: FloatArray) -> FloatArray:
        """Weight of each held-out document, given the classes' shares in the corpus.

        Labels are often balanced where the corpus is not. The square root is taken because
        the shares are estimates too. The mean is one. Audits all weigh the same: their classes are
        as frequent as in the corpus.
        """
        if self.n_audited is not None:
            return np.ones(len(self.truth))
        codes = self.training.labeled.y
        labeled_shares = np.bincount(codes, minlength=len(self.labels)) / len(codes)
        ratio = np.sqrt(np.clip(shares / labeled_shares, *UNEVEN))[self.truth]
        return ratio / ratio.mean() if len(ratio) else ratio

    def expectation(self, scores: FloatArray, shares: FloatArray) -> Expectation:
        """Expected accuracy of a classifier with these held-out scores.

        ``shares`` are the estimated shares of the classes in the corpus.
        """
        n_classes = len(self.labels)
        labels_per_class = np.bincount(self.training.labeled.y, minlength=n_classes)
        has_several = labels_per_class > 1
        # By shares and by number: classes of one label look small beside those of many.
        covered = sorted([float(shares[has_several].sum()), float(has_several.mean())])
        right = self.is_right(scores).astype(np.float64)
        n_labeled = len(self.training.labeled.y)
        words_per_document = self.training.size.words_per_document
        if self.n_audited is not None:
            guess = usual_accuracy(n_classes, n_labeled, words_per_document)[1]
            return expect_from_audits(right, self.n_audited, self.n_alone, guess)
        return expect_accuracy(
            right,
            self.importance(shares),
            n_classes,
            n_labeled,
            words_per_document,
            self.n_folds,
            (covered[0], covered[1]),
        )
