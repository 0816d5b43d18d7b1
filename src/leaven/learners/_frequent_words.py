"""Naive Bayes with EM on the frequent words of documents that are scaled for two-view EM."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from leaven._base.typing import FloatArray, IntArray
from leaven.corpora import Block, Corpus, CorpusSize, Joined, TrainingSet, in_memory
from leaven.experts import MixtureExpert
from leaven.learners._base import Learned, Learner, Run
from leaven.learners._two_view import two_view_prior_weight
from leaven.learning import Climb, fit_mixture
from leaven.learning._cross_validation import Folds
from leaven.models import MixtureParams, MultinomialMixture

__all__ = ["FrequentWordsLearner"]

SHARE = 1 / 15  # of two-view EM's prior weight: the counts are scaled to 15 times the length
MOST_ITERATIONS, TOLERANCE = 20, 1e-5  # of EM, which is run again in every fold


@dataclass(frozen=True)
class FrequentWordsLearner(Learner):
    """Fits naive Bayes with EM to the frequent words of documents scaled for another learner.

    Rare words harm it more than they help, so it uses only those that occur in ``min_df``
    documents; the others have no effect. Its documents have a mean total of ``length``.
    """

    title: ClassVar[str] = "naive Bayes with EM"

    min_df: int
    length: float
    max_iter: int = MOST_ITERATIONS
    tol: float = TOLERANCE

    @property
    def climb(self) -> Climb:
        return Climb(max_iter=self.max_iter, tol=self.tol)

    def fit(self, training: TrainingSet, run: Run) -> "FrequentWordsLearned":
        size = training.size
        fewest = min(self.min_df, size.documents.max(initial=1))
        kept = np.flatnonzero(size.documents >= fewest)
        scale = self.length / max(size.mean_length, 1e-9)
        model = MultinomialMixture(np.arange(training.n_classes), n_threads=run.n_threads)
        seen = training.corpus.map(partial(frequent_words, kept, scale))
        fit = fit_mixture(model, seen, self.climb, run.seed, keep_words=False)
        params = fit.result.params
        expert = _whole_expert(self.title, model, params, kept, size, scale)
        return FrequentWordsLearned(learner=self, expert=expert, model=model, kept=kept)

    def prior_weight(self, size: CorpusSize) -> float:
        return SHARE * two_view_prior_weight(size)


@dataclass(frozen=True, eq=False, kw_only=True)
class FrequentWordsLearned(Learned):
    """A mixture of some of the words; the others have a probability of one in every class."""

    learner: FrequentWordsLearner
    expert: MixtureExpert
    model: MultinomialMixture  # of the words that are kept
    kept: IntArray  # their numbers

    def held_out_scores(self, folds: Folds, places: list[IntArray], run: Run) -> FloatArray:
        """The unlabeled documents are reduced to the frequent words once for all folds."""
        found: list[FloatArray] = [np.zeros((0, len(folds.labels)))]
        if not places:
            return found[0]
        seen = partial(frequent_words, self.kept, self.expert.scale)
        others, labeled = folds.unlabeled.map(seen), seen(folds.labeled)
        for fold in places:
            if run.progress.is_stopped:
                break
            rest: Corpus = Joined([in_memory(labeled.rows(folds.kept(fold)), 1), others])
            fit = fit_mixture(self.model, rest, self.learner.climb, run.seed, keep_words=False)
            found.append(self.model.class_log_joint(fit.result.params, labeled.rows(fold).X))
        return np.concatenate(found)


def frequent_words(kept: IntArray, scale: float, block: Block) -> Block:
    """Documents of these words only, their counts scaled, without vectors."""
    X = csr_array(block.X[:, kept] * scale).astype(block.X.dtype)
    return replace(block, X=X, vectors=None)


def _whole_expert(
    name: str,
    model: MultinomialMixture,
    params: MixtureParams,
    kept: IntArray,
    size: CorpusSize,
    scale: float,
) -> MixtureExpert:
    """The fitted model as an expert on all words."""
    shape = (len(model.component_class), len(size.documents))
    # A probability of one in every class: such a word changes no score.
    log_word = np.zeros(shape, params.log_word.dtype, order="F")
    log_word[:, kept] = params.log_word
    whole = MixtureParams(params.log_weight, log_word)
    return MixtureExpert(name, replace(model, n_threads=1), whole, scale)
