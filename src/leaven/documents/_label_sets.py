"""Sets of labels: documents that can have several classes, or none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven._base.typing import BoolArray, ClassArray, IntArray
from leaven.documents._labels import EncodedLabels, Labels

__all__ = [
    "NO_LABEL",
    "SEPARATOR",
    "LabelSets",
    "as_keys",
    "key_of",
    "labels_of_keys",
    "membership_of_keys",
    "names_in",
    "numbered",
    "readable_label",
    "shown_label",
]

# A set as one text, in columns of labels: this before every name. It is no printable character,
# so that a set is never mistaken for a label, nor the empty set for a missing label.
SEPARATOR = "\x1f"
NO_LABEL = "no label"  # how the empty set is shown


@dataclass(frozen=True, eq=False)
class LabelSets(Labels):
    """The labels that codes represent: sets of classes.

    Codes number the different sets. A missing label has no code; the empty set has one.
    """

    has_sets: ClassVar[bool] = True

    members: BoolArray  # (n_codes, n_classes)
    allows_empty: bool = False  # whether a document may be predicted to have no class
    is_matrix: bool = False  # whether users gave, and get, a matrix of zeros and ones

    @property
    def n_codes(self) -> int:
        return len(self.members)

    @property
    def may_be_empty(self) -> bool:
        return self.allows_empty

    @property
    def are_rows(self) -> bool:
        return self.is_matrix

    @cached_property
    def keys(self) -> list[str]:
        names = np.array(self.names, dtype=object)
        return [key_of(names[row]) for row in self.members]

    @cached_property
    def meanings(self) -> list[Any]:
        return [tuple(self.classes[row].tolist()) for row in self.members]

    def written(self, joined_by: str | None = None) -> pa.Array:
        """Lists of classes, or texts; the empty set is then the separator alone, as it is read."""
        if joined_by is None:
            return pa.array(self.meanings, pa.list_(pa.array(self.classes.tolist()).type))
        texts = [joined_by.join(map(str, each)) or joined_by for each in self.meanings]
        return pa.array(texts, pa.string())

    def allowing_empty(self, allowed: bool | None) -> Self:
        """The same labels, where documents without a class can or cannot be predicted.

        None keeps the default: they can if a labeled document has none.
        """
        return self if allowed is None else replace(self, allows_empty=bool(allowed))

    def listed(self, codes: IntArray) -> list[Any]:
        return Labels.listed(replace(self, is_matrix=False), codes)

    def of_rows(self, rows: BoolArray) -> EncodedLabels:
        """Codes of other sets of the same classes, given as rows of a matrix."""
        members, codes = numbered(rows)
        return EncodedLabels(codes, replace(self, members=members))

    def membership(self, codes: IntArray) -> BoolArray:
        return self.members[codes]

    def has_class(self, codes: IntArray, number: int) -> BoolArray:
        found: BoolArray = self.members[codes, number]
        return found

    def per_class(self, values: Any) -> Any:
        return np.asarray(values) @ self.members

    def set_facts(self, counts: IntArray) -> dict[str, float]:
        sizes = self.members.sum(axis=1)
        return {
            "n_sets": int((counts > 0).sum()),
            "labels_per_document": float(counts @ sizes / max(counts.sum(), 1)),
            "n_without_label": int(counts[sizes == 0].sum()),
        }

    def strata(self, codes: IntArray) -> IntArray:
        """The rarest class of each document; a number of its own where it has none."""
        n_documents = self.per_class(np.bincount(codes, minlength=self.n_codes))
        rarity = np.where(self.members, n_documents, np.inf)
        rarest = np.where(self.members.any(axis=1), rarity.argmin(axis=1), len(self))
        return rarest[codes]

    def decode(self, codes: IntArray) -> Any:
        """Tuples of classes, or rows of a matrix where labels were given as one."""
        if self.is_matrix:
            return self.members[codes].astype(np.int64)
        sets = np.empty(self.n_codes, dtype=object)
        sets[:] = self.meanings
        return sets[codes]

    def unknown(self, column: pa.Array) -> list[str]:
        return super().unknown(as_keys(column))

    def encode(self, column: pa.Array) -> IntArray:
        """Codes of a column of keys; a single label beside sets is a set of one."""
        return super().encode(as_keys(column))


def readable_label(label: Any) -> str:
    """A label as people read it: a class, or the classes of a set."""
    if not isinstance(label, tuple):
        return str(label)
    return ", ".join(map(str, label)) or NO_LABEL


def key_of(names: Iterable[str]) -> str:
    """A set of class names as one text; the names must be in order."""
    return SEPARATOR + SEPARATOR.join(names)


def as_keys(column: pa.Array) -> pa.Array:
    """A column of labels in which each is a key, also those that were single labels."""
    separator, nothing = (pa.scalar(each, pa.large_string()) for each in (SEPARATOR, ""))
    one = pc.binary_join_element_wise(separator, column, nothing)
    return pc.if_else(pc.starts_with(column, SEPARATOR), column, one)


def names_in(key: str) -> list[str]:
    """The class names of a set that was written as one text."""
    return [name for name in key.split(SEPARATOR) if name]


def shown_label(key: str) -> str:
    """A label of a column for people: the names of a set with commas between them."""
    return ", ".join(names_in(key)) or NO_LABEL


def labels_of_keys(keys: Sequence[str]) -> LabelSets:
    """The labels of all different keys of some documents."""
    names = [names_in(key) for key in keys]
    classes = np.array(sorted({name for each in names for name in each}), dtype=object)
    number = {name: i for i, name in enumerate(classes.tolist())}
    rows = np.zeros((len(keys), len(classes)), bool)
    for row, each in zip(rows, names, strict=True):
        row[[number[name] for name in each]] = True
    return new_label_sets(classes, numbered(rows)[0])


def new_label_sets(classes: ClassArray, members: BoolArray, is_matrix: bool = False) -> LabelSets:
    """Sets of classes; documents without a class are allowed if a labeled document has none."""
    return LabelSets(classes, members, bool((~members.any(axis=1)).any()), is_matrix)


def membership_of_keys(column: pa.Array, names: Sequence[str]) -> BoolArray:
    """Which of these classes each document of a column of keys has; the column has no null."""
    encoded = column.dictionary_encode()
    number = {name: i for i, name in enumerate(names)}
    rows = np.zeros((len(encoded.dictionary), len(names)), bool)
    for row, key in zip(rows, encoded.dictionary.to_pylist(), strict=True):
        row[[number[name] for name in names_in(key) if name in number]] = True
    found: BoolArray = rows[encoded.indices.to_numpy(zero_copy_only=False)]
    return found


def numbered(rows: BoolArray) -> tuple[BoolArray, IntArray]:
    """The different rows in order, and the number of each."""
    packed = np.packbits(rows, axis=1)
    if not packed.shape[1]:
        packed = np.zeros((len(rows), 1), np.uint8)
    as_one = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, codes = np.unique(as_one, return_index=True, return_inverse=True)
    return rows[first], codes.reshape(-1).astype(np.int64)
