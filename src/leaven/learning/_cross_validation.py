"""Cross-validation in which unlabeled documents always train and are never scored."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from leaven._base.folds import labeled_folds, n_folds_for
from leaven._base.progress import OnDone
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven.corpora import Block, Corpus, Joined, TrainingSet, Unlabeled, in_memory
from leaven.corpora import labeled_documents as fetch_labeled

__all__ = ["Folds", "Predictor", "cross_validate"]

Predictor: TypeAlias = Callable[[Block], FloatArray]  # documents → scores of classes


class Folds:
    """The labeled documents of a training set in folds, each held out once.

    Parameters
    ----------
    training : TrainingSet
        Labeled and unlabeled documents.
    n_folds : int, "loo" or None
        As in ``leaven._base.folds.n_folds_for``.
    seed : int
        Seed of the folds.
    labeled : Block or None
        The labeled documents to split; None is all of them.
    unlabeled : Corpus or None
        The documents that train in every fold, such as a sample; None is all unlabeled ones.
    able : array of bool, or None
        Which of the labeled documents may be held out; the others train in every fold.
    """

    def __init__(
        self,
        training: TrainingSet,
        n_folds: int | str | None = None,
        seed: Any = 0,
        labeled: Block | None = None,
        unlabeled: Corpus | None = None,
        able: BoolArray | None = None,
    ) -> None:
        self.training, self.seed = training, seed
        self.labels = training.labels
        self.labeled = fetch_labeled(training.corpus) if labeled is None else labeled
        self.unlabeled = Unlabeled(training.corpus) if unlabeled is None else unlabeled
        number = n_folds_for(n_folds, len(self.labeled.y))
        self.folds = labeled_folds(self.labels.strata(self.labeled.y), number, seed, able)

    def kept(self, fold: IntArray) -> IntArray:
        """Places of the labeled documents that stay in training."""
        return np.setdiff1d(np.arange(len(self.labeled.y)), fold)

    def rest(self, fold: IntArray) -> TrainingSet:
        """All documents but those of a fold."""
        block = self.labeled.rows(self.kept(fold))
        weights = np.bincount(block.y, block.weight, self.labels.n_codes).astype(np.float64)
        corpus = Joined([in_memory(block, 1), self.unlabeled])
        return replace(self.training, corpus=corpus, label_weights=weights)

    def documents(self, fold: IntArray) -> Block:
        """The documents of a fold."""
        return self.labeled.rows(fold)


def cross_validate(
    folds: Folds,
    fits: Sequence[Callable[[Corpus], Predictor]],
    on_fit: OnDone | None = None,
) -> list[FloatArray]:
    """For each way to fit: which held-out documents it classifies correctly, one entry each.

    Entries of different fits belong to the same documents, so they can be compared in pairs.
    ``on_fit(done, total)`` is called after every fit; once it returns True, only the folds count
    on which every fit was made.
    """
    right: list[list[FloatArray]] = [[] for _ in fits]
    done, total, is_stopped = 0, len(fits) * len(folds.folds), False
    for fold in folds.folds:
        rest, documents = folds.rest(fold), folds.documents(fold)
        for number, fit in enumerate(fits):
            if is_stopped:
                break
            decided = folds.labels.decide(fit(rest.corpus)(documents))
            right[number].append((decided == documents.y).astype(np.float64))
            done += 1
            is_stopped = on_fit is not None and on_fit(done, total) is True
    n_whole = len(right[-1])
    return [np.concatenate([np.zeros(0), *parts[:n_whole]]) for parts in right]
