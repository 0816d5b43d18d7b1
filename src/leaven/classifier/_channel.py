"""One way in which a classifier sees documents: counts, vectors of these, and experts."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from leaven._base.typing import BoolArray, Counts, FloatArray
from leaven.experts import Expert, checked_scores
from leaven.learning import View
from leaven.text._counter import TextCounter

__all__ = ["Channel", "Seen", "without_rows"]


class Seen(NamedTuple):
    """Documents as a classifier sees them."""

    X: Counts  # (n_documents, n_words)
    beside: "Counts | None" = None  # (n_documents, n_subwords), where subwords are counted too


@dataclass(frozen=True, eq=False)
class Channel:
    """A counter, and experts with weights that score what it counts."""

    counter: TextCounter
    experts: tuple[Expert, ...]
    weights: FloatArray  # (n_experts,)
    view: View | None = None  # where documents' vectors come from, if experts use any

    def scores(
        self, X: Counts, n_classes: int, given: Any = None, n_threads: int | None = None
    ) -> FloatArray:
        """Weighted sum of the experts' scores; ``given`` are the user's vectors, if any."""
        vectors = None if self.view is None else self.view.vectors(X, given, n_threads)
        total: FloatArray = np.zeros((X.shape[0], n_classes))
        for weight, expert in zip(self.weights, self.experts, strict=True):
            total += weight * checked_scores(expert.in_threads(n_threads), X, vectors, n_classes)
        return total

    def pulls(self, x: Counts, given: Any = None) -> FloatArray:
        """What each word of one document adds to the scores, (n_present, n_classes)."""
        parts = vector = None
        if self.view is not None:
            parts, (vector,) = self.view.word_vectors(x, given), self.view.vectors(x, given, 1)
        experts = [expert.for_document(vector) for expert in self.experts]
        weighted = zip(self.weights, experts, strict=True)
        total: FloatArray = np.sum(
            [weight * expert.pulls(x, parts) for weight, expert in weighted], axis=0
        )
        return total


def without_rows(X: Counts, is_emptied: BoolArray) -> Counts:
    """Counts in which these documents have none."""
    if not is_emptied.any():
        return X
    sizes = np.where(is_emptied, 0, np.diff(X.indptr))
    kept = np.repeat(~is_emptied, np.diff(X.indptr))
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(X.indptr.dtype)
    return csr_array((X.data[kept], X.indices[kept], indptr), shape=X.shape)
