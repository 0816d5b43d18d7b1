"""Counts kept on disk: the same sums as in memory, and nothing left behind."""

import errno
import gc
import os
import threading
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import N_WORDS, cached, cut_up, draw_corpus, in_memory
from leaven.corpora import Block
from leaven.corpora._base import stacked
from leaven.corpora._cache import CachedCorpus, gathered
from leaven.exceptions import DataError

few = settings(max_examples=25, deadline=None, derandomize=True)


def totals(block):
    """Sums that depend on every array of a block."""
    sums = [block.weight @ block.X, np.bincount(block.y + 1, block.weight, minlength=4)]
    return np.concatenate([*sums, block.weight @ block.vectors, [len(block.y)]])


def all_documents(corpus):
    """The corpus as one block, in the order of its blocks."""
    corpus.n_threads = 1
    return stacked(corpus.reduce(lambda block: [block]))


def assert_same_documents(found, expected):
    assert_array_equal(found.X.toarray(), expected.X.toarray())
    assert found.X.dtype == expected.X.dtype
    assert_array_equal(found.y, expected.y)
    assert_array_equal(found.weight, expected.weight)
    if expected.vectors is None:
        assert found.vectors is None
    else:
        assert_array_equal(found.vectors, expected.vectors)
        assert found.vectors.dtype == expected.vectors.dtype


@pytest.mark.parametrize("n_threads", [1, 2, 5, 50])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_are_those_in_memory(dtype, n_threads):
    drawn = draw_corpus(0, dtype=dtype, weighted=True)
    corpus = CachedCorpus(cut_up(drawn), n_threads=n_threads)
    expected = in_memory(drawn).reduce(totals)
    for _ in range(2):
        assert_allclose(corpus.reduce(totals), expected, rtol=1e-6)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_every_block_is_seen_once_and_added_as_the_caller_adds(n_threads):
    corpus = cached(draw_corpus(0))
    corpus.n_threads = n_threads
    calls = []

    def add(total, part):
        calls.append(part)
        return total + part

    found = corpus.reduce(lambda block: [tuple(block.y)], add)
    assert sorted(found) == sorted(tuple(block.y) for block in cut_up(draw_corpus(0), 15))
    assert len(calls) == len(found) - 1


def test_documents_come_back_as_they_were():
    drawn = draw_corpus(1, dtype=np.float32, weighted=True)
    assert_same_documents(all_documents(cached(drawn)), drawn)
    plain = [replace(block, vectors=None) for block in cut_up(drawn)]
    assert_same_documents(all_documents(CachedCorpus(plain)), replace(drawn, vectors=None))


def test_vectors_may_lie_in_memory_in_any_order():
    (block,) = in_memory(draw_corpus(0)).blocks
    block = replace(block, vectors=np.asfortranarray(block.vectors))
    assert_same_documents(all_documents(CachedCorpus([block])), block)


def test_documents_without_words_and_blocks_without_documents_are_kept():
    empty = Block(csr_array((3, N_WORDS)), np.array([0, -1, 2]), np.ones(3))
    nothing = Block(csr_array((0, N_WORDS)), np.zeros(0, np.int64), np.zeros(0))
    found = all_documents(CachedCorpus([nothing, empty, nothing, empty]))
    assert found.X.shape == (6, N_WORDS)
    assert found.y.tolist() == [0, -1, 2] * 2


def test_arrays_can_be_written_to_without_changing_the_corpus():
    corpus = cached(draw_corpus(0, weighted=True))
    before = corpus.reduce(totals)

    def overwrite(block):
        for array in (block.X.data, block.X.indices, block.X.indptr, block.y, block.weight):
            assert array.flags.writeable
            array[:] = 0
        block.vectors[:] = 7.0
        return 1

    assert corpus.reduce(overwrite) == 3
    assert_array_equal(corpus.reduce(totals), before)


def test_arrays_outlive_the_corpus():
    corpus = cached(draw_corpus(0))
    expected, block = corpus.reduce(totals), all_documents(corpus)
    (kept,) = corpus.reduce(lambda block: [block])[:1]
    first = kept.X.toarray().copy()
    del corpus
    gc.collect()
    assert_array_equal(kept.X.toarray(), first)
    assert_allclose(totals(block), expected)


@pytest.mark.parametrize("n_threads", [1, 2, 20])
def test_changed_blocks_are_a_corpus_of_their_own_in_the_same_order(n_threads):
    drawn = draw_corpus(0, weighted=True)
    corpus = CachedCorpus(cut_up(drawn), n_threads=n_threads)

    def change(block):
        X = csr_array(block.X[:, 5:20] * 2.0)
        return Block(X, block.y, block.weight, np.hstack([block.vectors, block.vectors]))

    changed = corpus.map(change)
    found = all_documents(changed)
    assert_array_equal(found.X.toarray(), drawn.X.toarray()[:, 5:20] * 2.0)
    assert_array_equal(found.vectors, np.hstack([drawn.vectors] * 2))
    assert_array_equal(found.y, drawn.y)
    assert_same_documents(all_documents(corpus), drawn)


def test_vectors_can_be_added_and_a_corpus_mapped_again():
    drawn = draw_corpus(0)
    plain = CachedCorpus(replace(block, vectors=None) for block in cut_up(drawn))
    summed = plain.map(lambda block: replace(block, vectors=block.X.sum(axis=1)[:, None]))
    twice = summed.map(lambda block: replace(block, vectors=2 * block.vectors))
    del plain, summed
    assert_allclose(all_documents(twice).vectors[:, 0], 2 * drawn.X.sum(axis=1))


def test_a_block_is_changed_once_however_often_it_is_read():
    calls = []

    def change(block):
        calls.append(1)
        return block

    corpus = cached(draw_corpus(0)).map(change)
    for _ in range(3):
        corpus.reduce(totals)
    assert len(calls) == 3


