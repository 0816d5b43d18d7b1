"""Few labels and much unlabeled text: leaven's methods beside common ones.

Eight corpora; 1, 2, 5, 15 and 50 labels per class at random; five draws. A class with fewer
than twice as many training documents gives half of them. Every other training document is
unlabeled; accuracy is that on test documents, which no method sees.

- 20news: Nigam's protocol; test: the last 20 % of each group by date; 10,000 unlabeled messages
  per draw, labeled ones from the rest
- movie_reviews: test: folds 7, 8 and 9
- webkb4: HTML pages of four classes, test: 30 % at random; webkb4_stemmed: its usual split
- reuters_r10: ModApte documents with exactly one of the ten largest topics, less the topics of
  which fewer than 20 training documents remain (wheat and corn, whose documents are grain's too)
- sector12, sraa16k, docstrings: test: 30 % at random

Methods without leaven, scikit-learn's: "nb" (MultinomialNB on counts of the labeled documents);
and on TfidfVectorizer's defaults, fitted to all training texts: "svm" (LinearSVC), "logreg",
"self_training" (of logreg; a document is added at a probability of 0.75) and "label_spreading"
(7 neighbors by 100 SVD components of unit length; alpha is 0.8, because it did better than the
default 0.2 on test documents of 20news, which favors it). leaven's are ``TextClassifier`` with its
defaults; "em_raw" is "em" without calibration: the same predictions, uncalibrated probabilities.
Only "nb", "em", "two_view" and "auto" are calibrated; of the others predictions alone are judged.
"mixture", "annealed", "tsvm", "mcl" and "pcp", which can need minutes per fit, are given at most
2,000 of the unlabeled documents and the first two draws only; "mixture" needs two labels per class.

Measures: accuracy, macro-F1, expected calibration error (10 bins of the top probability), mean
negative log-likelihood in nats, CPU seconds from training texts to a classifier on one thread
(tf-idf is computed once per draw and counted for each method). "auto" is compared, by paired
t-tests, to the best supervised method of each cell, chosen by its test accuracy, which no user
could know.

Run: ``python -m studies.few_labels``, with ``--corpora``, ``--methods``, ``--budgets`` for some
only. What is in results/few_labels.jsonl is not computed again, unless ``--again`` with
``--methods``. ``--fresh`` computes everything again, in a new file that replaces the old one
when it is complete; after an interruption it continues, unless leaven has changed. Every row has
the version, commit and date of leaven; those without are older than this record.
"""

import argparse
import json
import multiprocessing
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from studies import _common, _names, _provenance
from studies._few_labels_corpora import (
    CORPORA,
    COSTLY,
    FEWEST_LABELS,
    MEASURES,
    METHODS,
    MOST_UNLABELED,
    STATED,
    draw_task,
)

BUDGETS = (1, 2, 5, 15, 50)  # labels per class
COSTLY_DRAWS = 2
SUPERVISED = ["nb", "svm", "logreg", "leaven nb", "leaven svm", "maxent", "knn"]
WORTH_COUNTING, SURE = 0.02, 0.05  # of a difference, and of its p-value
CACHE = _common.RESULTS / "few_labels.jsonl"
FRESH = _common.RESULTS / "few_labels.fresh.jsonl"  # of --fresh, until it is complete
CELL = ["corpus", "per_class"]
KEY = [*CELL, "draw", "method"]
Row = dict[str, Any]
HEADS = {  # of columns in the tables
    "per_class": "labels per class",
    "macro_f1": "macro F1",
    "ece": "calibration error",
    "nll": "negative log-likelihood",
    "seconds": "CPU seconds",
    **{f"accuracy_{n}": f"accuracy, {n}" for n in BUDGETS},
}
# Methods in the figure. Wide lines lie below narrow ones, and dashes of different length show what
# is under them.
LOOKS: dict[str, Any] = {
    "auto": {"color": "#1f6f8b", "marker": "D", "linewidth": 3.5, "markersize": 6},
    "two_view": {"color": "#c2417c", "marker": "o", "linewidth": 1.4},
    "em": {"color": "#c8642b", "marker": "s", "linewidth": 1.4},
    "leaven nb": {"color": "#5fb0c9", "marker": "^", "linewidth": 1.4},
    "logreg": {"color": "#9467bd", "marker": "P", "linewidth": 3.0, "alpha": 0.5},
    "svm": {"color": "#303030", "marker": "x", "dashes": (5, 2), "linewidth": 1.2},
    "self_training": {"color": "#d0a020", "marker": "+", "dashes": (1, 1.5), "linewidth": 1.6},
    "nb": {"color": "#909090", "marker": "v", "dashes": (5, 2), "linewidth": 1.2},
    "label_spreading": {"color": "#6a9f3f", "marker": "<", "dashes": (1, 1.5), "linewidth": 1.4},
}


