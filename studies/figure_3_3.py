"""Nigam, McCallum and Mitchell, figure 3.3: model probability against accuracy, Reuters acq.

The trials of table 3.2 for the category acq (see there), with one and with ten components for the
negative class. A point is a model: the start made of the labeled documents alone, and what EM has
made of it after 1, 2, 4, 8, … iterations and in the end, from three random starts where there are
ten components. Its probability is the log likelihood of all documents, labels included, plus the
log prior, per document; its accuracy is that on the test set. The paper's points are not described;
it gives r = −0.9906 for one component and r = 0.5474 for ten. The correlations over the models that
EM has touched, and over end points alone, are printed too. Vocabulary: the 2,000 words of most
mutual information with the labels of all trials, so that probabilities are comparable.
Run: ``python -m studies.figure_3_3`` (about a minute)
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven.learning import Climb, run_em
from studies._common import run_study, save_figure, subplots, write_results
from studies._reuters import Reuters, Trial, fit_filter, load_reuters, log_odds, trials, view

CATEGORY = "acq"
WORDS = 2000
STOPS = (0, 1, 2, 4, 8, 16, 200)  # M-steps
STARTS = {1: 1, 10: 3}
PAPER = {1: -0.9906, 10: 0.5474}


@dataclass(frozen=True)
class Point:
    """A model on its way."""

    trial: int
    start: int
    step: int
    log_probability: float  # per document
    accuracy: float
    is_end: bool


def follow(
    reuters: Reuters, trial: Trial, words_of: Any, n_negative: int, start: int
) -> list[Point]:
    """The models that EM passes from one start."""
    seen = view(reuters, trial, WORDS, rank_by=words_of)
    n_documents = len(trial.labeled) + len(trial.unlabeled)
    points = []
    model, fit = fit_filter(
        seen, n_negative, unlabeled_weight=1.0, climb=Climb(max_iter=0), seed=start
    )
    for before, after in zip((0, *STOPS), STOPS, strict=False):
        result = run_em(model, seen.corpus, fit.result.params, max_iter=after - before)
        fit = type(fit)(result, fit.labeled, fit.start_objectives)
        right = (log_odds(model, fit, seen.scored) > 0) == seen.truth
        points.append(
            Point(
                trial.number,
                start,
                before + result.n_iter,
                result.objective[-1] / n_documents,
                float(right.mean()),
                after == STOPS[-1],
            )
        )
    return points


def correlation(points: list[Point]) -> float:
    pairs = np.array([(point.log_probability, point.accuracy) for point in points])
    return float(np.corrcoef(pairs.T)[0, 1])


def run() -> dict[str, Any]:
    begin = time.perf_counter()
    reuters = load_reuters()
    every = list(trials(reuters, CATEGORY))
    labeled = np.concatenate([trial.labeled for trial in every])
    results: dict[str, Any] = {"paper": PAPER, "panels": {}}
    for n_negative, n_starts in STARTS.items():
        points = [
            point
            for trial in every
            for start in range(n_starts)
            for point in follow(reuters, trial, labeled, n_negative, start)
        ]
        ends = [point for point in points if point.is_end]
        results["panels"][n_negative] = {
            "points": [vars(point) for point in points],
            "r": correlation(points),
            "r_climbing": correlation([point for point in points if point.step > 0]),
            "r_ends": correlation(ends),
            "start_accuracy": float(np.mean([p.accuracy for p in points if p.step == 0])),
            "end_accuracy": float(np.mean([p.accuracy for p in ends])),
        }
        found = results["panels"][n_negative]
        print(
            f"{n_negative:>2} components: r {found['r']:+.3f} (paper {PAPER[n_negative]:+.3f}), "
            f"without the starts {found['r_climbing']:+.3f}, end points alone "
            f"{found['r_ends']:+.3f}; accuracy {100 * found['start_accuracy']:.1f} "
            f"at the start, {100 * found['end_accuracy']:.1f} after EM",
            flush=True,
        )
    results["seconds"] = time.perf_counter() - begin
    return results


def plot(results: dict[str, Any]) -> None:
    figure, axes = subplots(nrows=1, ncols=2, figsize=(10, 4.4), sharey=True)
    for panel, (n_negative, found) in zip(axes, results["panels"].items(), strict=True):
        runs: dict[tuple[int, int], list[Any]] = {}
        for point in found["points"]:
            runs.setdefault((point["trial"], point["start"]), []).append(point)
        for number, path in enumerate(runs.values()):
            x = [point["log_probability"] for point in path]
            y = [100 * point["accuracy"] for point in path]
            panel.plot(x, y, "-", color="#d5d8dc", linewidth=1, zorder=1)
            first, last = (
                ("before EM: labeled documents only", "after EM") if not number else (None, None)
            )
            panel.plot(x[0], y[0], "o", color="#1f6f8b", markersize=5, label=first)
            label = None if number else "during EM"
            panel.plot(x[1:-1], y[1:-1], ".", color="#a0a6ad", markersize=4, label=label)
            panel.plot(x[-1], y[-1], "o", color="#c2571a", markersize=5, label=last)
        noun = "component" if int(n_negative) == 1 else "components"
        panel.set_title(
            f"{n_negative} {noun} for the negative class: r = {found['r']:.2f} "
            f"(paper {PAPER[int(n_negative)]:.2f})",
            fontsize=10,
        )
        panel.set_xlabel("log probability of the model per document, nats")
        panel.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("accuracy on the test set, %")
    axes[1].legend(loc="lower right", frameon=False)
    figure.suptitle(
        "Reuters-21578, category acq: is the more probable model the more accurate one?",
        fontsize=11,
    )
    save_figure("figure_3_3", figure)


def main() -> None:
    results = run()
    write_results("figure_3_3", results, seed=range(max(STARTS.values())))
    plot(results)


if __name__ == "__main__":
    run_study(main)
