"""Compiled loops from UTF-8 bytes to counts, document by document.

The tests compare them with scikit-learn's ``CountVectorizer``; ``benchmarks/text.py``
measures them.
"""

import numpy as np
from numba import njit

from leaven.text._hash_table import (
    PADDING,
    fill,
    find,
    grown,
    grown_table,
    hash_bytes,
    mix,
    word_at,
)

_ONE = np.uint64(1)
_DIGIT = np.uint32(1 << 31)
_NUMBER = np.frombuffer(b"<number>", dtype=np.uint8)


@njit(nogil=True, cache=True)
def _encode(point, scratch, written):
    """Append one code point's UTF-8 bytes; returns the new number of bytes written."""
    if point < 0x80:
        scratch[written] = point
        return written + 1
    if point < 0x800:
        scratch[written] = 0xC0 | (point >> 6)
        scratch[written + 1] = 0x80 | (point & 0x3F)
        return written + 2
    if point < 0x10000:
        scratch[written] = 0xE0 | (point >> 12)
        scratch[written + 1] = 0x80 | ((point >> 6) & 0x3F)
        scratch[written + 2] = 0x80 | (point & 0x3F)
        return written + 3
    scratch[written] = 0xF0 | (point >> 18)
    scratch[written + 1] = 0x80 | ((point >> 12) & 0x3F)
    scratch[written + 2] = 0x80 | ((point >> 6) & 0x3F)
    scratch[written + 3] = 0x80 | (point & 0x3F)
    return written + 4


@njit(nogil=True, cache=True)
def _tokenize(
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
    bounds,  # int64[window + 1]: token i is scratch[bounds[i]:bounds[i + 1] - 1]
    n_tokens,  # already in the window
):
    """Copy words, folded, from ``data[position:end]`` to the scratch until the window is full.

    Returns the position reached (end + 1 if all was read) and the number of tokens.
    """
    has_stop_words = len(stop_starts) > 1
    window = len(bounds) - 1
    token_start = bounds[n_tokens]
    written = token_start
    n_extra = 0  # bytes of the word beyond one per character
    n_wide_digits = 0  # digits outside ASCII
    while position <= end and n_tokens < window:
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
            byte = data[position]
            if byte < 0xE0:
                point = ((byte & 0x1F) << 6) | (data[position + 1] & 0x3F)
                position += 2
            elif byte < 0xF0:
                point = (
                    ((byte & 0x0F) << 12)
                    | ((data[position + 1] & 0x3F) << 6)
                    | (data[position + 2] & 0x3F)
                )
                position += 3
            else:
                point = (
                    ((byte & 0x07) << 18)
                    | ((data[position + 1] & 0x3F) << 12)
                    | ((data[position + 2] & 0x3F) << 6)
                    | (data[position + 3] & 0x3F)
                )
                position += 4
            folded_point = fold[point]
            if folded_point:
                before = written
                written = _encode(folded_point & ~_DIGIT, scratch, written)
                n_extra += written - before - 1
                n_wide_digits += (folded_point & _DIGIT) != 0
                continue
        # Here a word has ended, perhaps an empty one.
        if written == token_start:
            continue
        n_characters = written - token_start - n_extra
        n_digits = n_wide_digits
        n_extra = 0
        n_wide_digits = 0
        if n_characters < min_length:
            written = token_start
            continue
        if map_numbers:
            for i in range(token_start, written):
                n_digits += 48 <= scratch[i] <= 57
            if n_digits == n_characters:
                scratch[token_start : token_start + len(_NUMBER)] = _NUMBER
                written = token_start + len(_NUMBER)
        if has_stop_words:
            key = hash_bytes(scratch, token_start, written)
            slot = find(stop_table, stop_arena, stop_starts, scratch, token_start, written, key)
            if stop_table[slot, 1]:
                written = token_start
                continue
        scratch[written] = 32  # an n-gram is a slice of the scratch: words and spaces
        written += 1
        n_tokens += 1
        bounds[n_tokens] = written
        token_start = written
    return position, n_tokens


@njit(nogil=True, cache=True)
def _number_tokens(
    scratch, bounds, first, n_tokens, size, arena, starts, table, n_words, is_frozen, numbers
):
    """Number of the n-gram ending at each token from ``first`` on, -1 for an unknown one.

    Unknown words are added unless the vocabulary is frozen; the arrays must have room.
    Returns the number of words known afterwards.
    """
    for token in range(first, n_tokens):
        begin, end = bounds[token - size + 1], bounds[token + 1] - 1
        key = hash_bytes(scratch, begin, end)
        slot = find(table, arena, starts, scratch, begin, end, key)
        word = word_at(table, slot)
        if word < 0 and not is_frozen:
            word = n_words
            used = starts[word]
            for i in range(end - begin):
                arena[used + i] = scratch[begin + i]
            fill(table, slot, key, word, end - begin)
            n_words += 1
            starts[n_words] = used + end - begin
        numbers[token] = word
    return n_words


@njit(nogil=True, cache=True)
def _hash_tokens(scratch, bounds, first, n_tokens, size, n_hash, signed, numbers, steps):
    """Hashed feature of the n-gram ending at each token from ``first`` on, and its sign."""
    for token in range(first, n_tokens):
        begin, end = bounds[token - size + 1], bounds[token + 1] - 1
        key = hash_bytes(scratch, begin, end)
        mixed = mix(mix(key) + np.uint64(end - begin))
        steps[token] = -1 if signed and mixed & _ONE else 1
        numbers[token] = (mixed >> _ONE) % np.uint64(n_hash)


