# mypy: ignore-errors
"""Compiled loops for document vectors, each tested against a plain implementation."""

import numpy as np

from leaven._base.compile import kernel, kernel_part
from leaven._base.row_kernels import add_rows, add_to_rows, fetch_rows, from_slots


@kernel
def add_gram(indptr, indices, data, weight, basis, emphasis, lanes, slots, place, out):
    """Add weight * x x^T basis to ``out`` for every document x, scaled to unit length.

    x are the documents' words times their ``emphasis``. Rows of ``basis`` are already multiplied
    by it; rows of ``out`` are left for the caller to multiply.
    """
    for i in range(len(indptr) - 1):
        begin, end = np.int64(indptr[i]), np.int64(indptr[i + 1])
        square = 0.0
        for nz in range(begin, end):
            x = data[nz] * emphasis[indices[nz]]
            square += x * x
        if square == 0.0 or weight[i] == 0.0:
            continue
        fetch_rows(indices, begin, end, out)
        _project(indices, data, begin, end, basis, lanes, slots, place)
        for k in range(len(place)):
            place[k] *= weight[i] / square
        add_to_rows(indices, begin, data, begin, end, place, 0, lanes, out)


@kernel_part
def _project(indices, data, begin, end, basis, lanes, slots, place):
    for slot in range(len(slots)):
        slots[slot] = 0.0
    add_rows(indices, begin, data, begin, end, basis, lanes, slots)
    from_slots(slots, lanes, place)


@kernel
def unit_vector(indices, data, begin, end, basis, center, lanes, slots, out):
    """Write the unit vector of one document, from its words, as rows of several are made."""
    _project(indices, data, begin, end, basis, lanes, slots, out)
    _scale_to_one(out)
    is_known = False
    for k in range(len(out)):
        is_known = is_known or out[k] != 0.0
    for k in range(len(out)):
        out[k] = out[k] - center[k] if is_known else 0.0
    _scale_to_one(out)


@kernel
def unit_vectors(indptr, indices, data, first, last, basis, center, lanes, slots, out):
    """Write the unit vectors of rows ``first`` to ``last`` of the documents to ``out``."""
    for i in range(first, last):
        begin, end = np.int64(indptr[i]), np.int64(indptr[i + 1])
        unit_vector(indices, data, begin, end, basis, center, lanes, slots, out[i])


@kernel_part
def _scale_to_one(vector):
    square = 0.0
    for k in range(len(vector)):
        square += np.float64(vector[k]) * np.float64(vector[k])
    if square > 0.0:
        length = np.sqrt(square)
        for k in range(len(vector)):
            vector[k] = vector[k] / length
