"""Short texts and few labels: leaven auto with and without subwords, and linear SVMs.

Twelve corpora of titles, subjects, tweets, messages, descriptions and sentences (see
_short_corpora.py), 1, 2, 5, 15 and 50 labels per class at random, five draws. A class with fewer
than twice as many training documents gives half of them, at least one. All other training
documents are unlabeled, at most 10,000 of them, drawn at random; accuracy is that on test
documents, which no method sees.

- "auto": ``TextClassifier()``, which adds models of subwords where texts are short, and corrects
  scores for the classes' shares in the corpus
- "auto_words": ``TextClassifier(subwords=False)``
- "auto_before": the same default in commit 6242a35, which had neither
- "svm_words", "svm_char", "svm_union": LinearSVC on TfidfVectorizer's defaults, on sublinear tf-idf
  of character n-grams of 3 to 5 characters (char_wb), and on both; the vectorizers are fitted to
  all texts of the training side, more than the 10,000 that ``auto`` is given

Measures: accuracy, macro F1, CPU seconds from training texts to a classifier on one thread (tf-idf
is computed once per corpus and counted for each fit); of leaven also the expected calibration error
(10 bins of the top probability), the stated expected accuracy with its 90 % interval, CPU
milliseconds to predict a document, and the size of the model file in megabytes. Two methods are
compared by paired t-tests over the draws of each cell, a corpus and a number of labels per class;
the best SVM of a cell is chosen by its accuracy on test documents, which no user could know.

Run: ``python -m studies.short_texts``, with ``--corpora``, ``--methods``, ``--draws`` for some
only. What is in results/short_texts.jsonl is not computed again, unless ``--again`` with
``--methods``. Rows of "auto_before" are made with a checkout of that commit: ``git worktree add
BEFORE 6242a35``, then ``PYTHONPATH=BEFORE/src python -m studies.short_texts --methods auto_before``
(with the same corpora: those from Debian are of the installed release).
"""

import argparse
import inspect
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from leaven import TextClassifier
from leaven._base.measures import calibration_error
from studies import _common, _names, _provenance
from studies._common import run_study
from studies._rows import Row, RowFile, report
from studies._short_corpora import SHORT, Labeled, split
from studies._workers import PROCESSES, compute

SIZES = (1, 2, 5, 15, 50)  # labels per class
DRAWS = 5
MOST_UNLABELED = 10_000
WARM_UP = 100  # unlabeled documents of a fit that is not timed
BEFORE = "auto_before"
AUTOS: dict[str, dict[str, Any]] = {"auto": {}, "auto_words": {"subwords": False}, BEFORE: {}}
AGAIN = "drop all rows of --methods first"
WORTH_COUNTING, SURE = 0.015, 0.05  # of a difference, and of its p-value
CELL = ("corpus", "per_class")
OF_A_TASK = ("corpus", "draw")
ROWS = RowFile(_common.RESULTS / "short_texts.jsonl", (*OF_A_TASK, "per_class", "method"))
Load = Callable[[], Labeled]


def words() -> Any:
    return TfidfVectorizer()


def characters() -> Any:
    return TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)


def words_and_characters() -> Any:
    return make_union(words(), characters())


SVMS: dict[str, Callable[[], Any]] = {
    "svm_words": words,
    "svm_char": characters,
    "svm_union": words_and_characters,
}
METHODS = (*AUTOS, *SVMS)
COMPARED: dict[str, tuple[str, tuple[str, ...]]] = {  # a method, and the best of some others
    "auto_before": ("auto", (BEFORE,)),
    "words_before": ("auto_words", (BEFORE,)),
    "auto_svm": ("auto", tuple(SVMS)),
}
TITLES = {
    "auto_before": "auto is above auto before",
    "words_before": "auto with words only is above auto before",
    "auto_svm": "auto is above the best of the three SVMs",
}
# Wide lines lie below narrow ones.
LOOKS: dict[str, Any] = {
    "auto": {"color": "#1f6f8b", "marker": "D", "linewidth": 3.2, "markersize": 6},
    "auto_before": {"color": "#5fb0c9", "marker": "o", "linewidth": 1.6},
    "svm_words": {"color": "#909090", "marker": "v", "dashes": (5, 2), "linewidth": 1.3},
    "svm_char": {"color": "#c8642b", "marker": "s", "dashes": (1, 1.5), "linewidth": 1.6},
    "svm_union": {"color": "#303030", "marker": "x", "dashes": (5, 2), "linewidth": 1.3},
}


