"""Smaller cases with the same fault: parts are removed for as long as it stays."""

import re
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from fuzzing._cases import Case, Outcome

__all__ = ["shorter", "shrunk"]

C = TypeVar("C", bound=Case)


def shrunk(
    case: C, fault: Outcome, check: Callable[[C], Outcome], seconds: float
) -> tuple[C, Outcome]:
    """The smallest case found in the time given that has a fault of the same kind."""
    deadline = time.monotonic() + seconds
    first = 0  # what could not be removed before most likely cannot be removed now
    while True:
        for number, candidate in enumerate(case.smaller()):
            if number < first:
                continue
            if time.monotonic() > deadline:
                return case, fault
            outcome = check(candidate)
            if outcome.is_fault and outcome.result == fault.result:
                case, fault, first = candidate, outcome, number
                break
        else:
            if first == 0:
                return case, fault
            first = 0


def shorter(content: bytes) -> Iterator[bytes]:
    """The content without some lines, or without some bytes, large parts first."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", content)
    yield from map(b"".join, _without_parts(lines))
    for size in _sizes(len(content)):
        for at in range(0, len(content), size):
            yield content[:at] + content[at + size :]


def _without_parts(parts: list[bytes]) -> Iterator[list[bytes]]:
    for size in _sizes(len(parts)):
        for at in range(0, len(parts), size):
            yield parts[:at] + parts[at + size :]


def _sizes(n: int) -> Iterator[int]:
    size = n // 2
    while size:
        yield size
        size //= 2
