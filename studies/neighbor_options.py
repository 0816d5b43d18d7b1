"""Options of the neighbor methods, chosen on training documents of eight corpora.

Corpora as in few_labels; only their training documents have a part here: a third of them, at most
1,500, are held out to measure accuracy, and of the others at most 5,000 train. Labels are given in
two ways: 1, 5, 15 or 50 documents of every class ("per class"), or 40, 150 or 600 documents at
random ("at random"), where frequent classes have more labels; a class without a label is left out
of training. Two draws. Documents are log(1 + tf) · idf, words of at least two documents.

One option at a time is changed from the defaults of ss-cknn. The paper's are k = 5, α = 0.9,
λ = 1, plain votes, condensed. Run: ``python -m studies.neighbor_options``; what is in
results/neighbor_options.jsonl is not computed again (remove that file to compute everything).
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from sklearn.metrics import f1_score

from leaven import CondensedNeighbors
from leaven.documents._arrow import as_text_array
from leaven.text._counter import TextOptions, fit_counter
from studies import _common, _provenance
from studies._common import run_study
from studies._few_labels_corpora import CORPORA, load
from studies._rows import Row, RowFile, report

DRAWS = 2
MOST_HELD_OUT, MOST_TRAINING = 1500, 5000
PER_CLASS, AT_RANDOM = (1, 5, 15, 50), (40, 150, 600)
DESIGNS = [("per class", size) for size in PER_CLASS] + [("at random", n) for n in AT_RANDOM]
WORDS = TextOptions(log_tf=True, idf=True, min_df=2)
ROWS = RowFile(_common.RESULTS / "neighbor_options.jsonl", ("corpus", "design", "size", "draw"))
DEFAULT: dict[str, Any] = {
    "n_neighbors": 40,
    "threshold": 0.0,
    "unlabeled_weight": 0.2,
    "votes": "corrected",
    "condense": False,
}
KNN = {"unlabeled_weight": 0.0, "n_neighbors": 5, "votes": "plain"}
CHANGES: dict[str, list[dict[str, Any]]] = {
    "k": [{"n_neighbors": k} for k in (5, 15, 25, 60, 100)],
    "α": [{"threshold": alpha} for alpha in (0.1, 0.2, 0.3, 0.5, 0.9)],
    "λ": [{"unlabeled_weight": weight} for weight in (0.03, 0.1, 0.3, 1.0)],
    "votes": [{"votes": votes} for votes in ("balanced", "plain")],
    "condensed": [{"condense": True}],
    "several": [
        {"n_neighbors": 15, "threshold": 0.3, "unlabeled_weight": 1.0},
        {"n_neighbors": 5, "threshold": 0.9, "unlabeled_weight": 1.0},
        {"n_neighbors": 5, "threshold": 0.9, "unlabeled_weight": 1.0, "votes": "plain",
         "condense": True},
    ],
    "knn": [KNN, {**KNN, "n_neighbors": 1}, {**KNN, "n_neighbors": 15}, {**KNN, "n_neighbors": 40},
            {**KNN, "votes": "balanced"}],
}  # fmt: skip


def task(corpus: str, design: str, size: int, draw: int) -> tuple[Any, Any, Any, Any]:
    """Training counts and codes, held-out counts and codes; -1 where there is no label."""
    documents = load(corpus, 0)
    labels = documents.labels
    rng = np.random.default_rng([draw, size, design == "per class"])
    training = rng.permutation(np.union1d(documents.pool, documents.unlabeled))
    n_held_out = min(MOST_HELD_OUT, len(training) // 3)
    held_out, training = training[:n_held_out], training[n_held_out:][:MOST_TRAINING]
    if design == "per class":
        parts = [training[labels[training] == name] for name in np.unique(labels[training])]
        labeled = np.concatenate([part[: max(min(size, len(part) // 2), 1)] for part in parts])
    else:
        labeled = training[:size]
    classes = np.unique(labels[labeled])
    training = training[np.isin(labels[training], classes)]
    codes = np.searchsorted(classes, labels[training])
    y = np.where(np.isin(training, labeled), codes, -1)
    texts = as_text_array([documents.texts[i] for i in training])
    counter, X = fit_counter(texts, WORDS, by_frequency=True)
    test = counter.count(as_text_array([documents.texts[i] for i in held_out]))
    is_known = np.isin(labels[held_out], classes)
    truth = np.where(is_known, np.searchsorted(classes, labels[held_out]), -1)
    return X, y, test, truth


def variants() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "default", DEFAULT
    for group, changes in CHANGES.items():
        for change in changes:
            yield group, {**DEFAULT, **change}


def run_task(corpus: str, design: str, size: int, draw: int) -> Row:
    X, y, test, truth = task(corpus, design, size, draw)
    found = {}
    for _, options in variants():
        clf = CondensedNeighbors(**options).fit(X, y)
        predicted = clf.predict(test)
        found[name_of(options)] = {
            "accuracy": float((predicted == truth).mean()),
            "macro_f1": float(f1_score(truth, predicted, average="macro", zero_division=0)),
            "n_kept": len(clf.kept_),
        }
    key = {"corpus": corpus, "design": design, "size": size, "draw": draw}
    return {**key, "found": found, **_provenance.code()}


def name_of(options: dict[str, Any]) -> str:
    """Options in the paper's symbols."""
    parts = [f"k = {options['n_neighbors']}"]
    if options["unlabeled_weight"]:
        parts += [f"α = {options['threshold']:g}", f"λ = {options['unlabeled_weight']:g}"]
    else:
        parts.append("labeled documents only")
    parts.append(f"{options['votes']} votes")
    return ", ".join([*parts, *(["condensed"] if options["condense"] else [])])


