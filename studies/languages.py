"""Few labels in nine languages, four of them written without spaces between words.

Messages of programs (which program?), pages of LibreOffice's help (which of its programs?) and
Chinese reviews (positive or negative?), see _language_corpora.py; 1, 5 and 15 labels per class,
three draws, at most 5,000 unlabeled documents, and otherwise the protocol of short_texts.py. Names
of the programs are removed from the texts.

- "auto": ``TextClassifier()``, which counts n-grams of one to three characters in scripts without
  spaces, takes combining marks as parts of words, and adds subwords where texts are short
- "auto_before": the same default in commit 6242a35, which did none of it
- LinearSVC on tf-idf of words ("svm_words", TfidfVectorizer's defaults), of character n-grams of
  1 to 3 characters across words ("svm_char") and of 3 to 5 inside words ("svm_char_wb"), both with
  sublinear counts

A method that refuses a corpus has no accuracy there, but a message. The fits of "auto" with the
most labels of the first draw give an example each: what the report says of scripts, top words of
two classes, and the strongest words of a test document, the first in random order that is
classified correctly with a probability of more than one half (or else correctly, or at all).

Run: ``python -m studies.languages``, with ``--corpora`` and ``--methods`` for some only. What is in
results/languages.jsonl is not computed again, unless ``--again`` with ``--methods``. Rows of
"auto_before" are made as in short_texts.py.
"""

import argparse
import warnings
from collections.abc import Callable, Sequence
from itertools import groupby, product
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_limits

from studies import _common, _names, _provenance
from studies._common import run_study
from studies._language_corpora import LANGUAGES
from studies._rows import Row, RowFile, report
from studies._workers import PROCESSES, compute
from studies.short_texts import (
    AGAIN,
    AUTOS,
    BEFORE,
    Table,
    auto,
    characters,
    check_computable,
    compared,
    computable,
    drawn,
    forget,
    judged,
    measured_now,
    percent,
    points,
    sides_of,
    svm,
    tabulated,
    warm_up,
    words,
)

SIZES = (1, 5, 15)  # labels per class
DRAWS = 3
MOST_UNLABELED = 5000
UNSPACED = ("ja", "km", "th", "zh")  # languages that are written without spaces
SHOWN_WORDS, SHOWN_CLASSES, SHOWN_CHARACTERS = 3, 2, 60  # of an example
SURE = 0.5  # probability of an example's prediction
OF_A_TASK = ("corpus", "draw")
ROWS = RowFile(_common.RESULTS / "languages.jsonl", (*OF_A_TASK, "per_class", "method"))


def short_runs() -> Any:
    return TfidfVectorizer(analyzer="char", ngram_range=(1, 3), sublinear_tf=True)


SVMS: dict[str, Callable[[], Any]] = {
    "svm_words": words,
    "svm_char": short_runs,
    "svm_char_wb": characters,
}
METHODS = ("auto", BEFORE, *SVMS)


