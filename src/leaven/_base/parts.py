"""Parts of many rows, such as documents, so that arrays of all of them need not be in memory."""

from collections.abc import Iterator

__all__ = ["VALUES_AT_ONCE", "parts_of", "rows_at_once"]

VALUES_AT_ONCE = 8_000_000  # numbers of an array in memory, 64 MB in float64


def rows_at_once(n_columns: int, most: int | None = None) -> int:
    """Rows of so many columns that are in memory together, at least one."""
    rows = max(VALUES_AT_ONCE // max(n_columns, 1), 1)
    return rows if most is None else min(rows, most)


def parts_of(n_rows: int, n_columns: int, most: int | None = None) -> Iterator[slice]:
    """Slices of rows of so many columns, each of which is in memory at once."""
    size = rows_at_once(n_columns, most)
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
