"""The semi-supervised frequency estimate: one pass and a closed form."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from leaven._base.validation import check_in
from leaven.corpora import CorpusSize, TrainingSet
from leaven.documents._label_checks import check_label_weights
from leaven.experts import MixtureExpert
from leaven.learners._base import Learned, Learner, Run
from leaven.learners._naive_bayes import mixture_prior_weight
from leaven.models import FrequencyEstimate, MultinomialMixture

__all__ = ["FrequencyEstimateLearner"]


@dataclass(frozen=True)
class FrequencyEstimateLearner(Learner):
    """Frequency estimate; the options are those of [`leaven.FrequencyEstimateNB`][]."""

    title: ClassVar[str] = "frequency estimate"

    alpha: float = 1.0
    unlabeled_weight: float = 1.0
    shrinkage: float = 0.3

    def check(self, dtype: Any) -> None:
        check_in("alpha", self.alpha, "(0, inf)")
        check_in("unlabeled_weight", self.unlabeled_weight, "[0, 1]")
        check_in("shrinkage", self.shrinkage, "[0, inf)")

    def n_tables(self, n_threads: int) -> int:
        return 2 * (4 + n_threads)  # totals of every thread and the estimate, in float64

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        corpus = training.corpus
        self.check(corpus.dtype)
        check_label_weights(training.label_weights, training.labels)
        n_classes = training.n_classes
        prior = (self.alpha, self.unlabeled_weight, self.shrinkage)
        formula = FrequencyEstimate(n_classes, corpus.n_words, *prior)
        params = formula.estimate(corpus.reduce(formula.count), corpus.dtype)
        model = MultinomialMixture(
            np.arange(n_classes), self.alpha, 0.0, self.unlabeled_weight, run.n_threads
        )
        return Learned(self, MixtureExpert(self.title, model, params))

    def prior_weight(self, size: CorpusSize) -> float:
        return mixture_prior_weight(size)
