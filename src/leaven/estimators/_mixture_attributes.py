"""The attributes of classifiers whose expert is a mixture."""

import numpy as np

from leaven._base.typing import FloatArray
from leaven.estimators._count_classifier import CountClassifier
from leaven.experts import class_log_words

__all__ = ["MixtureClassifier"]


class MixtureClassifier(CountClassifier):
    """A classifier with the parameters of a mixture as attributes."""

    def _describe(self) -> None:
        mixture = self._learned.expert.as_mixture()
        assert mixture is not None
        model, params = mixture.model, mixture.params
        self.component_class_ = model.component_class
        self.component_log_prob_ = params.log_word
        self.class_log_prior_ = model.split_weights(params.log_weight)[0]
        is_plain = np.array_equal(self.component_class_, np.arange(len(self.classes_)))
        self.feature_log_prob_ = params.log_word if is_plain else class_log_words(model, params)
        self.unlabeled_shares_ = self._no_shares()

    def _no_shares(self) -> FloatArray:
        return np.full(len(self.classes_), np.nan)
