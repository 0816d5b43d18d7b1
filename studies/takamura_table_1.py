"""Takamura and Okumura (2004), Table 1: SVMs on Fisher scores of naive Bayes with EM.

20 Newsgroups, 100 to 5,000 labeled and 10,000 unlabeled messages, five test sets that do not
overlap (``_takamura``). As in the paper: raw counts of words, features of unit length, C = 1,
pseudo-counts of one for words and classes, 20 clusters.

- n-cat, ul-cat, ul-cl: SVMs on the Fisher kernel of a mixture of classes that labeled documents
  alone give, of one that EM gives from all documents, and of clusters that EM forms of all
  documents without labels
- linear: SVMs on unit-length counts; tsvm: ``TransductiveSVM`` on the same with C* = C, and the
  classes' shares of the labels among unlabeled documents, as SVMlight has it by default
- nb+em, nb: naive Bayes with deterministic annealing, and supervised

The paper anneals every mixture, by an unnamed schedule; here nb+em and a second ul-cat are
annealed (beta from 0.02 by factors of 1.05, components keep their classes), the others are
plain EM. SVMs are scikit-learn's SVC on the kernel matrix, one against the rest. Beyond the paper:

- no intercept: LinearSVC (squared hinge loss) without intercepts, on the explicit features
- soft: as before, with posteriors at an inverse temperature of 0.1, the most accurate one on the
  training documents of fisher_options by a small margin; a part of these are messages of the same
  collection
- fisher, em, auto: ``TextClassifier`` with its defaults, from the same texts

Run: ``python -m studies.takamura_table_1``; what is in results/takamura_table_1.jsonl is not
computed again (remove that file to compute everything).
"""

import time
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.frozen import FrozenEstimator
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from leaven import FisherKernel, NaiveBayesEM, TextClassifier, TransductiveSVM
from studies import _common
from studies._common import mean_sd, paired, run_study, signed
from studies._rows import Row, RowFile, report
from studies._takamura import MOST_UNLABELED, SPLITS, load, split
from studies._workers import complete

SIZES = (100, 200, 300, 500, 1000, 2000, 5000)
PAPER: dict[str, Sequence[float]] = {
    "n-cat": (23.7, 41.3, 45.5, 54.2, 68.0, 78.7, 85.1),
    "ul-cat": (30.0, 46.9, 53.3, 61.1, 71.0, 79.0, 85.4),
    "ul-cl": (29.2, 43.2, 51.2, 57.2, 67.8, 74.6, 82.0),
    "linear": (31.8, 44.7, 51.4, 60.0, 68.9, 75.8, 82.1),
    "tsvm": (33.5, 46.0, 52.5, 60.8, 69.3, 76.1, 82.0),
    "nb+em": (26.7, 37.4, 41.2, 50.9, 65.0, 76.2, 83.6),
    "nb": (13.5, 24.1, 32.0, 43.1, 59.3, 74.1, 82.8),
}
PRIOR = {"alpha": 1.0, "class_alpha": 1.0}  # the paper's Dirichlet parameters are 2
ANNEALED = {"beta_start": 0.02, "beta_factor": 1.05}
N_CLUSTERS = 20
SOFT_BETA = 0.1
C = 1.0
COMPARED = (
    ("ul-cat", "n-cat"),
    ("ul-cat", "ul-cl"),
    ("ul-cat, no intercept", "ul-cl, no intercept"),
    ("ul-cat, soft", "n-cat, soft"),
    ("ul-cat, soft", "ul-cl, soft"),
    ("fisher", "em"),
    ("fisher", "auto"),
)
COLORS = {
    "n-cat": "#1f77b4",
    "ul-cat": "#ff7f0e",
    "ul-cat, soft": "#8c564b",
    "ul-cl": "#2ca02c",
    "linear": "#d62728",
    "tsvm": "#9467bd",
    "nb+em": "#7f7f7f",
    "nb": "#e377c2",
    "fisher": "#1f6f8b",
    "em": "#bcbd22",
    "auto": "#17becf",
}
OF_A_TASK = ("split", "n_labeled")
ROWS = RowFile(_common.RESULTS / "takamura_table_1.jsonl", (*OF_A_TASK, "method"))


