"""Folds of labeled documents to hold out together."""

from typing import Any

import numpy as np

from leaven._base.typing import BoolArray, IntArray
from leaven._base.validation import check_whole

__all__ = ["drawn_folds", "enough_folds", "labeled_folds", "n_folds_for"]

FEW_LABELS = 20  # up to this many, each is left out by itself, where settings are chosen
FOLDS = 10  # with more labels
ENOUGH = 1000  # held-out documents: more folds would add little information


def n_folds_for(given: int | str | None, n_labeled: int, name: str = "n_folds") -> int | None:
    """Number of folds that the option ``name`` asks for; None means leave-one-out."""
    if given is None:
        return None if n_labeled <= FEW_LABELS else FOLDS
    if given == "loo":
        return None
    if isinstance(given, str):
        raise ValueError(f"{name} must be 'loo', a whole number of folds or None, got {given!r}")
    check_whole(name, given, "[2, inf)")
    return int(given)


def labeled_folds(
    codes: IntArray, n_folds: int | None, seed: Any = 0, able: BoolArray | None = None
) -> list[IntArray]:
    """Indices of the labeled documents in each fold, classes spread over the folds.

    ``codes`` are class codes, negative where unlabeled. ``n_folds=None`` is leave-one-out.
    The only labeled document of a class is never held out: its class could not be learned. ``able``
    says which documents may be held out, None that all may.
    """
    counts = np.bincount(codes[codes >= 0], minlength=1)
    is_scored = (codes >= 0) & (np.where(codes >= 0, counts[codes], 0) > 1)
    scored = np.flatnonzero(is_scored if able is None else is_scored & able)
    if not len(scored):
        raise ValueError(
            "choosing a number of components, words or iterations by held-out labels needs a class "
            "with two labeled documents, but every class has at most one; set the number, or label "
            "a few more"
        )
    shuffled = np.random.default_rng(seed).permutation(scored)
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]  # class after class
    n_folds = len(dealt) if n_folds is None else min(n_folds, len(dealt))
    # Neighbours go to different folds, so no fold has all documents of a class.
    return [np.sort(dealt[first::n_folds]) for first in range(n_folds)]


def enough_folds(folds: list[IntArray], enough: int = ENOUGH) -> list[IntArray]:
    """The first folds that together hold enough documents for a comparison."""
    sizes = np.cumsum([len(fold) for fold in folds])
    return folds[: int(np.searchsorted(sizes, enough)) + 1]


def drawn_folds(folds: list[IntArray], most: int, rng: np.random.Generator) -> list[IntArray]:
    """The folds, or where they hold more than ``most`` documents, as many drawn from each."""
    if sum(len(fold) for fold in folds) <= most:
        return folds
    each = max(most // len(folds), 1)
    return [np.sort(rng.choice(fold, min(each, len(fold)), replace=False)) for fold in folds]
