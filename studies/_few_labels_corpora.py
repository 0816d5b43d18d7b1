"""For the study of few labels: its corpora, draws of labeled sets from them, and its methods.

What a method sees is a ``Task``: training texts, of which few have a label, and test texts. The
labels of the others stay with the ``Draw``, which judges the method's answer to the test texts.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC

from leaven import TextClassifier
from leaven._base.measures import calibration_error
from leaven.datasets import load_corpus, load_docstrings
from studies._common import newsgroup_split
from studies._reuters import CATEGORIES

TEST_SHARE = 0.3  # where a corpus has no split of its own
FEWEST = 20  # training documents of a class of Reuters
WEBKB_CLASSES = ("course", "faculty", "project", "student")
STATED = ("accuracy", "low", "high")  # what a method may say about its own accuracy
MEASURES = ("accuracy", "macro_f1", "ece", "nll", "seconds")
MOST_UNLABELED = 2000  # documents that costly methods see
COSTLY = ("mixture", "annealed", "tsvm", "mcl", "pcp")  # minutes per fit with many classes
FEWEST_LABELS = {"mixture": 2}  # per class, where labels must be held out


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents, their classes, and the role of each document (positions)."""

    texts: list[str]
    labels: np.ndarray  # (n_documents,) str
    test: np.ndarray
    pool: np.ndarray  # labeled documents are drawn from these
    unlabeled: np.ndarray  # the label of these, unless drawn, is hidden


@dataclass(frozen=True, eq=False)
class Tfidf:
    """scikit-learn's tf-idf of a task, and the CPU seconds that the training documents took."""

    train: Any
    test: Any
    seconds: float


