# mypy: ignore-errors
"""Compiled loops over rows of counts: renumber, sort, weigh.

A *cell* is (word << 32) + count; counts may be negative (signed hashing).
"""

import numpy as np

from leaven._base.compile import kernel, kernel_part

# Added to a cell, keeps a negative count from borrowing from the word above it.
_HALF = np.int64(1) << np.int64(31)


@kernel_part
def _sort_cells(cells, spare, n, n_bits):
    """Sort the first ``n`` cells by word; returns where the result is, cells or spare."""
    if n < 24:
        for i in range(1, n):
            cell = cells[i]
            j = i - 1
            while j >= 0 and cells[j] > cell:
                cells[j + 1] = cells[j]
                j -= 1
            cells[j + 1] = cell
        return cells
    starts = np.empty(64, dtype=np.int64)
    source, target = cells, spare
    for shift in range(32, 32 + n_bits, 6):
        starts[:] = 0
        for i in range(n):
            starts[(source[i] >> shift) & 63] += 1
        place = 0
        for digit in range(64):
            place, starts[digit] = place + starts[digit], place
        for i in range(n):
            digit = (source[i] >> shift) & 63
            target[starts[digit]] = source[i]
            starts[digit] += 1
        source, target = target, source
    return source


@kernel
def write_rows(indptr, cells, number, n_words, out_start, indices, values):
    """Write rows of cells as sorted indices and values, their words renumbered.

    ``number[word] < 0`` drops the word; cells of one word are added up. Returns the number of
    values in each row.
    """
    n_rows = len(indptr) - 1
    n_bits = 1
    while n_words >> n_bits:
        n_bits += 1
    longest = 0
    for row in range(n_rows):
        longest = max(longest, indptr[row + 1] - indptr[row])
    work = np.empty(longest, dtype=np.int64)
    spare = np.empty(longest, dtype=np.int64)
    lengths = np.empty(n_rows, dtype=np.int64)
    place = out_start
    for row in range(n_rows):
        n = np.int64(0)
        for i in range(indptr[row], indptr[row + 1]):
            cell = cells[i] + _HALF
            word = number[cell >> 32]
            if word >= 0:
                work[n] = (np.int64(word) << 32) | (cell & 0xFFFFFFFF)
                n += 1
        ordered = _sort_cells(work, spare, n, n_bits)
        first = place
        previous = np.int64(-1)
        for i in range(n):
            word = ordered[i] >> 32
            count = (ordered[i] & 0xFFFFFFFF) - _HALF
            if word == previous:
                values[place - 1] += count
            else:
                indices[place] = word
                values[place] = count
                place += 1
                previous = word
        lengths[row] = place - first
    return lengths


@kernel
def document_frequencies(cells, n_words):
    """Number of documents each word occurs in."""
    documents = np.zeros(n_words, dtype=np.int64)
    for i in range(len(cells)):
        documents[(cells[i] + _HALF) >> 32] += 1
    return documents


@kernel
def word_totals(cells, n_words):
    """Number of times each word occurs; hashed words may count negative."""
    totals = np.zeros(n_words, dtype=np.int64)
    for i in range(len(cells)):
        cell = cells[i] + _HALF
        totals[cell >> 32] += (cell & 0xFFFFFFFF) - _HALF
    return totals


@kernel
def weigh_rows(indptr, values, indices, first, last, log_tf, idf, length):
    """Weigh rows in place: log(1 + tf), times idf (if not empty), scaled to sum to ``length``.

    Negative values (signed hashing) keep their sign; a row's length is its absolute sum.
    """
    small = np.log1p(np.arange(256.0))  # counts are small whole numbers, and logarithms slow
    for row in range(first, last):
        total = 0.0
        for i in range(indptr[row], indptr[row + 1]):
            value = np.float64(values[i])
            size = abs(value)
            if log_tf:
                whole = np.int64(size)
                size = small[whole] if size < 256 and whole == size else np.log1p(size)
            if len(idf):
                size *= idf[indices[i]]
            values[i] = size if value >= 0 else -size
            total += size
        if length > 0 and total > 0:
            scale = length / total
            for i in range(indptr[row], indptr[row + 1]):
                values[i] *= scale
