"""EM past one machine's memory: seconds per iteration and peak memory, wherever documents are.

As a suite: Dask on two local workers against two threads in memory, on 200,000 documents. By
itself, ``python -m benchmarks.scale --place stream --copies 100``: one measurement as JSON, of
20 Newsgroups that many times over (read repeatedly, not copied).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._common import Row, newsgroups
from leaven.corpora import Counted, Counting, FilesInMemory, FilesOnDisk, Uncounted
from leaven.documents import DocumentFiles
from leaven.learning import run_em, supervised_start
from leaven.learning._em import _EStep
from leaven.methods import METHODS
from leaven.methods._options import merged_text_options
from leaven.models import MultinomialMixture
from leaven.posteriors import SOFT

PLACES = ("memory", "stream", "dask")
LABELS_PER_CLASS = 15
ITERATIONS = 6
MOST = 1.2  # what an iteration on two workers may cost, in iterations in memory


@contextmanager
def newsgroup_file() -> Iterator[str]:
    """20 Newsgroups as one Parquet file, a few labels per class."""
    texts, names = newsgroups()
    rng = np.random.default_rng(0)
    labels: list[str | None] = [None] * len(texts)
    for name in sorted(set(names)):
        rows = [row for row, label in enumerate(names) if label == name]
        for row in rng.choice(rows, LABELS_PER_CLASS, replace=False):
            labels[row] = name
    table = pa.table({"text": texts, "label": pa.array(labels, pa.string())})
    with tempfile.TemporaryDirectory(prefix="leaven-scale-") as folder:
        path = f"{folder}/newsgroups.parquet"
        pq.write_table(table, path, row_group_size=5000)
        yield path


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        tempfile.TemporaryDirectory(prefix="leaven-dask-") as folder,
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address=":0",
            local_directory=folder,
        ) as cluster,
        Client(cluster, direct_to_workers=True) as client,
    ):
        yield client


def counted(place: str, path: str, copies: int, client: Any) -> Counted:
    method = METHODS["em"]
    how = Counting(partial(merged_text_options, method, {}))
    files = DocumentFiles([path] * copies, needs_labels=True)
    documents: Uncounted
    if place == "stream":
        documents = FilesOnDisk(files)
    elif place == "memory":
        documents = FilesInMemory(files)
    else:
        from leaven.corpora.dask import Cluster
        from leaven.corpora.dask_uncounted import FilesOnDask

        documents = FilesOnDask(files, Cluster(client))
    return documents.counted(how)


def iteration_seconds(data: Counted, iterations: int) -> list[float]:
    """Seconds of each EM iteration after the first."""
    training = data.training
    model = MultinomialMixture(np.arange(training.n_classes), n_threads=2)
    start, _ = supervised_start(model, training.corpus)
    times: list[float] = []

    def note(_step: int, _objective: float) -> None:
        times.append(time.perf_counter())

    run_em(model, training.corpus, start, max_iter=iterations, tol=-1.0, on_step=note)
    return np.diff(times).tolist()


def peak_gb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def measure(place: str, path: str, copies: int, n_workers: int = 2) -> dict[str, Any]:
    """One corpus in one place: time to count it, time per iteration, peak memory."""
    client: Any
    with local_cluster(n_workers) if place == "dask" else _nothing() as client:
        start = time.perf_counter()
        data = counted(place, path, copies, client)
        reading = time.perf_counter() - start
        seconds = iteration_seconds(data, ITERATIONS)
        found: dict[str, Any] = {
            "place": place,
            "n_documents": data.n_documents,
            "n_words": data.counter.n_words,
            "n_workers": n_workers if place == "dask" else None,
            "reading_seconds": reading,
            "iteration_seconds": seconds,
            "peak_gb": peak_gb(),
        }
        if place == "stream":
            found["cache_gb"] = data.training.corpus.n_bytes / 1e9  # type: ignore[attr-defined]
        if place == "dask":
            found["worker_peak_gb"] = sorted(client.run(peak_gb).values())
            found["profile"] = profile(data)
    return found


@contextmanager
def _nothing() -> Iterator[None]:
    yield None


def profile(data: Counted) -> dict[str, float]:
    """Where the time of an iteration on local workers goes: seconds of each step.

    Clocks of all processes are the same. The slowest worker counts, so that steps add up to more
    than an iteration.
    """
    from leaven.corpora import dask

    corpus: Any = data.training.corpus
    cluster = corpus.cluster
    model = MultinomialMixture(np.arange(data.training.n_classes), n_threads=2)
    params, _ = supervised_start(model, corpus)
    expectation = _EStep(model)
    work = dask._Sum(partial(expectation, params, SOFT), expectation.add)
    rounds: list[list[float]] = []
    for _ in range(ITERATIONS):
        begin = time.time()
        sums = [
            cluster.submit(_timed_sum, work, *parts, **dask._at(worker))
            for worker, parts in cluster.places(corpus.parts)
        ]
        results = cluster.results(sums)
        fetched = time.time()
        started, processor, ended = np.array([clocks for _, clocks in results]).T
        total, *rest = (part for part, _ in results)
        for part in rest:
            total = expectation.add(total, part)
        model.maximize(params, total)
        rounds.append(
            [
                (started - begin).max(),
                (ended - started).max(),
                processor.max(),
                fetched - ended.max(),
                time.time() - fetched,
            ]
        )
    steps = (
        "send parameters until work begins",
        "E-step and counts",
        "processor time of these",
        "fetch statistics",
        "add, M-step",
    )
    return dict(zip(steps, np.median(rounds, axis=0).tolist(), strict=True))


def _timed_sum(work: Any, *parts: Any) -> tuple[Any, tuple[float, float, float]]:
    """What a task computes; when it started, its processor time, and when it ended."""
    from leaven.corpora import dask

    started, processor = time.time(), time.thread_time()
    total = dask._sum_up(work, *parts)
    return total, (started, time.thread_time() - processor, time.time())


def measure_apart(place: str, path: str, copies: int, n_workers: int = 2) -> dict[str, Any]:
    """The same in a process of its own, so that peak memory is that of this measurement."""
    command = [sys.executable, "-m", "benchmarks.scale", "--place", place, "--path", path]
    command += ["--copies", str(copies), "--workers", str(n_workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run() -> list[Row]:
    """Dask against memory, alternating so that noise affects both equally."""
    with newsgroup_file() as path, local_cluster(2) as client:
        places = {place: counted(place, path, 10, client) for place in PLACES}
        seconds: dict[str, list[float]] = {place: [] for place in PLACES}
        for _ in range(4):
            for place, data in places.items():
                seconds[place] += iteration_seconds(data, ITERATIONS)
        steps = profile(places["dask"])
    best = {place: float(np.median(durations)) for place, durations in seconds.items()}
    return [
        Row(
            f"one EM iteration, 200,000 documents, {what}",
            best[place],
            "two threads in memory",
            best["memory"],
            target,
            details,
        )
        for place, what, target, details in (
            ("stream", "streamed from disk", None, {}),
            ("dask", "Dask, two local workers", 1 / MOST, {"profile": steps}),
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--place", choices=PLACES, required=True)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--path", help="a file to read instead of 20 Newsgroups")
    given = parser.parse_args()
    if given.path is not None:
        print(json.dumps(measure(given.place, given.path, given.copies, given.workers)))
        return
    with newsgroup_file() as path:
        print(json.dumps(measure_apart(given.place, path, given.copies, given.workers)))


if __name__ == "__main__":
    main()
