"""EM over two views of every document: its words and a vector."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from leaven._base.validation import check_in, check_whole
from leaven.corpora import CorpusSize, TrainingSet
from leaven.experts import MixtureExpert, TwoViewExpert
from leaven.learners._base import Run
from leaven.learners._naive_bayes import NaiveBayesLearner
from leaven.models import TwoViewMixture

__all__ = ["TwoViewLearner", "two_view_prior_weight"]

PRIOR_WEIGHT = 0.1  # of its scores in auto, for long documents
LONG = 120.0  # different words in a document, beyond which more of them add nothing


@dataclass(frozen=True)
class TwoViewLearner(NaiveBayesLearner):
    """EM over words and vectors; the options are those of [`leaven.TwoViewEM`][]."""

    title: ClassVar[str] = "two-view EM"
    stops_early: ClassVar[bool] = True  # later iterations follow the text away from the labels
    expert_type: ClassVar[type[MixtureExpert]] = TwoViewExpert

    concentration: float = 30.0
    n_dims: int = 100

    def check(self, dtype: Any) -> None:
        check_in("concentration", self.concentration, "(0, 1000000]")
        check_whole("n_dims", self.n_dims, "[1, inf)")
        super().check(dtype)

    def _mixture(self, training: TrainingSet, run: Run) -> TwoViewMixture:
        prior = (self.alpha, self.class_alpha, self.unlabeled_weight)
        n_dims = training.n_dims  # of all vectors, the user's included
        shape = (run.n_threads, self.concentration, n_dims)
        return TwoViewMixture(np.arange(training.n_classes), *prior, *shape)

    def prior_weight(self, size: CorpusSize) -> float:
        return two_view_prior_weight(size)


def two_view_prior_weight(size: CorpusSize) -> float:
    """Lower for short texts, whose words get too much weight by scaling to the same total."""
    return PRIOR_WEIGHT * float(np.sqrt(min(size.words_per_document / LONG, 1.0)))
