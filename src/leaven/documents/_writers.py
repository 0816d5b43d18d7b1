"""Writing tables to CSV, TSV, JSON Lines or Parquet; a file appears only when complete."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from leaven._base.atomic_files import replacing
from leaven._base.validation import check_choice
from leaven.exceptions import DataError

__all__ = ["SUFFIXES", "flat", "write_table", "write_tables"]

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def write_table(table: pa.Table, path: str | Path, format: str | None = None) -> None:
    """Write one table; see :func:`write_tables`."""
    write_tables([table], path, format)


def write_tables(tables: Iterable[pa.Table], path: str | Path, format: str | None = None) -> None:
    """Write tables one after another to a file, or to standard output for ``"-"``.

    The file appears under its name only once it is complete. One table is in memory at a time.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        Tables to write. Except in JSON Lines, which can hold any rows, the first table determines
        the columns: where a later one lacks a column, its cells are empty, and a new column is
        refused; in Parquet, so is an incompatible type.
    path : str or Path
        The extension determines the format: .csv, .tsv, .jsonl or .parquet; all but the last
        may be followed by .gz. Standard output gets CSV unless ``format`` is given.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        Overrides the extension.
    """
    if format is not None:
        check_choice("format", format, dict.fromkeys(SUFFIXES.values()))
    if str(path) == "-":
        sys.stdout.flush()
        _write(tables, sys.stdout.buffer, format or "csv")
        sys.stdout.buffer.flush()
        return
    # A link keeps pointing to the file, which gets the new content.
    target = Path(os.path.realpath(path))
    zipped = target.suffix.lower() == ".gz"
    ending = (target.with_suffix("") if zipped else target).suffix.lower()
    if format is None and ending not in SUFFIXES:
        raise DataError(
            f"{path} must end in one of {', '.join(SUFFIXES)} to tell its format; rename it or "
            "pass --format (format= in Python)"
        )
    if not target.parent.is_dir() or target.is_dir():
        reason = "is a folder" if target.is_dir() else "is in a folder that does not exist"
        raise DataError(f"{path} cannot be written because it {reason}; choose another place")
    format = format or SUFFIXES[ending]
    with replacing(target) as file:
        if zipped and format != "parquet":
            with pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), "gzip") as stream:
                _write(tables, stream, format)
        else:
            _write(tables, file, format)


def _write(tables: Iterable[pa.Table], file: Any, format: str) -> None:
    if format == "parquet":
        _write_parquet(iter(tables), file)
    elif format == "jsonl":
        for table in tables:
            _write_json(table, file)
    else:
        names: list[str] | None = None
        for table in tables:
            options = pa.csv.WriteOptions(
                include_header=names is None, delimiter="\t" if format == "tsv" else ","
            )
            names = names or table.schema.names
            pa.csv.write_csv(flat(_with_columns(table, names)), file, options)


def _write_parquet(tables: Iterator[pa.Table], file: Any) -> None:
    table = next(tables)
    schema = table.schema
    with pq.ParquetWriter(file, schema) as writer:
        writer.write_table(table)
        for table in tables:
            writer.write_table(_with_types(_with_columns(table, schema.names), schema))


def _with_columns(table: pa.Table, names: list[str]) -> pa.Table:
    """The columns of a table in a given order, with nulls for those that it lacks."""
    present = table.schema.names
    if present == names:
        return table
    new = [name for name in present if name not in names]
    twice = [name for name in present if present.count(name) > 1]
    if new or twice:
        reason = "turns up" if new else "occurs twice"
        raise DataError(
            f"column {(new or twice)[0]!r} {reason} in later rows, but the first rows determine "
            f"the columns of the file ({', '.join(map(repr, names[:20]))}); write .jsonl "
            "instead, which can hold any rows"
        )
    columns = [table.column(name) if name in present else pa.nulls(len(table)) for name in names]
    return pa.Table.from_arrays(columns, names)


def _with_types(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table cast to a schema of the same names; refused if that changes a value."""
    for i, (field, wanted) in enumerate(zip(table.schema, schema, strict=True)):
        column = table.column(i)
        try:
            if not _fits(field.type, wanted.type) or (column.null_count and not wanted.nullable):
                raise pa.ArrowInvalid
            if field.type != wanted.type:
                column = flat(table.select([i])).column(0) if _is_text(wanted.type) else column
                column = column.cast(wanted.type)
        except pa.ArrowException:
            raise DataError(
                f"column {wanted.name!r} holds {_shown(column)} in later rows, but {wanted.type} "
                "in the first rows, which determine its type; write .jsonl instead, which can hold "
                "any rows"
            ) from None
        table = table.set_column(i, wanted, column)
    return table


def _fits(kind: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a cast preserves the meaning of values; text is never parsed as another type."""
    if kind == wanted or pa.types.is_null(kind) or _is_text(wanted):
        return True
    if pa.types.is_dictionary(kind):
        return _fits(kind.value_type, wanted)
    if pa.types.is_dictionary(wanted):
        return _fits(kind, wanted.value_type)
    if _is_list(kind) and _is_list(wanted):
        return _fits(kind.value_type, wanted.value_type)
    return _is_number(kind) and _is_number(wanted)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _shown(column: pa.ChunkedArray) -> str:
    return "nulls" if column.null_count == len(column) else str(column.type)


def flat(table: pa.Table) -> pa.Table:
    """Convert values that CSV cannot represent, such as lists, to JSON text."""
    for i, field in enumerate(table.schema):
        column = table.column(i)
        if pa.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, column.cast(field.type.value_type))
        elif pa.types.is_nested(field.type):
            values = [None if v is None else _json(v) for v in column.to_pylist()]
            table = table.set_column(i, field.name, pa.array(values, pa.large_string()))
    return table


def _write_json(table: pa.Table, file: Any) -> None:
    for i, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            # JSON has no NaN.
            column = pc.if_else(pc.is_finite(table.column(i)), table.column(i), None)
            table = table.set_column(i, field.name, column)
    for batch in table.to_batches(max_chunksize=4096):
        names = batch.schema.names
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        lines = [_json(dict(zip(names, row, strict=True))) + "\n" for row in rows]
        file.write("".join(lines).encode())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
