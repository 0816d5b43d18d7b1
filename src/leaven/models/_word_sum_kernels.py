# mypy: ignore-errors
"""Compiled sums over the words of documents, in the order and precision of scipy's products.

scipy first converts the table to the type of the result, which for many words takes as long as the
sums.
"""

import numpy as np

from leaven._base.compile import kernel
from leaven._base.lane_kernels import add, load_wide, multiply, spread, store


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

    A strip of columns is as wide as one or two groups of lanes, whose sums stay in registers.
    """
    n_columns, n_lanes = table.shape[1], len(lanes)
    n_strips = (n_columns + 2 * n_lanes - 1) // (2 * n_lanes)
    for row in range(len(indptr) - 1):
        begin, end = np.int64(indptr[row]), np.int64(indptr[row + 1])
        for strip in range(n_strips):
            left = n_columns * strip // n_strips
            right = n_columns * (strip + 1) // n_strips - n_lanes
            left_sum = spread(0.0, totals, lanes)
            right_sum = left_sum
            for i in range(begin, end):
                place = np.int64(indices[i]) * n_columns
                x = spread(values[i], totals, lanes)
                left_sum = add(left_sum, multiply(x, load_wide(table, place + left, lanes)))
                right_sum = add(right_sum, multiply(x, load_wide(table, place + right, lanes)))
            store(totals, row * n_columns + left, left_sum)
            store(totals, row * n_columns + right, right_sum)


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
