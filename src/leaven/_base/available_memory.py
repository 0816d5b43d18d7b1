"""Memory that is available to this process, and a check before arrays that would not fit."""

import contextlib
import os
from pathlib import Path

__all__ = ["available_bytes", "check_memory"]

MEMINFO = Path("/proc/meminfo")
# Limits of containers, of both versions of control groups, and what counts against them.
CONTROL_GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)
SMALLEST_CHECKED = 2**30  # bytes; what needs less is not worth a look at the system
GIGABYTE = 1e9


def available_bytes() -> int | None:
    """The least that the system and the limits of the process leave; None where not known."""
    found = [each for each in (_of_system(), _of_container(), _of_process()) if each is not None]
    return max(min(found), 0) if found else None


def check_memory(n_bytes: float, what: str, advice: str) -> None:
    """Refuse work that needs more bytes than there are, before it starts."""
    if n_bytes < SMALLEST_CHECKED:
        return
    available = available_bytes()
    if available is not None and n_bytes > available:
        raise ValueError(
            f"{what} needs {n_bytes / GIGABYTE:.1f} GB of memory, but "
            f"{available / GIGABYTE:.1f} GB are available; {advice}"
        )


def _of_system() -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def _of_container() -> int | None:
    for limit, used in CONTROL_GROUPS:
        with contextlib.suppress(OSError, ValueError):  # "max" where there is no limit
            left = int(limit.read_text()) - int(used.read_text())
            return left + _cached_files(used.with_name("memory.stat"))
    return None


def _cached_files(statistics: Path) -> int:
    """Bytes of files read lately, which count as used but are given up when memory is needed."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in statistics.read_text().splitlines():
            if line.startswith(("inactive_file ", "total_inactive_file ")):
                return int(line.split()[1])
    return 0


def _of_process() -> int | None:
    """What limits such as ``ulimit -v`` leave."""
    with contextlib.suppress(ImportError, OSError, ValueError, IndexError):
        import resource  # not on every system

        sizes = [int(each) for each in Path("/proc/self/statm").read_text().split()]
        page = os.sysconf("SC_PAGE_SIZE")
        limits = ((resource.RLIMIT_AS, sizes[0]), (resource.RLIMIT_DATA, sizes[5]))
        left = [
            resource.getrlimit(kind)[0] - pages * page
            for kind, pages in limits
            if resource.getrlimit(kind)[0] != resource.RLIM_INFINITY
        ]
        return min(left) if left else None
    return None
