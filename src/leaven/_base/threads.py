"""Number of threads, and running tasks in them."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from numbers import Integral
from typing import TypeVar

__all__ = ["count_threads", "run_in_threads"]

T = TypeVar("T")


def count_threads(n_threads: int | None) -> int:
    """Number of threads to use: as given, or one per processor this process may use."""
    if n_threads is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if isinstance(n_threads, bool) or not isinstance(n_threads, Integral):
        raise TypeError(f"n_threads must be a whole number, or None for all, got {n_threads!r}")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, or None for all, got {n_threads!r}")
    return int(n_threads)


def run_in_threads(
    task: Callable[[int], T], n_tasks: int, on_wait: Callable[[], object] | None = None
) -> list[T]:
    """Results of ``task(0)``, ``task(1)``, … run concurrently; ``on_wait`` is called meanwhile.

    Without ``on_wait`` the calling thread runs the first task itself. Threads are kept for
    the next call: an EM iteration can take less time than starting them. A task must not
    call this function itself.
    """
    if on_wait is None:
        others = [_pool(os.getpid(), n_tasks).submit(task, i) for i in range(1, n_tasks)]
        try:
            first = task(0)
        finally:
            wait(others)
        return [first, *(future.result() for future in others)]
    pool = _pool(os.getpid(), n_tasks)
    running: list[Future[T]] = [pool.submit(task, number) for number in range(n_tasks)]
    pending = set(running)
    while pending:
        pending = wait(pending, timeout=0.1).not_done
        on_wait()
    return [future.result() for future in running]


@cache
def _pool(process: int, n_threads: int) -> ThreadPoolExecutor:
    """Pool of a process: a pool inherited through a fork has lost its threads."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="leaven")
