"""Conversion of values to types that JSON can represent."""

import json
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = ["checked_plain", "plain"]


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


def checked_plain(what: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Named values as JSON can represent them, or an error that names the first that it cannot."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found[name] = plain(value)
        try:
            json.dumps(found[name], allow_nan=False)
        except (TypeError, ValueError):
            raise TypeError(
                f"{what} {name!r} must be numbers, text, lists or dicts of them, so that it can be "
                f"saved, got {value!r}"
            ) from None
    return found
