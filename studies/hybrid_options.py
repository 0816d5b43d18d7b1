"""Options of maximum entropy, its hybrids and transductive SVMs, on training documents.

The methods of Druck et al. (2007): ``MaxEntClassifier`` (maxent), ``MultiConditionalClassifier``
(mcl), ``ParameterCouplingClassifier`` (pcp) and ``TransductiveSVM`` (tsvm). Five corpora of
few_labels, of which only training documents have a part here: 2, 5 or 20 documents of every class
are labeled (at most half of a class), and at most 1,500 of the others, drawn at random, are
unlabeled: 15 tasks. All documents of a task are given to fit; accuracy is that on the unlabeled
ones, whose labels no method sees. Test documents are not used.

Texts are words of at least two documents: raw counts, with or without English stop words (which
makes no difference on sraa16k, whose words are anonymous), and log(1 + tf) · idf, as it is or with
every document scaled to a sum of 60 or 150. The groups of the table:

- text: maxent (variance 0.1), mcl (α = 1e4, variance 0.1) and pcp (α = 0.3) on each text; the
  other groups are on log(1 + tf) · idf
- start: mcl by its start, α and variance, and along a path of variances, where each fit begins
  with the parameters of the one before, as where the learner chooses its settings
- coupling: pcp by α
- balance: tsvm (C = 10) by what is demanded of the mean score of unlabeled documents, and by their
  weight C*
- auto: all options as they are by default, most of them chosen by held-out labels; em is
  ``NaiveBayesEM`` on texts of length 150

Accuracy is the mean over tasks of a number of labels, and then over the numbers of labels. Seconds
are those of fit on one thread, two fits at a time, in the mean over tasks; those of auto contain
the choice. Collapsed is the share of fits that warned of a collapse: one class takes almost all
unlabeled documents, or few classes are left. Where that happens with chosen settings, the learner
ignores unlabeled documents instead, so that of auto only em can warn. Run: ``python -m
studies.hybrid_options``; what is in results/hybrid_options.jsonl with the same options is not
computed again (remove that file to compute everything).
"""

import json
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, product
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import leaven
from leaven.corpora import Block, TrainingSet, in_memory
from leaven.documents._arrow import as_text_array
from leaven.documents._labels import Labels
from leaven.exceptions import CollapseWarning
from leaven.learners import MultiConditionalLearner, Run
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from studies import _common
from studies._common import run_study
from studies._few_labels_corpora import load
from studies._rows import Row, RowFile, report
from studies._workers import complete

CORPORA = ("docstrings", "webkb4_stemmed", "sraa16k", "reuters_r10", "movie_reviews")
DRAWS = {2: 1, 5: 1, 20: 1}  # by labels per class
MOST_UNLABELED = 1500
OF_A_TASK = ("corpus", "per_class", "draw")
OF_A_FIT = ("text", "method", "settings")
ROWS = RowFile(_common.RESULTS / "hybrid_options.jsonl", (*OF_A_TASK, *OF_A_FIT))
WEIGHTED: Row = {"log_tf": True, "idf": True}
RAW, WITHOUT_STOP_WORDS, TF_IDF = "raw counts", "raw, without stop words", "log tf · idf"
SHORT, LONG = f"{TF_IDF}, length 60", f"{TF_IDF}, length 150"
TEXTS: dict[str, Row] = {
    RAW: {},
    WITHOUT_STOP_WORDS: {"stop_words": "english"},
    TF_IDF: WEIGHTED,
    SHORT: {**WEIGHTED, "length": 60.0},
    LONG: {**WEIGHTED, "length": 150.0},
}
PATH = "mcl along variances"
AUTO = "auto"
CHOSEN = ("alpha", "variance", "C", "C_unlabeled")  # where they are chosen


@dataclass
class VariancePath:
    """Multi-conditional learning, each fit begun with the parameters of the variance before."""

    alpha: float
    variances: Sequence[float]
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        corpus = in_memory(Block(X, y, np.ones(len(y))), self.n_jobs)
        training = TrainingSet.of(corpus, Labels(np.arange(1 + y.max())))
        learner = MultiConditionalLearner(alpha=self.alpha)
        *on_the_way, last = (replace(learner, variance=own) for own in self.variances)
        start = None
        for each in on_the_way:
            run = Run(n_threads=self.n_jobs, start=start)
            start = each.shortened().fit_given(training, run).expert
        learned = last.fit_given(training, Run(n_threads=self.n_jobs, start=start))
        self.expert_, self.n_iter_ = learned.expert, learned.result.n_iter
        for category, message in learned.messages:
            warnings.warn(message, category, stacklevel=2)
        return self

    def predict(self, X: Any) -> Any:
        return self.expert_.scores(X, None).argmax(axis=1)


