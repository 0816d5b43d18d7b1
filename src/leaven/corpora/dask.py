"""A corpus on a Dask cluster: every worker keeps the counts of the files that it read.

A pass sends one function to all workers (in EM: the current parameters) and adds up what comes
back in a tree; the documents stay where they are. A worker that is lost takes its blocks with
it; Dask has others read those pieces of files again.
"""

import copy
import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, TypeAlias

import numpy as np
from distributed import Client, Future, as_completed
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from leaven.corpora._base import Block, S
from leaven.exceptions import ClusterError

__all__ = ["Cluster", "DaskCorpus", "Task", "same"]

Task: TypeAlias = "Future[Any]"

FAN_IN = 8  # statistics added up by one task
FOR_DRIVER = 2  # sums that the driver may add up itself: two workers need no third step
BLOCKS_PER_TASK = 8  # which must all be in memory at once; the others may wait on disk
PATIENCE = 20.0  # seconds without any worker
ANSWER = (1.0, 3.0, 8.0)  # seconds that the scheduler may take to answer, asked again each time
CHECK = 1.0  # seconds between looks at whether the cluster is still there


class Cluster:
    """A Dask client that says in one sentence what is wrong with its cluster."""

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
            # What is sent with a task stays with the scheduler, so that no lost worker matters.
            warnings.filterwarnings("ignore", message="Sending large graph")
            task: Task = self.client.submit(function, *given, pure=False, **options)
        return task

    def result(self, future: Task) -> Any:
        """A task's result; waits no longer than the cluster is there."""
        while True:
            try:
                with self._explained():
                    return future.result(timeout=CHECK)
            except TimeoutError:
                if future.status == "error":  # the task's own
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
        """Wait till all is done; ``on_done(done, total)`` is called as tasks end."""
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
        ended: Any = as_completed  # without types of its own
        yield from ended(list(pending), timeout=CHECK, loop=self.client.loop)

    def in_order(self, function: Callable[..., Any], given: Sequence[Any]) -> Iterator[Any]:
        """Results of a function of each of ``given``, of which a few are waiting at a time."""
        ahead = 2 * max(1, sum(self.n_threads().values()))
        futures: list[Task] = []
        for own in given:
            futures.append(self.submit(function, own))
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
            own = holders.get(future.key) or ("",)
            by_worker.setdefault(sorted(own)[0], []).append(future)
        return sorted(by_worker.items())

    def n_threads(self) -> dict[str, int]:
        """Threads of each worker."""
        return dict(self._asked("ncores"))

    def _asked(self, question: str, **given: Any) -> Any:
        """What the scheduler answers, if it does in time."""
        for seconds in ANSWER:
            self._check_there()
            try:
                with self._explained():
                    ask = getattr(self.client.scheduler, question)
                    return self.client.sync(ask, callback_timeout=seconds, **given)
            except TimeoutError:
                continue  # it may be gone, which the client notices meanwhile
        self._check_there()
        raise ClusterError(
            f"the Dask scheduler at {self.address} has not answered for {sum(ANSWER):.0f} s; see "
            "whether it is still running, and try again"
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
            f"the Dask scheduler at {self.address} is gone, and with it what its workers held; "
            "start it again and try again"
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
                f"the Dask scheduler at {self.address} has no worker, and none came for "
                f"{PATIENCE:.0f} s; start some with: dask worker {self.address}"
            )

    def _explained(self) -> "_Explained":
        return _Explained(self)


class _Explained:
    """Turns what Dask raises into one sentence."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, KilledWorker):
            raise ClusterError(
                "a step ended every worker that tried it, most likely for lack of memory; give "
                "workers more (dask worker --memory-limit)"
            ) from None
        # A task's own OSError has nothing to do with the cluster.
        lost = isinstance(error, (CommClosedError, FutureCancelledError))
        is_fault = error is None or isinstance(error, Exception)
        if lost or (is_fault and self.cluster.client.status != "running"):
            raise self.cluster._gone() from None


@dataclass(frozen=True)
class _Sum:
    """What to add up, and how; sent to every worker once for a pass."""

    summarize: Callable[[Block], Any]
    add: Callable[[Any, Any], Any]


def _sum_up(work: _Sum, *parts: list[Block]) -> Any:
    """Sum over the blocks of some pieces of files."""
    blocks = (block for part in parts for block in part)
    return reduce(work.add, map(work.summarize, blocks))


def _add_up(work: _Sum, *sums: Any) -> Any:
    # Copied, because adding may change what Dask may still want to send elsewhere.
    return reduce(work.add, copy.deepcopy(sums))


def _counts_of(part: list[Block]) -> tuple[int, np.dtype[Any]] | None:
    return next(((block.X.shape[1], np.dtype(block.X.dtype)) for block in part), None)


def _changed(change: Callable[[Block], Block], part: list[Block]) -> list[Block]:
    return [change(block) for block in part]


class DaskCorpus:
    """Blocks on the workers of a cluster.

    Parameters
    ----------
    cluster : Cluster
        Where they are.
    parts : sequence of Future of list of Block
        Each the blocks of one piece of a file, made by a task that can be run again.
    """

    def __init__(self, cluster: Cluster, parts: Sequence[Task]) -> None:
        self.cluster = cluster
        self.parts = list(parts)

    @cached_property
    def _counts(self) -> tuple[int, np.dtype[Any]]:
        """Columns and precision of the counts, as the first part that holds any tells."""
        for part in self.parts:
            found: tuple[int, np.dtype[Any]] | None
            found = self.cluster.result(self.cluster.submit(_counts_of, part))
            if found is not None:
                return found
        raise ClusterError("the cluster holds no document; check the paths that it read")

    @property
    def n_words(self) -> int:
        return self._counts[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._counts[1]

    def reduce(self, summarize: Callable[[Block], S], add: Callable[[S, S], S] = operator.add) -> S:
        work = _Sum(summarize, add)
        cluster = self.cluster
        # With a task and so with the scheduler, which can send it again when workers are lost.
        sent = cluster.submit(same, work)
        n_threads = cluster.n_threads()
        sums = []
        for worker, parts in cluster.places(self.parts):
            n_tasks = max(n_threads.get(worker, 1), -(-len(parts) // BLOCKS_PER_TASK))
            own = [
                cluster.submit(_sum_up, sent, *parts[first::n_tasks], **_at(worker))
                for first in range(min(n_tasks, len(parts)))
            ]
            # What is on one machine is added up there.
            sums.append(
                own[0] if len(own) == 1 else cluster.submit(_add_up, sent, *own, **_at(worker))
            )
        while len(sums) > FOR_DRIVER:
            sums = [
                cluster.submit(_add_up, sent, *sums[first : first + FAN_IN])
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
            for worker, own in cluster.places(self.parts)
            for part in own
        ]
        cluster.wait(parts)
        return DaskCorpus(cluster, parts)


def _at(worker: str) -> dict[str, Any]:
    """Run where the blocks are; elsewhere only if that worker is gone."""
    return {"workers": [worker], "allow_other_workers": True} if worker else {}


def same(content: Any) -> Any:
    """What was sent along with the task, and so stays with the scheduler."""
    return content
