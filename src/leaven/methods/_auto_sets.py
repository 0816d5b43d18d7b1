"""The default method for documents with several labels: linear models and the label-set mixture."""

from leaven.corpora import TrainingSet
from leaven.held_out import Combination, combine_sets
from leaven.learners import Learned, Run, SVMLearner

__all__ = ["blend"]


def blend(learned: Learned, training: TrainingSet, run: Run) -> Combination:
    """A linear SVM for each class, and the mixture that was ``learned``."""
    return combine_sets([SVMLearner().fit(training, run), learned], training, run)
