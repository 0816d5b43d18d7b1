"""Errors and warnings that a caller may want to catch by name."""

__all__ = [
    "CollapseWarning",
    "DataError",
    "ModelFileError",
    "UnlabeledHurtWarning",
    "UnseenWordsWarning",
]


class DataError(ValueError):
    """A data file cannot be used as it is; the message says which and what to do."""


class ModelFileError(ValueError):
    """A file is not a model that this version of leaven can read."""


class ClusterError(RuntimeError):
    """A cluster is gone, has no workers, or cannot do what is asked."""


class CollapseWarning(UserWarning):
    """One class took almost all unlabeled documents during EM."""


class UnlabeledHurtWarning(UserWarning):
    """Held-out labels say that the unlabeled documents made the classifier worse."""


class UnseenWordsWarning(UserWarning):
    """Documents to classify hold no word that the model knows."""
