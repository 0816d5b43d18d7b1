"""Nigam, McCallum and Mitchell, table 3.2: several components for the negative class, Reuters.

Ten binary tasks on ModApte, 10 positive and 40 negative labels, 7,000 unlabeled documents, up to
ten labeled sets without a document in common (as many as the category's documents allow).
Title and body, letters only, English stop words and words of one document out, counts scaled to
length 200. One component models the positive class, 1 to 40 the negative class.

Words are ranked by mutual information with the labels. NB1 takes the number of words with which it
classifies most labeled documents correctly when they are left out one at a time, as in the paper.
Often several numbers are equally good, and the paper does not say which it takes; here it is the
largest. Each run measures that choice against the smallest ("ties" in the results), on the
*training* documents whose labels the trial does not see, and also on the test documents. No test
label takes part in NB1. The other methods take the number of words that is best for them in five
folds of the labeled documents, in which all unlabeled documents train. In NB* and EM* the number
of components is the one best on the *test* documents of each trial, as in the paper. EM*CV
(table 3.3) takes the number, with the vocabulary, from the same five folds; of equally good ones
the most components, then the smallest vocabulary. ``CHOSEN_ON`` says the same in the results.

EMλ* and EMλ*CV are ours: the same with unlabeled documents at a tenth of their weight, in the
first trials of every category (``LIGHT_TRIALS``).

Accuracy flatters: answering "no" always is printed beside it, and F1 and average precision of the
positive class. Of three random starts the most probable is kept.
Run: ``python -m studies.table_3_2`` (about half an hour)
"""

import itertools
import time
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, f1_score

from leaven.learning import Climb
from leaven.text._vocabulary_size import SizeChoice, best_size
from studies._common import paired, run_study, save_figure, signed, subplots, write_results
from studies._reuters import (
    CATEGORIES,
    MOST_TRIALS,
    Reuters,
    Trial,
    View,
    fit_filter,
    folds,
    leave_one_out,
    load_reuters,
    log_odds,
    trials,
    view,
)

SIZES = (20, 50, 100, 500, 2000, 10**6)  # of the vocabulary; the last is all words
COMPONENTS = (1, 3, 5, 10, 20, 40)
FOLDS = 5
LIGHT_TRIALS = 4  # of each category, with light unlabeled documents
FINAL = Climb(n_init=3)
QUICK = Climb(n_init=1, tol=1e-4)  # for folds
PAPER = {  # accuracy: NB1, EM1, NB*, EM*, and EM*CV of table 3.3
    "acq": (86.9, 81.3, 88.0, 93.1, 91.1),
    "corn": (94.6, 93.2, 96.0, 97.2, 93.2),
    "crude": (94.3, 94.9, 95.7, 96.3, 95.4),
    "earn": (94.9, 95.2, 95.9, 95.7, 95.2),
    "grain": (94.1, 93.6, 96.2, 96.9, 94.7),
    "interest": (91.8, 87.6, 95.3, 95.8, 92.0),
    "money-fx": (93.0, 90.4, 94.1, 95.0, 92.3),
    "ship": (94.9, 94.1, 96.3, 95.9, 94.4),
    "trade": (91.8, 90.2, 94.3, 95.0, 90.7),
    "wheat": (94.0, 94.5, 96.2, 97.8, 96.3),
}
METHODS = ("NB1", "EM1", "NB*", "EM*", "EM*CV")  # as in PAPER
OURS = ("EMλ*", "EMλ*CV")  # beyond the paper
WEIGHTS = {"NB": 0.0, "EM": 1.0, "EMλ": 0.1}  # of an unlabeled document
CHOSEN_ON = {  # which documents decide what each method takes
    "NB1": "words: the trial's labeled documents, left out one at a time; if equal, the most words",
    "EM1": "words: five folds of the trial's labeled documents",
    "NB*, EM*, EMλ*": "words: five folds of the trial's labeled documents; components: the test "
    "documents, as in the paper",
    "EM*CV, EMλ*CV": "words and components: five folds of the trial's labeled documents",
}
TIES_ON = {
    "training": "training documents whose labels the trial does not see",
    "test": "test documents",
}
PAIRS = (
    ("EM*", "NB1"),
    ("EM*", "NB*"),
    ("EM*CV", "NB1"),
    ("EMλ*", "NB1"),
    ("EMλ*CV", "NB1"),
)
Setting = tuple[int, int]  # words, components of the negative class


def run_trial(reuters: Reuters, trial: Trial) -> dict[str, Any]:
    """Scores of every method; what each chose; and what the rule for ties does to NB1."""
    choices = leave_one_out(reuters, trial)
    size = best_size(choices)
    chosen = {"NB1": {**score(view(reuters, trial, size), 1, 0.0), **about(size, 1)}}
    chosen["ties"] = ties(reuters, trial, choices)
    for prefix, weight in WEIGHTS.items():
        if weight in (0.0, 1.0) or trial.number < LIGHT_TRIALS:
            chosen |= run_family(reuters, trial, prefix, weight)
    return chosen


