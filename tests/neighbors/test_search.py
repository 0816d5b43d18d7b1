"""Every algorithm finds the neighbors that a plain loop finds, ties and copies included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from leaven.neighbors import ALGORITHMS, KeptDocuments, unit_rows
from leaven.neighbors import _search as search_module
from leaven.neighbors._search import BlockDistances, new_search

GRID = 2.0**-20
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


def drawn(seed, n_documents, n_words=6, signed=False, dtype=np.float64, has_empty=False):
    """Counts with many ties: small numbers and copies; rows without words only if asked."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.6, (n_documents, n_words)).astype(dtype)
    if signed:
        X *= rng.choice([-1, 1], n_words)[None] * rng.choice([-1, 1], X.shape, p=[0.2, 0.8])
    X[rng.random(n_documents) < 0.2] = X[0] if n_documents else 0
    if not has_empty:
        X[~X.any(axis=1), 0] = 1
    return csr_array(X)


def slow_nearest(queries, documents, k):
    """Places and squared distances by a loop over dense rows."""
    Q, D = queries.toarray().astype(np.float64), documents.toarray().astype(np.float64)
    places = np.full((len(Q), k), -1)
    distances = np.full((len(Q), k), np.inf)
    for i, q in enumerate(Q):
        similarity = np.array([float(np.dot(q, d)) for d in D])
        rounded = np.maximum(np.rint((2 - 2 * similarity) / GRID) * GRID, 0)
        able = [j for j in range(len(D)) if similarity[j] > GRID]
        nearest = sorted(able, key=lambda j, rounded=rounded: (rounded[j], j))[:k]
        places[i, : len(nearest)] = nearest
        distances[i, : len(nearest)] = rounded[nearest]
    return places, distances


@every_algorithm
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**16),
    n_documents=st.integers(0, 30),
    k=st.integers(1, 8),
    cuts=st.integers(1, 4),
    signed=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_neighbors_are_those_of_a_plain_loop(algorithm, seed, n_documents, k, cuts, signed, dtype):
    documents = unit_rows(drawn(seed, n_documents, signed=signed, dtype=dtype))
    queries = unit_rows(drawn(seed + 1, 9, signed=signed, dtype=dtype, has_empty=True))
    search = new_search(algorithm, documents)
    for part in np.array_split(np.arange(n_documents), cuts):  # added little by little
        search.add(csr_array(documents[part]))
    found = search.nearest(queries, k, n_threads=2)
    places, distances = slow_nearest(queries, documents, k)
    assert_array_equal(found.places, places)
    assert_array_equal(found.distances, distances)


@settings(max_examples=200)
@given(seed=st.integers(0, 2**16), scale=st.floats(1e-3, 1e3), n_words=st.integers(1, 400))
def test_copies_at_another_length_are_at_distance_zero(seed, scale, n_words):
    rng = np.random.default_rng(seed)
    x = rng.gamma(0.5, size=(1, n_words)).astype(np.float32) + np.float32(1e-3)
    documents = unit_rows(csr_array(x))
    search = new_search("inverted_index", documents)
    search.add(documents)
    copy = unit_rows(csr_array((scale * x).astype(np.float32)))
    assert search.nearest(copy, 1).distances[0, 0] == 0


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_split_into_rare_and_frequent_words_does_not_matter(monkeypatch, share):
    documents, queries = (unit_rows(drawn(seed, 200, 40, signed=True)) for seed in (3, 4))
    monkeypatch.setattr(search_module, "FREQUENT_SHARE", share)
    search = new_search("inverted_index", documents)
    assert share == 0 or search.n_frequent
    search.add(documents)
    found = search.nearest(queries, 7)
    for got, wanted in zip(found, slow_nearest(queries, documents, 7), strict=True):
        assert_array_equal(got, wanted)


