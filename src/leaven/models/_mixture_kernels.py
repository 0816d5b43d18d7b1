# mypy: ignore-errors
"""Compiled loops of the EM models, each with an oracle in the tests.

``benchmarks/em.py`` measures them against plain scipy.
"""

import numpy as np

from leaven._base.compile import kernel, kernel_inline, kernel_part
from leaven._base.lane_function_kernels import exponentials, logarithms
from leaven._base.lane_kernels import (
    add,
    add_wide,
    larger,
    largest_of,
    load,
    multiply,
    or_zero,
    spread,
    store,
    subtract,
    sum_of,
)
from leaven._base.row_kernels import add_rows, add_to_rows, fetch_row, fetch_rows, sum_rows

# A responsibility below this adds nothing to a count, and in float32 its products would be
# denormal numbers, which are slow.
NEGLIGIBLE = 1e-12
ROWS_AHEAD = 32  # words whose rows are fetched before they are needed
DOCUMENTS_PER_SUM = 1000  # documents whose vectors are summed in their own precision


@kernel_part
def _score_one(indices, data, begin, end, log_word, k):
    total = 0.0
    for nz in range(begin, end):
        total += data[nz] * log_word[indices[nz], k]
    return total


@kernel_inline
def _start_scores(start, sums, place, has_sums, lanes, score):
    """Write ``start``, slots, plus ``sums``, columns from ``place`` on, if there are any."""
    wide, last = lanes
    before, column = len(start) - len(last), place + sums.shape[1] - len(last)
    right = load(start, before, last)
    store(score, before, add_wide(right, load(sums, column, last)) if has_sums else right)
    for slot in range(0, before, len(wide)):
        left = load(start, slot, wide)
        store(score, slot, add_wide(left, load(sums, place + slot, wide)) if has_sums else left)


@kernel_inline
def _grow(score, slot, top, beta, lanes):
    gap = subtract(load(score, slot, lanes), spread(top, score, lanes))
    grown = exponentials(multiply(spread(beta, score, lanes), gap))
    store(score, slot, grown)
    return grown


@kernel_inline
def _give(score, slot, scale, w, lanes, documents, shares, column):
    share = multiply(load(score, slot, lanes), spread(scale, score, lanes))
    share = multiply(or_zero(share, spread(NEGLIGIBLE, score, lanes)), spread(w, score, lanes))
    store(documents, slot, add(load(documents, slot, lanes), share))
    store(shares, column, share)


@kernel_inline
def _share_out(score, beta, w, lanes, documents, shares, place):
    """Maximize sum_k q_k score_k + H(q) / beta; returns the maximum.

    ``w`` times the maximizer is added to ``documents``, slots, and written to ``shares``, columns
    from ``place`` on; where a share is negligible, zero. ``score`` is minus infinity where a
    component is not allowed, and is overwritten.
    """
    wide, last = lanes
    n_lanes, before = len(wide), len(score) - len(last)
    top = largest_of(load(score, before, last))
    if before:
        tops = load(score, 0, wide)
        for slot in range(n_lanes, before, n_lanes):
            tops = larger(tops, load(score, slot, wide))
        top = max(top, largest_of(tops))
    total = 0.0
    if beta == np.inf:
        for slot in range(len(score)):
            is_best = score[slot] == top and total == 0.0
            score[slot] = 1.0 if is_best else 0.0
            total += score[slot]
        best = top
    else:
        total = sum_of(_grow(score, before, top, beta, last))
        if before:
            sums = _grow(score, 0, top, beta, wide)
            for slot in range(n_lanes, before, n_lanes):
                sums = add(sums, _grow(score, slot, top, beta, wide))
            total += sum_of(sums)
        best = top + np.log(total) / beta
    scale = 1.0 / total
    # The last group first: where it overlaps the one before, its shares are zero.
    _give(score, before, scale, w, last, documents, shares, place + shares.shape[1] - len(last))
    for slot in range(before - n_lanes, -1, -n_lanes):
        _give(score, slot, scale, w, wide, documents, shares, place + slot)
    return best


