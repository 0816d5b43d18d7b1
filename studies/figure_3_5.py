"""Nigam, McCallum and Mitchell, figure 3.5: model probability and accuracy on News5.

Data, draws and fits: ``studies._news5``, with the oracle vocabulary; ten draws of 1 to 200 labels
per class. Annealed models have the perfect correspondence, which uses the test labels, as in the
paper; EM's have their own. The probability is the log posterior per document with *all* documents
of News5 taken as unlabeled: what is climbed differs from it by the labels, but that is of other
documents for every draw and could not be compared. With more labels a model was fitted to more of
these documents, which raises its probability a little.

Two ways to see a document: counts at length 50 as in ``studies.figure_3_4``, and leaven's
weighting, log(1 + tf) · idf at length 150. The latter's idf differs a little between draws
and blurs what is compared across them, not the pairs of one draw.

Paper: annealing finds more probable models, on the same line of probability and accuracy as EM's.
Run: ``python -m studies.figure_3_5``
"""

import time
from typing import Any

import numpy as np

from leaven.learning._correspondence import by_labels, reordered
from studies._common import run_study, save_figure, subplots, write_results
from studies._news5 import (
    MODEL,
    SHORT,
    WEIGHTED,
    Draw,
    accuracy,
    as_corpus,
    fit_draw,
    load_news5,
    log_probability,
)

SIZES = (1, 2, 5, 10, 20, 50, 100, 200)  # labels per class
DRAWS = 10
VIEWS = {"counts": SHORT, "weighted": WEIGHTED}
TITLES = {"counts": "counts, length 50", "weighted": "log-tf · idf, length 150"}
METHODS = {"EM": ("#7a7a7a", "o"), "annealed": ("#c8642b", "s")}
Points = dict[str, list[tuple[float, float]]]  # log probability and accuracy, by method


def measure(draw: Draw) -> dict[str, tuple[float, float]]:
    perfect = by_labels(MODEL, draw.annealed, as_corpus(draw.test, draw.truth))
    models = {"EM": draw.em, "annealed": reordered(draw.annealed, perfect)}
    return {
        name: (log_probability(draw, params), accuracy(draw, params))
        for name, params in models.items()
    }


def summarize(points: dict[int, Points]) -> dict[str, Any]:
    """Correlations, and how often annealing is the more probable of a pair."""
    found: dict[str, Any] = {"correlation": {}, "more_probable": {}}
    for name, methods in (("both", list(METHODS)), *((method, [method]) for method in METHODS)):
        every = [
            point
            for by_method in points.values()
            for method in methods
            for point in by_method[method]
        ]
        found["correlation"][name] = float(np.corrcoef(np.transpose(every))[0, 1])
    for size, by_method in points.items():
        pairs = zip(by_method["annealed"], by_method["EM"], strict=True)
        found["more_probable"][size] = sum(annealed[0] > em[0] for annealed, em in pairs)
    return found


def run() -> dict[str, Any]:
    start = time.perf_counter()
    news = load_news5()
    results: dict[str, Any] = {"draws": DRAWS, "points": {}, "summary": {}}
    for view, options in VIEWS.items():
        points: dict[int, Points] = {}
        for size in SIZES:
            draws = [measure(fit_draw(news, options, True, size, seed)) for seed in range(DRAWS)]
            points[size] = {name: [each[name] for each in draws] for name in METHODS}
            shown = "   ".join(
                f"{name} {np.mean(pairs, axis=0)[0]:9.3f} {100 * np.mean(pairs, axis=0)[1]:5.1f} %"
                for name, pairs in points[size].items()
            )
            print(f"{view:<9} {size:>3} per class   {shown}", flush=True)
        results["points"][view] = points
        results["summary"][view] = summarize(points)
    results["seconds"] = time.perf_counter() - start
    return results


def report(results: dict[str, Any]) -> None:
    for view, found in results["summary"].items():
        shown = "  ".join(f"{name} {r:.3f}" for name, r in found["correlation"].items())
        print(f"\n{TITLES[view]}: correlation of probability and accuracy: {shown}")
        counts = found["more_probable"]
        print(
            f"annealing is more probable in {sum(counts.values())} of {len(counts) * DRAWS} pairs; "
            + ", ".join(f"{n} of {DRAWS} at {size} per class" for size, n in counts.items())
        )


def plot(results: dict[str, Any]) -> None:
    figure, panels = subplots(ncols=len(VIEWS), figsize=(11, 4.8), sharey=True)
    for axes, (view, points) in zip(panels, results["points"].items(), strict=True):
        for name, (color, marker) in METHODS.items():
            for size, by_method in points.items():
                x, y = np.transpose(by_method[name])
                area = 10 + 4 * np.log2(size)
                axes.scatter(x, 100 * y, area, color, marker=marker, alpha=0.6, linewidths=0)
            axes.scatter([], [], 40, color, marker=marker, label=name)
        r = results["summary"][view]["correlation"]["both"]
        axes.set_title(f"{TITLES[view]}: r = {r:.2f}")
        axes.set_xlabel("log posterior per message, nats (constant dropped)")
        axes.legend(title="larger symbol: more labels", loc="lower right")
    panels[0].set_ylabel("accuracy on the other messages, %")
    figure.suptitle(
        "Five comp.* groups of 20 Newsgroups: more probable models are more accurate\n"
        "(annealed models with the perfect correspondence)"
    )
    save_figure("figure_3_5", figure)


def main() -> None:
    results = run()
    report(results)
    path = write_results("figure_3_5", results, seed=range(DRAWS))
    print(f"{results['seconds']:.0f} s; wrote {path.name}")
    plot(results)


if __name__ == "__main__":
    run_study(main)
