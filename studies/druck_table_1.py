"""Druck et al., Table 1: hybrids of generative and discriminative training on five corpora.

Druck, Pal, Zhu and McCallum, KDD 2007; also their Tables 4 (seconds) and 5 (pcp-init), and the
curves of Figure 2. Corpora and draws are those of ``studies/_druck.py``: few labeled documents,
equally many per class, at most 5,000 unlabeled ones, and test documents that no method sees;
five draws. sector and sraa are not the paper's corpora, and blogs was not available.

- nb, emnb: ``NaiveBayesEM`` without and with unlabeled documents, one added to every word count;
  it has no settings to choose
- svm, tsvm: ``TransductiveSVM`` without and with unlabeled documents, rows of unit length
- me: ``MaxEntClassifier``
- mcl: ``MultiConditionalClassifier``
- pcp, pcp-init: ``ParameterCouplingClassifier``, started at zero and from me's parameters

All but the support vector machines are given raw counts. Every method is shown in two ways:

- best on test: the one setting of a grid with the highest test accuracy, in the mean over draws,
  for each corpus and number of labels. This is the paper's protocol; it uses the test labels, so it
  says what a method can reach, not what a user would get. The grids have fewer values than the
  paper's: nine settings of mcl, six of tsvm and five of pcp; on sector and ner four of mcl and
  three of pcp.
- chosen without test labels: what the estimator chooses when its parameters are "auto".

Collapsed means that the fit warned of a collapse. Seconds are those of fit on one thread, two fits
at a time; those of "auto" contain the choice. Run: ``python -m studies.druck_table_1``, with
``--datasets``, ``--methods`` and ``--draws`` for a part. What is in results/druck_table_1.jsonl
with the same settings is not computed again (remove that file to compute everything), and the
tables are made of all that is there.
"""

import argparse
import json
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.model_selection import ParameterGrid
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

import leaven
from leaven.exceptions import CollapseWarning
from studies import _common
from studies._common import mean_sd, paired, run_study, save_figure, signed, subplots
from studies._druck import PAPER_FEATURES, SIZES, Drawn, draw
from studies._rows import Row, RowFile, report
from studies._workers import compute

