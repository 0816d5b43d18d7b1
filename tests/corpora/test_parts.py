"""A corpus taken apart: labeled documents in an order of their own, the others where they are."""

import operator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import CORPORA, N_WORDS, Drawn, draw_corpus, in_memory, streamed
from leaven.corpora import Joined, Unlabeled, labeled_documents

every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=20, deadline=None, derandomize=True)


def with_twins(seed, dtype=np.float64):
    """Some documents are alike but for their label or their weight."""
    drawn = draw_corpus(seed, dtype=dtype)
    labeled = np.flatnonzero(drawn.y >= 0)
    rows = np.concatenate([np.arange(40), labeled, labeled, labeled])
    y = np.concatenate([drawn.y, np.tile(drawn.y[labeled], 2), (drawn.y[labeled] + 1) % 3])
    rng = np.random.default_rng(seed)
    return Drawn(csr_array(drawn.X[rows]), y, rng.choice([0.0, 1.0, 2.5], size=len(y)))


def shuffled(drawn, seed):
    order = np.random.default_rng(seed).permutation(len(drawn.y))
    return Drawn(csr_array(drawn.X[order]), drawn.y[order], drawn.weight[order])


def assert_same_documents(found, expected):
    assert_array_equal(found.X.toarray(), expected.X.toarray())
    assert_array_equal(found.y, expected.y)
    assert_array_equal(found.weight, expected.weight)


def totals(block):
    weight = np.bincount(block.y + 1, block.weight, minlength=4)
    return np.concatenate([weight, block.weight @ block.X])


@few
@seeds
def test_neither_place_nor_order_of_documents_changes_the_order_of_labeled_ones(seed):
    drawn = with_twins(seed)
    expected = labeled_documents(in_memory(drawn))
    for corpus in CORPORA.values():
        assert_same_documents(labeled_documents(corpus(shuffled(drawn, seed))), expected)


@every_corpus
def test_labeled_documents_are_those_of_positive_weight_each_once(corpus):
    drawn = with_twins(0)
    found = labeled_documents(corpus(drawn))
    own = (drawn.y >= 0) & (drawn.weight > 0)
    assert 0 < own.sum() < np.sum(drawn.y >= 0)
    rows = np.column_stack([drawn.y, drawn.weight, drawn.X.toarray()])[own]
    found_rows = np.column_stack([found.y, found.weight, found.X.toarray()])
    assert sorted(found_rows.tolist()) == sorted(rows.tolist())
    assert found.X.dtype == drawn.X.dtype


def test_the_precision_of_counts_changes_neither_their_order_nor_itself():
    wide, narrow = (with_twins(1, dtype) for dtype in (np.float64, np.float32))
    expected, found = labeled_documents(in_memory(wide)), labeled_documents(in_memory(narrow))
    assert_same_documents(found, expected)
    assert found.X.dtype == np.float32


def test_words_in_another_order_are_the_same_document():
    drawn = with_twins(2)
    X = csr_array(drawn.X)
    indices, data = X.indices.copy(), X.data.copy()
    for begin, end in zip(X.indptr, X.indptr[1:], strict=False):
        indices[begin:end] = indices[begin:end][::-1]
        data[begin:end] = data[begin:end][::-1]
    backwards = replace(drawn, X=csr_array((data, indices, X.indptr), shape=X.shape))
    found = labeled_documents(in_memory(backwards))
    assert_same_documents(found, labeled_documents(in_memory(drawn)))


def test_a_corpus_without_labels_has_no_labeled_documents():
    drawn = draw_corpus(0)
    block = labeled_documents(streamed(replace(drawn, y=np.full(40, -1))))
    assert block.X.shape == (0, drawn.X.shape[1])
    assert len(block.y) == len(block.weight) == 0


@every_corpus
def test_the_unlabeled_documents_are_summed_alone(corpus):
    drawn = draw_corpus(0, weighted=True)
    found = Unlabeled(corpus(drawn)).reduce(totals)
    own = drawn.y < 0
    assert_allclose(found[0], drawn.weight[own].sum())
    assert_array_equal(found[1:4], 0.0)
    assert_allclose(found[4:], drawn.weight[own] @ drawn.X.toarray()[own])


@every_corpus
def test_a_corpus_is_its_labeled_and_its_unlabeled_documents(corpus):
    drawn = draw_corpus(0, weighted=True)
    block = labeled_documents(corpus(drawn))
    labeled = in_memory(Drawn(block.X, block.y, block.weight))
    joined = Joined([labeled, Unlabeled(corpus(drawn))])
    assert_allclose(joined.reduce(totals), in_memory(drawn).reduce(totals))


def test_the_corpus_taken_apart_is_left_as_it_was():
    drawn = draw_corpus(0, weighted=True)
    corpus, weight = in_memory(drawn), drawn.weight.copy()
    before = corpus.reduce(totals)
    Unlabeled(corpus).reduce(totals)
    labeled_documents(corpus)
    assert_array_equal(corpus.reduce(totals), before)
    assert_array_equal(drawn.weight, weight)


@every_corpus
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_corpus_and_its_parts_know_their_words_and_their_precision(corpus, dtype):
    whole = corpus(draw_corpus(0, dtype=dtype))
    narrow = whole.map(lambda block: replace(block, X=csr_array(block.X[:, :5])))
    for own, n_words in ((whole, N_WORDS), (narrow, 5)):
        for part in (own, Unlabeled(own), Joined([own, Unlabeled(own)])):
            assert (part.n_words, part.dtype) == (n_words, np.dtype(dtype))


def test_several_corpora_are_summed_as_one():
    parts = [corpus(draw_corpus(seed)) for seed, corpus in enumerate(CORPORA.values())]
    expected = sum(part.reduce(totals) for part in parts)
    assert_allclose(Joined(parts).reduce(totals), expected)
    assert_allclose(Joined(parts[:1]).reduce(totals), parts[0].reduce(totals))


@every_corpus
def test_parts_are_added_the_way_the_caller_adds(corpus):
    drawn = draw_corpus(0)
    joined = Joined([corpus(drawn), Unlabeled(corpus(drawn))])
    calls = []

    def add(total, part):
        calls.append(part)
        return operator.iadd(total, part)

    assert_allclose(joined.reduce(totals, add), joined.reduce(totals))
    n_blocks = joined.reduce(lambda block: 1)
    assert len(calls) == n_blocks - 1
