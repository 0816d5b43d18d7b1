"""Labels of documents: the classes, and the codes that stand for a document's label.

Blocks, caches, samples and clusters hold whole-number codes and do not depend on their meaning.
All conversions of codes to labels, and of scores to codes, are done here and in the
subclass for documents with several labels (``leaven.documents._label_sets``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven._base.typing import BoolArray, ClassArray, FloatArray, IntArray

__all__ = ["UNLABELED", "EncodedLabels", "Labels"]

UNLABELED = -1


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels that codes represent: here a class each."""

    has_sets: ClassVar[bool] = False  # whether a document can have several classes

    classes: ClassArray  # (n_classes,) sorted: object (str), integer or bool

    def __len__(self) -> int:
        return len(self.classes)

    @property
    def n_codes(self) -> int:
        """Number of different labels."""
        return len(self.classes)

    @property
    def may_be_empty(self) -> bool:
        """Whether a document may be predicted to have no class."""
        return False

    @property
    def are_rows(self) -> bool:
        """Whether users gave, and get, rows of a matrix with a column for each class."""
        return False

    @cached_property
    def names(self) -> list[str]:
        """The classes as text, as files and columns write them."""
        return [str(name) for name in self.classes.tolist()]

    @property
    def keys(self) -> list[str]:
        """The label of each code as text, as columns of labels hold it."""
        return self.names

    @cached_property
    def meanings(self) -> list[Any]:
        """What each code means: a class, or a tuple of classes."""
        return list(self.classes.tolist())

    def written(self, joined_by: str | None = None) -> pa.Array:
        """The label of each code as files hold it.

        Sets are lists, or texts where something is to be between their classes.
        """
        return pa.array(self.meanings)

    def membership(self, codes: IntArray) -> BoolArray:
        """Which classes each code means, (n_documents, n_classes)."""
        found = np.zeros((len(codes), len(self)), bool)
        found[np.arange(len(codes)), codes] = True
        return found

    def has_class(self, codes: IntArray, number: int) -> BoolArray:
        """Which codes mean this class, perhaps among others: a column of ``membership``."""
        found: BoolArray = codes == number
        return found

    def per_class(self, values: Any) -> Any:
        """Sum for each class of a value for each code, such as a number of documents."""
        return values

    def set_facts(self, counts: IntArray) -> dict[str, float]:
        """What reports say about sets of labels, from the documents of each code; else nothing."""
        return {}

    def strata(self, codes: IntArray) -> IntArray:
        """A class of each labeled document, by which documents are dealt into folds."""
        return codes

    def allowing_empty(self, allowed: bool | None) -> "Labels":
        """The same labels, if predictions of documents without a class are asked for or not.

        Refused for labels of one class each, which every document has.
        """
        if allowed:
            raise ValueError(
                "allow_empty=True lets documents have no label, but the labels are one per "
                "document; give lists of labels ([] for none), or leave it out"
            )
        return self

    def listed(self, codes: IntArray) -> list[Any]:
        """The label of each code as users give it in a list; None where unlabeled."""
        every = [*self.decode(np.arange(self.n_codes)), None]
        return [every[code] for code in codes.tolist()]

    def decide(self, scores: FloatArray) -> IntArray:
        """Code of each document, from scores or probabilities (n_documents, n_classes)."""
        codes: IntArray = scores.argmax(axis=1)
        return codes

    def decode(self, codes: IntArray) -> Any:
        """The label of each code."""
        return self.classes[codes]

    def unknown(self, column: pa.Array) -> list[str]:
        """Labels of a column of text that no code stands for, in alphabetical order."""
        return sorted(set(pc.unique(column.drop_null()).to_pylist()) - set(self.keys))

    def encode(self, column: pa.Array) -> IntArray:
        """Codes of a column of text; ``UNLABELED`` where it is null or has no code."""
        positions = pc.index_in(column, value_set=pa.array(self.keys, pa.large_string()))
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
        """Labeled documents of each code."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.labels.n_codes)

    @property
    def values(self) -> Any:
        """The label of each document, all of which must be labeled."""
        return self.labels.decode(self.codes)

    @property
    def membership(self) -> BoolArray:
        """Which classes each document has, (n_documents, n_classes); all must be labeled."""
        return self.labels.membership(self.codes)

    def membership_in(self, classes: Sequence[Any]) -> BoolArray:
        """Which of these classes each document has; all must be labeled."""
        place = {name: i for i, name in enumerate(self.classes.tolist())}
        known = [(i, place[name]) for i, name in enumerate(classes) if name in place]
        found = np.zeros((len(self.codes), len(classes)), bool)
        if known:
            here, there = map(list, zip(*known, strict=True))
            found[:, here] = self.membership[:, there]
        return found

    def codes_in(self, classes: Sequence[Any]) -> IntArray:
        """Places of the documents' classes among these, or −1; they must have one each."""
        place = {name: i for i, name in enumerate(classes)}
        places = np.array([place.get(name, UNLABELED) for name in self.classes.tolist()], np.int64)
        return places[self.codes] if len(places) else np.full(len(self.codes), UNLABELED)

    def is_same(self, other: "EncodedLabels") -> BoolArray:
        """Whether each document has the same classes here and there; all must be labeled."""
        if not (self.labels.has_sets or other.labels.has_sets):
            same_code: BoolArray = self.codes_in(other.classes.tolist()) == other.codes
            return same_code
        classes = list(dict.fromkeys([*self.classes.tolist(), *other.classes.tolist()]))
        same: BoolArray = (self.membership_in(classes) == other.membership_in(classes)).all(axis=1)
        return same

    @property
    def strata(self) -> IntArray:
        """A class of each document by which folds are dealt; ``UNLABELED`` where unknown."""
        is_labeled = self.codes >= 0
        found = np.full(len(self.codes), UNLABELED, dtype=np.int64)
        found[is_labeled] = self.labels.strata(self.codes[is_labeled])
        return found
