"""Batches of requests: what waits is computed together, as soon as the last batch is done.

There is no delay by which requests would wait for others. A batch that takes little time is
computed by the event loop itself, because handing it to a thread and back takes longer; others by a
thread, so that the loop goes on accepting. Requests that arrive meanwhile are the next batch.
"""

import asyncio
import functools
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from leaven.web._asgi import Refused

__all__ = ["Batcher", "Job", "Work"]

logger = logging.getLogger("leaven.serving")
SHORT = 0.003  # seconds that the event loop may compute itself
LEARNING_RATE = 0.2  # weight of the newest batch in the mean time per character
ASSUMED = 100  # characters that a text costs besides its own
PART = 256  # texts of one request that are computed before others get their turn
RETRY_AFTER = ((b"retry-after", b"1"),)
FAILED = "leaven could not do this; its log says more"


class Work(Protocol):
    """What jobs of one kind are done with, several at once."""

    seconds_per_character: float  # as measured; infinite: never by the event loop itself

    def __call__(self, jobs: "Sequence[Job]") -> list[list[Any]]:
        """Results of jobs, one for each of a job's texts."""
        ...


@dataclass(eq=False, slots=True)
class Job:
    """Texts of one request, or a part of them."""

    work: Work
    texts: list[str]
    wanted: Any  # of each text
    deadline: float  # of time.monotonic, after which nobody waits any more
    future: asyncio.Future[list[Any]]
    results: list[Any] = field(default_factory=list)
    n_done: int = 0

    @property
    def n_left(self) -> int:
        return len(self.texts) - self.n_done

    def part(self) -> "Job":
        """The texts to compute next."""
        if self.n_left <= PART and not self.n_done:
            return self
        texts = self.texts[self.n_done : self.n_done + PART]
        return Job(self.work, texts, self.wanted, self.deadline, self.future)


class Batcher:
    """Computes jobs in batches, one batch at a time.

    Parameters
    ----------
    max_batch : int
        Most texts of several requests that are computed together; at 1, each request alone.
    max_waiting : int
        Most texts that wait; requests that would exceed it are refused.
    seconds : float
        After so many seconds in the queue a request is refused instead of computed.
    on_batch : callable
        Told the number of texts of every batch.
    """

    def __init__(
        self,
        max_batch: int,
        max_waiting: int,
        seconds: float,
        on_batch: Callable[[int], object] = lambda _: None,
    ) -> None:
        self.max_batch, self.max_waiting, self.seconds = max_batch, max_waiting, seconds
        self.n_waiting = 0  # texts, those being computed included
        self._on_batch = on_batch
        self._jobs: deque[Job] = deque()
        self._is_scheduled = False  # a step will be taken, or a thread computes
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="leaven-batch")

    def submit(self, work: Work, texts: list[str], wanted: Any) -> asyncio.Future[list[Any]]:
        """Results of texts, in their order, or a refusal if too many wait."""
        # One request is always accepted, however many texts it has, or it never would be.
        if self.n_waiting and self.n_waiting + len(texts) > self.max_waiting:
            raise Refused(
                503,
                "overloaded",
                f"{self.n_waiting:,} texts are waiting, and at most {self.max_waiting:,} may; try "
                "again later",
                RETRY_AFTER,
            )
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Any]] = loop.create_future()
        self._jobs.append(Job(work, texts, wanted, time.monotonic() + self.seconds, future))
        self.n_waiting += len(texts)
        if not self._is_scheduled:
            self._is_scheduled = True
            loop.call_soon(self._step)
        return future

    def close(self) -> None:
        """Free the thread, which ends when its batch is done."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _step(self) -> None:
        """Compute short batches for a moment, or one long batch in the thread."""
        loop, end = asyncio.get_running_loop(), time.perf_counter() + SHORT
        while batch := self._next_batch():
            parts = [job.part() for job in batch]
            if batch[0].work.seconds_per_character * _n_characters(parts) > SHORT:
                running = loop.run_in_executor(self._pool, _computed, parts)
                running.add_done_callback(functools.partial(self._computed_in_thread, batch))
                return
            self._settle(batch, _computed(parts))
            if time.perf_counter() > end:  # replies are sent, and requests received
                loop.call_soon(self._step)
                return
        self._is_scheduled = False

    def _computed_in_thread(
        self, batch: list[Job], found: asyncio.Future[list[list[Any] | None]]
    ) -> None:
        if not found.cancelled():
            self._settle(batch, found.result())
        self._step()

    def _next_batch(self) -> list[Job]:
        """The first job, or a part of it, and those after it that go with it."""
        batch: list[Job] = []
        n_texts = 0
        while self._jobs:
            job = self._jobs[0]
            if job.future.done() or (job.deadline < time.monotonic() and not job.n_done):
                self._jobs.popleft()
                self._give_up(job)
                continue
            if batch and (job.work is not batch[0].work or n_texts + job.n_left > self.max_batch):
                break
            self._jobs.popleft()
            batch.append(job)
            n_texts += job.n_left
            if n_texts >= self.max_batch:
                break
        return batch

    def _give_up(self, job: Job) -> None:
        self.n_waiting -= job.n_left
        if not job.future.done():
            message = f"the request waited for {self.seconds:g} seconds; try again later"
            job.future.set_exception(Refused(503, "timeout", message, RETRY_AFTER))

    def _settle(self, batch: list[Job], results: list[list[Any] | None]) -> None:
        """Hand out results; a job with texts left goes to the end of the queue."""
        n_texts = 0
        for job, found in zip(batch, results, strict=True):
            if found is None:
                self.n_waiting -= job.n_left
                if not job.future.done():
                    job.future.set_exception(Refused(500, "internal", FAILED))
                continue
            n_texts += len(found)
            self.n_waiting -= len(found)
            job.n_done += len(found)
            job.results.extend(found)
            if job.n_left:
                self._jobs.append(job)
            elif not job.future.done():
                job.future.set_result(job.results)
        self._on_batch(n_texts)


def _n_characters(parts: Sequence[Job]) -> int:
    return sum(len(text) + ASSUMED for part in parts for text in part.texts)


def _computed(parts: Sequence[Job]) -> list[list[Any] | None]:
    """Results of a batch, None of a request that failed; how long it took is remembered.

    In the processor's time: on a busy machine, waiting for it would make every batch seem long.
    """
    work, start = parts[0].work, time.thread_time()
    try:
        results = work(parts)
    except Exception as error:  # which must not end the server, nor the queue
        if len(parts) > 1:  # one request must not fail those that arrived with it
            return [found for part in parts for found in _computed([part])]
        logger.error("a request failed: %s: %s", type(error).__name__, error)
        logger.debug("where it failed", exc_info=True)
        return [None]
    took = (time.thread_time() - start) / _n_characters(parts)
    if math.isfinite(work.seconds_per_character):
        work.seconds_per_character += LEARNING_RATE * (took - work.seconds_per_character)
    return [*results]
