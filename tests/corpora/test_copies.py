"""Copies of a document: one document of their weight in a sample, wherever the corpus is."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import CORPORA, Drawn
from leaven.corpora import Block, in_memory, labeled_documents, sample_documents, sample_unlabeled


def with_copies(n_others=300, n_copies=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(n_others, 30)).astype(float)
    X = np.vstack([X, np.tile(X[:1], (n_copies, 1))])
    order = rng.permutation(len(X))
    return Drawn(csr_array(X[order]), np.full(len(X), -1), np.ones(len(X)))


@pytest.mark.parametrize("seed", range(6))
def test_a_message_sent_many_times_is_one_document_of_their_weight(seed):
    corpus = CORPORA["memory"](with_copies())
    taken, n = sample_unlabeled(corpus, 290, np.random.default_rng(seed))
    assert n == 500
    assert len({row.tobytes() for row in taken.X.toarray()}) == len(taken.y) == 290
    assert_allclose(taken.weight.sum(), 500)
    heaviest = np.sort(taken.weight)[::-1]
    if heaviest[0] > 5:  # it was taken; a third of all documents are copies of it
        assert 0.3 < heaviest[0] / taken.weight.sum() < 0.5


@pytest.mark.parametrize("where", CORPORA)
def test_samples_of_copies_do_not_depend_on_the_place(where):
    drawn = with_copies()
    here = sample_documents(CORPORA["memory"](drawn), 100)
    there = sample_documents(CORPORA[where](drawn), 100)
    assert_array_equal(here.X.toarray(), there.X.toarray())
    assert_allclose(here.weight, there.weight)
    assert len(here.y) == 100


def test_where_all_can_be_taken_all_are():
    corpus = CORPORA["memory"](with_copies())
    assert len(sample_documents(corpus, 500).y) == 500


@pytest.mark.parametrize("where", CORPORA)
def test_documents_of_the_same_words_are_told_apart_by_their_vectors(where):
    rng = np.random.default_rng(1)
    X = np.tile(rng.integers(0, 3, size=(5, 30)).astype(float), (40, 1))
    vectors = rng.normal(size=(200, 6))
    y = np.arange(200) % 2
    drawn = Drawn(csr_array(X), y, np.ones(200), vectors)
    shuffled = drawn.rows(rng.permutation(200))
    here, there = (labeled_documents(CORPORA[where](own)) for own in (drawn, shuffled))
    assert_array_equal(here.vectors, there.vectors)
    some = sample_documents(CORPORA[where](drawn), 50)
    assert len(some.y) == 50
    assert_allclose(some.weight, 1.0)  # no two of them are copies


def test_keys_do_not_depend_on_how_many_rows_are_worked_on(monkeypatch):
    block = Block(with_copies().X, np.full(500, -1), np.ones(500))
    whole = sample_documents(in_memory(block), 100)
    monkeypatch.setattr("leaven.corpora._sample.VALUES_AT_ONCE", 50)
    assert_array_equal(sample_documents(in_memory(block), 100).X.toarray(), whole.X.toarray())
    empty = replace(block.rows(np.arange(0)))
    assert len(sample_documents(in_memory(empty), 10).y) == 0
