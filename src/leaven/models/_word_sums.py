"""Sums over the words of documents: counts times a table of words, without scipy's conversions."""

from typing import Any

import numpy as np

from leaven._base.typing import Counts, FloatArray
from leaven.models._word_sum_kernels import add_rows, lengths_of

__all__ = ["row_norms", "word_sums"]

_KINDS = (np.float32, np.float64)  # that kernels are compiled for


def word_sums(X: Counts, table: FloatArray, dtype: np.dtype[Any]) -> FloatArray:
    """``X @ table``, (n_documents, n_columns), added up in this type."""
    totals = np.zeros((X.shape[0], table.shape[1]), dtype)
    rows = np.ascontiguousarray(table).view()
    rows.flags.writeable = False  # as those of a model file are: the kernel is compiled once
    add_rows(X.indptr, X.indices, _values(X), rows, totals)
    return totals


def row_norms(X: Counts) -> FloatArray:
    """Euclidean length of each document's counts; one where it has none."""
    lengths: FloatArray = lengths_of(X.indptr, _values(X))
    return lengths


def _values(X: Counts) -> FloatArray:
    return np.ascontiguousarray(X.data, X.dtype if X.dtype in _KINDS else np.float64)
