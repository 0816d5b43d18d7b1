"""Samples that do not depend on where documents are, and stand for all of them."""

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import CORPORA, Drawn, cached, cut_up, draw_corpus, in_memory
from leaven.corpora import Block, labeled_documents, sample_documents, sample_unlabeled
from leaven.corpora import _sample as sampling
from leaven.corpora._sample import SALT, Sample

few = settings(max_examples=15, deadline=None, derandomize=True)
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())


@pytest.fixture(autouse=True)
def two_of_a_class(monkeypatch):
    monkeypatch.setattr(sampling, "FEWEST_OF_A_CLASS", 2)


def shuffled(drawn, seed):
    order = np.random.default_rng(seed).permutation(len(drawn.y))
    return drawn.rows(order)


def with_twins(seed, n_documents=100):
    """Documents of the same words, but of another class or weight, and several without words."""
    drawn = draw_corpus(seed, n_documents=n_documents, weighted=True)
    twins = drawn.rows(np.arange(0, n_documents, 2))
    X = csr_array(
        np.vstack([drawn.X.toarray(), twins.X.toarray(), np.zeros((9, drawn.X.shape[1]))])
    )
    y = np.concatenate([drawn.y, (twins.y + 2) % 4 - 1, [-1, 0, 1] * 3])
    weight = np.random.default_rng(seed).choice([0.5, 1.0, 2.0], size=len(y))
    return Drawn(X, y, weight)


def rows_of(block):
    return np.column_stack([block.y, block.weight, block.X.toarray()])


def as_set(block):
    return sorted(map(tuple, rows_of(block).tolist()))


def sample_of(drawn, most, size):
    return reduce(add, [Sample.of(block, most, SALT) for block in cut_up(drawn, size)])


@few
@given(
    seed=st.integers(0, 1000),
    most=st.integers(1, 150),
    sizes=st.tuples(st.integers(1, 30), st.integers(1, 170)),
)
def test_neither_cut_nor_order_changes_the_sample(seed, most, sizes):
    drawn = with_twins(seed)
    here = sample_of(drawn, most, sizes[0])
    there = sample_of(shuffled(drawn, seed), most, sizes[1])
    assert as_set(here.block) == as_set(there.block)
    assert here.n_documents == there.n_documents == len(drawn.y)
    assert_allclose([here.weight, there.weight], drawn.weight.sum())


@few
@given(seed=st.integers(0, 1000), most=st.integers(0, 120))
def test_a_sample_is_small_and_every_class_is_in_it(seed, most):
    drawn = draw_corpus(seed, n_documents=100)
    own = sample_of(drawn, most, 9)
    assert min(most, 100) <= len(own.keys) <= most + 2 * 4
    assert len(own.keys) == len(own.block.y)
    counts = np.bincount(drawn.y + 1, minlength=4)
    found = np.bincount(own.block.y + 1, minlength=4)
    assert (found >= np.minimum(counts, 2)).all()
    assert set(as_set(own.block)) <= set(as_set(drawn))


def test_a_sample_of_all_is_all():
    drawn = with_twins(0)
    assert as_set(sample_of(drawn, len(drawn.y), 7).block) == as_set(drawn)


@every_corpus
def test_the_unlabeled_documents_taken_weigh_as_much_as_all(corpus):
    drawn = draw_corpus(3, n_documents=300, weighted=True)
    block, n_unlabeled = sample_unlabeled(corpus(drawn), 40, np.random.default_rng(0))
    is_own = drawn.y < 0
    has_words = np.diff(drawn.X.indptr) > 0
    assert n_unlabeled == is_own.sum()
    assert len(block.y) == 40
    assert (block.y == -1).all()
    assert_allclose(block.weight.sum(), drawn.weight[is_own & has_words].sum())


def test_weights_within_a_sample_keep_their_proportions():
    drawn = draw_corpus(3, n_documents=300, weighted=True)
    own = sample_of(drawn, 40, 13)
    assert_allclose(np.ptp(own.standing_for_all.weight / own.block.weight), 0, atol=1e-12)


def test_documents_of_no_weight_stand_for_none():
    drawn = replace(draw_corpus(0), weight=np.zeros(40))
    assert_array_equal(sample_of(drawn, 10, 7).standing_for_all.weight, 0.0)


def test_another_salt_takes_other_documents():
    corpus = in_memory(draw_corpus(0, n_documents=400))
    one, again, other = (
        sample_unlabeled(corpus, 30, np.random.default_rng(seed))[0] for seed in (1, 1, 2)
    )
    assert as_set(one) == as_set(again)
    assert as_set(one) != as_set(other)


def test_what_is_taken_is_as_good_as_random():
    drawn = draw_corpus(0, n_documents=4000, labeled=0.0)
    own = sample_of(drawn, 1000, 500)
    lengths = drawn.X.sum(axis=1)
    error = lengths.std() / np.sqrt(len(own.keys))
    assert abs(own.block.X.sum(axis=1).mean() - lengths.mean()) < 4 * error


@few
@given(seed=st.integers(0, 1000), most=st.integers(1, 150))
def test_sampled_documents_come_in_an_order_of_their_own(seed, most):
    drawn = with_twins(seed)
    expected = rows_of(sample_documents(in_memory(drawn), most))
    for corpus in CORPORA.values():
        found = sample_documents(corpus(shuffled(drawn, seed)), most)
        assert_array_equal(rows_of(found), expected)


@every_corpus
@pytest.mark.parametrize("most", [1, 10, 60])
def test_no_more_labeled_documents_than_asked_for_are_fetched(corpus, most):
    drawn = with_twins(5)
    found = labeled_documents(corpus(drawn), most)
    is_own = drawn.y >= 0

    def contents(block):
        rows = block.X.toarray().tolist()
        return {(*row, code) for row, code in zip(rows, block.y.tolist(), strict=True)}

    distinct = contents(drawn.rows(is_own))
    assert min(most, len(distinct)) <= len(found.y) <= most + 2 * 3
    assert set(found.y) == {0, 1, 2}
    assert contents(found) <= distinct
    again = labeled_documents(cached(shuffled(drawn, 1)), most)
    assert_array_equal(rows_of(again), rows_of(found))


def test_vectors_go_with_their_documents():
    drawn = draw_corpus(0, n_documents=100)
    block = sample_documents(cached(drawn), 20)
    by_words = {
        tuple(row): own for row, own in zip(drawn.X.toarray().tolist(), drawn.vectors, strict=True)
    }
    for row, own in zip(block.X.toarray().tolist(), block.vectors, strict=True):
        assert_array_equal(by_words[tuple(row)], own)


def test_an_empty_block_is_an_empty_sample():
    nothing = Block(csr_array((0, 30)), np.zeros(0, np.int64), np.zeros(0))
    own = Sample.of(nothing, 5, SALT) + Sample.of(nothing, 5, SALT)
    assert (len(own.keys), own.n_documents, own.weight) == (0, 0, 0.0)
    assert own.standing_for_all.X.shape == (0, 30)
