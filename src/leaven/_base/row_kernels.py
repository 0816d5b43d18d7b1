# mypy: ignore-errors
"""Compiled sums over rows of a table, and additions to them: what most models do with words.

A document's words choose rows of a table [n_rows, n_columns], in memory one after another. Columns
are treated in lanes (``lane_kernels``); where they are no multiple of the lanes, the last ones
overlap those before. *Slots* are one number for each lane of each group: all columns, and before
the last group those that are in two groups, a second time.
"""

import numpy as np

from leaven._base.compile import kernel_part
from leaven._base.lane_kernels import (
    add,
    add_wide,
    any_nonzero,
    lanes_for,
    load,
    multiply,
    multiply_add,
    prefetch,
    spread,
    store,
)
from leaven._base.typing import FloatArray, IntArray

NEAR = 2**19  # bytes of a table's first rows, which are taken to be in a core's cache


def slot_columns(n_columns: int, lanes: tuple[int, ...]) -> IntArray:
    """The column of each slot, -1 where its column is in a group before."""
    n_lanes = len(lanes)
    n_slots = -(-n_columns // n_lanes) * n_lanes
    columns = np.arange(n_slots)
    columns[n_slots - n_lanes :] -= n_slots - n_columns
    columns[n_slots - n_lanes : 2 * n_slots - n_lanes - n_columns] = -1
    return columns


def new_slots(n_columns: int) -> FloatArray:
    """Room for the slots of a row."""
    return np.empty(len(slot_columns(n_columns, lanes_for(n_columns))))


@kernel_part
def from_slots(slots, lanes, columns):
    """Copy the number of each column, of the first group that has it."""
    n_lanes = len(lanes)
    last = len(columns) - n_lanes
    for slot in range(len(slots) - n_lanes, -1, -n_lanes):
        place = min(slot, last)
        store(columns, place, load(slots, slot, lanes))


@kernel_part
def fetch_rows(rows, begin, end, table):
    """Start to load the rows that will be needed soon, and are not near.

    Rows are numbered in ascending order, so they are the last ones: where frequent words come
    first, a few of a document's rare words.
    """
    n_columns = table.shape[1]
    far = NEAR // (n_columns * table.itemsize)
    i = end - 1
    while i >= begin and rows[i] > far:
        place = np.int64(rows[i]) * n_columns
        prefetch(table, place)
        prefetch(table, place + min(n_columns, 32) - 1)
        i -= 1


@kernel_part
def add_rows(rows, first_row, data, begin, end, table, lanes, slots):
    """Add ``data[i] * table[rows[i - begin + first_row]]``, summed from begin to end, to ``slots``.

    Eight rows at a time in the table's precision, their sums in double precision.
    """
    if len(slots) == 2 * len(lanes):
        _add_narrow_rows(rows, first_row, data, begin, end, table, lanes, slots)
    else:
        _add_wide_rows(rows, first_row, data, begin, end, table, lanes, slots)


@kernel_part
def _add_narrow_rows(rows, first_row, data, begin, end, table, lanes, slots):
    """As ``add_rows``, of two groups of lanes: their sums stay in registers."""
    n_columns, n_lanes = table.shape[1], len(lanes)
    right = n_columns - n_lanes
    shift = first_row - begin
    rest = begin + (end - begin) // 8 * 8
    left_sum, right_sum = load(slots, 0, lanes), load(slots, n_lanes, lanes)
    for i in range(begin, rest, 8):
        place = np.int64(rows[i + shift]) * n_columns
        x = spread(data[i], table, lanes)
        even_left = multiply(x, load(table, place, lanes))
        even_right = multiply(x, load(table, place + right, lanes))
        place = np.int64(rows[i + 1 + shift]) * n_columns
        x = spread(data[i + 1], table, lanes)
        odd_left = multiply(x, load(table, place, lanes))
        odd_right = multiply(x, load(table, place + right, lanes))
        for pair in range(i + 2, i + 8, 2):  # unrolled: two sums wait for each other less than one
            place = np.int64(rows[pair + shift]) * n_columns
            x = spread(data[pair], table, lanes)
            even_left = multiply_add(x, load(table, place, lanes), even_left)
            even_right = multiply_add(x, load(table, place + right, lanes), even_right)
            place = np.int64(rows[pair + 1 + shift]) * n_columns
            x = spread(data[pair + 1], table, lanes)
            odd_left = multiply_add(x, load(table, place, lanes), odd_left)
            odd_right = multiply_add(x, load(table, place + right, lanes), odd_right)
        left_sum = add_wide(left_sum, add(even_left, odd_left))
        right_sum = add_wide(right_sum, add(even_right, odd_right))
    for i in range(rest, end):
        place = np.int64(rows[i + shift]) * n_columns
        x = spread(data[i], table, lanes)
        left_sum = add_wide(left_sum, multiply(x, load(table, place, lanes)))
        right_sum = add_wide(right_sum, multiply(x, load(table, place + right, lanes)))
    store(slots, 0, left_sum)
    store(slots, n_lanes, right_sum)


@kernel_part
def _add_wide_rows(rows, first_row, data, begin, end, table, lanes, slots):
    """As ``add_rows``, of any number of groups: the sums of eight rows are added at a time."""
    n_columns = table.shape[1]
    last = n_columns - len(lanes)
    shift = first_row - begin
    rest = begin + (end - begin) // 8 * 8
    for i in range(begin, rest, 8):
        row = i + shift
        p0 = np.int64(rows[row]) * n_columns
        p1 = np.int64(rows[row + 1]) * n_columns
        p2 = np.int64(rows[row + 2]) * n_columns
        p3 = np.int64(rows[row + 3]) * n_columns
        p4 = np.int64(rows[row + 4]) * n_columns
        p5 = np.int64(rows[row + 5]) * n_columns
        p6 = np.int64(rows[row + 6]) * n_columns
        p7 = np.int64(rows[row + 7]) * n_columns
        x0, x1 = spread(data[i], table, lanes), spread(data[i + 1], table, lanes)
        x2, x3 = spread(data[i + 2], table, lanes), spread(data[i + 3], table, lanes)
        x4, x5 = spread(data[i + 4], table, lanes), spread(data[i + 5], table, lanes)
        x6, x7 = spread(data[i + 6], table, lanes), spread(data[i + 7], table, lanes)
        for slot in range(0, len(slots), len(lanes)):
            k = min(slot, last)
            a = multiply(x0, load(table, p0 + k, lanes))
            b = multiply(x1, load(table, p1 + k, lanes))
            a = multiply_add(x2, load(table, p2 + k, lanes), a)
            b = multiply_add(x3, load(table, p3 + k, lanes), b)
            a = multiply_add(x4, load(table, p4 + k, lanes), a)
            b = multiply_add(x5, load(table, p5 + k, lanes), b)
            a = multiply_add(x6, load(table, p6 + k, lanes), a)
            b = multiply_add(x7, load(table, p7 + k, lanes), b)
            store(slots, slot, add_wide(load(slots, slot, lanes), add(a, b)))
    for i in range(rest, end):
        place = np.int64(rows[i + shift]) * n_columns
        x = spread(data[i], table, lanes)
        for slot in range(0, len(slots), len(lanes)):
            product = multiply(x, load(table, place + min(slot, last), lanes))
            store(slots, slot, add_wide(load(slots, slot, lanes), product))


@kernel_part
def add_to_rows(rows, first_row, data, begin, end, values, lanes, table):
    """Add ``data[i] * values`` to row ``rows[i - begin + first_row]``, for begin ≤ i < end.

    A strip of columns is as wide as one or two groups of lanes, and is left out if its values are
    zero. Both groups are read before either is written: where they overlap, both write the same,
    and the processor does not wait for what it has just written.
    """
    n_columns, n_lanes = table.shape[1], len(lanes)
    n_strips = (n_columns + 2 * n_lanes - 1) // (2 * n_lanes)
    shift = first_row - begin
    for strip in range(n_strips):
        left = n_columns * strip // n_strips
        right = n_columns * (strip + 1) // n_strips - n_lanes
        left_values, right_values = load(values, left, lanes), load(values, right, lanes)
        if not (any_nonzero(left_values) or any_nonzero(right_values)):
            continue
        for i in range(begin, end):
            place = np.int64(rows[i + shift]) * n_columns
            x = spread(data[i], table, lanes)
            left_sum = multiply_add(x, left_values, load(table, place + left, lanes))
            right_sum = multiply_add(x, right_values, load(table, place + right, lanes))
            store(table, place + left, left_sum)
            store(table, place + right, right_sum)
