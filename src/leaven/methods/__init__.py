"""The registry of methods, and what works with all of them: training, comparing, diagnosing."""

from typing import TYPE_CHECKING, Any

from leaven.methods._registry import METHODS, Method, register

if TYPE_CHECKING:
    from leaven.methods._compare import compare
    from leaven.methods._diagnose import diagnose
    from leaven.methods._label_lists import (
        DisputedLabel,
        DisputedLabels,
        Suggestion,
        Suggestions,
    )
    from leaven.methods._loading import load
    from leaven.methods._method_results import Comparison, MethodResult
    from leaven.methods._suggest import suggest
    from leaven.methods._text_classifier import TextClassifier

__all__ = [
    "METHODS",
    "Comparison",
    "DisputedLabel",
    "DisputedLabels",
    "Method",
    "MethodResult",
    "Suggestion",
    "Suggestions",
    "TextClassifier",
    "compare",
    "diagnose",
    "load",
    "register",
    "suggest",
]

_HOME = {
    "Comparison": "_method_results",
    "DisputedLabel": "_label_lists",
    "DisputedLabels": "_label_lists",
    "MethodResult": "_method_results",
    "Suggestion": "_label_lists",
    "Suggestions": "_label_lists",
    "TextClassifier": "_text_classifier",
    "compare": "_compare",
    "diagnose": "_diagnose",
    "load": "_loading",
    "suggest": "_suggest",
}


def __getattr__(name: str) -> Any:
    # The registry alone imports quickly; the command line needs no more to list the methods.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
