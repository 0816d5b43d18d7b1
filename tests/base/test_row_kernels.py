"""Sums over rows of a table, and additions to them, against plain numpy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from leaven._base import row_kernels
from leaven._base.compile import kernel
from leaven._base.lane_function_kernels import exponentials, logarithms
from leaven._base.lane_kernels import load, store
from leaven._base.row_kernels import row_lanes, slot_columns

# Kernels call parts; these let the tests call them.
add_rows_part, add_to_rows_part = row_kernels.add_rows, row_kernels.add_to_rows
sum_rows_part = row_kernels.sum_rows
from_slots_part = row_kernels.from_slots


@kernel
def add_rows(rows, first_row, data, begin, end, table, lanes, slots):
    add_rows_part(rows, first_row, data, begin, end, table, lanes, slots)


@kernel
def add_to_rows(rows, first_row, data, begin, end, values, lanes, table):
    add_to_rows_part(rows, first_row, data, begin, end, values, 0, lanes, table)


@kernel
def from_slots(slots, lanes, columns):
    from_slots_part(slots, lanes, columns)


COLUMNS = [1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 20, 31, 32, 33, 47, 100]


def table_and_document(n_columns, dtype, n_values=21, n_rows=30):
    rng = np.random.default_rng(n_columns)
    table = rng.normal(size=(n_rows, n_columns)).astype(dtype)
    rows = np.sort(rng.choice(n_rows, n_values, replace=False)).astype(np.int32)
    return table, rows, rng.exponential(size=n_values).astype(dtype)


@pytest.mark.parametrize("n_columns", COLUMNS)
def test_every_column_has_one_slot_of_its_own(n_columns):
    lanes = row_lanes(n_columns)
    columns = slot_columns(n_columns, lanes)
    assert (len(columns) - len(lanes[1])) % len(lanes[0]) == 0
    assert_array_equal(columns[columns >= 0], np.arange(n_columns))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", COLUMNS)
def test_sum_of_rows(n_columns, dtype):
    table, rows, data = table_and_document(n_columns, dtype)
    lanes = row_lanes(n_columns)
    columns = slot_columns(n_columns, lanes)
    slots = np.where(columns >= 0, 0.5, -np.inf)
    begin, end = 2, 19  # two times eight values, and one
    add_rows(rows[1:], np.int64(1), data, np.int64(begin), np.int64(end), table, lanes, slots)
    expected = 0.5 + data[begin:end].astype(float) @ table[rows[begin:end]].astype(float)
    found = np.empty(n_columns)
    from_slots(slots, lanes, found)
    assert_allclose(found, expected, rtol=1e-5 if dtype == np.float32 else 1e-13, atol=1e-5)
    assert np.isneginf(slots[columns < 0]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", COLUMNS)
def test_addition_to_rows(n_columns, dtype):
    table, rows, data = table_and_document(n_columns, dtype)
    values = np.random.default_rng(0).normal(size=n_columns).astype(dtype)
    values[n_columns // 3 :: 2] = 0.0
    expected = table.astype(float)
    begin, end = 3, 18
    expected[rows[begin:end]] += np.outer(data[begin:end], values)
    untouched = np.setdiff1d(np.arange(len(table)), rows[begin:end])
    before = table.copy()
    add_to_rows(
        rows, np.int64(begin), data, np.int64(begin), np.int64(end), values,
        row_lanes(n_columns), table,
    )  # fmt: skip
    assert_allclose(table, expected, rtol=1e-5 if dtype == np.float32 else 1e-14, atol=1e-6)
    assert_array_equal(table[untouched], before[untouched])


@kernel
def sum_rows(rows, data, begin, end, table, lanes, is_first, totals, place):
    sum_rows_part(rows, data, begin, end, table, lanes, is_first, totals, place)


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("n_columns", COLUMNS)
def test_sum_of_rows_in_their_precision(n_columns, is_first):
    table, rows, data = table_and_document(n_columns, np.float64)
    totals = np.full((3, n_columns), 7.0)
    lanes, begin, end = row_lanes(n_columns), 2, 19
    sum_rows(rows, data, begin, end, table, lanes, is_first, totals, n_columns)
    expected = (0.0 if is_first else 7.0) + data[begin:end] @ table[rows[begin:end]]
    assert_allclose(totals[1], expected, atol=1e-14)
    assert (totals[[0, 2]] == 7.0).all()


@kernel
def _exponentials(x, lanes, out):
    for i in range(0, len(x), len(lanes)):
        store(out, i, exponentials(load(x, i, lanes)))


def test_exponentials_are_those_of_the_library():
    x = -np.concatenate([[0.0], np.geomspace(1e-18, 700.0, 20_003)])
    out = np.empty_like(x)
    _exponentials(x, (0,) * 4, out)
    assert_allclose(out, np.exp(x), rtol=4.5e-16)
    assert out[0] == 1.0
    _exponentials(np.array([-1e9, -np.inf]), (0, 0), out[:2])
    assert 0.0 < out[0] < 1e-300
    assert 0.0 < out[1] < 1e-300


@kernel
def _logarithms(x, lanes, out):
    for i in range(0, len(x), len(lanes)):
        store(out, i, logarithms(load(x, i, lanes)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logarithms_are_those_of_the_library(dtype):
    limits = np.finfo(dtype)
    far = np.geomspace(float(limits.tiny), float(limits.max) / 2, 20_003)
    near_one = np.concatenate([1 - np.geomspace(limits.epsneg, 0.5, 500), np.linspace(1, 3, 2001)])
    denormal = [limits.smallest_subnormal, limits.tiny / 3, limits.tiny * (1 - limits.eps)]
    x = np.concatenate([far, near_one, denormal]).astype(dtype)
    x = x[: len(x) // 4 * 4]
    out = np.empty_like(x)
    _logarithms(x, (0,) * 4, out)
    assert_allclose(out, np.log(x.astype(np.longdouble)), rtol=1.5 * float(limits.eps))
    special = np.array([0.0, 1.0, np.inf, np.nan], dtype)
    _logarithms(special, (0,) * 4, out[:4])
    assert_array_equal(out[:4], np.array([-np.inf, 0.0, np.inf, np.nan]))
