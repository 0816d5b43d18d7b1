"""Fisher scores: formulas, finite differences, and the two ways to their inner products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from scipy.special import logsumexp

from leaven.models import (
    FeatureOptions,
    FisherScores,
    MixtureParams,
    MultinomialMixture,
    TwoViewMixture,
    TwoViewParams,
    _fisher,
)

N_WORDS, N_COMPONENTS = 5, 3
BETAS = (1.0, 0.3, 0.01)
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=15, deadline=None, derandomize=True)


def drawn(seed, beta=1.0, dtype=np.float64, peaked=False, n_words=N_WORDS, n_components=3):
    """Scores of a random mixture; peaked: documents of a component share few words."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(n_words, 0.05 if peaked else 5.0), size=n_components)
    words = 0.999 * words + 0.001 / n_words
    log_word = np.asfortranarray(np.log(words).astype(dtype))
    params = MixtureParams(np.log(rng.dirichlet(np.ones(n_components))), log_word)
    options = FeatureOptions(feature_beta=beta)
    return FisherScores(MultinomialMixture(np.arange(n_components)), params, options)


def documents(seed, n=6, n_words=N_WORDS, dtype=np.float64, most=4):
    X = np.random.default_rng(seed + 1).integers(0, most, size=(n, n_words)).astype(dtype)
    X[0] = 0  # a document without words
    return csr_array(X)


def unscaled(scores, x):
    """Eqs. (10) and (11), term by term."""
    beta = scores.options.feature_beta
    log_joint = scores.params.log_weight + scores.params.log_word @ x
    shares = np.exp(beta * log_joint - logsumexp(beta * log_joint))
    words = np.exp(scores.params.log_word)
    of_words = [x[w] * shares / np.sqrt(words[:, w]) for w in range(len(x))]
    return np.concatenate([*of_words, shares / np.sqrt(np.exp(scores.params.log_weight))])


@pytest.mark.parametrize("beta", BETAS)
@few
@seeds
def test_features_equal_their_formula_at_unit_length(beta, seed):
    scores, X = drawn(seed, beta), documents(seed)
    found = scores.features(X).toarray()
    assert found.shape == (6, scores.n_features)
    for row, x in zip(found, X.toarray(), strict=True):
        gradient = unscaled(scores, x)
        assert_allclose(row, gradient / np.linalg.norm(gradient), atol=1e-9)


@pytest.mark.parametrize("beta", BETAS)
@few
@seeds
def test_features_are_the_gradient_of_the_log_likelihood(beta, seed):
    """By the spherical parameters 2 sqrt(p), of log sum_k p(x, k)^beta / beta."""
    scores, X = drawn(seed, beta), documents(seed)
    words = np.exp(scores.params.log_word).T.ravel()  # word by word
    roots = 2 * np.sqrt(np.concatenate([words, np.exp(scores.params.log_weight)]))

    def log_likelihood(roots, x):
        log_p = 2 * np.log(roots / 2)
        log_word = log_p[:-N_COMPONENTS].reshape(N_WORDS, N_COMPONENTS)
        return logsumexp(beta * (log_p[-N_COMPONENTS:] + x @ log_word)) / beta

    for row, x in zip(scores.features(X).toarray(), X.toarray(), strict=True):
        slope = approx_fprime(roots, log_likelihood, 1e-7, x)
        assert_allclose(row, slope / np.linalg.norm(slope), atol=2e-6)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("peaked", [False, True])
@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-13), (np.float32, 2e-6)])
@few
@seeds
def test_the_inverted_index_gives_the_products_of_features(dtype, error, peaked, n_threads, seed):
    scores = drawn(seed, 1.0, dtype, peaked, n_words=40, n_components=7)
    X = documents(seed, 9, 40, dtype, 3)
    Y = documents(seed + 7, 12, 40, dtype, 2)
    direct = (scores.features(X).astype(float) @ scores.features(Y).astype(float).T).toarray()
    found = scores.kernel(X, Y, n_threads=n_threads)
    assert found.dtype == np.float64
    assert_allclose(found, direct, atol=error)
    assert_allclose(np.diag(scores.kernel(X, X)), 1.0, atol=error)


def test_products_do_not_depend_on_how_they_are_computed(monkeypatch):
    scores = drawn(0, 1.0, peaked=True, n_words=40, n_components=12)
    X, Y = documents(0, 20, 40, most=20), documents(1, 15, 40, most=20)
    used = []
    for cost in (0.0, 1e9):
        monkeypatch.setattr(_fisher, "SPARSE_COST", cost)
        used.append(scores.kernel(X, Y))
    assert_allclose(*used, atol=1e-13)
    monkeypatch.undo()
    assert _fisher._are_peaked(np.eye(12), np.eye(12))
    assert not _fisher._are_peaked(np.full((4, 12), 1 / 12), np.full((3, 12), 1 / 12))


def test_shares_that_cannot_be_seen_are_not_stored():
    peaked = drawn(0, 1.0, peaked=True, n_words=40, n_components=7)
    X = documents(0, 9, 40, most=30)
    n_active = (peaked.shares(X) > 0).sum(axis=1)
    assert n_active[1:].max() < 7
    assert_array_equal(np.diff(peaked.features(X).indptr), (np.diff(X.indptr) + 1) * n_active)
    soft = FisherScores(peaked.model, peaked.params, FeatureOptions(feature_beta=1e-3))
    assert (soft.shares(X) > 0).all()
    assert soft.features(X).nnz == 7 * (X.nnz + 9)


