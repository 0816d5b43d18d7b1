"""All experts of a classifier as named arrays and plain settings, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaven._base.tensors import StoredArrays
from leaven.experts._base import EXPERT_KINDS, Expert, StoredExpert

__all__ = ["UnknownKindError", "experts_from", "experts_to"]


class UnknownKindError(ValueError):
    """No imported module registers experts of this kind."""


def experts_to(experts: Sequence[Expert]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Arrays, and a description of each expert."""
    tensors: dict[str, Any] = {}
    about = []
    for number, expert in enumerate(experts):
        if EXPERT_KINDS.get(expert.kind) is not type(expert):
            raise ValueError(
                f"experts of kind {expert.kind!r} cannot be saved: decorate "
                f"{type(expert).__name__} with register_expert"
            )
        settings, arrays = expert.to_tensors()
        about.append({"kind": expert.kind, "name": expert.name, "settings": settings})
        tensors.update({f"{number}.{name}": array for name, array in arrays.items()})
    return tensors, about


def experts_from(
    tensors: Mapping[str, Any], about: Any, n_words: int, n_dims: int, n_classes: int
) -> tuple[Expert, ...]:
    """Experts that fit words, vectors and classes of these numbers, or a ValueError."""
    if not isinstance(about, list) or not about:
        raise ValueError("it names no experts")
    experts = []
    for number, entry in enumerate(about):
        name, kind, settings = entry["name"], entry["kind"], entry["settings"]
        if not (isinstance(name, str) and isinstance(kind, str) and isinstance(settings, dict)):
            raise ValueError("an expert is malformed")
        if kind not in EXPERT_KINDS:
            raise UnknownKindError(kind)
        arrays = StoredArrays(tensors, str(number))
        stored = StoredExpert(name, settings, arrays, n_words, n_dims, n_classes)
        experts.append(EXPERT_KINDS[kind].from_tensors(stored))
    return tuple(experts)
