"""Checks that JSON values of a model file are of the kinds that dataclasses declare."""

from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

__all__ = ["check_kinds"]


def check_kinds(home: type, fields: Any) -> None:
    """Refuse JSON values of another kind than the fields of a dataclass are declared to be."""
    if not isinstance(fields, dict):
        raise TypeError(f"its {home.__name__} is {fields!r}")
    for name, declared in get_type_hints(home).items():
        if name in fields and not _is_of_kind(fields[name], declared):
            raise TypeError(f"its {name} is {fields[name]!r}")


def _is_of_kind(value: Any, declared: Any) -> bool:
    origin, inner = get_origin(declared), get_args(declared)
    if declared is Any:
        return True
    if origin is UnionType:
        return any(_is_of_kind(value, kind) for kind in inner)
    if origin is dict:
        return isinstance(value, dict) and all(_is_of_kind(v, inner[1]) for v in value.values())
    if origin is not None:  # list, tuple or Sequence of one kind
        return isinstance(value, list) and all(_is_of_kind(v, inner[0]) for v in value)
    if declared in (int, float):
        return isinstance(value, int | declared) and not isinstance(value, bool)
    return isinstance(value, declared)
