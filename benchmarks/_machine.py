"""What the machine could do at best: memory bandwidth and arithmetic, measured by a small probe."""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from leaven._base.threads import count_threads, run_in_threads

MEGABYTES = 256  # more than caches hold
SIDE = 1536  # of the matrices that are multiplied
ROUNDS = 7
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


@dataclass(frozen=True)
class Machine:
    """The best rates that were measured, with all processors."""

    bytes_per_second: float  # read or written, of memory
    operations_per_second: float  # multiplications and additions, in float32

    def seconds(self, n_bytes: float, n_operations: float = 0.0) -> float:
        """The least time for so much traffic and arithmetic, if both go on at once."""
        return max(n_bytes / self.bytes_per_second, n_operations / self.operations_per_second)

    def to_json(self) -> dict[str, Any]:
        return {**facts(), **asdict(self)}


def probe(n_threads: int | None = None) -> Machine:
    """Measure the machine, in about a second."""
    n_threads = count_threads(n_threads)
    source = np.ones(MEGABYTES * 2**20 // 4, np.float32)
    target = np.empty_like(source)
    parts = [slice(len(source) * t // n_threads, len(source) * (t + 1) // n_threads)
             for t in range(n_threads)]  # fmt: skip

    def copy(thread: int) -> None:
        np.copyto(target[parts[thread]], source[parts[thread]])

    matrices = [np.ones((SIDE, SIDE), np.float32) for _ in range(n_threads)]
    products = [np.empty_like(matrix) for matrix in matrices]

    def multiply(thread: int) -> None:
        np.matmul(matrices[thread], matrices[thread], out=products[thread])

    with threadpool_limits(1, user_api="blas"):
        copying = _best(lambda: run_in_threads(copy, n_threads))
        multiplying = _best(lambda: run_in_threads(multiply, n_threads))
    return Machine(
        2 * source.nbytes / copying,  # each number is read and written
        2 * n_threads * SIDE**3 / multiplying,
    )


def facts() -> dict[str, Any]:
    """What a result depends on beside the code."""
    return {
        "processors": count_threads(None),
        "processor": _processor(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _best(task: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        task()
        best = min(best, time.perf_counter() - start)
    return best
