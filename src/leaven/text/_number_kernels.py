# mypy: ignore-errors
"""Compiled loops over a window of tokens: number or hash their n-grams, count them."""

import numpy as np

from leaven._base.compile import kernel_part
from leaven.text._hash_table_kernels import fill, find, hash_bytes, mix, word_at

_ONE = np.uint64(1)


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
def count_tokens(numbers, steps, first, n_tokens, document, first_cell, n_out, seen, cells):
    """Add tokens to the document's cells; returns the number of cells used so far.

    Where ``seen`` is empty, every token gets a cell of its own.
    """
    if len(seen) == 0:
        for token in range(first, n_tokens):
            if numbers[token] >= 0:
                cells[n_out] = (np.int64(numbers[token]) << 32) + steps[token]
                n_out += 1
        return n_out
    for token in range(first, n_tokens):
        word = numbers[token]
        if word < 0:
            continue
        if seen[word, 0] == document:
            cells[first_cell + seen[word, 1]] += steps[token]
        else:
            seen[word, 0] = document
            seen[word, 1] = n_out - first_cell
            cells[n_out] = (np.int64(word) << 32) + steps[token]
            n_out += 1
    return n_out
