"""Clark, section 4.3: nearest neighbors with unlabeled documents by the number of hash buckets.

Data: 20 Newsgroups by date, subjects and bodies, divided as in clark_figure_2: 200 labeled messages
(10 per group), 7,537 unlabeled ones, 3,766 later test messages; five draws. Words are lower case,
none is left out; weights are log(1 + tf) · idf with signed hashing, documents have unit length.
k = 5 and α = 0.9 as in the paper, unless a row says otherwise. "SS-CKNN as written" is the
paper's algorithm: plain votes, then condensing. Balanced votes are divided by the size of the
class; SS-KNN does not condense.

"k = 15, α = 0.3" is a setting that was found on this corpus, and is here for comparison only.
"Chosen on validation messages" is the best of a grid of k, α and the weight of unlabeled
documents on the other half of the later messages, of each draw, as the paper chose k and α.
"leaven's default" is ``CondensedNeighbors()``; results have the settings that it had.

Seconds are those of fit and of predict on two threads; counting words is not among them. The paper
does not say what its run times comprise, nor on which machine. Run: ``python -m
studies.clark_table``; what is in results/clark_table.jsonl with the same settings is not computed
again (remove that file to compute everything).
"""

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid

from leaven import CondensedNeighbors
from leaven.documents._arrow import as_text_array
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from studies import _common, _provenance
from studies._clark import DRAWS, Draw, draw
from studies._common import (
    mean_sd,
    paired,
    run_study,
    save_figure,
    signed,
    subplots,
)
from studies._rows import Row, RowFile, report

N_LABELS = 200
UNHASHED = "unhashed"
BUCKETS: tuple[int | str, ...] = (1000, 2000, 5000, 10000, 20000, UNHASHED)
PAPER_ACCURACY = {
    "KNN": (27.18, 33.26, 38.73, 41.67, 43.93),
    "SS-CKNN": (30.74, 37.22, 44.59, 47.91, 51.48),
}
PAPER_SECONDS = (0.76, 1.88, 5.85, 12.19, 27.31)  # of SS-CKNN

PAPER: dict[str, Any] = {
    "n_neighbors": 5,
    "threshold": 0.9,
    "unlabeled_weight": 1.0,
    "condense": True,
    "votes": "plain",
}
CORRECTED = {**PAPER, "condense": False, "votes": "balanced"}
KNN, CKNN = "KNN", "CKNN"
AS_WRITTEN, PLAIN = "SS-CKNN as written", "SS-KNN, plain votes"
CONDENSED, BALANCED = "SS-CKNN, balanced votes", "SS-KNN, balanced votes"
SEEN, DEFAULT = "SS-KNN, balanced, k = 15, α = 0.3", "leaven's default"
DEFAULT_CONDENSED = "leaven's default, condensed"
CHOSEN = "SS-KNN, chosen on validation messages"
VARIANTS: dict[str, dict[str, Any]] = {
    KNN: {**PAPER, "unlabeled_weight": 0.0, "condense": False},
    CKNN: {**PAPER, "unlabeled_weight": 0.0},
    AS_WRITTEN: PAPER,
    PLAIN: {**PAPER, "condense": False},
    CONDENSED: {**PAPER, "votes": "balanced"},
    BALANCED: CORRECTED,
    SEEN: {**CORRECTED, "n_neighbors": 15, "threshold": 0.3},
    DEFAULT: CondensedNeighbors().get_params(),
    DEFAULT_CONDENSED: CondensedNeighbors(condense=True).get_params(),
}
GRID: dict[str, list[Any]] = {  # of CHOSEN; the first of equally good settings is taken
    **{name: [own] for name, own in CORRECTED.items()},
    "n_neighbors": [5, 15, 40],
    "threshold": [0.0, 0.3, 0.6, 0.9],
    "unlabeled_weight": [1.0, 0.2],
}
CHOSEN_AT = (10000, UNHASHED)
COMPARED = [
    (BALANCED, KNN),
    (AS_WRITTEN, KNN),
    (CHOSEN, KNN),
    (DEFAULT, KNN),
    (DEFAULT_CONDENSED, KNN),
    (CONDENSED, BALANCED),
]
ROWS = RowFile(_common.RESULTS / "clark_table.jsonl", ("variant", "settings", "buckets", "draw"))


@dataclass(frozen=True, eq=False)
class Counted:
    """A draw as matrices: training, test and validation messages."""

    drawn: Draw
    train: Any
    test: Any
    validation: Any

    @classmethod
    def of(cls, drawn: Draw, buckets: int | str) -> "Counted":
        hash_features = None if isinstance(buckets, str) else buckets
        options = TextOptions(log_tf=True, idf=True, hash_features=hash_features)
        counter, train = fit_counter(as_text_array(drawn.texts), options)
        test, validation = (
            counter.count(as_text_array(texts))
            for texts in (drawn.test_texts, drawn.validation_texts)
        )
        return cls(drawn, train, test, validation)


