"""Interrupts that cannot get lost: a signal is remembered until the program unwinds.

Python raises what a signal handler raises wherever the main thread happens to be. In a
finalizer or a callback of another library it is printed and dropped. So the handlers of the
command line record the interrupt, and the next step of the work raises it again.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Interrupted", "interruptible", "raise_pending"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_pending: list[BaseException] = []


class Interrupted(SystemExit):
    """A signal asked the program to end; its code is what a shell reports then."""


def raise_pending() -> None:
    """Raise an interrupt that was received; called at steps of long work, and before writing."""
    if _pending:
        raise _pending[0]


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, signals raise :class:`Interrupted`; afterwards they end the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    default_hook, sys.unraisablehook = sys.unraisablehook, _quiet_about_interrupts
    try:
        yield
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        sys.unraisablehook = default_hook
        _pending.clear()


def _interrupt(number: int, _frame: Any) -> None:
    _pending[:] = [Interrupted(128 + number)]
    raise _pending[0]


def _quiet_about_interrupts(unraisable: Any) -> None:
    """An interrupt in a finalizer is raised again by the next step."""
    if not isinstance(unraisable.exc_value, Interrupted):
        sys.__unraisablehook__(unraisable)