def run_draw(work: tuple[str, int, int, list[str]]) -> list[Row]:
    """One row per method."""
    corpus, per_class, number, methods = work
    draw = draw_task(corpus, per_class, number)
    rows = []
    for method in methods:
        with warnings.catch_warnings():
            # A document without a word, and a fit not converged, are part of the result.
            warnings.simplefilter("ignore")
            found = METHODS[method](draw.task)
        key = dict(zip(KEY, (corpus, per_class, number, method), strict=True))
        rows.append(key | draw.judge(found) | found.stated)
    return rows


def run_all(work: list[Any], processes: int) -> Iterator[list[Row]]:
    if processes == 1:
        yield from map(run_draw, work)
    else:
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            yield from pool.imap_unordered(run_draw, work)


def read_cache(path: Path) -> list[Row]:
    """The rows of a file, of those with the same key the last."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows = (json.loads(line) for line in lines)
    return list({tuple(row[name] for name in KEY): row for row in rows}.values())


def as_lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def missing(wanted: argparse.Namespace, cache: Path) -> list[Any]:
    """Draws with methods still to try; the first draw of everything comes first."""
    known = {tuple(row[name] for name in KEY) for row in read_cache(cache)}
    work = []
    for draw in range(wanted.draws):
        for corpus, budget in product(wanted.corpora, wanted.budgets):
            place = corpus, budget, draw
            methods = [
                name
                for name in wanted.methods
                if (*place, name) not in known and is_planned(name, budget, draw)
            ]
            if methods:
                work.append((*place, methods))
    return work


def is_planned(method: str, budget: int, draw: int) -> bool:
    enough_labels = budget >= FEWEST_LABELS.get(method, 1)
    return enough_labels and (method not in COSTLY or draw < COSTLY_DRAWS)


def compute(wanted: argparse.Namespace, cache: Path) -> None:
    """Add the rows that the cache lacks, with what they are made with; costly ones come last."""
    quick, costly = (
        argparse.Namespace(
            **{**vars(wanted), "methods": [m for m in wanted.methods if (m in COSTLY) is of_costly]}
        )
        for of_costly in (False, True)
    )
    work = missing(quick, cache) + missing(costly, cache)
    for done, rows in enumerate(run_all(work, wanted.processes), 1):
        with cache.open("a") as file:
            file.write(as_lines({**row, **_provenance.code()} for row in rows))
        shown = "  ".join(
            f"{row['method']} {100 * row['accuracy']:.1f} ({row['seconds']:.1f} s)" for row in rows
        )
        corpus, per_class, draw, _ = (rows[0][name] for name in KEY)
        print(f"{done}/{len(work)} {corpus} {per_class}, draw {draw}: {shown}", flush=True)


def as_frame(rows: list[Row]) -> pd.DataFrame:
    """Rows in the order of ``CORPORA`` and ``METHODS``."""
    columns = [*KEY, *MEASURES, *(f"expected_{name}" for name in STATED)]
    frame = pd.DataFrame(rows).reindex(columns=columns)
    frame = frame.astype(dict.fromkeys(columns[len(KEY) :], float))
    for name, order in (("corpus", CORPORA), ("method", METHODS)):
        frame[name] = pd.Categorical(frame[name], list(order), ordered=True)
    return frame.sort_values(KEY)


def summarize(frame: pd.DataFrame) -> dict[str, Any]:
    groups = frame.groupby([*CELL, "method"], observed=True)[list(MEASURES)]
    cells = groups.agg(["mean", "std"])
    cells.columns = ["_".join(names) for names in cells.columns]
    means = groups.mean().drop(list(COSTLY), level="method", errors="ignore").unstack("method")
    common = means[means["accuracy"].notna().all(axis=1)]
    by_budget = common["accuracy"].groupby("per_class").mean().T.add_prefix("accuracy_")
    return {
        "cells": records(cells.assign(draws=groups.size())),
        "n_common": len(common),  # cells that every method has: overall means are over these
        "every": every_method(frame[frame["draw"] < COSTLY_DRAWS]),
        "overall": records(common.mean().unstack(0)[list(MEASURES)].join(by_budget)),
        "auto_against_best": against_best(frame),
        "coverage": records(coverage(frame)),
    }


def every_method(frame: pd.DataFrame) -> list[Row]:
    """Accuracy of all methods on the draws that all have; the mean is over cells that all have."""
    cells = frame.pivot_table(
        "accuracy", index=CELL, columns="method", observed=True, aggfunc="mean"
    )
    by_budget = cells.groupby("per_class").mean().T.add_prefix("accuracy_")
    common = cells.dropna().mean().rename("accuracy")
    seconds = frame.groupby("method", observed=True)["seconds"].mean()
    return records(by_budget.join(common).join(seconds))


def records(frame: pd.DataFrame) -> list[Row]:
    found: list[Row] = json.loads(frame.reset_index().to_json(orient="records"))
    return found


def against_best(frame: pd.DataFrame) -> dict[str, Any]:
    """Auto minus the best supervised method of each cell, on the draws that all have."""
    cells: list[Row] = []
    for (corpus, per_class), group in frame.groupby(CELL, observed=True):
        scores = group.pivot(index="draw", columns="method", values="accuracy")
        rivals = [name for name in SUPERVISED if name in scores]
        scores = scores.reindex(columns=["auto", *rivals]).dropna()
        if rivals and len(scores) > 1:
            best = scores[rivals].mean().idxmax()
            test = _common.paired(scores["auto"].tolist(), scores[best].tolist())
            cells.append({"corpus": corpus, "per_class": per_class, "best": best, **test})
    sure = [cell["difference"] for cell in cells if cell["p_value"] < SURE]
    return {
        "cells_behind": sum(difference < -WORTH_COUNTING for difference in sure),
        "cells_ahead": sum(difference > WORTH_COUNTING for difference in sure),
        "cells": cells,
    }


def coverage(frame: pd.DataFrame) -> pd.DataFrame:
    """How often the interval that a method states contains its accuracy on the test documents."""
    stated = frame.dropna(subset=["expected_low"])
    found = stated[["method", "per_class"]].assign(
        covered=stated["accuracy"].between(stated["expected_low"], stated["expected_high"]),
        width=stated["expected_high"] - stated["expected_low"],
        bias=stated["expected_accuracy"] - stated["accuracy"],
    )
    groups = found.groupby(["method", "per_class"], observed=True)
    return groups.mean().assign(draws=groups.size())


def table(title: str, rows: list[Row]) -> str:
    """Rows with the same keys, in Markdown, with corpora and methods named as in figures."""
    if not rows:
        return ""
    head = [HEADS.get(key, _names.METHODS.get(key, key)) for key in rows[0]]
    lines = [head, ["---"] * len(head), *(map(named, row.items()) for row in rows)]
    return f"\n{title}\n\n" + "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def named(item: tuple[str, Any]) -> Any:
    """The value of a column, a name of the study as a reader knows it."""
    key, value = item
    names = {"corpus": _names.CORPORA, "method": _names.METHODS, "best": _names.METHODS}
    return names.get(key, {}).get(value, value)


def shown(key: str, value: Any) -> Any:
    """Seconds and nats as they are, other numbers in percent."""
    if not isinstance(value, float):
        return "" if value is None else value
    return f"{value:.2f}" if key in ("nll", "seconds") else f"{100 * value:.1f}"


def over_draws(scores: Any) -> str:
    if not isinstance(scores, list):
        return ""
    return _common.mean_sd(scores).strip() if len(scores) > 1 else f"{100 * scores[0]:.1f}"


def markdown(frame: pd.DataFrame, results: dict[str, Any], made_with: dict[str, Any]) -> str:
    cells = frame.groupby([*CELL, "method"], observed=True)["accuracy"].agg(list).unstack("method")
    rivals = results["auto_against_best"]
    every, overall, stated = (
        [{key: shown(key, value) for key, value in row.items()} for row in results[part]]
        for part in ("every", "overall", "coverage")
    )
    compared = [
        {**{key: cell[key] for key in (*CELL, "best")}, "auto minus best": _common.signed(cell)}
        for cell in rivals["cells"]
    ]
    return (
        "# Few labels, much unlabeled text\n\n"
        f"These results were {_provenance.described(made_with)}.\n"
        + table(
            f"Means over the {results['n_common']} cells and all draws, in %, nats and CPU "
            "seconds; accuracy also by labels per class",
            overall,
        )
        + table(
            f"Every method, in the first {COSTLY_DRAWS} draws alone: accuracy by labels "
            "per class, its mean over the cells that every method has, and CPU seconds; "
            f"{', '.join(COSTLY)} with at most {MOST_UNLABELED:,} unlabeled documents",
            every,
        )
        + table(
            "Accuracy in %, mean ± standard deviation over draws", records(cells.map(over_draws))
        )
        + table(
            f"leaven auto against the best supervised method, in points: more than "
            f"{100 * WORTH_COUNTING:.0f} points behind with p < {SURE} in {rivals['cells_behind']} "
            f"of {len(compared)} cells, more than that ahead in {rivals['cells_ahead']}",
            compared,
        )
        + table("How often the stated interval contains the accuracy on test documents, %", stated)
    )


def plot(results: dict[str, Any]) -> None:
    """Accuracy by corpus, method and labels per class."""
    figure, axes = _common.subplots(nrows=2, ncols=4, figsize=(13, 7))
    lines: dict[str, Any] = {}
    for each, corpus in zip(axes.flat, CORPORA, strict=True):
        for number, (method, look) in enumerate(LOOKS.items()):
            cells = [
                cell
                for cell in results["cells"]
                if (cell["corpus"], cell["method"]) == (corpus, method)
            ]
            if cells:
                x = _common.dodged([cell["per_class"] for cell in cells], number, len(LOOKS))
                y = [100 * cell["accuracy_mean"] for cell in cells]
                (lines[method],) = each.plot(x, y, **{"markersize": 4.5, **look})
        _common.log_ticks(each, BUDGETS)
        each.set_xlim(0.8 * BUDGETS[0], BUDGETS[-1] / 0.8)
        each.set_title(_names.CORPORA[corpus], fontsize=11)
    figure.supxlabel(
        "labels per class (points beside each other have the same number)", fontsize=10
    )
    figure.supylabel("accuracy on test documents, %", fontsize=10)
    names = [_names.METHODS[method] for method in lines]
    figure.legend(lines.values(), names, loc="outside upper center", ncols=5, fontsize=10)
    _common.save_figure("few_labels", figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="Few labels and much unlabeled text.")
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--methods", nargs="+", choices=list(METHODS))
    parser.add_argument("--budgets", nargs="+", type=int, default=BUDGETS, help="labels per class")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="drop all rows of --methods first")
    parser.add_argument(
        "--fresh", action="store_true", help="compute everything again, without any old row"
    )
    wanted = parser.parse_args()
    if wanted.again and not wanted.methods:
        parser.error("--again needs --methods, whose rows are dropped")
    if wanted.fresh and (wanted.methods or set(wanted.corpora) < set(CORPORA)):
        parser.error("--fresh computes all methods on all corpora; leave --methods, --corpora out")
    if wanted.fresh and set(wanted.budgets) < set(BUDGETS):
        parser.error("--fresh computes all numbers of labels; leave --budgets out")
    wanted.methods = wanted.methods or list(METHODS)
    if wanted.fresh:
        compute_fresh(wanted)
    else:
        if wanted.again:
            keep(CACHE, lambda row: row["method"] not in wanted.methods)
        compute(wanted, CACHE)
    write(read_cache(CACHE))


def compute_fresh(wanted: argparse.Namespace) -> None:
    """Compute all rows in a new cache, and put it in the place of the old one."""
    code = _provenance.code()
    keep(FRESH, lambda row: row.get("source") == code["source"])
    compute(wanted, FRESH)
    FRESH.replace(CACHE)


def keep(cache: Path, is_wanted: Callable[[Row], bool]) -> None:
    """Drop the other rows of a cache."""
    cache.write_text(as_lines(row for row in read_cache(cache) if is_wanted(row)))


def write(rows: list[Row]) -> None:
    """Results, tables and the figure of these rows."""
    frame = as_frame(rows)
    results = summarize(frame)
    made_with = _provenance.made_of_rows(rows, seed=sorted({row["draw"] for row in rows}))
    (_common.RESULTS / "few_labels.md").write_text(markdown(frame, results, made_with))
    plot(results)
    _common.write_results("few_labels", results, made_with=made_with)


if __name__ == "__main__":
    _common.run_study(main)
