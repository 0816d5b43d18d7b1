"""Rows of tables as CSV, with quotation marks where they are needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven.documents._arrow import plain_array
from leaven.documents._columns import shown_name
from leaven.documents._encodings import BOM
from leaven.exceptions import DataError

__all__ = ["DELIMITERS", "Layout", "write_header", "write_rows"]

DELIMITERS = ",;\t|"  # of files called CSV; the first is the usual one
BATCH_ROWS = 1 << 13
NOTHING = pa.scalar("", pa.large_string())


@dataclass(frozen=True)
class Layout:
    """How a table becomes text."""

    delimiter: str = ","
    bom: bool = False


def write_header(names: Sequence[str], file: Any, layout: Layout) -> None:
    """Write the first line.

    A name with any character that delimits values somewhere is quoted, so that readers who look
    for the delimiter find the right one; so is one that begins with a byte order mark.
    """
    quoted = [_quoted(name) if _is_odd(name, layout) else name for name in names]
    if quoted in ([], [""]):
        quoted = ['""']
    line = layout.delimiter.join(quoted) + "\n"
    file.write((BOM if layout.bom else b"") + line.encode())


def _is_odd(name: str, layout: Layout) -> bool:
    special = {*DELIMITERS, *'"\r\n', layout.delimiter}
    return name.startswith(("\ufeff", " ")) or not special.isdisjoint(name)


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def write_rows(table: pa.Table, file: Any, layout: Layout) -> None:
    """Write rows; a null is nothing, as is NaN, and an empty string a pair of quotation marks."""
    if not table.num_columns:
        return
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        # One column shows no delimiter, so that readers may expect any.
        special = layout.delimiter if batch.num_columns > 1 else DELIMITERS + layout.delimiter
        cells = [
            _cells(column, name, special)
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        # A line with nothing on it would be no row.
        nothing = pa.scalar('""', pa.large_string()) if len(cells) == 1 else NOTHING
        cells = [cell.fill_null(nothing) for cell in cells]
        between = pa.scalar(layout.delimiter, pa.large_string())
        lines = pc.binary_join_element_wise(*cells, between) if len(cells) > 1 else cells[0]
        lines = pc.binary_join_element_wise(lines, NOTHING, pa.scalar("\n", pa.large_string()))
        file.write(_bytes_of(lines))


def _cells(column: pa.Array, name: str, special: str) -> pa.LargeStringArray:
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    try:
        strings = column.cast(pa.large_string())
    except pa.ArrowException:
        raise DataError(
            f"column {shown_name(name)} holds {column.type}, which cannot be written as text; "
            "write .parquet instead, which keeps its type"
        ) from None
    if pa.types.is_primitive(column.type):
        return strings
    pattern = "".join(f"\\{each}" for each in special + '"') + "\\r\\n"
    needs_quotes = pc.match_substring_regex(strings, f"[{pattern}]|^$|^\ufeff")
    if not pc.any(needs_quotes).as_py():
        return strings
    quote = pa.scalar('"', pa.large_string())
    doubled = pc.replace_substring(strings, '"', '""')
    quoted = pc.binary_join_element_wise(quote, doubled, quote, NOTHING)
    return pc.if_else(needs_quotes, quoted, strings)


def _bytes_of(lines: pa.LargeStringArray) -> bytes:
    """All strings one after the other; they are so in memory already."""
    if not len(lines):
        return b""
    _, offsets, content = plain_array(lines).buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64)
    written: bytes = content.slice(bounds[0], bounds[len(lines)] - bounds[0]).to_pybytes()
    return written
