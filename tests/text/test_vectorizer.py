"""The counts are CountVectorizer's, on any text there is."""

import copy
import pickle
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from leaven.datasets import load_corpus
from leaven.text import TextVectorizer, _counter

DOCUMENTS = [
    "The dough rises; the DOUGH falls.",
    "Yeast, flour and water: 100 g of 2 flours",
    "a b c",
    "",
    "Straße STRASSE ſtraße 2024 x2 ２０２４",
    "rises rises rises and water_mill's",
]

# Characters around which case, width and word borders are tricky.
TRICKY = (
    "aZ09_ .'-ßẞſİıΣσςΆΐǅǄŉԱ"
    "\u0345\u0307\u0301\u200d\u00ad\u0000ª²Ⅷ①ⓐ𝔸𐐀🙂👩‍🔬中文字かなก่ا٣Ⱥⱥ\u2028\ufeff"
)
tricky_text = st.text(st.sampled_from(TRICKY), max_size=30)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def assert_same_counts(documents, *, fit=None, **options):
    ours = TextVectorizer(**options)
    theirs = CountVectorizer(**options)
    try:
        expected = theirs.fit(fit or documents).transform(documents)
    except ValueError:  # no word is left, the only thing CountVectorizer refuses here
        with pytest.raises(ValueError, match=r"vocabulary|no word"):
            ours.fit(fit or documents)
        return
    found = ours.fit(fit or documents).transform(documents)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert found.dtype == expected.dtype
    assert found.has_canonical_format
    assert_array_equal(found.toarray(), expected.toarray())


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(any_text | tricky_text, min_size=1, max_size=6))
@example(["ΑΣ ΣΑΣ ΑΣ. Σ ΑΣΑ\u0301Σ", "İstanbul İİ Iı", "ẞß ſſ"])
@example(["\x00ab\x00", "a\x00b", "\x00"])
@example(["é", "e\u0301e\u0301", "ab\u0301cd"])
def test_any_text_gives_count_vectorizers_matrix(documents):
    assert_same_counts(documents)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(tricky_text, min_size=1, max_size=6),
    st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 4)]),
    st.sampled_from([None, ["aa", "a0", "99"]]),
    st.booleans(),
    st.booleans(),
)
def test_options_agree_with_count_vectorizer(documents, ngram_range, stop_words, lower, binary):
    assert_same_counts(
        documents,
        ngram_range=ngram_range,
        stop_words=stop_words,
        lowercase=lower,
        binary=binary,
    )


@pytest.mark.parametrize(
    "options", [{"min_df": 2}, {"max_df": 2}, {"min_df": 0.3}, {"max_df": 0.5}]
)
def test_document_frequency_limits_agree_with_count_vectorizer(options):
    assert_same_counts(DOCUMENTS, **options)


def test_english_stop_words_are_sklearns():
    assert_same_counts(DOCUMENTS, stop_words="english")


def test_words_unseen_in_fit_are_skipped():
    assert_same_counts(DOCUMENTS, fit=DOCUMENTS[:2])


@pytest.mark.parametrize("stop_words", [None, ["w1", "w7", "w20"]])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3)])
@pytest.mark.parametrize("last_word", ["w0", "käse"])  # ASCII has a path of its own
def test_ngrams_cross_the_windows_of_the_kernel(last_word, ngram_range, stop_words):
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in rng.integers(30, size=2999)]
    long = " ".join([*words, last_word])
    assert_same_counts([long, "w1 w2 w3"], ngram_range=ngram_range, stop_words=stop_words)


def ascii_documents():
    """Documents of every length up to 40; the characters lie at the borders of their kinds."""
    rng = np.random.default_rng(0)
    characters = list("azAZ09_azAZ09_@[`{/:^ .\0\x7f")
    return ["".join(rng.choice(characters, n)) for n in range(41) for _ in range(25)]


@pytest.mark.parametrize("lowercase", [True, False])
def test_ascii_documents_of_every_length_give_count_vectorizers_matrix(lowercase):
    documents = ascii_documents()
    assert_same_counts(documents, lowercase=lowercase)
    assert_same_counts(documents, lowercase=lowercase, stop_words=["aa", "99", "z_"])


