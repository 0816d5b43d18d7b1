"""What examples find in their folder, and in their namespace."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from docgen import tickets
from leaven.datasets import data_folder, load_docstrings

LABELS_PER_CLASS = 5
N_NEW = 200


class CorporaAbsentError(FileNotFoundError):
    """Examples need a corpus that is not on this machine."""


def write_tickets(folder: Path) -> None:
    """Help requests: tickets.csv, checked.csv, and new.csv without labels."""
    if data_folder() is None:
        raise CorporaAbsentError("real corpora are absent; set LEAVEN_DATA to their folder")
    tickets.write(folder)
    with (folder / "checked.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    write_rows(folder / "new.csv", [[row["id"], row["body"]] for row in rows[:N_NEW]], "id", "body")


def write_docstrings(folder: Path) -> None:
    """The built-in corpus: five labels per class in docstrings.csv, a fifth of all apart."""
    texts, labels, _ = load_docstrings()
    order = np.random.default_rng(0).permutation(len(texts)).tolist()
    n_checked = len(order) // 5
    checked = [[texts[i], labels[i]] for i in order[:n_checked]]
    n_labeled: Counter[str] = Counter()
    train = []
    for i in order[n_checked:]:
        n_labeled[labels[i]] += 1
        is_labeled = n_labeled[labels[i]] <= LABELS_PER_CLASS
        train.append([texts[i], labels[i] if is_labeled else ""])
    write_rows(folder / "docstrings.csv", train, "text", "label")
    write_rows(folder / "docstrings_checked.csv", checked, "text", "label")


def write_rows(path: Path, rows: list[list[str]], *names: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])


FILES = {"tickets": write_tickets, "docstrings": write_docstrings}


def few_texts() -> dict[str, Any]:
    """A handful of texts, for examples that show how something is called."""
    return {
        "texts": ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"] * 3,
        "labels": ["baking", "space", None, None] * 3,
        "codes": [0, 1, -1, -1] * 3,
        "new_texts": ["bread dough", "an orbit"],
    }


GIVEN = {"few_texts": few_texts}
