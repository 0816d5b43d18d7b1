"""Options in dictionaries that searches of scikit-learn can set one by one."""

from collections.abc import Mapping
from typing import Any, Self

from sklearn.base import BaseEstimator

__all__ = ["NestedOptions"]

DICTIONARIES = ("options", "text_options")


class NestedOptions(BaseEstimator):
    """``options__alpha`` is the entry ``alpha`` of the parameter ``options``, and so on.

    scikit-learn has this notation for parameters that are estimators, and would look for
    ``set_params`` of the dictionary.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Also the entries of ``options`` and ``text_options``, as ``options__alpha``.

        Returns
        -------
        dict of str to object
            The parameters.
        """
        params: dict[str, Any] = super().get_params(deep)
        if deep:
            for outer in DICTIONARIES:
                entries = params[outer]
                if isinstance(entries, Mapping):  # anything else is refused when fitting
                    params |= {f"{outer}__{name}": value for name, value in entries.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and entries of ``options`` and ``text_options``, by name.

        Parameters
        ----------
        **params : object
            Values by name, such as ``options__alpha=0.1``.

        Returns
        -------
        TextClassifier
            This classifier, changed.
        """
        entries = {name: value for name, value in params.items() if _outer(name)}
        super().set_params(**{name: params[name] for name in params if name not in entries})
        for name, value in entries.items():
            outer = _outer(name)
            changed = {**(getattr(self, outer) or {}), name.removeprefix(f"{outer}__"): value}
            setattr(self, outer, changed)
        return self


def _outer(name: str) -> str:
    """The dictionary that a name such as options__alpha belongs to, or nothing."""
    outer, found, _ = name.partition("__")
    return outer if found and outer in DICTIONARIES else ""
