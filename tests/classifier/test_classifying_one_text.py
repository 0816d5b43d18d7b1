"""Classifying texts one at a time gives what classifying several gives."""

import random

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from leaven import TextClassifier
from leaven.classifier._one_text import OneTextClassifier
from leaven.models._word_sums import word_sums

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
    "sport": ["goal", "match", "team", "player", "league", "referee", "stadium", "score"],
}
ODD = [
    "",
    "zzz qqq",
    "bread",
    "İstanbul ΣΑΣ yeast",
    "東京 dough 🚀",
    "doughs yeasty",
    "goal " * 500,
]
SHORT = ["auto", "nb", "em", "mixture", "annealed", "sfe", "two-view", "maxent", "mcl", "pcp"]


def make(n, seed):
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS[[*WORDS][i % 3]], k=6)) for i in range(n)]


def fitted(method, **options):
    labels = [[*WORDS][i % 3] if i < 24 else None for i in range(60)]
    return TextClassifier(method, n_jobs=1, **options).fit(make(60, 0), labels)._fitted


def check_same(classifier, texts):
    expected, is_wordless = classifier.classify(texts)
    one = OneTextClassifier(classifier)
    found = [one.classify(text) for text in texts]
    assert_allclose(np.concatenate([p for p, _ in found]), expected, atol=1e-9)
    assert_array_equal(np.concatenate([lacks for _, lacks in found]), is_wordless)
    assert is_wordless.any()
    return one


@pytest.mark.parametrize("method", SHORT)
def test_the_short_way_gives_the_same_probabilities(method):
    assert check_same(fitted(method), [*make(30, 1), *ODD]).is_short


@pytest.mark.parametrize("method", ["knn", "fisher", "svm"])
def test_without_a_short_way_texts_are_classified_as_several_are(method):
    assert not check_same(fitted(method), [*make(6, 1), *ODD]).is_short


def test_subwords_are_seen_beside_words():
    classifier = fitted("auto", subwords=True)
    assert classifier.beside is not None
    assert check_same(classifier, [*make(30, 1), *ODD]).is_short


def test_several_labels():
    labels = [[[*WORDS][i % 3], *(["even"] if i % 2 else [])] for i in range(60)]
    classifier = TextClassifier("auto", n_jobs=1).fit(make(60, 0), labels)._fitted
    assert not check_same(classifier, [*make(20, 1), *ODD]).is_short


def test_vectors_of_users_have_no_short_way():
    def embed(texts):
        return np.array([[len(text), text.count("a"), 1.0] for text in texts])

    assert not OneTextClassifier(fitted("two-view", embed=embed)).is_short


@pytest.mark.parametrize("n_documents", [1, 3, 200])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_few_documents_are_those_of_many(n_documents, dtype):
    """The sums are those of scipy's product in float64, to the last bit."""
    from scipy.sparse import random_array

    rng = np.random.default_rng(0)
    X = random_array((n_documents, 500), density=0.02, format="csr", dtype=dtype, rng=rng)
    log_word = np.log(rng.random((500, 7))).astype(dtype)
    expected = X.astype(np.float64) @ log_word.astype(np.float64)
    assert_array_equal(word_sums(X, log_word), expected)
