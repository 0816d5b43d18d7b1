# mypy: ignore-errors
"""Compiled loops from UTF-8 bytes to counts, document by document.

The tests compare them with scikit-learn's ``CountVectorizer``; ``benchmarks/text.py``
measures them.
"""

from typing import Any, NamedTuple

import numpy as np

from leaven._base.compile import kernel
from leaven.text._hash_table_kernels import (
    PADDING,
    fill,
    find,
    grown,
    grown_table,
    hash_bytes,
    mix,
    word_at,
)
from leaven.text._token_kernels import tokenize, tokenize_ascii
from leaven.text._unicode import DIGIT

_ONE = np.uint64(1)


@kernel
def _number_tokens(
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


@kernel
def _hash_tokens(source, begins, ends, first, n_tokens, size, n_hash, signed, numbers, steps):
    """Hashed feature of the n-gram ending at each token from ``first`` on, and its sign."""
    for token in range(first, n_tokens):
        begin, end = begins[token - size + 1], ends[token]
        key = hash_bytes(source, begin, end)
        mixed = mix(mix(key) + np.uint64(end - begin))
        steps[token] = -1 if signed and mixed & _ONE else 1
        numbers[token] = (mixed >> _ONE) % np.uint64(n_hash)


@kernel
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


class Texts(NamedTuple):
    """Documents one after another."""

    data: Any  # uint8: UTF-8 bytes of all documents
    offsets: Any  # int64: where each document begins
    is_ascii: Any  # bool, of each document: see survey


class WordTable(NamedTuple):
    """Words, as :class:`leaven.text._vocabulary.Vocabulary` holds them."""

    arena: Any  # uint8
    starts: Any  # int64
    table: Any  # uint64


class WordRules(NamedTuple):
    """What is a word."""

    fold: Any  # uint32[0x110000]: see _unicode.fold_table
    min_length: int  # fewest characters
    map_numbers: bool  # digit strings become one word
    min_n: int
    max_n: int  # sizes of word n-grams
    n_hash: int  # 0, or number of hashed features (then there is no vocabulary)
    signed: bool  # hashed features carry a sign


@kernel
def count_words(
    texts,  # Texts
    first,
    last,  # documents to count
    rules,  # WordRules
    stop,  # WordTable of words to leave out
    known,  # WordTable of the words known so far
    is_frozen,  # other words are skipped
    progress,
    thread,  # progress[thread] is the number of bytes counted so far
):
    """Count the words of documents ``first`` to ``last``, in order of first occurrence.

    Returns indptr, the cells (word << 32) + count, and the grown arena, starts and table.

    Each document is tokenized, numbered and counted a window at a time: three simple loops
    let the processor look up many words at once, one loop stalls on every word.
    """
    data, offsets, is_ascii = texts
    fold, min_length, map_numbers, min_n, max_n, n_hash, signed = rules
    stop_arena, stop_starts, stop_table = stop
    arena, starts, table = known
    window = 1024 + max_n
    byte_fold = np.zeros(256, dtype=np.uint8)
    for byte in range(128):
        byte_fold[byte] = fold[byte] & ~DIGIT
    longest = 0
    for document in range(first, last):
        longest = max(longest, offsets[document + 1] - offsets[document])
    # Lower-casing can lengthen UTF-8 by half (two bytes to three); "<number>" replaces a digit.
    scratch = np.empty((10 if map_numbers else 2) * longest + 64, dtype=np.uint8)
    lowered = np.empty(longest + 32, dtype=np.uint8)
    begins = np.empty(window, dtype=np.int64)
    ends = np.empty(window, dtype=np.int64)
    numbers = np.empty(window, dtype=np.int32)
    steps = np.ones(window, dtype=np.int64)
    n_words = len(starts) - 1
    may_grow = not (is_frozen or n_hash)
    is_simple = max_n == 1 and not map_numbers and len(stop_starts) == 1
    n_seen = n_hash if n_hash else n_words + 8 * window if may_grow else n_words
    seen = np.full((n_seen, 2), -1, dtype=np.int32)  # document last seen in, cell there
    if may_grow:
        starts = grown(starts, n_seen + 1)
    cells = np.empty((offsets[last] - offsets[first]) // 10 + 2 * window, dtype=np.int64)
    indptr = np.zeros(last - first + 1, dtype=np.int64)
    # Typed zeros: a literal one would compile each function called with it twice.
    n_out = np.int64(0)
    for document in range(first, last):
        position, end = offsets[document], offsets[document + 1]
        in_place = is_ascii[document] and is_simple
        source = lowered if in_place else scratch
        first_cell = n_out
        n_tokens = np.int64(0)
        kept = 0  # tokens of the last window that n-grams of this one may begin with
        while position <= end:
            if is_ascii[document]:
                position, n_tokens = tokenize_ascii(
                    data,
                    position,
                    end,
                    byte_fold,
                    min_length,
                    map_numbers,
                    stop_arena,
                    stop_starts,
                    stop_table,
                    scratch,
                    begins,
                    ends,
                    n_tokens,
                    lowered,
                    offsets[document],
                    in_place,
                )
            else:
                position, n_tokens = tokenize(
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
                    begins,
                    ends,
                    n_tokens,
                )
            for size in range(min_n, max_n + 1):
                begin = max(kept, size - 1)
                if n_out + window > len(cells):
                    cells = grown(cells, 2 * len(cells) + window)
                if n_hash:
                    _hash_tokens(
                        source, begins, ends, begin, n_tokens, size, n_hash, signed, numbers, steps
                    )
                else:
                    if may_grow:
                        if n_words + window > len(seen):
                            more = np.full((2 * len(seen) + window, 2), -1, dtype=np.int32)
                            for i in range(len(seen)):
                                more[i, 0] = seen[i, 0]
                                more[i, 1] = seen[i, 1]
                            seen = more
                            starts = grown(starts, len(seen) + 1)
                        if 3 * (n_words + window) > 2 * table.shape[0]:
                            table = grown_table(table, 2 * table.shape[0])
                        room = (
                            starts[n_words]
                            + size * (ends[n_tokens - 1] - begins[0] if n_tokens else 0)
                            + PADDING
                        )
                        if room > len(arena):
                            arena = grown(arena, 2 * room)
                    n_words = _number_tokens(
                        source,
                        begins,
                        ends,
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
            if kept:
                shift = begins[n_tokens - kept]
                for i in range(ends[n_tokens - 1] + 1 - shift):
                    scratch[i] = scratch[shift + i]
                for i in range(kept):
                    begins[i] = begins[n_tokens - kept + i] - shift
                    ends[i] = ends[n_tokens - kept + i] - shift
            n_tokens = kept
        indptr[document - first + 1] = n_out
        progress[thread] = end - offsets[first]
    arena = arena[: starts[n_words] + PADDING]
    return indptr, cells[:n_out], arena, starts[: n_words + 1], table
