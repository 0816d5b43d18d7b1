"""The common look of the gallery: colors that color-blind readers can tell apart, direct labels."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

BLUE, ORANGE, GREEN, PURPLE, GREY = "#2b6ca3", "#c2571a", "#2f8f6b", "#9a5a9e", "#8a8f98"
PALE, DARK = "#d9dde3", "#5f646c"  # greys of lines and of text
INK = "#222222"
WIDTH = 7.0  # inches
COLORS = 128  # of a picture
DPI = 180  # 1,260 pixels, twice what most pages show
LABEL = 9.0  # points, of axes
SMALL = 8.5  # points, of what stands inside a picture


def figure(height: float, **settings: Any) -> tuple[Any, Any]:
    """A figure on a white card, and its axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    card, axes = plt.subplots(
        figsize=(WIDTH, height), layout="constrained", facecolor="white", **settings
    )
    card.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    for each in np.ravel(axes):
        each.spines[["top", "right"]].set_visible(False)
        each.tick_params(labelsize=SMALL, color=GREY)
        each.xaxis.label.set_size(LABEL)
        each.yaxis.label.set_size(LABEL)
        each.set_axisbelow(True)
    return card, axes


def headline(card: Any, finding: str) -> None:
    """The finding, above all axes, at the left."""
    card.suptitle(finding, x=0.012, ha="left", fontsize=11, fontweight="bold", color=INK)


def panel_title(axes: Any, text: str) -> None:
    axes.set_title(text, loc="left", fontsize=LABEL, color=INK)


def note(axes: Any, x: float, y: float, text: str, **settings: Any) -> Any:
    """Text at a place of the data."""
    return axes.text(x, y, text, **{"fontsize": SMALL, "color": INK, **settings})


def spread(places: Sequence[float], least: float) -> list[float]:
    """Places moved apart so that labels at them do not overlap, as little as possible."""
    order = np.argsort(places, kind="stable")
    wanted = np.asarray(places, float)[order] - least * np.arange(len(places))
    # What is left is to find the nearest rising numbers: pool those that fall.
    pools: list[list[float]] = []
    for value in wanted:
        pools.append([value, 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            before, count = pools[-1]
            pools[-1] = [(before * count + mean * size) / (count + size), count + size]
    rising = np.concatenate([np.full(int(size), mean) for mean, size in pools])
    found = np.empty(len(places))
    found[order] = rising + least * np.arange(len(places))
    return [float(place) for place in found]


def end_labels(
    axes: Any, x: float, ends: Sequence[float], texts: Sequence[str], colors: Sequence[str],
    least: float,
) -> None:  # fmt: skip
    """Labels to the right of the ends of lines."""
    for place, text, color in zip(spread(ends, least), texts, colors, strict=True):
        note(axes, x, place, text, color=color, va="center", clip_on=False)


def save(card: Any, path: Path) -> None:
    """Write a picture, in few colors so that it is small, and without the date or versions."""
    import matplotlib.pyplot as plt
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = io.BytesIO()
    card.savefig(drawn, dpi=DPI, facecolor="white")
    plt.close(card)
    with Image.open(drawn) as picture:
        picture.convert("RGB").quantize(COLORS).save(path, optimize=True)
