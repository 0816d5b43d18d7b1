"""Nigam, McCallum and Mitchell, table 3.3: the number of components by cross-validation.

The trials of table 3.2, which see for the protocol: NB1, EM* (the number of components best on the
test set, a peek), EM*CV (number and vocabulary by five folds of the labeled documents, no test
label used), and EMλ*CV, the same with unlabeled documents at a tenth of their weight.
Reads ``results/table_3_2.json``. Run: ``python -m studies.table_3_3``
"""

import json

import numpy as np

from studies import table_3_2
from studies._common import RESULTS, signed, write_results

METHODS = ("NB1", "EM*", "EM*CV", "EMλ*CV")
SCORES = ("accuracy", "f1", "average_precision")


def main() -> None:
    path = RESULTS / "table_3_2.json"
    if not path.exists():
        table_3_2.main()
    results = json.loads(path.read_text())
    table_3_2.print_table(results, METHODS)
    means = {
        category: {
            method: {score: table_3_2.mean_of(found["trials"], method, score) for score in SCORES}
            for method in METHODS
        }
        for category, found in results["categories"].items()
    }
    gains = {
        f"{method} against NB1, {score}": float(
            np.mean([own[method][score] - own["NB1"][score] for own in means.values()])
        )
        for method in METHODS[2:]
        for score in SCORES
    }
    for name, gain in gains.items():
        print(f"{name}: {100 * gain:+.2f} points on the mean over categories")
    tests = {name: test for name, test in results["tests"].items() if "CV" in name}
    for name, test in tests.items():
        print(f"{name}: {signed(test)} points over {test['n']} trials")
    paper = {
        category: {"NB1": row[0], "EM*": row[3], "EM*CV": row[4]}
        for category, row in table_3_2.PAPER.items()
    }
    found = {"paper": paper, "mean": means, "gains": gains, "tests": tests}
    write_results("table_3_3", found)
    table_3_2.plot("table_3_3", results, ("NB1", "EM*CV", "EMλ*CV", "EM*"))


if __name__ == "__main__":
    main()
