"""How many threads, and running in them."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from numbers import Integral
from typing import Any

__all__ = ["count_threads", "run_in_threads"]


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
    task: Callable[[int], Any], n_tasks: int, on_wait: Callable[[], Any] | None = None
) -> list[Any]:
    """Results of ``task(0)``, ``task(1)``, … run at once; ``on_wait`` is called meanwhile."""
    if n_tasks == 1 and on_wait is None:
        return [task(0)]
    with ThreadPoolExecutor(n_tasks) as pool:
        running: list[Future[Any]] = [pool.submit(task, number) for number in range(n_tasks)]
        pending = set(running)
        while pending:
            pending = wait(pending, timeout=0.1).not_done
            if on_wait is not None:
                on_wait()
    return [future.result() for future in running]
