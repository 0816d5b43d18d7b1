"""Options of SVMs on Fisher scores, on training documents.

Eight corpora of few_labels, of which only training documents have a part here: 1, 5, 20 or 50
documents of every class are labeled (at most half of a class), and at most 3,000 of the others,
drawn at random, are unlabeled. Accuracy is that on 1,500 further training documents (a third of the
unlabeled ones where there are fewer), which no method sees. Test documents are not used.

A mixture is fitted to all documents (``FisherKernel``), then one-vs-rest linear SVMs to the Fisher
scores of the labeled ones. Two mixtures: naive Bayes with EM ("words"), on which the groups text,
intercept, beta, C and mixture vary one option of log(1 + tf) · idf at length 150, beta 1, C 1 and
no intercept; and two-view EM ("two views", at its own length), whose scores by vectors are added
to those by words. The groups:

- text: raw counts, raw counts at length 150, and log(1 + tf) · idf at other lengths
- intercept: with or without one in each machine
- beta: the inverse temperature of the components' shares in the features
- C: the cost of errors
- mixture: classes (EM), labeled documents alone (n-cat), clusters without labels (ul-cl), and EM
  with annealing
- two views: beta, the share of the features of vectors, the least share of a component, intercept
  and C; "default" is that of ``method="fisher"``
- peers: ``em``, ``two-view``, ``svm`` and ``auto``

Machines with an intercept are SVC on the kernel matrix, those without LinearSVC on the features,
both with the hinge loss.

Run: ``python -m studies.fisher_options``; what is in results/fisher_options.jsonl with the same
options is not computed again (remove that file to compute everything).
"""

import time
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.frozen import FrozenEstimator
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from leaven import FisherKernel, NaiveBayesEM, TextClassifier, TextVectorizer, TwoViewEM
from studies import _common
from studies._common import run_study
from studies._few_labels_corpora import CORPORA, load
from studies._rows import Row, RowFile, report
from studies._workers import complete

SIZES = (1, 5, 20, 50)  # labeled documents per class
MOST_UNLABELED, MOST_SCORED = 3000, 1500
SEED = 7
OF_A_TASK = ("corpus", "per_class")
OF_A_FIT = ("text", "mixture", "beta", "C", "intercept", "vector_share", "least_share")
ROWS = RowFile(_common.RESULTS / "fisher_options.jsonl", (*OF_A_TASK, *OF_A_FIT))
WEIGHTED: Row = {"log_tf": True, "idf": True, "min_df": 2}
LENGTHS = (10, 30, 60, 150, 400)
RAW, RAW_LONG = "raw counts", "raw counts, length 150"
UNSCALED = "log tf · idf"  # two-view EM scales documents itself
TEXTS: dict[str, Row] = {
    RAW: {"min_df": 2},
    RAW_LONG: {"min_df": 2, "length": 150.0},
    **{f"log tf · idf, length {own}": {**WEIGHTED, "length": float(own)} for own in LENGTHS},
    UNSCALED: WEIGHTED,
}
TWO_VIEWS = "two views"
MIXTURES: dict[str, Any] = {
    "classes": NaiveBayesEM(n_jobs=1),
    "labeled only": NaiveBayesEM(unlabeled_weight=0.0, n_jobs=1),
    "clusters": None,
    "annealed": NaiveBayesEM(beta_start=0.02, beta_factor=1.05, correspondence="labels", n_jobs=1),
    TWO_VIEWS: TwoViewEM(n_jobs=1),
}
WORDS: Row = {
    "text": "log tf · idf, length 150",
    "mixture": "classes",
    "beta": 1.0,
    "C": 1.0,
    "intercept": False,
    "vector_share": 0.0,
    "least_share": 0.0,
}
DEFAULT: Row = {  # of method="fisher"
    "text": UNSCALED,
    "mixture": TWO_VIEWS,
    "beta": 0.2,
    "C": 10.0,
    "intercept": True,
    "vector_share": 0.2,
    "least_share": 0.03,
}
VARIED: dict[str, list[Any]] = {
    "text": [name for name in TEXTS if name != UNSCALED],
    "intercept": [True, False],
    "beta": [1.0, 0.3, 0.1, 0.03, 0.01],
    "C": [0.1, 1.0, 10.0, 100.0],
    "mixture": [name for name in MIXTURES if name != TWO_VIEWS],
}
VARIED_OF_TWO: dict[str, list[Any]] = {
    "beta": [1.0, 0.3, 0.1, 0.03],
    "vector_share": [0.0, 0.1, 0.4, 0.8],
    "least_share": [0.0, 0.01, 0.1],
    "intercept": [False],
    "C": [0.1, 1.0, 100.0],
}
PEERS = ("em", "two-view", "svm", "auto")


class Variant(NamedTuple):
    """A line of the table."""

    group: str
    name: str
    fit: Row


def variants() -> list[Variant]:
    found = [
        Variant(group, f"{group} {value}", {**WORDS, group: value})
        for group, values in VARIED.items()
        for value in values
    ]
    found.append(Variant(TWO_VIEWS, "default", DEFAULT))
    for option, values in VARIED_OF_TWO.items():
        for value in values:
            found.append(Variant(TWO_VIEWS, f"{option} {value}", {**DEFAULT, option: value}))
    no_fit = dict.fromkeys(OF_A_FIT)
    return found + [Variant("peers", name, {**no_fit, "mixture": name}) for name in PEERS]


def planned() -> list[Row]:
    """Every fit of every task, each once."""
    fits = {str(own.fit): own.fit for own in variants()}
    return [
        {"corpus": corpus, "per_class": per_class, **fit}
        for corpus in CORPORA
        for per_class in SIZES
        for fit in fits.values()
    ]


