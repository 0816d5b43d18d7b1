"""Models of the EM loop: p(x, k | params), its prior and its M-step."""

from leaven.models._base import Model, Statistics, SummedFields
from leaven.models._frequency_estimate import FrequencyEstimate, WordTotals
from leaven.models._known_sets import KnownSets
from leaven.models._label_sets import LabelSetMixture, LabelSetParams, LabelSetStats
from leaven.models._mixture import MixtureParams, MixtureStats, MultinomialMixture
from leaven.models._set_search import SEARCHES, Scale, SetSearch, Visited
from leaven.models._two_view import TwoViewMixture, TwoViewParams, TwoViewStats
from leaven.models._word_information import WordCounts, WordWeights

__all__ = [
    "SEARCHES",
    "FrequencyEstimate",
    "KnownSets",
    "LabelSetMixture",
    "LabelSetParams",
    "LabelSetStats",
    "MixtureParams",
    "MixtureStats",
    "Model",
    "MultinomialMixture",
    "Scale",
    "SetSearch",
    "Statistics",
    "SummedFields",
    "TwoViewMixture",
    "TwoViewParams",
    "TwoViewStats",
    "Visited",
    "WordCounts",
    "WordTotals",
    "WordWeights",
]
