# mypy: ignore-errors
"""Compiled loops over a window of tokens: number or hash their n-grams, count them."""

import numpy as np

from leaven._base.compile import kernel_part
from leaven.text._hash_table_kernels import fill, find, hash_bytes, mix, word_at

_ONE = np.uint64(1)
_LISTED = 1 << 30  # added to a count once, so that one that has come to zero differs from none


@kernel_part
def number_tokens(
    source, begins, ends, first, n_tokens, size, arena, starts, table, n_words, is_frozen, numbers
):
    """Number of the n-gram ending at each token from ``first`` on, -1 for an unknown one.

    Unknown words are added unless the vocabulary is frozen; the arrays must have room.
    Returns the number of words known afterwards.
    """
    for token in range(first, n_tokens):
        begin, end = begins[token - size + 1], ends[token]
        key = hash_bytes(source, begin, end)
        slot = find(table, arena, starts, source, begin, end, key)
        word = word_at(table, slot)
        if word < 0 and not is_frozen:
            word = n_words
            used = starts[word]
            for i in range(end - begin):
                arena[used + i] = source[begin + i]
            fill(table, slot, key, word, end - begin)
            n_words += 1
            starts[n_words] = used + end - begin
        numbers[token] = word
    return n_words


@kernel_part
def hash_tokens(source, begins, ends, first, n_tokens, size, n_hash, signed, numbers, steps):
    """Hashed feature of the n-gram ending at each token from ``first`` on, and its sign."""
    for token in range(first, n_tokens):
        begin, end = begins[token - size + 1], ends[token]
        key = hash_bytes(source, begin, end)
        mixed = mix(mix(key) + np.uint64(end - begin))
        steps[token] = -1 if signed and mixed & _ONE else 1
        numbers[token] = (mixed >> _ONE) % np.uint64(n_hash)


@kernel_part
def room_for_counts(n_words):
    """Counts of one document, for ``list_words``; the last one is that of unknown words."""
    counts = np.zeros(n_words, dtype=np.int32)
    if n_words:
        counts[-1] = _LISTED
    return counts


@kernel_part
def with_room_for_counts(counts, n_words):
    more = room_for_counts(n_words)
    for word in range(len(counts) - 1):
        more[word] = counts[word]
    return more


@kernel_part
def list_words(numbers, steps, first, n_tokens, n_out, counts, cells):
    """Count tokens, and list the words that are new in a document as its cells.

    Returns the number of cells used so far. Where ``counts`` is empty, every token gets a cell
    of its own. Otherwise the branch whether a word is new would be mispredicted for every other
    one, so each is written and overwritten by the next; unknown words, -1, are never new.
    """
    if len(counts) == 0:
        for token in range(first, n_tokens):
            if numbers[token] >= 0:
                cells[n_out] = (np.int64(numbers[token]) << 32) + steps[token]
                n_out += 1
        return n_out
    for token in range(first, n_tokens):
        word = np.int64(numbers[token])
        count = counts[word]
        is_new = count == 0
        cells[n_out] = word << 32
        n_out += is_new
        counts[word] = count + steps[token] + (_LISTED if is_new else 0)
    return n_out


@kernel_part
def write_counts(first_cell, n_out, counts, cells):
    """Add the counts of a document's words to its cells; afterwards all are zero again."""
    if len(counts) == 0:
        return
    for cell in range(first_cell, n_out):
        word = cells[cell] >> 32
        cells[cell] += counts[word] - _LISTED
        counts[word] = 0
    counts[-1] = _LISTED
