# mypy: ignore-errors
"""Compiled hash table of words.

Words live in an *arena*: their UTF-8 bytes one after another, with ``starts`` telling
where each begins. A *table* is an open-addressing hash table over an arena: row
``(key, 16 (number + 1) + min(length, 9))``, zero meaning free. The key of a word of at most
eight bytes is the word itself, padded with NUL, so only long words of equal keys need a
comparison of bytes; the length tells apart words that end in NUL.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from leaven._base.compile import kernel, kernel_inline, kernel_part

PADDING = 8  # bytes that must follow an arena's last word, so that eight can be read at once

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SHIFT = np.uint64(29)
_LENGTH_BITS = np.uint64(4)
_LENGTH_MASK = np.uint64(15)
_LONG = 9  # in place of the length of a word that is not its own key


@kernel_inline
def mix(value):
    value = value * _MULTIPLIER
    return value ^ (value >> _SHIFT)


@intrinsic
def load8(typing_context, data, index):
    """Eight bytes of a uint8 array as one number; they must exist, so arrays are padded."""
    signature = types.uint64(data, index)

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(array.data, [arguments[1]])
        wide = builder.bitcast(address, ir.IntType(64).as_pointer())
        return builder.load(wide, align=1)

    return signature, generate


@intrinsic
def store8(typing_context, data, index, value):
    """Write a number as eight bytes of a uint8 array; there must be room."""
    signature = types.void(data, index, types.uint64)

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(array.data, [arguments[1]])
        wide = builder.bitcast(address, ir.IntType(64).as_pointer())
        builder.store(arguments[2], wide, align=1)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def trailing_zeros(typing_context, value):
    """Number of zero bits below the lowest one bit; the value must not be zero."""
    signature = types.int64(types.uint64)

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


@kernel_inline
def hash_bytes(data, start, end):
    """Key of ``data[start:end]``; a word of at most eight bytes is its own key."""
    length = end - start
    if length <= 8:
        return load8(data, start) & (_ALL >> np.uint64(64 - 8 * length))
    state = np.uint64(length)
    for i in range(start, end - 8, 8):
        state = mix(state ^ load8(data, i))
    return mix(state ^ load8(data, end - 8))


@kernel_inline
def find(table, arena, starts, data, start, end, key):
    """Slot of the word ``data[start:end]``, or of the free place where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    mixed = mix(key)
    slot = (mixed ^ (mixed >> np.uint64(32))) & mask
    length = end - start
    length_code = np.uint64(min(length, _LONG))
    while True:
        found = table[slot, 1]
        if found == 0:
            return slot
        if table[slot, 0] == key and found & _LENGTH_MASK == length_code:
            if length < _LONG:
                return slot
            word = found >> _LENGTH_BITS
            begin = starts[word - _ONE]
            if starts[word] - begin == length:
                i = 0
                while i < length - 8 and load8(arena, begin + i) == load8(data, start + i):
                    i += 8
                if i >= length - 8 and load8(arena, begin + length - 8) == load8(data, end - 8):
                    return slot
        slot = (slot + _ONE) & mask


@kernel_inline
def fill(table, slot, key, word, length):
    table[slot, 0] = key
    table[slot, 1] = (np.uint64(word + 1) << _LENGTH_BITS) | np.uint64(min(length, _LONG))


@kernel_inline
def word_at(table, slot):
    """Number of the word in a slot, -1 if the slot is free."""
    return np.int64(table[slot, 1] >> _LENGTH_BITS) - 1


@kernel_part
def grown_table(table, n_slots):
    grown = np.zeros((n_slots, 2), dtype=np.uint64)
    mask = np.uint64(n_slots - 1)
    for old in range(table.shape[0]):
        if table[old, 1]:
            mixed = mix(table[old, 0])
            slot = (mixed ^ (mixed >> np.uint64(32))) & mask
            while grown[slot, 1]:
                slot = (slot + _ONE) & mask
            grown[slot, 0] = table[old, 0]
            grown[slot, 1] = table[old, 1]
    return grown


@kernel_part
def grown(array, size):
    grown = np.empty(size, dtype=array.dtype)
    # A loop, as elsewhere: assigning a slice compiles the text of an error message too.
    for i in range(len(array)):
        grown[i] = array[i]
    return grown


@kernel_part
def with_room(arena, starts, table, n_words, n_more, n_bytes):
    """The arrays of ``n_words`` words, with room for ``n_more`` of ``n_bytes`` in all."""
    if n_words + n_more >= len(starts):
        starts = grown(starts, 2 * len(starts) + n_more)
    n_slots = table.shape[0]
    while 3 * (n_words + n_more) > 2 * n_slots:
        n_slots *= 2
    if n_slots > table.shape[0]:
        table = grown_table(table, n_slots)
    room = starts[n_words] + n_bytes + PADDING
    if room > len(arena):
        arena = grown(arena, 2 * room)
    return arena, starts, table


@kernel
def build_table(arena, starts):
    """Table of the words in an arena; they must differ from each other."""
    n_words = len(starts) - 1
    n_slots = 1024
    while 2 * n_slots < 3 * n_words:
        n_slots *= 2
    table = np.zeros((n_slots, 2), dtype=np.uint64)
    for word in range(n_words):
        key = hash_bytes(arena, starts[word], starts[word + 1])
        slot = find(table, arena, starts, arena, starts[word], starts[word + 1], key)
        fill(table, slot, key, word, starts[word + 1] - starts[word])
    return table


@kernel
def merge_words(arena, starts, table, other_arena, other_starts):
    """Add the other arena's words to the first.

    Returns the grown arena, starts and table, and each other word's number in the first.
    """
    n_words = len(starts) - 1
    n_other = len(other_starts) - 1
    used = starts[n_words]
    arena = grown(arena, used + other_starts[n_other] + PADDING)
    starts = grown(starts, n_words + n_other + 1)
    number = np.empty(n_other, dtype=np.int32)
    for word in range(n_other):
        begin, end = other_starts[word], other_starts[word + 1]
        key = hash_bytes(other_arena, begin, end)
        slot = find(table, arena, starts, other_arena, begin, end, key)
        number[word] = word_at(table, slot)
        if number[word] < 0:
            fill(table, slot, key, n_words, end - begin)
            number[word] = n_words
            for i in range(end - begin):
                arena[used + i] = other_arena[begin + i]
            used += end - begin
            n_words += 1
            starts[n_words] = used
            if 3 * n_words > 2 * table.shape[0]:
                table = grown_table(table, 2 * table.shape[0])
    return arena[: used + PADDING], starts[: n_words + 1], table, number
