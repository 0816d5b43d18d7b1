"""A first look at texts in parts: the vocabulary of all of them, and the labels."""

import pickle
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from leaven.documents._label_sets import key_of
from leaven.documents._readers import Documents
from leaven.exceptions import DataError
from leaven.text import _survey
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from leaven.text._survey import added_up, counter_from, survey

WORDS = ["the", "dough", "yeast", "Oven", "star", "moon", "été", "42", "1999", "naïve", "be", "x"]
# Words that many, some and few texts hold; some texts hold none.
RNG = np.random.default_rng(0)
TEXTS = [
    " ".join(RNG.choice(WORDS, size=RNG.integers(0, 9), p=np.arange(12, 0, -1) / 78))
    for _ in range(80)
]
LABELS = [["bread", None, "space"][i % 3] if i < 20 else None for i in range(80)]

OPTIONS = {
    "plain": {},
    "idf": {"idf": True},
    "few documents": {"min_df": 5, "idf": True},
    "a share of the documents": {"min_df": 0.1, "max_df": 0.4, "idf": True},
    "not in too many": {"max_df": 30},
    "most frequent": {"max_features": 5, "idf": True},
    "more than there are": {"max_features": 500},
    "most frequent of some": {"max_features": 3, "min_df": 4, "max_df": 0.5, "idf": True},
    "stop words": {"stop_words": ["the", "moon"], "idf": True},
    "English stop words": {"stop_words": "english"},
    "stop words of the texts": {"stop_words": "frequent", "idf": True, "min_df": 2},
    "HTML": {"html": True},
    "pairs": {"ngram_range": (1, 2), "min_df": 2, "idf": True},
    "pairs alone": {"ngram_range": (2, 2), "max_features": 20},
    "numbers as one": {"numbers": "one", "idf": True},
    "as written": {"lowercase": False},
    "weighed": {"log_tf": True, "idf": True, "length": 20.0, "binary": True},
    "hashed": {"hash_features": 16, "idf": True},
    "hashed without idf": {"hash_features": 16},
    "hashed without signs": {"hash_features": 16, "alternate_sign": False, "idf": True},
    "ranked by classes, all kept": {"rank_by": "mutual_information"},
}
every_option = pytest.mark.parametrize("given_options", OPTIONS.values(), ids=OPTIONS.keys())
few = settings(max_examples=40, deadline=None, derandomize=True)


def documents(texts, labels=None):
    if labels is not None:
        labels = pa.array(labels, pa.large_string())
    return Documents(pa.array(texts, pa.large_string()), labels, None, "here")


def surveys(options, cuts, texts=TEXTS, labels=LABELS):
    bounds = [0, *sorted(cuts), len(texts)]
    return [
        survey(
            documents(texts[begin:end], labels[begin:end]),
            options.as_tokens,
            1,
            html=options.html,
        )
        for begin, end in pairwise(bounds)
    ]


def assert_same_counter(found, expected):
    assert found.vocabulary.words.to_pylist() == expected.vocabulary.words.to_pylist()
    assert_array_equal(found.idf, expected.idf)
    assert found.options == expected.options
    assert found.tokens == expected.tokens
    texts = pa.array(TEXTS, pa.large_string())
    here, there = (counter.count(texts, n_threads=1) for counter in (found, expected))
    assert_array_equal(here.toarray(), there.toarray())


@every_option
@pytest.mark.parametrize("cuts", [[], [1, 2, 40], list(range(1, 80, 7))], ids=len)
def test_parts_add_up_to_the_counter_of_all_texts(given_options, cuts):
    options = TextOptions(**given_options)
    expected, _ = fit_counter(pa.array(TEXTS, pa.large_string()), options, by_frequency=True)
    assert_same_counter(counter_from(added_up(surveys(options, cuts)), options), expected)


@few
@given(cuts=st.lists(st.integers(0, 80), max_size=12), order=st.randoms())
def test_neither_cuts_nor_order_change_the_counter(cuts, order):
    options = TextOptions(idf=True, max_features=6, ngram_range=(1, 2))
    expected, _ = fit_counter(pa.array(TEXTS, pa.large_string()), options, by_frequency=True)
    parts = surveys(options, cuts)
    order.shuffle(parts)
    found = added_up(pickle.loads(pickle.dumps(parts)))
    assert_same_counter(counter_from(found, options), expected)
    assert found.n_documents == 80
    assert found.labels == Counter(label for label in LABELS if label)


def test_words_and_documents_are_counted():
    own = added_up(
        survey(documents(texts), TextOptions().as_tokens)
        for texts in (["dough dough star", "", "star"], ["moon star star"])
    )
    counts = zip(own.documents.tolist(), own.totals.tolist(), strict=True)
    found = dict(zip(own.vocabulary.words.to_pylist(), counts, strict=True))
    assert found == {"dough": (1, 2), "star": (3, 4), "moon": (1, 1)}
    assert (own.n_documents, own.n_forgotten) == (4, 0)
    assert own.n_bytes > 0
    assert own.labels == Counter()


def test_threads_change_nothing():
    texts = [text * 40 for text in TEXTS] * 5  # enough for several threads
    options = TextOptions(idf=True)
    one, three = (survey(documents(texts), options.as_tokens, n) for n in (1, 3))
    assert_same_counter(counter_from(three, options), counter_from(one, options))
    assert one.n_documents == three.n_documents == 400


