"""A trained classifier as data: predictions, evaluation, files, reports; no scikit-learn."""

from leaven.classifier._changed_words import ChangedByClass, ChangedWord, ChangedWords
from leaven.classifier._channel import Channel, Seen
from leaven.classifier._confusion import Confusion
from leaven.classifier._coverage import ByConfidence, CoveragePoint, Target, is_confident
from leaven.classifier._evaluation import Evaluation
from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._model_file import load_model, save_model
from leaven.classifier._predictions import TablePredictor, Tally
from leaven.classifier._report import FitReport
from leaven.classifier._scorer import AnySums, Scorer
from leaven.classifier._set_evaluation import SetEvaluation

__all__ = [
    "AnySums",
    "ByConfidence",
    "ChangedByClass",
    "ChangedWord",
    "ChangedWords",
    "Channel",
    "Confusion",
    "CoveragePoint",
    "Evaluation",
    "FitReport",
    "FittedClassifier",
    "Scorer",
    "Seen",
    "SetEvaluation",
    "TablePredictor",
    "Tally",
    "Target",
    "is_confident",
    "load_model",
    "save_model",
]