DRAWS = 5
MOST_STEPS = 100  # of L-BFGS
AUTO = "auto"
COSTS = [1e-3, 1e-1, 10.0, 1e3]
TRANSDUCTIVE_COSTS = [1e-1, 10.0]
UNLABELED_COSTS = [1e-3, 1e-1, 10.0]
VARIANCES = [0.01, 0.1, 1.0, 10.0, 100.0]
HYBRID_VARIANCES = VARIANCES[:3]
WEIGHTS = [1e2, 1e4, 1e6]  # of the labels in mcl
COUPLINGS = [0.1, 0.3, 0.5, 0.7, 0.9]
CLASSES = {  # of leaven
    "nb": "NaiveBayesEM",
    "emnb": "NaiveBayesEM",
    "svm": "TransductiveSVM",
    "tsvm": "TransductiveSVM",
    "me": "MaxEntClassifier",
    "mcl": "MultiConditionalClassifier",
    "pcp": "ParameterCouplingClassifier",
    "pcp-init": "ParameterCouplingClassifier",
}
METHODS = tuple(CLASSES)
FIXED: dict[str, Row] = {
    "nb": {"alpha": 1.0, "unlabeled_weight": 0.0},
    "emnb": {"alpha": 1.0},
    "svm": {"C_unlabeled": 0.0},
    "tsvm": {"tol": 1e-3, "max_iter": 20},
    "me": {},
    "mcl": {"max_iter": MOST_STEPS},
    "pcp": {"variance": 1.0, "start": "zero", "max_iter": MOST_STEPS},
    "pcp-init": {"variance": 1.0, "start": "supervised", "max_iter": MOST_STEPS},
}
GRIDS: dict[str, dict[str, list[float]]] = {  # of what is not fixed
    "nb": {},
    "emnb": {},
    "svm": {"C": COSTS},
    "tsvm": {"C": TRANSDUCTIVE_COSTS, "C_unlabeled": UNLABELED_COSTS},
    "me": {"variance": VARIANCES},
    "mcl": {"alpha": WEIGHTS, "variance": HYBRID_VARIANCES},
    "pcp": {"alpha": COUPLINGS},
    "pcp-init": {"alpha": COUPLINGS},
}
LARGE = ("sector", "ner")  # whose grids have fewer values
GRIDS_OF_LARGE = {
    **GRIDS,
    "mcl": {"alpha": WEIGHTS[1:], "variance": HYBRID_VARIANCES[:2]},
    "pcp": {"alpha": COUPLINGS[::2]},
    "pcp-init": {"alpha": COUPLINGS[::2]},
}
UNIT_LENGTH = ("svm", "tsvm")
SUPERVISED = {"emnb": "nb", "tsvm": "svm", "mcl": "me", "pcp": "me", "pcp-init": "me"}
PAPER = {  # accuracy in %, in the order of METHODS; the last is of Table 5
    "movie (10)": (59.7, 62.1, 57.9, 58.5, 58.0, 59.0, 64.6, 59.4),
    "movie (25)": (62.0, 61.2, 63.5, 62.6, 63.0, 64.0, 68.6, 67.7),
    "webkb (10)": (60.4, 65.6, 66.8, 66.2, 64.9, 67.6, 72.5, 67.9),
    "webkb (25)": (68.2, 73.4, 76.3, 75.9, 76.5, 76.9, 76.7, 78.4),
    "sector (5)": (30.7, 13.2, 42.7, 45.5, 35.8, 37.6, 28.1, 37.9),
    "sector (10)": (41.2, 21.6, 54.9, 56.8, 48.6, 50.4, 42.7, 51.0),
    "ner (10)": (26.1, 2.6, 87.4, 26.9, 77.7, 88.6, 75.8, 75.6),
    "ner (25)": (25.4, 3.0, 90.1, 27.7, 84.6, 90.1, 84.3, 84.5),
    "sraa (10)": (63.1, 70.6, 64.3, 67.6, 61.9, 72.7, 81.6, 72.3),
    "sraa (25)": (74.5, 78.5, 71.6, 74.3, 69.3, 78.6, 84.1, 77.8),
}
PAPER_SECONDS = {  # of Table 4, which does not have nb
    "movie (10)": (0.8, 0.8, 30.9, 2.0, 41.8, 124.2, 70.1),
    "sraa (10)": (2.3, 8.5, 796.4, 12.2, 745.1, 3090.4, 1618.3),
    "ner (10)": (4.8, 63.4, 1052.4, 25.8, 1535.3, 2885.2, 2182.6),
}
OTHER_CORPORA = {
    "sector": "12 top-level sectors as stems, where the paper has 38 narrower classes of pages",
    "sraa": "16,000 messages, equally many per class, as counts of anonymous words, where the "
    "paper has about 73,000 of unequal classes",
}
PUBLISHED, BEST, CHOSEN = "paper", "best on test", "chosen without test labels"
ROWS = RowFile(
    _common.RESULTS / "druck_table_1.jsonl", ("dataset", "per_class", "draw", "method", "settings")
)
OF_A_UNIT = ("dataset", "per_class", "draw", "method")


def settings_of(method: str, dataset: str) -> list[Row]:
    """The grid, and the settings by which the estimator chooses for itself."""
    grids = GRIDS_OF_LARGE if dataset in LARGE else GRIDS
    grid = [{**FIXED[method], **own} for own in ParameterGrid(grids[method])]
    return [*grid, chosen_settings(method)] if GRIDS[method] else grid


def chosen_settings(method: str) -> Row:
    """Settings that need no test label; those of a method without a choice are its only ones."""
    return {**FIXED[method], **dict.fromkeys(GRIDS[method], AUTO)}


def planned(
    datasets: Sequence[str] = tuple(SIZES), methods: Sequence[str] = METHODS, draws: int = DRAWS
) -> Iterator[Row]:
    """What is to be computed; the first draw of everything comes first."""
    for number in range(draws):
        for dataset in datasets:
            for per_class in SIZES[dataset]:
                for method in methods:
                    key = dict(zip(OF_A_UNIT, (dataset, per_class, number, method), strict=True))
                    yield from ({**key, "settings": own} for own in settings_of(method, dataset))