# Blocks of about equal size


@few
@given(
    seed=st.integers(0, 1000),
    size=st.integers(1, 40),
    n_values=st.integers(1, 400),
    n_documents=st.integers(1, 45),
)
def test_gathered_blocks_hold_the_same_documents_and_are_of_the_size_asked_for(
    seed, size, n_values, n_documents
):
    drawn = draw_corpus(seed, weighted=True)
    blocks = list(gathered(cut_up(drawn, size), n_values, n_documents))
    assert_same_documents(stacked(blocks), drawn)
    longest = int(np.diff(drawn.X.indptr).max())
    for block in blocks:
        assert 1 <= len(block.y) <= n_documents
        assert block.X.nnz <= n_values + longest
    # No two neighbors could have been one, but for where a large block was cut.
    if size == 1:
        for left, right in pairwise(blocks):
            first = right.rows(slice(0, 1))
            assert len(left.y) == n_documents or left.X.nnz + first.X.nnz > n_values


def test_a_block_is_cut_by_its_values_not_its_documents():
    X = np.zeros((40, N_WORDS))
    X[20:] = 1.0  # the second half holds all the words
    block = Block(csr_array(X), np.zeros(40, np.int64), np.ones(40))
    sizes = [own.X.nnz for own in gathered([block], 10 * N_WORDS)]
    assert max(sizes) <= 11 * N_WORDS


def test_small_blocks_are_put_together():
    blocks = list(gathered(cut_up(draw_corpus(0), 3)))
    assert len(blocks) == 1
    assert list(gathered([])) == []


# On disk


def open_files():
    return len(os.listdir("/proc/self/fd"))


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no /proc")


def test_the_file_cannot_be_seen(tmp_path):
    corpus = CachedCorpus(cut_up(draw_corpus(0)), folder=str(tmp_path))
    seen = []
    changed = corpus.map(lambda block: (seen.append(os.listdir(tmp_path)), block)[1])
    changed.reduce(totals)
    assert os.listdir(tmp_path) == []
    assert all(not names for names in seen)


@needs_proc
def test_the_file_is_closed_with_the_corpus(tmp_path):
    before = open_files()
    corpus = CachedCorpus(cut_up(draw_corpus(0)), folder=str(tmp_path))
    changed = corpus.map(lambda block: block)
    changed.reduce(totals)
    assert open_files() == before + 2
    del corpus, changed
    gc.collect()
    assert open_files() == before


@needs_proc
def test_a_source_that_breaks_leaves_no_file(tmp_path):
    def broken():
        yield from cut_up(draw_corpus(0))
        raise KeyError("broken")

    before = open_files()
    with pytest.raises(KeyError, match="broken"):
        CachedCorpus(broken(), folder=str(tmp_path))
    gc.collect()
    assert open_files() == before


def test_its_size_on_disk_is_that_of_the_counts():
    blocks = cut_up(draw_corpus(0), 40)
    (block,) = blocks
    X = block.X
    arrays = (
        X.indptr, X.indices, X.data, block.y, block.weight, block.vectors, block.numbers,
    )  # fmt: skip
    n_bytes = sum(array.nbytes for array in arrays)
    assert n_bytes <= CachedCorpus(blocks).n_bytes <= n_bytes + 64 * len(arrays)


def test_a_folder_that_is_not_there_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(DataError, match=r"the folder does not exist; create it") as error:
        CachedCorpus(cut_up(draw_corpus(0)), folder=str(tmp_path / "gone"))
    assert repr(str(tmp_path / "gone")) in str(error.value)
    assert "\n" not in str(error.value)


class FullDisk:
    """A file on a disk that is full after some writes."""

    def __init__(self, file, room):
        self.file = file
        self.room = room

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, content):
        self.room -= 1
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(content)


@pytest.mark.parametrize("room", [0, 9])
def test_a_full_disk_is_told_with_the_remedy(monkeypatch, tmp_path, room):
    import tempfile

    plain = tempfile.TemporaryFile
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", lambda **own: FullDisk(plain(**own), room))
        with pytest.raises(DataError, match="No space left on device; choose a folder") as error:
            CachedCorpus(cut_up(draw_corpus(0)), folder=str(tmp_path))
    assert f"counts cannot be kept in {str(tmp_path)!r}" in str(error.value)
    assert "--cache (cache= in Python)" in str(error.value)


def test_what_goes_wrong_in_the_source_is_not_blamed_on_the_disk():
    def unreadable():
        yield from cut_up(draw_corpus(0))
        raise OSError(errno.EIO, "the source")

    with pytest.raises(OSError, match="the source"):
        CachedCorpus(unreadable())


def test_an_empty_source_is_refused():
    with pytest.raises(DataError, match="the source contains no documents; check the paths"):
        CachedCorpus([])
    with pytest.raises(DataError, match="the source contains no documents; check the paths"):
        CachedCorpus(gathered(iter([])))


def test_the_number_of_threads_is_checked():
    make = partial(CachedCorpus, cut_up(draw_corpus(0)))
    with pytest.raises(ValueError, match="n_jobs must be at least 1"):
        make(n_threads=0)


def test_a_fault_in_one_thread_ends_the_others_at_their_next_block():
    drawn = draw_corpus(0, n_documents=200)
    corpus = CachedCorpus(cut_up(drawn, 2), n_threads=2)
    calls = []

    def summarize(block):
        calls.append(threading.current_thread())
        if len(calls) == 3:
            raise KeyboardInterrupt
        time.sleep(0.01)
        return len(block.y)

    with pytest.raises(KeyboardInterrupt):
        corpus.reduce(summarize)
    assert len(calls) < 10  # of a hundred blocks
