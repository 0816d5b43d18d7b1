"""Clark, figure 2: naive Bayes, frequency estimate and EM by the number of labeled documents.

Data: 20 Newsgroups by date (18,846 messages), bodies only. Of each group the later 40 % are, by
halves at random, test and validation messages, so both are later than all training messages;
20 % of the group are the pool that labeled messages come from, equally many per group, and 40 %
(7,500 in all) are unlabeled. Nothing is chosen here, so validation messages have no part.

As in the paper words are lower case; stop words, words of a single document and words in more
than half of the documents are left out; k = 0.40, unlabeled documents weigh 0.5, EM makes ten
iterations. Five draws, three ways to see a document:
- raw: counts as they are, which the paper seems to use
- length 200: the same words, every document scaled to 200 of them
- default: ``TextClassifier`` with its defaults, methods nb, sfe and em, on the raw text
In the first two SFE and EM are the paper's: no shrinkage, a prior that stays. "EM, scaled prior"
is NaiveBayesEM with the same numbers, whose prior keeps its share of the words that count.

The paper shows a figure without numbers; its text says that unlabeled documents help, most where
labels are few, and that EM does better than SFE. Run: ``python -m studies.clark_figure_2``; what
is in results/clark_figure_2.jsonl is not computed again (remove that file to compute everything).
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from leaven import FrequencyEstimateNB, NaiveBayesEM, TextClassifier
from leaven.corpora import InMemoryCorpus
from leaven.documents._arrow import as_text_array
from leaven.learning import run_em, supervised_start
from leaven.models import MultinomialMixture
from leaven.text._counter import TextOptions, fit_counter
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

ALPHA, WEIGHT, ITERATIONS = 0.40, 0.5, 10
WORDS = TextOptions(stop_words="english", min_df=2, max_df=0.5)
VIEWS = {"raw": WORDS, "length 200": replace(WORDS, length=200.0)}
DEFAULT = "default"
SCALED = "EM, scaled prior"
COLORS = {"MNB": "#7a7a7a", "SFE": "#1f6f8b", "EM": "#c8642b", SCALED: "#e0a83f"}  # by method
OWN_METHODS = {"MNB": "nb", "SFE": "sfe", "EM": "em"}  # by their names in TextClassifier
ROWS = RowFile(_common.RESULTS / "clark_figure_2.jsonl", ("view", "size", "draw"))


def as_it_comes(drawn: Draw) -> dict[str, Any]:
    """Answers of ``TextClassifier``; calibration would change probabilities, not answers."""
    return {
        name: TextClassifier(method, calibrate=False)
        .fit(drawn.texts, drawn.labels)
        .predict(drawn.test_texts)
        for name, method in OWN_METHODS.items()
    }


def as_in_the_paper(view: str, drawn: Draw) -> dict[str, Any]:
    counter, X = fit_counter(as_text_array(drawn.texts), VIEWS[view], by_frequency=True)
    test = counter.count(as_text_array(drawn.test_texts))
    common = {"alpha": ALPHA, "unlabeled_weight": WEIGHT}
    fitted = {
        "MNB": NaiveBayesEM(alpha=ALPHA, unlabeled_weight=0.0),
        "SFE": FrequencyEstimateNB(**common, shrinkage=0.0),
        SCALED: NaiveBayesEM(**common, max_iter=ITERATIONS),
    }
    found = {name: clf.fit(X, drawn.labels).predict(test) for name, clf in fitted.items()}
    return {**found, "EM": em_of_the_paper(X, drawn.labels, test)}


def em_of_the_paper(X: Any, labels: np.ndarray, test: Any) -> Any:
    """The same k whatever unlabeled documents weigh."""
    groups, codes = np.unique(labels[labels != ""].astype(str), return_inverse=True)
    y = np.full(len(labels), -1)
    y[labels != ""] = codes
    model = MultinomialMixture(np.arange(len(groups)), ALPHA, unlabeled_weight=WEIGHT)
    corpus = InMemoryCorpus(X, y)
    start, _ = supervised_start(model, corpus)
    result = run_em(model, corpus, start, max_iter=ITERATIONS, tol=0.0)
    return groups[model.class_log_joint(result.params, test).argmax(axis=1)]


def run_draw(view: str, size: int, number: int) -> Row:
    drawn = draw(size, number)
    answers: Callable[[], dict[str, Any]] = (
        (lambda: as_it_comes(drawn)) if view == DEFAULT else (lambda: as_in_the_paper(view, drawn))
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        # A test message without a word, and ten iterations being few, are part of the result.
        warnings.simplefilter("ignore")
        found = answers()
    return {
        "view": view,
        "size": size,
        "draw": number,
        "accuracy": {name: float((drawn.truth == got).mean()) for name, got in found.items()},
        "seconds": time.perf_counter() - start,
        **_provenance.code(),
    }


def compute() -> list[Row]:
    """All rows, of which those in the file are not computed again."""
    known = ROWS.known()
    for number in range(DRAWS):  # a draw's split is made once
        for size in SIZES:
            for view in (*VIEWS, DEFAULT):
                if ROWS.identity({"view": view, "size": size, "draw": number}) in known:
                    continue
                row = run_draw(view, size, number)
                ROWS.add(row)
                shown = "  ".join(
                    f"{m} {100 * accuracy:.1f}" for m, accuracy in row["accuracy"].items()
                )
                print(f"draw {number}, {size:>5} labels, {view:<10} {shown}", flush=True)
    return ROWS.read()


def summarize(rows: list[Row]) -> dict[str, Any]:
    accuracy: dict[str, Any] = {}
    for row in sorted(rows, key=lambda row: row["draw"]):
        for method in sorted(row["accuracy"], key=list(COLORS).index):
            by_size = accuracy.setdefault(row["view"], {}).setdefault(method, {})
            by_size.setdefault(row["size"], []).append(row["accuracy"][method])
    differences = {
        view: {
            f"{a} minus {b}": {size: paired(table[a][size], table[b][size]) for size in SIZES}
            for a, b in (("EM", "SFE"), ("SFE", "MNB"))
        }
        for view, table in accuracy.items()
    }
    return {
        "sizes": SIZES,
        "draws": DRAWS,
        "accuracy": accuracy,
        "differences": differences,
        "seconds": sum(row["seconds"] for row in rows),
    }


def table(results: dict[str, Any]) -> str:
    """Mean ± standard deviation over draws, in Markdown."""
    lines = [
        "| documents | method | " + " | ".join(f"{size:,}" for size in SIZES) + " |",
        "|---|---" + "|---" * len(SIZES) + "|",
    ]
    for view, by_method in results["accuracy"].items():
        for method, by_size in by_method.items():
            cells = " | ".join(mean_sd(by_size[size]).strip() for size in SIZES)
            lines.append(f"| {view} | {method} | {cells} |")
    lines += ["", "Differences in points, paired over draws:", ""]
    for view, pairs in results["differences"].items():
        for name, by_size in pairs.items():
            tests = "; ".join(f"{size:,}: {signed(by_size[size]).strip()}" for size in SIZES)
            lines.append(f"- {view}, {name}: {tests}")
    return "\n".join(lines) + "\n"


def plot(results: dict[str, Any]) -> None:
    figure, axes = subplots(ncols=3, figsize=(12, 4.4), sharey=True)
    titles = {"raw": "raw counts", "length 200": "counts, length 200", DEFAULT: "leaven's defaults"}
    names = {"MNB": "naive Bayes (nb)", "SFE": "frequency estimate (sfe)", "EM": "EM (em)"}
    markers = {"MNB": "s", "SFE": "o", "EM": "^", SCALED: "D"}
    for panel, (view, by_method) in zip(axes, results["accuracy"].items(), strict=True):
        for number, (method, by_size) in enumerate(by_method.items()):
            values = [by_size[size] for size in SIZES]
            panel.errorbar(
                dodged(SIZES, number, len(COLORS), 1.05),
                [100 * np.mean(each) for each in values],
                [100 * np.std(each, ddof=1) for each in values],
                fmt=f"{markers[method]}{'--' if method == SCALED else '-'}",
                color=COLORS[method],
                capsize=3,
                markersize=5,
                label=names.get(method, method),
            )
        panel.set_title(titles.get(view, view))
        panel.set_xlabel("labeled documents (20 classes)")
        log_ticks(panel, SIZES)
    axes[0].set_ylabel("accuracy on later messages, %")
    axes[0].legend(loc="lower right", fontsize=9)
    figure.suptitle("20 Newsgroups by date, with 7,500 unlabeled messages")
    save_figure("clark_figure_2", figure)


def main() -> None:
    rows = compute()
    results = summarize(rows)
    report("clark_figure_2", rows, results, table(results), DRAWS)
    plot(results)


if __name__ == "__main__":
    run_study(main)