@dataclass(frozen=True, eq=False)
class Task:
    """What a method is given."""

    texts: list[str]
    labels: np.ndarray  # (n_documents,) object: the class, or None
    test_texts: list[str]

    @cached_property
    def classes(self) -> np.ndarray:
        return np.array(sorted({label for label in self.labels if label is not None}))

    @cached_property
    def labeled(self) -> np.ndarray:
        return np.flatnonzero([label is not None for label in self.labels])

    @cached_property
    def codes(self) -> np.ndarray:
        """Number of the class of each training document, -1 where unlabeled."""
        codes = np.full(len(self.labels), -1)
        codes[self.labeled] = np.searchsorted(self.classes, self.labels[self.labeled].astype(str))
        return codes

    def sampled(self, n_unlabeled: int) -> "Task":
        """The same with at most so many unlabeled documents, drawn at random."""
        unlabeled = np.setdiff1d(np.arange(len(self.texts)), self.labeled)
        rng = np.random.default_rng(len(unlabeled))
        kept = rng.choice(unlabeled, min(n_unlabeled, len(unlabeled)), replace=False)
        rows = np.union1d(self.labeled, kept)
        return Task([self.texts[i] for i in rows], self.labels[rows], self.test_texts)

    @cached_property
    def tfidf(self) -> Tfidf:
        """Computed once for all methods that use it."""
        start = time.process_time()
        vectorizer = TfidfVectorizer()
        train = vectorizer.fit_transform(self.texts)
        seconds = time.process_time() - start
        return Tfidf(train, vectorizer.transform(self.test_texts), seconds)


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method makes of a task."""

    predicted: Any  # classes of the test documents
    proba: Any  # (n_documents, n_classes), classes sorted; None for a method without
    seconds: float  # of CPU time, from training texts to a trained classifier
    stated: dict[str, Any] = field(default_factory=dict)  # its own estimates


@dataclass(frozen=True, eq=False)
class Draw:
    """A task, and the truth about its test documents."""

    task: Task
    truth: np.ndarray

    def judge(self, answer: Answer) -> dict[str, float | None]:
        right = answer.predicted == self.truth
        macro_f1 = f1_score(self.truth, answer.predicted, average="macro", zero_division=0)
        found: dict[str, float | None] = {
            "accuracy": float(right.mean()),
            "macro_f1": float(macro_f1),
            "ece": None,
            "nll": None,
            "seconds": answer.seconds,
        }
        if answer.proba is not None:
            proba = np.asarray(answer.proba, dtype=np.float64)
            found["ece"] = calibration_error(proba.max(axis=1), right)
            of_truth = proba[np.arange(len(proba)), np.searchsorted(self.task.classes, self.truth)]
            found["nll"] = float(-np.log(np.clip(of_truth, np.finfo(np.float64).eps, 1.0)).mean())
        return found


Method = Callable[[Task], Answer]


def sklearn_nb(task: Task) -> Answer:
    start = time.process_time()
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform([task.texts[i] for i in task.labeled])
    clf = MultinomialNB().fit(counts, task.codes[task.labeled])
    seconds = time.process_time() - start
    return answer(task, clf.predict_proba(vectorizer.transform(task.test_texts)), seconds)


def on_tfidf(make: Callable[[], Any], *, semi_supervised: bool = False) -> Method:
    def method(task: Task) -> Answer:
        X, rows = task.tfidf, slice(None) if semi_supervised else task.labeled
        start = time.process_time()
        clf = make().fit(X.train[rows], task.codes[rows])
        seconds = X.seconds + time.process_time() - start
        if not hasattr(clf, "predict_proba"):
            return Answer(task.classes[clf.predict(X.test)], None, seconds)
        proba = clf.predict_proba(X.test)
        # Label spreading gives nan to documents whose neighbors no label has reached.
        return answer(task, np.where(np.isnan(proba), 1 / len(task.classes), proba), seconds)

    return method


def leavens(name: str, **settings: Any) -> Method:
    is_compiled = False

    def method(task: Task) -> Answer:
        nonlocal is_compiled
        if not is_compiled:
            few = task.sampled(100)
            TextClassifier(name, n_jobs=1, **settings).fit(few.texts, few.labels)
            is_compiled = True
        start = time.process_time()
        clf = TextClassifier(name, n_jobs=1, **settings).fit(task.texts, task.labels)
        seconds = time.process_time() - start
        expected = getattr(clf.report_, "expected_accuracy", None) or {}
        # With one label per class only a range is stated.
        is_stated = expected.get("low") is not None
        stated = {f"expected_{key}": expected[key] for key in STATED if is_stated}
        proba = clf.predict_proba(task.test_texts)
        return answer(task, proba, seconds, {"chosen": clf.report_.method, **stated})

    return method


def leavens_predictions(name: str) -> Method:
    """A method's classes alone, without calibrated probabilities, which would not change them."""
    fit = leavens(name, calibrate=False)

    def method(task: Task) -> Answer:
        found = fit(task.sampled(MOST_UNLABELED) if name in COSTLY else task)
        return replace(found, proba=None)

    return method


def answer(task: Task, proba: Any, seconds: float, *others: Any) -> Answer:
    return Answer(task.classes[proba.argmax(axis=1)], proba, seconds, *others)


def logreg() -> Any:
    return LogisticRegression(max_iter=1000)


def spreading() -> Any:
    clf = LabelSpreading(kernel="knn", n_neighbors=7, alpha=0.8, max_iter=100)
    return make_pipeline(TruncatedSVD(100, random_state=0), Normalizer(), clf)


METHODS: dict[str, Method] = {
    "nb": sklearn_nb,
    "svm": on_tfidf(LinearSVC),
    "logreg": on_tfidf(logreg),
    "self_training": on_tfidf(
        lambda: SelfTrainingClassifier(logreg(), threshold=0.75), semi_supervised=True
    ),
    "label_spreading": on_tfidf(spreading, semi_supervised=True),
    "leaven nb": leavens("nb"),
    "leaven svm": leavens_predictions("svm"),
    "maxent": leavens_predictions("maxent"),
    "knn": leavens_predictions("knn"),
    "sfe": leavens_predictions("sfe"),
    "multilabel": leavens_predictions("multilabel"),
    "ss_cknn": leavens_predictions("ss-cknn"),
    "fisher": leavens_predictions("fisher"),
    **{name: leavens_predictions(name) for name in COSTLY},
    "em_raw": leavens("em", calibrate=False),
    "em": leavens("em"),
    "two_view": leavens("two-view"),
    "auto": leavens("auto"),
}


