# mypy: ignore-errors
"""Compiled loops of the Fisher kernel, with oracles in the tests."""

import numpy as np

from leaven._base.compile import kernel


@kernel
def write_features(
    indptr, indices, data, shares, by_word, by_component, begin, end, starts, columns, values
):
    """Write features of documents ``begin`` to ``end``, at unit length, into rows of CSR.

    ``by_word`` (n_words, n_components) and ``by_component`` are 1 / sqrt(probability). A row holds
    the components of positive ``shares`` of every word of the document, then of none.
    """
    n_words, n_components = by_word.shape
    active = np.empty(n_components, np.int64)
    for document in range(begin, end):
        n_active = 0
        for k in range(n_components):
            if shares[document, k] > 0:
                active[n_active] = k
                n_active += 1
        place = starts[document]
        squares = 0.0
        for nz in range(indptr[document], indptr[document + 1]):
            word = indices[nz]
            for a in range(n_active):
                k = active[a]
                value = data[nz] * shares[document, k] * by_word[word, k]
                columns[place] = np.int64(word) * n_components + k
                values[place] = value
                squares += np.float64(value) * np.float64(value)
                place += 1
        for a in range(n_active):
            k = active[a]
            value = shares[document, k] * by_component[k]
            columns[place] = np.int64(n_words) * n_components + k
            values[place] = value
            squares += np.float64(value) * np.float64(value)
            place += 1
        norm = np.sqrt(squares)
        for nz in range(starts[document], place):
            values[nz] = values[nz] / norm


@kernel
def add_products(
    indptr,
    indices,
    data,
    shares,
    word_starts,
    places,
    amounts,
    other_shares,
    by_word,
    by_component,
    begin,
    end,
    products,
):
    """Inner products of unscaled features of documents ``begin`` to ``end`` with other documents'.

    The others are postings of words: ``places`` of documents and ``amounts`` of the word there.
    Only components that a document has a share of are visited, gathered side by side, so that
    peaked posteriors cost one product per pair of equal words and soft ones a short dot product.
    """
    n_components = by_word.shape[1]
    n_others = other_shares.shape[0]
    active = np.empty(n_components, np.int64)
    factors = np.empty(n_components, by_word.dtype)
    gathered = np.empty(n_others * n_components, by_word.dtype)
    for document in range(begin, end):
        n_active = 0
        for k in range(n_components):
            if shares[document, k] > 0:
                active[n_active] = k
                n_active += 1
        for other in range(n_others):
            total = 0.0
            for a in range(n_active):
                share = other_shares[other, active[a]]
                gathered[other * n_active + a] = share
                k = active[a]
                total += share * shares[document, k] * by_component[k] * by_component[k]
            products[document, other] = total
        for nz in range(indptr[document], indptr[document + 1]):
            word = indices[nz]
            for a in range(n_active):
                k = active[a]
                factors[a] = data[nz] * shares[document, k] * by_word[word, k] * by_word[word, k]
            for posting in range(word_starts[word], word_starts[word + 1]):
                other = places[posting]
                total = by_word.dtype.type(0)
                for a in range(n_active):
                    total += factors[a] * gathered[other * n_active + a]
                products[document, other] += amounts[posting] * total
