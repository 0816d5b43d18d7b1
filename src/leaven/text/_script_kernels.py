# mypy: ignore-errors
"""Compiled tokenizer of words of all scripts, and count of the scripts' characters.

The tests compare them with a slow tokenizer in Python.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from leaven._base.compile import kernel, kernel_part
from leaven.text._ascii_kernels import BLOCK, word_bits
from leaven.text._hash_table_kernels import find, hash_bytes
from leaven.text._token_kernels import is_all_ascii, mapped_or_stopped
from leaven.text._unicode import DIGIT, MARK, UNSPACED
from leaven.text._utf8_kernels import decode, encode

LONGEST_OF_RUN = 3  # characters of an n-gram, where there are no spaces between words

_FLAGS = DIGIT | MARK | UNSPACED
_WORD_CHARACTERS = (np.uint8(10), np.uint8(95), np.uint8(0))  # ten digits and _; case is kept


@intrinsic
def _count_ones(typing_context, bits):
    signature = types.int64(types.uint64)

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return signature, generate


@kernel_part
def tokenize_scripts(
    data,
    position,
    end,
    byte_fold,
    fold,  # with marks and unspaced characters
    min_length,
    map_numbers,
    stop_arena,
    stop_starts,
    stop_table,
    scratch,
    begins,
    ends,
    n_tokens,
):
    """As ``tokenize``, with marks after a word's first character, up to an unspaced run.

    Returns the position reached (end + 1 if all was read), the number of tokens, and whether
    a run of unspaced characters begins there.
    """
    is_plain = len(stop_starts) == 1 and not map_numbers
    token_start = ends[n_tokens - 1] + 1 if n_tokens else 0
    written = token_start
    n_characters = np.int64(0)
    n_wide_digits = np.int64(0)  # digits outside ASCII
    at_run = False
    while position <= end and n_tokens < len(ends) and not at_run:
        while position < end:
            folded = byte_fold[data[position]]
            if folded == 0:
                break
            scratch[written] = folded
            written += 1
            n_characters += 1
            position += 1
        if position >= end:
            position = end + 1  # the end of the document ends its last word
        elif data[position] < 128:
            position += 1
        else:
            point, after = decode(data, position)
            folded_point = fold[point]
            at_run = folded_point & UNSPACED != 0
            if not at_run:
                position = after
                if folded_point and (written > token_start or folded_point & MARK == 0):
                    written = encode(folded_point & ~_FLAGS, scratch, written)
                    n_characters += 1
                    n_wide_digits += (folded_point & DIGIT) != 0
                    continue
        # Here a word has ended, perhaps an empty one.
        if n_characters >= min_length:
            if not is_plain:
                written = mapped_or_stopped(
                    scratch,
                    token_start,
                    written,
                    n_characters,
                    n_wide_digits,
                    map_numbers,
                    stop_arena,
                    stop_starts,
                    stop_table,
                )
            if written > token_start:
                scratch[written] = 32  # an n-gram is a slice of the scratch: words and spaces
                begins[n_tokens] = token_start
                ends[n_tokens] = written
                n_tokens += 1
                token_start = written + 1
        written = token_start
        n_characters = np.int64(0)
        n_wide_digits = np.int64(0)
    return position, n_tokens, at_run


@kernel_part
def cut_runs(data, position, end, fold, stop_arena, stop_starts, stop_table, scratch, begins, ends):
    """Copy the n-grams of unspaced runs to the scratch until a word begins or the window is full.

    Returns the position reached (end + 1 if all was read) and the number of tokens.
    """
    n_tokens = np.int64(0)
    written = np.int64(0)
    while position < end and n_tokens + LONGEST_OF_RUN <= len(ends):
        point, after = decode(data, position)
        folded = fold[point]
        if folded & UNSPACED == 0:
            if folded and folded & MARK == 0:
                break
            position = after
            continue
        # The n-grams that begin here: each is the beginning of the next.
        begin, copied, next_end = written, position, after
        for _ in range(LONGEST_OF_RUN):
            while copied < next_end:
                scratch[written] = data[copied]
                written += 1
                copied += 1
            is_counted = True
            if len(stop_starts) > 1:
                key = hash_bytes(scratch, begin, written)
                slot = find(stop_table, stop_arena, stop_starts, scratch, begin, written, key)
                is_counted = stop_table[slot, 1] == 0
            if is_counted:
                begins[n_tokens] = begin
                ends[n_tokens] = written
                n_tokens += 1
            if copied >= end:
                break
            point, next_end = decode(data, copied)
            if fold[point] & UNSPACED == 0:
                break
        position = after
    return (position if position < end else end + 1), n_tokens


@kernel
def count_points(data, begin, end, kinds, counts):
    """Add the number of code points of each kind in ``data[begin:end]``."""
    copied = np.empty(BLOCK, dtype=np.uint8)
    position = begin
    while position < end:
        if position + BLOCK <= end and is_all_ascii(data, position, position + BLOCK):
            # All of ASCII that words are made of is of one kind.
            inside = word_bits(data, position, copied, np.int64(0), *_WORD_CHARACTERS)
            n_inside = _count_ones(inside)
            counts[0] += BLOCK - n_inside
            counts[1] += n_inside
            position += BLOCK
            continue
        block_end = min(position + BLOCK, end)
        while position < block_end:
            point, position = decode(data, position)
            counts[kinds[point]] += 1