@pytest.mark.parametrize("tail", ["", " é"])
def test_numbers_become_one_word_in_documents_of_every_length(tail):
    documents = [document + tail for document in ascii_documents()]
    vectorizer = TextVectorizer(numbers="one")
    X = vectorizer.fit_transform(documents).toarray()
    names = vectorizer.get_feature_names_out()
    for document, row in zip(documents, X, strict=True):
        words = re.findall(r"\b\w\w+\b", document.lower())
        expected = Counter("<number>" if re.fullmatch(r"\d+", word) else word for word in words)
        assert {names[i]: row[i] for i in np.flatnonzero(row)} == expected


@pytest.mark.parametrize("n_threads", [1, 2, 3, 7])
def test_threads_do_not_change_the_result(n_threads):
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(5000)])
    documents = [" ".join(rng.choice(words, 60)) for _ in range(500)]
    expected = CountVectorizer(ngram_range=(1, 2)).fit_transform(documents)
    found = TextVectorizer(ngram_range=(1, 2), n_jobs=n_threads).fit_transform(documents)
    assert (found != expected).nnz == 0


@pytest.mark.slow
def test_a_document_of_fifty_megabytes():
    rng = np.random.default_rng(0)
    words = [f"w{i:x}" for i in range(20_000)]
    chunk = " ".join(rng.choice(words, 100_000))
    document = " ".join([chunk] * (50_000_000 // len(chunk) + 1))
    found = TextVectorizer().fit_transform([document, "w1 other"])
    expected = CountVectorizer().fit_transform([chunk])
    assert found.shape == (2, expected.shape[1] + 1)
    assert found[[0]].sum() == expected.sum() * (50_000_000 // len(chunk) + 1)


@pytest.mark.slow
def test_a_word_of_fifty_megabytes():
    word = "Ⱥb" * 12_500_000  # each Ⱥ grows from two bytes to three when lower-cased
    vectorizer = TextVectorizer().fit([word, "short one"])
    assert sorted(map(len, vectorizer.vocabulary_)) == [3, 5, 25_000_000]


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
def test_real_corpora_give_count_vectorizers_matrix(real_data, name):
    documents = load_corpus(name, columns=["text"])["text"].to_pylist()
    ours, theirs = TextVectorizer(), CountVectorizer()
    found, expected = ours.fit_transform(documents), theirs.fit_transform(documents)
    expected.sort_indices()
    assert list(ours.vocabulary_) == theirs.get_feature_names_out().tolist()
    assert_array_equal(found.indptr, expected.indptr)
    assert_array_equal(found.indices, expected.indices)
    assert_array_equal(found.data, expected.data)


def test_letters_only_tokens_leave_out_digits_and_underscores():
    document = "ab12cd x_yz é9éé 77 Ⅷx"
    theirs = CountVectorizer(token_pattern=r"[^\W\d_]{2,}").fit([document])
    ours = TextVectorizer(tokens="letters").fit([document])
    assert list(ours.vocabulary_) == theirs.get_feature_names_out().tolist()


def test_numbers_can_become_one_word():
    vectorizer = TextVectorizer(numbers="one")
    X = vectorizer.fit_transform(["12 345 x2 ２３ 1", "7a 99"])
    assert vectorizer.vocabulary_ == {"7a": 0, "<number>": 1, "x2": 2}
    assert_array_equal(X.toarray(), [[0, 3, 1], [1, 1, 0]])
    letters = TextVectorizer(numbers="one", tokens="letters").fit(["12 flour 7 water"])
    assert list(letters.vocabulary_) == ["flour", "water"]


def test_max_features_keeps_the_most_frequent_words():
    X = TextVectorizer(max_features=2).fit_transform(["bb bb aa", "aa bb cc dd", "cc aa"])
    theirs = CountVectorizer(max_features=2).fit_transform(["bb bb aa", "aa bb cc dd", "cc aa"])
    assert_array_equal(X.toarray(), theirs.toarray())


def test_mutual_information_keeps_the_words_that_tell_classes_apart():
    rng = np.random.default_rng(0)
    noise = [f"noise{i}" for i in range(50)]
    labels = np.array(["x", "y", None] * 40, dtype=object)
    clue = {"x": "xray", "y": "yolk", None: "never"}
    documents = [" ".join([*rng.choice(noise, 12), clue[label]]) for label in labels]
    vectorizer = TextVectorizer(max_features=2, rank_by="mutual_information")
    vectorizer.fit(documents, labels)
    assert list(vectorizer.vocabulary_) == ["xray", "yolk"]


def test_mutual_information_needs_one_label_per_document():
    vectorizer = TextVectorizer(max_features=1, rank_by="mutual_information")
    with pytest.raises(ValueError, match="y must hold one label per document, got 3 labels for 2"):
        vectorizer.fit(["aa bb", "bb cc"], ["x", "y", "x"])


def test_mutual_information_is_sklearns():
    from leaven.text._vocabulary import mutual_information

    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=60)
    X = TextVectorizer().fit_transform(
        [" ".join(rng.choice([f"w{c}", f"w{rng.integers(9)}", "all"], 4)) for c in codes]
    )
    expected = mutual_info_classif(X.toarray() > 0, codes, discrete_features=True)
    assert_allclose(mutual_information(X, codes, 3), expected, atol=1e-12)


def test_weights_are_applied_in_the_documented_order():
    documents = ["aa aa aa bb", "bb cc", "dd"]
    counts = TextVectorizer().fit_transform(documents).toarray()
    n_with = (counts > 0).sum(axis=0)
    idf = np.log((1 + 3) / (1 + n_with)) + 0.1
    expected = np.log1p(counts) * idf
    expected *= 200 / expected.sum(axis=1, keepdims=True)
    X = TextVectorizer(log_tf=True, idf=True, length=200.0).fit_transform(documents)
    assert X.dtype == np.float32
    assert_allclose(X.toarray(), expected, rtol=1e-6)
    assert_allclose(X.sum(axis=1), 200, rtol=1e-6)


def test_large_counts_have_exact_logarithms():
    counts = [1, 2, 255, 256, 257, 300, 1000]
    document = " ".join(f"w{i} " * n for i, n in enumerate(counts))
    X = TextVectorizer(log_tf=True, dtype=np.float64).fit_transform([document])
    assert_allclose(X.toarray(), [np.log1p(counts)], rtol=1e-14)


@pytest.mark.parametrize(("n_rows", "n_tasks"), [(0, 1), (1, 1), (1000, 1), (1001, 2), (9999, 4)])
def test_few_rows_are_weighed_in_few_threads(monkeypatch, n_rows, n_tasks):
    counter, _ = _counter.fit_counter(
        TextVectorizer().fit(["aa"])._counter.vocabulary.words, _counter.TextOptions(length=5.0)
    )
    asked = []
    monkeypatch.setattr(
        _counter, "run_in_threads", lambda task, n: asked.append(n) or [task(i) for i in range(n)]
    )
    X = csr_array(np.full((n_rows, 1), 2, dtype=np.float32))
    assert_array_equal(counter.weigh(X, n_threads=4).data, np.full(n_rows, 5))
    assert asked == [n_tasks]


@pytest.mark.parametrize("options", [{"log_tf": True}, {"idf": True}, {"length": 10.0}])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float16, bool, object, "number"])
def test_weights_need_floating_point(options, dtype):
    vectorizer = TextVectorizer(**options, dtype=dtype)
    with pytest.raises(TypeError, match=r"dtype must be one of float32, float64 for weighted"):
        vectorizer.fit(["aa bb", "bb"])
    fitted = TextVectorizer(**options).fit(["aa bb", "bb"]).set_params(dtype=dtype)
    with pytest.raises(TypeError, match=r"dtype must be one of float32, float64 for weighted"):
        fitted.transform(["aa bb"])