class Sides(NamedTuple):
    train: Labeled
    test: Labeled


class Vectors(NamedTuple):
    """Tf-idf of both sides, and the CPU seconds that the training side took."""

    train: Any
    test: Any
    seconds: float


@dataclass(frozen=True, eq=False)
class Draw:
    """Which training documents are labeled and which unlabeled (positions on that side)."""

    sides: Sides
    labeled: Any
    unlabeled: Any

    @property
    def training(self) -> tuple[list[str], Any]:
        """Texts, and their labels or None."""
        texts, labels = self.sides.train
        places = np.sort(np.r_[self.labeled, self.unlabeled])
        found = np.array(labels, dtype=object)[places]
        found[np.isin(places, self.unlabeled)] = None
        return [texts[i] for i in places], found


@lru_cache(maxsize=1)
def sides_of(load: Load) -> Sides:
    return Sides(*split(*load()))


@lru_cache(maxsize=len(SVMS))
def vectors_of(load: Load, make: Callable[[], Any]) -> Vectors:
    sides = sides_of(load)
    start = time.process_time()
    vectorizer = make()
    train = vectorizer.fit_transform(sides.train.texts).tocsr()
    seconds = time.process_time() - start
    return Vectors(train, vectorizer.transform(sides.test.texts), seconds)


