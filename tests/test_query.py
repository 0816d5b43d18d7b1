"""Which documents to label next: against plain loops, and laws of every choice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaven import query
from leaven.query import (
    margins,
    random_documents,
    typical_documents,
    typicality,
    uncertain_documents,
    useful_documents,
)


def unit(vectors):
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def clusters(n_groups, size, n_dims=8, spread=0.02, seed=0):
    """Unit vectors around the axes, group after group."""
    rng = np.random.default_rng(seed)
    centers = np.repeat(np.eye(n_dims)[:n_groups], size, axis=0)
    return unit(centers + rng.normal(0, spread, centers.shape))


@st.composite
def situations(draw):
    """Vectors with copies and zeros, probabilities, what is labeled and open, n and a seed."""
    n_documents, n_dims = draw(st.integers(1, 40)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    vectors = unit(rng.normal(size=(n_documents, n_dims)))
    if draw(st.booleans()):  # copies
        vectors = vectors[rng.integers(0, draw(st.integers(1, 3)), n_documents) % n_documents]
    vectors[rng.random(n_documents) < draw(st.sampled_from([0.0, 0.3, 1.0]))] = 0
    vectors = vectors.astype(draw(st.sampled_from([np.float32, np.float64])))
    n_classes = draw(st.integers(1, 4))
    probability = rng.dirichlet(np.ones(n_classes), n_documents)
    is_labeled = rng.random(n_documents) < draw(st.sampled_from([0.0, 0.4, 1.0]))
    is_open = ~is_labeled & (rng.random(n_documents) < draw(st.sampled_from([0.5, 1.0])))
    return (
        vectors,
        probability,
        is_labeled,
        is_open,
        draw(st.integers(0, 60)),
        draw(st.integers(0, 99)),
    )


def every_choice(situation):
    vectors, probability, is_labeled, is_open, n, seed = situation
    return {
        "random": random_documents(is_open, n, seed),
        "uncertain": uncertain_documents(probability, is_open, n),
        "typical": typical_documents(vectors, is_labeled, is_open, n, seed),
        "useful": useful_documents(probability, vectors, is_open, n, seed),
    }


@given(situations())
@settings(max_examples=150)
def test_every_choice_is_of_open_documents_once_as_many_as_there_are_and_repeatable(situation):
    is_open, n = situation[3:5]
    again = every_choice(situation)
    for name, chosen in every_choice(situation).items():
        assert is_open[chosen].all(), name
        assert len(set(chosen.tolist())) == len(chosen) == min(n, is_open.sum()), name
        np.testing.assert_array_equal(chosen, again[name])


@given(situations())
def test_margins_are_those_of_a_plain_loop(situation):
    probability = situation[1]
    for row, margin in zip(probability.tolist(), margins(probability), strict=True):
        best = sorted(row, reverse=True)
        assert margin == pytest.approx(best[0] - best[1] if len(best) > 1 else 1.0)


@given(situations())
def test_uncertain_documents_are_those_of_a_plain_sort(situation):
    _, probability, _, is_open, n, _ = situation
    margin = margins(probability)
    expected = sorted(np.flatnonzero(is_open).tolist(), key=lambda i: (margin[i], i))[:n]
    assert uncertain_documents(probability, is_open, n).tolist() == expected


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 1000))
@settings(max_examples=50)
def test_typicality_is_that_of_a_plain_loop(n, n_reference, seed):
    rng = np.random.default_rng(seed)
    vectors, others = unit(rng.normal(size=(n, 4))), unit(rng.normal(size=(n_reference, 4)))
    reference = np.concatenate([vectors[: n // 2], others])
    for vector, found in zip(vectors, typicality(vectors, reference), strict=True):
        distances = sorted(np.linalg.norm(vector - each) for each in reference)
        nearest = distances[: min(query.NEIGHBORS, max(len(reference) - 1, 1)) + 1]
        assert found == pytest.approx(1.0 / max(np.mean(nearest), 1e-6), rel=1e-4)


def test_typicality_does_not_depend_on_how_many_are_computed_at_once(monkeypatch):
    vectors = clusters(3, 20)
    whole = typicality(vectors, vectors)
    monkeypatch.setattr(query, "MOST_COMPARED", 7)
    np.testing.assert_allclose(typicality(vectors, vectors), whole)


@pytest.mark.parametrize("seed", range(5))
def test_typical_documents_are_of_different_groups(seed):
    vectors = clusters(6, 30)
    none = np.zeros(180, bool)
    chosen = typical_documents(vectors, none, ~none, 6, seed)
    assert sorted((chosen // 30).tolist()) == [0, 1, 2, 3, 4, 5]


def test_groups_without_a_label_come_first_and_the_largest_of_them_before_all():
    sizes = (10, 40, 20)
    vectors = np.concatenate(
        [clusters(3, 40)[40 * g : 40 * g + size] for g, size in enumerate(sizes)]
    )
    group = np.repeat([0, 1, 2], sizes)
    is_labeled = np.zeros(70, bool)
    assert group[typical_documents(vectors, is_labeled, ~is_labeled, 3)].tolist() == [1, 2, 0]
    is_labeled[group == 1] = True
    is_labeled[15:] &= group[15:] != 1  # five of the largest group stay labeled
    chosen = group[typical_documents(vectors, is_labeled, ~is_labeled, 2)]
    assert set(chosen.tolist()) <= {0, 2}


def test_the_most_typical_document_of_a_group_is_its_center():
    rng = np.random.default_rng(0)
    around = unit(np.array([1.0, 0, 0]) + rng.normal(0, 0.3, (60, 3)))
    vectors = np.concatenate([around, [[1.0, 0, 0]]])
    none = np.zeros(61, bool)
    (chosen,) = typical_documents(vectors, none, ~none, 1)
    assert typicality(vectors, vectors)[chosen] == typicality(vectors, vectors).max()


def test_documents_without_a_vector_are_taken_last():
    vectors = clusters(2, 5)
    vectors[[0, 7]] = 0
    none = np.zeros(10, bool)
    assert {0, 7}.isdisjoint(typical_documents(vectors, none, ~none, 8).tolist())
    assert set(typical_documents(vectors, none, ~none, 10)[-2:].tolist()) == {0, 7}


def test_useful_documents_are_uncertain_and_of_different_groups():
    vectors = clusters(4, 30)
    probability = np.tile([0.95, 0.05], (120, 1))
    doubtful = np.concatenate([np.arange(30 * g, 30 * g + 10) for g in range(4)])
    probability[doubtful] = [0.52, 0.48]
    is_open = np.ones(120, bool)
    chosen = useful_documents(probability, vectors, is_open, 4)
    assert np.isin(chosen, doubtful).all()
    assert sorted((chosen // 30).tolist()) == [0, 1, 2, 3]


def test_many_copies_are_no_reason_to_complain():
    """As many warnings are errors here, k-means would complain of fewer points than groups."""
    vectors = np.repeat(unit(np.random.default_rng(0).normal(size=(3, 6))), 400, axis=0)
    none = np.zeros(1200, bool)
    chosen = typical_documents(vectors, none, ~none, 12)
    assert set((chosen[:3] // 400).tolist()) == {0, 1, 2}
    assert len(useful_documents(np.full((1200, 2), 0.5), vectors, ~none, 12)) == 12


def test_a_large_corpus_is_grouped_by_a_sample(monkeypatch):
    monkeypatch.setattr(query, "MOST_GROUPED", 40)
    monkeypatch.setattr(query, "MOST_COMPARED", 10)
    vectors = clusters(4, 100)
    none = np.zeros(400, bool)
    chosen = typical_documents(vectors, none, ~none, 4)
    assert len(set((chosen // 100).tolist())) == 4
    assert len(useful_documents(np.full((400, 2), 0.5), vectors, ~none, 9)) == 9


@pytest.mark.parametrize("n", [-1, 1.5, True])
def test_n_must_be_a_whole_number(n):
    with pytest.raises((ValueError, TypeError), match="n must be"):
        random_documents(np.ones(3, bool), n)
