"""The default on all of 20 Newsgroups, phase by phase, and its vectors against TruncatedSVD."""

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import TruncatedSVD

from benchmarks._common import Row, best_seconds, newsgroups
from leaven import TextClassifier
from leaven.corpora import InMemoryCorpus
from leaven.learning import fit_latent
from leaven.text import TextVectorizer

PER_CLASS = 15
MOST_SECONDS = {"auto": 3.5, "two-view": 2.5}


def run() -> list[Row]:
    texts, names = newsgroups()
    labels = few_labels(names)
    rows = []
    for method, most in MOST_SECONDS.items():
        clf = TextClassifier(method, n_jobs=2)
        seconds = best_seconds({"ours": lambda clf=clf: clf.fit(texts, labels)}, rounds=3)["ours"]
        details = {"phases": clf.report_.seconds}
        rows.append(Row(f"TextClassifier({method!r}).fit", seconds, target=most, details=details))
    return [*rows, vectors(texts)]


def few_labels(names: list[str]) -> list[Any]:
    rng = np.random.default_rng(0)
    classes = np.array(names)
    labels = np.full(len(classes), None, dtype=object)
    for name in np.unique(classes):
        chosen = rng.permutation(np.flatnonzero(classes == name))[:PER_CLASS]
        labels[chosen] = name
    return list(labels)


def vectors(texts: list[str]) -> Row:
    """The same 100 directions from the same weighted counts."""
    X = TextVectorizer(log_tf=True, idf=True, min_df=2, dtype=np.float32).fit_transform(texts)
    corpus = InMemoryCorpus(X, np.full(X.shape[0], -1), n_threads=2)
    peer = csr_matrix(X)
    best = best_seconds(
        {
            "ours": lambda: fit_latent(corpus, 100, n_threads=2).vectors(X, n_threads=2),
            "peer": lambda: TruncatedSVD(100, random_state=0).fit_transform(peer),
        },
        rounds=3,
    )
    return Row(
        "100-dimensional vectors of 19,997 documents",
        best["ours"],
        "TruncatedSVD, float32",
        best["peer"],
    )
