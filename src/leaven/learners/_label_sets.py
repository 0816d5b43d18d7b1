"""The label-set mixture as a learner."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from leaven._base.percent import percent
from leaven._base.progress import OnStep
from leaven._base.typing import BoolArray, FloatArray
from leaven._base.validation import check_choice, check_in, check_whole
from leaven.corpora import Block, TrainingSet
from leaven.documents._label_checks import check_label_weights
from leaven.experts import LabelSetExpert
from leaven.learners._base import Learned, Learner, Run
from leaven.learning import EMResult, run_em
from leaven.learning._cross_validation import Folds
from leaven.models import (
    SEARCHES,
    LabelSetMixture,
    LabelSetParams,
    LabelSetStats,
    Scale,
    WordCounts,
    WordWeights,
)
from leaven.posteriors import SOFT

__all__ = ["LabelSetLearner", "VectorsBesideLearner"]

WEIGHTS = ("information", "equal")
PSEUDO_WORDS = 60.0  # A: words of the corpus added to those with a class, and to those without
ONE_CLASS = "single"  # the search where every document has one class
N_FOLDS = 5  # of which one is held out for early stopping
PATIENCE = 2  # iterations in a row without improvement, after which early stopping ends
LITTLE = 0.01  # occurrences added to every word of the corpus in the odds of naive Bayes
MANY = 1000  # labeled documents from which on auto has no vectors that were learned from the text
MOST_OPEN = 64  # sets, the most frequent, that an unlabeled document can have
MORE_CLASSES = 1  # than the largest set of the training, in the largest set that is visited
NEVER = -1.0  # as tolerance: make all iterations


@dataclass(frozen=True)
class LabelSetLearner(Learner):
    """Mixture of the word distributions of a document's classes, by EM (McCallum, 1999).

    The options are those of [`leaven.MultiLabelMixture`][].
    """

    title: ClassVar[str] = "label-set mixture"

    max_iter: int = 100
    early_stopping: bool = False
    word_weights: str = "information"
    document_length: float = 2.0
    likelihood_weight: float = 1.0
    set_weight: float = 1.0
    length_power: float = 0.0
    odds_weight: float = 0.5
    set_alpha: float = 1.0
    leave_one_out: bool = True
    background: bool = True
    unlabeled_weight: float = 1.0
    search: str = "both"

    def check(self, dtype: Any) -> None:
        check_whole("max_iter", self.max_iter, "[0, inf)")
        check_choice("early_stopping", self.early_stopping, (True, False))
        check_choice("word_weights", self.word_weights, WEIGHTS)
        check_choice("leave_one_out", self.leave_one_out, (True, False))
        check_choice("background", self.background, (True, False))
        check_choice("search", self.search, [name for name in SEARCHES if name != ONE_CLASS])
        check_in("document_length", self.document_length, "[0, 1e6)")
        check_in("likelihood_weight", self.likelihood_weight, "(0, inf)")
        check_in("set_weight", self.set_weight, "[0, inf)")
        check_in("length_power", self.length_power, "[0, 1]")
        check_in("odds_weight", self.odds_weight, "[0, inf)")
        check_in("set_alpha", self.set_alpha, "[0, inf)")
        check_in("unlabeled_weight", self.unlabeled_weight, "[0, 1]")

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        self.check(training.corpus.dtype)
        check_label_weights(training.label_weights, training.labels)
        tried: list[float] = []
        n_iter = self.max_iter
        if self.early_stopping and self.max_iter > 1:
            tried = self._held_out_accuracies(training, run)
            n_iter = 1 + int(np.argmax(tried)) if tried else n_iter
        fitting = _Fitting(self, training)
        on_step = run.progress.steps("EM", n_iter + 1)
        found = fitting.run(fitting.start(), n_iter, on_step)
        facts = {"iterations": found.n_iter, "accuracy_by_iteration": tried}
        return Learned(
            learner=self,
            expert=fitting.expert(found.params),
            facts=facts,
            lines=(_line(found.n_iter, tried),),
            is_chosen_by_labels=bool(tried),
        )

    def _held_out_accuracies(self, training: TrainingSet, run: Run) -> list[float]:
        """Share of held-out documents with the right set, after each iteration of a fit.

        The iterations end when two in a row brought no improvement.
        """
        folds = Folds(training, N_FOLDS, run.seed, training.labeled)
        fold = folds.folds[0]
        documents = folds.documents(fold)
        truth = training.labels.membership(documents.y)
        fitting = _Fitting(self, folds.rest(fold))
        params, found = fitting.start(), list[float]()
        while len(found) < self.max_iter and not _has_stalled(found):
            params = fitting.run(params, 1).params
            decided = fitting.expert(params).best_sets(documents.X)
            found.append(float((decided == truth).all(axis=1).mean()))
        return found


@dataclass(frozen=True)
class VectorsBesideLearner(LabelSetLearner):
    """The label-set mixture, on documents with vectors for other learners.

    Parameters
    ----------
    n_dims : int, default=100
        Dimensions of the vectors; 0 where there are none.
    """

    n_dims: int = 100

    def check(self, dtype: Any) -> None:
        super().check(dtype)
        check_whole("n_dims", self.n_dims, "[0, inf)")

    def for_labels(self, n_labeled: int, has_vectors: bool) -> Learner:
        """Vectors learned from the text add nothing to so many labels."""
        return replace(self, n_dims=0) if n_labeled >= MANY and not has_vectors else self


class _Fitting:
    """A model, and the documents with weighted words that it is fitted on."""

    def __init__(self, learner: LabelSetLearner, training: TrainingSet) -> None:
        self.learner, self.labels = learner, training.labels
        members = training.labels.membership(np.arange(training.labels.n_codes))
        self.weights = self._word_weights(training, members)
        self.corpus = training.corpus.map(partial(_weighted, self.weights))
        self.model = LabelSetMixture(
            members,
            learner.set_alpha,
            learner.unlabeled_weight,
            learner.leave_one_out,
            learner.background,
            np.sort(np.argsort(-training.label_weights, kind="stable")[:MOST_OPEN]),
        )

    def _word_weights(self, training: TrainingSet, members: BoolArray) -> WordWeights:
        corpus, length = training.corpus, self.learner.document_length
        if self.learner.word_weights == "equal":
            return WordWeights(np.ones(corpus.n_words, np.float32), length)
        counts = corpus.reduce(partial(WordCounts.of, members=members))
        return WordWeights(counts.information().astype(np.float32), length)

    def start(self) -> LabelSetParams:
        """Counts of labeled documents' words, each shared equally by all it may come from."""
        supervised = replace(self.model, unlabeled_weight=0.0)
        first = supervised.first_params(self.corpus.n_words, self.corpus.dtype)
        stats = self.corpus.reduce(partial(supervised.expect, first, SOFT))
        return supervised.maximize(first, stats)

    def run(
        self, params: LabelSetParams, n_steps: int, on_step: OnStep | None = None
    ) -> EMResult[LabelSetParams, LabelSetStats]:
        return run_em(self.model, self.corpus, params, max_iter=n_steps, tol=NEVER, on_step=on_step)

    def expert(self, params: LabelSetParams) -> LabelSetExpert:
        learner, model, labels = self.learner, self.model, self.labels
        sizes = model.members[params.sets > 0].sum(axis=1)
        one_each = not labels.has_sets
        return LabelSetExpert(
            learner.title,
            self.weights,
            model.word_probabilities(params),
            model.known_sets(params),
            Scale(learner.likelihood_weight, learner.set_weight, learner.length_power),
            ONE_CLASS if one_each else learner.search,
            1 if one_each else min(int(sizes.max(initial=1)) + MORE_CLASSES, model.n_classes),
            labels.may_be_empty,
            learner.odds_weight * _class_odds(params) if learner.odds_weight else None,
        )


