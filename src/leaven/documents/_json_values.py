"""Columns of JSON values, whose types do not depend on how the rows are grouped.

A column has a type of its own only where no value loses anything by it. Whatever is united with it
later, its values can then still be written as text as if they had been read together.
"""

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

__all__ = ["as_text", "column_of", "decoder", "is_flat", "is_json_type", "parsed_list", "type_of"]

# Below it, Arrow writes a whole number alike as an integer and as a float.
EXACT = 10**10
SMALLEST, LARGEST = -(2**63), 2**63 - 1
DEEPEST = 32  # levels of lists and objects that a column is typed for
MOST_KEYS = 256  # of the objects in a column; every one takes room in every row
SCALARS = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.large_string()}


MAX_DIGITS = 640  # the least limit that Python's conversion of integers can be set to


def decoder(**options: Any) -> json.JSONDecoder:
    """Python's parser of JSON; other options as it has them.

    NaN and Infinity in JSON are Python's extension; pandas writes them for missing values.
    A number of more digits than Python converts stays text.
    """
    return json.JSONDecoder(
        parse_int=lambda digits: int(digits) if len(digits) <= MAX_DIGITS else digits,
        parse_constant=lambda _: None,
        strict=False,
        **options,
    )


_decoder = decoder()


def parsed_list(text: str) -> list[Any] | None:
    """The list of scalars that a text is in JSON; None if it is something else."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        found: list[Any] = _decoder.decode(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return found if is_flat(found) else None


def is_flat(values: Sequence[Any]) -> bool:
    """Whether a list holds neither lists nor objects."""
    return not any(isinstance(value, list | dict) for value in values)


def column_of(values: Sequence[Any]) -> pa.Array:
    """Values as a column of their type, or as text where none fits all of them."""
    kind = type_of(values)
    if kind is None:
        return pa.array([as_text(value) for value in values], pa.large_string())
    return pa.array(values, kind)


def type_of(values: Sequence[Any], depth: int = 0) -> pa.DataType | None:
    """The type that holds all values without loss; None if there is none.

    Integers and floats are floats, lists have elements of one type, and objects the keys of all of
    them, where a missing key is a null.
    """
    kinds = {dict if issubclass(kind, dict) else kind for kind in set(map(type, values))}
    kinds.discard(type(None))
    if not kinds:
        return pa.null()
    if kinds == {int, float}:
        whole = (value for value in values if type(value) is int)
        return pa.float64() if all(abs(value) < EXACT for value in whole) else None
    if len(kinds) > 1:
        return None
    present = [value for value in values if value is not None]
    if kinds == {int} and not SMALLEST <= min(present) <= max(present) <= LARGEST:
        return None
    (kind,) = kinds
    if kind in SCALARS:
        return SCALARS[kind]
    if depth == DEEPEST:
        return None
    if kind is list:
        inner = type_of(list(chain.from_iterable(present)), depth + 1)
        return None if inner is None else pa.list_(inner)
    return _struct_of(present, depth)


def _struct_of(objects: Sequence[dict[str, Any]], depth: int) -> pa.DataType | None:
    names = dict.fromkeys(chain.from_iterable(objects))
    if len(names) > MOST_KEYS:
        return None
    fields = []
    for name in names:
        inner = type_of([each.get(name) for each in objects], depth + 1)
        if inner is None:
            return None
        fields.append(pa.field(name, inner))
    return pa.struct(fields)


def as_text(value: Any) -> str | None:
    """A value as text; a string is itself, and a null stays one."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return str(pa.scalar(value).cast(pa.string()).as_py())
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any, depth: int = 0) -> Any:
    """What is the same for a value and for what a typed column holds of it.

    Keys are sorted, those without a value are left out, and whole numbers are integers.
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return int(value)
    if depth == DEEPEST:
        return value
    if isinstance(value, list):
        return [_plain(each, depth + 1) for each in value]
    if isinstance(value, dict):
        pairs = sorted(value.items())
        return {name: _plain(each, depth + 1) for name, each in pairs if each is not None}
    return value


def is_json_type(kind: pa.DataType) -> bool:
    """Whether it is a type that ``column_of`` gives."""
    if pa.types.is_list(kind):
        return is_json_type(kind.value_type)
    if pa.types.is_struct(kind):
        return all(is_json_type(field.type) for field in kind)
    return pa.types.is_null(kind) or kind in SCALARS.values()
