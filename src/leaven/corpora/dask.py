"""A corpus on a Dask cluster: every worker holds the counts of the files that it read.

A pass sends one function to all workers (in EM: the current parameters) and adds up the results
in a tree; the documents stay where they are. The blocks of a lost worker are lost; Dask has
other workers read those pieces of files again.
"""

import copy
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from distributed import Client, Future, as_completed
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from leaven._base.typing import FloatArray
from leaven.corpora._base import Block, S
from leaven.corpora._cache import DOCUMENTS_PER_BLOCK, gathered
from leaven.exceptions import ClusterError

__all__ = ["Cluster", "DaskCorpus", "Task", "same"]

Task: TypeAlias = "Future[Any]"

FAN_IN = 8  # sums that one task adds up
MOST_COPIES = 4  # of what is summed, sent to each task; for more tasks workers pass it on
FOR_DRIVER = 2  # sums that the driver adds up itself: two workers need no third task
VALUES_PER_BLOCK = (
    1 << 23
)  # about 100 MB, so that workers with little memory can move blocks to disk
BLOCKS_PER_TASK = 4  # which must be in memory together; the others may be on disk
PATIENCE = 20.0  # seconds to wait without any worker
ANSWER = (1.0, 3.0, 8.0)  # timeouts in seconds of successive requests to the scheduler
CHECK = 1.0  # seconds between checks that the cluster is alive