def run_family(reuters: Reuters, trial: Trial, prefix: str, weight: float) -> dict[str, Any]:
    """One component, the best on test documents, and both by folds, at one unlabeled weight."""
    held = held_out_accuracy(reuters, trial, weight)
    test = test_scores(reuters, trial, weight)
    one = max(SIZES, key=lambda size: held[size, 1])
    size = max(SIZES, key=lambda size: max(held[size, n] for n in COMPONENTS))
    best_on_test = max(COMPONENTS, key=lambda n: test[size, n]["accuracy"])
    by_folds = max(held, key=lambda setting: (held[setting], setting[1], -setting[0]))
    settings = {"1": (one, 1), "*": (size, best_on_test), "*CV": by_folds}
    return {
        prefix + name: {**test[setting], **about(*setting, held[setting])}
        for name, setting in settings.items()
        if prefix + name != "NB1"
    }


def ties(reuters: Reuters, trial: Trial, choices: list[SizeChoice]) -> dict[str, Any]:
    """Accuracy of NB1 with the smallest and the largest of the equally good vocabularies."""
    most = max(choice.accuracy for choice in choices)
    equal = [choice.n_words for choice in choices if choice.accuracy == most]
    found: dict[str, Any] = {"sizes": equal}
    for name, size in (("smallest", min(equal)), ("largest", max(equal))):
        found[name] = {
            "training": score(view(reuters, trial, size, on_training=True), 1, 0.0)["accuracy"],
            "test": score(view(reuters, trial, size), 1, 0.0)["accuracy"],
        }
    return found


def about(words: int, components: int, held_out: float | None = None) -> dict[str, Any]:
    return {"words": words, "components": components, "held_out": held_out}


def held_out_accuracy(reuters: Reuters, trial: Trial, weight: float) -> dict[Setting, float]:
    right: dict[Setting, list[Any]] = {pair: [] for pair in itertools.product(SIZES, COMPONENTS)}
    for fold, size in itertools.product(folds(trial, FOLDS), SIZES):
        seen = view(reuters, trial, size, held_out=fold)
        for n in COMPONENTS:
            model, fit = fit_filter(seen, n, unlabeled_weight=weight, climb=QUICK)
            right[size, n] += ((log_odds(model, fit, seen.scored) > 0) == seen.truth).tolist()
    return {setting: float(np.mean(hits)) for setting, hits in right.items()}


def test_scores(reuters: Reuters, trial: Trial, weight: float) -> dict[Setting, dict[str, float]]:
    views = {size: view(reuters, trial, size) for size in SIZES}
    return {(size, n): score(seen, n, weight) for size, seen in views.items() for n in COMPONENTS}


def score(seen: View, n_negative: int, weight: float) -> dict[str, float]:
    model, fit = fit_filter(seen, n_negative, unlabeled_weight=weight, climb=FINAL)
    odds = log_odds(model, fit, seen.scored)
    return {
        "accuracy": float(((odds > 0) == seen.truth).mean()),
        "f1": float(f1_score(seen.truth, odds > 0)),
        "average_precision": float(average_precision_score(seen.truth, odds)),
    }


def run() -> dict[str, Any]:
    start = time.perf_counter()
    reuters = load_reuters()
    categories: dict[str, Any] = {}
    for category in CATEGORIES:
        outcomes = [run_trial(reuters, trial) for trial in trials(reuters, category)]
        no = float(1.0 - reuters.truth(category)[1].mean())
        categories[category] = {"always_no": no, "trials": outcomes}
        shown = "  ".join(f"{m} {100 * mean_of(outcomes, m, 'accuracy'):.1f}" for m in METHODS)
        print(f"{category:<9} {len(outcomes):>2} trials   {shown}", flush=True)
    return {
        "paper": PAPER,
        "categories": categories,
        "tests": significance(categories),
        "chosen_on": CHOSEN_ON,
        "seconds": time.perf_counter() - start,
    }


def mean_of(outcomes: list[Any], method: str, measure: str) -> float:
    return float(np.mean([trial[method][measure] for trial in outcomes if method in trial]))


def significance(categories: dict[str, Any]) -> dict[str, Any]:
    """Paired over all trials, as the paper tests its increase."""
    every = [trial for category in categories.values() for trial in category["trials"]]
    tests = {}
    for measure, (ours, theirs) in itertools.product(("accuracy", "average_precision"), PAIRS):
        both = [trial for trial in every if ours in trial]
        tests[f"{ours} against {theirs}, {measure}"] = paired(
            [trial[ours][measure] for trial in both], [trial[theirs][measure] for trial in both]
        )
    return tests