def estimator(method: str, settings: Row) -> Any:
    return getattr(leaven, CLASSES[method])(**settings, n_jobs=1)


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of plans that differ in their settings only; runs in a process of its own."""
    first = plans[0]
    method = first["method"]
    with threadpool_limits(1):
        compile_for(method)
        drawn = drawn_for(first["dataset"], first["per_class"], first["draw"])
        if method in UNIT_LENGTH:
            drawn = drawn._replace(X_train=normalize(drawn.X_train), X_test=normalize(drawn.X_test))
        return [{**plan, **measure(method, plan["settings"], drawn)} for plan in plans]


@lru_cache(maxsize=1)
def drawn_for(dataset: str, per_class: int, number: int) -> Drawn:
    return draw(dataset, per_class, number)


@cache
def compile_for(method: str) -> None:
    """Fit once, so that no row contains the seconds of compilation."""
    X = csr_array(np.array([[3.0, 0.0, 1.0], [0.0, 3.0, 1.0], [2.0, 0.0, 1.0], [0.0, 1.0, 2.0]]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator(method, settings_of(method, "movie")[0]).fit(X, np.array([0, 1, -1, -1])).predict(
            X
        )


def measure(method: str, settings: Row, drawn: Drawn) -> Row:
    own = estimator(method, settings)
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        start = time.perf_counter()
        own.fit(drawn.X_train, drawn.y_train)
        seconds = time.perf_counter() - start
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a document without a known word is part of the result
        predicted = own.predict(drawn.X_test)
    shares = np.bincount(predicted, minlength=1 + drawn.y_train.max()) / len(predicted)
    found: Row = {
        "accuracy": float((predicted == drawn.y_test).mean()),
        "seconds": seconds,
        "collapsed": any(issubclass(each.category, CollapseWarning) for each in issued),
        "warnings": sorted({each.category.__name__ for each in issued}),
        "shares": np.round(shares, 4).tolist(),  # of the classes among predictions
        "n_features": drawn.X_train.shape[1],
        "n_unlabeled": int((drawn.y_train < 0).sum()),
        "n_test": len(drawn.y_test),
    }
    if hasattr(own, "n_iter_"):
        found["n_iter"] = int(np.sum(own.n_iter_))
    if AUTO in settings.values():
        found["chosen"] = chosen_of(own, settings)
    return found


def chosen_of(fitted: Any, settings: Row) -> Row:
    """What a fitted estimator took for each "auto"; None where it does not say."""
    names = [name for name, value in settings.items() if value == AUTO]
    values = (getattr(fitted, f"{name}_", None) for name in names)
    return {
        name: None if value is None else float(value)
        for name, value in zip(names, values, strict=True)
    }


def told(rows: Sequence[Row]) -> str:
    """One line about the rows of a unit."""
    first = rows[0]
    accuracy = [100 * row["accuracy"] for row in rows]
    spread = (
        f"{min(accuracy):.1f} to {max(accuracy):.1f}" if len(rows) > 1 else f"{accuracy[0]:.1f}"
    )
    return (
        f"{named(first)}, draw {first['draw']}, {first['method']}: {spread} % "
        f"({len(rows)} fit{'s' * (len(rows) > 1)}, {sum(row['seconds'] for row in rows):.1f} s)"
    )


def units_of(plans: Sequence[Row]) -> list[list[Row]]:
    """Plans by what they are fitted to and the method, in the same order."""
    groups = groupby(plans, key=lambda plan: [plan[name] for name in OF_A_UNIT])
    return [list(group) for _, group in groups]


def named(row: Row) -> str:
    return f"{row['dataset']} ({row['per_class']})"


def summarize(rows: Sequence[Row], n_planned: int) -> Row:
    ordered = sorted(rows, key=lambda row: (list(SIZES).index(row["dataset"]), row["per_class"]))
    cells: dict[str, Row] = {}
    corpora: dict[str, Row] = {}
    for cell, group in groupby(ordered, key=named):
        of_cell = sorted(group, key=lambda row: row["draw"])
        cells[cell] = {
            name: summarize_method(name, cell, [row for row in of_cell if row["method"] == name])
            for name in METHODS
        }
        corpora[of_cell[0]["dataset"]] = about(of_cell[0])
    return {
        "draws": DRAWS,
        "fits": {"planned": n_planned, "computed": len(rows)},
        "fixed": FIXED,
        "grids": GRIDS,
        "corpora": corpora,
        "cells": cells,
        "differences": {way: differences(cells, way) for way in (BEST, CHOSEN)},
        "paper": {"accuracy": PAPER, "seconds": PAPER_SECONDS, "methods": METHODS},
    }


def about(row: Row) -> Row:
    """The size of a corpus."""
    return {
        "n_features": row["n_features"],
        "paper_features": PAPER_FEATURES[row["dataset"]],
        "n_classes": len(row["shares"]),
        "n_unlabeled": row["n_unlabeled"],
        "n_test": row["n_test"],
    }


def summarize_method(method: str, cell: str, rows: Sequence[Row]) -> Row:
    """What a method reaches in a cell, by settings, and by each way to choose among them.

    The best is one of the settings with the most draws, so that in a run that was cut off an easy
    draw does not decide.
    """
    in_grid = [row for row in rows if AUTO not in row["settings"].values()]
    by_itself = [row for row in rows if row["settings"] == chosen_settings(method)]
    grid = by_setting(in_grid)
    found: Row = {PUBLISHED: PAPER[cell][METHODS.index(method)], "grid": grid}
    if grid:
        most = max(len(each["accuracy"]) for each in grid)
        complete = [each for each in grid if len(each["accuracy"]) == most]
        found[BEST] = max(complete, key=lambda each: each["mean"])
        found["seconds"] = median(row["seconds"] for row in in_grid)
    if by_itself:
        found[CHOSEN] = by_setting(by_itself)[0]
    return found


def by_setting(rows: Sequence[Row]) -> list[Row]:
    """Every setting over draws."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(json.dumps(row["settings"], sort_keys=True), []).append(row)
    found = []
    for group in groups.values():
        values = [row["accuracy"] for row in group]
        each: Row = {
            "settings": group[0]["settings"],
            "accuracy": {row["draw"]: row["accuracy"] for row in group},
            "mean": float(np.mean(values)),
            "sd": float(np.std(values, ddof=1)) if len(values) > 1 else None,
            "seconds": median(row["seconds"] for row in group),
            "collapsed": sum(row["collapsed"] for row in group),
        }
        if "n_iter" in group[0]:
            each["n_iter"] = median(row["n_iter"] for row in group)
        if "chosen" in group[0]:
            each["chosen"] = [row["chosen"] for row in group]
        found.append(each)
    return found


