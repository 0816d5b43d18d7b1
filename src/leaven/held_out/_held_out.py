"""Labeled documents held out in turn, and their scores by experts trained on the others."""

import numpy as np

from leaven._base.folds import ENOUGH, enough_folds
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.corpora import TrainingSet, in_memory, sample_unlabeled
from leaven.held_out._expectation import Expectation, expect_accuracy
from leaven.learners import Learned, Run
from leaven.learning._cross_validation import Folds

__all__ = ["HeldOut"]

FOLDS = 5
MOST_UNLABELED = 10_000  # documents in a sample that stands for all
UNEVEN = (0.2, 5.0)  # limits of a class's share of the corpus relative to its share of the labels


class HeldOut:
    """The labeled documents of a training set in folds, of which only as many as needed are used.

    The only labeled document of a class is never held out; there are no folds where every
    class has only one, or where the fit was asked to stop.
    """

    def __init__(self, training: TrainingSet, run: Run, enough: int = ENOUGH) -> None:
        self.training, self.run = training, run
        self.labels = training.labels
        codes = training.labels.strata(training.labeled.y)
        most = int(np.bincount(codes).max())
        self.n_folds = min(FOLDS, most)
        self.n_unlabeled = 0  # documents that experts are also fitted on
        self.places: list[IntArray] = []  # of the documents in each fold
        if most > 1 and not run.progress.is_stopped:
            rng = np.random.default_rng(run.seed)
            sample = sample_unlabeled(training.corpus, MOST_UNLABELED, rng)[0]
            self.n_unlabeled = len(sample.y)
            unlabeled = in_memory(sample, run.n_threads)
            self._folds = Folds(training, self.n_folds, run.seed, training.labeled, unlabeled)
            self.places = enough_folds(self._folds.folds, enough)

    @property
    def is_stopped(self) -> bool:
        """Whether the fit was asked to stop, so that nothing is held out."""
        return self.run.progress.is_stopped

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

    def is_right(self, scores: FloatArray) -> BoolArray:
        """Which held-out documents the scores classify correctly."""
        right: BoolArray = self.labels.decide(scores) == self.truth
        return right

    def importance(self, shares: FloatArray) -> FloatArray:
        """Weight of each held-out document, given the classes' shares in the corpus.

        Labels are often balanced where the corpus is not. The square root is taken because
        the shares are estimates too. The mean is one.
        """
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
        return expect_accuracy(
            self.is_right(scores).astype(np.float64),
            self.importance(shares),
            n_classes,
            len(self.training.labeled.y),
            self.training.size.words_per_document,
            self.n_folds,
            (covered[0], covered[1]),
        )
