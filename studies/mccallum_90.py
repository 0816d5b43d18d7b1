"""McCallum, section 3: all 90 classes of Reuters-21578, documents with several labels.

ModApte; the 90 classes that have training and test documents, 7,770 training and 3,019 test
documents with at least one of them. Models and peers as in ``mccallum_table_2``. The paper says
that macro-F1 of the mixture is 7 points above that of binary naive Bayes, and micro-F1 the same; it
gives no figures. Run: ``python -m studies mccallum_90``.
"""

from typing import Any

from sklearn.svm import LinearSVC

from leaven import TextClassifier
from studies import _common
from studies._common import run_study, write_results
from studies._label_sets import load, markdown, percent
from studies.mccallum_table_2 import (
    AUTO,
    BAYES,
    DEFAULT,
    INFORMED,
    MODELS,
    NO_STEP,
    ONE_STEP,
    TEN_STEPS,
    Table,
    add_linear,
    add_models,
    add_naive_bayes,
    differences,
)

LITERAL = (TEN_STEPS, ONE_STEP, NO_STEP)
COMPARED = [
    (AUTO, "LinearSVC, one label forced"),
    (AUTO, "svm"),
    (AUTO, DEFAULT),
    (DEFAULT, "LinearSVC"),
]


def compute() -> dict[str, Any]:
    corpus = load("R90")
    table = Table(corpus)
    TextClassifier().fit(corpus.texts[:300], corpus.labels[:300])  # compiles
    add_models(table, {name: MODELS[name] for name in (*LITERAL, INFORMED)})
    add_naive_bayes(table)
    add_linear(table, {"LinearSVC": LinearSVC()})
    rows = {
        name: {key: own for key, own in row.items() if key not in ("by_class", "vocabulary_sizes")}
        for name, row in table.rows.items()
    }
    bayes = max(row["macro_f1"] for name, row in rows.items() if name.startswith(BAYES))
    return {
        "corpus": corpus.about(),
        "rows": rows,
        "macro_f1_above_naive_bayes": {
            name: rows[name]["macro_f1"] - bayes for name in (*LITERAL, DEFAULT)
        },
        "differences": differences(table, COMPARED),
    }


def table_of(results: dict[str, Any]) -> str:
    """All rows, in Markdown."""
    head = ["90 classes, %", "exact set", "micro-F1", "macro-F1", "seconds"]
    rows = [
        [name, *(percent(row[what]) for what in ("exact", "micro_f1", "macro_f1")),
         f"{row['seconds']:.1f}"]
        for name, row in results["rows"].items()
    ]  # fmt: skip
    tests = [
        f"- {name}: {100 * test['difference']:+.2f} (p = {test['p_value']:.2g})"
        for name, test in results["differences"].items()
    ]
    about = "Differences of exact sets in points, McNemar's test:"
    return "\n".join([markdown(head, rows), about, "", *tests, ""])


def main() -> None:
    results = compute()
    shown = table_of(results)
    print("\n" + shown)
    (_common.RESULTS / "mccallum_90.md").write_text(shown, encoding="utf-8")
    print(f"wrote {write_results('mccallum_90', results, seed=0).name}")


if __name__ == "__main__":
    run_study(main)
