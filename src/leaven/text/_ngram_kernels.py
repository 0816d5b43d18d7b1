# mypy: ignore-errors
"""Compiled loops of the character n-grams: UTF-8 bytes to characters, words to n-grams.

The tests compare them with scikit-learn's ``CountVectorizer``; ``benchmarks/text.py``
measures them.
"""

import numpy as np

from leaven._base.compile import kernel, kernel_part
from leaven.text._hash_table_kernels import PADDING, grown, grown_table, with_room
from leaven.text._number_kernels import hash_tokens, number_tokens
from leaven.text._unicode import SPACE
from leaven.text._utf8_kernels import decode, encode

_BLANK = np.uint32(32)


@kernel_part
def cut(
    data,
    position,
    end,
    lower,  # uint32[0x110000]: see _unicode.lower_table
    by_character,  # or by word
    scratch,
    begins,
    ends,  # int64[window]: token i is scratch[begins[i]:ends[i]]
    n_tokens,  # already in the window
):
    """Copy tokens, lower-cased, from ``data[position:end]`` until the window is full.

    Tokens are characters, two or more white space characters in a row being one blank, or
    what stands between white space. They follow each other without a gap, so that an n-gram
    of characters is a slice of the scratch.

    Returns the position reached (end + 1 if all was read) and the number of tokens.
    """
    start = ends[n_tokens - 1] if n_tokens else np.int64(0)
    written = start
    while position < end and n_tokens < len(ends):
        point, position = decode(data, position)
        folded = lower[point]
        is_space = folded & SPACE != 0
        if is_space:
            folded ^= SPACE
            while position < end:
                point, after = decode(data, position)
                if lower[point] & SPACE == 0:
                    break
                folded = _BLANK
                position = after
        if by_character or not is_space:
            written = encode(folded, scratch, written)
        if by_character or ((is_space or position >= end) and written > start):
            begins[n_tokens] = start
            ends[n_tokens] = written
            n_tokens += 1
            start = written
    return (position if position < end else end + 1), n_tokens


@kernel
def number_ngrams(
    words,  # WordTable of words that white space delimits
    min_n,
    max_n,
    n_hash,
    signed,  # as in WordRules
    known,  # WordTable of the n-grams known so far
    is_frozen,  # other n-grams are skipped
):
    """Numbers of the n-grams of each word, a blank before and after it being part of it.

    A word shorter than n is an n-gram of its own, counted once.

    Returns where each word's n-grams begin, the n-grams (``~number`` where a hashed feature
    counts negative), and the grown arena, starts and table of n-grams.
    """
    word_arena, word_starts, _ = words
    arena, starts, table = known
    may_grow = not (is_frozen or n_hash)
    n_ngrams = len(starts) - 1
    if may_grow:
        table = grown_table(table, 2 * table.shape[0])  # a copy: other threads have this one too
    longest = 0
    for word in range(len(word_starts) - 1):
        longest = max(longest, word_starts[word + 1] - word_starts[word])
    scratch = np.empty(longest + 16, dtype=np.uint8)
    begins = np.empty(longest + 2, dtype=np.int64)
    ends = np.empty(longest + 2, dtype=np.int64)
    numbers = np.empty(longest + 2, dtype=np.int32)
    steps = np.ones(longest + 2, dtype=np.int64)
    first = np.zeros(len(word_starts), dtype=np.int64)
    ngrams = np.empty(4 * word_starts[-1] + 16, dtype=np.int32)
    n_out = np.int64(0)
    for word in range(len(word_starts) - 1):
        n_bytes = word_starts[word + 1] - word_starts[word] + 2
        scratch[0] = scratch[n_bytes - 1] = 32
        for i in range(n_bytes - 2):
            scratch[1 + i] = word_arena[word_starts[word] + i]
        n_characters = np.int64(0)
        for i in range(n_bytes):
            if scratch[i] & 0xC0 != 0x80:  # a character begins here
                begins[n_characters] = i
                n_characters += 1
        for i in range(n_characters - 1):
            ends[i] = begins[i + 1]
        ends[n_characters - 1] = n_bytes
        for n in range(min_n, max_n + 1):
            size = min(n, n_characters)
            if n_hash:
                hash_tokens(
                    scratch,
                    begins,
                    ends,
                    size - 1,
                    n_characters,
                    size,
                    n_hash,
                    signed,
                    numbers,
                    steps,
                )
            else:
                if may_grow:
                    arena, starts, table = with_room(
                        arena, starts, table, n_ngrams, n_characters, size * n_bytes
                    )
                n_ngrams = number_tokens(
                    scratch,
                    begins,
                    ends,
                    size - 1,
                    n_characters,
                    size,
                    arena,
                    starts,
                    table,
                    n_ngrams,
                    is_frozen,
                    numbers,
                )
            if n_out + n_characters > len(ngrams):
                ngrams = grown(ngrams, 2 * (n_out + n_characters))
            for i in range(size - 1, n_characters):
                if numbers[i] >= 0:
                    ngrams[n_out] = numbers[i] if steps[i] > 0 else ~numbers[i]
                    n_out += 1
            if n >= n_characters:
                break
        first[word + 1] = n_out
    arena = arena[: starts[n_ngrams] + PADDING]
    return first, ngrams[:n_out], arena, starts[: n_ngrams + 1], table


@kernel
def count_ngrams(
    indptr,
    cells,  # of words: see count_words
    first,
    ngrams,  # of each word: see number_ngrams
    n_ngrams,  # that there are
    may_repeat,  # an n-gram may have several cells of a document: see count_words
    offsets,  # int64: where each document begins
    progress,
    thread,  # progress[thread] is the number of bytes counted so far
):
    """Counts of n-grams from counts of words: indptr and cells, as those given."""
    n_seen = 0 if may_repeat else n_ngrams
    seen = np.full((n_seen, 2), -1, dtype=np.int32)  # document last seen in, cell there
    counted = np.empty(4 * len(cells) + 16, dtype=np.int64)
    ngram_indptr = np.zeros(len(indptr), dtype=np.int64)
    n_out = np.int64(0)
    for document in range(len(indptr) - 1):
        first_cell = n_out
        for cell in range(indptr[document], indptr[document + 1]):
            word, count = cells[cell] >> 32, cells[cell] & 0xFFFFFFFF
            begin, end = first[word], first[word + 1]
            if n_out + end - begin > len(counted):
                counted = grown(counted, 2 * (n_out + end - begin))
            for i in range(begin, end):
                ngram = np.int64(ngrams[i])
                step = count
                if ngram < 0:
                    ngram, step = ~ngram, -count
                if not may_repeat and seen[ngram, 0] == document:
                    counted[first_cell + seen[ngram, 1]] += step
                else:
                    if not may_repeat:
                        seen[ngram, 0] = document
                        seen[ngram, 1] = n_out - first_cell
                    counted[n_out] = (ngram << 32) + step
                    n_out += 1
        ngram_indptr[document + 1] = n_out
        progress[thread] = offsets[document + 1] - offsets[0]
    return ngram_indptr, counted[:n_out]
