# mypy: ignore-errors
"""Compiled tokenizers: UTF-8 bytes to words, lower-cased."""

import numpy as np

from leaven._base.compile import kernel, kernel_part
from leaven.text._hash_table_kernels import find, hash_bytes, load8
from leaven.text._unicode import DIGIT
from leaven.text._utf8_kernels import decode, encode

_HIGH_BITS = np.uint64(0x8080808080808080)
_NUMBER = np.frombuffer(b"<number>", dtype=np.uint8)


@kernel_part
def mapped_or_stopped(
    scratch,
    start,
    end,
    n_characters,
    n_wide_digits,
    map_numbers,
    stop_arena,
    stop_starts,
    stop_table,
):
    """Turn a number into the number word, drop a stop word; returns the word's new end."""
    if map_numbers:
        n_digits = n_wide_digits
        for i in range(start, end):
            n_digits += 48 <= scratch[i] <= 57
        if n_digits == n_characters:
            for i in range(len(_NUMBER)):
                scratch[start + i] = _NUMBER[i]
            end = start + len(_NUMBER)
    if len(stop_starts) > 1:
        key = hash_bytes(scratch, start, end)
        slot = find(stop_table, stop_arena, stop_starts, scratch, start, end, key)
        if stop_table[slot, 1]:
            return start
    return end


@kernel_part
def is_all_ascii(data, begin, end):
    high = np.uint64(0)
    for i in range(begin, end - 7, 8):
        high |= load8(data, i)
    for i in range(max(begin, end - 7), end):
        high |= np.uint64(data[i])
    return high & _HIGH_BITS == 0


@kernel
def tokenize(
    data,
    position,
    end,
    byte_fold,  # uint8[256]: the fold of ASCII, 0 from 128 on
    fold,
    min_length,
    map_numbers,
    stop_arena,
    stop_starts,
    stop_table,
    scratch,
    begins,
    ends,  # int64[window]: token i is scratch[begins[i]:ends[i]]
    n_tokens,  # already in the window
):
    """Copy words, folded, from ``data[position:end]`` to the scratch until the window is full.

    Returns the position reached (end + 1 if all was read) and the number of tokens.
    """
    is_plain = len(stop_starts) == 1 and not map_numbers
    token_start = ends[n_tokens - 1] + 1 if n_tokens else 0
    written = token_start
    n_extra = 0  # bytes of the word beyond one per character
    n_wide_digits = np.int64(0)  # digits outside ASCII
    while position <= end and n_tokens < len(ends):
        while position < end:
            folded = byte_fold[data[position]]
            if folded == 0:
                break
            scratch[written] = folded
            written += 1
            position += 1
        if position >= end:
            position = end + 1  # the end of the document ends its last word
        elif data[position] < 128:
            position += 1
        else:
            point, position = decode(data, position)
            folded_point = fold[point]
            if folded_point:
                before = written
                written = encode(folded_point & ~DIGIT, scratch, written)
                n_extra += written - before - 1
                n_wide_digits += (folded_point & DIGIT) != 0
                continue
        # Here a word has ended, perhaps an empty one.
        if written == token_start:
            continue
        n_characters = written - token_start - n_extra
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
        n_extra = 0
        n_wide_digits = np.int64(0)
    return position, n_tokens


@kernel
def survey(data, offsets, is_ascii, is_special):
    """Which documents are all ASCII, and which hold İ (C4 B0) or Σ (CE A3).

    No table can lower-case those two. Returns whether any document does.
    """
    found = False
    for document in range(len(offsets) - 1):
        begin, end = offsets[document], offsets[document + 1]
        is_ascii[document] = is_all_ascii(data, begin, end)
        is_special[document] = False
        if not is_ascii[document]:
            for i in range(begin, end - 1):
                pair = (data[i], data[i + 1])
                if pair == (0xC4, 0xB0) or pair == (0xCE, 0xA3):
                    is_special[document] = True
            found = found or is_special[document]
    return found
