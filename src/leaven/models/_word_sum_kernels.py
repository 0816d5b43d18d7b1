# mypy: ignore-errors
"""Compiled sums over the words of documents, in the order and precision of scipy's products.

scipy first converts the table to the type of the result, which for many words takes as long as the
sums.
"""

import numpy as np

from leaven._base.compile import kernel
from leaven._base.lane_kernels import (
    add,
    load_wide,
    multiply,
    prefetch,
    row_at,
    spread,
    spread_at,
    store,
)
from leaven._base.row_kernels import NEAR, ROWS_ON_THEIR_WAY


@kernel
def add_words(indices, values, table, scale, totals):
    """Add value * scale * the row of ``table`` of each word; products are of totals' type."""
    for i in range(len(indices)):
        x = totals.dtype.type(values[i] * scale)
        word = indices[i]
        for k in range(len(totals)):
            totals[k] += x * table[word, k]


@kernel
def sum_rows(indptr, indices, values, table, lanes, totals):
    """Write to each document's row of ``totals``, float64, what ``add_words`` would add to zeros.

    A strip of columns is as wide as one or two groups of ``lanes`` (see ``row_kernels``), whose
    sums stay in registers. Rows are fetched ahead, of this document or the next: several tables are
    read one after another, so that none of them is in a core's cache.
    """
    wide, last = lanes
    n_columns, n_lanes = table.shape[1], len(wide)
    n_strips = (n_columns + 2 * n_lanes - 1) // (2 * n_lanes)
    is_far = table.size * table.itemsize > NEAR
    last_value = np.int64(indptr[-1]) - 1
    for row in range(len(indptr) - 1):
        begin, end = np.int64(indptr[row]), np.int64(indptr[row + 1])
        left = 0
        for strip in range(n_strips):
            after = n_columns if strip + 1 == n_strips else n_columns * (strip + 1) // n_strips
            right = after - len(last)
            left_sum, right_sum = spread(0.0, totals, wide), spread(0.0, totals, last)
            for i in range(begin, end):
                if is_far:
                    ahead = row_at(indices, min(i + ROWS_ON_THEIR_WAY, last_value)) * n_columns
                    prefetch(table, ahead + left)
                    prefetch(table, ahead + after - 1)
                place = row_at(indices, i) * n_columns
                x, z = spread_at(values, i, totals, wide), spread_at(values, i, totals, last)
                left_sum = add(left_sum, multiply(x, load_wide(table, place + left, wide)))
                right_sum = add(right_sum, multiply(z, load_wide(table, place + right, last)))
            store(totals, row * n_columns + left, left_sum)
            store(totals, row * n_columns + right, right_sum)
            left = after


@kernel
def lengths_of(indptr, values):
    """Euclidean length of each document; one where all of its values are zero."""
    lengths = np.ones(len(indptr) - 1)
    for row in range(len(lengths)):
        square = 0.0
        for i in range(indptr[row], indptr[row + 1]):
            square += np.float64(values[i]) * np.float64(values[i])
        if square > 0.0:
            lengths[row] = np.sqrt(square)
    return lengths


@kernel
def length_of(values):
    """Euclidean length; one where all values are zero."""
    square = 0.0
    for i in range(len(values)):
        square += np.float64(values[i]) * np.float64(values[i])
    return np.sqrt(square) if square > 0.0 else 1.0
