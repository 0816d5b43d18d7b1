# mypy: ignore-errors
"""Compiled tokenizer of ASCII: words, lower-cased, 64 bytes at a time.

The tests compare it with Python's ``re``; ``benchmarks/text.py`` measures it.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from leaven._base.compile import kernel_part
from leaven.text._hash_table_kernels import load8, store8, trailing_zeros
from leaven.text._token_kernels import mapped_or_stopped

BLOCK = 64  # bytes of text that are looked at together
_MOST_WORDS = BLOCK // 2 + 1  # words of a block, with one that began before it

_ONE = np.uint64(1)
_LAST = np.uint64(BLOCK - 1)


@intrinsic
def word_bits(typing_context, data, place, lowered, to, n_digits, underscore, lower_bit):
    """Lower-case 64 bytes; returns a bit for each, the lowest one first: is it part of a word?

    Letters are, and digits below ``n_digits``, and the character ``underscore``. ``lower_bit``
    is what makes an upper-case letter a lower-case one. All 64 bytes must exist in both arrays.
    """
    byte = types.uint8
    signature = types.uint64(data, types.int64, lowered, types.int64, byte, byte, byte)

    def generate(context, builder, signature, arguments):
        vector = ir.VectorType(ir.IntType(8), BLOCK)
        nothing = ir.Constant(vector, ir.Undefined)
        first = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)

        def every(value):
            if isinstance(value, int):
                return ir.Constant(vector, [value] * BLOCK)
            one = builder.insert_element(nothing, value, ir.IntType(32)(0))
            return builder.shuffle_vector(one, nothing, first)

        def address(kind, array, place):
            base = context.make_array(kind)(context, builder, array).data
            return builder.bitcast(builder.gep(base, [place]), vector.as_pointer())

        def are_from(values, least, how_many):  # one comparison, because bytes below wrap around
            return builder.icmp_unsigned("<", builder.sub(values, every(least)), every(how_many))

        data, place, lowered, to, n_digits, underscore, lower_bit = arguments
        read = builder.load(address(signature.args[0], data, place), align=1)
        is_upper = are_from(read, ord("A"), 26)
        change = builder.select(is_upper, every(lower_bit), every(0))
        target = address(signature.args[2], lowered, to)
        builder.store(builder.or_(read, change), target, align=1)
        is_letter = are_from(builder.or_(read, every(32)), ord("a"), 26)
        is_digit = are_from(read, ord("0"), n_digits)
        is_underscore = builder.icmp_unsigned("==", read, every(underscore))
        inside = builder.or_(is_letter, builder.or_(is_digit, is_underscore))
        return builder.bitcast(inside, ir.IntType(BLOCK))

    return signature, generate


@kernel_part
def find_words(
    data,
    position,
    end,
    byte_fold,  # uint8[256]: see _token_kernels.tokenize
    min_length,
    lowered,  # uint8, as long as the document and two blocks more
    begin,  # of the document
    begins,
    ends,  # int64[window]: word i is lowered[begins[i]:ends[i]]
    n_tokens,  # already in the window
):
    """Find words, lower-cased, in ``data[position:end]``, all ASCII, until the window is full.

    Returns the position reached (end + 1 if all was read) and the number of tokens.

    Words begin and end where the bits of a block change. A short word is written like any other
    and overwritten by the next one, because branches that depend on the text are slow.
    """
    n_digits = np.uint8(10 if byte_fold[48] else 0)
    underscore = np.uint8(95 if byte_fold[95] else 97)  # 97 is a letter in any case
    lower_bit = np.uint8(32 if byte_fold[65] == 97 else 0)
    in_word = np.uint64(0)  # 1 while the last byte read belongs to a word
    word_begin = np.int64(0)
    while position < end or in_word:
        here = position - begin
        if n_tokens + _MOST_WORDS > len(ends):
            return (begin + word_begin if in_word else position), n_tokens
        if position + BLOCK <= len(data):
            inside = word_bits(data, position, lowered, here, n_digits, underscore, lower_bit)
        else:
            for i in range(len(data) - position):
                lowered[here + i] = data[position + i]
            inside = word_bits(lowered, here, lowered, here, n_digits, underscore, lower_bit)
        if end - position < BLOCK:
            inside &= (_ONE << np.uint64(end - position)) - _ONE
        changes = inside ^ ((inside << _ONE) | in_word)
        if in_word and changes:
            word_end = here + trailing_zeros(changes)
            changes &= changes - _ONE
            begins[n_tokens] = word_begin
            ends[n_tokens] = word_end
            n_tokens += word_end - word_begin >= min_length
        while changes:
            word_begin = here + trailing_zeros(changes)
            changes &= changes - _ONE
            if changes == 0:  # the word goes on in the next block
                break
            word_end = here + trailing_zeros(changes)
            changes &= changes - _ONE
            begins[n_tokens] = word_begin
            ends[n_tokens] = word_end
            n_tokens += word_end - word_begin >= min_length
        in_word = inside >> _LAST
        position += BLOCK
    return end + 1, n_tokens


@kernel_part
def copy_words(
    lowered,
    first,  # token that was found first; those before it are in the scratch already
    n_tokens,
    map_numbers,
    stop_arena,
    stop_starts,
    stop_table,
    scratch,
    begins,
    ends,
):
    """Copy the words found to the scratch, where a space follows each, as n-grams need it.

    Numbers are mapped and stop words dropped. Returns the number of tokens left.
    """
    is_plain = len(stop_starts) == 1 and not map_numbers
    n_left = first
    written = ends[first - 1] + 1 if first else 0
    for token in range(first, n_tokens):
        source, length = begins[token], ends[token] - begins[token]
        for i in range(0, length, 8):
            store8(scratch, written + i, load8(lowered, source + i))
        word_end = written + length
        if not is_plain:
            word_end = mapped_or_stopped(
                scratch,
                written,
                word_end,
                length,
                np.int64(0),
                map_numbers,
                stop_arena,
                stop_starts,
                stop_table,
            )
        if word_end > written:
            scratch[word_end] = 32
            begins[n_left] = written
            ends[n_left] = word_end
            n_left += 1
            written = word_end + 1
    return n_left
