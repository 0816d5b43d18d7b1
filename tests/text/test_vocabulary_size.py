"""The size of the vocabulary, chosen by leaving labeled documents out."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import MultinomialNB

from leaven import TextClassifier, TextVectorizer
from leaven.text._vocabulary import mutual_information
from leaven.text._vocabulary_size import SizeChoice, best_size, try_sizes


def draw_documents(seed, n=60, n_noise=400, per_document=30):
    """Two clue words, and so many rare ones that a large vocabulary drowns the clues."""
    rng = np.random.default_rng(seed)
    labels = np.array(["x", "y"] * (n // 2), dtype=object)
    noise = [f"noise{i}" for i in range(n_noise)]
    clue = {"x": "xray", "y": "yolk"}
    texts = [" ".join([*rng.choice(noise, per_document), clue[label]]) for label in labels]
    return texts, labels


def test_the_size_is_the_one_that_classifies_left_out_documents_best():
    texts, labels = draw_documents(0)
    vectorizer = TextVectorizer(max_features="auto", rank_by="mutual_information", length=50)
    X = vectorizer.fit_transform(texts, labels)
    assert vectorizer.n_words_ == X.shape[1] == 20
    assert {"xray", "yolk"} <= set(vectorizer.vocabulary_)
    accuracy = {choice.n_words: choice.accuracy for choice in vectorizer.size_choices_}
    assert max(accuracy) > 300
    assert accuracy[20] > accuracy[max(accuracy)]
    assert all(choice.n_scored == len(texts) for choice in vectorizer.size_choices_)


def test_accuracy_by_size_equals_sklearn_with_every_document_left_out():
    rng = np.random.default_rng(1)
    codes = rng.integers(2, size=24)
    X = csr_array(rng.poisson(0.3 + 0.5 * rng.random((24, 90)) * codes[:, None]).astype(float))

    def rank(part, own):
        return mutual_information(part, own, 2)

    found = {c.n_words: c.accuracy for c in try_sizes(X, codes, rank, lambda _, part: part)}
    assert list(found) == [20, 50, 90]
    for size, accuracy in found.items():
        right = 0
        for rest, one in LeaveOneOut().split(codes):
            columns = np.argsort(-rank(X[rest], codes[rest]), kind="stable")[:size]
            model = MultinomialNB().fit(X[rest][:, columns], codes[rest])
            right += int(model.predict(X[one][:, columns])[0] == codes[one][0])
        assert accuracy == right / 24


def test_words_are_ranked_without_the_document_left_out():
    """Labels drawn at random: words chosen with the help of the left-out document would score."""
    rng = np.random.default_rng(2)
    codes = np.arange(60) % 2
    X = csr_array((rng.random((60, 3000)) < 0.1).astype(float))
    choices = try_sizes(
        X, codes, lambda part, own: mutual_information(part, own, 2), lambda _, p: p
    )
    assert choices[0].accuracy < 0.7


def test_of_equally_good_sizes_the_largest_is_taken():
    choices = [SizeChoice(20, 0.8, 10), SizeChoice(50, 0.9, 10), SizeChoice(100, 0.9, 10)]
    assert best_size(choices) == 100


def test_a_small_vocabulary_is_kept_whole():
    vectorizer = TextVectorizer(max_features="auto", rank_by="mutual_information")
    vectorizer.fit(["aa bb", "bb cc", "aa dd", "cc dd"], ["x", "y", "x", "y"])
    assert vectorizer.n_words_ == 4


def test_frequency_can_rank_the_words_too():
    texts, labels = draw_documents(3)
    vectorizer = TextVectorizer(max_features="auto", length=50).fit(texts, labels)
    assert {"xray", "yolk"} <= set(vectorizer.vocabulary_)
    assert vectorizer.n_words_ == best_size(vectorizer.size_choices_)


def test_many_labels_are_left_out_by_folds():
    texts, labels = draw_documents(4, n=240)
    vectorizer = TextVectorizer(max_features="auto", rank_by="mutual_information").fit(
        texts, labels
    )
    assert vectorizer.size_choices_[0].n_scored == 240


@pytest.mark.parametrize("weights", [{}, {"log_tf": True, "idf": True}, {"idf": True, "min_df": 2}])
def test_the_classifier_chooses_and_says_so(weights):
    texts, labels = draw_documents(5)
    given = labels.copy()
    given[30:] = None
    options = {"max_features": "auto", "rank_by": "mutual_information", **weights}
    clf = TextClassifier("nb", text_options=options).fit(texts, given)
    assert clf.report_.n_words == best_size([SizeChoice(**c) for c in clf.report_.size_choices])
    assert "accuracy on 30 held-out labeled documents by number of words: 20: " in str(clf.report_)
    assert clf.fitted.counter.options.max_features == clf.report_.n_words
    assert clf.report_.options["text"]["max_features"] == "auto"  # as asked


def test_words_in_the_chosen_vocabulary_weigh_what_they_would_if_it_were_given():
    texts, labels = draw_documents(6)
    options = {"rank_by": "mutual_information", "idf": True, "log_tf": True, "length": 50}
    auto = TextVectorizer(max_features="auto", **options)
    X = auto.fit_transform(texts, labels)
    given = TextVectorizer(max_features=auto.n_words_, **options)
    assert (given.fit_transform(texts, labels) != X).nnz == 0


REFUSED = [
    ({}, None, "max_features='auto' needs labels"),
    ({"vocabulary": ["aa"]}, ["x", "y"], "set one of them to None"),
    ({"hash_features": 8}, ["x", "y"], "set one of them to None"),
]


@pytest.mark.parametrize(("options", "labels", "message"), REFUSED)
def test_what_cannot_be_chosen_is_refused(options, labels, message):
    with pytest.raises(ValueError, match=message):
        TextVectorizer(max_features="auto", **options).fit(["aa bb", "cc dd"], labels)


def test_single_labels_and_other_words_are_refused():
    with pytest.raises(ValueError, match="a class with two labeled documents"):
        TextVectorizer(max_features="auto").fit(["aa bb", "cc dd"], ["x", "y"])
    with pytest.raises(ValueError, match=r"max_features must be a whole number .* got 'all'"):
        TextVectorizer(max_features="all").fit(["aa bb"])
