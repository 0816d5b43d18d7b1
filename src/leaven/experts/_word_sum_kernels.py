# mypy: ignore-errors
"""Compiled sums over the words of documents, in the order and precision of scipy's products."""

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
def add_words_of_all(indptr, indices, values, table, scale, totals):
    """The same for each row of ``totals``, a document.

    scipy would have to be given all of ``table`` in the precision of the totals.
    """
    for row in range(len(totals)):
        begin, end = indptr[row], indptr[row + 1]
        add_words(indices[begin:end], values[begin:end], table, scale, totals[row])


@kernel
def length_of(values):
    """Euclidean length; one where all values are zero."""
    square = 0.0
    for i in range(len(values)):
        square += np.float64(values[i]) * np.float64(values[i])
    return np.sqrt(square) if square > 0.0 else 1.0