def compute() -> list[Row]:
    known = ROWS.known()
    for draw, corpus, (design, size) in product(range(DRAWS), CORPORA, DESIGNS):
        key = {"corpus": corpus, "design": design, "size": size, "draw": draw}
        if ROWS.identity(key) in known:
            continue
        row = run_task(corpus, design, size, draw)
        ROWS.add(row)
        best = max(row["found"], key=lambda name: row["found"][name]["accuracy"])
        mine = row["found"][name_of(DEFAULT)]["accuracy"]
        print(f"draw {draw}, {corpus}, {size} {design}: {100 * mine:.1f}, best {best}", flush=True)
    return ROWS.read()


def summarize(rows: list[Row]) -> dict[str, Any]:
    table = []
    for group, options in variants():
        name = name_of(options)
        of_design = {
            design: [row["found"][name] for row in rows if row["design"] == design]
            for design in ("per class", "at random")
        }
        both = [each for found in of_design.values() for each in found]
        table.append(
            {
                "group": group,
                "name": name,
                "options": options,
                "kept": float(np.mean([each["n_kept"] for each in both])),
                "macro_f1": float(np.mean([each["macro_f1"] for each in both])),
                "accuracy": float(np.mean([each["accuracy"] for each in both])),
                **{
                    f"accuracy {design}": float(np.mean([each["accuracy"] for each in found]))
                    for design, found in of_design.items()
                },
            }
        )
    return {"n_tasks": len(rows), "draws": DRAWS, "corpora": list(CORPORA), "variants": table}


def table(results: dict[str, Any]) -> str:
    """Means over tasks, in Markdown."""
    designs = ("per class", "at random")
    lines = [
        "| options | labels per class | at random | mean | macro F1 | kept |",
        "|---" * 6 + "|",
    ]
    for each in results["variants"]:
        shares = [*(each[f"accuracy {design}"] for design in designs), each["accuracy"]]
        cells = " | ".join(f"{100 * share:.1f}" for share in [*shares, each["macro_f1"]])
        lines.append(f"| {each['name']} | {cells} | {each['kept']:,.0f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    rows = compute()
    results = summarize(rows)
    report("neighbor_options", rows, results, table(results), DRAWS)


if __name__ == "__main__":
    run_study(main)
