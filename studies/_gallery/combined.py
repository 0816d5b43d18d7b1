"""The default method: the weights of its members, and what they and all together get right."""

from typing import Any

import numpy as np

from studies._gallery._style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    end_labels,
    figure,
    headline,
    note,
    panel_title,
)
from studies._gallery._task import docstrings

Found = dict[str, Any]
SIZES = (1, 2, 5, 10, 20, 50)
DRAWS = 3
COLORS = {
    "linear model of words": GREY,
    "linear model of words and vectors": PURPLE,
    "two-view EM": BLUE,
    "naive Bayes with EM": ORANGE,
}
WHITE_ON = (PURPLE, BLUE, ORANGE)
SHORT = {
    "linear model of words": "linear, words",
    "linear model of words and vectors": "linear, words and vectors",
    "naive Bayes with EM": "naive Bayes, EM",
}


def compute_auto() -> Found:
    """Shares of the members and accuracies, by labels per class and draw."""
    shares: dict[str, list[list[float]]] = {name: [[] for _ in SIZES] for name in COLORS}
    accuracy: dict[str, list[list[float]]] = {
        name: [[] for _ in SIZES] for name in ("auto", *COLORS)
    }
    for place, size in enumerate(SIZES):
        for seed in range(DRAWS):
            task = docstrings(size, seed)
            model = task.fitted("auto")
            X = task.counts(model)
            vectors = None if model.view is None else model.view.vectors(X, n_threads=1)
            probability = model.decision.probability(task.scores(model))
            accuracy["auto"][place].append(task.accuracy(probability))
            for expert in model.experts:
                found = task.accuracy(expert.scores(X, vectors))
                accuracy[expert.name][place].append(found)
            # A member that is left out has no share.
            parts = {each["name"]: each["share"] for each in model.report.candidates}
            for name, own in shares.items():
                own[place].append(parts.get(name, 0.0))
    return {"sizes": SIZES, "draws": DRAWS, "shares": shares, "accuracy": accuracy}


def draw_auto(found: Found) -> Any:
    card, (left, right) = figure(3.9, ncols=2, width_ratios=(1, 1.05))
    sizes = found["sizes"]
    places = np.arange(len(sizes))
    shares = {name: 100 * np.mean(own, axis=1) for name, own in found["shares"].items()}
    bottom = np.zeros(len(sizes))
    for name, own in shares.items():
        left.fill_between(places, bottom, bottom + own, color=COLORS[name], linewidth=0, alpha=0.9)
        widest = int(np.argmax(own[2:-1])) + 2  # not at the edges, where text has no room
        color = "white" if COLORS[name] in WHITE_ON else INK
        if own[widest] > 8:
            height = bottom[widest] + own[widest] / 2
            text = SHORT.get(name, name).replace(" and", "\nand")
            note(left, places[widest], height, text, color=color, ha="center", va="center")
        bottom = bottom + own
    left.set_ylim(0, 100)
    left.set_xlim(0, places[-1])
    panel_title(left, "shares in the decision, %")
    ends, names, colors = [], [], []
    for name, own in found["accuracy"].items():
        means = np.array([100 * np.mean(each) if each else np.nan for each in own])
        is_auto = name == "auto"
        color = GREEN if is_auto else COLORS[name]
        right.plot(
            places, means, color=color, linewidth=3.2 if is_auto else 1.6,
            linestyle="-" if is_auto else "--", zorder=5 if is_auto else 2,
        )  # fmt: skip
        ends.append(means[-1])
        names.append("auto: all together" if is_auto else SHORT.get(name, name))
        colors.append(color)
    end_labels(right, places[-1] + 0.15, ends, names, colors, 3.6)
    right.set_xlim(0, places[-1])
    right.set_ylim(top=100)
    panel_title(right, "accuracy, %")
    for axes in (left, right):
        axes.set_xticks(places, [str(size) for size in sizes])
        axes.set_xlabel("labels per class")
    headline(card, "auto: EM decides while labels are few, linear models once they are many")
    return card
