"""What a corpus says of its counts, and the numbers by which documents are found again."""

import operator
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

import clusters
from drawing import CORPORA, N_WORDS, Drawn, cut_up, draw_corpus, in_memory, streamed
from leaven.corpora import (
    Block,
    CachedCorpus,
    CountedFiles,
    InMemoryCorpus,
    Joined,
    StreamedCorpus,
    Unlabeled,
    _memory,
    _sample,
    distinct_documents,
    gathered,
    labeled_documents,
    sample_documents,
    sample_unlabeled,
)
from leaven.corpora import in_memory as block_in_memory
from leaven.corpora._base import stacked
from leaven.documents import Documents
from leaven.documents._labels import Labels
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

few = settings(max_examples=15, deadline=None, derandomize=True)
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def blocks_of(corpus):
    return corpus.reduce(lambda block: [block])


def assert_found_again(block, drawn, numbers=None, has_weight=True):
    """Every row is the one that its number names, by default the document's place."""
    numbers = np.arange(len(drawn.y)) if numbers is None else numbers
    assert len(block.numbers) == len(block.y) == block.X.shape[0]
    assert block.numbers.dtype.kind == "i"
    place_of = {number: place for place, number in enumerate(numbers.tolist())}
    rows = np.array([place_of[number] for number in block.numbers.tolist()], dtype=np.int64)
    assert_array_equal(block.X.toarray(), drawn.X.toarray()[rows])
    assert_array_equal(block.y, drawn.y[rows])
    if drawn.vectors is not None:
        assert_array_equal(block.vectors, drawn.vectors[rows])
    if has_weight:
        assert_array_equal(block.weight, drawn.weight[rows])


def assert_all_found_again(corpus, drawn, numbers=None, **more):
    numbers = np.arange(len(drawn.y)) if numbers is None else numbers
    found = blocks_of(corpus)
    assert_array_equal(
        np.sort(np.concatenate([block.numbers for block in found])), np.sort(numbers)
    )
    for block in found:
        assert_found_again(block, drawn, numbers, **more)


def with_copies(seed, n_documents=60):
    """Documents of which a third occurs twice, and some are alike but for their class."""
    drawn = draw_corpus(seed, n_documents=n_documents)
    rows = np.concatenate([np.arange(n_documents), np.arange(0, n_documents, 3), np.arange(9)])
    y = drawn.y[rows]
    y[-9:] = (y[-9:] + 2) % 4 - 1  # another class, or none, of the same words
    order = np.random.default_rng(seed).permutation(len(rows))
    return Drawn(csr_array(drawn.X[rows[order]]), y[order], np.ones(len(rows)))


# What a corpus says of its counts.


def fewer_words(block, n_words=11):
    return replace(block, X=csr_array(block.X[:, :n_words]))


def in_other_precision(block, dtype):
    return replace(block, X=block.X.astype(dtype))


def assert_counts(corpus, n_words, dtype):
    assert type(corpus.n_words) is int
    assert corpus.n_words == n_words
    assert isinstance(corpus.dtype, np.dtype)
    assert corpus.dtype == dtype
    seen = corpus.reduce(lambda block: {(block.X.shape[1], block.X.dtype)}, operator.or_)
    assert seen == {(n_words, np.dtype(dtype))}


@every_dtype
@every_corpus
def test_a_corpus_knows_the_columns_and_the_precision_of_its_counts(corpus, dtype):
    assert_counts(corpus(draw_corpus(0, dtype=dtype)), N_WORDS, dtype)


@every_dtype
@every_corpus
def test_a_corpus_of_fewer_words_knows_that_it_has_fewer(corpus, dtype):
    whole = corpus(draw_corpus(0, dtype=dtype))
    less = whole.map(fewer_words)
    assert_counts(less, 11, dtype)
    assert_counts(less.map(partial(fewer_words, n_words=3)), 3, dtype)
    assert_counts(whole, N_WORDS, dtype)


@every_corpus
def test_a_corpus_in_another_precision_knows_that_it_is(corpus):
    whole = corpus(draw_corpus(0, dtype=np.float64))
    assert_counts(whole.map(partial(in_other_precision, dtype=np.float32)), N_WORDS, np.float32)
    assert_counts(whole, N_WORDS, np.float64)