def drawn(load: Load, per_class: int, draw: int, most_unlabeled: int) -> Draw:
    """``per_class`` random training documents of each class, by the number of the draw."""
    sides = sides_of(load)
    labels = np.array(sides.train.labels)
    rng = np.random.default_rng([draw, per_class])
    chosen = []
    for label in np.unique(labels):
        of_class = np.flatnonzero(labels == label)
        size = per_class if len(of_class) >= 2 * per_class else max(len(of_class) // 2, 1)
        chosen.append(rng.choice(of_class, size, replace=False))
    labeled = np.concatenate(chosen)
    others = np.setdiff1d(np.arange(len(labels)), labeled)
    return Draw(sides, labeled, rng.permutation(others)[:most_unlabeled])


def svm(load: Load, make: Callable[[], Any], draw: Draw) -> Row:
    vectors = vectors_of(load, make)
    labels = np.array(draw.sides.train.labels)[draw.labeled]
    start = time.process_time()
    clf = LinearSVC(random_state=0).fit(vectors.train[draw.labeled], labels)
    seconds = vectors.seconds + time.process_time() - start
    return {**judged(draw, clf.predict(vectors.test)), "seconds": seconds}


def auto(draw: Draw, settings: dict[str, Any]) -> tuple[Any, Row]:
    """The classifier, and a row."""
    clf = TextClassifier(n_jobs=1, **settings)
    texts, labels = draw.training
    start = time.process_time()
    clf.fit(texts, labels)
    seconds = time.process_time() - start
    start = time.process_time()
    proba = clf.predict_proba(draw.sides.test.texts)
    seconds_to_predict = time.process_time() - start
    predicted = clf.classes_[proba.argmax(axis=1)]
    right = predicted == np.array(draw.sides.test.labels, dtype=object)
    stated = clf.report_.expected_accuracy
    # With one label per class only a range is stated; before subwords, nothing was.
    n_held_out = stated["n_held_out"] or 0
    return clf, {
        **judged(draw, predicted),
        "seconds": seconds,
        "ece": calibration_error(proba.max(axis=1), right),
        "expected_accuracy": stated["accuracy"],
        "expected_low": stated["low"],
        "expected_high": stated["high"],
        "n_held_out": n_held_out,
        "n_subwords": getattr(clf.report_, "n_subwords", 0),
        "predict_ms": 1e3 * seconds_to_predict / len(proba),
        "model_mb": model_size(clf) / 1e6,
    }


def model_size(clf: Any) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.leaven"
        clf.save(path)
        return path.stat().st_size


@lru_cache(maxsize=1)
def warm_up(load: Load) -> None:
    """A fit that is not timed, because the first one of a process loads compiled code."""
    for settings in ({}, {"subwords": False}) if has_subwords() else ({},):
        auto(drawn(load, 2, 0, WARM_UP), settings)


def judged(draw: Draw, predicted: Any) -> Row:
    truth = np.array(draw.sides.test.labels)
    predicted = np.asarray(predicted, dtype=truth.dtype)
    return {
        "accuracy": float((predicted == truth).mean()),
        "macro_f1": float(f1_score(truth, predicted, average="macro", zero_division=0)),
        "n_labeled": len(draw.labeled),
        "n_train": len(draw.sides.train.texts),
        "n_test": len(truth),
        "n_classes": len(set(draw.sides.train.labels)),
    }


def has_subwords() -> bool:
    """Whether the leaven that was imported is later than that of the rows of "auto_before"."""
    return "subwords" in inspect.signature(TextClassifier).parameters


def computable(methods: Iterable[str]) -> list[str]:
    """Those that the leaven imported can compute."""
    others = (BEFORE,) if has_subwords() else tuple(name for name in AUTOS if name != BEFORE)
    return [name for name in methods if name not in others]


def planned(corpora: Sequence[str], methods: Sequence[str], draws: int) -> list[Row]:
    return [
        {"corpus": corpus, "draw": draw, "per_class": size, "method": method}
        for corpus, draw, size, method in product(corpora, range(draws), SIZES, methods)
    ]


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one draw from one corpus, in a worker process."""
    load = SHORT[plans[0]["corpus"]]
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        # A document without a word, and a fit not converged, are part of the result.
        warnings.simplefilter("ignore")
        if any(plan["method"] in AUTOS for plan in plans):
            warm_up(load)
        for plan in plans:
            draw, method = (
                drawn(load, plan["per_class"], plan["draw"], MOST_UNLABELED),
                plan["method"],
            )
            found = (
                auto(draw, AUTOS[method])[1] if method in AUTOS else svm(load, SVMS[method], draw)
            )
            rows.append({**plan, **found})
    return rows


def told(rows: Sequence[Row]) -> str:
    first = rows[0]
    shown = (
        f"{name} {100 * fmean(row['accuracy'] for row in own):.1f} "
        f"({sum(row['seconds'] for row in own):.0f} s)"
        for name in METHODS
        if (own := [row for row in rows if row["method"] == name])
    )
    return f"{first['corpus']}, draw {first['draw']}: {', '.join(shown)}"


class Table:
    """The rows of a study by corpus, labels per class and method."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.cells: dict[tuple[str, int, str], dict[int, Row]] = {}
        for row in rows:
            place = row["corpus"], row["per_class"], row["method"]
            self.cells.setdefault(place, {})[row["draw"]] = row

    def places(self) -> list[tuple[str, int]]:
        """Every corpus with every number of labels."""
        return list(dict.fromkeys(place[:2] for place in self.cells))

    def values(
        self, method: str, field: str, corpus: str | None = None, per_class: int | None = None
    ) -> list[float]:
        """Means over draws, of each cell that has the field."""
        found = []
        for (*place, name), rows in self.cells.items():
            if name == method and corpus in (place[0], None) and per_class in (place[1], None):
                known = [row[field] for row in rows.values() if row.get(field) is not None]
                found += [fmean(known)] if known else []
        return found

    def mean(self, *about: Any, **where: Any) -> float | None:
        found = self.values(*about, **where)
        return fmean(found) if found else None


def summarize(rows: Sequence[Row]) -> Row:
    """Means, comparisons, and how good the stated accuracy is."""
    ordered = sorted(rows, key=lambda row: (list(SHORT).index(row["corpus"]), row["per_class"]))
    table = Table(ordered)
    methods = [name for name in METHODS if any(row["method"] == name for row in rows)]
    corpora = list(dict.fromkeys(row["corpus"] for row in ordered))
    return {
        "sizes": SIZES,
        "draws": DRAWS,
        "corpora": [about_corpus(ordered, name) for name in corpora],
        "by_size": [means(table, name) for name in methods],
        "by_corpus": [
            {"corpus": corpus} | {name: table.mean(name, "accuracy", corpus) for name in methods}
            for corpus in corpora
        ],
        "cells": [of_cell(place, own) for place, own in table.cells.items()],
        "comparisons": {
            name: compared(table, ours, rivals, SIZES) for name, (ours, rivals) in COMPARED.items()
        },
        "stated": [
            stated(ordered, name, size)
            for name in methods
            if name in AUTOS
            for size in (*SIZES, None)
        ],
        "n_with_subwords": sum(row.get("n_subwords", 0) > 0 for row in rows),
        "n_autos": sum(row["method"] == "auto" for row in rows),
        "before": _provenance.made_of_rows(row for row in rows if row["method"] == BEFORE),
    }


def about_corpus(rows: Sequence[Row], corpus: str) -> Row:
    first = next(row for row in rows if row["corpus"] == corpus)
    return {"corpus": corpus} | {name: first[name] for name in ("n_train", "n_test", "n_classes")}


def means(table: Table, method: str) -> Row:
    """Over all cells, and of accuracy by labels per class."""
    fields = ("accuracy", "macro_f1", "ece", "seconds", "predict_ms", "model_mb")
    by_size = {f"accuracy_{n}": table.mean(method, "accuracy", per_class=n) for n in SIZES}
    return {"method": method, **{name: table.mean(method, name) for name in fields}, **by_size}


def of_cell(place: tuple[str, int, str], rows: dict[int, Row]) -> Row:
    corpus, per_class, method = place
    accuracy = [row["accuracy"] for row in rows.values()]
    return {
        "corpus": corpus,
        "per_class": per_class,
        "method": method,
        "draws": len(rows),
        "accuracy": fmean(accuracy),
        "accuracy_sd": float(np.std(accuracy, ddof=1)) if len(accuracy) > 1 else None,
        **{
            name: fmean(row[name] for row in rows.values())
            for name in ("macro_f1", "ece", "seconds")
            if name in rows[min(rows)]
        },
    }


def compared(table: Table, ours: str, rivals: Sequence[str], sizes: Sequence[int]) -> Row:
    """A method minus the best of others in each cell, paired over the draws that all have."""
    cells: list[Row] = []
    for corpus, per_class in table.places():
        of_each = {name: table.cells.get((corpus, per_class, name), {}) for name in (ours, *rivals)}
        draws = sorted(set.intersection(*(set(rows) for rows in of_each.values())))
        if len(draws) < 2:
            continue
        scores = {
            name: [rows[draw]["accuracy"] for draw in draws] for name, rows in of_each.items()
        }
        best = max(rivals, key=lambda name: fmean(scores[name]))
        test = _common.paired(scores[ours], scores[best])
        cells.append({"corpus": corpus, "per_class": per_class, "rival": best, **test})
    sure = [cell for cell in cells if cell["p_value"] < SURE]
    return {
        "ours": ours,
        "rivals": list(rivals),
        "n_cells": len(cells),
        "difference": mean_difference(cells),
        "by_size": [mean_difference([c for c in cells if c["per_class"] == n]) for n in sizes],
        "n_below": sum(cell["difference"] < -WORTH_COUNTING for cell in cells),
        "n_below_sure": sum(cell["difference"] < -WORTH_COUNTING for cell in sure),
        "n_above": sum(cell["difference"] > WORTH_COUNTING for cell in cells),
        "n_above_sure": sum(cell["difference"] > WORTH_COUNTING for cell in sure),
        "cells": cells,
    }


def mean_difference(cells: Sequence[Row]) -> float | None:
    return fmean(cell["difference"] for cell in cells) if cells else None


def stated(rows: Sequence[Row], method: str, size: int | None) -> Row:
    """How often the stated interval holds the accuracy on test documents, and calibration."""
    own = [row for row in rows if row["method"] == method and size in (row["per_class"], None)]
    known = [row for row in own if row["expected_low"] is not None]
    exact = [row for row in known if row["expected_accuracy"] is not None]
    return {
        "method": method,
        "per_class": size,
        "n_fits": len(own),
        "n_stated": len(known),
        "n_inside": sum(
            row["expected_low"] <= row["accuracy"] <= row["expected_high"] for row in known
        ),
        "width": fmean(row["expected_high"] - row["expected_low"] for row in known)
        if known
        else None,
        "bias": fmean(row["expected_accuracy"] - row["accuracy"] for row in exact)
        if exact
        else None,
        "ece": fmean(row["ece"] for row in own) if own else None,
    }


def markdown(results: Row) -> str:
    """All tables."""
    before = _provenance.described(results["before"])
    return "\n".join(
        [
            "# Short texts with few labels\n",
            f"Rows of auto before were {before}. auto used subwords in "
            f"{results['n_with_subwords']:,} of {results['n_autos']:,} fits.\n",
            f"Means over corpora by labels per class; accuracy in %:\n\n{size_table(results)}",
            "Documents, classes, and mean accuracy over all numbers of labels, in %:\n\n"
            + corpus_table(results),
            f"Differences of accuracy, in points:\n\n{comparison_table(results)}",
            *(
                f"Points by which {TITLES[name]}, by labels per class, and p-values (paired over "
                f"draws):\n\n{difference_table(results, name)}"
                for name in COMPARED
            ),
            "Stated 90 % intervals of the expected accuracy: how many hold the accuracy on test "
            "documents, their mean width and the mean error of the expected accuracy in points; "
            f"calibration error:\n\n{stated_table(results)}",
            "Accuracy in %, mean ± standard deviation over draws:\n\n" + cell_table(results),
        ]
    )


def size_table(results: Row) -> str:
    """Means of each method by labels per class."""
    rows = []
    for own in results["by_size"]:
        cells = [percent(own[f"accuracy_{n}"]) for n in results["sizes"]]
        cells += [percent(own["accuracy"]), percent(own["macro_f1"])]
        cells += ["–" if own["ece"] is None else f"{own['ece']:.3f}", f"{own['seconds']:.1f}"]
        rows.append([_names.SHORT_METHODS[own["method"]], *cells])
    head = ["method", *results["sizes"], "mean", "macro F1", "calibration error", "CPU seconds"]
    return tabulated(head, rows)


def corpus_table(results: Row) -> str:
    methods = [own["method"] for own in results["by_size"]]
    rows = [
        [
            _names.SHORT_CORPORA[about["corpus"]],
            f"{about['n_train']:,} + {about['n_test']:,}",
            about["n_classes"],
            *(percent(means[name]) for name in methods),
        ]
        for about, means in zip(results["corpora"], results["by_corpus"], strict=True)
    ]
    names = [_names.SHORT_METHODS[name] for name in methods]
    return tabulated(["corpus", "training + test", "classes", *names], rows)


def comparison_table(results: Row) -> str:
    """Mean differences, and cells that differ by more than WORTH_COUNTING."""
    least = f"{100 * WORTH_COUNTING:g}"
    rows = []
    for name, own in results["comparisons"].items():
        by_size = [points(value) for value in own["by_size"]]
        counts = [f"{own[f'n_{side}']} ({own[f'n_{side}_sure']})" for side in ("below", "above")]
        rows.append([TITLES[name], *by_size, points(own["difference"]), own["n_cells"], *counts])
    head = ["", *results["sizes"], "mean", "cells", f"below −{least} (p < {SURE})"]
    return tabulated([*head, f"above +{least} (p < {SURE})"], rows)


def difference_table(results: Row, comparison: str) -> str:
    cells = results["comparisons"][comparison]["cells"]
    rows = []
    for corpus, group in groupby(cells, key=lambda cell: cell["corpus"]):
        own = {cell["per_class"]: _common.signed(cell).strip() for cell in group}
        shown = [own.get(n, "–") for n in results["sizes"]]
        rows.append([_names.SHORT_CORPORA[corpus], *shown])
    return tabulated(["corpus", *results["sizes"]], rows)


def stated_table(results: Row, methods: Sequence[str] = tuple(AUTOS)) -> str:
    rows = []
    for own in results["stated"]:
        if own["method"] in methods:
            n = own["n_stated"]
            shown = [
                f"{100 * own['n_inside'] / n:.0f} %" if n else "–",
                f"{100 * own['width']:.0f}" if n else "–",
                points(own["bias"]),
                f"{own['ece']:.3f}",
            ]
            size = "all" if own["per_class"] is None else own["per_class"]
            rows.append([_names.SHORT_METHODS[own["method"]], size, own["n_fits"], n, *shown])
    head = ["method", "labels per class", "fits", "intervals", "hold it", "width", "error"]
    return tabulated([*head, "calibration error"], rows)


def cell_table(results: Row) -> str:
    methods = [own["method"] for own in results["by_size"]]
    rows = []
    for place, group in groupby(results["cells"], key=lambda cell: [cell[name] for name in CELL]):
        own = {cell["method"]: cell for cell in group}
        shown = [with_sd(own[name]) if name in own else "–" for name in methods]
        rows.append([_names.SHORT_CORPORA[place[0]], place[1], *shown])
    names = [_names.SHORT_METHODS[name] for name in methods]
    return tabulated(["corpus", "labels per class", *names], rows)


def with_sd(cell: Row) -> str:
    sd = cell["accuracy_sd"]
    return percent(cell["accuracy"]) + ("" if sd is None else f" ± {100 * sd:.1f}")


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def points(difference: float | None) -> str:
    return "–" if difference is None else f"{100 * difference:+.1f}"


def tabulated(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def plot(results: Row) -> None:
    """Accuracy by corpus, method and labels per class."""
    figure, axes = _common.subplots(nrows=3, ncols=4, figsize=(13, 10))
    lines: dict[str, Any] = {}
    for each, corpus in zip(axes.flat, SHORT, strict=True):
        for number, (method, look) in enumerate(LOOKS.items()):
            cells = [
                cell
                for cell in results["cells"]
                if (cell["corpus"], cell["method"]) == (corpus, method)
            ]
            if cells:
                x = _common.dodged([cell["per_class"] for cell in cells], number, len(LOOKS))
                y = [100 * cell["accuracy"] for cell in cells]
                (lines[method],) = each.plot(x, y, **{"markersize": 4.5, **look})
        _common.log_ticks(each, SIZES)
        each.set_xlim(0.8 * SIZES[0], SIZES[-1] / 0.8)
        each.set_title(_names.SHORT_CORPORA[corpus], fontsize=11)
    figure.supxlabel(
        "labels per class (points beside each other have the same number)", fontsize=10
    )
    figure.supylabel("accuracy on test documents, %", fontsize=10)
    names = [_names.SHORT_METHODS[method] for method in lines]
    figure.legend(lines.values(), names, loc="outside upper center", ncols=5, fontsize=11)
    _common.save_figure("short_texts", figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="Short texts with few labels.")
    parser.add_argument("--corpora", nargs="+", choices=list(SHORT), default=list(SHORT))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=computable(METHODS))
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"at most {DRAWS}")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--again", action="store_true", help=AGAIN)
    wanted = parser.parse_args()
    check_computable(wanted.methods)
    if wanted.again:
        forget(ROWS, wanted.methods)
    missing = ROWS.missing(planned(wanted.corpora, wanted.methods, min(wanted.draws, DRAWS)))
    groups = groupby(missing, key=lambda plan: [plan[name] for name in OF_A_TASK])
    compute([list(group) for _, group in groups], run_unit, told, ROWS, wanted.processes)
    rows = ROWS.of(planned(list(SHORT), METHODS, DRAWS))
    results = summarize(rows)
    plot(results)
    report("short_texts", measured_now(rows), results, markdown(results), DRAWS)


def forget(file: RowFile, methods: Sequence[str]) -> None:
    """Drop the rows of some methods."""
    kept = [row for row in file.read() if row["method"] not in methods]
    file.path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")


def check_computable(methods: Sequence[str]) -> None:
    """End with one sentence where the leaven imported is not the one that a method needs."""
    impossible = [name for name in methods if name not in computable(methods)]
    if impossible:
        which = "without subwords, commit 6242a35" if has_subwords() else "with subwords"
        sys.exit(
            f"error: {impossible[0]} needs the version of leaven {which}, and another one was "
            "imported; set PYTHONPATH to the src folder of a checkout of it"
        )


def measured_now(rows: Sequence[Row]) -> list[Row]:
    """Rows that become stale when leaven changes: neither of SVMs nor of an old version."""
    return [row for row in rows if row["method"] in AUTOS and row["method"] != BEFORE] or list(rows)


if __name__ == "__main__":
    run_study(main)
