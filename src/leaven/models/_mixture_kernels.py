# mypy: ignore-errors
"""Compiled loops of the EM models, each with an oracle in the tests.

``benchmarks/em.py`` measures them against plain scipy.
"""

import numpy as np

from leaven._base.compile import kernel, kernel_part
from leaven._base.lane_kernels import add, exponential, larger, largest_of, load, sum_of
from leaven._base.row_kernels import add_rows, add_to_rows, fetch_rows, from_slots

# A responsibility below this adds nothing to a count, and in float32 its products would be
# denormal numbers, which are slow.
NEGLIGIBLE = 1e-12
LEAST_GAP = -30.0  # e to this is negligible
DOCUMENTS_PER_PART = 1000  # whose vectors are summed in their own precision


@kernel_part
def _score_one(indices, data, begin, end, log_word, k):
    total = 0.0
    for nz in range(begin, end):
        total += data[nz] * log_word[indices[nz], k]
    return total


@kernel_part
def _share_out(score, beta, lanes):
    """Maximize sum_k q_k score_k + H(q) / beta; returns the maximum.

    The maximizer takes the place of ``score``, which is minus infinity where a component is not
    allowed. Negligible shares become zero.
    """
    n_lanes = len(lanes)
    tops = load(score, 0, lanes)
    for slot in range(n_lanes, len(score), n_lanes):
        tops = larger(tops, load(score, slot, lanes))
    top = largest_of(tops)
    if beta == np.inf:
        is_found = False
        for slot in range(len(score)):
            is_best = score[slot] == top and not is_found
            is_found = is_found or is_best
            score[slot] = 1.0 if is_best else 0.0
        return top
    for slot in range(len(score)):
        gap = beta * (score[slot] - top)
        score[slot] = exponential(gap) if gap > LEAST_GAP else 0.0
    sums = load(score, 0, lanes)
    for slot in range(n_lanes, len(score), n_lanes):
        sums = add(sums, load(score, slot, lanes))
    total = sum_of(sums)
    scale = 1.0 / total
    for slot in range(len(score)):
        share = score[slot] * scale
        score[slot] = share if share >= NEGLIGIBLE else 0.0
    return top + np.log(total) / beta


@kernel
def expect_counts(
    indptr,
    indices,
    data,  # documents as rows of counts
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
    documents,  # float64[n_slots], overwritten
    words,  # [n_words, n_components], overwritten
    vector_sums,  # float64[n_dims, n_components], overwritten
):
    """E-step and expected counts of a block in one pass; returns its part of the objective.

    Scores are summed in float64 whatever the counts' type: a document's log likelihood is
    in the thousands, where float32 has three decimals.
    """
    n_slots, n_dims = len(start), len(dims)
    score = np.empty(n_slots)
    shares = np.empty(len(component_class), dtype=words.dtype)
    part = np.empty(directions.shape, dtype=directions.dtype)
    # Zeroed here: numpy gives large pages to empty arrays, not to zero ones.
    _clear(words)
    _clear(part)
    _clear(vector_sums)
    for slot in range(n_slots):
        documents[slot] = 0.0
    objective = 0.0
    for i in range(len(y)):
        w = weight[i] if y[i] >= 0 else weight[i] * unlabeled_weight
        begin, end = np.int64(indptr[i]), np.int64(indptr[i + 1])
        first, last = i * n_dims, (i + 1) * n_dims
        if w != 0.0:
            fetch_rows(indices, begin, end, words)
            for slot in range(n_slots):
                score[slot] = start[slot]
            if n_dims:
                add_rows(dims, np.int64(0), vectors, first, last, directions, lanes, score)
            if y[i] < 0:
                add_rows(indices, begin, data, begin, end, log_word, lanes, score)
            else:
                for slot in range(n_slots):
                    k = slot_component[slot]
                    if k >= 0 and component_class[k] == y[i]:
                        score[slot] += _score_one(indices, data, begin, end, log_word, k)
                    else:
                        score[slot] = -np.inf
            objective += w * _share_out(score, beta, lanes)
            for slot in range(n_slots):
                score[slot] *= w
                documents[slot] += score[slot]
            from_slots(score, lanes, shares)
            if i + 1 < len(y):
                fetch_rows(indices, end, np.int64(indptr[i + 2]), log_word)
            add_to_rows(indices, begin, data, begin, end, shares, lanes, words)
            if n_dims:
                add_to_rows(dims, np.int64(0), vectors, first, last, shares, lanes, part)
        if n_dims and (i % DOCUMENTS_PER_PART == DOCUMENTS_PER_PART - 1 or i == len(y) - 1):
            for d in range(n_dims):
                for k in range(len(component_class)):
                    vector_sums[d, k] += part[d, k]
            _clear(part)
    return objective


@kernel_part
def _clear(table):
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            table[row, column] = 0


@kernel
def smooth(words, alpha, smoothed):
    """Write ``words + alpha``, both [n_words, n_components]; returns each component's total."""
    n_words, n_components = words.shape
    total = np.zeros(n_components)
    for word in range(n_words):
        for k in range(n_components):
            value = words[word, k] + alpha
            smoothed[word, k] = value
            total[k] += value
    return total