METHODS: dict[str, Any] = {
    "maxent": leaven.MaxEntClassifier,
    "mcl": leaven.MultiConditionalClassifier,
    "pcp": leaven.ParameterCouplingClassifier,
    "tsvm": leaven.TransductiveSVM,
    "em": leaven.NaiveBayesEM,
    PATH: VariancePath,
}


class Variant(NamedTuple):
    """A line of the table: a method with options, on texts."""

    group: str
    name: str
    text: str
    method: str
    settings: Row

    @property
    def fit(self) -> Row:
        """What is fitted; lines of different groups may have the same."""
        return {name: getattr(self, name) for name in OF_A_FIT}


def variants() -> list[Variant]:
    found = []
    fixed: dict[str, Row] = {
        "maxent": {"variance": 0.1},
        "mcl": {"alpha": 1e4, "variance": 0.1, "start": "supervised"},
        "pcp": {"alpha": 0.3, "variance": 1.0},
    }
    for method, text in product(fixed, TEXTS):
        found.append(Variant("text", f"{method}, {text}", text, method, fixed[method]))
    for alpha, variance, start in [
        *product([1e4], [0.1, 1.0], ["zero", "supervised"]),
        *product([1e2, 1e4, 1e6], [0.01], ["supervised"]),
    ]:
        name = f"mcl, α = {alpha:g}, variance {variance:g}, start {start}"
        settings = {"alpha": alpha, "variance": variance, "start": start}
        found.append(Variant("start", name, TF_IDF, "mcl", settings))
    for variances in ([0.01, 0.1], [0.01, 0.1, 1.0]):
        name = f"mcl, α = 10000, variance {' → '.join(f'{own:g}' for own in variances)}"
        settings = {"alpha": 1e4, "variances": variances}
        found.append(Variant("start", name, TF_IDF, PATH, settings))
    for alpha in (0.1, 0.3, 0.5, 0.7, 0.9):
        settings = {"alpha": alpha, "variance": 1.0}
        found.append(Variant("coupling", f"pcp, α = {alpha:g}", TF_IDF, "pcp", settings))
    for C_unlabeled, balance in [
        *product([1.0], ["labels", "predicted", "none"]),
        *product([0.0, 0.1, 1.0, 10.0], [AUTO]),
    ]:
        name = f"tsvm, C* = {C_unlabeled:g}, balance {balance}"
        settings = {"C": 10.0, "C_unlabeled": C_unlabeled, "balance": balance}
        found.append(Variant("balance", name, TF_IDF, "tsvm", settings))
    for method in ("maxent", "mcl", "pcp", "tsvm"):
        found.append(Variant(AUTO, method, TF_IDF, method, {}))
    found.append(Variant(AUTO, f"em, {LONG}", LONG, "em", {}))
    return found


def planned() -> list[Row]:
    """Every fit of every task, each once; tasks of a corpus follow each other."""
    fits = {json.dumps(own.fit, sort_keys=True): own.fit for own in variants()}
    return [
        {"corpus": corpus, "per_class": per_class, "draw": draw, **fit}
        for corpus, (per_class, draws) in product(CORPORA, DRAWS.items())
        for draw in range(draws)
        for fit in fits.values()
    ]


@dataclass(frozen=True, eq=False)
class Task:
    """Training documents, and the truth about those that are unlabeled."""

    texts: Any
    y: np.ndarray  # (n_documents,) class code, -1 where unlabeled
    truth: np.ndarray  # (n_documents,) class code

    def counts(self, text: str) -> csr_array:
        options = TextOptions(min_df=2, **TEXTS[text])
        return fit_counter(self.texts, options, by_frequency=True, n_threads=1)[1]


