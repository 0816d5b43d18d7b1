"""Documents of the gallery: SciPy's docstrings, of which a few are labeled."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leaven import TextClassifier
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.classifier import FittedClassifier
from leaven.datasets import load_docstrings
from leaven.documents._arrow import as_text_array

SEED = 0
PER_CLASS = 5  # labeled documents of each class, where nothing else is said
ARTICLES = ("a ", "an ", "the ")


@dataclass(frozen=True, eq=False)
class Task:
    """Texts, their true classes, and which of them a classifier is told."""

    texts: list[str]
    truth: np.ndarray  # (n_documents,) str
    labeled: IntArray  # numbers of the labeled documents
    classes: np.ndarray = field(init=False)  # sorted
    codes: IntArray = field(init=False)  # (n_documents,) of the truth
    unlabeled: IntArray = field(init=False)

    def __post_init__(self) -> None:
        classes, codes = np.unique(self.truth, return_inverse=True)
        unlabeled = np.setdiff1d(np.arange(len(self.texts)), self.labeled)
        for name, value in (("classes", classes), ("codes", codes), ("unlabeled", unlabeled)):
            object.__setattr__(self, name, value)

    @property
    def given(self) -> np.ndarray:
        """The labels that a classifier is told, None elsewhere."""
        labels = np.full(len(self.truth), None, object)
        labels[self.labeled] = self.truth[self.labeled]
        return labels

    @property
    def known_codes(self) -> IntArray:
        """Codes of the labels that a classifier is told, -1 elsewhere."""
        codes = np.full(len(self.truth), -1)
        codes[self.labeled] = self.codes[self.labeled]
        return codes

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers that captions quote."""
        return {
            "n_labeled": len(self.labeled),
            "n_unlabeled": len(self.unlabeled),
            "n_classes": len(self.classes),
        }

    def fitted(
        self, method: str, options: Mapping[str, Any] | None = None, *, calibrate: bool = False
    ) -> FittedClassifier:
        """A method trained on all documents."""
        classifier = TextClassifier(
            method, options=options, calibrate=calibrate, random_state=SEED, n_jobs=1
        )
        with warnings.catch_warnings():
            # An EM that is stopped after each of its iterations is the purpose here.
            warnings.simplefilter("ignore")
            return classifier.fit(self.texts, self.given).fitted

    def counts(self, model: FittedClassifier) -> Counts:
        """All documents as the model sees them."""
        return model.counter.count(as_text_array(self.texts), dtype=model.dtype, n_threads=1)

    def scores(self, model: FittedClassifier) -> FloatArray:
        """Scores of all documents by the only expert of a model, or by all together."""
        return model.scores(model.seen(as_text_array(self.texts), 1), n_threads=1)

    def accuracy(self, scores: FloatArray) -> float:
        """Share of the unlabeled documents whose class has the highest score."""
        rows = self.unlabeled
        return float((scores[rows].argmax(axis=1) == self.codes[rows]).mean())

    def margins(self, scores: FloatArray) -> FloatArray:
        """Score of the true class minus the best other, of the unlabeled documents."""
        rows = self.unlabeled
        own = scores[rows, self.codes[rows]]
        others = scores[rows].copy()
        others[np.arange(len(rows)), self.codes[rows]] = -np.inf
        margins: FloatArray = own - others.max(axis=1)
        return margins


def docstrings(per_class: int = PER_CLASS, seed: int = SEED) -> Task:
    """All docstrings, with as many labels of each sub-package."""
    texts, labels, _ = load_docstrings()
    return drawn(texts, np.array(labels), per_class, seed)


def two_classes(names: Sequence[str], per_class: int, seed: int = SEED) -> Task:
    """The docstrings of two sub-packages."""
    texts, labels, _ = load_docstrings()
    kept = [number for number, label in enumerate(labels) if label in names]
    return drawn([texts[i] for i in kept], np.array(labels)[kept], per_class, seed)


def drawn(texts: list[str], truth: np.ndarray, per_class: int, seed: int) -> Task:
    """A task with labels drawn at random, equally many of each class."""
    rng = np.random.default_rng(seed)
    chosen = [
        rng.choice(np.flatnonzero(truth == name), per_class, replace=False)
        for name in np.unique(truth)
    ]
    return Task(texts, truth, np.concatenate(chosen))


def title(text: str, most: int = 60) -> str:
    """The first sentence of a docstring, shortened at a word."""
    first = " ".join(text.strip().split("\n\n")[0].split()).replace("`", "").partition(". ")[0]
    if first.lower().startswith(ARTICLES):
        first = first.partition(" ")[2]
    first = first[:1].upper() + first[1:].rstrip(". ")
    if len(first) <= most:
        return first
    return first[: most - 1].rsplit(" ", 1)[0].rstrip(",;:( ") + " …"


def histogram(values: FloatArray, edges: FloatArray) -> list[int]:
    """Numbers of values between edges; values beyond the ends are counted at the ends."""
    found = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
    return [int(number) for number in found]


def rounded(values: Any, digits: int = 3) -> Any:
    """Numbers as JSON needs them, without digits that no picture shows."""
    return np.round(np.asarray(values, float), digits).tolist()
