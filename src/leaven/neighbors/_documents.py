"""Documents that are kept to search among: their words at unit length, class, weight, number."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from leaven._base.matrices import check_matrix
from leaven._base.tensors import FLOATS, MOST, StoredArrays, check_shapes
from leaven._base.typing import BoolArray, Counts, FloatArray, IntArray
from leaven.corpora import Block
from leaven.neighbors._search import DEFAULT_ALGORITHM, Nearest, Search, new_search

__all__ = ["KeptDocuments", "unit_rows"]


@dataclass(frozen=True, eq=False)
class KeptDocuments:
    """Documents that contain words, in the order in which they were kept."""

    X: Counts  # (n_documents, n_words) of unit length
    codes: IntArray  # (n_documents,) label
    weights: FloatArray  # (n_documents,)
    numbers: IntArray  # (n_documents,) position among the training documents
    is_labeled: BoolArray = None  # type: ignore[assignment]  # (n_documents,) has a label
    algorithm: str = DEFAULT_ALGORITHM  # of the search

    def __post_init__(self) -> None:
        if self.is_labeled is None:
            object.__setattr__(self, "is_labeled", self.codes >= 0)

    @classmethod
    def of_labeled(cls, labeled: Block) -> Self:
        """The labeled documents that contain words."""
        block = labeled.rows(np.flatnonzero(np.diff(labeled.X.indptr) > 0))
        # More than any number of neighbors is all of them.
        weights = np.minimum(block.weight, MOST)
        return cls(unit_rows(block.X), block.y, weights, block.numbers)

    def at_most(self, most: int) -> Self:
        """These documents, or ``most`` of them, evenly spaced and with some of every class."""
        if len(self.codes) <= most:
            return self
        firsts = np.unique(self.codes, return_index=True)[1]
        others = np.delete(np.arange(len(self.codes)), firsts)
        n_others = max(most - len(firsts), 0)
        taken = others[np.linspace(0, len(others) - 1, n_others).astype(np.int64)]
        return self.rows(np.sort(np.concatenate([firsts, taken])))

    @cached_property
    def search(self) -> Search:
        """The search among all documents; built once."""
        search = new_search(self.algorithm, self.X)
        search.add(self.X)
        return search

    def nearest(self, X: Counts, k: int, n_threads: int | None = None) -> Nearest:
        """The nearest documents of others, given by their counts."""
        return self.search.nearest(unit_rows(X), k, n_threads)

    @property
    def n_bytes(self) -> int:
        """Bytes that the documents take in memory, and in a model file; a search takes as much."""
        X = self.X
        parts = [X.indptr, X.indices, X.data, *(getattr(self, name) for name in ARRAYS)]
        return sum(part.nbytes for part in parts)

    def rows(self, rows: Any) -> Self:
        """Some of the documents."""
        parts = (self.codes, self.weights, self.numbers, self.is_labeled)
        return replace(
            self,
            X=csr_array(self.X[rows]),
            **dict(zip(ARRAYS, (part[rows] for part in parts), strict=True)),
        )

    def class_sizes(self, n_classes: int) -> FloatArray:
        """Documents of each class; those of a weight below one count as much as they weigh."""
        sizes = np.bincount(self.codes, np.minimum(self.weights, 1.0), n_classes)
        return sizes.astype(np.float64)  # whole numbers where there are no documents

    def to_tensors(self) -> dict[str, Any]:
        """Arrays from which ``from_tensors`` makes the same documents."""
        return {
            "indptr": self.X.indptr.astype(np.int64),
            "indices": self.X.indices.astype(np.int32),
            "data": self.X.data,
            **{name: getattr(self, name) for name in ARRAYS},
        }

    @classmethod
    def from_tensors(cls, arrays: StoredArrays, n_words: int, n_codes: int) -> Self:
        """The documents that were stored, every part checked, or a ValueError."""
        indptr = arrays.get("indptr", 1, frozenset({"int64"}))
        indices = arrays.get("indices", 1, frozenset({"int32"}))
        data = arrays.get("data", 1, FLOATS)
        codes, numbers = (
            arrays.get(name, 1, frozenset({"int64"})) for name in ("codes", "numbers")
        )
        weights = arrays.get("weights", 1, frozenset({"float64"}))
        is_labeled = arrays.get("is_labeled", 1, frozenset({"bool"}))
        n_documents = len(codes)
        same = [len(each) == n_documents for each in (weights, numbers, is_labeled)]
        check_shapes(*same, len(indptr) == n_documents + 1, len(indices) == len(data))
        X = csr_array((n_documents, n_words), dtype=data.dtype)
        X.indptr, X.indices, X.data = indptr, indices, data
        check_matrix(X)
        if n_documents and not (
            codes.min() >= 0
            and codes.max() < n_codes
            and numbers.min() >= 0
            and ((weights > 0) & (weights <= MOST)).all()
            and (np.abs(_squares(X) - 1) < 1e-3).all()
        ):
            raise ValueError("its documents are malformed")
        return cls(X, codes, weights, numbers, is_labeled)

    def __getstate__(self) -> dict[str, Any]:
        """All but the search, which is as large again and quickly built."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


ARRAYS = ("codes", "weights", "numbers", "is_labeled")


def unit_rows(X: Counts) -> Counts:
    """Documents at unit length, their words in order and each once; a document without stays so."""
    X = csr_array(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    if not X.nnz:
        return X
    sizes = np.diff(X.indptr)
    has_words = sizes > 0
    starts = X.indptr[:-1][has_words]
    values = np.asarray(X.data, np.float64)
    # Divided by the largest, so that squares neither overflow nor vanish.
    values = values / np.repeat(np.maximum.reduceat(np.abs(values), starts), sizes[has_words])
    norms = np.sqrt(np.add.reduceat(values**2, starts))
    X.data = (values / np.repeat(norms, sizes[has_words])).astype(X.dtype)
    return X


def _squares(X: Counts) -> FloatArray:
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    squares = np.bincount(rows, np.asarray(X.data, np.float64) ** 2, X.shape[0])
    return squares.astype(np.float64)
