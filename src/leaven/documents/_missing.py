"""Detection of missing values, including those of pandas."""

from typing import Any

import numpy as np

__all__ = ["is_missing_value"]


def is_missing_value(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT."""
    # Those of pandas are recognised by name, to avoid importing pandas.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(value != value)  # NaN is not itself