@every_dtype
@every_corpus
def test_parts_of_a_corpus_know_what_the_whole_knows(corpus, dtype):
    whole = corpus(draw_corpus(0, dtype=dtype))
    labeled = block_in_memory(labeled_documents(whole))
    for part in (Unlabeled(whole), Joined([labeled, Unlabeled(whole)])):
        assert_counts(part, N_WORDS, dtype)
        assert_counts(part.map(fewer_words), 11, dtype)


def test_a_corpus_without_documents_knows_the_columns_of_its_counts():
    nothing = csr_array((0, 5), dtype=np.float32)
    assert_counts(InMemoryCorpus(nothing, np.zeros(0, np.int64)), 5, np.float32)


def test_asking_a_stream_for_its_counts_leaves_its_passes_alone():
    drawn = draw_corpus(0)
    corpus = streamed(drawn)
    assert (corpus.n_words, corpus.dtype) == (N_WORDS, np.float64)
    for _ in range(2):
        assert corpus.reduce(lambda block: len(block.y)) == 40
    assert_all_found_again(corpus, drawn)


# Numbers of documents.


def test_a_block_made_without_numbers_counts_from_zero():
    drawn = draw_corpus(0)
    block = Block(drawn.X, drawn.y, drawn.weight)
    assert_array_equal(block.numbers, np.arange(40))
    assert_array_equal(replace(block, weight=2 * block.weight).numbers, np.arange(40))


@pytest.mark.parametrize(
    "rows",
    [slice(5, 20), slice(None, None, -3), np.array([7, 3, 3, 39]), np.arange(40) % 3 == 0, []],
    ids=str,
)
def test_rows_of_a_block_keep_their_numbers(rows):
    drawn, numbers = draw_corpus(1), np.random.default_rng(0).permutation(40) + 100
    rows = np.array(rows, dtype=np.int64) if isinstance(rows, list) else rows
    part = Block(drawn.X, drawn.y, drawn.weight, drawn.vectors, numbers).rows(rows)
    assert_array_equal(part.numbers, numbers[rows])
    assert_found_again(part, drawn, numbers)
    assert_found_again(part.rows(slice(None, None, -1)), drawn, numbers)


def test_blocks_that_are_stacked_keep_their_numbers():
    drawn = draw_corpus(2)
    blocks = cut_up(drawn)
    together = stacked(blocks[::-1])
    assert_array_equal(together.numbers, np.concatenate([block.numbers for block in blocks[::-1]]))
    assert_found_again(together, drawn)


@every_corpus
def test_every_number_of_a_corpus_leads_back_to_its_document(corpus):
    drawn = draw_corpus(3, weighted=True)
    assert_all_found_again(corpus(drawn), drawn)


@every_corpus
def test_changed_blocks_keep_their_numbers(corpus):
    drawn = draw_corpus(3, weighted=True)
    changed = corpus(drawn).map(fewer_words)
    assert_all_found_again(changed, replace(drawn, X=csr_array(drawn.X[:, :11])))


@pytest.mark.parametrize("n_threads", [1, 4])
@pytest.mark.parametrize("most", [7, 65_536])
@pytest.mark.parametrize("are_given", [False, True], ids=["counted", "given"])
def test_a_corpus_in_memory_numbers_documents_over_all_its_blocks(
    monkeypatch, n_threads, most, are_given
):
    monkeypatch.setattr(_memory, "FEWEST_VALUES_PER_BLOCK", 20)
    monkeypatch.setattr(_memory, "MOST_DOCUMENTS_PER_BLOCK", most)
    drawn = draw_corpus(4, weighted=True)
    numbers = np.random.default_rng(0).permutation(40) * 3 + 5 if are_given else None
    corpus = in_memory(drawn, n_threads, numbers)
    assert len(corpus.blocks) > 1 or (n_threads == 1 and most > 40)
    assert_all_found_again(corpus, drawn, numbers)


