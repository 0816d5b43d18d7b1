"""A corpus on a cluster: the same answer as in memory, whatever is summed and however it is cut."""

import operator
import sys
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import clusters
from drawing import N_WORDS, cut_up, draw_corpus, in_memory
from leaven.corpora import CachedCorpus, labeled_documents, sample_documents
from leaven.corpora import dask as dask_corpora
from leaven.corpora.dask import Cluster, DaskCorpus, same
from leaven.exceptions import ClusterError
from leaven.learning import run_em
from leaven.learning._em import _EStep
from leaven.models import MultinomialMixture
from leaven.posteriors import SOFT
from test_laws import CLIMBS, MODELS, NEVER, arrays_of, start


@pytest.fixture(scope="module")
def client():
    with clusters.threads() as own:
        yield own


@pytest.mark.parametrize("climb", CLIMBS.values(), ids=CLIMBS.keys())
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_the_same_answer_everywhere(client, model, climb):
    drawn = draw_corpus(0, weighted=True)
    places = [
        in_memory(drawn),
        CachedCorpus(cut_up(drawn), n_threads=2),
        clusters.on_dask(client, cut_up(drawn)),
    ]
    here, *others = (
        run_em(model, corpus, start(model, 0), **climb, max_iter=3, tol=NEVER) for corpus in places
    )
    for there in others:
        assert_allclose(there.objective, here.objective, rtol=1e-10)
        for a, b in zip(arrays_of(there.params), arrays_of(here.params), strict=True):
            assert_allclose(a, b, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("n_parts", [1, 2, 5, 20])
@pytest.mark.parametrize("size", [1, 7, 40])
def test_any_cut_gives_the_same_sum(client, n_parts, size):
    drawn = draw_corpus(1)
    corpus = clusters.on_dask(client, cut_up(drawn, size), n_parts)
    totals = corpus.reduce(lambda block: np.asarray(block.X.sum(axis=0)).ravel())
    assert_allclose(totals, np.asarray(drawn.X.sum(axis=0)).ravel())


def test_sums_are_added_up_by_each_worker_and_then_in_a_tree(monkeypatch):
    monkeypatch.setattr(dask_corpora, "BLOCKS_PER_TASK", 1)
    monkeypatch.setattr(dask_corpora, "FAN_IN", 2)
    submitted = []
    submit = Cluster.submit

    def watched(self, function, *given, **options):
        submitted.append(function.__name__)
        return submit(self, function, *given, **options)

    with clusters.threads(5) as client:
        corpus = clusters.on_dask(client, cut_up(draw_corpus(2), 2), 20)
        corpus.cluster.wait(corpus.parts)
        held = [len(parts) for _, parts in corpus.cluster.places(corpus.parts)]
        monkeypatch.setattr(Cluster, "submit", watched)
        assert corpus.reduce(lambda block: len(block.y)) == 40
    assert len(held) == 5
    assert submitted.count("_sum_up") == 20
    n_sums, n_added = len(held), sum(n_parts > 1 for n_parts in held)
    while n_sums > dask_corpora.FOR_DRIVER:
        n_sums = -(-n_sums // 2)
        n_added += n_sums
    assert submitted.count("_add_up") == n_added


def test_adding_in_place_does_not_spoil_what_the_cluster_holds(client):
    corpus = clusters.on_dask(client, cut_up(draw_corpus(3), 4), 10)

    def add(total, part):
        total += part
        part[:] = np.nan  # as the contract allows
        return total

    def count(block):
        return np.asarray(block.X.sum(axis=0)).ravel().astype(float)

    first, second = corpus.reduce(count, add), corpus.reduce(count, add)
    assert_array_equal(first, second)
    assert_allclose(first, corpus.reduce(count, operator.add))


def test_changed_blocks_stay_on_the_cluster(client):
    drawn = draw_corpus(4)
    corpus = clusters.on_dask(client, cut_up(drawn))
    heavy = corpus.map(lambda block: type(block)(block.X * 2, block.y, block.weight, None))
    assert heavy.reduce(lambda block: float(block.X.sum())) == 2 * drawn.X.sum()
    assert heavy.reduce(lambda block: [block.vectors]) == [None] * 6


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_words_and_precision_are_those_of_the_blocks(client, dtype):
    blocks = cut_up(draw_corpus(5, dtype=dtype))
    cluster = Cluster(client)
    parts = [cluster.submit(same, part) for part in ([], blocks)]  # a piece may be without any
    corpus = DaskCorpus(cluster, parts)
    assert (corpus.n_words, corpus.dtype) == (N_WORDS, np.dtype(dtype))
    with pytest.raises(ClusterError, match="the cluster contains no documents; check the paths"):
        _ = DaskCorpus(cluster, parts[:1]).n_words


def test_samples_do_not_depend_on_the_place(client):
    drawn = draw_corpus(5, n_documents=200)
    here, there = in_memory(drawn), clusters.on_dask(client, cut_up(drawn))
    for take in (labeled_documents, lambda corpus: sample_documents(corpus, 50)):
        a, b = take(here), take(there)
        assert_array_equal(a.X.toarray(), b.X.toarray())
        assert_array_equal(a.y, b.y)


def test_an_error_in_what_is_summed_comes_back_as_it_is(client):
    corpus = clusters.on_dask(client, cut_up(draw_corpus(6)))
    model = MultinomialMixture(np.arange(2))  # and the documents have three classes
    with pytest.raises(ValueError, match="class codes must be below the number of classes, 2"):
        run_em(model, corpus, start(model, 0))


def test_the_driver_keeps_no_statistics_of_workers(client):
    model = MODELS["one component"]
    corpus = clusters.on_dask(client, cut_up(draw_corpus(10)))
    expectation = _EStep(model)
    for _ in range(3):
        sums = corpus.reduce(partial(expectation, start(model, 0), SOFT), expectation.add)
        expectation.release(sums)
    assert expectation.spare == []


@pytest.mark.parametrize(("n_threads", "expected"), [((1, 1), [5, 5]), ((1, 4), [2, 8])])
def test_parts_are_moved_to_workers_that_have_few(client, monkeypatch, n_threads, expected):
    cluster = Cluster(client)
    workers = sorted(cluster.n_threads())
    monkeypatch.setattr(cluster, "n_threads", lambda: dict(zip(workers, n_threads, strict=True)))
    parts = [cluster.submit(same, [number], workers=workers[:1]) for number in range(10)]
    cluster.wait(parts)
    balanced = cluster.balanced(parts)
    assert cluster.results(balanced) == [[number] for number in range(10)]
    assert [len(held) for _, held in cluster.places(balanced)] == expected
    assert cluster.balanced(balanced) == balanced


@pytest.mark.parametrize(("n_threads", "n_parts"), [(1, 1), (2, 2), (20, 10)])
def test_small_parts_of_a_worker_are_joined(client, monkeypatch, n_threads, n_parts):
    drawn = draw_corpus(3)
    corpus = clusters.on_dask(client, cut_up(drawn, 4), 10)
    cluster = corpus.cluster
    worker = sorted(cluster.n_threads())[0]
    here = [cluster.submit(same, part, workers=[worker]) for part in corpus.parts]
    monkeypatch.setattr(cluster, "n_threads", lambda: {worker: n_threads})
    parts = cluster.joined(here)
    assert len(parts) == n_parts
    assert list(dict(cluster.places(parts))) == [worker]
    blocks = [block for part in cluster.results(parts) for block in part]
    assert len(blocks) == n_parts
    numbers = np.concatenate([block.numbers for block in blocks])
    assert sorted(numbers.tolist()) == list(range(40))
    for block in blocks:
        assert (drawn.X[block.numbers] != block.X).nnz == 0
        assert_array_equal(block.y, drawn.y[block.numbers])


def test_blocks_of_joined_parts_are_no_larger_than_they_may_be(client, monkeypatch):
    monkeypatch.setattr(dask_corpora, "DOCUMENTS_PER_BLOCK", 10)
    corpus = clusters.on_dask(client, cut_up(draw_corpus(3), 4), 10)
    cluster = corpus.cluster
    worker = sorted(cluster.n_threads())[0]
    parts = cluster.joined([cluster.submit(same, p, workers=[worker]) for p in corpus.parts])
    sizes = [[len(block.y) for block in part] for part in cluster.results(parts)]
    assert sizes == [[8, 4], [8, 4], [8], [8]]


def test_a_block_knows_its_size():
    (block,) = cut_up(draw_corpus(7), 40)
    n_bytes = block.X.data.nbytes + block.X.indices.nbytes + block.X.indptr.nbytes
    n_bytes += block.y.nbytes + block.weight.nbytes + block.vectors.nbytes + block.numbers.nbytes
    assert n_bytes <= sys.getsizeof(block) <= n_bytes + 200


def test_a_cluster_without_workers_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(dask_corpora, "PATIENCE", 0.3)
    with clusters.threads(0) as client:
        cluster = Cluster(client)
        with pytest.raises(
            ClusterError, match=r"has no workers, and none connected .* dask worker inproc"
        ):
            cluster.wait_for_workers()
        with pytest.raises(ClusterError, match="has no worker"):
            cluster.result(cluster.submit(same_number, 1))


def same_number(number):
    return number