def planned() -> Iterator[Row]:
    """What is to be computed; the settings of the choice are its grid."""
    for number in range(DRAWS):  # a draw's split is made once
        for buckets in BUCKETS:
            for variant, settings in [*VARIANTS.items(), (CHOSEN, GRID)]:
                if variant != CHOSEN or buckets in CHOSEN_AT:
                    yield {
                        "variant": variant,
                        "settings": settings,
                        "buckets": buckets,
                        "draw": number,
                    }


def run_draw(plan: Row, counted: Counted) -> Row:
    found: Row = {}
    options = plan["settings"]
    if plan["variant"] == CHOSEN:
        found = choose(counted)
        options = found["chosen"]
    return {**plan, **found, **measure(options, counted), **_provenance.code()}


def choose(counted: Counted) -> Row:
    """The setting with the most validation messages right, and how accurate each one is."""
    grid = list(ParameterGrid(GRID))
    accuracy = [
        accuracy_of(fitted(options, counted), counted.validation, counted.drawn.validation_truth)
        for options in grid
    ]
    best = int(np.argmax(accuracy))
    varied = [name for name, values in GRID.items() if len(values) > 1]
    tried = [
        {**{name: options[name] for name in varied}, "accuracy": each}
        for options, each in zip(grid, accuracy, strict=True)
    ]
    return {"chosen": grid[best], "validation": tried}


def measure(options: dict[str, Any], counted: Counted) -> Row:
    start = time.perf_counter()
    classifier = fitted(options, counted)
    fit_seconds = time.perf_counter() - start
    start = time.perf_counter()
    accuracy = accuracy_of(classifier, counted.test, counted.drawn.truth)
    return {
        "accuracy": accuracy,
        "kept": len(classifier.kept_),
        "kept_labeled": int(classifier.is_labeled_.sum()),
        "fit_seconds": fit_seconds,
        "predict_seconds": time.perf_counter() - start,
    }


def fitted(options: dict[str, Any], counted: Counted) -> CondensedNeighbors:
    return CondensedNeighbors(**options).fit(counted.train, counted.drawn.labels)


def accuracy_of(classifier: CondensedNeighbors, X: Any, truth: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a message without a known word is part of the result
        return float((classifier.predict(X) == truth).mean())


def compute() -> list[Row]:
    """The rows of the current settings, of which those in the file are not computed again."""
    plans = list(planned())
    at, counted = None, None
    for plan in ROWS.missing(plans):
        if at != (at := (plan["draw"], plan["buckets"])) or counted is None:
            counted = Counted.of(draw(N_LABELS, plan["draw"], subjects=True), plan["buckets"])
            fitted(VARIANTS[KNN], counted)  # compiles, so that the first row does not
        row = run_draw(plan, counted)
        ROWS.add(row)
        print(
            f"draw {row['draw']}, {row['buckets']:>8}, {row['variant']:<38} "
            f"{100 * row['accuracy']:5.1f}  {row['kept']:>5,} kept  "
            f"{row['fit_seconds']:6.3f} s + {row['predict_seconds']:6.3f} s",
            flush=True,
        )
    return ROWS.of(plans)


def summarize(rows: list[Row]) -> dict[str, Any]:
    measured: dict[str, Any] = {}
    for row in sorted(rows, key=lambda row: row["draw"]):
        for name in ("accuracy", "kept", "kept_labeled", "fit_seconds", "predict_seconds"):
            by_buckets = measured.setdefault(name, {}).setdefault(row["variant"], {})
            by_buckets.setdefault(row["buckets"], []).append(row[name])
    accuracy = measured["accuracy"]
    differences = {
        f"{a} minus {b}": {
            buckets: paired(values, accuracy[b][buckets]) for buckets, values in accuracy[a].items()
        }
        for a, b in COMPARED
    }
    choices = [
        {name: row[name] for name in ("draw", "buckets", "chosen", "validation", "accuracy")}
        for row in sorted(rows, key=lambda row: row["draw"])
        if row["variant"] == CHOSEN
    ]
    return {
        "n_labels": N_LABELS,
        "draws": DRAWS,
        "settings": {**VARIANTS, CHOSEN: GRID},
        **measured,
        "differences": differences,
        "choices": choices,
        "paper": {"accuracy": PAPER_ACCURACY, "seconds": PAPER_SECONDS},
    }


def table(results: dict[str, Any]) -> str:
    """Mean ± standard deviation over draws, in Markdown, the paper's numbers among them."""
    names = [*VARIANTS, CHOSEN]
    accuracy = [
        ["paper: KNN", *_paper(PAPER_ACCURACY["KNN"])],
        ["paper: SS-CKNN", *_paper(PAPER_ACCURACY["SS-CKNN"])],
        *([name, *_cells(results["accuracy"][name], mean_sd)] for name in names),
    ]
    kept = [[name, *_cells(results["kept"][name], _mean)] for name in names]
    seconds = [["paper: SS-CKNN", *_paper(PAPER_SECONDS)]]
    for name in names:
        fit, predict = (
            _cells(results[f"{what}_seconds"][name], _median) for what in ("fit", "predict")
        )
        both = (f"{a} + {b}" if a else "" for a, b in zip(fit, predict, strict=True))
        seconds.append([name, *both])
    lines = [
        *_markdown("accuracy, %", accuracy),
        "",
        *_markdown("documents that vote", kept),
        "",
        *_markdown("seconds, fit + predict", seconds),
        "",
        "Differences in points, paired over draws:",
        "",
    ]
    for name, by_buckets in results["differences"].items():
        tests = "; ".join(f"{_shown(b)}: {signed(test).strip()}" for b, test in by_buckets.items())
        lines.append(f"- {name}: {tests}")
    lines += ["", "Chosen on validation messages:", ""]
    for buckets in CHOSEN_AT:
        own = [each["chosen"] for each in results["choices"] if each["buckets"] == buckets]
        shown = "; ".join(
            f"k = {each['n_neighbors']}, α = {each['threshold']:g}, "
            f"weight {each['unlabeled_weight']:g}"
            for each in own
        )
        lines.append(f"- {_shown(buckets)}, by draw: {shown}")
    lines += ["", *_validation(results["choices"])]
    default = results["settings"][DEFAULT]
    lines += ["", f"{DEFAULT}: {', '.join(f'{name}={own!r}' for name, own in default.items())}"]
    return "\n".join(lines) + "\n"


def _validation(choices: list[Row]) -> list[str]:
    """Accuracy of every setting of the grid, mean over draws."""
    thresholds = GRID["threshold"]
    head = ["validation accuracy, %", "k", "weight", *(f"α = {each:g}" for each in thresholds)]
    rows = [head, ["---"] * len(head)]
    for buckets in CHOSEN_AT:
        tried = [each for own in choices if own["buckets"] == buckets for each in own["validation"]]
        for k, weight in product(GRID["n_neighbors"], GRID["unlabeled_weight"]):
            own = [e for e in tried if (e["n_neighbors"], e["unlabeled_weight"]) == (k, weight)]
            means = [
                np.mean([e["accuracy"] for e in own if e["threshold"] == a]) for a in thresholds
            ]
            cells = (f"{100 * mean:.1f}" for mean in means)
            rows.append([_shown(buckets), str(k), f"{weight:g}", *cells])
    return [f"| {' | '.join(row)} |" for row in rows]


def _markdown(what: str, rows: list[list[str]]) -> list[str]:
    head = [what, *map(_shown, BUCKETS)]
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def _shown(buckets: int | str) -> str:
    return buckets if isinstance(buckets, str) else f"{buckets:,}"


def _paper(numbers: tuple[float, ...]) -> list[str]:
    return [*(f"{number:.2f}" for number in numbers), ""]


def _cells(by_buckets: dict[int | str, list[float]], show: Any) -> list[str]:
    return [show(by_buckets[b]).strip() if b in by_buckets else "" for b in BUCKETS]


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):,.0f}"


