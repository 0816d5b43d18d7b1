"""Sums over the words of documents: counts times a table of words, without scipy's conversions."""

import numpy as np

from leaven._base.row_kernels import row_lanes
from leaven._base.typing import Counts, FloatArray
from leaven.models._word_sum_kernels import lengths_of, sum_rows

__all__ = ["row_norms", "word_sums"]

_KINDS = (np.float32, np.float64)  # that kernels are compiled for


def word_sums(X: Counts, table: FloatArray) -> FloatArray:
    """``X @ table``, (n_documents, n_columns), added up in float64.

    In float32 the score of a long document has no decimals.
    """
    n_columns = table.shape[1]
    totals: FloatArray = np.empty((X.shape[0], n_columns))
    if n_columns:
        rows = np.ascontiguousarray(table).view()
        rows.flags.writeable = False  # as those of a model file are: the kernel is compiled once
        sum_rows(X.indptr, X.indices, _values(X), rows, row_lanes(n_columns), totals)
    return totals


def row_norms(X: Counts) -> FloatArray:
    """Euclidean length of each document's counts; one where it has none."""
    lengths: FloatArray = lengths_of(X.indptr, _values(X))
    return lengths


def _values(X: Counts) -> FloatArray:
    return np.ascontiguousarray(X.data, X.dtype if X.dtype in _KINDS else np.float64)
