"""Models: of the EM loop, with a prior and an M-step, and others as sums with a gradient."""

from leaven.models._base import Model, Slope, Statistics, SummedFields
from leaven.models._fisher import FeatureOptions, FisherScores
from leaven.models._frequency_estimate import FrequencyEstimate, WordTotals
from leaven.models._known_sets import KnownSets
from leaven.models._label_sets import LabelSetMixture, LabelSetParams, LabelSetStats
from leaven.models._log_linear import NaiveMRF, log_unigram
from leaven.models._mixture import MixtureParams, MixtureStats, MultinomialMixture
from leaven.models._ramp import RampLoss
from leaven.models._set_search import SEARCHES, Scale, SetSearch, Visited
from leaven.models._two_view import TwoViewMixture, TwoViewParams, TwoViewStats
from leaven.models._word_information import WordCounts, WordWeights

__all__ = [
    "SEARCHES",
    "FeatureOptions",
    "FisherScores",
    "FrequencyEstimate",
    "KnownSets",
    "LabelSetMixture",
    "LabelSetParams",
    "LabelSetStats",
    "MixtureParams",
    "MixtureStats",
    "Model",
    "MultinomialMixture",
    "NaiveMRF",
    "RampLoss",
    "Scale",
    "SetSearch",
    "Slope",
    "Statistics",
    "SummedFields",
    "TwoViewMixture",
    "TwoViewParams",
    "TwoViewStats",
    "Visited",
    "WordCounts",
    "WordTotals",
    "WordWeights",
    "log_unigram",
]
