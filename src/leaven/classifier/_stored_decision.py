"""Labels and the decision in model files."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from leaven._base.tensors import StoredArrays, check_sensible, check_shapes
from leaven._base.typing import ClassArray
from leaven.documents._label_sets import LabelSets, numbered
from leaven.documents._labels import Labels
from leaven.experts import Decision, OneLabel, SeveralLabels

__all__ = ["decision_from", "decision_to"]

DECISION = "decision"
FLAGS = ("allows_empty", "is_matrix")


def decision_to(decision: Decision) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays, and a description beside the classes: none where documents have one label."""
    settings, arrays = decision.to_tensors()
    tensors = {f"{DECISION}.{name}": array for name, array in arrays.items()}
    return tensors, {} if settings is None else {DECISION: settings}


def decision_from(tensors: Mapping[str, Any], about: Mapping[str, Any]) -> Decision:
    """The decision that was stored, every part checked, or a ValueError."""
    settings = about.get(DECISION)
    if settings is None:  # documents have one label
        if any(name.startswith(f"{DECISION}.") for name in tensors):
            raise ValueError("its decision is malformed")
        return OneLabel(Labels(_checked_classes(about["classes"], 2)))
    if settings == {"kind": OneLabel.kind}:
        return _one_label(tensors, Labels(_checked_classes(about["classes"], 2)))
    if not (
        isinstance(settings, dict)
        and set(settings) == {"kind", *FLAGS}
        and settings["kind"] == SeveralLabels.kind
        and all(isinstance(settings[name], bool) for name in FLAGS)
    ):
        raise ValueError("its decision is malformed")
    classes = _checked_classes(about["classes"], 1)
    arrays = StoredArrays(tensors, DECISION)
    members = arrays.get("members", 2, frozenset({"bool"}))
    slopes, bias, thresholds, bonuses, rates = (
        arrays.get(name, 1, frozenset({"float64"}))
        for name in ("slopes", "bias", "thresholds", "bonuses", "rates")
    )
    n_classes = len(classes)
    check_shapes(
        members.shape == (len(bonuses), n_classes),
        n_classes == len(slopes) == len(bias) == len(thresholds),
        len(rates) in (0, n_classes),
        bool((slopes > 0).all()),
    )
    check_sensible(slopes, bias, bonuses)
    if not ((thresholds >= 0) & (thresholds <= 1)).all():
        raise ValueError("its thresholds are not between 0 and 1")
    if not ((rates > 0) & (rates < 1)).all():
        raise ValueError("its rates of classes are not between 0 and 1")
    if not len(members) or len(numbered(members)[0]) < len(members):
        raise ValueError("its label sets are not different from each other")
    labels = LabelSets(classes, members, **{name: settings[name] for name in FLAGS})
    return SeveralLabels(labels, slopes, bias, thresholds, bonuses, rates if len(rates) else None)


def _one_label(tensors: Mapping[str, Any], labels: Labels) -> OneLabel:
    bias = StoredArrays(tensors, DECISION).get("bias", 1, frozenset({"float64"}))
    check_shapes(bias.shape == (len(labels),))
    check_sensible(bias)
    return OneLabel(labels, bias)


def _checked_classes(names: Any, fewest: int) -> ClassArray:
    kinds = {type(name) for name in names} if isinstance(names, list) else set()
    if (
        len(kinds) != 1
        or not kinds <= {str, int, bool}
        or not fewest <= len(set(names)) == len(names)
    ):
        number = "two" if fewest == 2 else "one"
        raise ValueError(f"its classes are not {number} or more different names")
    (kind,) = kinds
    return np.array(names, dtype={str: object, int: np.int64, bool: np.bool_}[kind])
