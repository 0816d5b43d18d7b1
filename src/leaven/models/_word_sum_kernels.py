# mypy: ignore-errors
"""Compiled sums over the words of documents, in the order and precision of scipy's products.

scipy first converts the table to the type of the result, which for many words takes as long as the
sums.
"""

import numpy as np

from leaven._base.compile import kernel


@kernel
def add_words(indices, values, table, scale, totals):
    """Add value * scale * the row of ``table`` of each word; products are of totals' type."""
    for i in range(len(indices)):
        x = totals.dtype.type(values[i] * scale)
        word = indices[i]
        for k in range(len(totals)):
            totals[k] += x * table[word, k]


@kernel
def add_rows(indptr, indices, values, table, totals):
    """As ``add_words``, for each document a row of ``totals``.

    Four words at a time, because a row is read and written for each time.
    """
    number = totals.dtype.type
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        rest = begin + (end - begin) // 4 * 4
        total = totals[row]
        for i in range(begin, rest, 4):
            x0, x1 = number(values[i]), number(values[i + 1])
            x2, x3 = number(values[i + 2]), number(values[i + 3])
            w0, w1, w2, w3 = indices[i], indices[i + 1], indices[i + 2], indices[i + 3]
            for k in range(len(total)):
                added = total[k] + x0 * table[w0, k] + x1 * table[w1, k]
                total[k] = added + x2 * table[w2, k] + x3 * table[w3, k]
        for i in range(rest, end):
            x, word = number(values[i]), indices[i]
            for k in range(len(total)):
                total[k] += x * table[word, k]


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