class Task:
    """Training messages, of which the first are labeled, and test messages."""

    def __init__(self, number: int, n_labeled: int, n_unlabeled: int = MOST_UNLABELED) -> None:
        self.messages = load()
        self.split = split(number, n_labeled, n_unlabeled)
        labeled, unlabeled, test = self.split
        self.X = csr_array(self.messages.X[np.concatenate([labeled, unlabeled])])
        codes = self.messages.codes
        self.y = np.concatenate([codes[labeled], np.full(len(unlabeled), -1)])
        self.X_labeled, self.y_labeled = csr_array(self.messages.X[labeled]), codes[labeled]
        self.X_test, self.y_test = csr_array(self.messages.X[test]), codes[test]

    @cached_property
    def by_em(self) -> FisherKernel:
        return FisherKernel(NaiveBayesEM(**PRIOR, n_jobs=1), n_jobs=1).fit(self.X, self.y)

    @cached_property
    def supervised(self) -> FisherKernel:
        mixture = NaiveBayesEM(**PRIOR, unlabeled_weight=0.0, n_jobs=1)
        return FisherKernel(mixture, n_jobs=1).fit(self.X_labeled, self.y_labeled)

    @cached_property
    def clusters(self) -> FisherKernel:
        mixture = NaiveBayesEM(**PRIOR, n_init=3, n_jobs=1)
        return FisherKernel(mixture, n_clusters=N_CLUSTERS, n_jobs=1).fit(self.X)

    @cached_property
    def annealed(self) -> NaiveBayesEM:
        return NaiveBayesEM(**PRIOR, **ANNEALED, n_jobs=1).fit(self.X, self.y)


def on_kernel(task: Task, kernel: Any) -> Any:
    """Predictions of SVMs on a kernel."""
    gram, of_test = kernel(task.X_labeled), kernel(task.X_test, task.X_labeled)
    machines = OneVsRestClassifier(SVC(kernel="precomputed", C=C)).fit(gram, task.y_labeled)
    return machines.predict(of_test)


def on_features(task: Task, fisher: FisherKernel) -> Any:
    """Predictions of SVMs without intercepts, on explicit features."""
    machines = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-2)
    machines.fit(fisher.transform(task.X_labeled), task.y_labeled)
    return machines.predict(fisher.transform(task.X_test))


def softened(fisher: FisherKernel) -> FisherKernel:
    """The same mixture with soft posteriors."""
    mixture = FrozenEstimator(fisher.mixture_)
    return FisherKernel(mixture, feature_beta=SOFT_BETA, n_jobs=1).fit(load().X)


def ul_cat_annealed(task: Task) -> Any:
    fisher = FisherKernel(FrozenEstimator(task.annealed), n_jobs=1).fit(task.X)
    return on_kernel(task, fisher.kernel)


def linear(task: Task) -> Any:
    def kernel(X: Any, Y: Any = None) -> Any:
        X, Y = normalize(X), normalize(X if Y is None else Y)
        return (X @ Y.T).toarray()

    return on_kernel(task, kernel)


def tsvm(task: Task) -> Any:
    machines = TransductiveSVM(C=C, C_unlabeled=C, balance="labels", n_jobs=1)
    return machines.fit(task.X, task.y).predict(task.X_test)


def nb_em(task: Task) -> Any:
    return task.annealed.predict(task.X_test)


def leavens(method: str) -> Callable[[Task], Any]:
    """A method of leaven with its defaults, from texts; only auto needs held-out labels."""

    def predicted(task: Task) -> Any:
        labeled, unlabeled, test = task.split
        texts = [task.messages.texts[i] for i in np.concatenate([labeled, unlabeled])]
        labels = [int(code) if code >= 0 else None for code in task.y]
        clf = TextClassifier(method, calibrate=method == "auto", n_jobs=1).fit(texts, labels)
        return clf.predict([task.messages.texts[i] for i in test])

    return predicted


METHODS: dict[str, Callable[[Task], Any]] = {
    "n-cat": lambda task: on_kernel(task, task.supervised.kernel),
    "ul-cat": lambda task: on_kernel(task, task.by_em.kernel),
    "ul-cl": lambda task: on_kernel(task, task.clusters.kernel),
    "linear": linear,
    "tsvm": tsvm,
    "nb+em": nb_em,
    "nb": lambda task: task.supervised.mixture_.predict(task.X_test),
    "n-cat, no intercept": lambda task: on_features(task, task.supervised),
    "ul-cat, no intercept": lambda task: on_features(task, task.by_em),
    "ul-cl, no intercept": lambda task: on_features(task, task.clusters),
    "n-cat, soft": lambda task: on_features(task, softened(task.supervised)),
    "ul-cat, soft": lambda task: on_features(task, softened(task.by_em)),
    "ul-cl, soft": lambda task: on_features(task, softened(task.clusters)),
    "ul-cat, annealed": ul_cat_annealed,
    "nb+em, not annealed": lambda task: task.by_em.mixture_.predict(task.X_test),
    "fisher": leavens("fisher"),
    "em": leavens("em"),
    "auto": leavens("auto"),
}


