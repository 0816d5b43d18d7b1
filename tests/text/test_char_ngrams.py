"""n-grams of characters are CountVectorizer's, on any text there is."""

import json
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

from leaven.datasets import load_corpus, load_docstrings
from leaven.documents._readers import Documents
from leaven.text import TextVectorizer
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from leaven.text._spans import text_pieces
from leaven.text._survey import added_up, counter_from, survey
from leaven.text._vocabulary import Vocabulary

# All white space, characters that change when lower-cased, of one to four bytes, and NUL.
SPACES = "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace())
TRICKY = SPACES + "\0\0\0aabZß.İıΣσςǅŉẞȺⱥé\u0301\u0345\u200b\ufeff中🙂𐐀"
tricky_text = st.text(st.sampled_from(TRICKY), max_size=40)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
texts = st.lists(any_text | tricky_text, min_size=1, max_size=5)
ranges = st.sampled_from([(1, 1), (1, 2), (2, 2), (3, 5), (1, 9), (8, 10), (40, 100)])
both = pytest.mark.parametrize("analyzer", ["char_wb", "char"])

DOCUMENTS = ["The dough rises, the DOUGH falls.", "a b\n\nc", "", " ", "Brot\tund\0 Käse"] * 3


def assert_same_counts(documents, **options):
    ours, theirs = TextVectorizer(**options), CountVectorizer(**options)
    try:
        expected = theirs.fit_transform(documents)
    except ValueError:  # there is no n-gram, the only thing CountVectorizer refuses here
        with pytest.raises(ValueError, match=r"empty vocabulary|no word occurs"):
            ours.fit(documents)
        return
    found = ours.fit_transform(documents)
    expected.sort_indices()
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert found.has_canonical_format
    for matrix in (found, ours.transform(documents)):  # learning the n-grams, and knowing them
        assert_array_equal(matrix.indptr, expected.indptr)
        assert_array_equal(matrix.indices, expected.indices)
        assert_array_equal(matrix.data, expected.data)


@both
@settings(max_examples=200, deadline=None, derandomize=True)
@given(documents=texts, ngram_range=ranges, lowercase=st.booleans())
@example(["a\0 a a\0\0", "\0", "\0\0 \0"], (1, 3), True)
@example(["ΑΣ ΣΑΣ. Σ", "İstanbul", "a\x1cb\x1f\x85c\u2028\u3000d"], (1, 4), True)
@example(["a b ab abc", "abcdefgh"], (3, 5), True)
@example(["", " ", "\n\n"], (1, 2), True)
@example(["İΣ"], (1, 2), False)
def test_any_text_gives_count_vectorizers_matrix(analyzer, documents, ngram_range, lowercase):
    assert_same_counts(documents, analyzer=analyzer, ngram_range=ngram_range, lowercase=lowercase)


@both
@pytest.mark.parametrize(
    "options",
    [{"min_df": 2}, {"max_df": 3}, {"min_df": 0.3}, {"binary": True}],
)
def test_other_options_agree_with_count_vectorizer(analyzer, options):
    assert_same_counts(DOCUMENTS, analyzer=analyzer, ngram_range=(2, 4), **options)


@both
def test_the_most_frequent_ngrams_are_count_vectorizers(analyzer):
    documents = ["aaaaa bbbb", "ccc dd", "e"]  # n-grams of different frequencies
    assert_same_counts(documents, analyzer=analyzer, ngram_range=(1, 1), max_features=3)


@both
def test_the_docstrings_give_count_vectorizers_matrix(analyzer):
    documents, _, _ = load_docstrings()
    assert_same_counts(documents[:200], analyzer=analyzer, ngram_range=(3, 5))


@both
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "20news_19997",
        "20news_bydate",
        "reuters21578",
        "webkb",
        "webkb4_stemmed",
        "movie_reviews",
        "sraa16k_bow",
        "sector12_stemmed",
    ],
)
def test_real_corpora_give_count_vectorizers_matrix(real_data, name, analyzer):
    documents = load_corpus(name, columns=["text"])["text"].slice(0, 300).to_pylist()
    assert_same_counts(documents, analyzer=analyzer, ngram_range=(2, 4))


@both
@pytest.mark.parametrize("tail", ["", "é中🙂"])
def test_ngrams_cross_the_windows_of_the_kernel(analyzer, tail):
    rng = np.random.default_rng(0)
    letters = "".join(rng.choice(list("ab \n" + tail), 5000))
    assert_same_counts([letters, letters.replace(" ", "")], analyzer=analyzer, ngram_range=(2, 7))


@both
def test_words_that_become_longer_in_lower_case_have_room(analyzer):
    assert_same_counts(["Ⱥ" * 3000], analyzer=analyzer, ngram_range=(1, 3))


@both
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_threads_do_not_change_the_result(analyzer, n_threads):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(2000)])
    documents = [" ".join(rng.choice(words, 60)) for _ in range(300)]
    options = {"analyzer": analyzer, "ngram_range": (2, 4)}
    expected = CountVectorizer(**options).fit_transform(documents)
    found = TextVectorizer(**options, n_jobs=n_threads).fit_transform(documents)
    assert (found != expected).nnz == 0


@both
def test_a_given_vocabulary_may_hold_nul(analyzer):
    options = {"analyzer": analyzer, "ngram_range": (1, 2), "vocabulary": ["a\0", "a", "\0", "do"]}
    found = TextVectorizer(**options).transform(["a\0 a dodo"])
    assert_array_equal(
        found.toarray(), CountVectorizer(**options).transform(["a\0 a dodo"]).toarray()
    )
    assert_array_equal(found.toarray(), [[1, 2, 1, 2]])


