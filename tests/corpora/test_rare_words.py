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


def as_matrix(part, n_words):
    """Frequent words of a part's documents, and its rare words."""
    near, rare = (np.zeros((part.last - part.first, n_words)) for _ in range(2))
    for i, (begin, end) in enumerate(zip(part.begins, part.ends, strict=True)):
        near[i, part.indices[begin:end]] = part.values[begin:end]
    for word, begin, end in zip(part.rare_words, part.starts[:-1], part.starts[1:], strict=True):
        rare[part.documents[begin:end], word] = part.counts[begin:end]
    return near, rare


ORDERS = {
    "frequent first": slice(None),
    "frequent last": slice(None, None, -1),
    "mixed": np.random.default_rng(1).permutation(40),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("documents_per_part", [7, 20, 50, 100])
@pytest.mark.parametrize("n_near", [5, 20])
def test_frequent_and_rare_words_together_are_the_documents(n_near, documents_per_part, order):
    X = csr_array(documents()[:, ORDERS[order]])
    parts = RareWords(X, n_near, documents_per_part=documents_per_part).parts
    bounds = [part.first for part in parts] + [50]
    assert bounds[0] == 0
    assert [part.last for part in parts] == bounds[1:]
    assert max(np.diff(bounds)) <= documents_per_part
    for part in parts:
        dense = X[part.first : part.last].toarray()
        near, rare = as_matrix(part, 40)
        assert_array_equal(near + rare, dense)
        assert not near[:, part.rare_words].any()
        assert not rare[:, part.near_words].any()
        assert len(part.near_words) == n_near
        assert_array_equal(np.sort(np.concatenate([part.near_words, part.rare_words])), range(40))
        if part.values is not X.data:
            frequency = (dense > 0).sum(axis=0)
            assert frequency[part.near_words].min() >= frequency[part.rare_words].max()


def test_frequent_ones_of_rare_words_come_first_and_documents_are_in_order():
    (part,) = RareWords(documents(), 5).parts
    rare = csc_array(documents()[:, 5:])
    rare.sort_indices()
    n_documents = np.diff(rare.indptr)
    order = np.argsort(-n_documents, kind="stable")
    assert n_documents.min() == 0
    assert_array_equal(part.rare_words, 5 + order)
    assert_array_equal(np.diff(part.starts), n_documents[order])
    expected = csc_array(rare[:, order])
    assert_array_equal(part.documents, expected.indices)
    assert_array_equal(part.counts, expected.data)


def test_values_are_copied_only_where_frequent_words_do_not_come_first():
    X = documents()
    (part,) = RareWords(X, 5).parts
    assert part.indices is X.indices
    assert part.values is X.data
    backwards = csr_array(X[:, ::-1])
    (copied,) = RareWords(backwards, 5).parts
    n_near_values = len(backwards.data) - len(copied.counts)
    assert len(copied.values) == n_near_values < len(backwards.data)


def test_words_of_a_document_may_be_in_any_order():
    X = documents()
    begin, end = X.indptr[:2]
    X.indices[begin:end] = X.indices[begin:end][::-1].copy()
    X.data[begin:end] = X.data[begin:end][::-1].copy()
    (part,) = RareWords(X, 5).parts
    assert_array_equal(sum(as_matrix(part, 40)), X.toarray())


def test_words_that_are_equally_frequent_have_no_parts():
    X = csr_array(np.ones((50, 40), np.float32))
    assert RareWords(X, 20).parts
    assert not RareWords(X, 19).parts


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
    assert rare.nbytes > part.counts.nbytes
    assert len(pickle.dumps(rare)) == bare
    (again,) = pickle.loads(pickle.dumps(rare)).parts
    assert_array_equal(again.documents, part.documents)
