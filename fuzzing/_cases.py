"""What every part has: cases that can be drawn, checked, made smaller and stored."""

import json
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol, Self, TypeVar

import leaven

__all__ = ["Case", "Fault", "Outcome", "checked_message", "drawn", "guarded", "quiet"]

PACKAGE = Path(leaven.__file__).resolve().parent
SECONDS = 20.0  # longest that one case may take, even on a busy machine
LONGEST = 600  # characters of a message
PREFIX = "leaven-fuzzing-"  # of temporary folders
T = TypeVar("T")


class Fault(Exception):
    """Something that must not happen: its kind, by which faults are grouped, and what was seen."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind, self.detail = kind, detail


class _TooSlow(BaseException):
    """Raised by the timer; no code that is being tested may catch it."""


@dataclass(frozen=True)
class Outcome:
    """What became of one case."""

    group: str  # the reader, or the kind of mutation
    result: str  # an expected outcome, or the kind of a fault
    detail: str = ""
    is_fault: bool = False


class Case(Protocol):
    """One input, and how to check it."""

    @property
    def group(self) -> str: ...

    def check(self, folder: Path) -> str:
        """The expected outcome that it had; a Fault is raised for any other."""

    def smaller(self) -> Iterator[Self]:
        """Simpler cases, the most promising first."""

    def to_json(self) -> dict[str, Any]: ...


def drawn(draw: Callable[[Random], T], part: str, seed: int, number: int) -> T:
    """The case of this number; it depends on nothing else."""
    return draw(Random(f"{part} {seed} {number}"))


def guarded(case: Case, folder: Path) -> Outcome:
    """Check a case; whatever happens becomes an outcome."""
    try:
        with _timed(), quiet():
            return Outcome(case.group, case.check(folder))
    except Fault as fault:
        return Outcome(case.group, fault.kind, fault.detail, is_fault=True)
    except _TooSlow:
        detail = f"stopped after {SECONDS:.0f} seconds"
        return Outcome(case.group, "takes too long", detail, is_fault=True)
    except Exception as error:
        kind, detail = described(error)
        return Outcome(case.group, kind, detail, is_fault=True)


def described(error: BaseException) -> tuple[str, str]:
    """An unexpected exception: its type and where leaven let it through, and its message."""
    frames = [
        f"{Path(frame.filename).name}:{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if PACKAGE in Path(frame.filename).resolve().parents
    ]
    place = frames[-1] if frames else "the check"
    return f"{type(error).__name__} in {place}", " ".join(str(error).split())[:200]


def checked_message(error: Exception) -> str:
    """The message of an expected error, which must be one line that can be printed."""
    message = re.sub(rf"[^\s']*/{PREFIX}[^\s']*/", "", str(error))  # without the folder
    if not message.isprintable():
        odd = next(character for character in message if not character.isprintable())
        kind = "surrogate" if "\ud800" <= odd <= "\udfff" else "line break or control character"
        raise Fault(f"message with a {kind}", repr(message[:200]))
    if len(message) > LONGEST:
        raise Fault(f"message over {LONGEST} characters", f"{len(message)}: {message[:200]}")
    return message


def pattern_of(message: str) -> str:
    """A message without what differs from case to case, to group messages by."""
    plain = re.sub(r"\bcase\.\S+", "FILE", message)
    plain = re.sub(r"'[^']*'|\"[^\"]*\"|\([^)]*\)", "…", plain)
    return re.sub(r"\d+", "N", plain)[:70]


@contextmanager
def quiet() -> Iterator[None]:
    """Make warnings and errors that Python would only print into faults."""
    ignored: list[str] = []
    hook = sys.unraisablehook
    sys.unraisablehook = lambda args: ignored.append(f"{args.err_msg} {args.exc_value!r}")
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            yield
    finally:
        sys.unraisablehook = hook
    if seen:
        raise Fault(f"{seen[0].category.__name__}", str(seen[0].message)[:200])
    if ignored:
        raise Fault("exception ignored", ignored[0][:200])


@contextmanager
def _timed() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def stored(case: Case, part: str, fault: Outcome, folder: Path) -> Path:
    """Write a case to a file of its own; ``python -m fuzzing --replay`` reads it."""
    content = {"part": part, "fault": fault.result, "detail": fault.detail, **case.to_json()}
    words = re.sub(r"[^a-z0-9]+", "-", f"{fault.group} {fault.result}".lower()).strip("-")
    path = folder / f"{part}-{words[:80].strip('-')}.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path
