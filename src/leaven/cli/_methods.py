"""What the command line says of methods: all of it from the registry."""

from collections.abc import Mapping
from typing import Any

import typer

from leaven.methods import METHODS
from leaven.methods._registry import methods_where

__all__ = [
    "DEFAULT_METHOD",
    "DIAGNOSED",
    "default_of_option",
    "default_of_text_option",
    "fewest_documents_default",
    "listed",
    "method_help",
    "read_diagnosed",
    "read_method",
]

DEFAULT_METHOD = next(iter(METHODS))
DIAGNOSED = methods_where(is_diagnosed=True)


def read_method(name: str) -> str:
    """A method's name, or a refusal that lists them."""
    return _chosen(name, list(METHODS))


def read_diagnosed(name: str) -> str:
    """The name of a method that EM alone fits, or a refusal that lists them."""
    return _chosen(name, methods_where(is_diagnosed=True))


def _chosen(name: str, names: list[str]) -> str:
    if name not in names:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, names))}.")
    return name


def method_help() -> str:
    """How each method learns."""
    return "; ".join(f"{name}: {method.summary}" for name, method in METHODS.items())


def default_of_option(name: str, usual: Any) -> str:
    """``usual``, and for which methods the default of a learner's option is another."""
    return _defaults({key: own.settings.get(name, usual) for key, own in METHODS.items()}, usual)


def default_of_text_option(name: str) -> str:
    """What most methods have as an option of the text, and for which it is another."""
    values = {key: own.text.get(name) for key, own in METHODS.items()}
    return _defaults(values, _commonest(list(values.values())))


def fewest_documents_default() -> str:
    """In how many documents a word must occur."""
    ranges = {name: sorted({*own.min_df.values()}) for name, own in METHODS.items()}
    shown = {name: f"{own[0]} to {own[-1]}" for name, own in ranges.items()}
    usual = _commonest(list(shown.values()))
    others = _defaults(shown, usual).partition("; ")[2]
    return f"{usual}, more for more documents" + (f"; {others}" if others else "")


def _defaults(by_method: Mapping[str, Any], usual: Any) -> str:
    names: dict[Any, list[str]] = {}
    for name, value in by_method.items():
        if value != usual:
            names.setdefault(value, []).append(name)
    others = [f"{_shown(value)} for {listed(own)}" for value, own in names.items()]
    return "; ".join([_shown(usual), *([", ".join(others)] if others else [])])


def _commonest(values: list[Any]) -> Any:
    return max(values, key=values.count)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and value >= 2 else str(value)


def listed(names: list[str]) -> str:
    """Names as a sentence lists them."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