def median(values: Iterable[float]) -> float:
    return float(np.median(list(values)))


def differences(cells: Row, way: str) -> dict[str, Row]:
    """Every semi-supervised method minus its supervised counterpart, paired over draws."""
    found: dict[str, Row] = {}
    for cell, methods in cells.items():
        for name, supervised in SUPERVISED.items():
            if way in methods[name] and way in methods[supervised]:
                ours, theirs = (methods[each][way]["accuracy"] for each in (name, supervised))
                both = sorted(ours.keys() & theirs.keys())
                if len(both) > 1:
                    test = paired([ours[d] for d in both], [theirs[d] for d in both])
                    found.setdefault(cell, {})[name] = test
    return found


def table(results: Row) -> str:
    """All tables in Markdown, the paper's numbers among them."""
    parts = [
        "Accuracy on test documents in %, mean ± standard deviation over draws; the best of each "
        'line is bold. "paper" is Table 1, and Table 5 for pcp-init, both best on test.',
        accuracy_table(results),
        notes(results),
        "The best method:",
        winners_table(results),
        "Semi-supervised minus supervised, in points, paired over draws (emnb minus nb, tsvm minus "
        "svm, the others minus me):",
        differences_table(results),
        "Median seconds of a fit, beside the mean of the paper's Table 4. One setting is a fit of "
        'the grid; "auto" contains the choice among settings.',
        seconds_table(results),
        "The settings, and how many fits of the grid collapsed:",
        settings_table(results),
    ]
    return "\n\n".join(parts) + "\n"


def accuracy_table(results: Row) -> str:
    rows = []
    for cell, methods in results["cells"].items():
        for place, way in enumerate((PUBLISHED, BEST, CHOSEN)):
            means = {name: mean_of(methods[name], way) for name in METHODS}
            shown = {name: shown_of(methods[name], way) for name in METHODS}
            rows.append([starred(cell) if place == 0 else "", way, *emphasized(means, shown)])
    cells = [own for own in results["cells"].values() if complete(own)]
    if cells:
        for place, way in enumerate((PUBLISHED, BEST, CHOSEN)):
            means = {
                name: float(np.mean([mean_of(own[name], way) for own in cells])) for name in METHODS
            }
            shown = {name: f"{mean:.1f}" for name, mean in means.items()}
            head = f"mean of {len(cells)}" if place == 0 else ""
            rows.append([head, way, *emphasized(means, shown)])
    return markdown(["labels per class", "setting", *METHODS], rows)


