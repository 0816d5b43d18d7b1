"""A trained classifier as data: predictions, evaluation, files, reports; no scikit-learn."""

from leaven.classifier._coverage import ByConfidence, CoveragePoint, Target, is_confident
from leaven.classifier._evaluation import Evaluation, Scorer, Sums
from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._model_file import load_model, save_model
from leaven.classifier._predictions import TablePredictor, Tally
from leaven.classifier._report import FitReport

__all__ = [
    "ByConfidence",
    "CoveragePoint",
    "Evaluation",
    "FitReport",
    "FittedClassifier",
    "Scorer",
    "Sums",
    "TablePredictor",
    "Tally",
    "Target",
    "is_confident",
    "load_model",
    "save_model",
]
