"""Peak memory of a block of code, by sampling the process while it runs."""

import contextlib
import ctypes
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

__all__ = ["PeakMemory"]

SAMPLED_EVERY = 0.01  # seconds between two samples
MEBIBYTE = 2**20


class PeakMemory:
    """Peak memory while a block runs, above what the process used before, in MiB."""

    def __init__(self) -> None:
        self.added: float | None = None
        self._stop = threading.Event()
        self._watch: threading.Thread | None = None

    def __enter__(self) -> Self:
        before = _resident()
        if before is not None:
            _give_back()
            self._before = self._most = _resident() or before
            self._watch = threading.Thread(target=self._look, daemon=True)
            self._watch.start()
        return self

    def _look(self) -> None:
        while not self._stop.wait(SAMPLED_EVERY):
            self._most = max(self._most, _resident() or 0.0)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watch is not None:
            self._stop.set()
            self._watch.join()
            self.added = max(self._most, _resident() or 0.0) - self._before


def _resident() -> float | None:
    """Memory that the process uses, in MiB; None where it cannot be determined."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE
    except (OSError, ValueError, IndexError):
        return None


def _give_back() -> None:
    """Return freed memory to the system; reusing it would hide what the block needs."""
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):  # not every C library has it
        ctypes.CDLL(None).malloc_trim(0)
