"""Checks of values that users pass, with messages of one form."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from leaven._base.typing import BoolArray, FloatArray

__all__ = [
    "Seed",
    "check_choice",
    "check_in",
    "check_seed",
    "check_whole",
    "checked_flags",
    "checked_seed",
    "checked_weights",
]

Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None
LARGEST_SEED = 2**31 - 1


def check_in(name: str, value: float, interval: str) -> None:
    """Refuse ``value`` unless it lies in ``interval``, written as in ``"(0, 1]"``."""
    low, high = (float(bound) for bound in interval[1:-1].split(","))
    try:
        above = low < value if interval[0] == "(" else low <= value
        below = value < high if interval[-1] == ")" else value <= high
    except TypeError:
        raise TypeError(f"{name} must be a number in {interval}, got {value!r}") from None
    if not (above and below):
        raise ValueError(f"{name} must be in {interval}, got {value!r}")


def check_whole(name: str, value: object, interval: str) -> None:
    """Refuse ``value`` unless it is a whole number in ``interval``."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number in {interval}, got {value!r}")
    check_in(name, int(value), interval)


def check_seed(random_state: Seed) -> None:
    """Refuse what is no seed: a whole number, None, or one of NumPy's generators."""
    if not isinstance(random_state, np.random.RandomState | np.random.Generator | None):
        check_whole("random_state", random_state, "[0, inf)")


def checked_seed(random_state: Seed) -> int | None:
    """A seed as a whole number, drawn from a generator if one is given; None stays None."""
    check_seed(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(LARGEST_SEED))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(LARGEST_SEED))
    return random_state


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Refuse ``value`` unless it is one of ``choices``."""
    known = list(choices)
    if value not in known:
        listed = ", ".join(repr(choice) for choice in known)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}")


def checked_weights(name: str, weights: Any, n_documents: int) -> FloatArray:
    """Weights of documents as an array: one each, none negative, some positive."""
    try:
        array: FloatArray = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be numbers, one per document, got {type(weights).__name__} that holds "
            "something else; give None for equal weights"
        ) from None
    if array.shape != (n_documents,):
        raise ValueError(
            f"{name} must hold one number per document, got an array of shape {array.shape} for "
            f"{n_documents} documents; give None for equal weights"
        )
    wrong = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(wrong):
        raise ValueError(
            f"{name} must be finite and not negative, got {float(array[wrong[0]])!r} for document "
            f"{int(wrong[0])}; give 0 to leave a document out"
        )
    if not array.any():
        raise ValueError(f"{name} must be positive for some document, got 0 for all; raise some")
    return array


def checked_flags(name: str, flags: Any, n_documents: int) -> BoolArray:
    """True or False for each document, as an array."""
    array = np.asarray(flags)
    if array.shape != (n_documents,):
        raise ValueError(
            f"{name} must hold True or False for each document, got an array of shape "
            f"{array.shape} for {n_documents} documents; give one value per document, or None"
        )
    if array.dtype == object:  # as pandas has it, where a value may be missing
        wrong = [i for i, flag in enumerate(array.tolist()) if not isinstance(flag, bool)]
        if wrong:
            raise TypeError(
                f"{name} must hold True or False for each document, got {array[wrong[0]]!r} for "
                f"document {wrong[0]}; give False where it is not known"
            )
    elif array.dtype != bool:
        raise TypeError(
            f"{name} must hold True or False for each document, got an array of {array.dtype}; "
            "make it one of bool"
        )
    return array.astype(bool)