def draw_task(name: str, per_class: int, draw: int) -> Draw:
    """A labeled set of ``per_class`` random documents a class, by the number of the draw."""
    corpus = load(name, draw if name in DRAWN_ANEW else 0)
    rng = np.random.default_rng([draw, per_class])
    chosen = []
    for label in np.unique(corpus.labels):
        of_class = corpus.pool[corpus.labels[corpus.pool] == label]
        size = per_class if len(of_class) >= 2 * per_class else max(len(of_class) // 2, 1)
        chosen.append(rng.choice(of_class, size, replace=False))
    labeled = np.concatenate(chosen)
    train = np.union1d(labeled, corpus.unlabeled)
    labels = np.full(len(train), None, dtype=object)
    labels[np.searchsorted(train, labeled)] = corpus.labels[labeled]
    texts = corpus.texts
    task = Task([texts[i] for i in train], labels, [texts[i] for i in corpus.test])
    return Draw(task, corpus.labels[corpus.test])


@lru_cache(maxsize=1)
def load(name: str, seed: int = 0) -> Corpus:
    """A corpus by its name here; ``seed`` matters to those drawn anew."""
    return CORPORA[name](seed)


def _newsgroups(seed: int) -> Corpus:
    split = newsgroup_split(seed)
    return Corpus(split.texts, split.labels, split.test, split.pool, split.unlabeled)


def _movie_reviews(_: int) -> Corpus:
    table = load_corpus("movie_reviews", columns=["text", "label", "fold"])
    return _parted(table, np.isin(table["fold"].to_numpy(), (7, 8, 9)))


def _webkb_html(_: int) -> Corpus:
    table = load_corpus("webkb")
    kept = np.isin(np.array(table["label"].to_pylist()), WEBKB_CLASSES)
    return _parted(table.filter(kept))


def _webkb_stemmed(_: int) -> Corpus:
    table = load_corpus("webkb4_stemmed", columns=["text", "label", "split"])
    return _parted(table, np.array(table["split"].to_pylist()) == "test")


def _reuters(_: int) -> Corpus:
    table = load_corpus("reuters21578", columns=["title", "text", "labels", "split"]).to_pylist()
    rows = []
    for row in table:
        topics = [topic for topic in row["labels"] or [] if topic in CATEGORIES]
        if row["split"] and len(topics) == 1:
            text = f"{row['title'] or ''}\n{row['text'] or ''}"
            rows.append((text, topics[0], row["split"] == "test"))
    sizes = Counter(topic for _, topic, is_test in rows if not is_test)
    rows = [row for row in rows if sizes[row[1]] >= FEWEST]
    texts, labels, is_test = (list(column) for column in zip(*rows, strict=True))
    return _split(texts, labels, np.array(is_test))


def _docstrings(_: int) -> Corpus:
    dataset = load_docstrings()
    return _split(dataset.texts, dataset.labels)


def _parted(table: Any, is_test: Any = None) -> Corpus:
    return _split(table["text"].to_pylist(), table["label"].to_pylist(), is_test)


def _split(texts: list[str], labels: list[str], is_test: Any = None) -> Corpus:
    """Every training document is either drawn as labeled or unlabeled."""
    if is_test is None:
        order = np.random.default_rng(0).permutation(len(texts))
        is_test = np.zeros(len(texts), dtype=bool)
        is_test[order[: round(TEST_SHARE * len(texts))]] = True
    train = np.flatnonzero(~is_test)
    return Corpus(texts, np.array(labels), np.flatnonzero(is_test), train, train)


CORPORA: dict[str, Callable[[int], Corpus]] = {
    "20news": _newsgroups,
    "movie_reviews": _movie_reviews,
    "webkb4": _webkb_html,
    "webkb4_stemmed": _webkb_stemmed,
    "reuters_r10": _reuters,
    "sector12": lambda _: _parted(load_corpus("sector12_stemmed")),
    "sraa16k": lambda _: _parted(load_corpus("sraa16k_bow")),
    "docstrings": _docstrings,
}
DRAWN_ANEW = ("20news",)  # unlabeled documents too are drawn by the number of the draw
