"""Errors and warnings that callers may want to catch by name."""

__all__ = [
    "CollapseWarning",
    "DataError",
    "LabelWarning",
    "ModelFileError",
    "UnlabeledHurtWarning",
    "UnseenWordsWarning",
]


class DataError(ValueError):
    """A data file cannot be used as it is; the message says which and what to do."""


class ModelFileError(ValueError):
    """A file is not a model that this version of leaven can read."""


class ClusterError(RuntimeError):
    """A cluster is lost, has no workers, or cannot run a task."""


class CollapseWarning(UserWarning):
    """Almost all unlabeled documents were assigned to one class during EM."""


class LabelWarning(UserWarning):
    """Classes look like several spellings of one, or like missing labels."""


class UnlabeledHurtWarning(UserWarning):
    """According to held-out labels, the unlabeled documents made the classifier worse."""


class UnseenWordsWarning(UserWarning):
    """Documents to classify contain no word of the model's vocabulary."""
