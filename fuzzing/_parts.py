"""The parts whose cases run in process: how to draw a case, and how to read a stored one."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from fuzzing import files, models
from fuzzing._cases import Case

__all__ = ["PARTS", "Part"]


@dataclass(frozen=True)
class Part:
    """One kind of input."""

    draw: Callable[[Random], Case]
    from_json: Callable[[dict[str, Any]], Case]


PARTS = {
    "readers": Part(files.draw, files.FileCase.from_json),
    "models": Part(models.draw, models.ModelCase.from_json),
}
