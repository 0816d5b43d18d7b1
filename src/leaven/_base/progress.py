"""Who is told how far a piece of work has come, and may ask for its end."""

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["SILENT", "Listener", "OnDone", "OnStep", "PhaseListener", "Progress"]

# Phase, done, total. The answer True asks for the end: what was reached so far is used.
Listener: TypeAlias = Callable[[str, int, int], object]
PhaseListener: TypeAlias = Callable[[int, int], bool]  # done, total; whether to end
OnDone: TypeAlias = Callable[[int, int], object]  # done, total; the answer does not matter
OnStep: TypeAlias = Callable[[int, float], object]  # step, objective; True ends the climb


class Progress:
    """Passes on how far phases have come, and remembers whether an end was asked for."""

    def __init__(self, listener: Listener | None = None) -> None:
        self.listener = listener
        self.is_stopped = False

    def phase(self, name: str) -> PhaseListener | None:
        """What to call during a phase; None where nobody listens."""
        if self.listener is None:
            return None
        tell = self.listener

        def report(done: int, total: int) -> bool:
            # True alone: a listener written as a lambda may return anything.
            self.is_stopped |= tell(name, done, total) is True
            return self.is_stopped

        return report

    def steps(self, name: str, total: int) -> OnStep | None:
        """As :meth:`phase`, for a loop that tells its step and its objective."""
        report = self.phase(name)
        if report is None:
            return None
        return lambda step, _objective: report(step, total)


SILENT = Progress()
