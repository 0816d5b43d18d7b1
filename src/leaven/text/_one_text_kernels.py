# mypy: ignore-errors
"""Compiled steps from one text to its weighted counts, as one call each.

To call a kernel takes microseconds, and so does every array in between: for a short text, more than
counting it. The tests compare them with the counting of many texts.
"""

import numpy as np

from leaven._base.compile import kernel, kernel_part
from leaven.text._count_kernels import Texts, WordTable, count_words
from leaven.text._ngram_kernels import count_ngrams, number_ngrams
from leaven.text._row_kernels import weigh_rows, write_rows
from leaven.text._token_kernels import survey

_NONE, _ALL = np.int64(0), np.int64(1)  # typed: a literal would compile each function called twice


@kernel
def count_text(
    data,  # uint8: UTF-8 bytes
    offsets,  # int64: where the text begins and ends
    rules,  # WordRules
    stop,  # WordTable of words to leave out
    known,  # WordTable of the vocabulary
    by_character,
    all_scripts,  # both as in count_words
    may_be_ascii,  # whether text in ASCII may be counted in the quick way
    weights,  # see _weighed
):
    """Words of a text, their weights, and whether Python must lower-case it first."""
    is_ascii = np.empty(1, np.bool_)
    is_special = np.empty(1, np.bool_)
    must_lower = survey(data, offsets, is_ascii, is_special)
    is_ascii[0] = is_ascii[0] and may_be_ascii
    progress = np.zeros(1, np.int64)
    indptr, cells, _, _, _ = count_words(
        Texts(data, offsets, is_ascii),
        _NONE,
        _ALL,
        rules,
        stop,
        known,
        np.bool_(True),
        np.bool_(True),
        by_character,
        all_scripts,
        progress,
        _NONE,
    )
    indices, values = _weighed(indptr, cells, weights)
    return indices, values, must_lower


@kernel
def count_text_ngrams(
    data,
    offsets,
    rules,  # WordRules of words that white space delimits
    none,  # WordTable without words
    known,  # WordTable of the n-grams
    by_character,
    all_scripts,
    ngrams,  # smallest n, largest n, number of hashed features, whether these have signs
    weights,
):
    """The same for character n-grams inside words."""
    is_ascii = np.empty(1, np.bool_)
    is_special = np.empty(1, np.bool_)
    must_lower = survey(data, offsets, is_ascii, is_special)
    progress = np.zeros(1, np.int64)
    indptr, cells, arena, starts, table = count_words(
        Texts(data, offsets, is_ascii),
        _NONE,
        _ALL,
        rules,
        none,
        none,
        np.bool_(False),
        np.bool_(False),
        by_character,
        all_scripts,
        progress,
        _NONE,
    )
    min_n, max_n, n_hash, signed = ngrams
    first, numbers, _, known_starts, _ = number_ngrams(
        WordTable(arena, starts, table), min_n, max_n, n_hash, signed, known, np.bool_(True)
    )
    n_ngrams = n_hash if n_hash else np.int64(len(known_starts) - 1)
    indptr, cells = count_ngrams(
        indptr, cells, first, numbers, n_ngrams, np.bool_(True), offsets, progress, _NONE
    )
    indices, values = _weighed(indptr, cells, weights)
    return indices, values, must_lower


@kernel_part
def _weighed(indptr, cells, weights):
    """Cells of a text as sorted indices and weighted values."""
    (
        numbers,  # of each word: its own
        like,  # an array of the type of the values
        is_binary,
        is_weighted,
        log_tf,
        idf,
        length,
    ) = weights
    indices = np.empty(len(cells), np.int32)
    values = np.empty(len(cells), like.dtype)
    n_words = np.int64(len(numbers))
    lengths = write_rows(indptr, cells, numbers, n_words, _NONE, indices, values)
    indptr[1] = lengths[0]
    indices, values = indices[: lengths[0]], values[: lengths[0]]
    if is_binary:
        values[:] = np.sign(values)
    if is_weighted:
        weigh_rows(indptr, values, indices, _NONE, _ALL, log_tf, idf, length)
    return indices, values
