"""Codes of sets of labels as users give them: lists of labels, or a matrix of zeros and ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from leaven._base.typing import BoolArray
from leaven.documents._label_rules import LabelRules
from leaven.documents._label_sets import SEPARATOR, new_label_sets, numbered
from leaven.documents._labels import UNLABELED, EncodedLabels
from leaven.documents._missing import is_missing_value

__all__ = ["encode_lists", "encode_matrix", "holds_lists", "is_list"]

_WHOLE = (int, np.integer)
_LISTS = (list, tuple, set, frozenset, np.ndarray)


def is_list(value: Any) -> bool:
    """Whether a label is a list of labels."""
    return isinstance(value, _LISTS)


def holds_lists(values: Sequence[Any]) -> bool:
    """Whether labels are lists of labels, one for each document."""
    return any(map(is_list, values))


def encode_lists(
    values: Sequence[Any], rules: LabelRules, reads_rows: bool = True
) -> EncodedLabels:
    """Codes of lists of labels, all text or all whole numbers; None and NaN are unlabeled.

    Lists of zeros and ones, all of one length, are the rows of a matrix, as in scikit-learn,
    if ``reads_rows``.
    """
    if reads_rows and _are_rows(values):
        width = next(len(value) for value in values if is_list(value))
        unlabeled = [UNLABELED] * width
        as_rows = [value if is_list(value) else unlabeled for value in values]
        return encode_matrix(np.array(as_rows), rules)
    names: list[set[Any] | None] = []
    for i, value in enumerate(values):
        if is_list(value):
            found = {_checked_name(name, i, rules) for name in value}
            if not found.isdisjoint(("-1", UNLABELED)):
                raise ValueError(
                    f"the label -1 means unlabeled, but labels[{i}] is {value!r}; write None for "
                    "an unlabeled document, use unlabeled=[-1], or rename the class"
                )
            names.append(None if None in found else found)
        elif is_missing_value(value) or (isinstance(value, str) and not value.strip()):
            names.append(None)
        else:
            raise TypeError(
                f"labels must be all lists or all single labels; labels[{i}] is {value!r} beside "
                f"lists: write [{value!r}]"
            )
    classes = sorted_classes({name for each in names if each is not None for name in each})
    number = {name: i for i, name in enumerate(classes.tolist())}
    rows = np.zeros((len(names), len(classes)), bool)
    for row, each in zip(rows, names, strict=True):
        row[[number[name] for name in each or ()]] = True
    is_labeled = np.array([each is not None for each in names], bool)
    return _encoded(classes, rows, is_labeled)


def sorted_classes(names: set[Any]) -> Any:
    """Different labels of documents as sorted classes, or an error where kinds are mixed."""
    kinds = {isinstance(name, str) for name in names}
    if len(kinds) > 1:
        text = next(name for name in names if isinstance(name, str))
        other = next(name for name in names if not isinstance(name, str))
        raise TypeError(
            f"labels must be all text or all whole numbers, got {text!r} beside {other!r}: "
            "convert them all to str"
        )
    return np.array(sorted(names), dtype=np.int64 if kinds == {False} else object)


def encode_matrix(matrix: Any, rules: LabelRules) -> EncodedLabels:
    """Codes of the rows of a matrix with a column for each class, holding zeros and ones.

    A row of -1 or NaN is unlabeled. The columns of a table give the classes their names. Rows of
    text are lists of labels, in which gaps are left out; a row of gaps alone is unlabeled.
    """
    names = getattr(matrix, "columns", None)
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    array = np.asarray(matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix)
    if array.ndim != 2 or array.shape[1] < 2:
        raise ValueError(
            f"labels must be one column, or a matrix of zeros and ones with a column for each "
            f"class, got shape {array.shape}; a single column must have one dimension"
        )
    if array.dtype.kind not in "iubf":
        return encode_lists([_without_gaps(row) for row in array.tolist()], rules)
    is_gap = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)
    if array.dtype.kind in "if":
        is_gap = is_gap | (array == UNLABELED)
    is_labeled: BoolArray = ~np.asarray(is_gap.all(axis=1))
    known = array[is_labeled]
    is_wrong = (known != 0) & (known != 1)
    if is_wrong.any():
        row, column = np.argwhere(is_wrong)[0].tolist()
        place = int(np.flatnonzero(is_labeled)[row])
        raise ValueError(
            "a matrix of labels must hold zeros and ones, or -1 in a whole row that is unlabeled, "
            f"got {known[row, column].item()!r} in row {place}, column {column}"
        )
    classes: Any = np.arange(array.shape[1])
    if names is not None and all(isinstance(name, str) for name in names):
        classes = np.array(list(names), dtype=object)
    rows = np.where(is_labeled[:, None], array == 1, False)
    return _encoded(classes, rows, is_labeled, is_matrix=True)


def _encoded(
    classes: Any, rows: BoolArray, is_labeled: BoolArray, is_matrix: bool = False
) -> EncodedLabels:
    members, codes = numbered(rows[is_labeled])
    every = np.full(len(rows), UNLABELED, dtype=np.int64)
    every[is_labeled] = codes
    return EncodedLabels(every, new_label_sets(classes, members, is_matrix))


def _without_gaps(row: list[Any]) -> list[Any] | None:
    """Labels in a row of an array of text, which has gaps where a document has fewer."""
    found = [value for value in row if not is_missing_value(value) and value != ""]
    return found or None


def _checked_name(name: Any, i: int, rules: LabelRules) -> Any:
    """A class, or None where it means that the document is unlabeled."""
    if isinstance(name, str):
        if not name.strip() or SEPARATOR in name:
            raise ValueError(
                f"a label must be text with a printable character and none of the control "
                f"character {SEPARATOR!r}; labels[{i}] holds {name!r}"
            )
        return rules.name(str(name))
    if isinstance(name, float | np.floating) and float(name).is_integer():
        name = int(name)
    if isinstance(name, _WHOLE) and not isinstance(name, bool):
        return None if rules.is_unlabeled(int(name)) else int(name)
    raise TypeError(
        f"a list of labels must hold text or whole numbers, labels[{i}] holds {name!r}; an "
        "unlabeled document is None, one without any label is []"
    )


def _are_rows(values: Sequence[Any]) -> bool:
    """Whether lists are the rows of a matrix: equally long, and of zeros and ones alone."""
    lists = [value for value in values if is_list(value)]
    return (
        len({len(value) for value in lists}) == 1
        and len(lists[0]) > 1
        and all(isinstance(each, _WHOLE) and each in (0, 1) for value in lists for each in value)
    )
