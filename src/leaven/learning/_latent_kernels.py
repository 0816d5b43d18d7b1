# mypy: ignore-errors
"""Compiled loops for document vectors, each tested against a plain implementation."""

import numpy as np

from leaven._base.compile import kernel, kernel_part


@kernel
def project_rows(indptr, indices, data, first, last, basis, out):
    """Write rows ``first`` to ``last`` of the documents times ``basis`` to ``out``."""
    for i in range(first, last):
        out[i] = 0.0
        _add_projection(indices, data, indptr[i], indptr[i + 1], basis, out[i])


@kernel
def add_gram(indptr, indices, data, weight, basis, emphasis, out):
    """Add weight * x x^T basis to ``out`` for every document x, scaled to unit length.

    x are the documents' words times their ``emphasis``. Rows of ``basis`` are already multiplied
    by it; rows of ``out`` are left for the caller to multiply.
    """
    place = np.zeros(basis.shape[1], dtype=basis.dtype)
    for i in range(len(indptr) - 1):
        begin, end = indptr[i], indptr[i + 1]
        square = 0.0
        for nz in range(begin, end):
            x = data[nz] * emphasis[indices[nz]]
            square += x * x
        if square == 0.0 or weight[i] == 0.0:
            continue
        place[:] = 0.0
        _add_projection(indices, data, begin, end, basis, place)
        place *= basis.dtype.type(weight[i] / square)
        for nz in range(begin, end):
            x = data[nz]
            word = indices[nz]
            for k in range(basis.shape[1]):
                out[word, k] += x * place[k]


@kernel_part
def _add_projection(indices, data, begin, end, basis, place):
    for nz in range(begin, end):
        x = data[nz]
        word = indices[nz]
        for k in range(basis.shape[1]):
            place[k] += x * basis[word, k]


@kernel
def unit_vector(indices, data, basis, center, out):
    """Write the unit vector of one document, from its words, as rows of several are made."""
    out[:] = 0.0
    _add_projection(indices, data, np.int64(0), np.int64(len(indices)), basis, out)
    _scale_to_one(out)
    is_known = False
    for k in range(len(out)):
        is_known = is_known or out[k] != 0.0
    for k in range(len(out)):
        out[k] = out[k] - center[k] if is_known else 0.0
    _scale_to_one(out)


@kernel_part
def _scale_to_one(vector):
    square = 0.0
    for k in range(len(vector)):
        square += np.float64(vector[k]) * np.float64(vector[k])
    if square > 0.0:
        length = np.sqrt(square)
        for k in range(len(vector)):
            vector[k] = vector[k] / length
