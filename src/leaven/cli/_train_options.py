"""Options of ``leaven train`` that need reading: their choices, and text into values."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

__all__ = [
    "Correspondence",
    "MethodName",
    "Ranking",
    "read_components",
    "read_share",
    "read_stop_words",
    "read_whole",
]


class MethodName(StrEnum):
    """Names that TextClassifier knows; a test compares."""

    auto = "auto"
    nb = "nb"
    em = "em"
    mixture = "mixture"
    annealed = "annealed"
    sfe = "sfe"
    two_view = "two-view"


class Ranking(StrEnum):
    """How words compete for a place in a limited vocabulary."""

    frequency = "frequency"
    mutual_information = "mutual_information"


class Correspondence(StrEnum):
    """Which class each component has after annealing; a test compares."""

    as_is = "as-is"
    labels = "labels"
    em = "em"


def read_share(option: str, value: str) -> float:
    """A number of documents (whole) or a share of them (with a point)."""
    try:
        return float(value) if "." in value or "e" in value.lower() else int(value)
    except ValueError:
        raise typer.BadParameter(f"{option} must be a number, got {value!r}") from None


def read_whole(option: str, value: str) -> int:
    """A whole number, or a refusal that names the option."""
    try:
        return int(value)
    except ValueError:
        raise typer.BadParameter(f"{option} must be a whole number, got {value!r}") from None


def read_components(given: Sequence[str]) -> Any:
    """``5``, ``auto``, ``1,5,10`` (candidates) or, repeated, ``CLASS=5``."""
    if any("=" in entry for entry in given):
        # A class may be called anything, so the last = counts.
        parts = [entry.rpartition("=") for entry in given]
        if not all(name and found for name, found, _ in parts):
            raise typer.BadParameter(
                "--components is CLASS=N for each class, or one entry without =; got "
                f"{' and '.join(map(repr, given))}"
            )
        return {name: read_whole("--components", size) for name, _, size in parts}
    if len(given) > 1:
        raise typer.BadParameter(
            "--components may be repeated as CLASS=N only; list candidates as in 1,5,10"
        )
    if given[0] == "auto":
        return "auto"
    numbers = [read_whole("--components", number) for number in given[0].split(",")]
    return numbers[0] if len(numbers) == 1 else numbers


def read_stop_words(given: str) -> list[str]:
    """Words of the list called english, or of a file."""
    from leaven.text._vocabulary import stop_word_list

    # The list itself goes into the model, which then needs no other package to predict.
    if given == "english":
        return stop_word_list(given)
    return Path(given).read_text(encoding="utf-8").split()
