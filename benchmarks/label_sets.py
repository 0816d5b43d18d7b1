"""Documents with several labels: training, prediction and EM of the label-set mixture.

Reuters-21578, ten largest classes (6,490 training documents) and all 90 (7,770). The peer is
scikit-learn's ``TfidfVectorizer`` and one ``LinearSVC`` for each class, without calibration.
"""

from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from studies._label_sets import SetCorpus, load

from benchmarks._common import Row, best_seconds
from leaven import TextClassifier
from leaven.corpora import InMemoryCorpus
from leaven.documents._arrow import as_text_array
from leaven.learning import run_em
from leaven.models import LabelSetMixture
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

METHODS = ("auto", "multilabel", "svm")
N_ASKED = 1000
ROUNDS = 3
STEPS = 10
PEER = "OneVsRestClassifier(LinearSVC)"
MOST_FIT = {"R10": 2.0}  # seconds
MOST_PREDICT = {"R10": 1.0, "R90": 2.0}


def ours(method: str) -> TextClassifier:
    return TextClassifier(method, keep_documents=False)


def peer() -> Any:
    return make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LinearSVC()))


def run() -> list[Row]:
    return [row for name in MOST_PREDICT for row in of_corpus(load(name))] + [em(load("R10"))]


def of_corpus(corpus: SetCorpus) -> list[Row]:
    """Seconds of fits and of predictions, warm, in one run with the peer's."""
    has_class = corpus.members(corpus.labels).astype(np.int64)
    asked = corpus.test_texts[:N_ASKED]
    fitted = {method: ours(method).fit(corpus.texts, corpus.labels) for method in METHODS}
    fitted[PEER] = peer().fit(corpus.texts, has_class)
    fits = {
        method: lambda method=method: ours(method).fit(corpus.texts, corpus.labels)
        for method in METHODS
    }
    fits[PEER] = lambda: peer().fit(corpus.texts, has_class)
    predictions = {
        name: lambda classifier=classifier: classifier.predict(asked)
        for name, classifier in fitted.items()
    }
    for task in predictions.values():
        task()  # compiles
    rows = []
    size = f"{len(corpus.classes)} classes"
    tasks = {
        f"fit, {size}, {len(corpus.texts):,} documents": (fits, MOST_FIT),
        f"{N_ASKED:,} predictions, {size}": (predictions, MOST_PREDICT),
    }
    for what, (own, most) in tasks.items():
        best = best_seconds(own, rounds=ROUNDS)
        for method in METHODS:
            name = f"several labels: {what}, {method}"
            rows.append(Row(name, best[method], PEER, best[PEER]))
        limit = most.get(corpus.name)
        if limit is not None:
            name = f"several labels: {what}, auto (≤ {limit:g} s)"
            rows.append(Row(name, best["auto"], target=limit))
    return rows


def em(corpus: SetCorpus) -> Row:
    """An iteration of EM on counted documents."""
    members, codes = np.unique(corpus.members(corpus.labels), axis=0, return_inverse=True)
    options = TextOptions(log_tf=True, numbers="one")
    _, X = fit_counter(as_text_array(corpus.texts), options)
    documents = InMemoryCorpus(X, codes.astype(np.int64).ravel())
    model = LabelSetMixture(members)
    start = model.first_params(documents.n_words, documents.dtype)
    run_em(model, documents, start, max_iter=1, tol=-1.0)  # compiles
    best = best_seconds(
        {
            "few": lambda: run_em(model, documents, start, max_iter=1, tol=-1.0),
            "many": lambda: run_em(model, documents, start, max_iter=1 + STEPS, tol=-1.0),
        },
        rounds=ROUNDS,
    )
    seconds = (best["many"] - best["few"]) / STEPS
    details = {"n_documents": X.shape[0], "n_words": X.shape[1], "n_sets": len(members)}
    return Row("several labels: an iteration of EM, 10 classes", seconds, details=details)
