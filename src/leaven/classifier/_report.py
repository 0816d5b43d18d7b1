"""What happened during a fit, for people and for machines."""

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["FitReport"]


@dataclass(frozen=True)
class FitReport:
    """What was fitted, why this method, how it went.

    ``print(report)`` is for people, ``report.to_json()`` for machines.
    """

    method: str
    reason: str  # why this method, in a sentence
    n_documents: int
    n_labeled: int
    class_counts: dict[str, int]  # class → labeled documents
    n_words: int
    unlabeled_shares: dict[str, float]  # class → share of the unlabeled documents, if any
    objective: list[float]  # before the first M-step and after each
    converged: bool
    stops_early: bool = False  # EM is not meant to converge
    n_annealed: int = 0  # M-steps while the temperature fell
    components: dict[str, int] = field(default_factory=dict)  # class → number of components
    choices: list[dict[str, Any]] = field(default_factory=list)  # of components: their accuracy
    size_choices: list[dict[str, Any]] = field(default_factory=list)  # of the vocabulary's size
    diagnosis: dict[str, Any] = field(default_factory=dict)  # is unlabeled text helping?
    candidates: list[dict[str, Any]] = field(default_factory=list)  # what was compared
    expected_accuracy: dict[str, float] = field(default_factory=dict)  # accuracy, low, high
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)  # phase → seconds
    options: dict[str, dict[str, Any]] = field(default_factory=dict)  # of text and method, as used

    @property
    def n_unlabeled(self) -> int:
        return self.n_documents - self.n_labeled

    @property
    def n_iter(self) -> int:
        return max(len(self.objective) - 1, 0)

    @property
    def expectation(self) -> str:
        """Expected accuracy in words."""
        own = self.expected_accuracy
        span = f"{100 * own['low']:.0f}–{100 * own['high']:.0f}"
        held_out = int(own["n_held_out"])
        source = f"from {held_out:,} held-out labels" if held_out else "no label could be held out"
        return f"expected accuracy {own['accuracy']:.0%} ({span}; {source})".replace("%", " %")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        took = sum(self.seconds.values())
        phases = ", ".join(f"{name} {seconds:.2f}" for name, seconds in self.seconds.items())
        lines = [
            f"method {self.method}: {self.reason}",
            f"{self.n_documents:,} documents, {self.n_labeled:,} labeled in "
            f"{len(self.class_counts)} classes, {self.n_words:,} words",
        ]
        if self.size_choices:
            lines.append(_chosen("words", "n_words", self.size_choices))
        if self.choices:
            lines.append(_chosen("components per class", "components", self.choices))
        if self.n_iter:
            early = "stopped early, as meant"
            end = early if self.stops_early else "stopped before converging"
            end = "converged" if self.converged else end
            cooled = f"{self.n_annealed} iterations of annealing, then " if self.n_annealed else ""
            n_iter = self.n_iter - self.n_annealed
            noun = "iteration" if n_iter == 1 else "iterations"
            lines.append(
                f"{cooled}{n_iter} EM {noun}, {end}; objective "
                f"{self.objective[self.n_annealed]:,.0f} → {self.objective[-1]:,.0f}"
            )
        if self.candidates:
            lines += _compared(self.candidates)
        if self.expected_accuracy:
            lines.append(self.expectation)
        if self.diagnosis:
            lines.append(f"{self.diagnosis['sentence']}")
        lines.append(f"{took:.2f} s ({phases})")
        width = max((len(name) for name in self.class_counts), default=0)
        for name, count in self.class_counts.items():
            share = self.unlabeled_shares.get(name)
            took_share = "" if share is None else f", {share:6.1%} of the unlabeled"
            parts = self.components.get(name, 1)
            made_of = f", {parts} components" if parts > 1 else ""
            lines.append(f"  {name:<{width}}  {count:>6,} labeled{took_share}{made_of}")
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)


def _chosen(what: str, key: str, choices: list[dict[str, Any]]) -> str:
    tried = ", ".join(f"{choice[key]}: {choice['accuracy']:.0%}" for choice in choices)
    scored = choices[0]["n_scored"]
    return f"{what} by accuracy on {scored} held-out labeled documents: {tried}"


def _compared(candidates: list[dict[str, Any]]) -> list[str]:
    width = max(len(own["name"]) for own in candidates)
    lines = []
    for own in candidates:
        if own["accuracy"] is None:
            scored = "not compared"
        else:
            span = f"{100 * own['low']:.0f}–{100 * own['high']:.0f}"
            scored = f"{100 * own['accuracy']:3.0f} % ({span}) of held-out labels right"
        lines.append(f"  {own['name']:<{width}}  {scored}, {own['share']:.0%} of the say")
    return lines
