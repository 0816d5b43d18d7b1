"""Labels as people write them, to class codes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._typing import IntArray

__all__ = ["UNLABELED", "Labels", "encode_labels"]

UNLABELED = -1


@dataclass(frozen=True, eq=False)
class Labels:
    """Class codes and what they stand for."""

    codes: IntArray  # (n_documents,), UNLABELED where unknown
    classes: Any  # (n_classes,) sorted ndarray: object (str) or integer

    @property
    def counts(self) -> IntArray:
        """Labeled documents of each class."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.classes))


def encode_labels(labels: Any) -> Labels:
    """Class codes of labels; a missing one is None, NaN, an empty string, or -1 among integers.

    Text labels give classes of type str, whole numbers classes of type int.
    """
    values = _plain_values(labels)
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype.kind in "iub" and array.dtype != object:
        codes = np.full(len(array), UNLABELED, dtype=np.int64)
        is_labeled = array != UNLABELED if array.dtype.kind == "i" else np.ones(len(array), bool)
        classes, codes[is_labeled] = np.unique(array[is_labeled], return_inverse=True)
        return Labels(codes, classes)
    return _encode_text(values)


def _plain_values(labels: Any) -> Any:
    if isinstance(labels, pa.Array | pa.ChunkedArray):
        return labels.to_pylist()
    if hasattr(labels, "to_list"):  # pandas and polars
        return labels.to_list()
    if isinstance(labels, np.ndarray):
        return labels.tolist() if labels.dtype.kind in "OUSfM" else labels
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise TypeError(f"labels must be a list with one label per document, got {labels!r}")
    return list(labels)


def _encode_text(values: list[Any]) -> Labels:
    names: list[str | None] = []
    for i, value in enumerate(values):
        if value is None or value != value:  # NaN and pandas.NA differ from themselves
            names.append(None)
        elif isinstance(value, str):
            names.append(value if value.strip() else None)
        elif isinstance(value, int | float | np.number) and float(value).is_integer():
            return _encode_numbers(values)
        elif isinstance(value, list | tuple | set | np.ndarray):
            raise ValueError(
                f"labels[{i}] is {value!r}: several labels per document (multi-label), which no "
                "method built so far can use; give one label per document"
            )
        else:
            raise TypeError(
                f"a label must be a str, or None where unlabeled; labels[{i}] is {value!r}"
            )
    n_minus_one = sum(name is not None and name.strip() == "-1" for name in names)
    if n_minus_one:
        raise ValueError(
            f'the label "-1" as text occurs {n_minus_one} times: an unlabeled document has an '
            "empty label (None in Python), and -1 marks it only among whole numbers; empty "
            "those labels or rename the class"
        )
    classes = sorted({name for name in names if name is not None})
    code = {name: i for i, name in enumerate(classes)}
    codes = np.array([UNLABELED if n is None else code[n] for n in names], dtype=np.int64)
    return Labels(codes, np.array(classes, dtype=object))


def _encode_numbers(values: list[Any]) -> Labels:
    """Whole numbers with gaps: pandas turns integers beside missing labels into floats."""
    numbers = []
    for i, value in enumerate(values):
        if value is None or value != value:
            numbers.append(UNLABELED)
        elif isinstance(value, str) or not float(value).is_integer():
            raise TypeError(
                f"labels must be all text or all whole numbers; labels[{i}] is {value!r} beside "
                "whole numbers: convert them all to str"
            )
        else:
            numbers.append(int(value))
    return encode_labels(np.array(numbers, dtype=np.int64))
