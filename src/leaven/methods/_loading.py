"""Loading of a model file as a scikit-learn classifier."""

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from leaven.classifier import load_model
from leaven.methods._text_classifier import TextClassifier

__all__ = ["load"]

# Parameters of the classifier that reports list among the options of the method.
OWN = ("n_jobs", "random_state")


def load(
    path: str | os.PathLike[str],
    *,
    embed: Callable[[list[str]], Any] | str | None = None,
    segment: Callable[[list[str]], Sequence[str]] | None = None,
) -> TextClassifier:
    """Read a classifier that [`leaven.TextClassifier.save`][] or ``leaven train`` wrote.

    Model files contain numbers, words and options, no code: loading one runs nothing from it.

    Parameters
    ----------
    path : str or path
        The model file.
    embed : callable, "wordllama" or None, default=None
        The function of the fit, where there was one; the name of an embedding is part of the
        model.
    segment : callable or None, default=None
        The function of the fit, where there was one.

    Returns
    -------
    TextClassifier
        The trained classifier.

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, or was written by a later version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from leaven import TextClassifier, load
    >>> texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    >>> clf = TextClassifier("em").fit(texts, ["baking", "space", None, None])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(Path(folder, "topics.leaven"))
    ...     loaded = load(Path(folder, "topics.leaven"))
    >>> loaded.predict(["bread dough"])
    array(['baking'], dtype=object)
    """
    fitted = load_model(path)
    options = fitted.report.options
    training = options.get("training", {})
    if embed is None and fitted.reading is not None:
        embed = fitted.reading.embed
    clf = TextClassifier(
        fitted.report.method,
        text_options=options.get("text"),
        options={k: v for k, v in options.get("method", {}).items() if k not in OWN},
        embed=embed,
        segment=segment,
        subwords=training.get("subwords"),
        calibrate=training.get("calibrate", True),
        keep_documents=training.get("keep_documents", True),
        keep_excerpts=training.get("keep_excerpts", 0),
        allow_empty=training.get("allow_empty"),
        random_state=options.get("method", {}).get("random_state", 0),
        **({} if fitted.reading is None else fitted.reading.label_rules),
    )
    if training.get("segment") and segment is None:
        warnings.warn(
            "this model was trained on texts that a function had split into words; give the same "
            "function as segment, or texts with spaces between words",
            stacklevel=2,
        )
    clf.classes_, clf.report_, clf._fitted = fitted.classes, fitted.report, fitted
    return clf
