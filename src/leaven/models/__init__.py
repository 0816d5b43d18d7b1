"""What is p(x, k | params): the models of the EM loop."""

from leaven.models._base import Model, Statistics
from leaven.models._frequency_estimate import FrequencyEstimate, WordTotals
from leaven.models._mixture import MixtureParams, MixtureStats, MultinomialMixture
from leaven.models._two_view import TwoViewMixture, TwoViewParams, TwoViewStats

__all__ = [
    "FrequencyEstimate",
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
