"""Sentences about a fit by EM, from the facts that reports and model files hold."""

from collections.abc import Mapping
from typing import Any, TypedDict

from leaven._base.percent import percent

__all__ = ["EMFacts", "class_lines", "em_lines"]


class EMFacts(TypedDict, total=False):
    """What a fit by EM reports."""

    unlabeled_shares: dict[str, float]  # class → share of the unlabeled documents, if any
    objective: list[float]  # before the first M-step and after each
    converged: bool
    stops_early: bool  # EM is not supposed to converge
    n_annealed: int  # M-steps while the temperature fell
    components: dict[str, int]  # class → number of components
    choices: list[dict[str, Any]]  # of components: their accuracy


def em_lines(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences about a fit by EM."""
    lines = []
    if facts.get("choices"):
        choices = facts["choices"]
        tried = ", ".join(
            f"{choice['components']}: {percent(choice['accuracy'])}" for choice in choices
        )
        lines.append(
            f"accuracy on {choices[0]['n_scored']:,} held-out labeled documents by components per "
            f"class: {tried}"
        )
    objective, n_annealed = facts["objective"], facts.get("n_annealed", 0)
    if len(objective) > 1:
        end = "as configured" if facts.get("stops_early") else "stopped before converging"
        end = "converged" if facts["converged"] else end
        cooled = f"{n_annealed} iterations of annealing, then " if n_annealed else ""
        n_iter = len(objective) - 1 - n_annealed
        noun = "iteration" if n_iter == 1 else "iterations"
        lines.append(
            f"{cooled}{n_iter} EM {noun}, {end}; objective {objective[n_annealed]:,.0f} → "
            f"{objective[-1]:,.0f}"
        )
    return tuple(lines)


def class_lines(facts: Mapping[str, Any]) -> dict[str, str]:
    """What a mixture reports about each class."""
    shares, sizes = facts.get("unlabeled_shares", {}), facts.get("components", {})
    found: dict[str, str] = {}
    for name in {**shares, **sizes}:
        parts = []
        if name in shares:
            parts.append(f"{percent(shares[name], 1):>7} of unlabeled documents")
        if sizes.get(name, 1) > 1:
            parts.append(f"{sizes[name]} components")
        found[name] = ", ".join(parts)
    return found