def print_table(results: dict[str, Any], methods: tuple[str, ...]) -> None:
    """Ours, the paper's in brackets, and the median number of components."""
    for score in ("accuracy", "f1", "average_precision"):
        print(f"\n{score.replace('_', ' ')} on test documents, %   (paper; median components)")
        print(f"{'':<9} {'no':>5}  " + "  ".join(f"{method:>18}" for method in methods))
        sums: dict[str, list[float]] = {method: [] for method in methods}
        for category, found in results["categories"].items():
            cells = []
            for method in methods:
                mean = 100 * mean_of(found["trials"], method, score)
                sums[method].append(mean)
                has_paper = score == "accuracy" and method in METHODS
                paper = PAPER[category][METHODS.index(method)] if has_paper else None
                have = [trial[method] for trial in found["trials"] if method in trial]
                n = np.median([entry["components"] for entry in have])
                beside = f" ({paper:.1f}; {n:.0f})" if paper is not None else f" ({n:.0f})"
                cells.append(f"{mean:5.1f}{beside:<13}")
            no = f"{100 * found['always_no']:5.1f}" if score == "accuracy" else "     "
            print(f"{category:<9} {no}  " + "  ".join(cells))
        means = []
        for method in methods:
            beside = ""
            if score == "accuracy" and method in METHODS:
                theirs = np.mean([row[METHODS.index(method)] for row in PAPER.values()])
                beside = f" ({theirs:.2f})"
            means.append(f"{np.mean(sums[method]):5.2f}{beside:<13}")
        print(f"{'mean':<9}        " + "  ".join(means))


def print_choices(results: dict[str, Any]) -> None:
    """On which documents each method chooses, and what NB1 gains by the largest vocabulary."""
    print("\nWhich documents decide:")
    for method, chosen_on in CHOSEN_ON.items():
        print(f"  {method}: {chosen_on}")
    found = list(results["categories"].values())
    if not all("ties" in trial for category in found for trial in category["trials"]):
        print("  NB1's rule for equally good vocabularies was not measured in these results")
        return
    for kind, documents in TIES_ON.items():
        shown = "  ".join(
            f"{end} {100 * np.mean([mean_of_ties(row['trials'], end, kind) for row in found]):.1f}"
            for end in ("smallest", "largest")
        )
        print(f"  NB1 by which of equally good vocabularies, % right of {documents}: {shown}")


def mean_of_ties(outcomes: list[Any], end: str, kind: str) -> float:
    return float(np.mean([trial["ties"][end][kind] for trial in outcomes]))


NAMES = {  # of bars
    "NB1": "NB1: naive Bayes, 1 component",
    "EM1": "EM1: EM, 1 component",
    "NB*": "NB*: naive Bayes, best number of components",
    "EM*": "EM*: EM, best number of components",
    "EMλ*": "EMλ*: as EM*, unlabeled weight 0.1",
    "EM*CV": "EM*CV: EM, components by cross-validation",
    "EMλ*CV": "EMλ*CV: as EM*CV, unlabeled weight 0.1",
}
COLORS = {
    "NB1": "#8a8f98",
    "EM1": "#d9b38c",
    "NB*": "#1f6f8b",
    "EM*CV": "#7b5ea7",
    "EM*": "#c2571a",
    "EMλ*": "#7a2e0b",
    "EMλ*CV": "#4b3570",
}


def plot(results: dict[str, Any]) -> None:
    draw("table_3_2", results, (*METHODS[:4], OURS[0]))


def draw(name: str, results: dict[str, Any], methods: tuple[str, ...]) -> None:
    """Accuracy and average precision by category and method."""
    figure, axes = subplots(nrows=1, ncols=2, figsize=(11, 5.6), sharey=True)
    places = np.arange(len(CATEGORIES))
    width = 0.8 / len(methods)
    for panel, measure in zip(axes, ("accuracy", "average_precision"), strict=True):
        for number, method in enumerate(methods):
            row = places + width * (number - (len(methods) - 1) / 2)
            means = [
                100 * mean_of(results["categories"][c]["trials"], method, measure)
                for c in CATEGORIES
            ]
            panel.barh(row, means, 0.95 * width, color=COLORS[method], label=NAMES[method])
            if measure == "accuracy" and method in METHODS:
                paper = [PAPER[c][METHODS.index(method)] for c in CATEGORIES]
                panel.plot(paper, row, "k|", markersize=7, label=None if number else "paper")
        if measure == "accuracy":
            for place, category in zip(places, CATEGORIES, strict=True):
                no = 100 * results["categories"][category]["always_no"]
                label = None if place else "always answering no (majority)"
                panel.plot([no, no], [place - 0.4, place + 0.4], "k:", linewidth=1, label=label)
            handles, names = panel.get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=3, fontsize=9)
        panel.set_yticks(places, CATEGORIES)
        panel.set_xlim(50 if measure == "accuracy" else 0, 100)
        panel.set_xlabel(f"{measure.replace('_', ' ')}, %")
        panel.grid(visible=False, axis="y")
        panel.set_axisbelow(True)
    axes[0].invert_yaxis()
    figure.suptitle("Ten categories of Reuters-21578, each against the rest", fontsize=11)
    axes[0].set_title("accuracy on test documents", fontsize=10)
    axes[1].set_title("average precision of the positive class", fontsize=10)
    save_figure(name, figure)


def main() -> None:
    results = run()
    write_results("table_3_2", results, seed=range(MOST_TRIALS))
    print_table(results, (*METHODS[:4], OURS[0]))
    print_choices(results)
    for name, test in results["tests"].items():
        print(f"{name}: {signed(test)} points over {test['n']} trials")
    plot(results)


if __name__ == "__main__":
    run_study(main)
