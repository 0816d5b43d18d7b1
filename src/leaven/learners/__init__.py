"""The learners of the methods: each fits on documents and returns an expert."""

from leaven.learners._base import Learned, Learner, Message, Run
from leaven.learners._components import Choice
from leaven.learners._fisher import FisherLearned, FisherLearner
from leaven.learners._frequency_estimate import FrequencyEstimateLearner
from leaven.learners._label_sets import LabelSetLearner, VectorsBesideLearner
from leaven.learners._log_linear import (
    MaxEntLearner,
    MultiConditionalLearner,
    ParameterCouplingLearner,
)
from leaven.learners._naive_bayes import ClustersLearner, MixtureLearned, NaiveBayesLearner
from leaven.learners._neighbors import NeighborsLearner
from leaven.learners._svm import SVMLearner, SVMVectorsLearner
from leaven.learners._transductive import TransductiveSVMLearner
from leaven.learners._tuning import TunedLearned, TunedLearner
from leaven.learners._two_view import TwoViewLearner

__all__ = [
    "Choice",
    "ClustersLearner",
    "FisherLearned",
    "FisherLearner",
    "FrequencyEstimateLearner",
    "LabelSetLearner",
    "Learned",
    "Learner",
    "MaxEntLearner",
    "Message",
    "MixtureLearned",
    "MultiConditionalLearner",
    "NaiveBayesLearner",
    "NeighborsLearner",
    "ParameterCouplingLearner",
    "Run",
    "SVMLearner",
    "SVMVectorsLearner",
    "TransductiveSVMLearner",
    "TunedLearned",
    "TunedLearner",
    "TwoViewLearner",
    "VectorsBesideLearner",
]
