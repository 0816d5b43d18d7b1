"""Takamura and Okumura (2004), Figure 1: the Fisher kernel by the number of unlabeled documents.

The corpus, splits and settings of takamura_table_1, with 1,000 to 10,000 unlabeled messages and
1,000, 2,000 or 5,000 labeled ones: ul-cat, SVMs on the Fisher kernel of a mixture that EM fits to
raw counts of all documents, and "fisher", ``TextClassifier(method="fisher")`` with its defaults,
from the same texts. Run: ``python -m studies.takamura_figure_1``; what is in
results/takamura_figure_1.jsonl is not computed again.
"""

from collections.abc import Sequence

import numpy as np

from studies import _common
from studies._common import mean_sd, paired, run_study
from studies._rows import Row, RowFile, report
from studies._takamura import SPLITS
from studies._workers import complete
from studies.takamura_table_1 import METHODS, rows_of_task

SIZES = (1000, 2000, 5000)  # labeled
UNLABELED = (1000, 2000, 4000, 6000, 8000, 10_000)
SHOWN = ("ul-cat", "fisher")
OF_A_TASK = ("split", "n_labeled", "n_unlabeled")
ROWS = RowFile(_common.RESULTS / "takamura_figure_1.jsonl", (*OF_A_TASK, "method"))


def planned() -> list[Row]:
    return [
        {"split": number, "n_labeled": size, "n_unlabeled": n_unlabeled, "method": method}
        for number in range(SPLITS)
        for size in SIZES
        for n_unlabeled in UNLABELED
        for method in SHOWN
    ]


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one task; runs in a worker process."""
    return rows_of_task(plans, OF_A_TASK)


def told(rows: Sequence[Row]) -> str:
    first = rows[0]
    found = ", ".join(f"{row['method']} {100 * row['accuracy']:.1f}" for row in rows)
    return (
        f"split {first['split']}, {first['n_labeled']} labels, {first['n_unlabeled']} unlabeled: "
        f"{found}"
    )


def summarize(rows: Sequence[Row]) -> Row:
    lines = []
    for method in SHOWN:
        for size in SIZES:
            points = []
            for n_unlabeled in UNLABELED:
                place = (method, size, n_unlabeled)
                of_point = [
                    row
                    for row in sorted(rows, key=lambda row: row["split"])
                    if (row["method"], row["n_labeled"], row["n_unlabeled"]) == place
                ]
                points.append([row["accuracy"] for row in of_point])
            lines.append(
                {
                    "method": method,
                    "n_labeled": size,
                    "n_unlabeled": list(UNLABELED),
                    "accuracy": points,
                    "mean": [float(np.mean(point)) for point in points],
                    "gain": paired(points[-1], points[0]),
                }
            )
    return {"lines": lines}


def markdown(results: Row) -> str:
    shown = [
        "Accuracy in %, mean ± standard deviation over splits, by unlabeled messages:\n",
        f"| method | labels | {' | '.join(f'{own:,}' for own in UNLABELED)} |",
        "|---" * (len(UNLABELED) + 2) + "|",
    ]
    for line in results["lines"]:
        cells = " | ".join(mean_sd(point).strip() for point in line["accuracy"])
        shown.append(f"| {line['method']} | {line['n_labeled']:,} | {cells} |")
    return "\n".join(shown) + "\n"


def plot(results: Row) -> None:
    figure, axes = _common.subplots(figsize=(7, 5))
    colors = dict(zip(SIZES, ("#1f6f8b", "#c8642b", "#6a9f3f"), strict=True))
    for line in results["lines"]:
        size, own = line["n_labeled"], line["method"]
        axes.plot(
            line["n_unlabeled"],
            [100 * mean for mean in line["mean"]],
            "-o" if own == "ul-cat" else "--s",
            color=colors[size],
            markersize=4,
            label=f"{own}, {size:,} labels",
        )
    axes.set_xlabel("unlabeled messages")
    axes.set_ylabel("accuracy, %")
    axes.legend(fontsize=9)
    _common.save_figure("takamura_figure_1", figure)


def main() -> None:
    assert set(SHOWN) <= set(METHODS)
    rows = complete(planned(), OF_A_TASK, run_unit, told, ROWS)
    results = summarize(rows)
    plot(results)
    report("takamura_figure_1", rows, results, markdown(results), SPLITS)


if __name__ == "__main__":
    run_study(main)