@kernel
def expect_counts(
    first,
    last,  # documents of the part
    begins,
    ends,  # [n_part]: where the words of each document are that are not apart
    indices,
    data,  # of these words: which, and how often
    y,  # class code of each document, negative where unknown
    weight,  # of each document
    unlabeled_weight,
    component_class,
    slot_component,  # component of each slot, -1 where it has another
    start,  # float64[n_slots]: log weight of each slot's component, minus infinity where -1
    log_word,  # [n_words, n_components]: a word's row is read at once
    dims,  # 0, 1, … for each dimension of the vectors, of which there may be none
    vectors,  # [n_documents * n_dims]
    directions,  # [n_dims, n_components], times the concentration
    beta,  # inverse temperature, infinity for hard assignment
    lanes,
    near_words,  # those that are not rare; empty if no words are apart
    rare_words,
    rare_starts,  # [n_rare + 1]: where each rare word's documents begin
    rare_documents,  # number in the part
    rare_counts,  # of the word in it
    sums,  # [n_part, n_components], overwritten; [1, n_components] if no rare words are apart
    documents,  # float64[n_slots], added to
    words,  # [n_words, n_components], added to, or overwritten if the part begins at document 0
    vector_sums,  # float64[n_dims, n_components], added to
):
    """E-step and expected counts of a part of a block; returns its part of the objective.

    Scores are summed in float64 whatever the counts' type: a document's log likelihood is
    in the thousands, where float32 has three decimals. Only those of a document's rare words, a
    few dozen, are summed in the precision of the counts.

    Rare words are read word by word, so that each row of ``log_word`` and of ``words`` is used for
    all its documents while it is in the registers. Document by document most of these rows would
    not be in a core's cache.
    """
    n_slots, n_dims = len(start), len(dims)
    has_rare = len(near_words) > 0
    score = np.empty(n_slots)
    part = np.empty(directions.shape, dtype=directions.dtype)
    # Zeroed here: numpy gives large pages to empty arrays, not to zero ones.
    if first == 0 and not has_rare:
        _clear(words)
    _clear(part)
    if has_rare:
        _clear(sums)
        _score_rare(rare_words, rare_starts, rare_documents, rare_counts, log_word, lanes, sums)
        if first == 0:
            _clear_rows(near_words, words)
    objective = 0.0
    for i in range(first, last):
        w = weight[i] if y[i] >= 0 else weight[i] * unlabeled_weight
        begin, end = np.int64(begins[i - first]), np.int64(ends[i - first])
        place = (i - first) * sums.shape[1] if has_rare else 0
        begin_vector, end_vector = i * n_dims, (i + 1) * n_dims
        if w != 0.0:
            if not has_rare:
                fetch_rows(indices, begin, end, words)
            _start_scores(start, sums, place, has_rare, lanes, score)
            if n_dims:
                add_rows(
                    dims, np.int64(0), vectors, begin_vector, end_vector, directions, lanes, score
                )
            if y[i] < 0:
                add_rows(indices, begin, data, begin, end, log_word, lanes, score)
            else:
                for slot in range(n_slots):
                    k = slot_component[slot]
                    if k >= 0 and component_class[k] == y[i]:
                        score[slot] += _score_one(indices, data, begin, end, log_word, k)
                    else:
                        score[slot] = -np.inf
            objective += w * _share_out(score, beta, w, lanes, documents, sums, place)
            if not has_rare and i + 1 < last:
                next_begin, next_end = (
                    np.int64(begins[i - first + 1]),
                    np.int64(ends[i - first + 1]),
                )
                fetch_rows(indices, next_begin, next_end, log_word)
            add_to_rows(indices, begin, data, begin, end, sums, place, lanes, words)
            if n_dims:
                add_to_rows(
                    dims, np.int64(0), vectors, begin_vector, end_vector, sums, place, lanes, part
                )
        elif has_rare:
            for k in range(sums.shape[1]):
                sums[i - first, k] = 0
        if n_dims and (i % DOCUMENTS_PER_SUM == DOCUMENTS_PER_SUM - 1 or i == last - 1):
            for d in range(n_dims):
                for k in range(len(component_class)):
                    vector_sums[d, k] += part[d, k]
            _clear(part)
    if has_rare:
        _count_rare(
            rare_words, rare_starts, rare_documents, rare_counts, sums, lanes, first == 0, words
        )
    return objective


