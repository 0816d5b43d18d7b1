"""Stop words: lists of languages by name, and frequent words of the texts themselves."""

import sys

import numpy as np
import pytest

from leaven.text import TextVectorizer
from leaven.text._options import TextOptions
from leaven.text._stop_words import stop_word_list


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [("german", "de", "nicht"), ("french", "fr", "dans"), ("russian", "ru", "если")],
)
def test_a_language_is_given_by_its_name_or_its_code(name, code, word):
    words = stop_word_list(name)
    assert word in words
    assert words == stop_word_list(code) == stop_word_list(name.upper())
    assert words == sorted(set(words))


def test_english_is_the_list_of_scikit_learn_however_it_is_called():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert stop_word_list("english") == stop_word_list("en") == sorted(ENGLISH_STOP_WORDS)


def test_words_with_an_apostrophe_are_left_out_in_the_parts_that_are_counted():
    texts = ["qu'il c'était levain", "levain"]
    vectorizer = TextVectorizer(stop_words="french").fit(texts)
    assert list(vectorizer.vocabulary_) == ["levain"]


def test_an_unknown_language_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"danish, dutch.*such as 'de', got 'klingon'; choose one"):
        TextOptions(stop_words="klingon")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "stop_words", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'leaven\[stopwords\]'"):
        stop_word_list("german")
    assert "the" in stop_word_list("english")


def texts_of(n_documents, seed=0):
    """Three words that are in most texts, one in a twentieth, and many rare ones."""
    rng = np.random.default_rng(seed)
    rare = [f"rare{i}" for i in range(300)]
    return [
        " ".join(
            [word for word, share in SHARES.items() if rng.random() < share]
            + rng.choice(rare, 5).tolist()
        )
        for _ in range(n_documents)
    ]


SHARES = {"the": 0.9, "and": 0.7, "of": 0.5, "dough": 0.12, "yeast": 0.025}


def test_frequent_words_are_those_of_many_documents():
    vectorizer = TextVectorizer(stop_words="frequent").fit(texts_of(1000))
    assert not {"the", "and", "of", "dough"} & set(vectorizer.vocabulary_)
    assert "yeast" in vectorizer.vocabulary_
    assert vectorizer._counter.options.stop_words == ("and", "dough", "of", "the")
    assert vectorizer._counter.tokens.stop_words == ("and", "dough", "of", "the")


def test_in_few_documents_no_word_is_frequent():
    texts = texts_of(20)
    assert "the" in TextVectorizer(stop_words="frequent").fit(texts).vocabulary_
    assert "dough" in TextVectorizer(stop_words="frequent").fit(texts_of(100)).vocabulary_


def test_at_most_fifty_words_are_frequent():
    words = [f"word{i:02}" for i in range(60)]
    texts = [" ".join(words[: 60 - i % 5]) for i in range(100)]
    kept = TextVectorizer(stop_words="frequent").fit(texts).vocabulary_
    assert list(kept) == words[50:]


def test_counts_are_those_with_the_words_listed():
    texts = texts_of(300)
    found = TextVectorizer(stop_words="frequent", idf=True)
    X = found.fit_transform(texts)
    listed = TextVectorizer(stop_words=list(found._counter.options.stop_words), idf=True)
    assert (listed.fit_transform(texts) != X).nnz == 0
    assert (found.transform(texts[:9]) != X[:9]).nnz == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hash_features": 8}, "stop_words='frequent' needs a vocabulary, which hash_features"),
        ({"ngram_range": (1, 2)}, r"needs ngram_range=\(1, 1\).*got \(1, 2\); list the words"),
        ({"vocabulary": ["the"]}, "but a vocabulary is given; set one of them to None"),
        ({"analyzer": "char"}, "stop_words must be None with analyzer='char'"),
    ],
)
def test_frequent_words_are_refused_where_they_cannot_be_left_out(options, message):
    with pytest.raises(ValueError, match=message):
        TextVectorizer(stop_words="frequent", **options).fit(["the dough"])


def test_texts_of_frequent_words_alone_are_refused():
    with pytest.raises(ValueError, match="stop_words='frequent' leaves no word"):
        TextVectorizer(stop_words="frequent").fit(["the dough"] * 30)
