"""Cross-validation in which unlabeled documents always train and are never scored."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from leaven._base.folds import labeled_folds, n_folds_for
from leaven._base.typing import FloatArray, IntArray
from leaven.corpora import Joined, Unlabeled, in_memory, labeled_documents
from leaven.corpora._base import Block, Corpus

__all__ = ["Held", "cross_validate", "labeled_folds", "n_folds_for"]

Predictor = Callable[[Block], FloatArray]  # documents → log p(x, class)


class Held:
    """The labeled documents of a corpus in folds, each held out once."""

    def __init__(
        self,
        corpus: Corpus,
        n_folds: int | str | None = None,
        seed: Any = 0,
        labeled: Block | None = None,
    ) -> None:
        self.labeled = labeled_documents(corpus) if labeled is None else labeled
        self.unlabeled: Corpus = Unlabeled(corpus)
        number = n_folds_for(n_folds, len(self.labeled.y))
        self.folds = labeled_folds(self.labeled.y, number, seed)

    def rest(self, fold: IntArray) -> Corpus:
        """The corpus without the documents of a fold."""
        kept = np.setdiff1d(np.arange(len(self.labeled.y)), fold)
        return Joined([in_memory(self.labeled.rows(kept), 1), self.unlabeled])

    def documents(self, fold: IntArray) -> Block:
        return self.labeled.rows(fold)


def cross_validate(
    held: Held,
    fits: Sequence[Callable[[Corpus], Predictor]],
    on_fit: Callable[[int, int], None] | None = None,
) -> list[FloatArray]:
    """For each way to fit: which held-out documents it got right, one entry per document.

    Entries of different fits belong to the same documents, so they can be compared in pairs.
    ``on_fit(done, total)`` is called after every fit.
    """
    right: list[list[FloatArray]] = [[] for _ in fits]
    done, total = 0, len(fits) * len(held.folds)
    for fold in held.folds:
        rest, documents = held.rest(fold), held.documents(fold)
        for number, fit in enumerate(fits):
            best = fit(rest)(documents).argmax(axis=1)
            right[number].append((best == documents.y).astype(np.float64))
            done += 1
            if on_fit is not None:
                on_fit(done, total)
    return [np.concatenate(parts) for parts in right]
