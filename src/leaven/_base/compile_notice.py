"""The notice that kernels are being compiled, which the first run on a machine waits for."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from leaven._base.progress import Listener

__all__ = ["Notice", "log_notice", "log_unless_usual", "notices_to"]

# The benchmark "startup" measures how long it takes.
ONCE = "compiling numeric kernels, once per installation (usually less than half a minute)…"
EVERY_TIME = (
    "compiling numeric kernels (usually less than half a minute), in every process, because no "
    "folder for compiled code can be written; set the environment variable NUMBA_CACHE_DIR to a "
    "folder that can…"
)

Say = Callable[[str], None]


def log_notice(text: str) -> None:
    """Log the notice."""
    import multiprocessing  # rarely needed

    # Shown on stderr unless the application configures logging otherwise. Workers of a
    # cluster stay silent: their driver compiles the same kernels.
    if multiprocessing.parent_process() is None:
        logging.getLogger("leaven").warning(text)


def log_unless_usual(text: str) -> None:
    """Log only that compiled code cannot be kept: what bars show of compiling says the rest."""
    if text != ONCE:
        log_notice(text)


class Notice:
    """Says once that kernels are being compiled, reports their number, and measures the time."""

    def __init__(self) -> None:
        self.say: Say = log_notice
        self.progress: Listener | None = None
        self.is_said = False
        self.n_kernels = 0
        self.seconds = 0.0
        self._depth = 0
        self._began = 0.0

    def begin(self, is_kept: bool) -> None:
        """A kernel is about to be compiled; ``is_kept`` says whether the result is cached."""
        if not self.is_said:
            self.is_said = True
            self.say(ONCE if is_kept else EVERY_TIME)
        if self._depth == 0:
            self._began = time.perf_counter()
            self._report()
        self._depth += 1

    def end(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.n_kernels += 1
            self.seconds += time.perf_counter() - self._began
            self._report()

    def _report(self) -> None:
        if self.progress is not None:
            self.progress("compiling", self.n_kernels, 0)


NOTICE = Notice()


@contextmanager
def notices_to(say: Say, progress: Listener | None = None) -> Iterator[Notice]:
    """Inside, ``say`` gets the notice instead of the log, and ``progress`` every kernel."""
    before = NOTICE.say, NOTICE.progress
    NOTICE.say, NOTICE.progress = say, progress
    NOTICE.is_said, NOTICE.n_kernels, NOTICE.seconds = False, 0, 0.0
    try:
        yield NOTICE
    finally:
        NOTICE.say, NOTICE.progress = before
