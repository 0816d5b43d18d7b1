"""Nigam, McCallum and Mitchell, table 3.3: the number of components by cross-validation.

The trials of table 3.2, which see for the protocol: NB1, EM* (the number of components best on the
test documents), EM*CV (number and vocabulary by five folds of the labeled documents, no
test label used), and EMλ*CV, the same with unlabeled documents at a tenth of their weight.
Reads ``results/table_3_2.json``. Run: ``python -m studies.table_3_3``
"""

import json
from typing import Any

import numpy as np

from studies import table_3_2
from studies._common import RESULTS, run_study, signed, write_results

METHODS = ("NB1", "EM*", "EM*CV", "EMλ*CV")
SCORES = ("accuracy", "f1", "average_precision")


def gain(trials: list[Any], method: str, score: str) -> float:
    """Over NB1, in the trials that the method was tried in."""
    return float(np.mean([t[method][score] - t["NB1"][score] for t in trials if method in t]))


def main() -> None:
    path = RESULTS / "table_3_2.json"
    if not path.exists():
        table_3_2.main()
    results = json.loads(path.read_text())
    table_3_2.print_table(results, METHODS)
    table_3_2.print_choices(results)
    every = list(results["categories"].values())
    means = {
        category: {
            method: {score: table_3_2.mean_of(found["trials"], method, score) for score in SCORES}
            for method in METHODS
        }
        for category, found in results["categories"].items()
    }
    gains = {
        f"{method} against NB1, {score}": float(
            np.mean([gain(found["trials"], method, score) for found in every])
        )
        for method in METHODS[2:]
        for score in SCORES
    }
    for name, value in gains.items():
        print(f"{name}: {100 * value:+.2f} points on the mean over categories")
    tests = {name: test for name, test in results["tests"].items() if "CV" in name}
    for name, test in tests.items():
        print(f"{name}: {signed(test)} points over {test['n']} trials")
    paper = {
        category: {"NB1": row[0], "EM*": row[3], "EM*CV": row[4]}
        for category, row in table_3_2.PAPER.items()
    }
    found = {"paper": paper, "mean": means, "gains": gains, "tests": tests}
    made_with = results.get("made_with")  # its numbers are those of table 3.2
    write_results("table_3_3", found, made_with={**(made_with or {}), "from": "table_3_2"})
    plot(found)


def plot(_: dict[str, Any]) -> None:
    """The bars of table 3.2's trials, with the methods of this table."""
    trials = json.loads((RESULTS / "table_3_2.json").read_text())
    table_3_2.draw("table_3_3", trials, ("NB1", "EM*CV", "EMλ*CV", "EM*"))


if __name__ == "__main__":
    run_study(main)
