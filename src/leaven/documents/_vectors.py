"""A column that holds a vector per document."""

import json

import numpy as np
import pyarrow as pa

from leaven._base.typing import FloatArray
from leaven.documents._columns import shown_names
from leaven.exceptions import DataError

__all__ = ["vector_array"]


def vector_array(table: pa.Table, name: str, source: str) -> FloatArray:
    """The vectors of a column, (n_documents, n_dims): lists of numbers, or JSON text of lists."""
    if table.column_names.count(name) != 1:
        found = shown_names(table.column_names)
        raise DataError(
            f"{source} must have one column {name!r} of vectors, columns found: {found}; name the "
            "right one with --vectors"
        )
    column = table.column(name)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = _parsed(column, name, source)
    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if not is_list and not pa.types.is_fixed_size_list(kind):
        raise DataError(
            f"column {name!r} of {source} must hold a list of numbers per document, but holds "
            f"{kind}; write vectors as lists in Parquet or JSON Lines"
        )
    if column.null_count:
        row = next(i for i, cell in enumerate(column) if not cell.is_valid)
        raise DataError(f"row {row + 1} of {source} has no vector in column {name!r}; add it")
    rows = column.combine_chunks()
    values = rows.flatten()
    number = values.type
    if not (pa.types.is_floating(number) or pa.types.is_integer(number)) or values.null_count:
        raise DataError(
            f"vectors in column {name!r} of {source} must be numbers throughout, but hold "
            f"{'nulls' if values.null_count else number}; repair them"
        )
    if not len(rows):
        return np.zeros((0, 0), np.float32)
    lengths = np.asarray(pa.compute.list_value_length(rows))
    if lengths.min() != lengths.max() or not lengths.max():
        raise DataError(
            f"vectors in column {name!r} of {source} must all be of one length, but have "
            f"{lengths.min()} to {lengths.max()} numbers; embed all documents in the same way"
        )
    flat = values.to_numpy(zero_copy_only=False).astype(np.float32)
    vectors: FloatArray = flat.reshape(len(rows), int(lengths[0]))
    return vectors


def _parsed(column: pa.ChunkedArray, name: str, source: str) -> pa.ChunkedArray:
    """Vectors written as text, as in a CSV file: [0.1, 0.2]."""
    parsed = []
    for number, cell in enumerate(column.to_pylist()):
        try:
            parsed.append(None if cell is None else json.loads(cell))
        except (ValueError, RecursionError):
            raise DataError(
                f"row {number + 1} of {source} must hold a list of numbers in column {name!r}, got "
                f"{cell[:40]!r}; write it like [0.1, 0.2]"
            ) from None
    try:
        return pa.chunked_array([pa.array(parsed, pa.list_(pa.float32()))])
    except (pa.ArrowException, TypeError, ValueError):
        raise DataError(
            f"column {name!r} of {source} must hold a list of numbers per document; write it like "
            "[0.1, 0.2]"
        ) from None
