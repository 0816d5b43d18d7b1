"""Pictures of results; needs the extra ``plot``."""

import io
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from leaven._base.atomic_files import write_atomically
from leaven._base.percent import percent

if TYPE_CHECKING:
    from leaven.classifier import ByConfidence, Confusion, CoveragePoint
    from leaven.cli.demo import Point
    from leaven.held_out.diagnosis import Diagnosis
    from leaven.methods import Comparison

__all__ = [
    "draw_comparison",
    "draw_confusion",
    "draw_coverage",
    "draw_diagnosis",
    "draw_learning_curves",
]

NB_COLOR, EM_COLOR, AUTO_COLOR = "#8a8f98", "#c2571a", "#2b5c8a"
WIDEST = 30.0  # inches of a matrix of very many classes
MOST_DRAWN = 100  # classes of a matrix; of more, names are too small to read
MOST_LETTERS = 24  # of a class name on an axis
VERDICT_COLORS = {"helps": "#2f7d4f", "hurts": "#b3322c", "unclear": NB_COLOR}


def draw_confusion(pairs: "Confusion", classes: Sequence[str], accuracy: float, path: Path) -> None:
    """Draw a confusion matrix: colours are shares of the true class, numbers are documents.

    Of very many classes, those with most misclassified documents are drawn.
    """
    title = f"accuracy {percent(accuracy, 1)}, {pairs.n_documents:,} documents"
    support = np.maximum(pairs.true_of_class, 1)
    if len(classes) > MOST_DRAWN:
        n_wrong = pairs.true_of_class - pairs.right_of_class
        drawn = np.sort(np.argsort(-n_wrong, kind="stable")[:MOST_DRAWN])
        title += f"; the {MOST_DRAWN} of {len(classes):,} classes with most errors"
        pairs, support = pairs.among(drawn), support[drawn]
        classes = [classes[code] for code in drawn]
    confusion = pairs.matrix()
    n = len(classes)
    cell = 0.75 if n <= 4 else 0.5 if n <= 15 else min(0.4, WIDEST / n)  # inches
    letter = min(10.0, 72 * cell * 0.8)
    names = [_shortened(name) for name in classes]
    margin = 0.095 * max(map(len, names)) + 0.7  # inches that the names take
    figure = Figure(
        figsize=(n * cell + margin + 1.1, n * cell + margin + 0.5), layout="constrained"
    )
    axes = figure.add_subplot()
    shares = confusion / support[:, None]
    image = axes.imshow(shares, cmap="Oranges", vmin=0, vmax=1)
    steep = n > 3 or max(map(len, names)) > 8
    axes.set_xticks(range(n), names, rotation=90 if steep else 0, fontsize=letter)
    axes.set_yticks(range(n), names, fontsize=letter)
    axes.set_xlabel("predicted class")
    axes.set_ylabel("true class")
    axes.set_title(title, fontsize=10)
    axes.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    for (i, j), count in np.ndenumerate(confusion):
        if count:
            text = f"{count:,}"
            # Long numbers shrink to stay inside their cell.
            size = min(9.0, cell * 72 * 0.8 / (0.62 * len(text)))
            color = "white" if shares[i, j] > 0.6 else "black"
            axes.text(j, i, text, ha="center", va="center", fontsize=size, color=color)
    bar = figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, aspect=30)
    bar.set_label("share of the true class")
    bar.outline.set_visible(False)
    _save(figure, path)


