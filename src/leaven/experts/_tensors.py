"""Experts and views as named arrays and plain settings, for model files; all checked on reading."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from leaven.experts._experts import Expert, LinearExpert, MixtureExpert
from leaven.learning._latent import GivenVectors, LatentSpace, View
from leaven.models import MixtureParams, MultinomialMixture, TwoViewMixture, TwoViewParams

__all__ = ["experts_from", "experts_to", "view_from", "view_to"]

MODEL_SETTINGS = ("alpha", "class_alpha", "unlabeled_weight")
FLOATS = frozenset({"float32", "float64"})
# Compiled code trusts these arrays, so each must be of a type that it was compiled for.
MIXTURE = {
    "component_class": (1, frozenset({"int64"})),
    "log_weight": (1, frozenset({"float64"})),
    "log_word": (2, FLOATS),  # (n_words, n_components)
}
TWO_VIEW = {**MIXTURE, "directions": (2, FLOATS)}
LINEAR = {"words": (2, FLOATS), "directions": (2, FLOATS), "bias": (1, frozenset({"float64"}))}


def experts_to(experts: Sequence[Expert]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Arrays, and a description of each expert."""
    tensors: dict[str, Any] = {}
    about = []
    for number, expert in enumerate(experts):
        kind, settings, arrays = _taken_apart(expert)
        about.append({"kind": kind, "name": expert.name, "settings": settings})
        tensors.update({f"{number}.{name}": array for name, array in arrays.items()})
    return tensors, about


def _taken_apart(expert: Expert) -> tuple[str, dict[str, float], dict[str, Any]]:
    if isinstance(expert, LinearExpert):
        arrays = {"words": expert.words, "directions": expert.directions, "bias": expert.bias}
        return "linear", {}, arrays
    assert isinstance(expert, MixtureExpert)
    model, params = expert.model, expert.params
    settings = {name: float(getattr(model, name)) for name in MODEL_SETTINGS}
    settings["scale"] = float(expert.scale)
    arrays = {
        "component_class": np.asarray(model.component_class, dtype=np.int64),
        "log_weight": np.asarray(params.log_weight, dtype=np.float64),
        "log_word": params.log_word.T,
    }
    if isinstance(model, TwoViewMixture) and isinstance(params, TwoViewParams):
        settings["concentration"] = float(model.concentration)
        return "two-view", settings, {**arrays, "directions": params.directions}
    return "mixture", settings, arrays


def experts_from(
    tensors: Mapping[str, Any], about: Any, n_words: int, n_dims: int, n_classes: int
) -> tuple[Expert, ...]:
    """Experts that fit words, vectors and classes of these numbers, or a ValueError."""
    if not isinstance(about, list) or not about:
        raise ValueError("it names no experts")
    return tuple(
        _put_together(tensors, number, own, n_words, n_dims, n_classes)
        for number, own in enumerate(about)
    )


def _put_together(
    tensors: Mapping[str, Any], number: int, own: Any, n_words: int, n_dims: int, n_classes: int
) -> Expert:
    name, kind, settings = own["name"], own["kind"], own["settings"]
    if not isinstance(name, str) or not isinstance(settings, dict):
        raise ValueError("an expert is malformed")
    wanted = {"mixture": MIXTURE, "two-view": TWO_VIEW, "linear": LINEAR}.get(kind)
    if wanted is None:
        raise ValueError(f"an expert's kind is {kind!r}")
    arrays = {key: tensors[f"{number}.{key}"] for key in wanted}
    for key, (n_dimensions, types) in wanted.items():
        if arrays[key].ndim != n_dimensions or arrays[key].dtype.name not in types:
            raise ValueError(f"its array {key!r} is of the wrong type")
    if kind == "linear":
        return _linear(name, arrays, n_words, n_dims, n_classes)
    return _mixture(name, kind, settings, arrays, n_words, n_dims, n_classes)


