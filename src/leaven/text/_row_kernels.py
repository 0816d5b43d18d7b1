# mypy: ignore-errors
"""Compiled loops over rows of counts: renumber, sort, weigh.

A *cell* is (word << 32) + count; counts may be negative (signed hashing).
"""

import numpy as np

from leaven._base.compile import kernel, kernel_part

# Added to a cell, keeps a negative count from borrowing from the word above it.
_HALF = np.int64(1) << np.int64(31)
_DIGIT_BITS = 6  # of a word's number, by which cells are sorted at once
_DIGIT = (1 << _DIGIT_BITS) - 1  # those bits, all of them one
_FEW = 24  # cells that are sorted faster by insertion


@kernel_part
def _sort_few(cells, n):
    """Sort the first ``n`` cells, in place, by insertion."""
    for i in range(1, n):
        cell = cells[i]
        j = i - 1
        while j >= 0 and cells[j] > cell:
            cells[j + 1] = cells[j]
            j -= 1
        cells[j + 1] = cell


@kernel_part
def _sort_cells(cells, spare, n, n_bits, counts, next_counts):
    """Sort the first ``n`` cells by word; returns where the result is, cells or spare.

    ``counts`` are those of the words' last digits. A pass counts the digits of the next one.
    """
    for shift in range(32, 32 + n_bits, _DIGIT_BITS):
        place = np.int64(0)
        for digit in range(1 << _DIGIT_BITS):
            place, counts[digit] = place + counts[digit], place
            next_counts[digit] = 0
        for i in range(n):
            cell = cells[i]
            digit = (cell >> shift) & _DIGIT
            spare[counts[digit]] = cell
            counts[digit] += 1
            next_counts[(cell >> (shift + _DIGIT_BITS)) & _DIGIT] += 1
        cells, spare = spare, cells
        counts, next_counts = next_counts, counts
    return cells


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
    work = np.empty(longest + 1, dtype=np.int64)
    spare = np.empty(longest + 1, dtype=np.int64)
    counts = np.empty(1 << _DIGIT_BITS, dtype=np.int64)
    next_counts = np.empty(1 << _DIGIT_BITS, dtype=np.int64)
    lengths = np.empty(n_rows, dtype=np.int64)
    place = out_start
    for row in range(n_rows):
        counts[:] = 0
        n = np.int64(0)
        for i in range(indptr[row], indptr[row + 1]):
            cell = cells[i] + _HALF
            word = np.int64(number[cell >> 32])
            # A word that is dropped is overwritten by the next one, without a branch.
            is_kept = word >= 0
            work[n] = (word << 32) | (cell & 0xFFFFFFFF)
            n += is_kept
            counts[word & _DIGIT] += is_kept
        ordered = work
        if n < _FEW:
            _sort_few(work, n)
        else:
            ordered = _sort_cells(work, spare, n, n_bits, counts, next_counts)
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
