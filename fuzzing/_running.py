"""Cases run one after the other in worker processes, which may crash or hang without harm."""

import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any

from fuzzing._cases import PREFIX, SECONDS, Case, Outcome, drawn, guarded

__all__ = ["Tally", "run_cases", "run_here", "scratch"]

Draw = Callable[[Random], Case]

REPORT_SECONDS = 0.5  # how often a worker reports
PATIENCE = 4 * SECONDS  # a worker that has spent this long on one case hangs in compiled code


@dataclass
class Tally:
    """Outcomes counted, and the first case of every fault."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # part, group, result
    faults: dict[tuple[str, str, str], tuple[int, Outcome]] = field(default_factory=dict)

    def add(self, part: str, number: int, outcome: Outcome) -> None:
        key = (part, outcome.group, outcome.result)
        self.counts[key] += 1
        if outcome.is_fault:
            self.faults.setdefault(key, (number, outcome))

    def update(self, other: "Tally") -> None:
        self.counts.update(other.counts)
        for key, found in other.faults.items():
            self.faults[key] = min(self.faults.get(key, found), found, key=lambda pair: pair[0])


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one process; in memory where the system has such a place."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=memory) as folder:
        yield Path(folder)


def run_here(part: str, draw: Draw, seed: int, numbers: range) -> Tally:
    """Run cases in this process."""
    tally = Tally()
    with scratch() as folder:
        for number in numbers:
            tally.add(part, number, guarded(drawn(draw, part, seed, number), folder))
    return tally


@dataclass
class _Worker:
    process: Any
    connection: Connection
    current: Any  # number of the case at work
    since: Any  # when it began
    reported: int  # all its cases before this number are counted

    @property
    def hangs(self) -> bool:
        return bool(self.since.value and time.time() - self.since.value > PATIENCE)


def run_cases(
    part: str, draw: Draw, seed: int, n_cases: int, n_workers: int, deadline: float
) -> Tally:
    """Run the cases in processes until all are done or the time is over."""
    with scratch() as folder:  # made here, because a worker that crashes cannot remove its own
        return _run_in(folder, part, draw, seed, n_cases, n_workers, deadline)


def _run_in(
    folder: Path, part: str, draw: Draw, seed: int, n_cases: int, n_workers: int, deadline: float
) -> Tally:
    tally = Tally()

    def started(first: int, without: int | None = None) -> _Worker:
        numbers = range(first, n_cases, n_workers)
        place = Path(tempfile.mkdtemp(dir=folder))
        return _started(part, draw, seed, numbers, without, deadline, place)

    workers = [started(k) for k in range(n_workers)]
    while workers:
        wait([worker.connection for worker in workers], timeout=1)
        for worker in list(workers):
            is_done = _receive(worker, tally)
            if not is_done and not worker.hangs and worker.process.is_alive():
                continue
            is_done = is_done or _receive(worker, tally)
            workers.remove(worker)
            if is_done:
                worker.process.join()
                continue
            if not worker.since.value:
                raise RuntimeError(f"a worker ended with exit code {worker.process.exitcode}")
            number = worker.current.value
            result = "hangs" if worker.hangs else "crashes the process"
            worker.process.kill()
            worker.process.join()
            detail = f"exit code {worker.process.exitcode}"
            group = drawn(draw, part, seed, number).group
            tally.add(part, number, Outcome(group, result, detail, is_fault=True))
            workers.append(started(worker.reported, without=number))
    return tally


def _started(
    part: str,
    draw: Draw,
    seed: int,
    numbers: range,
    without: int | None,
    deadline: float,
    folder: Path,
) -> _Worker:
    # Spawned, because a fork would copy the threads' locks of this process.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    current, since = context.Value("q", numbers.start), context.Value("d", 0.0)
    arguments = (part, draw, seed, numbers, without, deadline, folder, current, since, there)
    process = context.Process(target=_work, args=arguments, daemon=True)
    process.start()
    there.close()
    return _Worker(process, here, current, since, numbers.start)


def _receive(worker: _Worker, tally: Tally) -> bool:
    """Take in what a worker reports; True after its last report."""
    try:
        while worker.connection.poll():
            report = worker.connection.recv()
            if report is None:
                return True
            found, worker.reported = report
            tally.update(found)
    except EOFError:
        pass
    return False


def _work(
    part: str,
    draw: Draw,
    seed: int,
    numbers: range,
    without: int | None,
    deadline: float,
    folder: Path,
    current: Any,
    since: Any,
    connection: Connection,
) -> None:
    tally = Tally()
    reported = time.monotonic()
    for number in numbers:
        if number == without:
            continue
        current.value, since.value = number, time.time()
        tally.add(part, number, guarded(drawn(draw, part, seed, number), folder))
        since.value = 0.0
        if time.monotonic() - reported > REPORT_SECONDS:
            connection.send((tally, number + numbers.step))
            tally, reported = Tally(), time.monotonic()
        if time.time() > deadline:  # after a case, so that no run is without any
            break
    connection.send((tally, numbers.stop))
    connection.send(None)