def _linear(
    name: str, arrays: Mapping[str, Any], n_words: int, n_dims: int, n_classes: int
) -> LinearExpert:
    words, directions, bias = (arrays[key] for key in LINEAR)
    if not (
        words.shape == (n_words, n_classes)
        and directions.shape in ((0, n_classes), (n_dims, n_classes))
        and bias.shape == (n_classes,)
    ):
        raise ValueError("its arrays do not fit together")
    _check_finite(words, directions, bias)
    return LinearExpert(name, words, directions, bias)


def _mixture(
    name: str,
    kind: str,
    settings: dict[str, Any],
    arrays: Mapping[str, Any],
    n_words: int,
    n_dims: int,
    n_classes: int,
) -> MixtureExpert:
    component_class, log_weight = arrays["component_class"], arrays["log_weight"]
    log_word = arrays["log_word"].T
    n_components = len(component_class)
    if not (
        log_word.shape == (n_components, n_words)
        and len(log_weight) == n_components
        and sorted(set(component_class.tolist())) == list(range(n_classes))
    ):
        raise ValueError("its arrays do not fit together")
    if not (_are_log_probabilities(log_word) and _are_log_probabilities(log_weight)):
        raise ValueError("its parameters are not logarithms of probabilities")
    known = {*MODEL_SETTINGS, "scale", *(("concentration",) if kind == "two-view" else ())}
    numbers = [value for value in settings.values() if type(value) in (int, float)]
    if set(settings) != known or len(numbers) != len(settings) or not np.isfinite(numbers).all():
        raise ValueError("its model's settings are malformed")
    own = {key: value for key, value in settings.items() if key != "scale"}
    scale = float(settings["scale"])
    if kind == "mixture":
        model = MultinomialMixture(component_class, **own)
        return MixtureExpert(name, model, MixtureParams(log_weight, log_word), scale)
    directions = arrays["directions"]
    if not n_dims or directions.shape != (n_components, n_dims):
        raise ValueError("its arrays do not fit together")
    _check_finite(directions)
    two_view = TwoViewMixture(component_class, n_dims=n_dims, **own)
    params = TwoViewParams(log_weight, log_word, directions)
    return MixtureExpert(name, two_view, params, scale)


def view_to(view: View | None) -> tuple[dict[str, Any], str | None]:
    """Arrays of a view, and its kind."""
    if view is None:
        return {}, None
    if isinstance(view, GivenVectors):
        return {**view_to(view.latent)[0], "view.given_center": view.center}, "given"
    return {"view.basis": view.basis, "view.center": view.center}, "latent"


def view_from(tensors: Mapping[str, Any], kind: Any, n_words: int) -> View | None:
    """The view of this kind, or a ValueError."""
    if kind is None:
        return None
    if kind not in ("given", "latent"):
        raise ValueError(f"its view is {kind!r}")
    center, basis = _checked_center(tensors["view.center"]), tensors["view.basis"]
    if basis.shape != (n_words, len(center)) or basis.dtype != center.dtype:
        raise ValueError("its arrays do not fit together")
    _check_finite(basis)
    latent = LatentSpace(np.array(basis), center)
    if kind == "latent":
        return latent
    return GivenVectors(_checked_center(tensors["view.given_center"]), latent)


def _checked_center(center: Any) -> FloatArray:
    if center.ndim != 1 or not len(center) or center.dtype.name not in FLOATS:
        raise ValueError("its view is malformed")
    _check_finite(center)
    own: FloatArray = center
    return own


def _check_finite(*arrays: FloatArray) -> None:
    # Far beyond what any fit gives, and far below what overflows.
    if not all((np.abs(array) < 1e6).all() for array in arrays):
        raise ValueError("its parameters are not numbers of a sensible size")


def _are_log_probabilities(values: FloatArray) -> bool:
    # A sum of probabilities may round to a little above one.
    return bool(np.isfinite(values).all() and (values <= 1e-5).all())
