"""What ``evaluate`` prints where every document has one class."""

from typing import TYPE_CHECKING, Any

import typer

from leaven._base.percent import percent
from leaven.cli._common import plain_table, render, stdout_width
from leaven.cli._coverage import print_coverage

if TYPE_CHECKING:
    from leaven.classifier import Evaluation, Target

__all__ = ["print_scores"]

MOST_CLASSES_IN_MATRIX = 12
MOST_CLASSES_IN_FULL_MATRIX = 200  # wider lines cannot be read
MOST_CLASSES_LISTED = 100
LARGEST_CONFUSIONS = 15


def print_scores(scores: "Evaluation", full: bool, target: "Target | None" = None) -> None:
    """Print all scores; all classes and all confusions if they are few, or wanted in full."""
    low, high = scores.accuracy_interval
    skipped = f", {scores.n_unlabeled:,} unlabeled skipped" if scores.n_unlabeled else ""
    typer.echo(
        f"accuracy  {percent(scores.accuracy, 1)}  (95 % interval {percent(low, 1)} to "
        f"{percent(high, 1)}; "
        f"{scores.n_documents:,} labeled documents{skipped})"
    )
    typer.echo(f"macro F1  {percent(scores.macro_f1, 1)}")
    typer.echo(
        f"mean confidence  {percent(scores.mean_confidence, 1)}, calibration error "
        f"{scores.calibration_error:.3f}\n"
    )
    table = plain_table(
        "class", "precision", "recall", "F1", "documents",
        numeric=("precision", "recall", "F1", "documents"),
    )  # fmt: skip
    per_class = scores.per_class
    listed = list(per_class) if full else _largest(scores)
    for name in listed:
        measures = per_class[name]
        shares = [percent(measures[key], 1) for key in ("precision", "recall", "f1")]
        table.add_row(name, *shares, f"{measures['support']:,}")
    render(table)
    if len(listed) < len(per_class):
        typer.echo(f"and {len(per_class) - len(listed):,} smaller classes (--full prints all)")
    typer.echo()
    print_coverage(scores.by_confidence, target)
    most = MOST_CLASSES_IN_FULL_MATRIX if full else MOST_CLASSES_IN_MATRIX
    if len(scores.classes) <= most:
        typer.echo("true classes in rows, predicted classes in columns:")
        render(_matrix(scores))
    else:
        _print_confusions(scores, full)


def _largest(scores: "Evaluation") -> list[str]:
    """Classes of most documents, in the order of all, as many as can be read."""
    if len(scores.classes) <= MOST_CLASSES_LISTED:
        return scores.classes
    by_size = (-scores.confusion.true_of_class).argsort(kind="stable")[:MOST_CLASSES_LISTED]
    return [scores.classes[code] for code in sorted(by_size.tolist())]


def _matrix(scores: "Evaluation") -> Any:
    from rich.text import Text

    n = len(scores.classes)
    width = max(map(len, scores.classes)) + sum(max(len(name), 5) + 2 for name in scores.classes)
    are_named = width <= stdout_width()
    # Names that do not fit side by side become the numbers of their rows.
    headers = scores.classes if are_named else [str(i + 1) for i in range(n)]
    table = plain_table("", *headers, numeric=headers)
    for i, row in enumerate(scores.confusion.matrix().tolist()):
        name = scores.classes[i] if are_named else f"{i + 1:>2} {scores.classes[i]}"
        cells = [
            Text(f"{count:,}" if count else "·", style="bold" if i == j else "" if count else "dim")
            for j, count in enumerate(row)
        ]
        table.add_row(name, *cells)
    return table


def _print_confusions(scores: "Evaluation", full: bool) -> None:
    support = scores.confusion.true_of_class
    wrong = scores.confusion.largest_mistakes()
    if not wrong:
        return
    shown = wrong if full else wrong[:LARGEST_CONFUSIONS]
    more = "" if full else " (--full prints all of them)"
    if len(scores.classes) <= MOST_CLASSES_IN_FULL_MATRIX:
        more = " (--full prints the whole matrix)"
    typer.echo(f"largest confusions{more}:")
    table = plain_table(
        "true class", "predicted", "documents", "of the class",
        numeric=("documents", "of the class"),
    )  # fmt: skip
    for i, j, count in shown:
        table.add_row(
            scores.classes[i], scores.classes[j], f"{count:,}", percent(count / support[i], 1)
        )
    render(table)
