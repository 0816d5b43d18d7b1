"""Every method on one corpus: accuracy by labels per class, seconds and memory.

20 Newsgroups, bodies only, by Nigam's protocol (tested on the last 20 % of each group by date): 1,
5, 20 or 100 labeled messages per class and 3,000 unlabeled ones, two draws. Every method of
``TextClassifier`` with its defaults, from texts to a classifier on one thread; probabilities are
not calibrated, except by ``auto``, whose weights calibrate them. Memory is the peak while fitting,
above that of the process before it. "mixture" needs two labels per class. Where a method can run
and whether it learns several labels per document is taken from its entry.

Run: ``python -m studies.all_methods``; what is in results/all_methods.jsonl is not computed again.
"""

import time
import warnings
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from leaven import TextClassifier
from leaven._base.peak_memory import PeakMemory
from leaven.methods import METHODS
from studies import _common
from studies._common import NewsgroupSplit, labeled_set, newsgroup_split, run_study
from studies._rows import Row, RowFile, report
from studies._workers import compute

SIZES = (1, 5, 20, 100)  # labeled messages per class
DRAWS = 2
N_CLASSES = 20
N_UNLABELED = 3000
FEWEST_LABELS = {"mixture": 2}  # per class, where labels must be held out
OF_A_TASK = ("draw", "per_class")
ROWS = RowFile(_common.RESULTS / "all_methods.jsonl", (*OF_A_TASK, "method"))


def planned() -> list[Row]:
    return [
        {"draw": draw, "per_class": size, "method": method}
        for draw in range(DRAWS)
        for size in SIZES
        for method in METHODS
        if size >= FEWEST_LABELS.get(method, 1)
    ]


@cache
def messages(draw: int) -> NewsgroupSplit:
    return newsgroup_split(draw)


@cache
def compile_for(method: str) -> None:
    """Fit once, so that no row contains the seconds of compilation."""
    texts = ["dough yeast", "bread dough", "stars moon", "moon orbit", "yeast bread", "stars orbit"]
    labels = ["baking", "baking", "space", "space", None, None]
    TextClassifier(method, calibrate=False, n_jobs=1).fit(texts, labels).predict(texts)


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one method at one number of labels, in a worker process."""
    return [{**plan, **measured(**{name: plan[name] for name in ROWS.key})} for plan in plans]


def measured(draw: int, per_class: int, method: str) -> Row:
    split = messages(draw)
    labeled = labeled_set(split, per_class * N_CLASSES, draw)
    rng = np.random.default_rng([draw, 1])
    rows = np.concatenate([labeled, rng.choice(split.unlabeled, N_UNLABELED, replace=False)])
    texts = [split.texts[i] for i in rows]
    labels = [str(split.labels[i]) for i in labeled] + [None] * (len(rows) - len(labeled))
    clf = TextClassifier(method, calibrate=method == "auto", n_jobs=1)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile_for(method)
        with PeakMemory() as memory:
            start = time.perf_counter()
            clf.fit(texts, labels)
            seconds = time.perf_counter() - start
        predicted = clf.predict([split.texts[i] for i in split.test])
    return {
        "accuracy": float((predicted == split.labels[split.test]).mean()),
        "seconds": round(seconds, 3),
        "mebibytes": None if memory.added is None else round(memory.added, 1),
    }


def told(rows: Sequence[Row]) -> str:
    first = rows[0]
    return (
        f"{first['method']}, {first['per_class']} per class, draw {first['draw']}: "
        f"{100 * first['accuracy']:.1f} % ({first['seconds']:.1f} s)"
    )


def summarize(rows: Sequence[Row]) -> Row:
    found: dict[str, Row] = {}
    for name, method in METHODS.items():
        own = [row for row in rows if row["method"] == name]
        by_size = {size: [row for row in own if row["per_class"] == size] for size in SIZES}
        memory = [row["mebibytes"] for row in own if row["mebibytes"] is not None]
        found[name] = {
            "accuracy": {
                str(size): [row["accuracy"] for row in of_size] for size, of_size in by_size.items()
            },
            "seconds": {
                str(size): float(np.mean([row["seconds"] for row in of_size]))
                for size, of_size in by_size.items()
                if of_size
            },
            "mebibytes": max(memory, default=None),
            "places": sorted(method.places),
            "several_labels": method.learns_sets,
        }
    return {"methods": found, "n_unlabeled": N_UNLABELED, "draws": DRAWS}


def markdown(results: Row) -> str:
    sizes = [str(size) for size in SIZES]
    shown = [
        "Accuracy on later messages in %, by labels per class; seconds of a fit with 20 labels "
        "per class; peak memory:\n",
        f"| method | {' | '.join(sizes)} | seconds | MiB | streams | cluster | several labels |",
        "|---" * (len(sizes) + 6) + "|",
    ]
    for name, own in results["methods"].items():
        cells = [_mean(own["accuracy"][size]) for size in sizes]
        seconds = own["seconds"].get("20")
        cells.append("–" if seconds is None else f"{seconds:.1f}")
        cells.append("–" if own["mebibytes"] is None else f"{own['mebibytes']:,.0f}")
        cells += [_yes(place in own["places"]) for place in ("stream", "dask")]
        shown.append(f"| `{name}` | {' | '.join([*cells, _yes(own['several_labels'])])} |")
    return "\n".join(shown) + "\n"


def _mean(values: Sequence[float]) -> str:
    return f"{100 * np.mean(values):.1f}" if values else "–"


def _yes(value: Any) -> str:
    return "yes" if value else "no"


def main() -> None:
    plans = planned()
    missing = ROWS.missing(plans)
    quick_first = sorted(missing, key=lambda plan: METHODS[plan["method"]].is_slow)
    groups = groupby(quick_first, key=lambda plan: [plan[name] for name in ROWS.key])
    compute([list(group) for _, group in groups], run_unit, told, ROWS)
    rows = ROWS.of(plans)
    results = summarize(rows)
    report("all_methods", rows, results, markdown(results), DRAWS)


if __name__ == "__main__":
    run_study(main)
