"""Arrays read from a model file, each checked before use."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from leaven._base.parts import parts_of
from leaven._base.typing import FloatArray

__all__ = [
    "FLOATS",
    "MOST",
    "Settings",
    "StoredArrays",
    "check_log_probabilities",
    "check_sensible",
    "check_shapes",
]

FLOATS = frozenset({"float32", "float64"})
MOST = 1e6  # far above what any fit produces, and far below overflow
SUM_TOLERANCE = 1e-3  # of probabilities in single precision

Settings: TypeAlias = dict[str, float]


class StoredArrays:
    """The arrays of one part of a model file, by their names in that part."""

    def __init__(self, tensors: Mapping[str, Any], part: str) -> None:
        self.tensors, self.part = tensors, part

    def get(self, name: str, n_dimensions: int, types: frozenset[str] = FLOATS) -> Any:
        """An array of this many dimensions and one of these types, or a ValueError."""
        array = self.tensors[f"{self.part}.{name}"]
        # Compiled code trusts arrays, so each must be of a type that it was compiled for.
        if array.ndim != n_dimensions or array.dtype.name not in types:
            raise ValueError(f"its array {name!r} is of the wrong type")
        return array


def check_shapes(*fits: bool) -> None:
    """Refuse arrays that do not fit together, given comparisons of their shapes."""
    if not all(fits):
        raise ValueError("its arrays do not fit together")


def check_sensible(*arrays: FloatArray) -> None:
    """Refuse parameters that no fit produces."""
    # By the extremes, which are NaN if any number is, and need no array as large.
    if not all(array.min() > -MOST and array.max() < MOST for array in arrays if array.size):
        raise ValueError("its parameters are not numbers of a sensible size")


def check_log_probabilities(*rows: FloatArray) -> None:
    """Refuse what are not logarithms of probabilities that sum to one, along the last axis."""
    for log in rows:
        total = np.zeros(log.shape[:-1])
        for part in parts_of(log.shape[-1], total.size):  # an array as large is never in memory
            some = log[..., part]
            # Compared first: NaN and infinities fail. Rounding may lead a little above one.
            if not ((some > -MOST) & (some <= 1e-5)).all():
                raise ValueError("its parameters are not logarithms of probabilities")
            total += np.exp(some).sum(axis=-1, dtype=np.float64)
        if not (np.abs(total - 1) < SUM_TOLERANCE).all():
            raise ValueError("its probabilities do not sum to one")
