"""Checks of sparse matrices, before compiled code follows their indices; matrices like others."""

from copy import copy
from typing import Any

import numpy as np
from scipy.sparse import issparse

from leaven._base.typing import Counts, FloatArray

__all__ = ["check_matrix", "row_range", "with_values"]


def with_values(X: Counts, values: FloatArray) -> Counts:
    """A matrix with the same indices and other values.

    A tenth of the time that ``X * factor`` takes, which checks the indices again: for documents
    that are classified one at a time.
    """
    changed = copy(X)
    changed.data = values
    return changed


def row_range(X: Counts, first: int, last: int) -> Counts:
    """Rows ``first`` to ``last``; their indices and values are not copied, nor checked again."""
    begin, end = X.indptr[first], X.indptr[last]
    rows = type(X)((last - first, X.shape[1]), dtype=X.dtype)
    rows.data, rows.indices = X.data[begin:end], X.indices[begin:end]
    rows.indptr = X.indptr[first : last + 1] - begin
    return rows


def check_matrix(X: Any, name: str = "X") -> None:
    """Refuse a sparse matrix or array whose indices lead out of it; others pass.

    Compiled code, also scipy's that converts one format to another, does not check them: it would
    read and write foreign memory. scipy looks at most of them when a matrix is built, and at none
    when its arrays are changed afterwards.
    """
    is_sparse: bool = issparse(X)  # kept apart, because it would narrow X to a type of stubs only
    if not is_sparse:
        return
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X, name)
    elif X.format == "coo":
        for axis, (places, size) in enumerate(zip(_coords(X), X.shape, strict=True)):
            _check_places(places, size, len(X.data), f"{name}.coords[{axis}]", name)
    elif X.format == "lil":
        if [len(row) for row in X.rows] != [len(row) for row in X.data]:
            raise ValueError(
                f"{name}.rows and {name}.data must hold equally many entries in each row, and do "
                f"not; the matrix is damaged, build {name} again"
            )
        _check_compressed(X.tocsr(), name)  # which only flattens the lists


def _coords(X: Any) -> Any:
    return X.coords if hasattr(X, "coords") else (X.row, X.col)


def _check_compressed(X: Any, name: str) -> None:
    shape = X.shape if len(X.shape) == 2 else (1, *X.shape)
    block = X.blocksize if X.format == "bsr" else (1, 1)
    major, minor = (1, 0) if X.format == "csc" else (0, 1)
    n_major, n_minor = shape[major] // block[major], shape[minor] // block[minor]
    _check_places(X.indices, n_minor, len(X.data), f"{name}.indices", name)
    indptr = np.asarray(X.indptr)
    if not (
        indptr.ndim == 1
        and indptr.dtype.kind in "iu"
        and len(indptr) == n_major + 1
        and indptr[0] == 0
        and indptr[-1] <= len(X.indices)
        # Compared, not subtracted: differences can wrap around.
        and (indptr[1:] >= indptr[:-1]).all()
    ):
        raise ValueError(
            f"{name}.indptr must rise from 0 to at most {len(X.indices)}, the number of values, in "
            f"{n_major + 1} whole numbers, and does not; the matrix is damaged, build "
            f"{name} again"
        )


def _check_places(places: Any, size: int, n_values: int, what: str, name: str) -> None:
    places = np.asarray(places)
    if places.ndim != 1 or places.dtype.kind not in "iu" or len(places) != n_values:
        raise ValueError(
            f"{what} must hold a whole number for each of {n_values} values, got an array of "
            f"{places.dtype} of shape {places.shape}; the matrix is damaged, build {name} again"
        )
    if len(places) and not (places.min() >= 0 and places.max() < size):
        raise ValueError(
            f"{what} must be from 0 to {size - 1}, got {places.min()} to {places.max()}; the "
            f"matrix is damaged, build {name} again"
        )
