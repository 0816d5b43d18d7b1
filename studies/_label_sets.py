"""Corpora whose documents have several labels, measures of predicted sets, and linear peers.

- R10: Reuters-21578, the ten largest classes (ModApte; documents with at least one of them).
- R90: the classes with training and test documents. TITLES: the same, titles alone.
- PLACES: places named by the indexers, those of 20 training documents or more.
- OVERLAP: topics, places, organizations and exchanges together, of 20 documents or more.
- XPOST: 20 Newsgroups, labels are all of the groups that a message was posted to; the first 70 %
  by date train. XPOST15: the same, 18 words of each message (the 21st to the 38th).
"""

import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from leaven import TextClassifier
from leaven.datasets import load_corpus

Labels = list[str]
REUTERS_FIELDS = ("title", "dateline", "text", "labels", "places", "orgs", "exchanges", "split")
NEWSGROUPS = re.compile(r"^Newsgroups: (.*)$", re.MULTILINE)
MESSAGE_ID = re.compile(r"^Message-I[Dd]: (.*)$", re.MULTILINE)
SHORT = slice(20, 38)  # words of a message in XPOST15
TRAINING_SHARE = 0.7
PLAIN, FORCED = "LinearSVC", "LinearSVC, one label forced"


@dataclass(frozen=True, eq=False)
class SetCorpus:
    """Texts and labels for training and for testing."""

    name: str
    texts: list[str]
    labels: list[Labels]
    test_texts: list[str]
    test_labels: list[Labels]

    @property
    def classes(self) -> list[str]:
        return sorted({label for own in (*self.labels, *self.test_labels) for label in own})

    def members(self, labels: Sequence[Sequence[str]]) -> np.ndarray:
        """Which of the classes documents have, (n_documents, n_classes)."""
        number = {label: place for place, label in enumerate(self.classes)}
        found = np.zeros((len(labels), len(number)), bool)
        for row, own in zip(found, labels, strict=True):
            row[[number[label] for label in own]] = True
        return found

    def about(self) -> dict[str, Any]:
        """Numbers for tables."""
        return {
            "n_training": len(self.texts),
            "n_test": len(self.test_texts),
            "n_classes": len(self.classes),
            "labels_per_document": float(np.mean([len(own) for own in self.labels])),
        }


@cache
def _reuters() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = load_corpus("reuters21578", columns=REUTERS_FIELDS).to_pylist()
    return [{name: own or "" for name, own in row.items()} for row in rows]


def _whole(row: dict[str, Any]) -> str:
    return f"{row['title']}\n{row['dateline']}\n{row['text']}"


def _undated(row: dict[str, Any]) -> str:
    return f"{row['title']}\n{row['text']}"


def _title(row: dict[str, Any]) -> str:
    return str(row["title"])


def _of_reuters(
    name: str,
    fields: Sequence[str],
    text: Callable[[dict[str, Any]], str],
    *,
    least: int = 1,
    largest: int | None = None,
    in_both: bool = False,
) -> SetCorpus:
    """Documents that have a label among the classes that are kept.

    ``least`` is the smallest number of training documents of a class; ``largest`` keeps so many
    of the largest classes; ``in_both`` keeps those with test documents.
    """

    def labels_of(row: dict[str, Any]) -> set[str]:
        return {label for field in fields for label in row[field]}

    parts = {
        part: [row for row in _reuters() if row["split"] == part] for part in ("train", "test")
    }
    sizes = {
        part: Counter(label for row in rows for label in labels_of(row))
        for part, rows in parts.items()
    }
    kept = {
        label
        for label, size in sizes["train"].most_common(largest)
        if size >= least and (not in_both or sizes["test"][label])
    }
    found = []
    for rows in parts.values():
        pairs = [(text(row), sorted(labels_of(row) & kept)) for row in rows]
        pairs = [(words, own) for words, own in pairs if own and words.strip()]
        found += [[words for words, _ in pairs], [own for _, own in pairs]]
    return SetCorpus(name, *found)  # type: ignore[arg-type]


@cache
def _cross_posts() -> list[tuple[str, str, Labels]]:
    """Date, text and groups of each message, in the order of dates."""
    table = load_corpus("20news_19997", columns=["id", "date", "text", "label", "headers"])
    rows = table.to_pylist()
    groups = {row["label"] for row in rows}
    found = {}
    for row in rows:
        posted = NEWSGROUPS.search(row["headers"])
        named = {group.strip() for group in posted.group(1).split(",")} if posted else set()
        identity = MESSAGE_ID.search(row["headers"])
        key = identity.group(1) if identity else row["id"]
        found[key] = (row["date"], row["text"], sorted(named & groups | {row["label"]}))
    return sorted(found.values())


