"""Clark's division of 20 Newsgroups by date, and labeled messages drawn from it.

Of each group the later 40 % are, by halves at random, test and validation messages, so both are
later than all training messages; 20 % of the group are the pool that labeled messages come from,
equally many per group, and 40 % (7,500 in all) are unlabeled.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from leaven.datasets import load_corpus

SIZES = (40, 100, 200, 400, 1000, 2400)  # labeled messages
DRAWS = 5
TRAINING, POOL = 0.6, 1 / 3  # of a group, by date; of its training messages, at random
SUBJECT = re.compile(r"^subject:(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Split:
    """Messages and their groups, and the role of each message."""

    texts: list[str]
    labels: np.ndarray
    pool: np.ndarray
    unlabeled: np.ndarray
    test: np.ndarray
    validation: np.ndarray


@dataclass(frozen=True, eq=False)
class Draw:
    """What classifiers are trained and tested on, and settings are chosen on."""

    texts: list[str]
    labels: np.ndarray  # (n_documents,) group, or "" where unlabeled
    test_texts: list[str]
    truth: np.ndarray
    validation_texts: list[str]
    validation_truth: np.ndarray


@lru_cache(maxsize=1)
def messages(subjects: bool = False) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Bodies, with their subjects before them or not, groups and dates."""
    columns = ["text", "label", "date", *(["headers"] if subjects else [])]
    table = load_corpus("20news_bydate", columns=columns)
    texts, labels, dates = (table[name].to_pylist() for name in ("text", "label", "date"))
    if subjects:
        headers = table["headers"].to_pylist()
        texts = [f"{subject(own)}\n{body}" for own, body in zip(headers, texts, strict=True)]
    return texts, np.array(labels), np.array(dates)


def subject(headers: str) -> str:
    """The subject among the headers of a message."""
    found = SUBJECT.search(headers)
    return found.group(1).strip() if found else ""


@lru_cache(maxsize=1)
def split(seed: int, subjects: bool = False) -> Split:
    texts, labels, dates = messages(subjects)
    rng = np.random.default_rng(seed)
    parts: dict[str, list[Any]] = {"pool": [], "unlabeled": [], "test": [], "validation": []}
    for group in np.unique(labels):
        members = np.flatnonzero(labels == group)
        members = members[np.argsort(dates[members], kind="stable")]
        n_training = round(TRAINING * len(members))
        training, later = (
            rng.permutation(members[:n_training]),
            rng.permutation(members[n_training:]),
        )
        n_pool = round(POOL * n_training)
        parts["pool"].append(training[:n_pool])
        parts["unlabeled"].append(training[n_pool:])
        parts["test"].append(later[: len(later) // 2])
        parts["validation"].append(later[len(later) // 2 :])
    return Split(texts, labels, **{name: np.concatenate(places) for name, places in parts.items()})


def draw(size: int, seed: int, subjects: bool = False) -> Draw:
    """``size`` labeled messages, equally many per group, and all that go with them."""
    division = split(seed, subjects)
    rng = np.random.default_rng([seed, size])
    groups = np.unique(division.labels)
    chosen = [
        rng.choice(
            division.pool[division.labels[division.pool] == group],
            size // len(groups),
            replace=False,
        )
        for group in groups
    ]
    labeled = np.concatenate(chosen)
    train = np.concatenate([labeled, division.unlabeled])
    labels = np.full(len(train), "", dtype=object)
    labels[: len(labeled)] = division.labels[labeled]
    texts = {
        name: [division.texts[i] for i in places]
        for name, places in (
            ("train", train),
            ("test", division.test),
            ("validation", division.validation),
        )
    }
    return Draw(
        texts["train"],
        labels,
        texts["test"],
        division.labels[division.test],
        texts["validation"],
        division.labels[division.validation],
    )
