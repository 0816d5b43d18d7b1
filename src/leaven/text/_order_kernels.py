# mypy: ignore-errors
"""Compiled loops that put the words of an arena in another order."""

import numpy as np
from numba import types
from numba.extending import intrinsic

from leaven._base.compile import kernel
from leaven.text._hash_table_kernels import PADDING, load8, store8

_N_BYTES = 8  # bytes of a word by which it is sorted first
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW_BYTE = np.uint64(255)


@intrinsic
def _reversed_bytes(typing_context, value):
    signature = types.uint64(types.uint64)

    def generate(context, builder, signature, arguments):
        return builder.bswap(arguments[0])

    return signature, generate


@kernel
def order_by_prefix(arena, starts):
    """Order of the words by their first eight bytes, and whether each has the same as another.

    A radix sort of the bytes as numbers, the last byte first: several times as fast as one that
    compares them.
    """
    n_words = len(starts) - 1
    prefix = np.empty(n_words, dtype=np.uint64)
    places = np.zeros((_N_BYTES, 256), dtype=np.int64)  # how many, then where the next one goes
    order = np.empty(n_words, dtype=np.int64)
    for word in range(n_words):
        length = min(starts[word + 1] - starts[word], _N_BYTES)
        value = np.uint64(0)
        if length:
            bits = _ALL >> np.uint64(64 - 8 * length)
            value = _reversed_bytes(load8(arena, starts[word]) & bits)
        prefix[word] = value
        order[word] = word
        for byte in range(_N_BYTES):
            places[byte, (value >> np.uint64(8 * byte)) & _LOW_BYTE] += 1
    other_prefix = np.empty_like(prefix)
    other_order = np.empty_like(order)
    for byte in range(_N_BYTES):
        place = places[byte]
        total = 0
        for value in range(256):
            total, place[value] = total + place[value], total
        shift = np.uint64(8 * byte)
        for i in range(n_words):
            value = (prefix[i] >> shift) & _LOW_BYTE
            to = place[value]
            place[value] = to + 1
            other_prefix[to] = prefix[i]
            other_order[to] = order[i]
        prefix, other_prefix = other_prefix, prefix
        order, other_order = other_order, order
    is_tied = np.zeros(n_words, dtype=np.bool_)
    for i in range(1, n_words):
        if prefix[i] == prefix[i - 1]:
            is_tied[i - 1] = is_tied[i] = True
    return order, is_tied


@kernel
def select_words(arena, starts, numbers):
    """Arena and starts of the words with these numbers, in this order."""
    selected_starts = np.zeros(len(numbers) + 1, dtype=np.int64)
    for i in range(len(numbers)):
        word = numbers[i]
        selected_starts[i + 1] = selected_starts[i] + starts[word + 1] - starts[word]
    n_bytes = selected_starts[len(numbers)]
    selected = np.zeros(n_bytes + PADDING, dtype=np.uint8)
    for i in range(len(numbers)):
        begin, to = starts[numbers[i]], selected_starts[i]
        for byte in range(0, selected_starts[i + 1] - to, 8):
            # What this writes beyond the word, the next word overwrites.
            store8(selected, to + byte, load8(arena, begin + byte))
    for i in range(n_bytes, n_bytes + PADDING):
        selected[i] = 0
    return selected, selected_starts
