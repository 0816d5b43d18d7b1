"""The corpus and splits of Takamura and Okumura (IJCNLP 2004), section 5.

20 Newsgroups: the paper's 18,828 messages are nearly those of the version sorted by date, which
are used here, 18,846 less those without text. Words that occur less than ten times in all messages
are not counted. What else is a word is not in the paper. Here headers are left out, and so are the
318 stop words of scikit-learn: of bodies, with subjects, with all headers, each with and without
stop words, this is the corpus on which linear SVMs have the paper's accuracy (with stop words they
are about 10 points below it with 100 and 300 labels, with subjects and without stop words 3 to 6
points above).

Five test sets of 3,765 messages (the last is a little smaller) do not overlap. Of the others 5,000
may be labeled, the first n of them at random, and 10,000 are unlabeled, the first of them where
there are fewer.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from leaven import TextVectorizer
from leaven.datasets import load_corpus

SPLITS = 5
N_TEST, MOST_LABELED, MOST_UNLABELED = 3765, 5000, 10_000
FEWEST = 10  # occurrences of a word


class Messages(NamedTuple):
    """Texts, codes of their groups, and counts of their words."""

    texts: list[str]
    codes: np.ndarray  # (n_messages,)
    X: csr_array  # (n_messages, n_words)


class Split(NamedTuple):
    """Numbers of messages."""

    labeled: np.ndarray
    unlabeled: np.ndarray
    test: np.ndarray


@cache
def load() -> Messages:
    table = load_corpus("20news_bydate", columns=["text", "label"])
    bodies, labels = table["text"].to_pylist(), np.array(table["label"].to_pylist())
    kept = np.flatnonzero([bool(body.strip()) for body in bodies])
    texts = [bodies[i] for i in kept]
    vectorizer = TextVectorizer(stop_words="english", dtype=np.float64)
    X = vectorizer.fit_transform(texts)
    frequent = np.flatnonzero(X.sum(axis=0) >= FEWEST)
    codes = np.unique(labels[kept], return_inverse=True)[1]
    return Messages(texts, codes, csr_array(X[:, frequent]))


def split(number: int, n_labeled: int, n_unlabeled: int = MOST_UNLABELED) -> Split:
    """A split by its number, from 0 to 4."""
    n_messages = len(load().codes)
    order = np.random.default_rng(0).permutation(n_messages)
    test = order[number * N_TEST : (number + 1) * N_TEST]
    rest = np.random.default_rng([1, number]).permutation(np.setdiff1d(order, test))
    unlabeled = rest[MOST_LABELED : MOST_LABELED + n_unlabeled]
    return Split(rest[:n_labeled], unlabeled, test)
