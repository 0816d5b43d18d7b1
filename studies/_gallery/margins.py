"""Support vector machines: where documents lie relative to the boundary of a class."""

from typing import Any

import numpy as np

from leaven._base.typing import FloatArray
from studies._gallery._style import (
    BLUE,
    DARK,
    GREY,
    INK,
    SMALL,
    figure,
    headline,
    note,
    panel_title,
)
from studies._gallery._task import Task, docstrings, histogram, rounded

Found = dict[str, Any]
CLASS = "signal"
EDGES = np.arange(-1.4, 3.61, 0.1)
RANKS = 4


def compute_svm() -> Found:
    """Scores of one machine, and how high the true class's machine is among all."""
    task = docstrings()
    scores = task.scores(task.fitted("svm"))
    rows = task.unlabeled
    own = scores[rows, task.codes[rows]]
    ranks = (scores[rows] > own[:, None]).sum(axis=1)
    code = int(np.flatnonzero(task.classes == CLASS)[0])
    labeled = task.labeled
    is_own = task.codes[labeled] == code
    return {
        **_of_machine(task, scores),
        "labeled": {
            "own": rounded(scores[labeled[is_own], code], 2),
            "others": rounded(scores[labeled[~is_own], code], 2),
        },
        "ranks": [float((ranks == rank).mean()) for rank in range(RANKS)],
    }


def draw_svm(found: Found) -> Any:
    card, (left, right) = figure(3.6, ncols=2, width_ratios=(1.7, 1))
    top = _draw_machine(left, found)
    left.set_xlim(-1.25, 1.25)
    for kind, color, who in (("own", BLUE, f"“{found['class']}”"), ("others", DARK, "other")):
        places = found["labeled"][kind]
        left.scatter(places, np.full(len(places), 1.04 * top), s=26, marker="v", color=color)
        middle = float(np.mean(places))
        note(left, middle, 1.1 * top, f"labeled, {who}", color=color, ha="center", va="bottom")
    note(left, -0.67, 0.75 * top, "unlabeled, other", color=DARK)
    note(left, 0.04, 0.14 * top, f"unlabeled, “{found['class']}”", color=BLUE)
    left.set_ylim(0, 1.25 * top)
    panel_title(left, f"the machine of “{found['class']}”")
    ranks = 100 * np.array(found["ranks"])
    right.barh(["first", "second", "third", "fourth"], ranks, color=[BLUE, GREY, GREY, GREY])
    for place, share in enumerate(ranks):
        note(right, share + 1, place, f"{share:.0f} %", va="center")
    right.invert_yaxis()
    right.set_xlim(0, 1.25 * ranks.max())
    right.set_xticks([])
    right.spines["bottom"].set_visible(False)
    right.tick_params(axis="y", length=0)
    panel_title(right, f"place of the true class\namong all {found['n_classes']} machines")
    headline(card, "svm: few documents reach their side, but the best machine is often right")
    return card


def compute_tsvm() -> Found:
    """Scores of one machine before and after unlabeled documents are moved out of the margin."""
    task = docstrings()
    model = task.fitted("tsvm")
    facts = model.report.facts
    before = task.fitted("tsvm", {"C": facts["C"], "C_unlabeled": 0.0})
    return {
        **task.sizes,
        "C_unlabeled": facts["C_unlabeled"],
        "before": _of_machine(task, task.scores(before)),
        "after": _of_machine(task, task.scores(model)),
    }


def draw_tsvm(found: Found) -> Any:
    card, panels = figure(4.3, nrows=2, sharex=True)
    names = {"before": "labels alone", "after": "and unlabeled documents kept out of the margin"}
    for axes, (when, name) in zip(panels, names.items(), strict=True):
        step = found[when]
        axes.axvspan(-1, 1, color="#f7ede5", zorder=0, linewidth=0)
        top = _draw_machine(axes, step)
        axes.set_ylim(0, 1.05 * top)
        panel_title(axes, f"{name}: accuracy {100 * step['accuracy']:.0f} %")
        share = 100 * step["share_of_own_positive"]
        text = f"{share:.0f} % of “{step['class']}” on its side of the boundary"
        note(axes, 1.06, 0.95 * top, text, color=BLUE, va="top")
        note(axes, -0.68, 0.5 * top, "unlabeled,\nother", color=DARK)
    panels[0].set_xlabel("")
    note(panels[0], 0.04, 8, f"unlabeled, “{found['before']['class']}”", color=BLUE)
    note(panels[1], 1.2, 14, f"unlabeled, “{found['after']['class']}”", color=BLUE)
    own = found["after"]["class"]
    headline(card, f"tsvm: unlabeled documents of “{own}” move to its side of the boundary")
    return card


def _of_machine(task: Task, scores: FloatArray) -> Found:
    """Where unlabeled documents lie by the machine of one class."""
    code = int(np.flatnonzero(task.classes == CLASS)[0])
    rows = task.unlabeled
    is_own = task.codes[rows] == code
    own, others = scores[rows[is_own], code], scores[rows[~is_own], code]
    return {
        **task.sizes,
        "class": CLASS,
        "edges": rounded(EDGES, 2),
        "own": histogram(own, EDGES),
        "others": histogram(others, EDGES),
        "share_of_own_positive": float((own > 0).mean()),
        "share_of_others_positive": float((others > 0).mean()),
        "accuracy": task.accuracy(scores),
    }


def _draw_machine(axes: Any, found: Found) -> float:
    """Histograms of a class's documents and of all others, each as shares; the highest bar."""
    edges = np.array(found["edges"])
    own, others = (np.array(found[name], float) for name in ("own", "others"))
    own, others = 100 * own / own.sum(), 100 * others / others.sum()
    axes.stairs(others, edges, fill=True, color=GREY, alpha=0.55, linewidth=0)
    axes.stairs(own, edges, fill=True, color=BLUE, alpha=0.75, linewidth=0)
    axes.axvline(0, color=INK, linewidth=1)
    for place in (-1, 1):
        axes.axvline(place, color=INK, linewidth=0.8, linestyle=":")
    top = float(max(own.max(), others.max()))
    axes.set_xlim(edges[0], edges[-1])
    axes.set_xticks([-1, 0, 1, 2, 3], ["−1\nmargin", "0\nboundary", "1\nmargin", "2", "3"])
    axes.set_ylabel("% of the documents", fontsize=SMALL)
    axes.set_xlabel("score of the machine")
    return top
