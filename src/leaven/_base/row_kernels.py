# mypy: ignore-errors
"""Compiled sums over rows of a table, and additions to them: what most models do with words.

A document's words choose rows of a table [n_rows, n_columns], in memory one after another. Columns
are treated in groups of lanes (``lane_kernels``). The last one may be narrower than the others;
where columns are no multiple of the lanes, it overlaps the group before. *Slots* are one number for
each lane of each group: all columns, and before the last group those that are in two groups, a
second time. A *lanes* argument is a pair here: of all groups but the last, and of the last.
"""

import numpy as np

from leaven._base.compile import kernel_inline, kernel_part
from leaven._base.lane_kernels import (
    MOST_LANES,
    add,
    add_wide,
    any_nonzero,
    lanes_for,
    load,
    multiply,
    multiply_add,
    prefetch,
    row_at,
    spread,
    spread_at,
    store,
)
from leaven._base.typing import FloatArray, IntArray

RowLanes = tuple[tuple[int, ...], tuple[int, ...]]

FEWEST_LAST = 4  # lanes of a last group that is narrower than the others
MOST_FETCHED = (
    128  # columns of a row that are fetched ahead; those that follow, the processor foresees
)
ROWS_ON_THEIR_WAY = 48  # to a core, of a table that is not in its cache
NEAR = 2**19  # bytes of a table's first rows, which are taken to be in a core's cache


def row_lanes(n_columns: int) -> RowLanes:
    """Lanes of the groups, and of the last one.

    A last group that is narrower spares the processor loads which cross a cache line. Only where
    there are two groups, the first of them as wide as can be: with other widths it would gain
    little, and each pair of widths is compiled by itself.
    """
    lanes = lanes_for(n_columns)
    n_last = len(lanes)
    if len(lanes) == MOST_LANES and n_columns <= 2 * MOST_LANES:
        while n_last > FEWEST_LAST and n_columns - len(lanes) <= n_last // 2:
            n_last //= 2
    return lanes, lanes[:n_last]


