"""Progress bars: on terminals, on stderr, and in notebooks, below the cell."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from leaven._base.compile_notice import log_notice, log_unless_usual, notices_to
from leaven._base.notebooks import NotebookBars, in_notebook
from leaven._base.progress import Listener, OnProgress

__all__ = ["Bars", "listening", "readable_size"]

BYTE_PHASES = ("reading", "counting")
PATIENCE = 1.0  # seconds before a progress bar appears


class Bars:
    """Progress bars, each shown once its phase has taken a second."""

    def __init__(self, *, is_shown: bool = True) -> None:
        self.is_shown = is_shown
        self._started: dict[str, float] = {}
        self._tasks: dict[str, Any] = {}
        self._display: Any = None
        self._lock = threading.RLock()  # files are read and counted by other threads

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        with self._lock:
            started = self._started.setdefault(phase, now)
            if phase not in self._tasks:
                is_over = 0 < total <= done  # a total of 0 is not known
                is_slow = now - started >= PATIENCE and not is_over
                if not (self.is_shown and is_slow and _can_draw()):
                    return
                if self._display is None:
                    self._display = NotebookBars() if in_notebook() else _progress_display()
                    self._display.start()
                self._tasks[phase] = self._display.add_task(phase, total=total or None, amount="")
            self._display.update(
                self._tasks[phase],
                completed=done,
                total=total or None,
                amount=_amount(phase, done, total),
            )

    def stop(self) -> None:
        with self._lock:
            if self._display is not None:
                self._display.stop()
                self._display = None
                self._tasks = {}


@contextmanager
def listening(on_progress: OnProgress) -> Iterator[Listener | None]:
    """What a task reports its progress to: the function given, or bars that end with the task."""
    if on_progress is None or callable(on_progress):
        yield on_progress
        return
    if on_progress != "bar":
        raise ValueError(
            f"on_progress must be a function, 'bar' or None, got {on_progress!r}; 'bar' shows "
            "progress bars"
        )
    bars = Bars()
    with notices_to(log_unless_usual if _can_draw() else log_notice, bars):
        try:
            yield bars
        finally:
            bars.stop()


def _can_draw() -> bool:
    return in_notebook() or sys.stderr.isatty()


def _amount(phase: str, done: int, total: int) -> str:
    if phase in BYTE_PHASES:
        return f"{readable_size(done)} of {readable_size(total)}"
    if phase == "compiling":
        return f"{done:,} numeric kernels, on first use"
    if not total:
        return f"{done:,} done"
    if phase == "EM":
        return f"iteration {done} of at most {total}"
    return f"{done:,} of {total:,}"


def _progress_display() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )


def readable_size(n_bytes: int) -> str:
    """Bytes in a readable unit."""
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    power = 1 if n_bytes < 1000**2 else 2 if n_bytes < 1000**3 else 3
    return f"{n_bytes / 1000**power:.1f} {('kB', 'MB', 'GB')[power - 1]}"
