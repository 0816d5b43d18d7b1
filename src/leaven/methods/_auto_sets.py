"""The default method for documents with several labels: linear models and the label-set mixture."""

from leaven.corpora import TrainingSet
from leaven.held_out import Combination, combine_sets
from leaven.learners import Learned, Run, SVMLearner, SVMVectorsLearner

__all__ = ["blend"]


def blend(learned: Learned, training: TrainingSet, run: Run) -> Combination:
    """Linear SVMs of words and, where documents have any, of vectors; the mixture ``learned``."""
    linear = [SVMLearner(), *([SVMVectorsLearner()] if training.n_dims else [])]
    members = [learner.fit(training, run) for learner in linear]
    return combine_sets([*members, learned], training, run)
