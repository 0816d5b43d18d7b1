"""Rare words of documents, stored word by word, against scipy."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csc_array, csr_array

from leaven.corpora import Block, InMemoryCorpus
from leaven.corpora._rare_words import RareWords


def documents(seed=0, n_documents=50, n_words=40):
    """Documents whose first words are the most frequent ones; one is empty."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(20.0 / (1.0 + np.arange(n_words)) ** 2, size=(n_documents, n_words))
    X[3] = 0
    return csr_array(X.astype(np.float32))


@pytest.mark.parametrize("documents_per_part", [1, 7, 50, 100])
@pytest.mark.parametrize("n_near", [1, 5, 20])
def test_rare_words_are_columns_of_the_documents(n_near, documents_per_part):
    X = documents()
    parts = RareWords(X, n_near, most=1.0, documents_per_part=documents_per_part).parts
    assert [part.first for part in parts] == list(range(0, 50, documents_per_part))
    assert parts[-1].last == 50
    for part in parts:
        expected = csc_array(X[part.first : part.last, n_near:])
        expected.sort_indices()
        assert_array_equal(part.starts, expected.indptr)
        assert_array_equal(part.documents, expected.indices)
        assert_array_equal(part.data, expected.data)
        n_near_values = np.diff(csr_array(X[part.first : part.last, :n_near]).indptr)
        begins = X.indptr[part.first : part.last]
        assert_array_equal(part.near_ends, begins + n_near_values)


def test_words_that_are_not_ordered_by_frequency_have_no_parts():
    X = documents()
    assert RareWords(X, 5).parts
    assert not RareWords(csr_array(X[:, ::-1]), 5).parts


def test_documents_whose_words_are_not_sorted_have_no_parts():
    X = documents()
    begin, end = X.indptr[:2]
    X.indices[begin:end] = X.indices[begin:end][::-1].copy()
    X.data[begin:end] = X.data[begin:end][::-1].copy()
    assert not RareWords(X, 5, most=1.0).parts


@pytest.mark.parametrize("n_near", [40, 41, 2048])
def test_without_rare_words_there_are_no_parts(n_near):
    assert not RareWords(documents(), n_near).parts


def test_other_documents_do_not_get_the_rare_words_of_a_block():
    (block,) = InMemoryCorpus(documents(), np.full(50, -1), n_threads=1).blocks
    assert block.rare is not None
    assert block.rare.X is block.X
    other = Block(documents(1), block.y, block.weight, rare=RareWords(block.X, 5))
    assert other.rare_parts == []


def test_parts_are_not_sent_to_other_processes_but_made_again():
    rare = RareWords(documents(), 5)
    bare = len(pickle.dumps(rare))
    (part,) = rare.parts
    assert rare.nbytes > part.data.nbytes
    assert len(pickle.dumps(rare)) == bare
    (again,) = pickle.loads(pickle.dumps(rare)).parts
    assert_array_equal(again.documents, part.documents)
