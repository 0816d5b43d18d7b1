"""A corpus in memory: its blocks are its documents, whatever the number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, random_array, vstack

from drawing import draw_corpus, in_memory
from leaven.corpora import UNLABELED, InMemoryCorpus
from leaven.corpora._memory import FEWEST_VALUES_PER_BLOCK, MOST_DOCUMENTS_PER_BLOCK


def assert_blocks_hold_everything(corpus, X, y, weight):
    blocks = corpus.blocks
    assert_array_equal(np.concatenate([block.y for block in blocks]), y)
    assert_array_equal(np.concatenate([block.weight for block in blocks]), weight)
    stacked = csr_array(vstack([block.X for block in blocks]))
    assert stacked.shape == X.shape
    assert stacked.dtype == X.dtype
    assert_array_equal(stacked.indptr, X.indptr)
    assert_array_equal(stacked.indices, X.indices)
    assert_array_equal(stacked.data, X.data)
    for block in blocks:
        assert block.X.shape[0] == len(block.y) == len(block.weight)
        assert block.X.shape[0] <= MOST_DOCUMENTS_PER_BLOCK


def many_values(n_documents, *, n_words=50, density=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = random_array((n_documents, n_words), density=density, rng=rng, format="csr")
    y = rng.integers(-1, 3, size=n_documents)
    return csr_array(X), y, rng.random(n_documents)


@pytest.mark.parametrize("n_threads", [1, 2, 3, 7])
def test_blocks_hold_every_document_once_in_order(n_threads):
    X, y, weight = many_values(4 * FEWEST_VALUES_PER_BLOCK // 50)
    corpus = InMemoryCorpus(X, y, weight, n_threads=n_threads)
    assert len(corpus.blocks) == min(n_threads, 4)
    assert_blocks_hold_everything(corpus, X, y, weight)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    lengths=st.lists(st.integers(0, 3) | st.just(900), min_size=0, max_size=120),
    n_threads=st.integers(1, 200),
)
def test_any_lengths_of_documents_are_cut_into_their_documents(lengths, n_threads):
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    indices = np.concatenate([[], *map(np.arange, lengths)]).astype(np.int32)
    X = csr_array((np.arange(1.0, indptr[-1] + 1), indices, indptr), shape=(len(lengths), 900))
    y, weight = np.full(len(lengths), UNLABELED), np.ones(len(lengths))
    assert_blocks_hold_everything(InMemoryCorpus(X, y, n_threads=n_threads), X, y, weight)


def test_blocks_have_about_equally_many_values_not_documents():
    short, long = many_values(4000, n_words=2000, density=0.002), many_values(100, n_words=2000)
    X = csr_array(vstack([short[0], long[0]]))
    corpus = InMemoryCorpus(X, np.zeros(4100), n_threads=4)
    sizes = [block.X.nnz for block in corpus.blocks]
    assert len(sizes) == 4
    assert max(sizes) - min(sizes) <= 2 * 2000
    assert corpus.blocks[0].X.shape[0] > 40 * corpus.blocks[-1].X.shape[0]


def test_few_values_are_one_block_whatever_the_threads():
    drawn = draw_corpus(0)
    assert len(in_memory(drawn, n_threads=64).blocks) == 1


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_seventy_thousand_documents_are_more_than_one_block(n_threads):
    n_documents = 70_000
    X = csr_array(
        (np.ones(n_documents), np.zeros(n_documents, int), np.arange(n_documents + 1)),
        shape=(n_documents, 1),
    )
    corpus = InMemoryCorpus(X, np.zeros(n_documents), n_threads=n_threads)
    assert len(corpus.blocks) >= 2
    assert len(corpus.blocks) % n_threads == 0
    assert_blocks_hold_everything(corpus, X, np.zeros(n_documents), np.ones(n_documents))


@pytest.mark.parametrize("heavy", [0, 1, 1000])
def test_no_block_has_too_many_documents_even_if_most_are_empty(heavy):
    n_documents = 2 * MOST_DOCUMENTS_PER_BLOCK + 5
    lengths = np.zeros(n_documents, dtype=int)
    lengths[n_documents - heavy :] = 30
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    X = csr_array(
        (np.ones(indptr[-1]), np.tile(np.arange(30), heavy), indptr), shape=(n_documents, 30)
    )
    corpus = InMemoryCorpus(X, np.zeros(n_documents), n_threads=1)
    assert_blocks_hold_everything(corpus, X, np.zeros(n_documents), np.ones(n_documents))


@pytest.mark.parametrize("shape", [(0, 5), (0, 0), (4, 5), (3, 0)])
def test_a_matrix_without_values_is_one_block(shape):
    X = csr_array(shape, dtype=np.float32)
    corpus = InMemoryCorpus(X, np.zeros(shape[0]), n_threads=4)
    assert len(corpus.blocks) == 1
    assert corpus.reduce(lambda block: block.X.shape[0]) == shape[0]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_a_sum_over_blocks_is_the_sum_over_documents(n_threads):
    X, y, weight = many_values(6 * FEWEST_VALUES_PER_BLOCK // 50)
    corpus = InMemoryCorpus(X, y, weight, n_threads=n_threads)
    total = corpus.reduce(lambda block: block.weight @ block.X)
    assert_allclose(total, weight @ X)


def test_blocks_share_the_memory_of_the_matrix():
    X, y, _ = many_values(2 * FEWEST_VALUES_PER_BLOCK // 50)
    corpus = InMemoryCorpus(X, y, n_threads=2)
    assert all(np.shares_memory(block.X.data, X.data) for block in corpus.blocks)


def test_an_error_in_a_block_reaches_the_caller():
    X, y, _ = many_values(2 * FEWEST_VALUES_PER_BLOCK // 50)
    with pytest.raises(ZeroDivisionError):
        InMemoryCorpus(X, y, n_threads=2).reduce(lambda block: 1 // 0)


def test_labels_and_weights_must_be_as_many_as_documents():
    X = csr_array((3, 2), dtype=float)
    with pytest.raises(ValueError, match="one entry per document, got 3, 2 and 3"):
        InMemoryCorpus(X, np.zeros(2))
    with pytest.raises(ValueError, match="one entry per document, got 3, 3 and 4"):
        InMemoryCorpus(X, np.zeros(3), np.ones(4))
