"""Dask clusters for tests: workers as threads of this process, or as processes of their own."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

from leaven.corpora.dask import Cluster, DaskCorpus, same


@contextmanager
def threads(n_workers: int = 2) -> Iterator[Client]:
    """Quick to start; nothing can be killed."""
    gc.collect()  # or a client may be collected while Dask holds the lock that it needs
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def processes(folder: Path, n_workers: int = 2, **settings: Any) -> Iterator[Client]:
    gc.collect()
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address=":0",
            local_directory=str(folder),
            silence_logs=60,
            **settings,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def by_hand(folder: Path, n_workers: int = 2) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler and workers as their commands start them; its JSON file and its process."""
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    lead = f"{sys.executable} -m dask %s --scheduler-file {file} "
    scheduler = subprocess.Popen(
        (lead % "scheduler" + "--port 0 --dashboard-address :0").split(), **quiet
    )
    rest = f"--nworkers {n_workers} --nthreads 1 --no-dashboard --local-directory {folder}/work"
    workers = subprocess.Popen((lead % "worker" + rest).split(), **quiet)
    try:
        deadline = time.monotonic() + 30
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        yield str(file), scheduler
    finally:
        for process in (workers, scheduler):
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def kill_a_worker(client: Client) -> None:
    """End one worker as the system does when memory runs out: without a word."""
    pids = client.run(os.getpid)
    os.kill(sorted(pids.values())[0], signal.SIGKILL)


def on_dask(client: Client, blocks: list[Any], n_parts: int = 3) -> DaskCorpus:
    """Blocks as a corpus on a cluster, in so many parts."""
    cluster = Cluster(client)
    parts = [blocks[first::n_parts] for first in range(min(n_parts, len(blocks)))]
    return DaskCorpus(cluster, [cluster.submit(same, part) for part in parts])
