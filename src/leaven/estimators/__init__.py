"""scikit-learn shells over the axes: nothing is computed here."""

from leaven.estimators._diagnose import diagnose
from leaven.estimators._labeled_fold import LabeledFold
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.estimators._text_classifier import TextClassifier, load

__all__ = ["LabeledFold", "NaiveBayesEM", "TextClassifier", "diagnose", "load"]
