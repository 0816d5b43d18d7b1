"""Cross-validation in which unlabeled documents always train and are never scored."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from leaven._typing import Counts, FloatArray, IntArray
from leaven._validation import check_whole
from leaven.corpora import InMemoryCorpus, Joined, Unlabeled, labeled_documents
from leaven.corpora._base import Block, Corpus

__all__ = ["Held", "cross_validate", "labeled_folds", "n_folds_for"]

FEW_LABELS = 20  # up to this many, leave one out
FOLDS = 10

T = TypeVar("T")
Predictor = Callable[[Counts], FloatArray]  # documents → log p(x, class)


def n_folds_for(cv: int | str | None, n_labeled: int) -> int | None:
    """Number of folds that the option ``cv`` asks for; None is to leave one out."""
    if cv is None:
        return None if n_labeled <= FEW_LABELS else FOLDS
    if cv == "loo":
        return None
    if isinstance(cv, str):
        raise ValueError(f"cv must be 'loo', a whole number of folds or None, got {cv!r}")
    check_whole("cv", cv, "[2, inf)")
    return int(cv)


def labeled_folds(codes: IntArray, n_folds: int | None, seed: Any = 0) -> list[IntArray]:
    """Places of the labeled documents to hold out together, classes spread over the folds.

    ``codes`` are class codes, negative where unlabeled. None as ``n_folds`` leaves one out.
    The only labeled document of a class is never held out: nothing could be learned of it.
    """
    counts = np.bincount(codes[codes >= 0], minlength=1)
    scored = np.flatnonzero((codes >= 0) & (np.where(codes >= 0, counts[codes], 0) > 1))
    if not len(scored):
        raise ValueError(
            "cross-validation needs a class with two labeled documents, and every class has "
            "one at most; label a few more"
        )
    shuffled = np.random.default_rng(seed).permutation(scored)
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]  # class after class
    n_folds = len(dealt) if n_folds is None else min(n_folds, len(dealt))
    # Neighbours go to different folds, so none takes all documents of a class.
    return [np.sort(dealt[first::n_folds]) for first in range(n_folds)]


class Held:
    """The labeled documents of a corpus in folds, each held out once."""

    def __init__(self, corpus: Corpus, cv: int | str | None = None, seed: Any = 0) -> None:
        self.labeled = labeled_documents(corpus)
        self.unlabeled = Unlabeled(corpus)
        n_folds = n_folds_for(cv, len(self.labeled.y))
        self.folds = labeled_folds(self.labeled.y, n_folds, seed)

    def rest(self, fold: IntArray) -> Corpus:
        """The corpus without the documents of a fold."""
        kept = np.setdiff1d(np.arange(len(self.labeled.y)), fold)
        part = _rows(self.labeled, kept)
        return Joined([InMemoryCorpus(part.X, part.y, part.weight, n_threads=1), self.unlabeled])

    def documents(self, fold: IntArray) -> Block:
        return _rows(self.labeled, fold)


def _rows(block: Block, rows: IntArray) -> Block:
    return replace(block, X=csr_array(block.X[rows]), y=block.y[rows], weight=block.weight[rows])


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
            best = fit(rest)(documents.X).argmax(axis=1)
            right[number].append((best == documents.y).astype(np.float64))
            done += 1
            if on_fit is not None:
                on_fit(done, total)
    return [np.concatenate(parts) for parts in right]