def test_a_survey_added_to_is_left_as_it_was():
    options = TextOptions()
    left, right = surveys(options, [40])
    before = left.documents.copy(), left.vocabulary.words.to_pylist(), dict(left.labels)
    left + right
    assert_array_equal(left.documents, before[0])
    assert (left.vocabulary.words.to_pylist(), dict(left.labels)) == before[1:]


# What is too much


def rare_and_frequent(n_parts=20):
    """Every text holds two frequent words and one of its own."""
    return [[f"dough star w{part}x{i}" for i in range(10)] for part in range(n_parts)]


def test_the_rarest_words_are_forgotten_and_the_others_counted_right(monkeypatch):
    monkeypatch.setattr(_survey, "MOST_WORDS", 50)
    tokens = TextOptions().as_tokens
    found = added_up(survey(documents(texts), tokens) for texts in rare_and_frequent())
    words = found.vocabulary.words.to_pylist()
    counts = dict(zip(words, found.documents.tolist(), strict=True))
    assert counts["dough"] == counts["star"] == 200
    assert len(words) <= 50
    assert found.n_forgotten + len(words) == 202
    assert_array_equal(found.totals, found.documents)
    assert found.n_documents == 200


def test_where_all_words_fit_none_is_forgotten(monkeypatch):
    monkeypatch.setattr(_survey, "MOST_WORDS", 202)
    tokens = TextOptions().as_tokens
    found = added_up(survey(documents(texts), tokens) for texts in rare_and_frequent())
    assert (len(found.vocabulary), found.n_forgotten) == (202, 0)


def test_some_words_stay_even_if_all_are_equally_rare(monkeypatch):
    monkeypatch.setattr(_survey, "MOST_WORDS", 3)
    tokens = TextOptions().as_tokens
    found = added_up(survey(documents([f"aa{i} bb{i}"]), tokens) for i in range(5))
    assert len(found.vocabulary) > 0


def test_buckets_are_never_forgotten(monkeypatch):
    monkeypatch.setattr(_survey, "MOST_WORDS", 3)
    options = TextOptions(hash_features=64)
    found = added_up(survey(documents(t), options.as_tokens) for t in rare_and_frequent())
    assert (len(found.documents), found.n_forgotten) == (64, 0)


@pytest.mark.parametrize("n_parts", [1, 2, 6])
def test_a_column_of_identifiers_is_refused_as_label(monkeypatch, n_parts):
    monkeypatch.setattr(_survey, "MOST_CLASSES", 5)
    names = [f"id{i}" for i in range(6)]
    texts = ["dough"] * 6
    options = TextOptions()
    cuts = range(6 // n_parts, 6, 6 // n_parts)
    with pytest.raises(DataError, match="more than 5 different labels, such as 'id0'"):
        added_up(surveys(options, cuts, texts, names))
    assert len(added_up(surveys(options, cuts, texts, ["id0", *names[:5]])).labels) == 5


def test_sets_of_labels_may_be_more_than_classes(monkeypatch):
    monkeypatch.setattr(_survey, "MOST_CLASSES", 3)
    monkeypatch.setattr(_survey, "MOST_SETS", 5)
    sets = [key_of(each) for each in ([], "a", "b", "c", "ab", "abc")]
    texts, options = ["dough"] * 6, TextOptions()
    assert len(added_up(surveys(options, [2, 4], texts, [sets[1], *sets[1:]])).labels) == 5
    with pytest.raises(DataError, match="at most 5 different sets of labels"):
        added_up(surveys(options, [2, 4], texts, sets))
    with pytest.raises(DataError, match="more than 3 different labels, such as 'a'"):
        added_up(surveys(options, [2, 4], texts, [*sets[1:5], key_of("d"), None]))


@pytest.mark.parametrize(
    "given_options",
    [{"max_features": "auto"}, {"max_features": 3, "rank_by": "mutual_information"}],
    ids=str,
)
def test_words_cannot_be_chosen_by_labels(given_options):
    options = TextOptions(**given_options)
    with pytest.raises(ValueError, match="needs all documents in memory; rank by frequency") as e:
        counter_from(added_up(surveys(options, [40])), options)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("texts", [["", " ! "], ["the the", "the"]], ids=["empty", "stop words"])
def test_texts_without_words_are_refused_as_in_memory(texts):
    options = TextOptions(stop_words=["the"])
    with pytest.raises(ValueError, match="empty vocabulary") as here:
        fit_counter(pa.array(texts, pa.large_string()), options, by_frequency=True)
    found = added_up(survey(documents([text]), options.as_tokens) for text in texts)
    with pytest.raises(ValueError, match="empty vocabulary") as there:
        counter_from(found, options)
    assert str(there.value) == str(here.value)


def test_texts_without_words_can_be_hashed():
    options = TextOptions(hash_features=8, idf=True)
    found = survey(documents(["", "!"]), options.as_tokens)
    assert counter_from(found, options).n_words == 8


def test_a_batch_without_documents_adds_nothing():
    options = TextOptions(idf=True)
    parts = surveys(options, [0, 40, 40, 80])
    assert [own.n_documents for own in parts] == [0, 40, 0, 40, 0]
    expected, _ = fit_counter(pa.array(TEXTS, pa.large_string()), options, by_frequency=True)
    assert_same_counter(counter_from(added_up(parts), options), expected)


def test_no_survey_at_all_is_refused():
    with pytest.raises(DataError, match="the files hold no document; check the paths"):
        added_up([])
