"""Errors and warnings that callers may want to catch by name."""

__all__ = [
    "ClusterError",
    "CollapseWarning",
    "DataError",
    "LabelWarning",
    "ModelFileError",
    "UnlabeledHurtWarning",
    "UnseenWordsWarning",
]


class DataError(ValueError):
    """A data file cannot be used as it is; the message says which and what to do.

    Examples
    --------
    >>> from leaven import TextClassifier
    >>> from leaven.exceptions import DataError
    >>> try:
    ...     TextClassifier().fit_files("nowhere.csv")
    ... except (DataError, OSError) as error:
    ...     print("no such file")
    no such file
    """


class ModelFileError(ValueError):
    """A file is not a model that this version of leaven can read.

    Raised by [`leaven.load`][] for files of other kinds, damaged models, and models of later
    versions.
    """


class ClusterError(RuntimeError):
    """A cluster is lost, has no workers, or cannot run a task.

    Raised by [`leaven.TextClassifier.fit_files`][] with a Dask client.
    """


class CollapseWarning(UserWarning):
    """Almost all unlabeled documents were assigned to one class during EM.

    Lower ``unlabeled_weight``, scale documents to a constant length, or label more documents of
    the other classes.
    """


class LabelWarning(UserWarning):
    """Classes look like several spellings of one, or like missing labels.

    ``ignore_case`` and ``unlabeled`` of [`leaven.TextClassifier`][] settle both cases.
    """


class UnlabeledHurtWarning(UserWarning):
    """According to held-out labels, the unlabeled documents made the classifier worse.

    Issued by a fit with ``diagnose=True``; [`leaven.diagnose`][] says what to do instead.
    """


class UnseenWordsWarning(UserWarning):
    """Documents to classify contain no word of the model's vocabulary.

    Their predictions are not meaningful. It can be turned into an error as any other warning:

    Examples
    --------
    >>> import warnings
    >>> from leaven import TextClassifier
    >>> from leaven.exceptions import UnseenWordsWarning
    >>> clf = TextClassifier("nb").fit(["raw dough", "far stars"], ["baking", "space"])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", UnseenWordsWarning)
    ...     try:
    ...         clf.predict(["zebra"])
    ...     except UnseenWordsWarning:
    ...         print("unknown words")
    unknown words
    """
