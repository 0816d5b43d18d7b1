"""Conversion of labels to class codes and back."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven._base.typing import ClassArray, FloatArray, IntArray
from leaven.documents._label_rules import AS_WRITTEN, LabelRules
from leaven.documents._missing import is_missing_value

__all__ = [
    "UNLABELED",
    "EncodedLabels",
    "Labels",
    "encode_labels",
    "is_missing",
    "refuse_minus_one",
]

UNLABELED = -1

_WHOLE = (int, np.integer, np.bool_)
_NUMBER = (*_WHOLE, float, np.floating)


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels that class codes represent.

    Blocks, caches, samples and clusters hold integer codes and do not depend on their meaning.
    All conversions of labels to codes, scores to codes and codes to labels are done here.
    """

    classes: ClassArray  # (n_classes,) sorted: object (str), integer or bool

    def __len__(self) -> int:
        return len(self.classes)

    @cached_property
    def names(self) -> list[str]:
        """The classes as text, as files and columns write them."""
        return [str(name) for name in self.classes.tolist()]

    def decide(self, scores: FloatArray) -> IntArray:
        """Code of each document, from scores or probabilities (n_documents, n_classes)."""
        codes: IntArray = scores.argmax(axis=1)
        return codes

    def decode(self, codes: IntArray) -> ClassArray:
        """The label of each code."""
        return self.classes[codes]

    def unknown(self, column: pa.Array) -> list[str]:
        """Labels of a column of text that are not among the classes, in alphabetical order."""
        return sorted(set(pc.unique(column.drop_null()).to_pylist()) - set(self.names))

    def encode(self, column: pa.Array) -> IntArray:
        """Codes of a column of text; ``UNLABELED`` where it is null or names no class."""
        positions = pc.index_in(column, value_set=pa.array(self.names, pa.large_string()))
        codes: IntArray = pc.fill_null(positions, UNLABELED).to_numpy(zero_copy_only=False)
        return codes.astype(np.int64)

    def followed_by(self, names: Sequence[str]) -> "Labels":
        """These classes as text, followed by others."""
        return Labels(np.array([*self.names, *names], dtype=object))

    def by_name(self, values: Iterable[Any]) -> dict[str, Any]:
        """A value for each class, by the class's name."""
        return dict(zip(self.names, values, strict=True))


@dataclass(frozen=True, eq=False)
class EncodedLabels:
    """The codes of some documents, and the labels they represent."""

    codes: IntArray  # (n_documents,), UNLABELED where unknown
    labels: Labels

    @property
    def classes(self) -> ClassArray:
        return self.labels.classes

    @property
    def counts(self) -> IntArray:
        """Labeled documents of each class."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.labels))


def encode_labels(labels: Any, rules: LabelRules = AS_WRITTEN) -> EncodedLabels:
    """Class codes of labels; a missing one is None, NaN, an empty string, or -1 among integers.

    Text labels give classes of type str, whole numbers classes of type int. The ``rules`` name
    other missing labels, and say whether case makes a difference.
    """
    values = _plain_values(labels)
    if isinstance(values, np.ndarray):
        encoded = _encode_integers(values)
        return encoded if rules.are_plain else _without_unlabeled(encoded, rules)
    if not rules.are_plain:
        values = [_by_rule(value, rules) for value in values]
    if values and all(issubclass(kind, _WHOLE) for kind in set(map(type, values))):
        return _encode_integers(np.asarray(values))
    return _encode_text(values)


def _plain_values(labels: Any) -> Any:
    """Labels as an array of whole numbers, or as a list."""
    shape = getattr(labels, "shape", None)
    if isinstance(shape, tuple) and len(shape) > 1:
        raise ValueError(
            f"labels must be one column, got {len(shape)} dimensions (shape {shape}); give one "
            "label per document: no method supports several (multi-label) yet"
        )
    if isinstance(labels, pa.Array | pa.ChunkedArray):
        return labels.to_pylist()
    if hasattr(labels, "to_list"):  # pandas and polars
        return labels.to_list()
    if isinstance(labels, np.ndarray) and labels.ndim:
        return labels if labels.dtype.kind in "iub" else labels.tolist()
    is_one_value = isinstance(labels, str | bytes) or shape == ()
    if is_one_value or isinstance(labels, Mapping | Set) or not isinstance(labels, Iterable):
        raise TypeError(f"labels must be a list with one label per document, got {labels!r}")
    return list(labels)


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
        elif isinstance(value, list | tuple | set | frozenset | np.ndarray):
            raise ValueError(
                f"labels[{i}] is {value!r}: several labels per document (multi-label), which no "
                "method supports yet; give one label per document"
            )
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


def _refuse_half_characters(classes: list[str]) -> None:
    for name in classes:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"labels must be valid Unicode, but {name!r} has a lone surrogate (half of a "
                'character); repair it with label.encode("utf-8", "replace").decode()'
            ) from None
