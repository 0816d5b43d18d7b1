"""Expected counts of a block of documents, for E-steps and for gradients of log sums."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leaven._base.row_kernels import row_lanes, slot_columns
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.corpora._rare_words import RarePart
from leaven.models import _mixture_kernels

__all__ = ["Components", "Vectors", "counts_rare_words_apart", "expect_counts"]

FEWEST_APART = 10  # components: with fewer, the parameters of all words are in a core's cache
MOST_APART = 256  # components: with more, shares of a part's documents would take over 16 MB


class Components(NamedTuple):
    """What is known of the components of a mixture."""

    classes: IntArray  # (n_components,) class code of each
    log_weight: FloatArray  # (n_components,)
    log_word: FloatArray  # (n_words, n_components), contiguous


class Vectors(NamedTuple):
    """A second view of documents, in the precision of the counts, contiguous."""

    rows: FloatArray  # (n_documents, n_dims)
    directions: FloatArray  # (n_dims, n_components); products with them are added to scores
    sums: FloatArray  # (n_dims, n_components) float64; overwritten with rows times shares


def expect_counts(
    X: Counts,
    y: IntArray,
    weight: FloatArray,
    components: Components,
    documents: FloatArray,
    words: FloatArray,
    *,
    unlabeled_weight: float = 1.0,
    beta: float = 1.0,
    vectors: Vectors | None = None,
    rare: Sequence[RarePart] = (),
) -> float:
    """Write each component's expected documents and words (n_words, n_components).

    Returns the documents' part of the objective. Documents with a class are shared among its
    components, the others (class -1) among all. ``rare`` are the words of X, if any, that are
    counted word by word.
    """
    n_components = len(components.classes)
    lanes = row_lanes(n_components)
    component = slot_columns(n_components, lanes)
    is_first = component >= 0
    start = np.where(is_first, components.log_weight[component], -np.inf)
    of_slots = np.zeros_like(start)
    if vectors is None:
        nothing = np.empty((0, n_components), words.dtype)
        vectors = Vectors(np.empty((0, 0), words.dtype), nothing, nothing.astype(np.float64))
    vectors.sums[:] = 0.0
    dims = np.arange(len(vectors.directions), dtype=X.indices.dtype)
    objective = 0.0
    for part in rare or [_no_rare_words(X)]:
        n_sums = part.last - part.first if len(part.near_words) else 1
        objective += _mixture_kernels.expect_counts(
            part.first,
            part.last,
            part.begins,
            part.ends,
            part.indices,
            part.values,
            y,
            weight,
            unlabeled_weight,
            components.classes,
            component,
            start,
            components.log_word,
            dims,
            vectors.rows.reshape(-1),
            vectors.directions,
            beta,
            lanes,
            part.near_words,
            part.rare_words,
            part.starts,
            part.documents,
            part.counts,
            np.empty((n_sums, n_components), words.dtype),
            of_slots,
            words,
            vectors.sums,
        )
    documents[component[is_first]] = of_slots[is_first]
    return objective


def counts_rare_words_apart(n_components: int) -> bool:
    """Whether that is faster, with so many components."""
    return FEWEST_APART <= n_components <= MOST_APART


def _no_rare_words(X: Counts) -> RarePart:
    """All documents of a block as one part, of which no words are apart."""
    nothing = np.empty(0, np.int64)
    return RarePart(
        0,
        X.shape[0],
        nothing,
        X.indptr[:-1],
        X.indptr[1:],
        X.indices,
        X.data,
        nothing,
        np.zeros(1, np.int64),
        np.empty(0, np.uint16),
        np.empty(0, X.data.dtype),
    )