def slot_columns(n_columns: int, lanes: RowLanes) -> IntArray:
    """The column of each slot, -1 where its column is in a group before."""
    n_lanes, n_last = len(lanes[0]), len(lanes[1])
    before = -(-(n_columns - n_last) // n_lanes) * n_lanes  # slots of the other groups
    last = np.arange(n_columns - n_last, n_columns)
    return np.concatenate([np.arange(before), np.where(last < before, -1, last)])


def new_slots(n_columns: int) -> FloatArray:
    """Room for the slots of a row."""
    return np.empty(len(slot_columns(n_columns, row_lanes(n_columns))))


@kernel_part
def from_slots(slots, lanes, columns):
    """Copy the number of each column, of the first group that has it."""
    wide, last = lanes
    n_lanes, before = len(wide), len(slots) - len(last)
    store(columns, len(columns) - len(last), load(slots, before, last))
    for slot in range(before - n_lanes, -1, -n_lanes):
        store(columns, slot, load(slots, slot, wide))


@kernel_inline
def fetch_row(rows, i, table):
    """Start to load row ``rows[i]``, which will be needed soon, if there is one."""
    if i < len(rows):
        n_columns = min(table.shape[1], MOST_FETCHED)
        place = row_at(rows, i) * table.shape[1]
        prefetch(table, place)
        prefetch(table, place + n_columns - 1)
        for column in range(MOST_LANES, n_columns - MOST_LANES, MOST_LANES):
            prefetch(table, place + column)


@kernel_inline
def fetch_rows(rows, begin, end, table):
    """Start to load the rows that will be needed soon, and are not near.

    Rows are numbered in ascending order, so they are the last ones: where frequent words come
    first, a few of a document's rare words.
    """
    far = NEAR // (table.shape[1] * table.itemsize)
    i = end - 1
    while i >= begin and row_at(rows, i) > far:
        fetch_row(rows, i, table)
        i -= 1


@kernel_inline
def add_rows(rows, first_row, data, begin, end, table, lanes, slots):
    """Add ``data[i] * table[rows[i - begin + first_row]]``, summed from begin to end, to ``slots``.

    Eight rows at a time in the table's precision, their sums in double precision.
    """
    wide, last = lanes
    if len(slots) == len(wide) + len(last):
        _add_narrow_rows(rows, first_row, data, begin, end, table, wide, last, slots)
    else:
        _add_wide_rows(rows, first_row, data, begin, end, table, wide, slots)


@kernel_inline
def _add_narrow_rows(rows, first_row, data, begin, end, table, lanes, last, slots):
    """As ``add_rows``, of two groups of lanes: their sums stay in registers."""
    n_columns, n_lanes = table.shape[1], len(lanes)
    right = n_columns - len(last)
    shift = first_row - begin
    rest = begin + (end - begin) // 8 * 8
    left_sum, right_sum = load(slots, 0, lanes), load(slots, n_lanes, last)
    for i in range(begin, rest, 8):
        place = row_at(rows, i + shift) * n_columns
        x, z = spread_at(data, i, table, lanes), spread_at(data, i, table, last)
        even_left = multiply(x, load(table, place, lanes))
        even_right = multiply(z, load(table, place + right, last))
        place = row_at(rows, i + 1 + shift) * n_columns
        x, z = spread_at(data, i + 1, table, lanes), spread_at(data, i + 1, table, last)
        odd_left = multiply(x, load(table, place, lanes))
        odd_right = multiply(z, load(table, place + right, last))
        for pair in range(i + 2, i + 8, 2):  # unrolled: two sums wait for each other less than one
            place = row_at(rows, pair + shift) * n_columns
            x, z = spread_at(data, pair, table, lanes), spread_at(data, pair, table, last)
            even_left = multiply_add(x, load(table, place, lanes), even_left)
            even_right = multiply_add(z, load(table, place + right, last), even_right)
            place = row_at(rows, pair + 1 + shift) * n_columns
            x, z = spread_at(data, pair + 1, table, lanes), spread_at(data, pair + 1, table, last)
            odd_left = multiply_add(x, load(table, place, lanes), odd_left)
            odd_right = multiply_add(z, load(table, place + right, last), odd_right)
        left_sum = add_wide(left_sum, add(even_left, odd_left))
        right_sum = add_wide(right_sum, add(even_right, odd_right))
    for i in range(rest, end):
        place = row_at(rows, i + shift) * n_columns
        x, z = spread_at(data, i, table, lanes), spread_at(data, i, table, last)
        left_sum = add_wide(left_sum, multiply(x, load(table, place, lanes)))
        right_sum = add_wide(right_sum, multiply(z, load(table, place + right, last)))
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
        p0 = row_at(rows, row) * n_columns
        p1 = row_at(rows, row + 1) * n_columns
        p2 = row_at(rows, row + 2) * n_columns
        p3 = row_at(rows, row + 3) * n_columns
        p4 = row_at(rows, row + 4) * n_columns
        p5 = row_at(rows, row + 5) * n_columns
        p6 = row_at(rows, row + 6) * n_columns
        p7 = row_at(rows, row + 7) * n_columns
        x0, x1 = spread_at(data, i, table, lanes), spread_at(data, i + 1, table, lanes)
        x2, x3 = spread_at(data, i + 2, table, lanes), spread_at(data, i + 3, table, lanes)
        x4, x5 = spread_at(data, i + 4, table, lanes), spread_at(data, i + 5, table, lanes)
        x6, x7 = spread_at(data, i + 6, table, lanes), spread_at(data, i + 7, table, lanes)
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
        place = row_at(rows, i + shift) * n_columns
        x = spread_at(data, i, table, lanes)
        for slot in range(0, len(slots), len(lanes)):
            product = multiply(x, load(table, place + min(slot, last), lanes))
            store(slots, slot, add_wide(load(slots, slot, lanes), product))


@kernel_inline
def add_to_rows(rows, first_row, data, begin, end, values, place, lanes, table):
    """Add ``data[i]`` times a row of numbers to row ``rows[i - begin + first_row]`` of a table.

    For begin ≤ i < end; the numbers are those of ``values`` from ``place`` on. A strip of columns
    is as wide as one or two groups of lanes, and is left out if its numbers are zero. Both groups
    are read before either is written: where they overlap, both write the same, and the processor
    does not wait for what it has just written.
    """
    wide, last = lanes
    n_columns, n_lanes = table.shape[1], len(wide)
    n_strips = (n_columns + 2 * n_lanes - 1) // (2 * n_lanes)
    shift = first_row - begin
    left = 0
    for strip in range(n_strips):
        # No division where there is one strip: it would take as long as a few rows.
        after = n_columns if strip + 1 == n_strips else n_columns * (strip + 1) // n_strips
        right = after - len(last)
        left_values = load(values, place + left, wide)
        right_values = load(values, place + right, last)
        if any_nonzero(left_values) or any_nonzero(right_values):
            for i in range(begin, end):
                row = row_at(rows, i + shift) * n_columns
                x, z = spread_at(data, i, table, wide), spread_at(data, i, table, last)
                left_sum = multiply_add(x, left_values, load(table, row + left, wide))
                right_sum = multiply_add(z, right_values, load(table, row + right, last))
                store(table, row + left, left_sum)
                store(table, row + right, right_sum)
        left = after


@kernel_inline
def sum_rows(rows, data, begin, end, table, lanes, is_first, totals, place):
    """Add ``data[i] * table[rows[i]]``, summed from begin to end in its precision, to totals.

    These are numbers of ``totals`` from ``place`` on, and do not count if ``is_first``. Strips of
    columns are those of ``add_to_rows``.
    """
    wide, last = lanes
    n_columns, n_lanes = table.shape[1], len(wide)
    n_strips = (n_columns + 2 * n_lanes - 1) // (2 * n_lanes)
    left = 0
    for strip in range(n_strips):
        # No division where there is one strip: it would take as long as a few rows.
        after = n_columns if strip + 1 == n_strips else n_columns * (strip + 1) // n_strips
        right = after - len(last)
        if is_first:
            left_sum, right_sum = spread(0.0, table, wide), spread(0.0, table, last)
        else:
            left_sum = load(totals, place + left, wide)
            right_sum = load(totals, place + right, last)
        for i in range(begin, end):
            row = row_at(rows, i) * n_columns
            x, z = spread_at(data, i, table, wide), spread_at(data, i, table, last)
            left_sum = multiply_add(x, load(table, row + left, wide), left_sum)
            right_sum = multiply_add(z, load(table, row + right, last), right_sum)
        store(totals, place + left, left_sum)
        store(totals, place + right, right_sum)
        left = after
