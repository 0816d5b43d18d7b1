"""What the command line says about methods, all of it from the registry."""

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
    "method_summaries",
    "read_diagnosed",
    "read_method",
]

DEFAULT_METHOD = next(iter(METHODS))
DIAGNOSED = methods_where(is_diagnosed=True)


def read_method(name: str) -> str:
    """A method's name, or an error that lists them."""
    return _chosen(name, list(METHODS))


def read_diagnosed(name: str) -> str:
    """The name of a method that EM alone fits, or an error that lists them."""
    return _chosen(name, methods_where(is_diagnosed=True))


def _chosen(name: str, names: list[str]) -> str:
    if name not in names:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, names))}.")
    return name


def method_summaries() -> dict[str, str]:
    """How each method learns."""
    return {name: method.summary for name, method in METHODS.items()}


def default_of_option(name: str, usual: Any) -> str:
    """``usual``, and the methods for which the default of a learner's option differs."""
    return _defaults(
        {key: method.settings.get(name, usual) for key, method in METHODS.items()}, usual
    )


def default_of_text_option(name: str) -> str:
    """The most common default of a text option, and the methods for which it differs."""
    values = {key: method.text.get(name) for key, method in METHODS.items()}
    return _defaults(values, _commonest(list(values.values())))


def fewest_documents_default() -> str:
    """The default of the least number of documents that a word must occur in."""
    ranges = {name: sorted({*method.min_df.values()}) for name, method in METHODS.items()}
    shown = {name: f"{sizes[0]} to {sizes[-1]}" for name, sizes in ranges.items()}
    usual = _commonest(list(shown.values()))
    others = _defaults(shown, usual).partition("; ")[2]
    return f"{usual}, depending on the number of documents" + (f"; {others}" if others else "")


def _defaults(by_method: Mapping[str, Any], usual: Any) -> str:
    names: dict[Any, list[str]] = {}
    for name, value in by_method.items():
        if value != usual:
            names.setdefault(value, []).append(name)
    others = [f"{_shown(value)} for {listed(methods)}" for value, methods in names.items()]
    return "; ".join([_shown(usual), *([", ".join(others)] if others else [])])


def _commonest(values: list[Any]) -> Any:
    return max(values, key=values.count)


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) and value >= 2 else str(value)


def listed(names: list[str]) -> str:
    """Names as a sentence lists them."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
