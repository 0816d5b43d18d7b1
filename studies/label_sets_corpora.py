"""Documents with several labels on seven corpora: multilabel, svm and auto beside linear SVMs.

Corpora: ``studies/_label_sets.py``. All labels of the training documents are used. LinearSVC has
scikit-learn's defaults, one for each class, on ``TfidfVectorizer`` with its defaults; it gives many
documents no label, so it is also measured with the label of the highest score where it gives none.
auto, svm and multilabel predict no empty sets either, where no training document has one. XPOST15
has the 21st to the 38th word of each message. Seconds are of fit and predict together, with
counting words. Run: ``python -m studies label_sets_corpora``, or for some corpora
``python -m studies.label_sets_corpora --corpora R10 TITLES``, which keeps the results of others.
"""

import argparse
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from leaven import TextClassifier
from studies import _common, _provenance
from studies._common import run_study
from studies._label_sets import (
    CORPORA,
    FORCED,
    PLAIN,
    linear_rows,
    load,
    markdown,
    percent,
    timed,
)
from studies._rows import Row, RowFile, report

METHODS = ("multilabel", "svm", "auto")
MEASURES = ("exact", "micro_f1", "macro_f1")
ROWS = RowFile(_common.RESULTS / "label_sets_corpora.jsonl", ("corpus",))


def run_corpus(name: str) -> Row:
    corpus = load(name)
    found: dict[str, Any] = {}
    for method in METHODS:
        row = timed(TextClassifier(method, keep_documents=False), corpus)
        found[method] = {**row, "seconds": row["fit_seconds"] + row["predict_seconds"]}
    found |= linear_rows(LinearSVC(), PLAIN, corpus)
    for method, row in found.items():
        del row["by_class"]
        shares = " ".join(percent(row[measure]) for measure in MEASURES)
        print(f"{name:<8} {method:<28} {shares}  {row['seconds']:.1f} s", flush=True)
    return {"corpus": name, **corpus.about(), "methods": found, **_provenance.code()}


def compute(names: list[str]) -> list[Row]:
    """Rows of all corpora, computed for those named."""
    known = {row["corpus"]: row for row in ROWS.read()}
    TextClassifier().fit(["a word", "two words"] * 4, [["a"], ["a", "b"]] * 4)  # compiles
    for name in names:
        known[name] = run_corpus(name)
        ROWS.path.unlink(missing_ok=True)
        for each in CORPORA:
            if each in known:
                ROWS.add(known[each])
    return [known[name] for name in CORPORA if name in known]


def summarize(rows: list[Row]) -> Row:
    differences = {}
    for peer in (PLAIN, FORCED, "svm", "multilabel"):
        by_corpus = {
            row["corpus"]: {
                measure: row["methods"]["auto"][measure] - row["methods"][peer][measure]
                for measure in MEASURES
            }
            for row in rows
        }
        differences[peer] = {
            "by_corpus": by_corpus,
            "mean": {m: float(np.mean([own[m] for own in by_corpus.values()])) for m in MEASURES},
            "worst": {m: min(own[m] for own in by_corpus.values()) for m in MEASURES},
        }
    without = ("corpus", *_provenance.code())
    corpora = {
        row["corpus"]: {key: own for key, own in row.items() if key not in without} for row in rows
    }
    return {"corpora": corpora, "auto_minus": differences}


def table(results: Row) -> str:
    """Exact sets / micro-F1 / macro-F1 by corpus and method, in Markdown."""
    methods = (*METHODS, PLAIN, FORCED)
    rows, seconds = [], []
    for name, own in results["corpora"].items():
        about = f"{name} ({own['n_classes']} classes, {own['labels_per_document']:.2f} labels)"
        of_methods = [own["methods"][method] for method in methods]
        cells = (" / ".join(percent(row[m], 1) for m in MEASURES) for row in of_methods)
        rows.append([about, *cells])
        seconds.append([name, *(f"{row['seconds']:.1f}" for row in of_methods)])
    head = ["exact / micro-F1 / macro-F1, %", *methods]
    lines = [markdown(head, rows), markdown(["seconds", *methods], seconds)]
    for peer, own in results["auto_minus"].items():
        shown = (
            " / ".join(f"{100 * own[what][m]:+.1f}" for m in MEASURES) for what in ("mean", "worst")
        )
        mean, worst = shown
        lines.append(f"- auto minus {peer}: mean {mean}, smallest of each {worst}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Several labels on seven corpora.")
    parser.add_argument("--corpora", nargs="+", choices=tuple(CORPORA), default=list(CORPORA))
    rows = compute(parser.parse_args().corpora)
    results = summarize(rows)
    report("label_sets_corpora", rows, results, table(results), 1)


if __name__ == "__main__":
    run_study(main)