def test_a_block_as_a_corpus_keeps_its_numbers(monkeypatch):
    monkeypatch.setattr(_memory, "FEWEST_VALUES_PER_BLOCK", 20)
    drawn = draw_corpus(5)
    numbers = np.arange(40)[::-1] + 1000
    block = Block(drawn.X, drawn.y, drawn.weight, drawn.vectors, numbers)
    corpus = block_in_memory(block, 3)
    assert len(corpus.blocks) > 1
    assert_all_found_again(corpus, drawn, numbers)


@pytest.mark.parametrize("n_values", [10, 60, 10_000])
@pytest.mark.parametrize("has_vectors", [False, True], ids=["words", "words and vectors"])
def test_numbers_are_kept_on_disk_however_blocks_are_gathered(n_values, has_vectors):
    drawn = draw_corpus(6, weighted=True)
    drawn = drawn if has_vectors else replace(drawn, vectors=None)
    corpus = CachedCorpus(gathered(cut_up(drawn, 5), n_values), n_threads=2)
    assert_all_found_again(corpus, drawn)
    assert_all_found_again(corpus.map(lambda block: block), drawn)


def test_a_stream_gives_the_same_numbers_on_every_pass():
    drawn = draw_corpus(7)
    corpus = StreamedCorpus(cut_up(drawn))
    for _ in range(2):
        assert_all_found_again(corpus, drawn)


def test_documents_of_files_are_numbered_from_batch_to_batch():
    texts = [f"word{i % 7} other{i % 3} more{i}" for i in range(23)]
    column = pa.array(texts, pa.large_string())
    counter, X = fit_counter(column, TextOptions())
    labels = Labels(np.array(["a", "b"], dtype=object))
    batches = [Documents(column.slice(first, 6), None, None, "here") for first in range(0, 23, 6)]
    empty = Documents(column.slice(0, 0), None, None, "here")
    for first in (0, 100):
        blocks = CountedFiles([empty, *batches, empty], counter, labels, first=first)
        for _ in range(2):
            together = stacked(list(blocks))
            assert_array_equal(together.numbers, first + np.arange(23))
            assert_array_equal(together.X.toarray(), X.toarray())


@every_corpus
def test_unlabeled_documents_keep_their_numbers(corpus):
    drawn = draw_corpus(8, weighted=True)
    unlabeled = Unlabeled(corpus(drawn))
    expected = replace(drawn, weight=drawn.weight * (drawn.y < 0))
    assert_all_found_again(unlabeled, expected)
    assert_all_found_again(unlabeled.map(lambda block: block), expected)
    with_weight = [block.rows(block.weight > 0) for block in blocks_of(unlabeled)]
    assert_array_equal(np.sort(stacked(with_weight).numbers), np.flatnonzero(drawn.y < 0))


@every_corpus
def test_corpora_that_are_joined_keep_their_numbers(corpus):
    """As in cross-validation: labeled documents in memory, the others where they are."""
    drawn = draw_corpus(9, weighted=True)
    labeled = block_in_memory(labeled_documents(corpus(drawn)))
    joined = Joined([labeled, Unlabeled(corpus(drawn))])
    for own in (joined, joined.map(lambda block: block)):
        parts = [block.rows(block.weight > 0) for block in blocks_of(own)]
        together = stacked(parts)
        assert_array_equal(np.sort(together.numbers), np.arange(40))
        assert_found_again(together, drawn)


@every_corpus
@pytest.mark.parametrize("most", [5, 40, 1000])
def test_every_labeled_document_has_its_number(corpus, most, monkeypatch):
    monkeypatch.setattr(_sample, "FEWEST_OF_A_CLASS", 2)
    drawn = draw_corpus(10, n_documents=150)
    found = labeled_documents(corpus(drawn), most)
    assert_found_again(found, drawn)
    assert len(set(found.numbers.tolist())) == len(found.y)
    assert (drawn.y[found.numbers] >= 0).all()
    if most == 1000:
        assert_array_equal(np.sort(found.numbers), np.flatnonzero(drawn.y >= 0))
    assert_found_again(distinct_documents(found), drawn)


