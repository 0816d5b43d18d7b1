# mypy: ignore-errors
"""Compiled loops from UTF-8 bytes to counts, document by document.

The tests compare them with scikit-learn's ``CountVectorizer``; ``benchmarks/text.py``
measures them.
"""

from typing import Any, NamedTuple

import numpy as np

from leaven._base.compile import kernel
from leaven.text._ascii_kernels import BLOCK, copy_words, find_words
from leaven.text._hash_table_kernels import PADDING, grown, with_room
from leaven.text._ngram_kernels import cut
from leaven.text._number_kernels import (
    hash_tokens,
    list_words,
    number_tokens,
    room_for_counts,
    with_room_for_counts,
    write_counts,
)
from leaven.text._script_kernels import LONGEST_OF_RUN, cut_runs, tokenize_scripts
from leaven.text._token_kernels import tokenize
from leaven.text._unicode import DIGIT


class Texts(NamedTuple):
    """Documents one after another."""

    data: Any  # uint8: UTF-8 bytes of all documents
    offsets: Any  # int64: where each document begins
    is_ascii: Any  # bool, of each document: see survey


class WordTable(NamedTuple):
    """Words, as ``leaven.text._vocabulary.Vocabulary`` holds them."""

    arena: Any  # uint8
    starts: Any  # int64
    table: Any  # uint64


class WordRules(NamedTuple):
    """What is a word."""

    fold: Any  # uint32 of each code point: see _unicode.fold_table, or lower_table for characters
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
    may_repeat,  # a word may have several cells of a document, which write_rows adds up
    by_character,  # None; or, for tokens of any characters, whether each is a token: see cut
    all_scripts,  # None; or True, for words of all scripts
    progress,
    thread,  # progress[thread] is the number of bytes counted so far
):
    """Count the words of documents ``first`` to ``last``, in order of first occurrence.

    Returns indptr, the cells (word << 32) + count, and the grown arena, starts and table.

    Each document is tokenized, numbered and counted a window at a time: three simple loops
    let the processor look up many words at once, one loop stalls on every word.

    numba leaves out the branches that an argument of None rules out, so what those two
    arguments are for is compiled only where it is used.

    To keep a word's cells of a document together takes an array as long as the vocabulary, which
    takes longer to fill than a short text takes to count: so its words may repeat.
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
    # Each character of an unspaced run begins n-grams of its own.
    times = 10 if map_numbers else 2 if all_scripts is None else LONGEST_OF_RUN
    scratch = np.empty(times * longest + 64, dtype=np.uint8)
    lowered = np.empty(longest + 2 * BLOCK, dtype=np.uint8)
    begins = np.empty(window, dtype=np.int64)
    ends = np.empty(window, dtype=np.int64)
    numbers = np.empty(window, dtype=np.int32)
    steps = np.ones(window, dtype=np.int64)
    n_words = len(starts) - 1
    may_grow = not (is_frozen or n_hash)
    is_simple = max_n == 1 and not map_numbers and len(stop_starts) == 1
    n_counts = n_hash if n_hash else n_words + 8 * window if may_grow else n_words
    counts = room_for_counts(np.int64(0) if may_repeat else n_counts + 1)
    cells = np.empty((offsets[last] - offsets[first]) // 10 + 2 * window, dtype=np.int64)
    indptr = np.zeros(last - first + 1, dtype=np.int64)
    # Typed zeros: a literal one would compile each function called with it twice.
    n_out = np.int64(0)
    for document in range(first, last):
        position, end = offsets[document], offsets[document + 1]
        in_place = is_ascii[document] and is_simple and by_character is None
        source = lowered if in_place else scratch
        first_cell = n_out
        n_tokens = np.int64(0)
        at_run = in_run = False  # the next window, this one, has n-grams of an unspaced run
        kept = 0  # tokens of the last window that n-grams of this one may begin with
        while position <= end:
            if by_character is not None:
                position, n_tokens = cut(
                    data, position, end, fold, by_character, scratch, begins, ends, n_tokens
                )
            elif is_ascii[document]:
                position, n_found = find_words(
                    data,
                    position,
                    end,
                    byte_fold,
                    min_length,
                    lowered,
                    offsets[document],
                    begins,
                    ends,
                    n_tokens,
                )
                if not in_place:
                    n_found = copy_words(
                        lowered,
                        n_tokens,
                        n_found,
                        map_numbers,
                        stop_arena,
                        stop_starts,
                        stop_table,
                        scratch,
                        begins,
                        ends,
                    )
                n_tokens = n_found
            elif all_scripts is not None:
                in_run = at_run
                at_run = False
                if in_run:
                    position, n_tokens = cut_runs(
                        data,
                        position,
                        end,
                        fold,
                        stop_arena,
                        stop_starts,
                        stop_table,
                        scratch,
                        begins,
                        ends,
                    )
                else:
                    position, n_tokens, at_run = tokenize_scripts(
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
            # The n-grams of a run are tokens themselves, which overlap.
            first_size, last_size = (1, 1) if in_run else (min_n, max_n)
            for size in range(first_size, last_size + 1):
                begin = max(kept, size - 1)
                if n_out + window > len(cells):
                    cells = grown(cells, 2 * len(cells) + window)
                if n_hash:
                    hash_tokens(
                        source, begins, ends, begin, n_tokens, size, n_hash, signed, numbers, steps
                    )
                else:
                    if may_grow:
                        if n_words + window >= len(counts):
                            counts = with_room_for_counts(counts, 2 * len(counts) + window)
                        n_bytes = ends[n_tokens - 1] - begins[0] if n_tokens else 0
                        arena, starts, table = with_room(
                            arena,
                            starts,
                            table,
                            n_words,
                            window,
                            (LONGEST_OF_RUN if in_run else size) * n_bytes,
                        )
                    n_words = number_tokens(
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
                n_out = list_words(numbers, steps, begin, n_tokens, n_out, counts, cells)
            kept = 0 if in_run or at_run else min(max_n - 1, n_tokens)
            if kept:
                shift = begins[n_tokens - kept]
                for i in range(ends[n_tokens - 1] + 1 - shift):
                    scratch[i] = scratch[shift + i]
                for i in range(kept):
                    begins[i] = begins[n_tokens - kept + i] - shift
                    ends[i] = ends[n_tokens - kept + i] - shift
            n_tokens = kept
        write_counts(first_cell, n_out, counts, cells)
        indptr[document - first + 1] = n_out
        progress[thread] = end - offsets[first]
    arena = arena[: starts[n_words] + PADDING]
    return indptr, cells[:n_out], arena, starts[: n_words + 1], table
