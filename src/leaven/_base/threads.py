"""Number of threads, and running tasks in them while the main thread can be interrupted."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

from leaven._base.interrupts import raise_pending

__all__ = ["count_threads", "outside_main_thread", "run_in_threads"]

T = TypeVar("T")


def count_threads(n_threads: int | None) -> int:
    """Number of threads to use: as given, or one per processor this process may use."""
    if n_threads is None or (n_threads == -1 and not isinstance(n_threads, bool)):
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if isinstance(n_threads, bool) or not isinstance(n_threads, Integral):
        raise TypeError(f"n_jobs must be a whole number, or None for all, got {n_threads!r}")
    if n_threads < 1:
        raise ValueError(f"n_jobs must be at least 1, or -1 or None for all, got {n_threads!r}")
    return int(n_threads)


def run_in_threads(
    task: Callable[[int], T], n_tasks: int, on_wait: Callable[[], object] | None = None
) -> list[T]:
    """Results of ``task(0)``, ``task(1)``, … run concurrently; ``on_wait`` is called meanwhile.

    The main thread only waits; another thread runs the first task itself, unless there is
    something to do while waiting. Threads are kept for the next call: an EM iteration can take
    less time than starting them. A task must not call this function itself.
    """
    if on_wait is None and not _is_main_thread():
        if n_tasks == 1:  # without the pool, which takes as long as classifying a short text
            return [task(0)]
        pool = _pool(os.getpid(), n_tasks)
        others = [pool.submit(task, i) for i in range(1, n_tasks)]
        try:
            first = task(0)
        finally:
            wait(others)
        return [first, *(future.result() for future in others)]
    pool = _pool(os.getpid(), n_tasks)
    return _results([pool.submit(task, i) for i in range(n_tasks)], on_wait)


def outside_main_thread(function: Callable[..., T], *arguments: Any) -> T:
    """``function(*arguments)``, run by another thread if this is the main one."""
    if not _is_main_thread():
        return function(*arguments)
    raise_pending()
    return _results([_pool(os.getpid(), 1).submit(function, *arguments)])[0]


def _is_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def _results(running: Sequence[Future[T]], on_wait: Callable[[], object] | None = None) -> list[T]:
    """Results of tasks; an interrupt is raised once none of them runs any more."""
    try:
        pending = set(running)
        while pending and on_wait is not None:
            pending = wait(pending, timeout=0.1).not_done
            on_wait()
        return [future.result() for future in running]
    except BaseException:
        for future in running:
            future.cancel()
        wait(running)  # which a second interrupt ends
        raise


@cache
def _pool(process: int, n_threads: int) -> ThreadPoolExecutor:
    """Pool of a process: a pool inherited through a fork has lost its threads."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="leaven")
