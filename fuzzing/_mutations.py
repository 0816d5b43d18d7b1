"""Changes to a model file, as data, so that a case can be stored: to metadata, tensors or bytes."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

__all__ = ["apply_to_bytes", "apply_to_parts", "drawn_mutation"]

Mutation = dict[str, Any]

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 64, 2**31, 2**53 + 1, 2**63, -(2**63), 10**30, 0.0, 0.5,
    -0.5, 1e-300, 1e6, 1e300, -1e300, float("nan"), float("inf"), float("-inf"), "", "x", "em",
    "nb", "auto", "1", "float64", "\ud800", "line\nbreak", "\x00", "\x1b[31m", "é", "long " * 500,
    [], [None], [1, 2], ["a"], ["a", "a"], [[1]], [1, 2, 3, 4], {}, {"a": 1}, {"": None},
    {"a": {"b": []}}, [{}], [0.5, float("nan")],
)  # fmt: skip
NUMBERS = (
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, -1.0, 1.0, 2.0, 255.0, 1e-320, 1e6, -1e6,
    1e30, -1e30, 1e300, -1e300, 999999.0, -999999.0, 9.3e18, -9.3e18,
)  # fmt: skip
TYPES = (
    "float32",
    "float64",
    "float16",
    "int64",
    "int32",
    "uint8",
    "bool",
    "uint64",
    "int8",
    "complex64",
)
SHAPES = (
    "cut",
    "longer",
    "empty",
    "transposed",
    "flat",
    "one more dimension",
    "scalar",
    "repeated",
)


def drawn_mutation(
    rng: Random, about: dict[str, Any], tensors: dict[str, Any], size: int
) -> Mutation:
    """A change to a model file of these parts and this size."""
    kind = rng.choice(KINDS)
    if kind.startswith("metadata"):
        path = rng.choice([path for path, _ in _places(about)])
        value = rng.choice(VALUES)
        if kind == "metadata moved":
            value = rng.choice([value for _, value in _places(about)])
        return {"kind": kind, "path": path, "value": value}
    if kind.startswith("tensor"):
        name = rng.choice(sorted(tensors))
        how = {"tensor type": TYPES, "tensor shape": SHAPES}.get(kind, ("",))
        at = rng.randrange(max(tensors[name].size, 1))
        value = rng.choice(NUMBERS)
        return {"kind": kind, "name": name, "how": rng.choice(how), "at": at, "value": value}
    at = rng.randrange(rng.choice((64, 3000, size)))
    content = rng.randbytes(rng.choice((1, 1, 8)))
    return {"kind": kind, "at": at, "bytes": list(content)}


KINDS = (
    "metadata value", "metadata value", "metadata value", "metadata deleted", "metadata moved",
    "metadata added", "tensor value", "tensor value", "tensor values", "tensor shape",
    "tensor type", "tensor missing", "tensor swapped", "bytes replaced", "bytes inserted",
    "cut short",
)  # fmt: skip


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[list[Any], Any]]:
    """All places in the metadata: keys and indexes that lead there, and what is there."""
    if path:
        yield list(path), value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*path, key))
    if isinstance(value, list):
        for i, inner in enumerate(value[:5]):
            yield from _places(inner, (*path, i))


def apply_to_parts(mutation: Mutation, about: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Change metadata or tensors in place; nothing where an earlier change removed the place."""
    kind = mutation["kind"]
    try:
        if kind.startswith("metadata"):
            _change_metadata(mutation, about)
        elif kind.startswith("tensor"):
            _change_tensor(mutation, tensors)
    except (KeyError, IndexError, TypeError):
        pass


def _change_metadata(mutation: Mutation, about: dict[str, Any]) -> None:
    home: Any = about
    value = copy.deepcopy(mutation["value"])  # which the next change may change
    *way, last = mutation["path"]
    for key in way:
        home = home[key]
    if mutation["kind"] == "metadata deleted":
        del home[last]
    elif mutation["kind"] == "metadata added" and isinstance(home, list):
        home.insert(last, value)
    elif mutation["kind"] == "metadata added":
        home[f"{last}_2"] = value
    else:
        home[last] = value


def _change_tensor(mutation: Mutation, tensors: dict[str, Any]) -> None:
    name, kind = mutation["name"], mutation["kind"]
    array = tensors[name]
    with np.errstate(all="ignore"):
        value = np.array(mutation["value"]).astype(array.dtype)
    if kind == "tensor value" and array.size:
        array.reshape(-1)[mutation["at"] % array.size] = value
    elif kind == "tensor values":
        array[...] = value
    elif kind == "tensor missing":
        del tensors[name]
    elif kind == "tensor swapped":
        names = sorted(tensors)
        other = names[mutation["at"] % len(names)]
        tensors[name], tensors[other] = tensors[other], tensors[name]
    elif kind == "tensor type":
        with np.errstate(all="ignore"):
            tensors[name] = array.astype(mutation["how"])
    elif kind == "tensor shape":
        tensors[name] = _reshaped(array, mutation["how"])


def _reshaped(array: Any, how: str) -> Any:
    if how == "cut":
        return array[:-1]
    if how == "longer":
        return np.concatenate([array, array[-1:]])
    if how == "repeated":
        return np.concatenate([array, array])
    if how == "empty":
        return array[:0]
    if how == "transposed":
        return array.T
    if how == "flat":
        return array.reshape(-1)
    return array[None] if how == "one more dimension" else array.reshape(-1)[:1].reshape(())


def apply_to_bytes(mutation: Mutation, content: bytes) -> bytes:
    """The file after a change to its bytes; its digest stays as it was."""
    kind = mutation["kind"]
    if kind not in ("bytes replaced", "bytes inserted", "cut short"):
        return content
    at, new = mutation["at"], bytes(mutation["bytes"])
    if kind == "cut short":
        return content[:at]
    return content[:at] + new + content[at + (len(new) if kind == "bytes replaced" else 0) :]