@every_algorithm
def test_algorithms_agree_on_text_like_data(algorithm):
    rng = np.random.default_rng(0)
    frequency = 1 / np.arange(1, 301)
    X = rng.poisson(30 * frequency / frequency.sum(), (500, 300)).astype(np.float32)
    X = unit_rows(csr_array(X * np.log(1 / frequency + 1)))
    documents, queries = csr_array(X[:400]), csr_array(X[400:])
    search, reference = new_search(algorithm, documents), new_search("brute", documents)
    search.add(documents)
    reference.add(documents)
    for got, wanted in zip(
        search.nearest(queries, 15), reference.nearest(queries, 15), strict=True
    ):
        assert_array_equal(got, wanted)


def test_adding_documents_to_a_ball_tree_rebuilds_it_few_times(monkeypatch):
    import sklearn.neighbors

    built = []
    tree = sklearn.neighbors.BallTree
    monkeypatch.setattr(
        sklearn.neighbors, "BallTree", lambda *given: built.append(len(given[0])) or tree(*given)
    )
    X = unit_rows(drawn(0, 128))
    search = new_search("ball_tree", X)
    for row in range(128):
        search.add(csr_array(X[row : row + 1]))
    assert len(built) <= 8


def test_a_ball_tree_does_not_return_documents_that_share_nothing(monkeypatch):
    n_pairs = []
    add_pairs = search_module.add_pairs

    def counted(rows, *others):
        n_pairs.append(len(rows))
        add_pairs(rows, *others)

    monkeypatch.setattr(search_module, "add_pairs", counted)
    X = csr_array(np.eye(50))
    tree = new_search("ball_tree", X)
    tree.add(X)
    queries = csr_array(np.vstack([np.eye(50), np.zeros((20, 50))]))
    places = tree.nearest(queries, 3).places
    assert_array_equal(places[:, 0], [*range(50), *[-1] * 20])
    assert (places[:, 1:] == -1).all()
    assert n_pairs == [50]


def test_a_ball_tree_of_too_many_dense_numbers_is_refused(monkeypatch):
    monkeypatch.setattr(search_module, "MOST_DENSE", 1000)
    with pytest.raises(
        ValueError, match=r"got 30 documents of 6 words.*algorithm='inverted_index'"
    ):
        new_search("ball_tree", unit_rows(drawn(0, 30)))


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(ValueError, match="algorithm must be"):
        new_search("kd_tree", unit_rows(drawn(0, 3)))


def test_distances_inside_a_block_are_those_of_the_search():
    X = unit_rows(drawn(5, 40, signed=True))
    measured = BlockDistances(X.shape[1])
    within = measured(X)
    places, distances = slow_nearest(X, X, 40)
    expected = np.full((40, 40), np.inf)
    for i in range(40):
        before = (places[i] >= 0) & (places[i] < i)
        expected[i, places[i][before]] = distances[i][before]
    assert_array_equal(within, expected)
    assert_array_equal(measured(X), expected)  # nothing is left of the block before


def test_rows_get_unit_length_whatever_their_numbers_are():
    X = csr_array(np.array([[3.0, 4, 0], [0, 0, 0], [1e300, 0, 1e300], [1e-300, 0, 0]]))
    unit = unit_rows(X)
    expected = [[0.6, 0.8, 0], [0, 0, 0], [0.5**0.5, 0, 0.5**0.5], [1, 0, 0]]
    np.testing.assert_allclose(unit.toarray(), expected, rtol=1e-15)
    assert X.data[0] == 3.0  # unchanged


def test_words_in_any_order_and_in_parts_are_the_same_document():
    messy = csr_array((np.array([1.0, 2, 1, 0]), np.array([2, 0, 2, 1]), np.array([0, 4])), (1, 3))
    kept = KeptDocuments(
        unit_rows(csr_array([[2.0, 0, 2]])), np.array([0]), np.ones(1), np.zeros(1, np.int64)
    )
    assert kept.nearest(messy, 1).distances[0, 0] == 0
