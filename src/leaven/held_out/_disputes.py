"""Labels that held-out predictions dispute: they may be wrong."""

from dataclasses import dataclass

import numpy as np

from leaven._base.typing import FloatArray, IntArray

__all__ = ["ODDS", "Disputes", "disputed_labels"]

# Another class must be so many times as probable as the label. With labels of four corpora
# changed at random, this found more of them among fewer documents than the thresholds of
# confident learning, which ask how probable the other class usually is.
ODDS = 5.0
SMALLEST = 1e-12  # a probability below this is as good as none


@dataclass(frozen=True, eq=False)
class Disputes:
    """Documents whose label is disputed, the most doubtful first."""

    rows: IntArray  # of the probabilities given
    suggested: IntArray  # code of the class that is more probable than the label
    probability: FloatArray  # of the suggested class
    label_probability: FloatArray  # of the label

    def __len__(self) -> int:
        return len(self.rows)


def disputed_labels(probability: FloatArray, codes: IntArray, odds: float = ODDS) -> Disputes:
    """Find labels that are probably wrong, from predictions of models that never saw them.

    A label is disputed if another class is at least ``odds`` times as probable. The order is by
    these odds.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        Class probabilities of documents that were held out of training.
    codes : array of shape (n_documents,)
        The code of each document's label, none missing.
    odds : float, default=5
        How many times as probable the other class must be.
    """
    rows = np.arange(len(codes))
    own = probability[rows, codes]
    suggested = probability.argmax(axis=1)
    best = probability[rows, suggested]
    found = np.flatnonzero((suggested != codes) & (best >= odds * own))
    found = found[np.argsort(-best[found] / np.maximum(own[found], SMALLEST), kind="stable")]
    return Disputes(found, suggested[found], best[found], own[found])
