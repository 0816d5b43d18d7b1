"""Sums over the words of documents, against scipy's products."""

import numpy as np
import pytest
from scipy.sparse import random_array

from leaven._base.matrices import row_range
from leaven.models._word_sums import row_norms, word_sums


def _counts(dtype=np.float32):
    rng = np.random.default_rng(0)
    X = random_array((50, 40), density=0.2, format="csr", rng=rng, dtype=np.float64)
    X.data = np.ceil(9 * X.data)
    X = X.astype(dtype)
    X.data[X.indptr[7] : X.indptr[8]] = 0  # a document whose counts are all zero
    return X


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("n_columns", [0, 1, 3, 20, 33, 70])
@pytest.mark.parametrize("order", ["C", "F"])
def test_word_sums_are_the_product(dtype, n_columns, order):
    X = _counts(dtype)
    table = np.random.default_rng(1).normal(size=(40, n_columns)).astype(np.float32, order=order)
    table.flags.writeable = False
    found = word_sums(X, table)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, X.astype(np.float64) @ table.astype(np.float64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_norms_are_those_of_dense_rows(dtype):
    X = _counts(dtype)
    expected = np.linalg.norm(X.toarray().astype(np.float64), axis=1)
    assert expected[7] == 0
    np.testing.assert_allclose(row_norms(X), np.where(expected > 0, expected, 1.0), rtol=1e-14)


@pytest.mark.parametrize(("first", "last"), [(0, 50), (0, 0), (3, 4), (10, 50), (50, 50)])
def test_a_range_of_rows_shares_the_memory_of_the_matrix(first, last):
    X = _counts()
    rows = row_range(X, first, last)
    assert rows.nnz == 0 or np.shares_memory(rows.data, X.data)
    assert (rows != X[first:last]).nnz == 0
    assert rows.shape == (last - first, 40)
    rows.check_format(full_check=True)