class Task(NamedTuple):
    """Training documents and others, whose classes no method sees."""

    texts: list[str]
    y: np.ndarray  # (n_training,) class code, -1 where unlabeled
    others: list[str]
    truth: np.ndarray  # of the others


def draw_task(corpus: str, per_class: int, seed: int = SEED) -> Task:
    documents = load(corpus, 0)
    rng = np.random.default_rng([seed, per_class])
    classes, codes = np.unique(documents.labels, return_inverse=True)
    chosen = []
    for code in range(len(classes)):
        of_class = documents.pool[codes[documents.pool] == code]
        size = max(min(per_class, len(of_class) // 2), 1)
        chosen.append(rng.choice(of_class, size, replace=False))
    labeled = np.concatenate(chosen)
    rest = rng.permutation(np.setdiff1d(documents.unlabeled, labeled))
    n_scored = min(MOST_SCORED, len(rest) // 3)
    scored, unlabeled = rest[:n_scored], rest[n_scored : n_scored + MOST_UNLABELED]
    y = np.concatenate([codes[labeled], np.full(len(unlabeled), -1)])
    texts = [documents.texts[i] for i in np.concatenate([labeled, unlabeled])]
    return Task(texts, y, [documents.texts[i] for i in scored], codes[scored])


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of fits of one task; runs in a worker process."""
    task = draw_task(*(plans[0][name] for name in OF_A_TASK))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [{**plan, **found} for plan, found in zip(plans, measured(plans, task), strict=True)]


def measured(plans: Sequence[Row], task: Task) -> Iterator[Row]:
    @cache
    def counts(text: str) -> tuple[csr_array, csr_array]:
        vectorizer = TextVectorizer(**TEXTS[text], dtype=np.float32, n_jobs=1)
        return vectorizer.fit_transform(task.texts), vectorizer.transform(task.others)

    @cache
    def fitted(text: str, mixture: str) -> FisherKernel:
        X = counts(text)[0]
        if mixture == "clusters":
            n_clusters = int(task.y.max()) + 1
            return FisherKernel(NaiveBayesEM(n_init=1, n_jobs=1), n_clusters=n_clusters).fit(X)
        return FisherKernel(MIXTURES[mixture]).fit(X, task.y)

    def kernel(plan: Row) -> FisherKernel:
        return FisherKernel(
            FrozenEstimator(fitted(plan["text"], plan["mixture"]).mixture_),
            feature_beta=plan["beta"],
            vector_share=plan["vector_share"],
            least_share=plan["least_share"],
            n_jobs=1,
        ).fit(counts(plan["text"])[0])

    for plan in plans:
        start = time.perf_counter()
        if plan["text"] is None:
            predicted = peer(plan["mixture"], task)
        else:
            X, others = counts(plan["text"])
            labeled = task.y >= 0
            predicted = machines(plan, kernel(plan), X[labeled], task.y[labeled], others)
        accuracy = float((predicted == task.truth).mean())
        yield {"accuracy": accuracy, "seconds": round(time.perf_counter() - start, 4)}


def machines(plan: Row, fisher: FisherKernel, X: Any, y: Any, others: Any) -> Any:
    """Predictions of one-vs-rest SVMs."""
    if plan["intercept"]:
        svm = OneVsRestClassifier(SVC(kernel="precomputed", C=plan["C"]))
        return svm.fit(fisher.kernel(X), y).predict(fisher.kernel(others, X))
    linear = LinearSVC(C=plan["C"], fit_intercept=False, loss="hinge", max_iter=5000)
    return linear.fit(fisher.transform(X), y).predict(fisher.transform(others))


def peer(name: str, task: Task) -> Any:
    labels = [int(code) if code >= 0 else None for code in task.y]
    clf = TextClassifier(name, calibrate=name == "auto", n_jobs=1).fit(task.texts, labels)
    return clf.predict(task.others)


def told(rows: Sequence[Row]) -> str:
    first, best = rows[0], max(rows, key=lambda row: row["accuracy"])
    options = ", ".join(str(best[name]) for name in OF_A_FIT)
    return (
        f"{first['corpus']} ({first['per_class']}): {len(rows)} fits, best "
        f"{100 * best['accuracy']:.1f} % ({options})"
    )


def summarize(rows: Sequence[Row]) -> Row:
    """Mean accuracy of each line, by labels per class."""
    lines = []
    for own in variants():
        of_line = [row for row in rows if all(row[name] == own.fit[name] for name in OF_A_FIT)]
        by_size = {
            size: [row["accuracy"] for row in of_line if row["per_class"] == size] for size in SIZES
        }
        means = {str(size): float(np.mean(found)) for size, found in by_size.items() if found}
        lines.append(
            {
                "group": own.group,
                "name": own.name,
                "fit": own.fit,
                "accuracy_by_labels": means,
                "accuracy": float(np.mean(list(means.values()))),
                "n_tasks": len(of_line),
            }
        )
    return {"variants": lines, "default": DEFAULT, "words": WORDS}


def markdown(results: Row) -> str:
    lines = [
        "Accuracy on other training documents in %, mean of eight corpora, by labels per class:\n",
        f"| group | options | {' | '.join(f'{size}' for size in SIZES)} | mean |",
        "|---" * (len(SIZES) + 3) + "|",
    ]
    for each in results["variants"]:
        means = each["accuracy_by_labels"].values()
        shown = " | ".join(f"{100 * mean:.1f}" for mean in (*means, each["accuracy"]))
        lines.append(f"| {each['group']} | {each['name']} | {shown} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    rows = complete(planned(), OF_A_TASK, run_unit, told, ROWS)
    results = summarize(rows)
    report("fisher_options", rows, results, markdown(results), [SEED])


if __name__ == "__main__":
    run_study(main)