@pytest.mark.parametrize("dtype", [np.float16, bool, object, np.int8, np.uint64, ">f4", "number"])
def test_counts_need_a_type_that_holds_them(dtype):
    with pytest.raises(TypeError, match="dtype must be one of int32, int64, float32, float64 for"):
        TextVectorizer(dtype=dtype).fit(["aa bb", "bb"])


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, int, "f4"])
def test_counts_come_in_the_type_asked_for(dtype):
    X = TextVectorizer(dtype=dtype).fit_transform(["aa bb", "bb bb"])
    assert X.dtype == np.dtype(dtype)
    assert_array_equal(X.toarray(), [[1, 1], [0, 2]])


def test_an_empty_document_stays_empty_when_scaled():
    X = TextVectorizer(length=10.0).fit_transform(["aa bb", ""])
    assert_allclose(X.sum(axis=1), [10, 0])


@pytest.mark.parametrize("signed", [True, False])
def test_hashing_needs_no_vocabulary_and_keeps_inner_products(signed):
    documents = [f"word{i} word{i + 1} word{i} other" for i in range(200)]
    vectorizer = TextVectorizer(hash_features=2**18, alternate_sign=signed)
    hashed = vectorizer.fit_transform(documents)
    assert hashed.shape == (200, 2**18)
    counted = CountVectorizer().fit_transform(documents)
    assert_array_equal((hashed @ hashed.T).toarray(), (counted @ counted.T).toarray())
    assert (hashed.data < 0).any() == signed
    assert (vectorizer.transform(documents) != hashed).nnz == 0
    assert vectorizer.get_feature_names_out()[3] == "hash3"


