"""Interrupts that cannot get lost: a signal is remembered until the program unwinds.

Python raises what a signal handler raises wherever the main thread happens to be. In a
finalizer or a callback of another library it is printed and dropped. So the handlers of the
command line record the signal, and the next step of the work raises the interrupt again.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Interrupted", "interruptible", "pending", "raise_pending", "uninterrupted"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(SystemExit):
    """A signal asked the program to end; its code is what a shell reports then."""


class _State:
    """Of the main thread, which alone runs handlers."""

    received: int | None = None  # the last signal
    n_shields = 0  # sections being run that must not be interrupted


def pending() -> Interrupted | None:
    """The interrupt that was received, even if other code has caught it."""
    return None if _State.received is None else Interrupted(128 + _State.received)


def raise_pending() -> None:
    """Raise an interrupt that was received; called at steps of long work, and before writing."""
    interrupt = pending()
    if interrupt is not None and not _State.n_shields:
        raise interrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, signals raise ``Interrupted``: for the program as a whole.

    Afterwards the interpreter shuts down. A signal cannot stop work that is done, and is ignored;
    after an interrupt, a second signal ends the process at once.
    """
    if not _is_main_thread():
        yield
        return
    default_hook, sys.unraisablehook = sys.unraisablehook, _quiet_about_interrupts
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    try:
        yield
    except Exception:
        raise_pending()  # the error is what an interrupt did to code that caught it
        raise
    finally:
        is_done = _State.received is None
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN if is_done else signal.SIG_DFL)
        sys.unraisablehook = default_hook if is_done else _drop
        _State.received = None


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Inside, signals are only recorded; one that was received meanwhile is raised at the end.

    For what must not be left halfway: starting processes, and removing what a program leaves.
    """
    if not _is_main_thread():
        yield
        return
    before = _State.received
    _State.n_shields += 1
    try:
        yield
    finally:
        _State.n_shields -= 1
    if before is None and not _State.n_shields:
        raise_pending()


def _interrupt(number: int, _frame: Any) -> None:
    _State.received = number
    if not _State.n_shields:
        raise_pending()


def _quiet_about_interrupts(unraisable: Any) -> None:
    """An interrupt in a finalizer or callback is raised again by the next step.

    Nor do errors matter that follow from it, such as those of a callback that was left halfway.
    """
    if _State.received is None:
        sys.__unraisablehook__(unraisable)


def _drop(_unraisable: Any) -> None:
    """What finalizers say while the interpreter ends early."""


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