def complete(methods: Row) -> bool:
    """Whether a cell has every method in every way."""
    return all(way in methods[name] for name in METHODS for way in (BEST, CHOSEN))


def mean_of(method: Row, way: str) -> float | None:
    """Accuracy in %, None if it was not computed."""
    if way not in method:
        return None
    return float(method[way] if way == PUBLISHED else 100 * method[way]["mean"])


def shown_of(method: Row, way: str) -> str:
    mean = mean_of(method, way)
    if mean is None:
        return ""
    values = [] if way == PUBLISHED else list(method[way]["accuracy"].values())
    return mean_sd(values).strip() if len(values) > 1 else f"{mean:.1f}"


def emphasized(means: dict[str, float | None], shown: dict[str, str]) -> list[str]:
    best = highest(means)
    return [f"**{text}**" if text and means[name] == best else text for name, text in shown.items()]


def highest(means: dict[str, float | None]) -> float | None:
    return max((mean for mean in means.values() if mean is not None), default=None)


def starred(cell: str) -> str:
    """The name of a cell, with a star if the corpus is not the paper's."""
    dataset, _, size = cell.partition(" ")
    return f"{dataset}* {size}".strip() if dataset in OTHER_CORPORA else cell


def notes(results: Row) -> str:
    lines = [
        f"\\* {dataset} is not the paper's corpus, so its numbers cannot be compared: {how}."
        for dataset, how in OTHER_CORPORA.items()
    ]
    lines.append("The paper's blogs was not available.")
    fits = results["fits"]
    if fits["computed"] < fits["planned"]:
        lines.append(f"Incomplete: {fits['computed']:,} of {fits['planned']:,} fits are computed.")
    rows = [
        [
            dataset,
            f"{own['n_features']:,}",
            f"{own['paper_features']:,}",
            str(own["n_classes"]),
            f"{own['n_unlabeled']:,}",
            f"{own['n_test']:,}",
        ]
        for dataset, own in results["corpora"].items()
    ]
    head = ["corpus", "features", "paper", "classes", "unlabeled", "test"]
    return "\n".join(f"- {line}" for line in lines) + "\n\n" + markdown(head, rows)


def winners_table(results: Row) -> str:
    ways = (PUBLISHED, BEST, CHOSEN)
    rows = []
    for cell, methods in results["cells"].items():
        rows.append([starred(cell)])
        for way in ways:
            means = {name: mean_of(own, way) for name, own in methods.items()}
            best = highest(means)
            rows[-1].append(", ".join(n for n, mean in means.items() if mean == best is not None))
    return markdown(["labels per class", *ways], rows)


def differences_table(results: Row) -> str:
    rows = []
    for cell in results["cells"]:
        for way in (BEST, CHOSEN):
            tests = results["differences"][way].get(cell, {})
            shown = (signed(tests[name]).strip() if name in tests else "" for name in SUPERVISED)
            rows.append([starred(cell), way, *shown])
    return markdown(["labels per class", "setting", *SUPERVISED], rows)


def seconds_table(results: Row) -> str:
    head = ["method"]
    for cell in PAPER_SECONDS:
        head += [f"{cell}: paper", "one setting", AUTO]
    rows = []
    for place, name in enumerate(METHODS):
        rows.append([name])
        for cell, published in PAPER_SECONDS.items():
            own = results["cells"].get(cell, {}).get(name, {})
            auto = own.get(CHOSEN, {}) if GRIDS[name] else {}
            rows[-1] += [
                f"{published[place - 1]:,.1f}" if place else "",  # nb is not in Table 4
                *(f"{each['seconds']:.2f}" if "seconds" in each else "" for each in (own, auto)),
            ]
    return markdown(head, rows)


