"""Detection of collapse: one class takes almost all unlabeled documents."""

from functools import partial

import numpy as np

from leaven._base.percent import percent
from leaven._base.typing import FloatArray
from leaven.corpora import Block, TrainingSet
from leaven.documents._labels import Labels
from leaven.experts import Expert

__all__ = ["collapse_message", "predicted_shares"]

ALMOST_ALL = 0.9  # share of the unlabeled documents, which one class should not take
NOT_EXPECTED = 0.75  # a class with this share of the labels may well take almost all
FEW_LEFT = 1 / 3  # of the classes, counted by the exponential of their shares' entropy
OF_EM = (
    "Try a larger constant length (400), a smaller alpha (0.1), a smaller unlabeled weight (0.1), "
    "or training without unlabeled documents (method nb)"
)


def collapse_message(
    labels: Labels,
    labeled: FloatArray,
    shares: FloatArray | None,
    what: str = "EM",
    advice: str = OF_EM,
) -> str | None:
    """The warning if ``what`` collapsed, None if it did not.

    Collapse reinforces itself: a class that takes more documents has the larger vocabulary,
    so that it takes still more. It shows as one class with almost all unlabeled documents, or
    as few classes left of many.
    """
    if shares is None:
        return None
    labeled_shares = labeled / labeled.sum()
    top = int(shares.argmax())
    name = labels.classes.tolist()[top]
    one_took_all = shares[top] >= ALMOST_ALL and labeled_shares[top] <= NOT_EXPECTED
    few_left = _n_effective(shares) < FEW_LEFT * _n_effective(labeled_shares)
    if not (one_took_all or few_left):
        return None
    return (
        f"class {name!r} was assigned {percent(shares[top])} of the unlabeled documents, but has "
        f"{percent(labeled_shares[top])} of the labels: {what} has probably collapsed. {advice}"
    )


def _n_effective(shares: FloatArray) -> float:
    """Exponential of the entropy: n for n equal shares."""
    positive = shares[shares > 0]
    return float(np.exp(-(positive * np.log(positive)).sum()))


def predicted_shares(expert: Expert, training: TrainingSet) -> FloatArray | None:
    """Shares of the unlabeled documents that an expert assigns to each class; None without any."""
    # Not a closure: it would take the corpus along to the workers of a cluster.
    counts = training.corpus.reduce(partial(_predicted_counts, expert, training.labels))
    total = counts.sum()
    return counts / total if total > 0 else None


def _predicted_counts(expert: Expert, labels: Labels, block: Block) -> FloatArray:
    unlabeled = block.rows(np.flatnonzero((block.y < 0) & (block.weight > 0)))
    codes = labels.decide(expert.scores(unlabeled.X, unlabeled.vectors))
    return np.bincount(codes, unlabeled.weight, len(labels)).astype(np.float64)
