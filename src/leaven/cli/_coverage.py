"""What ``evaluate`` prints about confident predictions: accuracy against coverage."""

from typing import TYPE_CHECKING

import typer

from leaven._base.percent import percent
from leaven.cli._common import plain_table, render

if TYPE_CHECKING:
    from leaven.classifier import ByConfidence, Target

__all__ = ["print_coverage", "target_sentence"]


def print_coverage(
    by_confidence: "ByConfidence", target: "Target | None" = None, measure: str = "accuracy"
) -> None:
    """Print a measure at several thresholds, and the threshold for a wanted value of it."""
    points = by_confidence.points()
    if len(points) > 1:
        typer.echo(f"{measure} if documents below a probability are left undecided:")
        numbers = ("--min-probability", "decided", measure, "95 % interval", "documents")
        table = plain_table(*numbers, numeric=numbers)
        for point in points:
            table.add_row(
                f"{point.min_probability:g}",
                percent(point.coverage, 1),
                percent(point.accuracy, 1),
                f"{percent(point.low, 1)} to {percent(point.high, 1)}",
                f"{point.n_documents:,}",
            )
        render(table)
        typer.echo()
    if target is not None:
        typer.echo(target_sentence(target, measure) + "\n")


def target_sentence(target: "Target", measure: str = "accuracy") -> str:
    """The threshold for a wanted accuracy, and what is certain about it."""
    wanted, point = f"{100 * target.accuracy:g} %", target.point
    if point is None:
        return (
            f"No --min-probability reaches {wanted} {measure} with 95 % confidence on these "
            "labeled documents. Label more documents, or choose a lower target."
        )
    return (
        f"leaven predict --min-probability {point.min_probability:g} decides "
        f"{percent(point.coverage)} of documents, with at least {wanted} {measure} "
        f"(95 % confidence; {percent(point.accuracy, 1)} on {point.n_documents:,} documents here). "
        "The threshold was chosen on these documents and is valid for similar ones."
    )
