"""Models of the EM loop: p(x, k | params), its prior and its M-step."""

from leaven.models._base import Model, Statistics
from leaven.models._frequency_estimate import FrequencyEstimate, WordTotals
from leaven.models._label_sets import LabelSetMixture, LabelSetParams, LabelSetStats
from leaven.models._mixture import MixtureParams, MixtureStats, MultinomialMixture
from leaven.models._two_view import TwoViewMixture, TwoViewParams, TwoViewStats

__all__ = [
    "FrequencyEstimate",
    "LabelSetMixture",
    "LabelSetParams",
    "LabelSetStats",
    "MixtureParams",
    "MixtureStats",
    "Model",
    "MultinomialMixture",
    "Statistics",
    "TwoViewMixture",
    "TwoViewParams",
    "TwoViewStats",
    "WordTotals",
]
