"""Clark, figures 4 and 5: nearest neighbors, naive Bayes and EM by the number of labeled documents.

Data: 20 Newsgroups by date, subjects and bodies, divided as in clark_figure_2; 7,537 unlabeled
messages, 3,766 later test messages, five draws. Every method is ``TextClassifier`` with its
defaults on the raw text. "ss-cknn as written" has the paper's options instead: k = 5, α = 0.9,
plain votes, unlabeled documents that count as much as labeled ones, and condensing. The paper
hashes words into 10,000 buckets, which costs accuracy (clark_table); here words are not hashed.

The paper shows figures without numbers; its text says that unlabeled documents help nearest
neighbors, less than they help naive Bayes but at more labels too, and that EM is far better.
Run: ``python -m studies.clark_figure_4``; what is in results/clark_figure_4.jsonl with the same
options is not computed again (remove that file to compute everything).
"""

import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from leaven import TextClassifier
from leaven.methods import METHODS
from studies import _common, _provenance
from studies._clark import DRAWS, SIZES, Draw, draw
from studies._common import (
    dodged,
    log_ticks,
    mean_sd,
    paired,
    run_study,
    save_figure,
    signed,
    subplots,
)
from studies._rows import Row, RowFile, report
from studies.clark_table import PAPER

KNN, NEIGHBORS, AS_WRITTEN = "knn", "ss-cknn", "ss-cknn as written"
COLORS = {
    KNN: "#7a7a7a",
    AS_WRITTEN: "#b3402f",
    NEIGHBORS: "#2f7d4f",
    "nb": "#7a7a7a",
    "em": "#c8642b",
    "two-view": "#1f6f8b",
    "auto": "#4b2e83",
}
PANELS = {
    "nearest neighbors (figure 4)": (KNN, AS_WRITTEN, NEIGHBORS),
    "beside naive Bayes and EM (figure 5)": (NEIGHBORS, "nb", "em", "two-view", "auto"),
}
COMPARED = [(NEIGHBORS, KNN), (AS_WRITTEN, KNN), ("em", NEIGHBORS), ("two-view", NEIGHBORS)]
ROWS = RowFile(_common.RESULTS / "clark_figure_4.jsonl", ("method", "options", "size", "draw"))


def options_of(method: str) -> dict[str, Any]:
    """All options of a method, as its defaults are now."""
    own = METHODS[NEIGHBORS if method == AS_WRITTEN else method]
    given = PAPER if method == AS_WRITTEN else {}
    return asdict(own.learner_type(**{**own.settings, **given}))


def planned() -> Iterator[Row]:
    for number in range(DRAWS):  # a draw's split is made once
        for size in SIZES:
            for method in COLORS:
                yield {
                    "method": method,
                    "options": options_of(method),
                    "size": size,
                    "draw": number,
                }


def run_draw(plan: Row, drawn: Draw) -> Row:
    is_as_written = plan["method"] == AS_WRITTEN
    classifier = TextClassifier(
        NEIGHBORS if is_as_written else plan["method"],
        options=PAPER if is_as_written else None,
        calibrate=plan["method"] == "auto",  # elsewhere it changes probabilities, not answers
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a test message without a word is part of the result
        start = time.perf_counter()
        classifier.fit(drawn.texts, drawn.labels)
        fit_seconds = time.perf_counter() - start
        start = time.perf_counter()
        right = classifier.predict(drawn.test_texts) == drawn.truth
    return {
        **plan,
        "accuracy": float(right.mean()),
        "fit_seconds": fit_seconds,
        "predict_seconds": time.perf_counter() - start,
        **_provenance.code(),
    }


def compute() -> list[Row]:
    """The rows of the current options, of which those in the file are not computed again."""
    plans = list(planned())
    at, drawn = None, None
    for plan in ROWS.missing(plans):
        if at != (at := (plan["size"], plan["draw"])) or drawn is None:
            drawn = draw(*at, subjects=True)
        row = run_draw(plan, drawn)
        ROWS.add(row)
        print(
            f"draw {row['draw']}, {row['size']:>5} labels, {row['method']:<18} "
            f"{100 * row['accuracy']:5.1f}  "
            f"{row['fit_seconds']:5.1f} s + {row['predict_seconds']:5.1f} s",
            flush=True,
        )
    return ROWS.of(plans)


def summarize(rows: list[Row]) -> dict[str, Any]:
    measured: dict[str, Any] = {}
    for row in sorted(rows, key=lambda row: row["draw"]):
        for name in ("accuracy", "fit_seconds", "predict_seconds"):
            by_size = measured.setdefault(name, {}).setdefault(row["method"], {})
            by_size.setdefault(row["size"], []).append(row[name])
    accuracy = measured["accuracy"]
    differences = {
        f"{a} minus {b}": {size: paired(accuracy[a][size], accuracy[b][size]) for size in SIZES}
        for a, b in COMPARED
    }
    return {
        "sizes": SIZES,
        "draws": DRAWS,
        "options": {method: options_of(method) for method in COLORS},
        **measured,
        "differences": differences,
    }


def table(results: dict[str, Any]) -> str:
    """Mean ± standard deviation over draws, in Markdown."""
    lines = [
        "| accuracy, % | " + " | ".join(f"{size:,}" for size in SIZES) + " | seconds of a fit |",
        "|---" * (len(SIZES) + 2) + "|",
    ]
    for method in COLORS:
        cells = " | ".join(mean_sd(results["accuracy"][method][size]).strip() for size in SIZES)
        seconds = np.median([results["fit_seconds"][method][size] for size in SIZES])
        lines.append(f"| {method} | {cells} | {seconds:.1f} |")
    lines += ["", "Differences in points, paired over draws:", ""]
    for name, by_size in results["differences"].items():
        tests = "; ".join(f"{size:,}: {signed(by_size[size]).strip()}" for size in SIZES)
        lines.append(f"- {name}: {tests}")
    shown = ", ".join(f"{name}={own!r}" for name, own in results["options"][NEIGHBORS].items())
    return "\n".join([*lines, "", f"Options of {NEIGHBORS}: {shown}"]) + "\n"


def plot(results: dict[str, Any]) -> None:
    figure, axes = subplots(ncols=2, figsize=(11, 4.8), sharey=True)
    for panel, (title, methods) in zip(axes, PANELS.items(), strict=True):
        for number, method in enumerate(methods):
            values = [results["accuracy"][method][size] for size in SIZES]
            panel.errorbar(
                dodged(SIZES, number, len(methods), 1.04),
                [100 * np.mean(each) for each in values],
                [100 * np.std(each, ddof=1) for each in values],
                fmt="o-",
                color=COLORS[method],
                capsize=3,
                markersize=5,
                label=method,
            )
        panel.set_title(title)
        panel.set_xlabel("labeled documents (20 classes)")
        log_ticks(panel, SIZES)
        panel.legend(loc="lower right", fontsize=9)
    axes[0].set_ylabel("accuracy on later messages, %")
    figure.suptitle("20 Newsgroups by date, with 7,500 unlabeled messages")
    save_figure("clark_figure_4", figure)


def main() -> None:
    rows = compute()
    results = summarize(rows)
    report("clark_figure_4", rows, results, table(results), DRAWS)
    plot(results)


if __name__ == "__main__":
    run_study(main)