def draw_task(corpus: str, per_class: int, draw: int) -> Task:
    documents = load(corpus, 0)
    rng = np.random.default_rng([draw, per_class])
    classes = np.unique(documents.labels)
    chosen = []
    for label in classes:
        of_class = documents.pool[documents.labels[documents.pool] == label]
        size = max(min(per_class, len(of_class) // 2), 1)
        chosen.append(rng.choice(of_class, size, replace=False))
    labeled = np.concatenate(chosen)
    others = rng.permutation(np.setdiff1d(documents.unlabeled, labeled))[:MOST_UNLABELED]
    training = np.union1d(labeled, others)
    truth = np.searchsorted(classes, documents.labels[training])
    y = np.where(np.isin(training, labeled), truth, -1)
    return Task(as_text_array([documents.texts[i] for i in training]), y, truth)


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of fits of one task; runs in a process of its own."""
    task = draw_task(*(plans[0][name] for name in OF_A_TASK))
    counts = cache(task.counts)
    with threadpool_limits(1):
        for method in {plan["method"] for plan in plans}:
            compile_for(method)
        return [{**plan, **measure(plan, counts(plan["text"]), task)} for plan in plans]


@cache
def compile_for(method: str) -> None:
    """Fit once, so that no row contains the seconds of compilation."""
    X = csr_array(np.array([[3, 0, 1], [0, 3, 1], [2, 0, 1], [0, 1, 2]], np.float32))
    settings = next(own.settings for own in variants() if own.method == method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        METHODS[method](**settings, n_jobs=1).fit(X, np.array([0, 1, -1, -1])).predict(X)


def measure(plan: Row, X: csr_array, task: Task) -> Row:
    clf = METHODS[plan["method"]](**plan["settings"], n_jobs=1)
    is_hidden = task.y < 0
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        start = time.perf_counter()
        clf.fit(X, task.y)
        seconds = time.perf_counter() - start
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a document without words is part of the result
        predicted = clf.predict(csr_array(X[is_hidden]))

    def warned(category: type[Warning]) -> bool:
        return any(issubclass(each.category, category) for each in issued)

    found: Row = {
        "accuracy": float((predicted == task.truth[is_hidden]).mean()),
        "seconds": round(seconds, 4),
        "collapsed": warned(CollapseWarning),
        "cut": warned(ConvergenceWarning),
        "n_iter": int(clf.n_iter_),
        "n_labeled": int((~is_hidden).sum()),
        "n_unlabeled": int(is_hidden.sum()),
        "n_words": X.shape[1],
    }
    if not plan["settings"]:
        chosen = [(name, getattr(clf, f"{name}_", None)) for name in CHOSEN]
        found["chosen"] = ", ".join(f"{name} = {own:g}" for name, own in chosen if own is not None)
    return found


def told(rows: Sequence[Row]) -> str:
    """One line about the rows of a task."""
    first, best = rows[0], max(rows, key=lambda row: row["accuracy"])
    options = ", ".join(f"{name} {value}" for name, value in best["settings"].items())
    return (
        f"{first['corpus']} ({first['per_class']}), draw {first['draw']}: {len(rows)} fits, "
        f"{sum(row['seconds'] for row in rows):.1f} s, best {100 * best['accuracy']:.1f} % "
        f"({best['method']}, {best['text']}, {options or AUTO})"
    )


def summarize(rows: Sequence[Row]) -> Row:
    return {
        "n_tasks": len({tuple(row[name] for name in OF_A_TASK) for row in rows}),
        "draws": DRAWS,
        "corpora": list(CORPORA),
        "variants": [
            {**own._asdict(), **summarize_fit([row for row in rows if is_of(row, own.fit)])}
            for own in variants()
        ],
    }


def is_of(row: Row, fit: Row) -> bool:
    return all(row[name] == value for name, value in fit.items())


def summarize_fit(rows: Sequence[Row]) -> Row:
    """What is made of the rows of one fit on all tasks."""
    by_labels = {size: mean_accuracy(rows, per_class=size) for size in DRAWS}
    found: Row = {
        "accuracy": float(np.mean(list(by_labels.values()))),
        "accuracy_by_labels": by_labels,
        "accuracy_by_corpus": {
            corpus: float(np.mean([mean_accuracy(rows, corpus=corpus, per_class=n) for n in DRAWS]))
            for corpus in CORPORA
        },
        "seconds": float(np.mean([row["seconds"] for row in rows])),
        "collapsed": float(np.mean([row["collapsed"] for row in rows])),
        "cut": float(np.mean([row["cut"] for row in rows])),  # stopped before convergence
        "n_iter": float(np.median([row["n_iter"] for row in rows])),
        "n_tasks": len(rows),
    }
    chosen = Counter(row["chosen"] for row in rows if row.get("chosen"))
    return {**found, "chosen": dict(chosen.most_common())} if chosen else found


def mean_accuracy(rows: Sequence[Row], **wanted: Any) -> float:
    return float(np.mean([row["accuracy"] for row in rows if is_of(row, wanted)]))


def table(results: Row) -> str:
    """Means over tasks, in Markdown."""
    sizes = " | ".join(f"{size} labels" for size in results["draws"])
    lines = [
        "Accuracy on unlabeled training documents in %, by labels per class:",
        "",
        f"| group | options | {sizes} | mean | seconds | collapsed |",
        "|---" * (5 + len(results["draws"])) + "|",
    ]
    for group, members in groupby(results["variants"], key=lambda each: each["group"]):
        for place, each in enumerate(members):
            shares = [*each["accuracy_by_labels"].values(), each["accuracy"]]
            cells = [group if place == 0 else "", each["name"]]
            cells += [f"{100 * share:.1f}" for share in shares]
            cells += [f"{each['seconds']:.2f}", f"{100 * each['collapsed']:.0f} %"]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    rows = complete(planned(), OF_A_TASK, run_unit, told, ROWS)
    results = summarize(rows)
    report("hybrid_options", rows, results, table(results), max(DRAWS.values()))


if __name__ == "__main__":
    run_study(main)
