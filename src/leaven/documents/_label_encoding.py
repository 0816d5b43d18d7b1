"""Codes of labels as users give them: text, whole numbers, lists of these, or a matrix."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven.documents._label_rules import AS_WRITTEN, LabelRules
from leaven.documents._label_set_encoding import encode_lists, encode_matrix, holds_lists
from leaven.documents._label_sets import SEPARATOR, labels_of_keys, names_in
from leaven.documents._labels import UNLABELED, EncodedLabels, Labels
from leaven.documents._missing import is_missing_value

__all__ = [
    "encode_column",
    "encode_labels",
    "encode_like",
    "is_missing",
    "labels_counted",
    "refuse_minus_one",
]

_TEXT = {str, type(None)}
_WHOLE = (int, np.integer, np.bool_)
_NUMBER = (*_WHOLE, float, np.floating)


def encode_labels(
    labels: Any, rules: LabelRules = AS_WRITTEN, reads_rows: bool = True
) -> EncodedLabels:
    """Class codes of labels; a missing one is None, NaN, an empty string, or -1 among integers.

    Text labels give classes of type str, whole numbers classes of type int. The ``rules`` name
    other missing labels, and say whether case makes a difference. Lists of labels, and matrices
    of zeros and ones, give codes of sets. Lists of zeros and ones, all of one length, are rows of
    a matrix, unless ``reads_rows`` is False.
    """
    if len(getattr(labels, "shape", ())) > 1:
        return encode_matrix(labels, rules)
    values = _plain_values(labels)
    if isinstance(values, np.ndarray):
        encoded = _encode_integers(values)
        return encoded if rules.are_plain else _without_unlabeled(encoded, rules)
    if set(map(type, values)) <= _TEXT:
        distinct = list(dict.fromkeys(values))  # in this order, by which sets are numbered
        # Each is read once, however many documents have it; "-1" is counted in the refusal.
        if 2 * len(distinct) < len(values) and "-1" not in {str(each).strip() for each in distinct}:
            encoded = encode_labels(distinct, rules)
            code = dict(zip(distinct, encoded.codes.tolist(), strict=True))
            codes = np.array([code[value] for value in values], dtype=np.int64)
            return replace(encoded, codes=codes)
    if any(isinstance(value, str) and value.startswith(SEPARATOR) for value in values):
        values = [_list_of_key(value) for value in values]  # of a column read from files
    if holds_lists(values):
        return encode_lists(values, rules, reads_rows)
    if not rules.are_plain:
        values = [_by_rule(value, rules) for value in values]
    if values and all(issubclass(kind, _WHOLE) for kind in set(map(type, values))):
        return _encode_integers(np.asarray(values))
    return _encode_text(values)


def encode_like(labels: Any, known: Labels, rules: LabelRules = AS_WRITTEN) -> EncodedLabels:
    """Codes of labels to compare with those of a classifier, read as those it was trained with.

    A matrix without names of columns has those of the classifier.
    """
    found = encode_labels(labels, rules, reads_rows=known.are_rows)
    is_unnamed = found.labels.are_rows and not hasattr(labels, "columns")
    if is_unnamed and known.are_rows and len(found.labels) == len(known):
        return replace(found, labels=replace(found.labels, classes=known.classes))
    return found


def _plain_values(labels: Any) -> Any:
    """Labels as an array of whole numbers, or as a list."""
    if isinstance(labels, pa.Array | pa.ChunkedArray):
        return labels.to_pylist()
    if hasattr(labels, "to_list"):  # pandas and polars
        return labels.to_list()
    if isinstance(labels, np.ndarray) and labels.ndim:
        return labels if labels.dtype.kind in "iub" else labels.tolist()
    is_one_value = isinstance(labels, str | bytes) or getattr(labels, "shape", None) == ()
    if is_one_value or isinstance(labels, Mapping | Set) or not isinstance(labels, Iterable):
        raise TypeError(f"labels must be a list with one label per document, got {labels!r}")
    return list(labels)


def _list_of_key(value: Any) -> list[str] | None:
    is_set = isinstance(value, str) and value.startswith(SEPARATOR)
    return names_in(value) if is_set or not is_missing(value) else None


def _by_rule(value: Any, rules: LabelRules) -> Any:
    if isinstance(value, str):
        return rules.name(value)
    is_number = isinstance(value, _NUMBER) and not is_missing(value)
    return None if is_number and rules.is_unlabeled(value) else value


def _without_unlabeled(encoded: EncodedLabels, rules: LabelRules) -> EncodedLabels:
    """Labels without the classes that mean unlabeled."""
    is_class = np.array([not rules.is_unlabeled(each) for each in encoded.classes.tolist()], bool)
    number = np.append(np.where(is_class, np.cumsum(is_class) - 1, UNLABELED), UNLABELED)
    return EncodedLabels(number[encoded.codes], Labels(encoded.classes[is_class]))


def _encode_integers(array: Any) -> EncodedLabels:
    if array.dtype.kind not in "iub" or array.max(initial=0) > np.iinfo(np.int64).max:
        raise ValueError(
            "labels must be whole numbers of at most 64 bits, but some are larger; convert them "
            "all to str"
        )
    codes = np.full(len(array), UNLABELED, dtype=np.int64)
    is_labeled = array != UNLABELED if array.dtype.kind == "i" else np.ones(len(array), bool)
    classes, codes[is_labeled] = np.unique(array[is_labeled], return_inverse=True)
    return EncodedLabels(codes, Labels(classes))


def _encode_text(values: list[Any]) -> EncodedLabels:
    names: list[str | None] = []
    for i, value in enumerate(values):
        if is_missing(value):
            names.append(None)
        elif isinstance(value, str):
            names.append(str(value))
        elif isinstance(value, _NUMBER) and float(value).is_integer():
            return _encode_numbers(values)
        else:
            raise TypeError(
                f"a label must be a str, or None where unlabeled; labels[{i}] is {value!r}"
            )
    n_minus_one = sum(name is not None and name.strip() == "-1" for name in names)
    refuse_minus_one(n_minus_one)
    classes = sorted({name for name in names if name is not None})
    _refuse_half_characters(classes)
    code = {name: i for i, name in enumerate(classes)}
    codes = np.array([UNLABELED if n is None else code[n] for n in names], dtype=np.int64)
    return EncodedLabels(codes, Labels(np.array(classes, dtype=object)))


def refuse_minus_one(n_documents: int) -> None:
    """Refuse the label "-1" as text, found in ``n_documents``: it most likely means unlabeled."""
    if n_documents:
        raise ValueError(
            f'the label "-1" as text occurs {n_documents} times: an unlabeled document has an '
            "empty label (None in Python), and -1 marks it only among whole numbers; use "
            "--unlabeled -1 (unlabeled=[-1] in Python), empty those labels or rename the class"
        )


def _encode_numbers(values: list[Any]) -> EncodedLabels:
    """Whole numbers with gaps: pandas converts integers to floats if labels are missing."""
    is_labeled = np.array([not is_missing(value) for value in values])
    known: list[int] = []
    for i in np.flatnonzero(is_labeled).tolist():
        value = values[i]
        if not isinstance(value, _NUMBER) or not float(value).is_integer():
            raise TypeError(
                f"labels must be all text or all whole numbers; labels[{i}] is {value!r} beside "
                "whole numbers: convert them all to str"
            )
        known.append(bool(value) if isinstance(value, bool | np.bool_) else int(value))
    encoded = encode_labels(known)
    codes = np.full(len(values), UNLABELED, dtype=np.int64)
    codes[is_labeled] = encoded.codes
    return EncodedLabels(codes, encoded.labels)


def is_missing(value: Any) -> bool:
    """Whether a value means no label: None, NaN, pandas' NA, or blank text."""
    return not value.strip() if isinstance(value, str) else is_missing_value(value)


def labels_counted(found: Mapping[str, int]) -> EncodedLabels:
    """The labels of a column and the code of each text in it, from documents of each text.

    Where some are keys of sets, single labels are sets of one.
    """
    refuse_minus_one(sum(n for key, n in found.items() if "-1" in map(str.strip, names_in(key))))
    column = pa.array(list(found), pa.large_string())
    has_sets = any(key.startswith(SEPARATOR) for key in found)
    labels = labels_of_keys(list(found)) if has_sets else encode_labels(list(found)).labels
    return EncodedLabels(labels.encode(column), labels)


def encode_column(column: pa.Array) -> EncodedLabels:
    """Codes of a column of labels that was read from files; null is unlabeled."""
    counts = pc.value_counts(column.drop_null())
    found = dict(zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True))
    labels = labels_counted(found).labels
    return EncodedLabels(labels.encode(column), labels)


def _refuse_half_characters(classes: list[str]) -> None:
    for name in classes:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"labels must be valid Unicode, but {name!r} has a lone surrogate (half of a "
                'character); repair it with label.encode("utf-8", "replace").decode()'
            ) from None
