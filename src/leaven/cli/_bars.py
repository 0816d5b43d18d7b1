"""Progress bars on stderr."""

import sys
import time
from typing import Any

__all__ = ["Bars", "readable_size"]

BYTE_PHASES = ("reading", "counting")
PATIENCE = 1.0  # seconds before a progress bar appears


class Bars:
    """Progress bars on a terminal, each shown once its phase has taken a second."""

    def __init__(self, *, is_shown: bool = True) -> None:
        self.is_shown = is_shown
        self._started: dict[str, float] = {}
        self._tasks: dict[str, Any] = {}
        self._display: Any = None

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        started = self._started.setdefault(phase, now)
        if phase not in self._tasks:
            is_over = 0 < total <= done  # a total of 0 is not known
            is_slow = now - started >= PATIENCE and not is_over
            if not (self.is_shown and is_slow and sys.stderr.isatty()):
                return
            if self._display is None:
                self._display = _progress_display()
                self._display.start()
            self._tasks[phase] = self._display.add_task(phase, total=total or None, amount="")
        if phase in BYTE_PHASES:
            amount = f"{readable_size(done)} of {readable_size(total)}"
        elif not total:
            amount = f"{done:,} done"
        elif phase == "EM":
            amount = f"iteration {done} of at most {total}"
        else:
            amount = f"{done:,} of {total:,}"
        self._display.update(self._tasks[phase], completed=done, total=total or None, amount=amount)

    def stop(self) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None
            self._tasks = {}


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
