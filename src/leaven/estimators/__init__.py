"""scikit-learn classifiers and transformers on counts, and folds for its searches."""

from leaven.estimators._fisher import FisherKernel
from leaven.estimators._frequency_estimate import FrequencyEstimateNB
from leaven.estimators._labeled_fold import LabeledFold
from leaven.estimators._log_linear import (
    MaxEntClassifier,
    MultiConditionalClassifier,
    ParameterCouplingClassifier,
)
from leaven.estimators._multi_label import MultiLabelMixture
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.estimators._neighbors import CondensedNeighbors
from leaven.estimators._transductive import TransductiveSVM
from leaven.estimators._two_view import TwoViewEM

__all__ = [
    "CondensedNeighbors",
    "FisherKernel",
    "FrequencyEstimateNB",
    "LabeledFold",
    "MaxEntClassifier",
    "MultiConditionalClassifier",
    "MultiLabelMixture",
    "NaiveBayesEM",
    "ParameterCouplingClassifier",
    "TransductiveSVM",
    "TwoViewEM",
]
