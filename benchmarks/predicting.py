"""Predicting many documents with the default, against a scikit-learn pipeline."""

import warnings

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks._common import Row, best_seconds, machine, n_bytes, newsgroups
from benchmarks.default import few_labels
from leaven import TextClassifier
from leaven.exceptions import UnseenWordsWarning

THREADS = {"one": 1, "two": 2}
LEAST_RATIOS = {"one": 6.0, "two": 12.0}


def run() -> list[Row]:
    """All of 20 Newsgroups, by models of the same 300 labels; both begin with raw text."""
    texts, names = newsgroups()
    labels = few_labels(names)
    clf = TextClassifier("auto", n_jobs=2).fit(texts, labels)
    labeled = [i for i, label in enumerate(labels) if label is not None]
    peer = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
    peer.fit([texts[i] for i in labeled], [labels[i] for i in labeled])
    warnings.simplefilter("ignore", UnseenWordsWarning)  # a few messages are empty
    best = best_seconds(
        {
            "peer": lambda: peer.predict(texts),
            **{
                name: lambda n_jobs=n_jobs: clf.set_params(n_jobs=n_jobs).predict(texts)
                for name, n_jobs in THREADS.items()
            },
        }
    )
    return [
        Row(
            f"TextClassifier('auto').predict, {len(texts):,} texts, {name} "
            f"thread{'s' if n_jobs > 1 else ''}",
            best[name],
            "TfidfVectorizer, LogisticRegression",
            best["peer"],
            LEAST_RATIOS[name],
            {"texts_per_second": len(texts) / best[name]},
            limit=machine().seconds(n_bytes(texts)),
        )
        for name, n_jobs in THREADS.items()
    ]
