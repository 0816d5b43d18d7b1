"""Progress callbacks: they report how far a task is, and can stop it early."""

from collections.abc import Callable
from typing import Literal, TypeAlias

__all__ = ["SILENT", "Listener", "OnDone", "OnProgress", "OnStep", "PhaseListener", "Progress"]

# Phase, done, total. Returning True stops the task early: the result so far is used.
Listener: TypeAlias = Callable[[str, int, int], object]
OnProgress: TypeAlias = Listener | Literal["bar"] | None  # "bar": progress bars
PhaseListener: TypeAlias = Callable[[int, int], bool]  # done, total; whether to stop
OnDone: TypeAlias = Callable[[int, int], object]  # done, total; the return value is ignored
OnStep: TypeAlias = Callable[[int, float], object]  # step, objective; True stops the iteration


class Progress:
    """Reports the progress of phases, and records whether the listener asked to stop."""

    def __init__(self, listener: Listener | None = None) -> None:
        self.listener = listener
        self.is_stopped = False

    def phase(self, name: str) -> PhaseListener | None:
        """Callback for a phase; None if there is no listener."""
        if self.listener is None:
            return None
        tell = self.listener

        def report(done: int, total: int) -> bool:
            # Only True: a listener written as a lambda may return anything.
            self.is_stopped |= tell(name, done, total) is True
            return self.is_stopped

        return report

    def steps(self, name: str, total: int) -> OnStep | None:
        """As ``phase``, for a loop that reports its step and its objective."""
        report = self.phase(name)
        if report is None:
            return None
        return lambda step, _objective: report(step, total)


SILENT = Progress()
