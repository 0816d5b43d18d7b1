# mypy: ignore-errors
"""Compiled loops of the EM models, each with an oracle in the tests.

``benchmarks/em.py`` measures them against plain scipy.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from leaven._base.compile import kernel, kernel_part

# A responsibility below this adds nothing to a count, and in float32 its products would be
# denormal numbers, which are slow.
NEGLIGIBLE = 1e-12
LEAST_GAP = -30.0  # e to this is negligible
AHEAD = 32  # words between the one that is scored and the one that is fetched


@intrinsic
def _prefetch(typing_context, array, place):
    """Start to load an array's number ``place`` in memory, which will be needed soon."""
    signature = types.void(array, place)

    def generate(context, builder, signature, arguments):
        base = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(base, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        for_reading, keep_close, is_data = (ir.Constant(number, n) for n in (0, 3, 1))
        builder.call(function, [address, for_reading, keep_close, is_data])
        return context.get_dummy_value()

    return signature, generate


@kernel_part
def _score(indices, data, begin, end, log_word, score):
    """Add a document's log likelihood under every component to ``score``.

    Eight words at a time, because ``score`` is read and written for each time. The rows of
    words further on, also of the next document, are called to the cache meanwhile.
    """
    n_components = log_word.shape[1]
    rest = begin + (end - begin) // 8 * 8
    for nz in range(begin, rest, 8):
        for ahead in range(nz + AHEAD, min(nz + AHEAD + 8, len(indices))):
            place = np.int64(indices[ahead]) * n_components
            _prefetch(log_word, place)
            _prefetch(log_word, place + n_components // 2)
        x0, x1, x2, x3 = data[nz], data[nz + 1], data[nz + 2], data[nz + 3]
        x4, x5, x6, x7 = data[nz + 4], data[nz + 5], data[nz + 6], data[nz + 7]
        w0, w1, w2, w3 = indices[nz], indices[nz + 1], indices[nz + 2], indices[nz + 3]
        w4, w5, w6, w7 = indices[nz + 4], indices[nz + 5], indices[nz + 6], indices[nz + 7]
        for k in range(n_components):
            score[k] += (
                (x0 * log_word[w0, k] + x1 * log_word[w1, k])
                + (x2 * log_word[w2, k] + x3 * log_word[w3, k])
            ) + (
                (x4 * log_word[w4, k] + x5 * log_word[w5, k])
                + (x6 * log_word[w6, k] + x7 * log_word[w7, k])
            )
    for nz in range(rest, end):
        x = data[nz]
        word = indices[nz]
        for k in range(n_components):
            score[k] += x * log_word[word, k]


@kernel_part
def _score_one(indices, data, begin, end, log_word, k):
    total = 0.0
    for nz in range(begin, end):
        total += data[nz] * log_word[indices[nz], k]
    return total


@kernel_part
def _add_to_all(indices, data, begin, end, q, words):
    """Add a document's counts, times ``q``, to every component."""
    n_components = words.shape[1]
    for nz in range(begin, end):
        x = data[nz]
        word = indices[nz]
        for k in range(n_components):
            words[word, k] += x * q[k]


@kernel_part
def _add_to_one(indices, data, begin, end, share, k, words):
    for nz in range(begin, end):
        words[indices[nz], k] += data[nz] * share


@kernel_part
def _share_out(score, is_allowed, beta, q):
    """Maximize sum_k q_k score_k + H(q) / beta over the allowed components.

    Writes the maximizer to ``q`` and returns the maximum. Negligible shares become zero.
    """
    n_components = len(score)
    top = -1
    for k in range(n_components):
        if is_allowed[k] and (top < 0 or score[k] > score[top]):
            top = k
    if beta == np.inf:
        q[:] = 0.0
        q[top] = 1.0
        return score[top]
    total = 0.0
    for k in range(n_components):
        gap = beta * (score[k] - score[top])
        q[k] = np.exp(gap) if is_allowed[k] and gap > LEAST_GAP else 0.0
        total += q[k]
    for k in range(n_components):
        q[k] /= total
        if q[k] < NEGLIGIBLE:
            q[k] = 0.0
    return score[top] + np.log(total) / beta


@kernel
def expect_counts(
    indptr,
    indices,
    data,  # documents as rows of counts
    y,  # class code of each document, negative where unknown
    weight,  # of each document
    unlabeled_weight,
    component_class,
    log_weight,  # float64[n_components]
    log_word,  # [n_words, n_components]: a word's row is read at once
    beta,  # inverse temperature, infinity for hard assignment
    scores,  # [n_documents, n_components] of another view, or empty; becomes weight times q
    documents,  # float64[n_components], overwritten
    words,  # [n_words, n_components], overwritten
):
    """E-step and expected counts of a block in one pass; returns its part of the objective.

    Scores are summed in float64 whatever the counts' type: a document's log likelihood is
    in the thousands, where float32 has three decimals. The loops over a document's words
    are functions of their own, because the compiler vectorises them only when few arrays
    could overlap.
    """
    n_components = len(component_class)
    score = np.empty(n_components)
    q = np.empty(n_components)
    q_narrow = np.empty(n_components, dtype=words.dtype)
    is_allowed = np.ones(n_components, dtype=np.bool_)
    has_scores = len(scores) > 0
    objective = 0.0
    # Zeroed here: numpy gives large pages to empty arrays, not to zero ones.
    words[:] = 0.0
    documents[:] = 0.0
    for i in range(len(y)):
        w = weight[i] if y[i] >= 0 else weight[i] * unlabeled_weight
        if w == 0.0:
            if has_scores:
                scores[i] = 0.0
            continue
        begin, end = indptr[i], indptr[i + 1]
        for k in range(n_components):
            score[k] = log_weight[k]
        if has_scores:
            for k in range(n_components):
                score[k] += scores[i, k]
        if y[i] >= 0:
            for k in range(n_components):
                is_allowed[k] = component_class[k] == y[i]
                if is_allowed[k]:
                    score[k] += _score_one(indices, data, begin, end, log_word, k)
        else:
            is_allowed[:] = True
            _score(indices, data, begin, end, log_word, score)
        objective += w * _share_out(score, is_allowed, beta, q)
        n_active = 0
        for k in range(n_components):
            share = q[k] * w
            q_narrow[k] = share
            documents[k] += share
            n_active += share > 0.0
        if has_scores:
            for k in range(n_components):
                scores[i, k] = q_narrow[k]
        # A vector operation adds to eight components at the price of one.
        if 8 * n_active > n_components:
            _add_to_all(indices, data, begin, end, q_narrow, words)
        else:
            for k in range(n_components):
                if q_narrow[k] > 0.0:
                    _add_to_one(indices, data, begin, end, q_narrow[k], k, words)
    return objective


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


@kernel
def score_vectors(vectors, directions, scores):
    """Write vectors times ``directions`` [n_dims, n_components] to ``scores``.

    A matrix product, but called from several threads at once, where a library's own threads
    would only be in each other's way.
    """
    n_dims, n_components = directions.shape
    for i in range(len(vectors)):
        for k in range(n_components):
            scores[i, k] = 0.0
        for d in range(n_dims):
            v = vectors[i, d]
            for k in range(n_components):
                scores[i, k] += v * directions[d, k]


@kernel
def add_vectors(shares, vectors, sums):
    """Write the sum of documents' vectors, times their shares, to ``sums`` [n_components, n_dims].

    Every thousand documents are added up in the vectors' own precision, the sums of thousands
    in that of ``sums``.
    """
    n_components, n_dims = sums.shape
    part = np.zeros((n_components, n_dims), dtype=vectors.dtype)
    sums[:] = 0.0
    for i in range(len(vectors)):
        for k in range(n_components):
            share = shares[i, k]
            if share > 0.0:
                for d in range(n_dims):
                    part[k, d] += share * vectors[i, d]
        if i % 1000 == 999 or i == len(vectors) - 1:
            for k in range(n_components):
                for d in range(n_dims):
                    sums[k, d] += part[k, d]
            part[:] = 0.0