class Cluster:
    """A Dask client that reports faults of its cluster as one-sentence errors."""

    def __init__(self, client: Client) -> None:
        self.client: Any = client
        self._lonely = 0.0

    @property
    def address(self) -> str:
        scheduler = self.client.scheduler
        return str(scheduler.address if scheduler is not None else "?")

    def submit(self, function: Callable[..., Any], *given: Any, **options: Any) -> Task:
        self._check_there()
        with warnings.catch_warnings():
            # Data sent with a task stays with the scheduler, so that it survives lost workers.
            warnings.filterwarnings("ignore", message="Sending large graph")
            task: Task = self.client.submit(function, *given, pure=False, **options)
        return task

    def result(self, future: Task) -> Any:
        """A task's result; waits only while the cluster is alive."""
        while True:
            try:
                with self._explained():
                    return future.result(timeout=CHECK)
            except TimeoutError:
                if future.status == "error":  # raised by the task itself
                    raise
                self._check_there()
                self._check_workers()

    def results(
        self, futures: Sequence[Task], on_done: Callable[[int, int], object] | None = None
    ) -> list[Any]:
        """All results, in order."""
        if on_done is not None:
            self.wait(futures, on_done)
        return [self.result(future) for future in futures]

    def wait(
        self, futures: Sequence[Task], on_done: Callable[[int, int], object] | None = None
    ) -> None:
        """Wait until all tasks are done; ``on_done(done, total)`` is called after each."""
        pending = set(futures)
        while pending:
            try:
                for future in self._completed(pending):
                    pending.discard(future)
                    if future.status == "error":
                        self.result(future)
                    if on_done is not None:
                        on_done(len(futures) - len(pending), len(futures))
            except TimeoutError:
                self._check_there()
                self._check_workers()

    def _completed(self, pending: set[Task]) -> Iterator[Task]:
        ended: Any = as_completed  # it has no type annotations
        yield from ended(list(pending), timeout=CHECK, loop=self.client.loop)

    def in_order(self, function: Callable[..., Any], given: Sequence[Any]) -> Iterator[Any]:
        """Results of a function of each of ``given``, in order; a few tasks are submitted ahead."""
        ahead = 2 * max(1, sum(self.n_threads().values()))
        futures: list[Task] = []
        for argument in given:
            futures.append(self.submit(function, argument))
            if len(futures) > ahead:
                yield self.result(futures.pop(0))
        while futures:
            yield self.result(futures.pop(0))

    def places(self, futures: Sequence[Task]) -> list[tuple[str, list[Task]]]:
        """Futures by the worker that holds them; each is listed once."""
        keys = [future.key for future in futures]
        holders = self._asked("who_has", keys=keys)
        by_worker: dict[str, list[Task]] = {}
        for future in futures:
            workers = holders.get(future.key) or ("",)
            by_worker.setdefault(sorted(workers)[0], []).append(future)
        return sorted(by_worker.items())

    def n_threads(self) -> dict[str, int]:
        """Threads of each worker."""
        return dict(self._asked("ncores"))

    def balanced(self, futures: Sequence[Task]) -> list[Task]:
        """The futures, of which some are copied to workers that have fewer for their threads."""
        n_threads = self.n_threads()
        held: dict[str, list[Task]] = {worker: [] for worker in n_threads}
        held |= dict(self.places(futures))
        moved: dict[Any, Task] = {}
        while len(n_threads) > 1:
            load = {worker: len(held[worker]) / n for worker, n in n_threads.items()}
            most, least = max(load, key=load.__getitem__), min(load, key=load.__getitem__)
            if (len(held[least]) + 1) / n_threads[least] >= load[most]:
                break
            future = held[most].pop()
            moved[future.key] = self.submit(same, future, **_at(least))
            held[least].append(moved[future.key])
        self.wait(list(moved.values()))
        return [moved.get(future.key, future) for future in futures]

    def joined(self, parts: Sequence[Task]) -> list[Task]:
        """Parts of one worker as few larger ones, but at least one for each of its threads.

        Every block costs a table of statistics that is written and added up.
        """
        n_threads = self.n_threads()
        sizes = self.results([self.submit(_size, part) for part in parts])
        size_of = dict(zip(parts, sizes, strict=True))
        joined = []
        for worker, held in self.places(parts):
            most_used = sum(size_of[part] for part in held).max()
            n_groups = max(n_threads.get(worker, 1), math.ceil(most_used))
            for first in range(min(n_groups, len(held))):
                group = held[first::n_groups]
                joined.append(
                    self.submit(_join, *group, **_at(worker)) if len(group) > 1 else group[0]
                )
        self.wait(joined)
        return joined

    def _asked(self, question: str, **given: Any) -> Any:
        """The scheduler's answer; a ClusterError if it does not answer in time."""
        for seconds in ANSWER:
            self._check_there()
            try:
                with self._explained():
                    ask = getattr(self.client.scheduler, question)
                    return self.client.sync(ask, callback_timeout=seconds, **given)
            except TimeoutError:
                continue  # the scheduler may be lost, which the client notices meanwhile
        self._check_there()
        raise ClusterError(
            f"the Dask scheduler at {self.address} has not answered for {sum(ANSWER):.0f} s; "
            "check that it is still running, and try again"
        )

    def wait_for_workers(self) -> None:
        """Refuse a cluster without a worker."""
        while not self.n_threads():
            self._check_workers(PATIENCE)

    def _check_there(self) -> None:
        if self.client.status != "running":
            raise self._gone()

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"the Dask scheduler at {self.address} is gone, and with it the data of its workers; "
            "restart it and try again"
        )

    def _check_workers(self, waited: float = CHECK) -> None:
        if self.n_threads():
            self._lonely = 0.0
            return
        try:
            self.client.wait_for_workers(1, timeout=waited)
        except TimeoutError:
            self._lonely += waited
        if self._lonely >= PATIENCE:
            raise ClusterError(
                f"the Dask scheduler at {self.address} has no workers, and none connected "
                f"within {PATIENCE:.0f} s; start some with: dask worker {self.address}"
            )

    def _explained(self) -> "_Explained":
        return _Explained(self)