@kernel_part
def _score_rare(rare_words, starts, documents, counts, log_word, lanes, sums):
    """Add each rare word's row of ``log_word``, times its count, to the sums of its documents."""
    for rare in range(len(rare_words)):
        begin, end = np.int64(starts[rare]), np.int64(starts[rare + 1])
        fetch_row(rare_words, rare + ROWS_AHEAD, log_word)
        if begin < end:
            place = np.int64(rare_words[rare]) * log_word.shape[1]
            add_to_rows(documents, begin, counts, begin, end, log_word, place, lanes, sums)


@kernel_part
def _count_rare(rare_words, starts, documents, counts, shares, lanes, is_first, words):
    """Add the shares of each rare word's documents, times its count, to its row of ``words``."""
    for rare in range(len(rare_words)):
        begin, end = np.int64(starts[rare]), np.int64(starts[rare + 1])
        fetch_row(rare_words, rare + ROWS_AHEAD, words)
        if begin < end or is_first:
            place = np.int64(rare_words[rare]) * words.shape[1]
            sum_rows(documents, counts, begin, end, shares, lanes, is_first, words, place)


@kernel_part
def _clear_rows(rows, table):
    for row in rows:
        for column in range(table.shape[1]):
            table[row, column] = 0


@kernel_part
def _clear(table):
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            table[row, column] = 0


@kernel
def column_totals(table, lanes, slots):
    """Add the total of each column to its ``slots``, in double precision."""
    wide, last = lanes
    n_columns, before = table.shape[1], len(slots) - len(last)
    for row in range(table.shape[0]):
        place = row * n_columns
        right = load(table, place + n_columns - len(last), last)
        store(slots, before, add_wide(load(slots, before, last), right))
        for slot in range(0, before, len(wide)):
            left = load(table, place + slot, wide)
            store(slots, slot, add_wide(load(slots, slot, wide), left))


@kernel_inline
def _log_lanes(words, place, alpha, log_total, slot, lanes, log_word):
    smoothed = add(load(words, place, lanes), spread(alpha, words, lanes))
    store(log_word, place, subtract(logarithms(smoothed), load(log_total, slot, lanes)))


@kernel
def smoothed_logs(words, alpha, log_total, lanes, log_word):
    """Write log(words + alpha) - log_total, of tables [n_words, n_components].

    ``log_total`` are slots in the precision of the tables.
    """
    wide, last = lanes
    n_columns, before = words.shape[1], len(log_total) - len(last)
    for word in range(words.shape[0]):
        place = word * n_columns
        right = place + n_columns - len(last)
        _log_lanes(words, right, alpha, log_total, before, last, log_word)
        for slot in range(0, before, len(wide)):
            _log_lanes(words, place + slot, alpha, log_total, slot, wide, log_word)


@kernel
def total_of(values, lanes):
    """Sum of a flat array, in double precision."""
    n_lanes = len(lanes)
    rest = len(values) // (2 * n_lanes) * 2 * n_lanes
    wide = np.zeros(n_lanes)
    even = odd = load(wide, 0, lanes)
    for i in range(0, rest, 2 * n_lanes):
        even = add_wide(even, load(values, i, lanes))
        odd = add_wide(odd, load(values, i + n_lanes, lanes))
    total = sum_of(add(even, odd))
    for i in range(rest, len(values)):
        total += values[i]
    return total