def planned() -> list[Row]:
    return [
        {"split": number, "n_labeled": n_labeled, "method": method}
        for number in range(SPLITS)
        for n_labeled in SIZES
        for method in METHODS
    ]


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one split and number of labels; runs in a worker process."""
    return rows_of_task(plans, OF_A_TASK)


def rows_of_task(plans: Sequence[Row], task_fields: Sequence[str]) -> list[Row]:
    """Rows of plans of one task, which these fields describe."""
    task = Task(*(plans[0][name] for name in task_fields))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [{**plan, **measured(plan["method"], task)} for plan in plans]


def measured(method: str, task: Task) -> Row:
    start = time.perf_counter()
    predicted = METHODS[method](task)
    seconds = time.perf_counter() - start
    return {"accuracy": float((predicted == task.y_test).mean()), "seconds": round(seconds, 3)}


def told(rows: Sequence[Row]) -> str:
    first = rows[0]
    found = ", ".join(f"{row['method']} {100 * row['accuracy']:.1f}" for row in rows)
    seconds = sum(row["seconds"] for row in rows)
    return f"split {first['split']}, {first['n_labeled']} labels: {found} ({seconds:.0f} s)"


def summarize(rows: Sequence[Row]) -> Row:
    cells: list[Row] = []
    for method in METHODS:
        for place, size in enumerate(SIZES):
            of_cell = [row for row in rows if (row["method"], row["n_labeled"]) == (method, size)]
            accuracy = [row["accuracy"] for row in sorted(of_cell, key=lambda row: row["split"])]
            if not accuracy:
                continue
            paper = PAPER[method][place] / 100 if method in PAPER else None
            cells.append(
                {
                    "method": method,
                    "n_labeled": size,
                    "accuracy": accuracy,
                    "mean": float(np.mean(accuracy)),
                    "paper": paper,
                    "seconds": float(np.mean([row["seconds"] for row in of_cell])),
                }
            )
    found = {(cell["method"], cell["n_labeled"]): cell for cell in cells}
    comparisons = {
        f"{own} − {other}": {
            str(size): paired(found[own, size]["accuracy"], found[other, size]["accuracy"])
            for size in SIZES
            if len(found.get((own, size), {"accuracy": ()})["accuracy"]) > 1
        }
        for own, other in COMPARED
    }
    return {"cells": cells, "comparisons": comparisons}


def markdown(results: Row) -> str:
    cells = {(cell["method"], cell["n_labeled"]): cell for cell in results["cells"]}
    lines = [
        "Accuracy in %, mean ± standard deviation over splits, and the paper's:\n",
        f"| method | {' | '.join(f'{size:,}' for size in SIZES)} |",
        "|---" * (len(SIZES) + 1) + "|",
    ]
    for method in METHODS:
        shown = []
        for size in SIZES:
            cell = cells.get((method, size))
            if cell is None:
                shown.append("–")
                continue
            paper = "" if cell["paper"] is None else f" ({100 * cell['paper']:.1f})"
            several = len(cell["accuracy"]) > 1
            own = mean_sd(cell["accuracy"]) if several else f"{100 * cell['mean']:.1f}"
            shown.append(own.strip() + paper)
        lines.append(f"| {method} | {' | '.join(shown)} |")
    lines += ["", "Paired over splits, in points:", "", lines[1], lines[2]]
    for comparison, found in results["comparisons"].items():
        by_size = {int(size): test for size, test in found.items()}
        shown = [signed(by_size[size]).strip() if size in by_size else "–" for size in SIZES]
        lines.append(f"| {comparison} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def plot(results: Row) -> None:
    """Accuracy by number of labels, the paper's as dashed lines."""
    figure, axes = _common.subplots(ncols=2, figsize=(12, 5), sharey=True)
    cells = {(cell["method"], cell["n_labeled"]): cell["mean"] for cell in results["cells"]}
    groups = (list(PAPER), ["ul-cat", "ul-cat, soft", "fisher", "em", "auto", "linear"])
    for each, methods in zip(axes, groups, strict=True):
        for method in methods:
            sizes = [size for size in SIZES if (method, size) in cells]
            found = [100 * cells[method, size] for size in sizes]
            color = COLORS[method]
            each.plot(sizes, found, marker="o", markersize=4, color=color, label=method)
            if method in PAPER and methods is groups[0]:
                each.plot(SIZES, PAPER[method], "--", color=color, alpha=0.6)
        _common.log_ticks(each, SIZES)
        each.set_xlabel("labeled messages")
        each.legend(fontsize=9)
    axes[0].set_ylabel("accuracy, %")
    axes[0].set_title("methods of the paper (dashed: its figures)")
    axes[1].set_title("beyond the paper")
    _common.save_figure("takamura_table_1", figure)


def main() -> None:
    rows = complete(planned(), OF_A_TASK, run_unit, told, ROWS)
    results = summarize(rows)
    plot(results)
    report("takamura_table_1", rows, results, markdown(results), SPLITS)


if __name__ == "__main__":
    run_study(main)
