"""Vectors learned from text, and vectors that users bring."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import CORPORA, Drawn, in_memory
from leaven.corpora import Block
from leaven.learning import GivenVectors, LatentSpace, check_given, fit_latent, learn_view
from leaven.learning._views import unit_rows, view_from, view_to
from leaven.text._counter import IDF_FLOOR

few = settings(max_examples=10, deadline=None, derandomize=True)
seeds = given(seed=st.integers(0, 2**16))


def documents(seed, n=60, n_words=25, weighted=True):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.4, (n, n_words)) * rng.uniform(0.5, 2.0, n_words)
    X[0] = 0  # a document without words
    weight = rng.uniform(0.5, 2.0, n) if weighted else np.ones(n)
    return Drawn(csr_array(X.astype(np.float32)), np.full(n, -1), weight)


def slow_space(drawn, n_dims):
    """The leading directions by a plain eigendecomposition, as a projector on words."""
    X = drawn.X.toarray().astype(float)
    total = drawn.weight.sum()
    frequency = (drawn.weight[:, None] * (X > 0)).sum(axis=0)
    emphasis = np.sqrt(np.maximum(np.log((1 + total) / (1 + frequency)), 0) + IDF_FLOOR)
    rows = unit_rows(X * emphasis)
    values, vectors = np.linalg.eigh((rows * drawn.weight[:, None]).T @ rows)
    return emphasis[:, None] * vectors[:, np.argsort(-values)[:n_dims]]


def angles(vectors):
    """What a turn of the space leaves alone."""
    return vectors @ vectors.T


@few
@seeds
def test_a_full_space_keeps_all_angles(seed):
    """With as many dimensions as words nothing is lost, so only emphasis and centre remain."""
    drawn = documents(seed)
    space = fit_latent(in_memory(drawn), 25)
    basis = slow_space(drawn, 25)
    place = unit_rows(drawn.X.toarray() @ basis)
    known = place.any(axis=1)[:, None]
    center = drawn.weight @ place / drawn.weight.sum()
    expected = unit_rows(np.where(known, place - center, 0))
    assert_allclose(angles(space.vectors(drawn.X)), angles(expected), atol=2e-4)


def test_few_dimensions_are_the_leading_ones():
    """Words in three groups that never meet: three dimensions hold every document."""
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=200)
    X = np.zeros((200, 30), np.float32)
    for i, own in enumerate(group):
        X[i, 10 * own : 10 * own + 10] = rng.poisson(2.0, 10)
    drawn = Drawn(csr_array(X), np.full(200, -1), np.ones(200))
    space = fit_latent(in_memory(drawn), 3)
    vectors = space.vectors(drawn.X)
    same = group[:, None] == group
    cosines = angles(vectors)
    assert cosines[same].min() > 0.9
    assert cosines[~same].max() < 0.0


@few
@seeds
def test_every_corpus_teaches_the_same_space(seed):
    drawn = documents(seed)
    first, *others = [fit_latent(corpus(drawn), 6).vectors(drawn.X) for corpus in CORPORA.values()]
    for other in others:
        assert_allclose(angles(other), angles(first), atol=1e-3)


@few
@seeds
def test_weight_two_is_two_documents(seed):
    drawn = documents(seed, weighted=False)
    heavy = Drawn(drawn.X, drawn.y, np.full(len(drawn.y), 2.0))
    twice = drawn.rows(np.tile(np.arange(60), 2))
    here = fit_latent(in_memory(heavy), 25).vectors(drawn.X)
    there = fit_latent(in_memory(twice), 25).vectors(drawn.X)
    assert_allclose(angles(here), angles(there), atol=1e-3)


def test_new_documents_are_projected_not_fitted():
    drawn = documents(3)
    space = fit_latent(in_memory(drawn), 8)
    whole = space.vectors(drawn.X)
    assert_allclose(space.vectors(csr_array(drawn.X[[7]])), whole[[7]], atol=1e-6)
    assert_allclose(space.vectors(drawn.X, n_threads=1), space.vectors(drawn.X, n_threads=3))
    assert not space.vectors(csr_array((1, 25), dtype=np.float32)).any()


def test_vectors_are_projections_less_the_mean_of_unit_length():
    drawn = documents(2)
    space = fit_latent(in_memory(drawn), 6)
    parts = unit_rows(drawn.X.toarray() @ space.basis)
    expected = unit_rows(np.where(parts.any(axis=1, keepdims=True), parts - space.center, 0))
    assert_allclose(space.vectors(drawn.X), expected, atol=1e-6)
    assert_array_equal(space.vectors(drawn.X, n_threads=1), space.vectors(drawn.X, n_threads=2))


def test_length_does_not_matter():
    drawn = documents(4)
    space = fit_latent(in_memory(drawn), 8)
    assert_allclose(space.vectors(csr_array(drawn.X * 7)), space.vectors(drawn.X), atol=1e-5)


def test_parts_of_words_add_up_to_the_vector_but_for_the_centre():
    drawn = documents(5)
    space = fit_latent(in_memory(drawn), 8)
    x = csr_array(drawn.X[[9]])
    parts = space.word_vectors(x)
    assert parts.shape == (x.nnz, 8)
    place = x.toarray()[0] @ space.basis
    scale = np.linalg.norm(place / np.linalg.norm(place) - space.center)
    assert_allclose(parts.sum(axis=0) - space.center / scale, space.vectors(x)[0], atol=1e-5)


def test_a_pass_is_told():
    seen = []
    fit_latent(in_memory(documents(1)), 4, on_pass=lambda *step: seen.append(step))
    assert seen == [(i, seen[-1][1]) for i in range(1, seen[-1][1] + 1)]


def test_rank_below_the_dimensions_is_no_trouble():
    X = csr_array(np.tile(np.array([[1.0, 2.0, 0.0, 3.0]], np.float32), (5, 1)))
    space = fit_latent(in_memory(Drawn(X, np.full(5, -1), np.ones(5))), 4)
    assert np.isfinite(space.vectors(X)).all()


def learned_view(block, given, n_dims):
    corpus = in_memory(replace(block, vectors=given))
    return learn_view(corpus, n_dims, 0)


def test_given_vectors_stand_beside_the_learned_ones():
    drawn, rng = documents(6), np.random.default_rng(0)
    given = rng.normal(size=(60, 5)) + 3.0
    block = Block(drawn.X, drawn.y, np.ones(60))
    view = learned_view(block, given, 8)
    vectors = view.vectors(drawn.X, given, 1)
    assert vectors.shape == (60, 13)
    assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    plain = unit_rows(given)
    own = unit_rows(plain - plain.mean(axis=0))
    assert_allclose(vectors[0, 8:], own[0], atol=1e-5)  # a document without words
    assert_allclose(vectors[1:, 8:], own[1:] / np.sqrt(2), atol=1e-5)
    assert_allclose(vectors[1:, :8], view.latent.vectors(drawn.X)[1:] / np.sqrt(2), atol=1e-5)
    x = csr_array(drawn.X[[9]])
    parts = view.word_vectors(x, given[[9]])
    assert_allclose(parts[:, :8], view.latent.word_vectors(x) / np.sqrt(2))
    assert not parts[:, 8:].any()


def test_words_determine_the_vector_alone_where_the_users_is_zero():
    drawn, rng = documents(6), np.random.default_rng(0)
    view = learned_view(Block(drawn.X, drawn.y, np.ones(60)), rng.normal(size=(60, 5)), 8)
    x, zero = csr_array(drawn.X[[9]]), np.zeros((1, 5))
    vector = view.vectors(x, zero, 1)[0, :8]
    assert_allclose(vector, view.latent.vectors(x)[0], atol=1e-5)
    for theirs in (zero, None):
        parts = view.word_vectors(x, theirs)
        assert_allclose(parts[:, :8], view.latent.word_vectors(x))
        assert not parts[:, 8:].any()


@pytest.mark.parametrize("is_given", [False, True], ids=["learned", "given"])
def test_a_view_comes_back_from_its_arrays(is_given):
    drawn = documents(7)
    given = np.random.default_rng(0).normal(size=(60, 5)) if is_given else None
    view = learned_view(Block(drawn.X, drawn.y, drawn.weight), given, 8)
    tensors, kind = view_to(view)
    back = view_from(tensors, kind, 25)
    assert type(back) is type(view)
    assert (
        (back.n_dims, back.n_given)
        == (view.n_dims, view.n_given)
        == (8 + 5 * is_given, 5 * is_given)
    )
    assert_array_equal(back.vectors(drawn.X, given), view.vectors(drawn.X, given))
    with pytest.raises(ValueError, match="do not fit together"):
        view_from(tensors, kind, 24)


def test_no_view_is_no_arrays():
    assert view_to(None) == ({}, None)
    assert view_from({}, None, 25) is None


def test_documents_that_are_seen_keep_all_but_their_vectors():
    drawn = documents(8)
    given = np.random.default_rng(0).normal(size=(60, 5))
    block = Block(drawn.X, drawn.y, drawn.weight, given, np.arange(60) + 7)
    view = learned_view(block, given, 4)
    seen = view.seen(block)
    assert_allclose(seen.vectors, view.vectors(drawn.X, given), atol=1e-6)
    assert_array_equal(seen.numbers, block.numbers)
    assert_array_equal(seen.weight, drawn.weight)
    assert seen.X is block.X


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros(4), r"must have shape \(4, n_dims\)"),
        (np.zeros((3, 2)), r"must have shape \(4, n_dims\)"),
        (np.zeros((4, 0)), r"must have shape \(4, n_dims\)"),
        ([[1.0], [2.0], [3.0, 4.0], [5.0]], "must be numbers, the same number"),
        ([["a"], ["b"], ["c"], ["d"]], "must be numbers"),
        (np.full((4, 2), np.nan), "must be finite"),
    ],
)
def test_vectors_that_are_none_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        check_given(given, 4)


def test_vectors_of_another_embedding_are_refused():
    view = learned_view(Block(csr_array(np.eye(4)), np.full(4, -1), np.ones(4)), np.eye(4), 2)
    with pytest.raises(ValueError, match="as in training"):
        view.vectors(csr_array(np.eye(4)), np.ones((4, 3)), 1)


def test_a_view_is_given_or_learned_but_not_both():
    drawn = documents(2)
    block = Block(drawn.X, drawn.y, drawn.weight)
    learned = learned_view(block, None, 5)
    given = learned_view(block, np.ones((60, 2)), 5)
    assert isinstance(learned, LatentSpace)
    assert isinstance(given, GivenVectors)
    with pytest.raises(ValueError, match="learned its own"):
        learned.vectors(drawn.X, np.ones((60, 2)), 1)
    with pytest.raises(ValueError, match="pass vectors"):
        given.vectors(drawn.X, None, 1)