class _Explained:
    """Turns errors of Dask into one-sentence errors."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, KilledWorker):
            raise ClusterError(
                "a task killed every worker that ran it, most likely for lack of memory; give "
                "workers more memory (dask worker --memory-limit)"
            ) from None
        # An OSError raised by a task has nothing to do with the cluster.
        lost = isinstance(error, (CommClosedError, FutureCancelledError))
        is_fault = error is None or isinstance(error, Exception)
        if lost or (is_fault and self.cluster.client.status != "running"):
            raise self.cluster._gone() from None


@dataclass(frozen=True)
class _Sum:
    """What to sum, and how; in EM, with the current parameters."""

    summarize: Callable[[Block], Any]
    add: Callable[[Any, Any], Any]


def _sum_up(work: _Sum, *parts: list[Block]) -> Any:
    """Sum over the blocks of some pieces of files."""
    blocks = (block for part in parts for block in part)
    return reduce(work.add, map(work.summarize, blocks))


def _add_up(add: Callable[[Any, Any], Any], *sums: Any) -> Any:
    # Copied, because adding may modify data that Dask may still send elsewhere.
    return reduce(add, copy.deepcopy(sums))


def _counts_of(part: list[Block]) -> tuple[int, np.dtype[Any]] | None:
    return next(((block.X.shape[1], np.dtype(block.X.dtype)) for block in part), None)


def _size(part: list[Block]) -> FloatArray:
    """Documents and values, as shares of what a block may have."""
    sizes = [(len(block.y) / DOCUMENTS_PER_BLOCK, block.X.nnz / VALUES_PER_BLOCK) for block in part]
    used: FloatArray = np.array(sizes).reshape(-1, 2).sum(axis=0)
    return used


def _join(*parts: list[Block]) -> list[Block]:
    """The documents of several parts in blocks as large as can be."""
    blocks = gathered(chain.from_iterable(parts), VALUES_PER_BLOCK, DOCUMENTS_PER_BLOCK)
    return [block.kept() for block in blocks]


def _changed(change: Callable[[Block], Block], part: list[Block]) -> list[Block]:
    return [change(block).kept() for block in part]


class DaskCorpus:
    """Blocks on the workers of a cluster.

    Parameters
    ----------
    cluster : Cluster
        The cluster that holds them.
    parts : sequence of Future of list of Block
        Each holds the blocks of one piece of a file, computed by a task that can be rerun.
    """

    def __init__(self, cluster: Cluster, parts: Sequence[Task]) -> None:
        self.cluster = cluster
        self.parts = list(parts)

    @cached_property
    def _counts(self) -> tuple[int, np.dtype[Any]]:
        """Columns and precision of the counts, from the first part that has any."""
        for part in self.parts:
            counts: tuple[int, np.dtype[Any]] | None
            counts = self.cluster.result(self.cluster.submit(_counts_of, part))
            if counts is not None:
                return counts
        raise ClusterError("the cluster contains no documents; check the paths that it read")

    @property
    def n_words(self) -> int:
        return self._counts[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._counts[1]

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        cluster = self.cluster
        n_threads = cluster.n_threads()
        of_tasks: list[tuple[str, list[list[Task]]]] = []  # parts of each task on each worker
        for worker, parts in cluster.places(self.parts):
            n_tasks = max(n_threads.get(worker, 1), -(-len(parts) // BLOCKS_PER_TASK))
            n_tasks = min(n_tasks, len(parts))
            of_tasks.append((worker, [parts[first::n_tasks] for first in range(n_tasks)]))
        # Sent as a task or with one, so that the scheduler can send it again when workers are lost.
        work: Any = _Sum(summarize, add)
        if sum(len(tasks) for _, tasks in of_tasks) > MOST_COPIES:
            work = cluster.submit(same, work)
        sums = []
        for worker, tasks in of_tasks:
            of_worker = [cluster.submit(_sum_up, work, *parts, **_at(worker)) for parts in tasks]
            # The sums of one worker are added up there.
            sums.append(
                of_worker[0]
                if len(of_worker) == 1
                else cluster.submit(_add_up, add, *of_worker, **_at(worker))
            )
        while len(sums) > FOR_DRIVER:
            sums = [
                cluster.submit(_add_up, add, *sums[first : first + FAN_IN])
                for first in range(0, len(sums), FAN_IN)
            ]
        total: S = reduce(add, cluster.results(sums))
        return total

    def map(self, change: Callable[[Block], Block]) -> "DaskCorpus":
        """The corpus of the changed blocks, on the same workers."""
        cluster = self.cluster
        how = cluster.submit(same, change)
        parts = [
            cluster.submit(_changed, how, part, **_at(worker))
            for worker, held in cluster.places(self.parts)
            for part in held
        ]
        cluster.wait(parts)
        return DaskCorpus(cluster, parts)


def _at(worker: str) -> dict[str, Any]:
    """Options to run where the blocks are; elsewhere only if that worker is lost."""
    return {"workers": [worker], "allow_other_workers": True} if worker else {}


def same(content: Any) -> Any:
    """The argument itself: data sent with a task stays with the scheduler."""
    return content