@njit(nogil=True, cache=True)
def _count_tokens(numbers, steps, first, n_tokens, document, first_cell, n_out, seen, cells):
    """Add tokens to the document's cells; returns the number of cells used so far."""
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


@njit(nogil=True, cache=True)
def count_words(
    data,  # uint8: UTF-8 bytes of all documents
    offsets,  # int64: where each document begins
    first,
    last,  # documents to count
    fold,  # uint32[0x110000]: see _unicode.fold_table
    min_length,  # fewest characters of a word
    map_numbers,  # digit strings become one word
    stop_arena,
    stop_starts,
    stop_table,
    min_n,
    max_n,  # sizes of word n-grams
    n_hash,  # 0, or number of hashed features (then there is no vocabulary)
    signed,  # hashed features carry a sign
    arena,
    starts,
    table,  # the words known so far
    is_frozen,  # words not in the table are skipped
    progress,
    thread,  # progress[thread] is the number of bytes counted so far
):
    """Count the words of documents ``first`` to ``last``, in order of first occurrence.

    Returns indptr, the cells (word << 32) + count, and the grown arena and starts.

    Each document is tokenized, numbered and counted a window at a time: three simple loops
    let the processor look up many words at once, one loop stalls on every word.
    """
    window = 1024 + max_n
    byte_fold = np.zeros(256, dtype=np.uint8)
    for byte in range(128):
        byte_fold[byte] = fold[byte] & ~_DIGIT
    longest = 0
    for document in range(first, last):
        longest = max(longest, offsets[document + 1] - offsets[document])
    # Lower-casing can lengthen UTF-8 by half (two bytes to three); "<number>" replaces a digit.
    scratch = np.empty((10 if map_numbers else 2) * longest + 64, dtype=np.uint8)
    bounds = np.zeros(window + 1, dtype=np.int64)
    numbers = np.empty(window, dtype=np.int32)
    steps = np.ones(window, dtype=np.int64)
    n_words = len(starts) - 1
    may_grow = not (is_frozen or n_hash)
    n_seen = n_hash if n_hash else n_words + 8 * window if may_grow else n_words
    seen = np.full((n_seen, 2), -1, dtype=np.int32)  # document last seen in, cell there
    if may_grow:
        starts = grown(starts, n_seen + 1)
    cells = np.empty((offsets[last] - offsets[first]) // 10 + 2 * window, dtype=np.int64)
    indptr = np.zeros(last - first + 1, dtype=np.int64)
    n_out = 0
    for document in range(first, last):
        position, end = offsets[document], offsets[document + 1]
        first_cell = n_out
        n_tokens = 0
        kept = 0  # tokens of the last window that n-grams of this one may begin with
        while position <= end:
            position, n_tokens = _tokenize(
                data,
                position,
                end,
                byte_fold,
                fold,
                min_length,
                map_numbers,
                stop_arena,
                stop_starts,
                stop_table,
                scratch,
                bounds,
                n_tokens,
            )
            for size in range(min_n, max_n + 1):
                begin = max(kept, size - 1)
                if n_out + window > len(cells):
                    cells = grown(cells, 2 * len(cells) + window)
                if n_hash:
                    _hash_tokens(
                        scratch, bounds, begin, n_tokens, size, n_hash, signed, numbers, steps
                    )
                else:
                    if may_grow:
                        if n_words + window > len(seen):
                            more = np.full((2 * len(seen) + window, 2), -1, dtype=np.int32)
                            more[: len(seen)] = seen
                            seen = more
                            starts = grown(starts, len(seen) + 1)
                        if 3 * (n_words + window) > 2 * table.shape[0]:
                            table = grown_table(table, 2 * table.shape[0])
                        room = starts[n_words] + size * bounds[n_tokens] + PADDING
                        if room > len(arena):
                            arena = grown(arena, 2 * room)
                    n_words = _number_tokens(
                        scratch,
                        bounds,
                        begin,
                        n_tokens,
                        size,
                        arena,
                        starts,
                        table,
                        n_words,
                        is_frozen,
                        numbers,
                    )
                n_out = _count_tokens(
                    numbers,
                    steps,
                    begin,
                    n_tokens,
                    document - first,
                    first_cell,
                    n_out,
                    seen,
                    cells,
                )
            kept = min(max_n - 1, n_tokens)
            shift = bounds[n_tokens - kept]
            for i in range(bounds[n_tokens] - shift):
                scratch[i] = scratch[shift + i]
            for i in range(kept + 1):
                bounds[i] = bounds[n_tokens - kept + i] - shift
            n_tokens = kept
        indptr[document - first + 1] = n_out
        bounds[0] = 0
        progress[thread] = end - offsets[first]
    return indptr, cells[:n_out], arena[: starts[n_words] + PADDING], starts[: n_words + 1]


@njit(nogil=True, cache=True)
def holds_special_capitals(data):
    """Whether UTF-8 bytes hold İ (C4 B0) or Σ (CE A3), which no table can lower-case."""
    found = 0
    for i in range(len(data) - 1):  # no early exit: the loop is vectorised
        found += (data[i] == 0xC4) & (data[i + 1] == 0xB0)
        found += (data[i] == 0xCE) & (data[i + 1] == 0xA3)
    return found > 0
