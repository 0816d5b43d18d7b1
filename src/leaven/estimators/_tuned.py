"""The attributes of classifiers whose settings held-out labels may choose."""

import numpy as np

from leaven.estimators._count_classifier import CountClassifier
from leaven.learners import TunedLearned

__all__ = ["TunedClassifier"]


class TunedClassifier(CountClassifier):
    """A linear classifier with its weights and settings as attributes."""

    _learned: TunedLearned

    def _describe(self) -> None:
        learned = self._learned
        table = learned.expert.linear_weights()
        assert table is not None
        self.coef_, self.intercept_ = table[:-1].T, table[-1]
        for name, value in learned.learner.settings().items():
            setattr(self, f"{name}_", value)
        self.objective_ = np.array(learned.result.objective)
        self.n_iter_ = learned.result.n_iter
        none = np.full(len(self.classes_), np.nan)
        shares = learned.unlabeled_shares
        self.unlabeled_shares_ = none if shares is None else shares
