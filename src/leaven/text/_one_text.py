"""Counting of texts one at a time: what does not depend on the text is prepared once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from leaven._base.typing import FloatArray, IntArray
from leaven.text._count_kernels import WordRules, WordTable
from leaven.text._counter import TextCounter
from leaven.text._one_text_kernels import count_text, count_text_ngrams
from leaven.text._unicode import FEWEST_CHARACTERS, fold_table, lower_table
from leaven.text._vocabulary import Vocabulary

__all__ = ["CountedText", "one_text_counter"]

PADDING = bytes(64)  # after a text: kernels read eight bytes at a time, as from Arrow's buffers


class CountedText(NamedTuple):
    """The words of a text, in order of their numbers."""

    indices: IntArray  # (n_present,)
    values: FloatArray  # (n_present,) weighted counts


def one_text_counter(
    counter: TextCounter, dtype: Any
) -> Callable[[str], CountedText | None] | None:
    """What counts a text as ``counter.count`` does; None for what needs more than counting.

    It gives None for the few texts that Python must lower-case.
    """
    if counter.options.html:
        return None
    tokens, vocabulary = counter.tokens, counter.vocabulary.writable()
    weights = (
        np.arange(counter.n_words, dtype=np.int32),
        np.zeros(0, dtype),
        counter.options.binary,
        counter.options.is_weighted,
        counter.options.log_tf,
        counter.idf,
        float(counter.options.length or 0.0),
    )
    in_words = tokens.analyzer == "char_wb"
    by_character = all_scripts = None
    if tokens.analyzer == "word":
        fold = fold_table(tokens.tokens, tokens.lowercase)
        all_scripts = True if tokens.tokens == "scripts" else None
    else:
        fold = lower_table(tokens.lowercase)
        by_character = tokens.analyzer == "char"
    rules = WordRules(
        fold,
        FEWEST_CHARACTERS[tokens.tokens],
        tokens.map_numbers,
        *((1, 1) if in_words else tokens.ngram_range),
        0 if in_words else tokens.hash_features,
        tokens.alternate_sign,
    )
    stop, known, none = map(_table, (tokens.stop, vocabulary, Vocabulary.empty()))
    ngrams = (*tokens.ngram_range, tokens.hash_features, tokens.alternate_sign)
    may_be_ascii = tokens.tokens != "spaces"  # the quick way knows no punctuation inside words

    def count(text: str) -> CountedText | None:
        encoded = text.encode()
        data = np.frombuffer(encoded + PADDING, np.uint8)
        offsets = np.array([0, len(encoded)])
        offsets.flags.writeable = False  # as those of Arrow, for which kernels are compiled
        if in_words:
            found = count_text_ngrams(
                data, offsets, rules, none, known, by_character, all_scripts, ngrams, weights
            )
        else:
            found = count_text(
                data, offsets, rules, stop, known, by_character, all_scripts, may_be_ascii, weights
            )
        indices, values, must_lower = found
        return None if must_lower and tokens.lowercase else CountedText(indices, values)

    return count


def _table(vocabulary: Vocabulary) -> WordTable:
    return WordTable(vocabulary.arena, vocabulary.starts, vocabulary.table)