def draw_coverage(by_confidence: "ByConfidence", path: Path, measure: str = "accuracy") -> None:
    """Draw a measure of the most confident predictions against their share."""
    figure = Figure(figsize=(7, 4.4), layout="constrained")
    axes = figure.add_subplot()
    curve = by_confidence.curve()
    coverage, accuracy, low, high = (
        100 * np.array([getattr(point, name) for point in curve])
        for name in ("coverage", "accuracy", "low", "high")
    )
    axes.fill_between(coverage, low, high, color=AUTO_COLOR, alpha=0.15, linewidth=0)
    axes.plot(coverage, accuracy, color=AUTO_COLOR, linewidth=2)
    shown = by_confidence.points()
    axes.plot(
        [100 * point.coverage for point in shown], [100 * point.accuracy for point in shown],
        color=AUTO_COLOR, marker="o", linestyle="none",
    )  # fmt: skip
    floor = max(min(low[coverage >= 10], default=0.0) - 3, 0.0)
    axes.set_ylim(floor, 101)  # a line at 100 is seen whole
    axes.set_yticks([tick for tick in axes.get_yticks() if floor <= tick <= 100])
    axes.set_xlim(0, 102)
    # Beside the curve numbers would cover it; at the top they stand above their points.
    above = axes.secondary_xaxis("top")
    named = _apart(shown)
    is_tight = any(a.coverage - b.coverage < 0.09 for a, b in pairwise(named))
    above.set_xticks(
        [100 * point.coverage for point in named],
        [f"{point.min_probability:g}" for point in named],
        rotation=90 if is_tight else 0,
        fontsize=9,
    )
    above.set_xlabel("minimum probability (--min-probability)")
    above.spines["top"].set_visible(False)
    above.tick_params(length=0)
    for point in shown:
        axes.axvline(100 * point.coverage, color="#e5e5e5", linewidth=0.8, zorder=0)
    axes.set_xlabel("documents decided, %")
    axes.set_ylabel(f"{measure} with 95 % interval, %")
    axes.grid(axis="y", color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def _apart(points: "Sequence[CoveragePoint]") -> "list[CoveragePoint]":
    """The points whose numbers do not overlap."""
    kept: list[CoveragePoint] = []
    for point in points:
        if not kept or kept[-1].coverage - point.coverage > 0.025:
            kept.append(point)
    return kept


def draw_learning_curves(points: "Sequence[Point]", title: str, path: Path) -> None:
    """Draw accuracy against labels per class, a line per method."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    styles = {
        "nb": ("naive Bayes, labels only", NB_COLOR, "s", 0.98),
        "em": ("leaven em", EM_COLOR, "o", 1.0),
        "auto": ("leaven auto (default)", AUTO_COLOR, "D", 1.02),
    }
    for method, (name, color, marker, shift) in styles.items():
        curve = [point for point in points if point.method == method]
        axes.errorbar(
            [point.labels_per_class * shift for point in curve],  # side by side, not on each other
            [100 * point.mean for point in curve],
            yerr=[100 * point.sd for point in curve],
            label=name,
            color=color,
            marker=marker,
            capsize=3,
            linewidth=2,
            elinewidth=1.2,
        )
    ticks = sorted({point.labels_per_class for point in points})
    axes.set_xscale("log")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.set_xlabel("labeled documents per class")
    axes.set_ylabel("accuracy on held-out documents, %")
    n_draws = len(points[0].accuracies)
    axes.set_title(
        f"{title}: mean ± standard deviation over {n_draws} draws", loc="left", fontsize=11
    )
    axes.grid(axis="y", color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    _save(figure, path)


def draw_diagnosis(diagnosis: "Diagnosis", path: Path) -> None:
    """Draw accuracy against log probability, a line per start from its circle to its dot."""
    figure = Figure(figsize=(7, 4.6), layout="constrained")
    axes = figure.add_subplot()
    color = VERDICT_COLORS[diagnosis.verdict]
    for start in sorted({point.start for point in diagnosis.points}):
        trajectory = [point for point in diagnosis.points if point.start == start]
        x = [point.log_probability for point in trajectory]
        y = [100 * point.accuracy for point in trajectory]
        is_first = start == diagnosis.points[0].start
        axes.plot(x, y, color=color, alpha=0.45, linewidth=1.2)
        axes.plot(
            x[:1], y[:1], "o", color=color, markerfacecolor="white", markersize=6,
            label="supervised start" if is_first else None,
        )  # fmt: skip
        axes.plot(
            x[-1:], y[-1:], "o", color=color, markersize=6,
            label="after EM" if is_first else None,
        )  # fmt: skip
    axes.set_xlabel("log probability of the model, per unlabeled document")
    axes.set_ylabel("accuracy on held-out labels, %")
    axes.set_title(_title(diagnosis), loc="left", fontsize=11)
    axes.grid(color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if diagnosis.points:
        axes.legend(loc="best", frameon=False)
    _save(figure, path)


def draw_comparison(comparison: "Comparison", path: Path) -> None:
    """Draw a dot and its 90 % interval per method, the best on top, seconds at the right.

    The winner is in colour, or else all methods that may be the best.
    """
    rows = comparison.results
    leading = comparison.indistinguishable or [comparison.best]
    figure = Figure(figsize=(7.6, 1.3 + 0.42 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    right_edge = axes.get_yaxis_transform()  # x as a share of the width, y in rows
    for y, result in enumerate(rows):
        if result.accuracy is None or result.low is None or result.high is None:
            axes.text(0.5, y, "failed", transform=right_edge, ha="center", va="center")
            continue
        color, dark = (EM_COLOR, EM_COLOR) if result.method in leading else (NB_COLOR, "black")
        middle, low, high = 100 * result.accuracy, 100 * result.low, 100 * result.high
        axes.errorbar(
            middle, y, xerr=[[middle - low], [high - middle]],
            color=color, marker="o", markersize=7, capsize=3, elinewidth=1.8,
        )  # fmt: skip
        seconds = f"{result.seconds:,.{2 if (result.seconds or 0) < 100 else 0}f} s"
        for points, text in ((60, f"{middle:.1f} %"), (125, seconds)):
            axes.annotate(
                text, (1, y), (points, 0), xycoords=right_edge, textcoords="offset points",
                ha="right", va="center", color=dark,
            )  # fmt: skip
    axes.set_yticks(range(len(rows)), [_shortened(result.method) for result in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)  # the best on top
    axes.set_xlabel(f"{comparison.measure} on held-out labels with 90 % interval, %")
    axes.annotate(
        "per fit", (1, 1), (125, 6), xycoords="axes fraction", textcoords="offset points",
        ha="right", va="baseline", fontsize=9,
    )  # fmt: skip
    outcome = "no clear winner" if comparison.winner is None else f"{comparison.winner} is best"
    axes.set_title(
        f"{_shortened(outcome)}: {comparison.n_held_out:,} held-out labels, "
        f"{comparison.n_unlabeled:,} unlabeled documents",
        loc="left",
        fontsize=11,
    )
    axes.grid(axis="x", color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    _save(figure, path)


def _title(diagnosis: "Diagnosis") -> str:
    words = {
        "helps": "unlabeled text helps",
        "hurts": "unlabeled text hurts",
        "unclear": "unclear whether unlabeled text helps",
    }
    if diagnosis.correlation is None:
        return words[diagnosis.verdict]
    return (
        f"{words[diagnosis.verdict]}: r = {diagnosis.correlation:.2f}, {diagnosis.gain} points on "
        f"{diagnosis.n_held_out:,} held-out labels"
    )


def _shortened(name: str) -> str:
    short = name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
    return short.replace("$", r"\$")  # not the beginning of a formula


def _save(figure: Any, path: Path) -> None:
    content = io.BytesIO()
    format = path.suffix.lstrip(".").lower() or "png"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # drawn as a box
        figure.savefig(content, format=format, dpi=150, bbox_inches="tight")
    write_atomically(path, content.getvalue())
