"""Counting one text at a time, and letting words repeat, gives what counting many gives."""

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from leaven.text import _counting
from leaven.text._counter import fit_counter
from leaven.text._one_text import one_text_counter
from leaven.text._options import TextOptions

CORPUS = [
    "The quick brown fox jumps over the lazy dog, the fox!",
    "Über den Wolken muss die Freiheit wohl grenzenlos sein. 1234 56",
    "東京都に行きました。とても楽しかったです。",
    "don't stop me now 3.14 C++ a b c",
    "ΣΊΣΥΦΟΣ και İstanbul",
    "",
    "fox fox fox fox dog dog brown",
]
OPTIONS = [
    {},
    {"log_tf": True, "idf": True, "length": 10.0},
    {"binary": True, "lowercase": False},
    {"ngram_range": (1, 3), "stop_words": ("the", "over")},
    {"numbers": "one", "tokens": "letters"},
    {"tokens": "scripts", "idf": True},
    {"tokens": "spaces"},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 4), "log_tf": True, "idf": True},
    {"hash_features": 1 << 16},
    {"hash_features": 512, "alternate_sign": False, "length": 5.0},
    {"analyzer": "char_wb", "ngram_range": (3, 3), "hash_features": 1 << 14},
]


def counter_of(options):
    texts = pa.array(CORPUS, pa.large_string())
    return fit_counter(texts, TextOptions(**options), n_threads=1)[0]


def many_counted(counter, texts, dtype=np.float32):
    return counter.count(pa.array(texts, pa.large_string()), dtype=dtype, n_threads=1)


def check_same(counter, texts, dtype=np.float32):
    expected = many_counted(counter, texts, dtype)
    count = one_text_counter(counter, dtype)
    n_counted = 0
    for row, text in enumerate(texts):
        found = count(text)
        if found is None:  # Python must lower-case it
            assert set(text) & set("İΣ")
            continue
        n_counted += 1
        begin, end = expected.indptr[row : row + 2]
        assert_array_equal(found.indices, expected.indices[begin:end])
        assert_array_equal(found.values, expected.data[begin:end])
        assert found.values.dtype == expected.data.dtype
    return n_counted


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_text_is_counted_as_among_many(options, dtype):
    n_counted = check_same(counter_of(options), CORPUS, dtype)
    assert n_counted == len(CORPUS) - (options.get("lowercase", True))


def test_html_has_no_short_way():
    assert one_text_counter(counter_of({"html": True}), np.float32) is None


@settings(max_examples=150)
@given(st.text(st.characters(codec="utf-8"), max_size=300), st.sampled_from(OPTIONS))
def test_any_text_is_counted_as_among_many(text, options):
    check_same(counter_of(options), [text, f"{text} fox 東京 {text}"])


@pytest.mark.parametrize("options", [each for each in OPTIONS if not each.get("html")], ids=str)
def test_words_may_repeat(options, monkeypatch):
    """Whichever way texts are counted, by a table of all words or not, the counts are the same."""
    chosen = random.Random(0)
    words = " ".join(CORPUS).split()
    texts = [" ".join(chosen.choices(words, k=chosen.randint(0, 40))) for _ in range(30)]
    counter = counter_of(options)
    monkeypatch.setattr(_counting, "REPEATING", np.inf)  # never
    expected = many_counted(counter, texts)
    monkeypatch.setattr(_counting, "REPEATING", 0)  # always
    found = many_counted(counter, texts)
    assert found.nnz == expected.nnz > 0
    assert_array_equal(found.indptr, expected.indptr)
    assert_array_equal(found.indices, expected.indices)
    assert_array_equal(found.data, expected.data)