def _of_newsgroups(name: str, text: Callable[[str], str]) -> SetCorpus:
    messages = [(text(body), labels) for _, body, labels in _cross_posts()]
    n_training = int(TRAINING_SHARE * len(messages))
    parts = messages[:n_training], messages[n_training:]
    columns = [[message[place] for message in part] for part in parts for place in (0, 1)]
    return SetCorpus(name, *columns)  # type: ignore[arg-type]


def _some_words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text)[SHORT])


TOPICS = ("labels",)
EVERYTHING = ("labels", "places", "orgs", "exchanges")
CORPORA: dict[str, Callable[[], SetCorpus]] = {
    "R10": lambda: _of_reuters("R10", TOPICS, _whole, largest=10),
    "R90": lambda: _of_reuters("R90", TOPICS, _whole, in_both=True),
    "PLACES": lambda: _of_reuters("PLACES", ("places",), _undated, least=20),
    "TITLES": lambda: _of_reuters("TITLES", TOPICS, _title, in_both=True),
    "OVERLAP": lambda: _of_reuters("OVERLAP", EVERYTHING, _undated, least=20),
    "XPOST": lambda: _of_newsgroups("XPOST", str),
    "XPOST15": lambda: _of_newsgroups("XPOST15", _some_words),
}


@cache
def load(name: str) -> SetCorpus:
    """One of ``CORPORA``."""
    return CORPORA[name]()


def measured(truth: np.ndarray, predicted: np.ndarray) -> dict[str, Any]:
    """Shares of whole sets that are right, micro- and macro-F1, (n_documents, n_classes) both.

    A class that is neither there nor predicted has an F1 of 0, as in scikit-learn.
    """
    right = (truth & predicted).sum(axis=0)
    either = truth.sum(axis=0) + predicted.sum(axis=0)
    f1 = 2.0 * right / np.maximum(either, 1)
    return {
        "exact": float((truth == predicted).all(axis=1).mean()),
        "micro_f1": float(2.0 * right.sum() / max(either.sum(), 1)),
        "macro_f1": float(f1.mean()),
        "by_class": [float(share) for share in (truth == predicted).mean(axis=0)],
    }


def timed(classifier: TextClassifier, corpus: SetCorpus) -> dict[str, Any]:
    """What a classifier of text achieves on the test documents, and the seconds it takes."""
    start = time.perf_counter()
    classifier.fit(corpus.texts, corpus.labels)
    fit_seconds = time.perf_counter() - start
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a document without a known word is part of the result
        predicted = classifier.predict(corpus.test_texts)
    predict_seconds = time.perf_counter() - start
    return {
        **measured(corpus.members(corpus.test_labels), corpus.members(list(predicted))),
        "expected_exact": classifier.report_.expected_accuracy["accuracy"],
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
    }


def linear(
    machine: Any, texts: list[str], has_class: np.ndarray, test_texts: list[str]
) -> tuple[np.ndarray, np.ndarray, float]:
    """One binary classifier for each class on scikit-learn's tf-idf: predictions and seconds.

    The first predictions are those of the classifiers, in the second a document without a class
    has the one with the highest score.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multiclass import OneVsRestClassifier

    start = time.perf_counter()
    occurs = has_class.any(axis=0) & ~has_class.all(axis=0)
    vectorizer = TfidfVectorizer()
    peer = OneVsRestClassifier(machine).fit(
        vectorizer.fit_transform(texts), has_class[:, occurs].astype(np.int64)
    )
    scores = np.full((len(test_texts), len(occurs)), -np.inf)
    scores[:, has_class.all(axis=0)] = np.inf
    some = peer.decision_function(vectorizer.transform(test_texts))
    scores[:, occurs] = some.reshape(len(test_texts), -1)
    plain = scores > 0
    forced = plain.copy()
    is_empty = ~plain.any(axis=1)
    forced[is_empty, scores[is_empty].argmax(axis=1)] = True
    return plain, forced, time.perf_counter() - start


def linear_rows(machine: Any, name: str, corpus: SetCorpus) -> dict[str, dict[str, Any]]:
    """Measures of a linear peer, and of the same with one label forced."""
    has_class, truth = (corpus.members(own) for own in (corpus.labels, corpus.test_labels))
    *predictions, seconds = linear(machine, corpus.texts, has_class, corpus.test_texts)
    names = (name, f"{name}, one label forced")
    return {
        each: {**measured(truth, predicted), "seconds": seconds}
        for each, predicted in zip(names, predictions, strict=True)
    }


def percent(share: float, digits: int = 2) -> str:
    return f"{100 * share:.{digits}f}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(map(str, row))} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]) + "\n"
