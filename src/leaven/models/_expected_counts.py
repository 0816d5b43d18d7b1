"""Expected counts of a block of documents, for E-steps and for gradients of log sums."""

from typing import NamedTuple

import numpy as np

from leaven._base.lane_kernels import lanes_for
from leaven._base.row_kernels import slot_columns
from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.models import _mixture_kernels

__all__ = ["Components", "Vectors", "expect_counts"]


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
) -> float:
    """Write each component's expected documents and words (n_words, n_components).

    Returns the documents' part of the objective. Documents with a class are shared among its
    components, the others (class -1) among all.
    """
    n_components = len(components.classes)
    lanes = lanes_for(n_components)
    component = slot_columns(n_components, lanes)
    is_first = component >= 0
    start = np.where(is_first, components.log_weight[component], -np.inf)
    of_slots = np.empty_like(start)
    if vectors is None:
        nothing = np.empty((0, n_components), words.dtype)
        vectors = Vectors(np.empty((0, 0), words.dtype), nothing, nothing.astype(np.float64))
    objective = _mixture_kernels.expect_counts(
        X.indptr,
        X.indices,
        X.data,
        y,
        weight,
        unlabeled_weight,
        components.classes,
        component,
        start,
        components.log_word,
        np.arange(len(vectors.directions), dtype=X.indices.dtype),
        vectors.rows.reshape(-1),
        vectors.directions,
        beta,
        lanes,
        of_slots,
        words,
        vectors.sums,
    )
    documents[component[is_first]] = of_slots[is_first]
    return float(objective)
