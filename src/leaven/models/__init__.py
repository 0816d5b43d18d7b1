"""What is p(x, k | params): the models of the EM loop."""

from leaven.models._base import Model, Statistics
from leaven.models._mixture import MixtureParams, MixtureStats, MultinomialMixture

__all__ = ["MixtureParams", "MixtureStats", "Model", "MultinomialMixture", "Statistics"]