def test_hashed_collisions_add_up_with_their_signs():
    rng = np.random.default_rng(0)
    documents = [" ".join(f"w{i}" for i in rng.integers(500, size=50)) for _ in range(50)]
    wide = TextVectorizer(hash_features=3, alternate_sign=True).fit_transform(documents)
    plain = TextVectorizer(hash_features=3, alternate_sign=False).fit_transform(documents)
    assert_array_equal(plain.sum(axis=1), 50)
    assert (np.abs(wide.toarray()).sum(axis=1) <= plain.toarray().sum(axis=1)).all()
    assert ((plain.toarray() - wide.toarray()) % 2 == 0).all()


def test_a_given_vocabulary_needs_no_fit():
    vectorizer = TextVectorizer(vocabulary=["yeast", "dough"])
    assert_array_equal(vectorizer.transform(["dough dough flour"]).toarray(), [[0, 2]])
    mapped = TextVectorizer(vocabulary={"dough": 1, "yeast": 0})
    assert_array_equal(mapped.transform(["dough dough flour"]).toarray(), [[0, 2]])


def test_hashing_needs_no_fit_unless_there_are_weights_to_learn():
    documents = ["dough dough flour", ""]
    for options in ({}, {"log_tf": True, "length": 10.0}):
        vectorizer = TextVectorizer(hash_features=16, **options)
        found = vectorizer.transform(documents)
        assert vectorizer.vocabulary_ == {}
        assert len(vectorizer.get_feature_names_out()) == 16
        assert_array_equal(found.toarray(), vectorizer.fit_transform(documents).toarray())
    with pytest.raises(NotFittedError):
        TextVectorizer(hash_features=16, idf=True).transform(documents)
    with pytest.raises(NotFittedError):
        TextVectorizer(vocabulary=["dough"], idf=True).transform(documents)


def test_the_vocabulary_is_made_once_per_fit():
    vectorizer = TextVectorizer().fit(["dough flour"])
    first = vectorizer.vocabulary_
    assert vectorizer.vocabulary_ is first
    for copied in (copy.deepcopy(vectorizer), pickle.loads(pickle.dumps(vectorizer))):
        assert copied.vocabulary_ == first
        assert copied.vocabulary_ is not first
        assert_array_equal(copied.transform(["flour"]).toarray(), [[0, 1]])
    assert vectorizer.fit(["water"]).vocabulary_ == {"water": 0}
    assert first == {"dough": 0, "flour": 1}


