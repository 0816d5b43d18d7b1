"""Progress bars below a notebook's cell, drawn as HTML: no widgets are needed."""

import sys
import time
from dataclasses import dataclass, field
from typing import Any

from leaven._base.html import bar, document, table
from leaven._base.tables import TextTable

__all__ = ["NotebookBars", "in_notebook"]

BETWEEN_DRAWINGS = 0.1  # seconds; each drawing is a message to the browser


def in_notebook() -> bool:
    """Whether cells of a notebook are executed, by Jupyter or something like it."""
    # Where IPython is not loaded there is no notebook, and importing it takes a second.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


@dataclass
class _Row:
    phase: str
    total: int | None
    amount: str
    completed: int = 0
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0  # until the last report, so that the time of phases that are over stands

    @property
    def cells(self) -> tuple[str, ...]:
        drawn = bar(self.completed / self.total) if self.total else ""
        return self.phase, drawn, self.amount, f"{self.seconds:.0f} s"


class NotebookBars:
    """Rows of phases and their bars, updated in place and removed in the end."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._handle: Any = None
        self._drawn = -BETWEEN_DRAWINGS

    def start(self) -> None:
        from IPython.display import display

        self._handle = display(self._content, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def add_task(self, phase: str, *, total: int | None, amount: str) -> int:
        self.rows.append(_Row(phase, total, amount))
        return len(self.rows) - 1

    def update(self, task: int, *, completed: int, total: int | None, amount: str) -> None:
        row = self.rows[task]
        now = time.monotonic()
        row.completed, row.total, row.amount = completed, total, amount
        row.seconds = now - row.began
        if now - self._drawn >= BETWEEN_DRAWINGS:
            self._drawn = now
            self._handle.update(self._content, raw=True)

    def stop(self) -> None:
        self.rows = []
        self._handle.update(self._content, raw=True)

    @property
    def _content(self) -> dict[str, str]:
        """The rows as HTML, and as text for programs that show none."""
        if not self.rows:
            return {"text/html": "", "text/plain": ""}
        plain = "\n".join(f"{row.phase:<12} {row.amount}" for row in self.rows)
        shown = TextTable(
            ("phase", "", "progress", "time"), [row.cells for row in self.rows], ("time",)
        )
        return {"text/html": document(table(shown)), "text/plain": plain}