def _weighted(weights: WordWeights, block: Block) -> Block:
    return replace(block, X=weights.applied(block.X))


def _has_stalled(accuracies: list[float]) -> bool:
    """Whether the last iterations brought no improvement."""
    earlier, last = accuracies[:-PATIENCE], accuracies[-PATIENCE:]
    return bool(earlier) and max(last) <= max(earlier)


def _class_odds(params: LabelSetParams) -> FloatArray:
    """Log odds of each word in documents with a class against those without, smoothed."""
    every = params.bounds[:, -1:].astype(np.float64)
    with_class = params.bounds[:, :-1].astype(np.float64)
    added = PSEUDO_WORDS * (every + LITTLE) / (every + LITTLE).sum()
    without = np.maximum(every - with_class, 0.0)
    odds = np.log(with_class + added) - np.log(with_class.sum(axis=0) + PSEUDO_WORDS)
    odds -= np.log(without + added) - np.log(without.sum(axis=0) + PSEUDO_WORDS)
    return np.asarray(odds, np.float32)


def _line(n_iter: int, tried: list[float]) -> str:
    iterations = "1 iteration" if n_iter == 1 else f"{n_iter:,} iterations"
    if not tried:
        return f"EM: {iterations}"
    return f"EM: {iterations}, the best of {len(tried)} by {percent(max(tried))} held-out sets"
