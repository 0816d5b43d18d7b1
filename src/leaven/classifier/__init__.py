"""A trained classifier as data: predictions, evaluation, files, reports; no scikit-learn."""

from leaven.classifier._evaluation import Evaluation, Scorer, Sums
from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._model_file import load_model, save_model
from leaven.classifier._predictions import TablePredictor, Tally
from leaven.classifier._report import FitReport

__all__ = [
    "Evaluation",
    "FitReport",
    "FittedClassifier",
    "Scorer",
    "Sums",
    "TablePredictor",
    "Tally",
    "load_model",
    "save_model",
]