@every_corpus
@pytest.mark.parametrize("most", [5, 40, 1000])
def test_every_sampled_document_has_its_number(corpus, most, monkeypatch):
    monkeypatch.setattr(_sample, "FEWEST_OF_A_CLASS", 2)
    drawn = draw_corpus(11, n_documents=150)
    found = sample_documents(corpus(drawn), most)
    assert_found_again(found, drawn, has_weight=False)
    assert len(set(found.numbers.tolist())) == len(found.y)
    if most == 1000:
        assert_array_equal(np.sort(found.numbers), np.arange(150))


@every_corpus
@pytest.mark.parametrize("most", [5, 40, 1000])
def test_every_sampled_unlabeled_document_has_its_number(corpus, most):
    drawn = draw_corpus(12, n_documents=150)
    found, _ = sample_unlabeled(corpus(drawn), most, np.random.default_rng(0))
    assert_found_again(found, drawn, has_weight=False)
    assert len(set(found.numbers.tolist())) == len(found.y)
    if most == 1000:
        has_words = np.diff(drawn.X.indptr) > 0
        assert_array_equal(np.sort(found.numbers), np.flatnonzero((drawn.y < 0) & has_words))


@few
@given(seed=st.integers(0, 1000), most=st.integers(1, 60), size=st.integers(1, 40))
def test_copies_that_become_one_document_have_the_number_of_the_first(seed, most, size):
    drawn = with_copies(seed)
    corpus = StreamedCorpus(cut_up(drawn, size))
    rows = [(*row, code) for row, code in zip(drawn.X.toarray().tolist(), drawn.y, strict=True)]
    first = {row: place for place, row in reversed(list(enumerate(rows)))}
    is_own = drawn.y < 0
    for found in (
        sample_documents(corpus, most),
        labeled_documents(corpus, min(most, int((~is_own).sum()) - 1)),
        sample_unlabeled(corpus, min(most, int(is_own.sum()) // 2), np.random.default_rng(0))[0],
    ):
        assert_found_again(found, drawn, has_weight=False)
        assert found.numbers.tolist() == [first[rows[number]] for number in found.numbers]


@few
@given(seed=st.integers(0, 1000), most=st.integers(1, 150))
def test_numbers_do_not_depend_on_where_the_documents_are(seed, most):
    drawn = with_copies(seed)
    takes = (
        labeled_documents,
        partial(labeled_documents, most=most),
        partial(sample_documents, most=most),
        lambda corpus: sample_unlabeled(corpus, most, np.random.default_rng(0))[0],
    )
    for take in takes:
        here, *others = (take(corpus(drawn)) for corpus in CORPORA.values())
        for there in others:
            assert_array_equal(np.sort(there.numbers), np.sort(here.numbers))
            assert_found_again(there, drawn, has_weight=False)


def test_copies_that_are_all_taken_come_in_the_order_of_their_numbers():
    drawn = with_copies(0)
    for corpus in CORPORA.values():
        for found in (labeled_documents(corpus(drawn)), sample_documents(corpus(drawn), 1000)):
            keys = np.column_stack([found.y, found.X.toarray()])
            is_copy = (keys[1:] == keys[:-1]).all(axis=1)
            assert is_copy.any()
            assert (np.diff(found.numbers)[is_copy] > 0).all()


def test_blocks_on_a_cluster_keep_their_numbers_and_know_their_counts():
    drawn = draw_corpus(13, dtype=np.float32, weighted=True)
    with clusters.threads() as client:
        corpus = clusters.on_dask(client, cut_up(drawn), 4)
        assert_counts(corpus, N_WORDS, np.float32)
        assert_counts(corpus.map(fewer_words), 11, np.float32)
        assert_all_found_again(corpus, drawn)
        assert_found_again(labeled_documents(corpus), drawn)
        assert_found_again(sample_documents(corpus, 10), drawn, has_weight=False)


def test_numbers_count_among_the_bytes_of_a_block():
    (block,) = cut_up(draw_corpus(0), 40)
    wider = replace(block, numbers=np.arange(4000))
    assert wider.__sizeof__() - block.__sizeof__() == 8 * (4000 - 40)
