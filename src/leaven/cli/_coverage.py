"""What ``evaluate`` prints about confident predictions: accuracy against coverage."""

from typing import TYPE_CHECKING

import typer

from leaven.cli._common import plain_table, render

if TYPE_CHECKING:
    from leaven.classifier import ByConfidence, Target

__all__ = ["print_coverage", "target_sentence"]


def print_coverage(by_confidence: "ByConfidence", target: "Target | None" = None) -> None:
    """Print the accuracy at several thresholds, and the threshold for a wanted accuracy."""
    points = by_confidence.points()
    if len(points) > 1:
        typer.echo("accuracy if documents below a probability are left undecided:")
        numbers = ("--min-probability", "decided", "accuracy", "95 % interval", "documents")
        table = plain_table(*numbers, numeric=numbers)
        for point in points:
            table.add_row(
                f"{point.min_probability:g}",
                f"{point.coverage:.1%}",
                f"{point.accuracy:.1%}",
                f"{point.low:.1%} to {point.high:.1%}",
                f"{point.n_documents:,}",
            )
        render(table)
        typer.echo()
    if target is not None:
        typer.echo(target_sentence(target) + "\n")


def target_sentence(target: "Target") -> str:
    """The threshold for a wanted accuracy, and what is certain about it."""
    wanted, point = f"{100 * target.accuracy:g} %", target.point
    if point is None:
        return (
            f"No --min-probability is certain to give {wanted} accuracy: too few of the labeled "
            "documents are classified that well. Label more documents, or aim lower."
        )
    return (
        f"leaven predict --min-probability {point.min_probability:g} decides "
        f"{100 * point.coverage:.0f} % of documents, with at least {wanted} accuracy "
        f"(95 % confidence; {100 * point.accuracy:.1f} % of the {point.n_documents:,} here are "
        "right). The threshold was chosen on these documents and holds for documents like them."
    )
