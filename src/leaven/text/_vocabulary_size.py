"""Choice of the vocabulary size by accuracy on held-out labeled documents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from leaven._base.folds import labeled_folds
from leaven._base.typing import Counts, FloatArray, IntArray

__all__ = ["SizeChoice", "best_size", "try_sizes"]

# Candidates, of which those below the number of words are compared, and that number itself.
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
MOST_LEFT_OUT_SINGLY = 200  # with more labels, ten folds are used
FOLDS = 10  # where documents are not left out singly


@dataclass(frozen=True)
class SizeChoice:
    """A vocabulary size and its accuracy on held-out labeled documents."""

    n_words: int
    accuracy: float
    n_scored: int


def try_sizes(
    X: Counts,
    codes: IntArray,
    rank: Callable[[Counts, IntArray], FloatArray],
    weigh: Callable[[IntArray, Counts], Counts],
) -> list[SizeChoice]:
    """Leave-one-out accuracy of naive Bayes by vocabulary size.

    ``X`` holds labeled documents only. ``rank(X, codes)`` scores words, again for each fold
    without its documents, so that they do not influence the choice of words;
    ``weigh(columns, X[:, columns])`` turns counts into a classifier's input, in place.
    """
    sizes = [size for size in SIZES if size < X.shape[1]] + [X.shape[1]]
    n_folds = None if len(codes) <= MOST_LEFT_OUT_SINGLY else FOLDS
    right = np.zeros(len(sizes))
    n_scored = 0
    for fold in labeled_folds(codes, n_folds):
        rest = np.setdiff1d(np.arange(len(codes)), fold)
        scores = rank(csr_array(X[rest]), codes[rest])
        order = np.argsort(-scores, kind="stable")
        n_scored += len(fold)
        for number, size in enumerate(sizes):
            columns = np.sort(order[:size])
            weighted = weigh(columns, csr_array(X[:, columns]))
            best = _naive_bayes(weighted, codes, rest, fold)
            right[number] += (best == codes[fold]).sum()
    return [
        SizeChoice(size, float(n_right / n_scored), n_scored)
        for size, n_right in zip(sizes, right, strict=True)
    ]


def best_size(choices: Sequence[SizeChoice]) -> int:
    """The size of best accuracy; among ties the largest.

    Section 3.4.2 of Nigam et al. leaves that open; on the training documents of Reuters that a
    trial did not label, the largest is more accurate than the smallest (studies/table_3_2.py).
    """
    return max(choices, key=lambda choice: (choice.accuracy, choice.n_words)).n_words


def _naive_bayes(X: Counts, codes: IntArray, train: IntArray, test: IntArray) -> IntArray:
    """Classes that supervised naive Bayes gives to the rows ``test``."""
    n_classes = int(codes.max()) + 1
    one_hot = np.zeros((n_classes, len(train)))
    one_hot[codes[train], np.arange(len(train))] = 1.0
    words = np.asarray((X[train].T @ one_hot.T).T) + 1.0
    log_word = np.log(words / words.sum(axis=1, keepdims=True))
    score = np.asarray(X[test] @ log_word.T) + np.log(one_hot.sum(axis=1))
    best: IntArray = score.argmax(axis=1)
    return best