def test_columns_of_a_row_are_sorted_and_those_of_a_word_beside_each_other():
    scores, X = drawn(1, 0.1), documents(1)
    features = scores.features(X)
    assert features.has_canonical_format
    only = csr_array(np.eye(N_WORDS))
    for word, row in enumerate(scores.features(only).toarray()):
        (places,) = np.nonzero(row)
        assert set(places // N_COMPONENTS) == {word, N_WORDS}


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_features_are_the_same_in_threads_and_with_wide_columns(kind, monkeypatch):
    scores, X = drawn(2, 0.3, n_words=40), documents(2, 9, 40)
    expected = scores.features(X)
    wide = csr_array((X.data, X.indices.astype(kind), X.indptr.astype(kind)), shape=X.shape)
    monkeypatch.setattr(_fisher, "get_index_dtype", lambda maxval: kind)
    for n_threads in (1, 2, 4):
        found = scores.features(wide, n_threads=n_threads)
        assert_array_equal(found.toarray(), expected.toarray())
        assert_allclose(scores.kernel(wide, X, n_threads=n_threads), scores.kernel(X, X))


def test_more_features_than_32_bits_can_number_are_numbered_by_64():
    n_words, n_components = 2**20, 2**12
    params = MixtureParams(
        np.full(n_components, -np.log(n_components)),
        np.broadcast_to(np.float32(-np.log(n_words)), (n_components, n_words)),
    )
    scores = FisherScores(MultinomialMixture(np.arange(n_components)), params)
    assert scores.n_features > 2**31
    assert scores._index_type(1) == np.int64


def two_views(seed, options):
    """Scores of a random mixture of words and vectors, documents and their vectors."""
    rng = np.random.default_rng(seed)
    plain = drawn(seed)
    model = TwoViewMixture(np.arange(N_COMPONENTS), concentration=8.0, n_dims=2)
    directions = rng.normal(size=(N_COMPONENTS, 2))
    params = TwoViewParams(plain.params.log_weight, plain.params.log_word, directions)
    vectors = rng.normal(size=(6, 2))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[2] = 0  # a document without known words
    return FisherScores(model, params, options, 2), documents(seed), vectors


@pytest.mark.parametrize("beta", [1.0, 0.2])
def test_shares_of_a_two_view_mixture_are_those_of_both_views(beta):
    scores, X, vectors = two_views(0, FeatureOptions(feature_beta=beta))
    log_joint = beta * scores.model.log_joint(scores.params, X, vectors)
    expected = np.exp(log_joint - logsumexp(log_joint, axis=1, keepdims=True))
    assert_allclose(scores.shares(X, vectors), expected, atol=1e-9)
    assert scores.features(X, vectors).shape[1] == scores.n_word_features


@pytest.mark.parametrize("share", [0.2, 0.7])
@few
@seeds
def test_features_of_vectors_are_the_gradient_by_directions(share, seed):
    scores, X, vectors = two_views(seed, FeatureOptions(0.5, share))
    words = FisherScores(scores.model, scores.params, FeatureOptions(0.5), 2)
    found = scores.features(X, vectors).toarray()
    assert found.shape == (6, scores.n_word_features + N_COMPONENTS * 2)
    assert_allclose((found**2).sum(axis=1), 1.0)
    of_words = words.features(X, vectors).toarray()
    parts = np.where(np.arange(6) == 2, 0.0, share)  # of document 2, whose vector is zero
    expected = np.sqrt(1 - parts)[:, None] * of_words
    assert_allclose(found[:, : scores.n_word_features], expected, atol=1e-12)

    def log_likelihood(directions, x, vector):
        cosines = scores.model.concentration * directions.reshape(N_COMPONENTS, 2) @ vector
        log_joint = scores.params.log_weight + scores.params.log_word @ x + cosines
        return logsumexp(0.5 * log_joint) / 0.5

    for row, x, vector, part in zip(found, X.toarray(), vectors, parts, strict=True):
        slope = approx_fprime(scores.params.directions.ravel(), log_likelihood, 1e-7, x, vector)
        length = max(np.linalg.norm(slope), 1e-30)
        gradient = np.sqrt(part) * slope / length if part else 0 * slope
        assert_allclose(row[scores.n_word_features :], gradient, atol=2e-6)


@pytest.mark.parametrize("share", [0.0, 0.3])
@few
@seeds
def test_products_of_both_views_without_features(share, seed):
    scores, X, vectors = two_views(seed, FeatureOptions(0.3, share))
    features = scores.features(X, vectors)
    found = scores.kernel(X[:4], X, (vectors[:4], vectors))
    assert_allclose(found, (features[:4] @ features.T).toarray(), atol=1e-12)


def test_small_shares_are_left_out_relative_to_the_largest():
    scores, X = drawn(3, 0.2), documents(3)
    shares = scores.shares(X)
    sparser = FisherScores(scores.model, scores.params, FeatureOptions(0.2, least_share=0.5))
    kept = shares >= 0.5 * shares.max(axis=1, keepdims=True)
    assert 6 < kept.sum() < kept.size
    assert_array_equal(sparser.shares(X), np.where(kept, shares, 0.0))
    features = sparser.features(X)
    assert_allclose((features**2).sum(axis=1), 1.0)
    assert_allclose(sparser.kernel(X, X), (features @ features.T).toarray(), atol=1e-12)
