"""Clusters lose workers, memory and schedulers; training ends as without, or says why not."""

import contextlib
import os
import signal
import time
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import Client
from numpy.testing import assert_allclose

import clusters
from drawing import cut_up, draw_corpus
from leaven import TextClassifier
from leaven.corpora import dask as dask_corpora
from leaven.corpora.dask import Cluster
from leaven.exceptions import ClusterError

pytestmark = pytest.mark.slow
WORDS = {"space": "orbit planet star comet moon", "baking": "dough yeast oven flour crust"}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Eight Parquet files of documents, a few of them labeled."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    for number in range(8):
        texts, labels = [], []
        for i in range(200):
            own, other = (WORDS[name].split() for name in list(WORDS)[:: 1 if i % 2 else -1])
            texts.append(" ".join([*rng.choice(own, 6), *rng.choice(other, 3)]))
            labels.append(list(WORDS)[0 if i % 2 else 1] if i < 6 else None)
        table = pa.table({"text": texts, "label": pa.array(labels, pa.string())})
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=50)
    return str(folder)


@pytest.fixture(scope="module")
def undisturbed(data):
    return trained(data, None)


@pytest.fixture(scope="module")
def cluster_of_two(tmp_path_factory):
    with clusters.processes(tmp_path_factory.mktemp("cluster")) as own:
        yield own


@pytest.fixture
def client(cluster_of_two):
    cluster_of_two.wait_for_workers(2)  # whom the last test ended
    return cluster_of_two


def trained(data, client, on_progress=None):
    classifier = TextClassifier("em", calibrate=False, options={"tol": 1e-5})
    return classifier.fit_files(data, client=client, on_progress=on_progress)


def assert_same(found, expected):
    assert found.fitted.counter.vocabulary.words == expected.fitted.counter.vocabulary.words
    assert_allclose(found.report_.objective, expected.report_.objective, rtol=1e-6)
    a, b = found.fitted.mixture.params, expected.fitted.mixture.params
    assert_allclose(a.log_word, b.log_word, rtol=1e-4)
    assert_allclose(a.log_weight, b.log_weight, rtol=1e-4)


@contextlib.contextmanager
def at_step(number, action):
    """A progress callback that acts once, when EM has come so far."""
    done = []

    def watch(phase, step, _total):
        if phase == "EM" and step == number and not done:
            done.append(step)
            action()

    yield watch
    assert done


def test_a_worker_killed_between_iterations_changes_nothing(data, client, undisturbed):
    with at_step(1, partial(clusters.kill_a_worker, client)) as watch:
        assert_same(trained(data, client, watch), undisturbed)


def test_all_workers_killed_at_once_change_nothing(data, client, undisturbed):
    def kill_all():
        for pid in client.run(os.getpid).values():
            os.kill(pid, signal.SIGKILL)

    with at_step(1, kill_all) as watch:
        assert_same(trained(data, client, watch), undisturbed)


def die_once(marker, block):
    if not os.path.exists(marker):
        open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return np.asarray(block.X.sum(axis=0)).ravel()


def starve_once(marker, block):
    if not os.path.exists(marker):
        open(marker, "w").close()
        eaten = []
        while True:  # till the nanny, or the system, puts an end to it
            eaten.append(np.ones(5_000_000))
            time.sleep(0.01)
    return np.asarray(block.X.sum(axis=0)).ravel()


def test_a_worker_killed_in_the_middle_of_a_sum_changes_nothing(client, tmp_path):
    drawn = draw_corpus(0)
    corpus = clusters.on_dask(client, cut_up(drawn))
    total = corpus.reduce(partial(die_once, str(tmp_path / "died")))
    assert (tmp_path / "died").exists()
    assert_allclose(total, np.asarray(drawn.X.sum(axis=0)).ravel())


def test_a_worker_that_runs_out_of_memory_changes_nothing(tmp_path):
    drawn = draw_corpus(1)
    with clusters.processes(tmp_path, memory_limit="700MB") as client:
        corpus = clusters.on_dask(client, cut_up(drawn))
        total = corpus.reduce(partial(starve_once, str(tmp_path / "starved")))
    assert (tmp_path / "starved").exists()
    assert_allclose(total, np.asarray(drawn.X.sum(axis=0)).ravel())


def die(block):
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_ends_every_worker_is_said_in_one_sentence(client):
    corpus = clusters.on_dask(client, cut_up(draw_corpus(2)), 1)
    # The second, where workers take long to come back.
    said = "a task killed every worker that ran it|has no workers, and none connected within"
    with pytest.raises(ClusterError, match=said):
        corpus.reduce(die)


def test_a_scheduler_that_is_gone_is_told_within_thirty_seconds(data, tmp_path, undisturbed):
    with clusters.by_hand(tmp_path) as (file, scheduler):
        client = Client(scheduler_file=file, set_as_default=False)
        assert_same(trained(data, client), undisturbed)  # started by hand, it does as well
        killed = []

        def kill():
            clusters.end(scheduler)
            killed.append(time.monotonic())

        with (
            at_step(1, kill) as watch,
            pytest.raises(ClusterError, match=r"the Dask scheduler at tcp://.* is gone"),
        ):
            trained(data, client, watch)
        assert time.monotonic() - killed[0] < 30
        with contextlib.suppress(Exception):
            client.close(timeout=1)


def test_a_scheduler_that_does_not_answer_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_corpora, "ANSWER", (0.4, 0.6))
    with clusters.by_hand(tmp_path, 1) as (file, scheduler):
        client = Client(scheduler_file=file, set_as_default=False)
        client.wait_for_workers(1)
        cluster = Cluster(client)
        os.kill(scheduler.pid, signal.SIGSTOP)
        try:
            with pytest.raises(ClusterError, match="has not answered for 1 s"):
                cluster.n_threads()
        finally:
            os.kill(scheduler.pid, signal.SIGCONT)
        client.close()