@both
@pytest.mark.parametrize("signed", [True, False])
def test_hashing_keeps_inner_products(analyzer, signed):
    options = {"analyzer": analyzer, "ngram_range": (1, 4)}
    documents = [f"word{i} other{i}\0 a\0\0" for i in range(50)]
    vectorizer = TextVectorizer(hash_features=2**24, alternate_sign=signed, **options)
    hashed = vectorizer.fit_transform(documents)
    counted = CountVectorizer(**options).fit_transform(documents)
    assert_array_equal((hashed @ hashed.T).toarray(), (counted @ counted.T).toarray())
    assert (hashed.data < 0).any() == signed
    assert (vectorizer.transform(documents) != hashed).nnz == 0


@both
def test_a_word_is_hashed_as_it_is_by_words(analyzer):
    # The hashed feature depends on the n-gram alone, however it was counted.
    word = TextVectorizer(hash_features=2**20).transform(["dough"])
    gram = TextVectorizer(hash_features=2**20, analyzer=analyzer, ngram_range=(5, 5))
    assert (gram.transform(["dough"]).multiply(word)).nnz == 1


def test_weights_are_applied_as_to_words():
    options = {"analyzer": "char_wb", "ngram_range": (2, 3)}
    counts = TextVectorizer(**options).fit_transform(DOCUMENTS).toarray()
    idf = np.log((1 + len(counts)) / (1 + (counts > 0).sum(axis=0))) + 0.1
    expected = np.log1p(counts) * idf
    expected *= 50 / np.maximum(expected.sum(axis=1, keepdims=True), 1e-300)
    found = TextVectorizer(**options, log_tf=True, idf=True, length=50.0).fit_transform(DOCUMENTS)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-5)


def test_ngrams_can_be_chosen_by_their_classes():
    vectorizer = TextVectorizer(
        analyzer="char_wb", ngram_range=(2, 2), max_features=2, rank_by="mutual_information"
    )
    vectorizer.fit(["xx ab", "xx cb", "yy ab", "yy cb"], ["x", "x", "y", "y"])
    assert sorted(vectorizer.vocabulary_) == [" x", " y"]


@both
@pytest.mark.parametrize(
    "more", [{}, {"idf": True, "min_df": 2}, {"max_features": 20}, {"hash_features": 64}]
)
def test_a_survey_in_parts_gives_the_counter_of_all_texts(analyzer, more):
    options = TextOptions(analyzer=analyzer, ngram_range=(1, 3), **more)
    cuts = [slice(0, 4), slice(4, 5), slice(5, 15)]
    array = pa.array(DOCUMENTS, pa.large_string())
    parts = [
        survey(Documents(array.take(np.arange(15)[cut]), None, None, "here"), options.as_tokens, 1)
        for cut in cuts
    ]
    found = counter_from(added_up(parts), options)
    expected, counts = fit_counter(array, options, by_frequency=True)
    assert found.vocabulary.words.to_pylist() == expected.vocabulary.words.to_pylist()
    assert_array_equal(found.idf, expected.idf)
    assert_array_equal(found.count(array).toarray(), counts.toarray())


@both
def test_progress_ends_with_all_bytes(analyzer):
    array = pa.array(DOCUMENTS, pa.large_string())
    calls = []
    options = TextOptions(analyzer=analyzer)
    fit_counter(array, options, on_progress=lambda done, total: calls.append((done, total)))
    n_bytes = sum(len(text.encode()) for text in DOCUMENTS)
    assert calls[-1] == (n_bytes, n_bytes)


def test_saved_options_are_read_back_and_old_ones_still_count_words():
    options = TextOptions(analyzer="char_wb", ngram_range=(3, 5))
    assert TextOptions.from_json(json.loads(json.dumps(options.to_json()))) == options
    assert TextOptions.from_json({"tokens": "letters"}).analyzer == "word"


def test_pieces_of_a_text_are_its_words_all_the_same():
    tokens = TextOptions(analyzer="char", ngram_range=(3, 3)).as_tokens
    assert text_pieces("Raw dough", tokens) == [("Raw", "raw"), (" ", None), ("dough", "dough")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop_words": "english"}, "stop_words must be None with analyzer='char_wb', .*'english'"),
        ({"stop_words": ["aa"]}, "stop_words must be None with analyzer='char_wb'"),
        ({"numbers": "one"}, "numbers must be 'keep' with analyzer='char_wb'"),
        ({"tokens": "letters"}, "tokens must be 'words' with analyzer='char_wb'"),
        ({"analyzer": "chars"}, "analyzer must be one of 'word', 'char_wb', 'char', got 'chars'"),
    ],
)
def test_options_for_words_are_refused_for_characters(options, message):
    with pytest.raises(ValueError, match=message) as error:
        TextVectorizer(**{"analyzer": "char_wb", **options}).fit(["aa bb"])
    assert "\n" not in str(error.value)


def test_texts_too_short_for_an_ngram_leave_an_empty_vocabulary():
    with pytest.raises(ValueError, match="none of the 2 documents holds 3 or more characters"):
        TextVectorizer(analyzer="char", ngram_range=(3, 3)).fit(["ab", ""])


def test_words_that_differ_in_trailing_nul_are_kept_apart():
    words = ["a", "a\0", "a\0\0", "\0", "\0\0", "aaaaaaaa", "aaaaaaa\0", "aaaaaaaa\0", "b"]
    merged, number = Vocabulary.of(words).merged(Vocabulary.of([*words[::-1], "b\0"]))
    assert number.tolist() == [*range(len(words))[::-1], len(words)]
    assert merged.words.to_pylist() == [*words, "b\0"]
    order = merged.sorted_order()
    assert [merged.words.to_pylist()[i] for i in order] == sorted([*words, "b\0"])
