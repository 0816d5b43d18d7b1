"""scikit-learn shells over the axes, and the outer steps that hold labels out."""

from leaven.estimators._compare import compare
from leaven.estimators._comparison import Comparison, MethodResult
from leaven.estimators._diagnose import diagnose
from leaven.estimators._frequency_estimate import FrequencyEstimateNB
from leaven.estimators._labeled_fold import LabeledFold
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.estimators._text_classifier import TextClassifier, load
from leaven.estimators._two_view import TwoViewEM

__all__ = [
    "Comparison",
    "FrequencyEstimateNB",
    "LabeledFold",
    "MethodResult",
    "NaiveBayesEM",
    "TextClassifier",
    "TwoViewEM",
    "compare",
    "diagnose",
    "load",
]
