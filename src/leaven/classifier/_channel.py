"""One way in which a classifier sees documents: counts, vectors of these, and experts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from leaven._base.matrices import row_range
from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import BoolArray, Counts, FloatArray
from leaven.experts import Expert, checked_scores
from leaven.learning import View
from leaven.text._counter import TextCounter

__all__ = ["Channel", "Seen", "without_rows"]

FEWEST_PER_THREAD = 500  # documents: scoring fewer takes less time than waking a thread


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
        weighted = list(zip(self.weights, self.experts, strict=True))
        has_threads = any(one.in_threads(n_threads) is not one for one in self.experts)
        # In one go where it can be: threads wait for each other once, and not for each expert.
        groups = [[pair] for pair in weighted] if has_threads else [weighted]
        first, *others = (_scores(group, X, vectors, n_classes, n_threads) for group in groups)
        for scores in others:
            first += scores
        return first

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


def _scores(
    weighted: Sequence[tuple[float, Expert]],
    X: Counts,
    vectors: FloatArray | None,
    n_classes: int,
    n_threads: int | None,
) -> FloatArray:
    """Weighted sum of scores; documents are divided among threads unless an expert does that."""
    threaded = [(weight, expert.in_threads(n_threads)) for weight, expert in weighted]
    n_parts = min(count_threads(n_threads), X.shape[0] // FEWEST_PER_THREAD)
    if any(a is not b for (_, a), (_, b) in zip(threaded, weighted, strict=True)) or n_parts < 2:
        return _summed(threaded, X, vectors, n_classes)
    bounds = [X.shape[0] * part // n_parts for part in range(n_parts + 1)]

    def score(part: int) -> FloatArray:
        first, last = bounds[part], bounds[part + 1]
        seen = None if vectors is None else vectors[first:last]
        return _summed(weighted, row_range(X, first, last), seen, n_classes)

    return np.concatenate(run_in_threads(score, n_parts))


def _summed(
    weighted: Sequence[tuple[float, Expert]],
    X: Counts,
    vectors: FloatArray | None,
    n_classes: int,
) -> FloatArray:
    total = np.zeros((X.shape[0], n_classes))
    for weight, expert in weighted:
        total += weight * checked_scores(expert, X, vectors, n_classes)
    return total


def without_rows(X: Counts, is_emptied: BoolArray) -> Counts:
    """Counts in which these documents have none."""
    if not is_emptied.any():
        return X
    sizes = np.where(is_emptied, 0, np.diff(X.indptr))
    kept = np.repeat(~is_emptied, np.diff(X.indptr))
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(X.indptr.dtype)
    return csr_array((X.data[kept], X.indices[kept], indptr), shape=X.shape)