def planned(corpora: Sequence[str], methods: Sequence[str]) -> list[Row]:
    return [
        {"corpus": corpus, "draw": draw, "per_class": size, "method": method}
        for corpus, draw, size, method in product(corpora, range(DRAWS), SIZES, methods)
    ]


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one draw from one corpus, in a worker process."""
    load = LANGUAGES[plans[0]["corpus"]]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a document without a word is part of the result
        if any(plan["method"] in AUTOS for plan in plans):
            warm_up(load)
        return [{**plan, **measured(plan)} for plan in plans]


def measured(plan: Row) -> Row:
    load, method = LANGUAGES[plan["corpus"]], plan["method"]
    draw = drawn(load, plan["per_class"], plan["draw"], MOST_UNLABELED)
    try:
        if method in SVMS:
            return svm(load, SVMS[method], draw)
        clf, row = auto(draw, AUTOS[method])
    except ValueError as error:  # a corpus that the method refuses
        about = judged(draw, draw.sides.test.labels)
        return {**about, "accuracy": None, "macro_f1": None, "error": str(error)}
    if (method, plan["draw"], plan["per_class"]) == ("auto", 0, SIZES[-1]):
        row["example"] = example(clf, plan["corpus"])
    return row


def example(clf: Any, corpus: str) -> Row:
    """What a user sees of a classifier: report, words of classes, an explained prediction."""
    test = sides_of(LANGUAGES[corpus]).test
    proba = clf.predict_proba(test.texts)
    is_right = clf.classes_[proba.argmax(axis=1)] == np.array(test.labels, dtype=object)
    order = np.random.default_rng(0).permutation(len(test.texts))
    good = is_right.astype(int) + (is_right & (proba.max(axis=1) > SURE))
    number = int(order[good[order].argmax()])  # the first of the best
    told = clf.explain(test.texts[number], SHOWN_WORDS)
    about_scripts = [line for line in str(clf.report_).splitlines() if "scripts" in line]
    top = clf.top_words(SHOWN_WORDS)
    return {
        "scripts": about_scripts[0] if about_scripts else None,
        "top_words": {name: top[name] for name in clf.classes_[:SHOWN_CLASSES].tolist()},
        "text": test.texts[number][:SHOWN_CHARACTERS],
        "truth": test.labels[number],
        "predicted": told.label,
        "probability": float(told.confidence),
        "words": [
            {"word": each.word, "towards": max(each.pull, key=each.pull.__getitem__)}
            for each in told.words
        ],
    }


def told(rows: Sequence[Row]) -> str:
    first = rows[0]
    shown = (
        f"{name} " + "/".join(percent(row["accuracy"]) for row in rows if row["method"] == name)
        for name in dict.fromkeys(row["method"] for row in rows)
    )
    return f"{first['corpus']}, draw {first['draw']}: {', '.join(shown)}"


def summarize(rows: Sequence[Row]) -> Row:
    """Means over draws, auto against the others, refusals and examples."""
    ordered = sorted(rows, key=lambda row: (list(LANGUAGES).index(row["corpus"]), row["per_class"]))
    answered = Table([row for row in ordered if row["accuracy"] is not None])
    methods = [name for name in METHODS if any(row["method"] == name for row in rows)]
    corpora = list(dict.fromkeys(row["corpus"] for row in ordered))
    others = {"before": (BEFORE,), "svm": tuple(SVMS)}
    refusals: dict[tuple[str, str, str], int] = {}
    for row in ordered:
        if "error" in row:
            place = row["method"], row["corpus"], row["error"]
            refusals[place] = refusals.get(place, 0) + 1
    return {
        "sizes": SIZES,
        "draws": DRAWS,
        "methods": methods,
        "corpora": [of_corpus(ordered, answered, name, methods) for name in corpora],
        "comparisons": {
            name: compared(answered, "auto", rivals, SIZES) for name, rivals in others.items()
        },
        "refusals": [
            {"method": method, "corpus": corpus, "error": error, "n_fits": n}
            for (method, corpus, error), n in refusals.items()
        ],
        "before": _provenance.made_of_rows(row for row in rows if row["method"] == BEFORE),
    }


def of_corpus(rows: Sequence[Row], table: Table, corpus: str, methods: Sequence[str]) -> Row:
    own = [row for row in rows if row["corpus"] == corpus]
    example = [row["example"] for row in own if "example" in row]
    return {
        "corpus": corpus,
        **{name: own[0][name] for name in ("n_train", "n_test", "n_classes")},
        "accuracy": {
            name: [table.mean(name, "accuracy", corpus, n) for n in SIZES] for name in methods
        },
        "example": example[0] if example else None,
    }


def is_unspaced(corpus: str) -> bool:
    return corpus.partition("_")[0] in UNSPACED


def markdown(results: Row) -> str:
    """All tables, and an example of each language."""
    sizes = ", ".join(map(str, results["sizes"][:-1])) + f" and {results['sizes'][-1]}"
    parts = [
        "# Few labels in many languages\n",
        f"Rows of auto before were {_provenance.described(results['before'])}.\n",
        f"Accuracy in % with {sizes} labels per class:\n\n{accuracy_table(results)}",
        "Points by which auto is above, by labels per class, paired over draws:\n\n"
        + comparison_table(results),
        refusals_told(results),
        "## Examples\n",
        f"auto with {results['sizes'][-1]} labels per class: what the report says of scripts, the "
        f"top {SHOWN_WORDS} words of {SHOWN_CLASSES} classes, and of a test document (the first in "
        f"random order that is classified correctly with a probability above {100 * SURE:.0f} %) "
        "the prediction and the words that move it most, with the class that each favors.\n",
        *(examples_shown(results)),
    ]
    return "\n".join(part for part in parts if part)


def accuracy_table(results: Row) -> str:
    """Accuracy by corpus; means over corpora with and without spaces between words."""
    rows = []
    for unspaced, kind in ((True, "without spaces"), (False, "with spaces")):
        own = [each for each in results["corpora"] if is_unspaced(each["corpus"]) is unspaced]
        for each in own:
            shown = [slashed(each["accuracy"][name]) for name in results["methods"]]
            rows.append([_names.LANGUAGE_CORPORA[each["corpus"]], each["n_classes"], *shown])
        if own:
            means = [slashed(mean_of(own, name)) for name in results["methods"]]
            rows.append([f"mean, {kind}", "", *means])
    names = [_names.LANGUAGE_METHODS[name] for name in results["methods"]]
    return tabulated(["", "classes", *names], rows)


def mean_of(corpora: Sequence[Row], method: str) -> list[float | None]:
    """Means over corpora by labels per class; None where a corpus was refused."""
    columns = zip(*(each["accuracy"][method] for each in corpora), strict=True)
    return [None if None in values else fmean(values) for values in columns]


def slashed(values: Sequence[float | None]) -> str:
    return " / ".join(map(percent, values))


def comparison_table(results: Row) -> str:
    names = {"before": "auto before", "svm": "the best of the three SVMs"}
    rows = [
        [
            names[name],
            *map(points, own["by_size"]),
            points(own["difference"]),
            f"{own['n_cells']}",
            f"{own['n_below']} ({own['n_below_sure']})",
            f"{own['n_above']} ({own['n_above_sure']})",
        ]
        for name, own in results["comparisons"].items()
    ]
    head = ["above", *results["sizes"], "mean", "cells", "below −1.5 (p < 0.05)"]
    return tabulated([*head, "above +1.5 (p < 0.05)"], rows)


def refusals_told(results: Row) -> str:
    lines = (
        f"- {_names.LANGUAGE_METHODS[each['method']]}, "
        f"{_names.LANGUAGE_CORPORA[each['corpus']]}, {each['n_fits']} fits: {each['error']}\n"
        for each in results["refusals"]
    )
    return (
        f"Refused:\n\n{''.join(lines)}" if results["refusals"] else "No method refused a corpus.\n"
    )


def examples_shown(results: Row) -> list[str]:
    """One for each language, from its messages, and one of reviews."""
    shown = []
    for each in results["corpora"]:
        found = each["example"]
        if found is not None and not each["corpus"].endswith("_help"):
            top = "; ".join(f"{name}: {', '.join(own)}" for name, own in found["top_words"].items())
            pulls = ", ".join(f"{own['word']} → {own['towards']}" for own in found["words"])
            is_right = "correct" if found["predicted"] == found["truth"] else found["truth"]
            shown.append(
                f"**{_names.LANGUAGE_CORPORA[each['corpus']]}**\n\n"
                f"- report: {found['scripts'] or 'nothing, because words have spaces'}\n"
                f"- top words: {top}\n"
                f"- “{found['text']}”: {found['predicted']}, {100 * found['probability']:.0f} % "
                f"({is_right}); {pulls}\n"
            )
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description="Few labels in many languages.")
    parser.add_argument("--corpora", nargs="+", choices=list(LANGUAGES), default=list(LANGUAGES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=computable(METHODS))
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--again", action="store_true", help=AGAIN)
    wanted = parser.parse_args()
    check_computable(wanted.methods)
    if wanted.again:
        forget(ROWS, wanted.methods)
    missing = ROWS.missing(planned(wanted.corpora, wanted.methods))
    groups = groupby(missing, key=lambda plan: [plan[name] for name in OF_A_TASK])
    compute([list(group) for _, group in groups], run_unit, told, ROWS, wanted.processes)
    rows = ROWS.of(planned(list(LANGUAGES), METHODS))
    results = summarize(rows)
    report("languages", measured_now(rows), results, markdown(results), DRAWS)


if __name__ == "__main__":
    run_study(main)