def test_it_works_in_a_pipeline():
    pipeline = make_pipeline(TextVectorizer(), LogisticRegression())
    pipeline.fit(["good fine", "bad poor", "fine", "poor"], [1, 0, 1, 0])
    assert_array_equal(pipeline.predict(["fine good", "poor"]), [1, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "chars"}, "tokens must be one of 'words', 'letters', 'scripts', 's"),
        ({"ngram_range": (2, 1)}, "ngram_range must be"),
        ({"min_df": -1}, r"min_df must be in \[1, inf\), got -1"),
        ({"max_df": 1.5}, r"max_df must be in \[0, 1\], got 1.5"),
        ({"min_df": 3, "max_df": 2}, "max_df must allow at least as many"),
        ({"min_df": 99}, "no word occurs in between 99"),
        ({"length": 0}, r"length must be in \(0, inf\), got 0"),
        ({"stop_words": "klingon"}, "stop_words must be 'frequent', a list of words, or a lang"),
        ({"n_jobs": 0}, "n_jobs must be at least 1"),
        ({"vocabulary": []}, "at least one word"),
        ({"vocabulary": ["aa", "aa"]}, "must not repeat"),
        ({"vocabulary": {"aa": 1}}, "without gaps"),
        ({"vocabulary": {"aa": "first"}}, "without gaps"),
        ({"vocabulary": ["aa\0"]}, r"vocabulary must hold words without NUL .*, got 'aa\\x00'"),
        ({"vocabulary": ["a\ud800"]}, "vocabulary must hold valid Unicode"),
        ({"vocabulary": ["aa"], "hash_features": 8}, "vocabulary names the columns, which hash_f"),
        ({"stop_words": ["aa\0"]}, "stop_words must hold words without NUL"),
        ({"ngram_range": (0, 1)}, r"ngram_range must be two whole numbers .*, got \(0, 1\)"),
        ({"hash_features": 0}, r"hash_features must be in \[1, 2147483647\], got 0"),
        ({"hash_features": 8, "max_features": 3}, "set one of them to None"),
        ({"max_features": 1, "rank_by": "mutual_information"}, "needs labels"),
    ],
)
def test_options_that_cannot_hold_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TextVectorizer(**options).fit(["some words", "more words", "yet more"] * 40)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hash_features": 16.0}, r"hash_features must be a whole number in .*, got 16\.0"),
        ({"max_features": 2.5}, r"max_features must be a whole number in .*, got 2\.5"),
        ({"ngram_range": 2}, "ngram_range must be two whole numbers .*, got 2"),
        ({"ngram_range": (1,)}, r"ngram_range must be two whole numbers .*, got \(1,\)"),
        ({"ngram_range": (1, 2.5)}, r"ngram_range must be two whole numbers .*, got \(1, 2\.5\)"),
        ({"ngram_range": "12"}, "ngram_range must be two whole numbers .*, got '12'"),
        ({"stop_words": [1]}, "stop_words must hold words of type str, got 1"),
        ({"stop_words": 1}, "stop_words must be a list of words, got 1"),
        ({"vocabulary": [1]}, "vocabulary must hold words of type str, got 1"),
        ({"vocabulary": {1: 0}}, "vocabulary must hold words of type str, got 1"),
        ({"vocabulary": {"aa", 1}}, "vocabulary must hold words of type str, got 1"),
        ({"vocabulary": "abc"}, "vocabulary must be a list of words, got 'abc'"),
        ({"vocabulary": 5}, "vocabulary must be a list of words, got 5"),
    ],
)
def test_options_of_the_wrong_kind_are_refused(options, message):
    with pytest.raises(TypeError, match=message) as error:
        TextVectorizer(**options).fit(["some words", "more words"])
    assert "\n" not in str(error.value)


def test_lone_surrogates_are_refused():
    with pytest.raises(ValueError, match="surrogate"):
        TextVectorizer().fit(["fine", "broken \ud800"])


def test_only_stop_words_leave_an_empty_vocabulary():
    with pytest.raises(ValueError, match="empty vocabulary"):
        TextVectorizer(stop_words=["aa"]).fit(["aa", "a b"])


def test_transform_before_fit_is_refused():
    with pytest.raises(NotFittedError):
        TextVectorizer().transform(["aa"])