def _median(values: list[float]) -> str:
    return f"{np.median(values):.2f}"


def plot(results: dict[str, Any]) -> None:
    figure, axes = subplots(figsize=(10, 5.4))
    looks = {
        KNN: ("s-", "#7a7a7a"),
        CKNN: ("s:", "#7a7a7a"),
        AS_WRITTEN: ("v:", "#b3402f"),
        PLAIN: ("v-", "#b3402f"),
        CONDENSED: ("^:", "#1f6f8b"),
        BALANCED: ("^-", "#1f6f8b"),
        SEEN: ("D-", "#e0a83f"),
        DEFAULT: ("o-", "#2f7d4f"),
        DEFAULT_CONDENSED: ("o:", "#2f7d4f"),
        CHOSEN: ("*", "#4b2e83"),
    }
    places = {buckets: place for place, buckets in enumerate(BUCKETS)}
    for number, (variant, (style, color)) in enumerate(looks.items()):
        by_buckets = results["accuracy"][variant]
        aside = 0.03 * (number - (len(looks) - 1) / 2)
        axes.errorbar(
            [places[buckets] + aside for buckets in by_buckets],
            [100 * np.mean(values) for values in by_buckets.values()],
            [100 * np.std(values, ddof=1) for values in by_buckets.values()],
            fmt=style,
            color=color,
            capsize=2,
            linewidth=1.5,
            elinewidth=0.8,
            markersize=11 if style == "*" else 5,
            label=variant,
        )
    for (name, values), color in zip(PAPER_ACCURACY.items(), ("#7a7a7a", "black"), strict=True):
        axes.plot(range(len(values)), values, "--", color=color, label=f"paper: {name}")
    axes.set_xticks(range(len(BUCKETS)), [_shown(buckets) for buckets in BUCKETS])
    axes.set_xlabel("hash buckets")
    axes.set_ylabel("accuracy on later messages, %")
    axes.set_title("20 Newsgroups by date, 200 labels and 7,500 unlabeled messages")
    figure.legend(loc="outside right center", fontsize=9)
    save_figure("clark_table", figure)


def main() -> None:
    rows = compute()
    results = summarize(rows)
    report("clark_table", rows, results, table(results), DRAWS)
    plot(results)


if __name__ == "__main__":
    run_study(main)