def settings_table(results: Row) -> str:
    rows = []
    for cell, methods in results["cells"].items():
        for name, own in methods.items():
            if GRIDS[name] and own["grid"]:
                best = in_words(name, own[BEST]["settings"])
                chosen = own.get(CHOSEN, {}).get("chosen", [])
                fits = sum(len(each["accuracy"]) for each in own["grid"])
                collapsed = sum(each["collapsed"] for each in own["grid"])
                rows.append(
                    [
                        starred(cell),
                        name,
                        best,
                        "; ".join(in_words(name, each) for each in chosen),
                        f"{collapsed} of {fits}",
                    ]
                )
    return markdown(["labels per class", "method", BEST, f"{CHOSEN}, by draw", "collapsed"], rows)


def in_words(method: str, settings: Row) -> str:
    """What was varied of settings."""
    own = {name: settings[name] for name in GRIDS[method]}
    return ", ".join(f"{name} {'?' if v is None else f'{v:g}'}" for name, v in own.items())


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plot(results: Row) -> None:
    """Accuracy by α, as the paper's Figure 2; of mcl with the best variance for each α."""
    cells = results["cells"]
    sizes_of = {
        dataset: [size for size in sizes if f"{dataset} ({size})" in cells]
        for dataset, sizes in SIZES.items()
        if dataset in results["corpora"]
    }
    figure, axes = subplots(
        nrows=2, ncols=len(sizes_of), figsize=(3 * len(sizes_of), 6.6), sharey="col", squeeze=False
    )
    lines: dict[str, Any] = {}
    for column, (dataset, sizes) in enumerate(sizes_of.items()):
        for size in sizes:
            fewer = size == SIZES[dataset][0]
            number, color = ("fewer labels", "#1f6f8b") if fewer else ("more labels", "#c8642b")
            methods = cells[f"{dataset} ({size})"]
            for name, style in (("mcl", "o-"), ("pcp", "D-"), ("pcp-init", "s:")):
                best = best_by_alpha(methods[name]["grid"])
                (lines[f"{name}, {number}"],) = axes[int(name != "mcl"), column].plot(
                    list(best), list(best.values()), style, color=color, markersize=4
                )
            for each in axes[:, column]:
                if BEST in methods["me"]:
                    accuracy = 100 * methods["me"][BEST]["mean"]
                    lines[f"me, {number}"] = each.axhline(accuracy, ls="--", color=color)
        axes[0, column].set_xscale("log")
        axes[0, column].set_title(f"{starred(dataset)} ({', '.join(map(str, sizes))})")
        axes[0, column].set_xlabel("α of mcl")
        axes[1, column].set_xlabel("α of pcp")
    figure.supylabel("accuracy on test documents, %, best of the other settings", fontsize=10)
    figure.legend(lines.values(), lines, loc="outside upper center", ncols=4, fontsize=9)
    save_figure("druck_table_1", figure)


def best_by_alpha(grid: Sequence[Row]) -> dict[float, float]:
    """Highest mean accuracy in % by α."""
    found: dict[float, float] = {}
    for each in sorted(grid, key=lambda each: each["settings"]["alpha"]):
        alpha = each["settings"]["alpha"]
        found[alpha] = max(found.get(alpha, 0.0), 100 * each["mean"])
    return found


def wanted() -> argparse.Namespace:
    def some(known: Sequence[str]) -> Any:
        def parse(text: str) -> list[str]:
            names = text.split(",")
            for name in names:
                if name not in known:
                    raise argparse.ArgumentTypeError(
                        f"{name!r} is not known; choose among {', '.join(known)}"
                    )
            return names

        return parse

    parser = argparse.ArgumentParser(description="Table 1 of Druck et al.")
    parser.add_argument("--datasets", type=some(tuple(SIZES)), default=list(SIZES), metavar="A,B")
    parser.add_argument("--methods", type=some(METHODS), default=list(METHODS), metavar="A,B")
    parser.add_argument("--draws", type=int, default=DRAWS, choices=range(1, DRAWS + 1))
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = wanted()
    plans = list(planned(options.datasets, options.methods, options.draws))
    compute(units_of(ROWS.missing(plans)), run_unit, told, ROWS, options.processes)
    everything = list(planned())
    rows = ROWS.of(everything)
    results = summarize(rows, len(everything))
    report("druck_table_1", rows, results, table(results), 1 + max(row["draw"] for row in rows))
    plot(results)


if __name__ == "__main__":
    run_study(main)
