"""Scores, explanations and top words of many classes: as before, and without large arrays."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from leaven._base import parts
from leaven.experts import LinearExpert, MixtureExpert, highest
from leaven.models import MixtureParams, MultinomialMixture


def drawn_mixture(component_class, n_words, seed=0):
    rng = np.random.default_rng(seed)
    n_components = len(component_class)
    log_word = np.log(rng.dirichlet(np.ones(n_words), n_components)).astype(np.float32)
    log_weight = np.log(rng.dirichlet(np.ones(n_components)))
    params = MixtureParams(log_weight, np.asfortranarray(log_word))
    return MixtureExpert("a mixture", MultinomialMixture(np.array(component_class)), params)


def drawn_counts(n_documents, n_words, seed=1):
    counts = np.random.default_rng(seed).poisson(0.2, (n_documents, n_words))
    return csr_array(counts.astype(np.float32))


COMPONENTS = [[0, 1, 2, 3], [2, 0, 1], [0, 0, 1, 2, 2, 2], [1, 0, 2, 1, 0]]


@pytest.mark.parametrize("component_class", COMPONENTS)
def test_scores_are_those_of_the_model(component_class):
    expert, X = drawn_mixture(component_class, 40), drawn_counts(15, 40)
    expected = expert.model.class_log_joint(expert.params, X)
    assert_allclose(expert.scores(X, None), expected, rtol=1e-12)
    of_one = expert.one_text()
    for row, text in enumerate(X):
        text = csr_array(text.reshape(1, -1))
        assert_allclose(of_one(text.indices, text.data, None), expected[row], rtol=1e-12)


@pytest.mark.parametrize("component_class", COMPONENTS)
def test_pulls_average_the_components_of_a_class_by_their_shares(component_class):
    expert, x = drawn_mixture(component_class, 40), drawn_counts(1, 40)
    codes, params = np.array(component_class), expert.params
    added = params.log_word[:, x.indices].astype(np.float64) * x.data
    score = added.sum(axis=1) + params.log_weight
    for code in range(codes.max() + 1):
        share = np.exp(score[codes == code])
        expected = share / share.sum() @ added[codes == code]
        assert_allclose(expert.pulls(x, None)[:, code], expected, rtol=1e-9)


@pytest.mark.parametrize("component_class", COMPONENTS)
def test_word_scores_of_some_classes_are_rows_of_those_of_all(component_class, monkeypatch):
    monkeypatch.setattr(parts, "VALUES_AT_ONCE", 50)  # one class at a time
    expert = drawn_mixture(component_class, 40)
    words = np.random.default_rng(2).normal(size=(40, 3)).astype(np.float32)
    linear = LinearExpert("a linear model", words, np.zeros((0, 3), np.float32), np.zeros(3))
    for each in (expert, linear):
        every = each.word_scores()
        assert_allclose(each.word_scores_of(slice(1, 3)), every[1:3], rtol=1e-12)
    assert_allclose(linear.word_scores(), (words - words.mean(axis=1, keepdims=True)).T)


@pytest.mark.parametrize("how_many", [0, 1, 3, 8, 9])
def test_the_highest_words_are_those_of_a_stable_sort(how_many):
    scores = np.random.default_rng(3).integers(0, 4, (30, 8)).astype(float)
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :how_many]
    assert_array_equal(np.array(highest(scores, how_many)), expected)


def peak_of(step):
    tracemalloc.start()
    step()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_scoring_allocates_the_scores_and_not_another_table_of_words():
    n_classes, n_words = 3000, 1000
    expert, X = drawn_mixture(np.arange(n_classes), n_words), drawn_counts(10, n_words)
    expert.scores(X, None)  # which compiles
    assert peak_of(lambda: expert.scores(X, None)) < 3 * 10 * n_classes * 8
