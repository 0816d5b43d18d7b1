"""Checks of labels: those that nothing can be learned from, and those worth a note."""

from typing import Any

import numpy as np

from leaven._base.typing import ClassArray, FloatArray, IntArray
from leaven.documents._labels import EncodedLabels, Labels

__all__ = ["check_class_weights", "check_labels", "check_lengths", "one_class_message"]

# More distinct labels than this, each used once, indicate a column of identifiers.
MOST_SINGLE_CLASSES = 100
# Labels that other programs write for a missing label.
MISSING_NAMES = {"nan", "na", "n/a", "null", "none", "<na>", "unlabeled", "unlabelled"}


def check_lengths(labels: EncodedLabels, n_documents: int) -> None:
    """Refuse texts and labels of different lengths."""
    if len(labels.codes) != n_documents:
        raise ValueError(
            f"texts and labels must have the same length, got {n_documents} texts and "
            f"{len(labels.codes)} labels"
        )


def one_class_message(classes: ClassArray) -> str:
    """The message for labels of fewer than two classes."""
    if not len(classes):
        return (
            "y must label at least one document of two or more classes, and no document is "
            "labeled: every label is missing (-1, None or empty)"
        )
    return (
        f"a classifier needs at least 2 classes, and all labeled documents are of one class, "
        f"{np.asarray(classes).tolist()[0]!r}; label documents of another class too"
    )


def check_class_weights(weights: FloatArray, labels: Labels) -> None:
    """Refuse fewer than two classes, and a class without labeled documents, by their weights."""
    if len(labels) < 2:
        raise ValueError(one_class_message(labels.classes))
    if not (weights > 0).all():
        empty = labels.classes.tolist()[int(weights.argmin())]
        raise ValueError(
            f"every class needs a labeled document of positive weight, class {empty!r} has none"
        )


def check_labels(labels: Labels, counts: IntArray, n_documents: int) -> list[str]:
    """Refuse labels that nothing can be learned from; returns notes on questionable ones."""
    if len(labels) < 2:
        raise ValueError(one_class_message(labels.classes))
    names = labels.classes.tolist()
    n_labeled = int(counts.sum())
    n_unlabeled = n_documents - n_labeled
    if (
        counts.max() == 1
        and n_labeled > n_unlabeled
        and (n_labeled > MOST_SINGLE_CLASSES or (n_labeled > 2 and not n_unlabeled))
    ):
        raise ValueError(
            f"the {n_labeled} labels are all different ({names[0]!r}, "
            f"{names[1]!r}, …): this looks like a column of identifiers; choose the "
            "label column with --label, or give at least two documents the same label"
        )
    return [*_note_missing_names(names, counts), *_note_single_documents(names, counts)]


def _note_missing_names(names: list[Any], counts: IntArray) -> list[str]:
    return [
        f"{count} documents are of the class {name!r}; if that means unlabeled, empty the label"
        for name, count in zip(names, counts.tolist(), strict=True)
        if str(name).strip().lower() in MISSING_NAMES
    ]


def _note_single_documents(names: list[Any], counts: IntArray) -> list[str]:
    single = [name for name, count in zip(names, counts.tolist(), strict=True) if count == 1]
    if not single:
        return []
    shown = ", ".join(repr(name) for name in single[:5]) + (", …" if len(single) > 5 else "")
    if len(single) == len(names):
        return ["every class has a single labeled document; a few more each would help most"]
    noun = "class has" if len(single) == 1 else "classes have"
    return [f"{len(single)} {noun} a single labeled document ({shown}); a few more would help most"]
