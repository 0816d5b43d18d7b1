"""What ``evaluate`` prints where documents have several labels."""

from typing import TYPE_CHECKING, Any

import typer

from leaven._base.percent import percent
from leaven.cli._common import plain_table, render
from leaven.cli._coverage import print_coverage

if TYPE_CHECKING:
    from leaven.classifier import SetEvaluation, Target

__all__ = ["print_set_scores"]

MOST_MISTAKEN = 15  # labels


def print_set_scores(
    scores: "SetEvaluation", full: bool = False, target: "Target | None" = None
) -> None:
    """Print all scores, and the labels most often missed and added, or in full all of them."""
    low, high = scores.exact_match_interval
    skipped = f", {scores.n_unlabeled:,} unlabeled skipped" if scores.n_unlabeled else ""
    typer.echo(
        f"exact match  {percent(scores.exact_match, 1)}  (95 % interval {percent(low, 1)} to "
        f"{percent(high, 1)}; {scores.n_documents:,} labeled documents{skipped})"
    )
    typer.echo(f"micro F1  {percent(scores.micro_f1, 1)}")
    typer.echo(f"macro F1  {percent(scores.macro_f1, 1)}")
    typer.echo(f"Hamming loss  {scores.hamming_loss:.4f}")
    numbers = scores.labels_per_document
    typer.echo(f"labels per document  {numbers['true']:.2f}, predicted {numbers['predicted']:.2f}")
    typer.echo(
        f"mean confidence  {percent(scores.mean_confidence, 1)}, calibration error "
        f"{scores.calibration_error:.3f} (of label sets), {scores.label_calibration_error:.3f} (of "
        "labels)\n"
    )
    render(_labels(scores))
    typer.echo()
    print_coverage(scores.by_confidence, target, "exact match")
    _print_mistaken(scores, full)


def _labels(scores: "SetEvaluation") -> Any:
    from rich.text import Text

    from leaven.documents._label_sets import NO_LABEL

    shares, counts = ("precision", "recall", "F1"), ("documents", "predicted")
    table = plain_table("label", *shares, *counts, numeric=(*shares, *counts))
    for name, own in scores.per_class.items():
        table.add_row(
            name,
            *(percent(own[key], 1) for key in ("precision", "recall", "f1")),
            *(f"{own[key]:,}" for key in ("support", "predicted")),
        )
    without = scores.without_label
    n_both = without.n_true + without.n_predicted
    if n_both:
        found = (
            without.n_right / max(without.n_predicted, 1),
            without.n_right / max(without.n_true, 1),
            2 * without.n_right / n_both,
        )
        numbers = (f"{without.n_true:,}", f"{without.n_predicted:,}")
        table.add_row(
            Text(NO_LABEL, style="italic"), *(percent(share, 1) for share in found), *numbers
        )
    return table


def _print_mistaken(scores: "SetEvaluation", full: bool) -> None:
    missed, added = scores.n_missed.tolist(), scores.n_added.tolist()
    ranked = sorted(range(len(missed)), key=lambda i: (-missed[i] - added[i], i))
    wrong = [i for i in ranked if missed[i] + added[i]]
    if not wrong:
        return
    shown = wrong if full else wrong[:MOST_MISTAKEN]
    more = " (--full prints all)" if len(wrong) > len(shown) else ""
    typer.echo(f"labels most often missed or wrongly added{more}:")
    titles = ("missed", "of its documents", "added", "of its predictions")
    table = plain_table("label", *titles, numeric=titles)
    for i in shown:
        n_true, n_predicted = int(scores.n_true[i]), int(scores.n_predicted[i])
        table.add_row(
            scores.classes[i],
            f"{missed[i]:,}",
            percent(missed[i] / n_true, 1) if n_true else "",
            f"{added[i]:,}",
            percent(added[i] / n_predicted, 1) if n_predicted else "",
        )
    render(table)
