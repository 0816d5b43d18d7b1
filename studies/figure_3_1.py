"""Nigam, McCallum and Mitchell, figure 3.1: naive Bayes with and without unlabeled documents.

Data: 20 Newsgroups (19,997 messages), bodies only. Test: the last 20 % of each group by date.
Unlabeled: 10,000 of the others. Labeled: drawn from the rest, equally many per group.
Words are runs of letters; stop words and words of a single document are left out. The
vocabulary and idf come from the labeled and unlabeled documents, never from the test set.

Three ways to see a document, five draws each:
- counts: scaled to a constant length, the paper's convention (it does not say which; ours 400)
- weighted: leaven's default weighting, log(1 + tf) · idf at length 150, on the same words, of
  which it leaves out those of fewer than five documents
- default: ``TextClassifier`` with its defaults, on the raw text
EM and NB are compared by paired t-tests over the draws, as in the paper.

The paper's text names NB 20, 52, 76 and EM 35, 66, 78 at 20, 300 and 5,500 labels; of our draws
at 300 labels EM is expected at 65 % or more with NB near 51 %, and with leaven's weighting at
40 % or more at 20 labels and 68 % or more at 300. Run: ``python -m studies.figure_3_1``
"""

import time
import warnings
from dataclasses import asdict
from typing import Any

import numpy as np

from leaven import NaiveBayesEM, TextClassifier
from leaven.documents._arrow import as_text_array
from leaven.methods import METHODS
from leaven.significance import mcnemar
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from studies._common import (
    dodged,
    labeled_set,
    log_ticks,
    mean_sd,
    newsgroup_split,
    paired,
    run_study,
    save_figure,
    signed,
    subplots,
    write_results,
)

SIZES = (20, 100, 300, 1000, 3000)
MOST = 5500  # labels of a single trial
DRAWS = 5
PAPER = {"NB": {20: 0.20, 300: 0.52}, "EM": {20: 0.35, 300: 0.66}}
COUNTS = TextOptions(tokens="letters", stop_words="english", min_df=2, length=400.0)
VIEWS = {
    "counts": COUNTS,
    "weighted": TextOptions(**METHODS["em"].text, tokens="letters", stop_words="english", min_df=5),
}


def predictions(view: str, texts: Any, labels: Any, test_texts: Any) -> dict[str, Any]:
    """Classes that NB and EM, trained on one draw, give to the test messages."""
    if view == "default":
        return {
            name: TextClassifier(method).fit(texts, labels).predict(test_texts)
            for name, method in (("NB", "nb"), ("EM", "em"))
        }
    counter, X = fit_counter(as_text_array(texts), VIEWS[view], by_frequency=True)
    test = counter.count(as_text_array(test_texts))
    return {
        name: NaiveBayesEM(unlabeled_weight=weight).fit(X, labels).predict(test)
        for name, weight in (("NB", 0.0), ("EM", 1.0))
    }


def one_draw(view: str, size: int, draw: int) -> tuple[dict[str, Any], Any]:
    """Predictions of one draw, and the truth."""
    split = newsgroup_split(seed=draw)
    labeled = labeled_set(split, size, seed=draw)
    train = np.concatenate([labeled, split.unlabeled])
    labels = np.full(len(train), "", dtype=object)
    labels[: len(labeled)] = split.labels[labeled]
    with warnings.catch_warnings():
        # A test message without a word, and a collapse, are part of the result.
        warnings.simplefilter("ignore")
        found = predictions(
            view,
            [split.texts[i] for i in train],
            labels,
            [split.texts[i] for i in split.test],
        )
    return found, split.labels[split.test]


def run() -> dict[str, Any]:
    results: dict[str, Any] = {"paper": PAPER, "sizes": SIZES, "draws": DRAWS, "accuracy": {}}
    start = time.perf_counter()
    for view in (*VIEWS, "default"):
        table: dict[str, dict[int, list[float]]] = {"NB": {}, "EM": {}}
        for size in SIZES:
            for draw in range(DRAWS):
                found, truth = one_draw(view, size, draw)
                for name, predicted in found.items():
                    table[name].setdefault(size, []).append(float((predicted == truth).mean()))
            shown = "   ".join(f"{name} {mean_sd(table[name][size])}" for name in table)
            print(f"{view:<9} {size:>5} labels   {shown}", flush=True)
        results["accuracy"][view] = table
    results["em_minus_nb"] = compare(results["accuracy"])
    results["one_trial"] = {view: one_trial(view) for view in (*VIEWS, "default")}
    results["seconds"] = time.perf_counter() - start
    return results


def one_trial(view: str) -> dict[str, Any]:
    """Nearly all labels there are: a single draw, judged by McNemar's test as in the paper."""
    found, truth = one_draw(view, MOST, draw=0)
    accuracy = {name: float((predicted == truth).mean()) for name, predicted in found.items()}
    return {"accuracy": accuracy, "test": asdict(mcnemar(truth, found["EM"], found["NB"]))}


def compare(accuracy: dict[str, Any]) -> dict[str, Any]:
    """EM against NB on the same draws, a paired t-test per view and size."""
    return {
        view: {size: paired(table["EM"][size], table["NB"][size]) for size in table["EM"]}
        for view, table in accuracy.items()
    }


def report(results: dict[str, Any]) -> None:
    print("\nEM minus NB, points (the paper: each difference significant, p < 0.05)")
    for view, tests in results["em_minus_nb"].items():
        print(f"{view:<9} " + "  ".join(f"{size}: {signed(test)}" for size, test in tests.items()))

    print(f"\none trial of {MOST:,} labels (the paper: NB 76, EM 78), McNemar's test")
    for view, trial in results["one_trial"].items():
        shown = "  ".join(f"{name} {100 * value:.1f}" for name, value in trial["accuracy"].items())
        print(f"{view:<9} {shown}  p = {trial['test']['p_value']:.2g}")


def plot(results: dict[str, Any]) -> None:
    figure, axes = subplots(figsize=(7.5, 4.8))
    colors = {"counts": "#7a7a7a", "weighted": "#c8642b", "default": "#1f6f8b"}
    names = {"counts": "counts", "weighted": "log-tf · idf", "default": "leaven's defaults"}
    markers = {"counts": "s", "weighted": "^", "default": "D"}
    for number, (view, table) in enumerate(results["accuracy"].items()):
        for name, style in (("EM", "-"), ("NB", "--")):
            means = [100 * np.mean(table[name][size]) for size in SIZES]
            spread = [100 * np.std(table[name][size], ddof=1) for size in SIZES]
            axes.errorbar(
                dodged(SIZES, number, len(names), 1.04),
                means,
                spread,
                fmt=markers[view] + style,
                color=colors[view],
                capsize=3,
                markersize=5,
                label=f"{name}, {names[view]}",
            )
    for name, marker in (("EM", "*"), ("NB", "x")):
        points = PAPER[name]
        axes.plot(
            list(points),
            [100 * value for value in points.values()],
            marker,
            color="black",
            markersize=9,
            zorder=10,
            label=f"{name}, paper",
        )
    log_ticks(axes, SIZES)
    axes.set_xlabel("labeled documents (20 classes)")
    axes.set_ylabel("accuracy on later messages, %")
    axes.set_title("20 Newsgroups, with and without 10,000 unlabeled messages")
    axes.legend(ncols=2, fontsize=9)
    save_figure("figure_3_1", figure)


def main() -> None:
    results = run()
    report(results)
    path = write_results("figure_3_1", results, seed=range(DRAWS))
    print(f"{results['seconds']:.0f} s; wrote {path.name}")
    plot(results)


if __name__ == "__main__":
    run_study(main)
