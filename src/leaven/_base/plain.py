"""Conversion of values to types that JSON can represent."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Numbers as Python numbers, sequences as lists, keys of mappings as text."""
    if value is None or isinstance(value, str | bool | np.bool_):
        return bool(value) if isinstance(value, np.bool_) else value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | range | np.ndarray) and np.ndim(value):
        return [plain(each) for each in value]
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value
