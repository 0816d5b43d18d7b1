"""Nigam, McCallum and Mitchell, figure 3.2: model probability and accuracy on 20 Newsgroups.

Data and test set as in ``studies.figure_3_1``. Labeled documents only start EM: naive Bayes on them
is its first model, and its iterations see unlabeled documents alone. Each point is one labeled set.
All share one set of 10,000 unlabeled documents, whose words (and idf) are the vocabulary, so the
posterior probabilities are of the same data; they are shown per unlabeled document. Ten labeled
sets of each size, drawn from the rest.

Documents are seen as in figure 3.1: counts at length 400, and leaven's weighting at length 150.

Paper: correlation 0.9798. Expected: 0.9 or more. Run: ``python -m studies.figure_3_2``
"""

import time
from typing import Any

import numpy as np

from leaven.corpora import InMemoryCorpus
from leaven.documents._arrow import as_text_array
from leaven.learning import Climb, fit_mixture, run_em
from leaven.models import MultinomialMixture
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from studies._common import (
    NewsgroupSplit,
    labeled_set,
    newsgroup_split,
    run_study,
    save_figure,
    subplots,
    write_results,
)
from studies.figure_3_1 import SIZES, VIEWS

DRAWS = 10
PAPER = 0.9798
TITLES = {"counts": "counts, length 400", "weighted": "log-tf · idf, length 150"}
COLORS = ("#440154", "#3b528b", "#21908d", "#5dc863", "#e0a800")  # few labels to many


def measure(split: NewsgroupSplit, options: TextOptions) -> dict[int, list[tuple[float, float]]]:
    """Log posterior per unlabeled document and test accuracy, by number of labels."""
    texts = np.array(split.texts, dtype=object)
    names, codes = np.unique(split.labels, return_inverse=True)
    counter, X = fit_counter(as_text_array(texts[split.unlabeled]), options, by_frequency=True)
    test = counter.count(as_text_array(texts[split.test]))
    pool = counter.count(as_text_array(texts[split.pool]))
    row = {int(document): i for i, document in enumerate(split.pool)}
    model = MultinomialMixture(np.arange(len(names)))
    unlabeled = InMemoryCorpus(X, np.full(X.shape[0], -1))

    def point(n_labels: int, seed: int) -> tuple[float, float]:
        labeled = labeled_set(split, n_labels, seed)
        corpus = InMemoryCorpus(pool[[row[int(i)] for i in labeled]], codes[labeled])
        start = fit_mixture(model, corpus, Climb(max_iter=0)).result.params
        result = run_em(model, unlabeled, start)
        answers = model.log_joint(result.params, test).argmax(axis=1)
        right = float((answers == codes[split.test]).mean())
        return result.objective[-1] / X.shape[0], right

    return {size: [point(size, draw) for draw in range(DRAWS)] for size in SIZES}


def correlation(points: dict[int, list[tuple[float, float]]]) -> float:
    return float(np.corrcoef(np.concatenate(list(points.values())).T)[0, 1])


def run() -> dict[str, Any]:
    start = time.perf_counter()
    split = newsgroup_split(seed=0)
    results: dict[str, Any] = {"paper": PAPER, "draws": DRAWS, "points": {}, "correlation": {}}
    for view, options in VIEWS.items():
        points = measure(split, options)
        results["points"][view] = points
        results["correlation"][view] = correlation(points)
        for size, pairs in points.items():
            probability, right = np.mean(pairs, axis=0)
            print(
                f"{view:<9} {size:>5} labels   log posterior per message {probability:9.3f}   "
                f"accuracy {100 * right:4.1f} %",
                flush=True,
            )
    results["seconds"] = time.perf_counter() - start
    return results


def report(results: dict[str, Any]) -> None:
    print(f"\nCorrelation of probability and accuracy; paper {PAPER}, expected 0.9 or more")
    for view, r in results["correlation"].items():
        print(f"  {TITLES[view]:<26} {r:.4f}")


def plot(results: dict[str, Any]) -> None:
    figure, panels = subplots(ncols=len(VIEWS), figsize=(11, 4.8), sharey=True)
    for axes, (view, points) in zip(panels, results["points"].items(), strict=True):
        for (size, pairs), color in zip(points.items(), COLORS, strict=True):
            x, y = np.transpose(pairs)
            axes.scatter(x, 100 * y, 28, color, alpha=0.8, linewidths=0, label=f"{size:,} labels")
        axes.set_title(f"{TITLES[view]}: r = {results['correlation'][view]:.3f}")
        axes.set_xlabel("log posterior per message, nats (constant dropped)")
        axes.legend(loc="lower right", title="EM started from")
    panels[0].set_ylabel("accuracy on later messages, %")
    figure.suptitle(f"20 Newsgroups: more probable models are more accurate (paper: r = {PAPER})")
    save_figure("figure_3_2", figure)


def main() -> None:
    results = run()
    report(results)
    path = write_results("figure_3_2", results, seed=range(DRAWS))
    print(f"{results['seconds']:.0f} s; wrote {path.name}")
    plot(results)


if __name__ == "__main__":
    run_study(main)
