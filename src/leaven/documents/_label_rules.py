"""Rules by which labels are read: values that mean unlabeled, and whether case matters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa

__all__ = ["AS_WRITTEN", "LabelRules", "one_spelling"]


def one_spelling(label: str) -> str:
    """The spelling that labels share if they differ only in case or white space."""
    return " ".join(label.split()).lower()


@dataclass(frozen=True)
class LabelRules:
    """Values that mean unlabeled besides an empty one, and whether case makes a difference."""

    unlabeled: tuple[str, ...] = ()
    ignore_case: bool = False

    @classmethod
    def of(cls, unlabeled: Any, ignore_case: Any) -> Self:
        """Rules from the options of those names; one value may stand for a list of one."""
        if not isinstance(ignore_case, bool | np.bool_):
            raise TypeError(f"ignore_case must be True or False, got {ignore_case!r}")
        if isinstance(unlabeled, str) or not isinstance(unlabeled, Iterable):
            unlabeled = (unlabeled,)
        if isinstance(unlabeled, Mapping) or None in (values := list(unlabeled)):
            raise TypeError(
                "unlabeled must be a list of the values that mean unlabeled besides None and "
                f"empty ones, such as ['?', 'unknown'], got {unlabeled!r}"
            )
        return cls(tuple(_as_text(value) for value in values), bool(ignore_case))

    @property
    def are_plain(self) -> bool:
        """Whether labels stay as they are written."""
        return not self.unlabeled and not self.ignore_case

    def name(self, label: str) -> str | None:
        """The class that a label of text names; None where it means unlabeled."""
        if self.ignore_case:
            label = one_spelling(label)
            return None if label in map(one_spelling, self.unlabeled) else label
        return None if label.strip() in self.unlabeled else label

    def is_unlabeled(self, value: Any) -> bool:
        """Whether a label, text or a number, is one of the values that mean unlabeled."""
        return self.name(_as_text(value)) is None

    def applied(self, column: pa.LargeStringArray) -> pa.LargeStringArray:
        """A column of labels after these rules; null where unlabeled."""
        if self.are_plain:
            return column
        encoded = column.dictionary_encode()
        names = [self.name(label) for label in encoded.dictionary.to_pylist()]
        return pa.array(names, pa.large_string()).take(encoded.indices)


def _as_text(value: Any) -> str:
    """A label as files write it: whole numbers without a fraction."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    return str(value).strip()


AS_WRITTEN = LabelRules()
