"""The tokenizer of ASCII against Python's re, at every place of its blocks of 64 bytes."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from leaven.text import TextVectorizer
from leaven.text._ascii_kernels import BLOCK

EVERY = "".join(map(chr, range(128)))
PATTERNS = {"words": r"\w\w+", "letters": r"[^\W\d_]{2,}"}


def _counted(texts, **options):
    vectorizer = TextVectorizer(**options)
    X = vectorizer.fit_transform(texts)
    words = vectorizer.get_feature_names_out()
    return [
        Counter(dict(zip(words[row.indices], row.data.tolist(), strict=True)))
        for row in (X[[i]] for i in range(len(texts)))
    ]


def _expected(texts, tokens="words", lowercase=True):
    return [
        Counter(re.findall(PATTERNS[tokens], text.lower() if lowercase else text)) for text in texts
    ]


@pytest.mark.parametrize("tokens", ["words", "letters"])
@pytest.mark.parametrize("lowercase", [True, False])
def test_random_ascii_is_split_as_re_does(tokens, lowercase):
    rng = np.random.default_rng(3)
    texts = []
    for _ in range(300):
        alphabet = [EVERY, "aB1_ ", "ab .", "x"][rng.integers(4)]
        texts.append("".join(rng.choice(list(alphabet), size=rng.integers(0, 300))))
    texts.append("an end")
    expected = _expected(texts, tokens, lowercase)
    assert _counted(texts, tokens=tokens, lowercase=lowercase) == expected


@pytest.mark.parametrize("end", ["", " ", " and more, much more than a block of text " * 3])
def test_a_word_is_found_wherever_it_begins_and_ends_in_a_block(end):
    texts = [
        " " * before + "W" * length + end
        for before in range(BLOCK + 2)
        for length in (1, 2, 3, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK)
    ]
    assert _counted(texts) == _expected(texts)


@pytest.mark.parametrize("n_words", [990, 991, 992, 993, 1024, 1025, 1026, 5000])
@pytest.mark.parametrize("word", ["ab ", "x ", "ab xy_z9 ", "Longer-than-most, "])
def test_windows_of_words_do_not_show(word, n_words):
    texts = ["one text before", word * n_words, "and " + word * n_words + "Z" * 200]
    assert _counted(texts) == _expected(texts)


def test_words_that_are_copied_are_the_same_words():
    rng = np.random.default_rng(5)
    texts = ["".join(rng.choice(list("abC1 ."), size=4000)) for _ in range(5)]
    pairs = [
        Counter(words) + Counter(" ".join(pair) for pair in pairwise(words))
        for words in (re.findall(r"\w\w+", text.lower()) for text in texts)
    ]
    assert _counted(texts, ngram_range=(1, 2)) == pairs
    stop = {"ab", "aa", "b1", "abc"}
    left = [
        Counter({word: count for word, count in words.items() if word not in stop})
        for words in _expected(texts)
    ]
    assert _counted(texts, stop_words=sorted(stop)) == left
