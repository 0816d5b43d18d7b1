"""Writing of tables, whole or not at all."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from leaven._files import replacing
from leaven._validation import check_choice
from leaven.exceptions import DataError

__all__ = ["SUFFIXES", "flat", "write_table"]

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
    """Write a table to a file, or to standard output for ``"-"``.

    The file appears under its name only once it is complete.

    Parameters
    ----------
    table : pyarrow.Table
        What to write.
    path : str or Path
        The ending tells the format: .csv, .tsv, .jsonl or .parquet, where all but the last
        may be followed by .gz. Standard output gets CSV unless ``format`` is given.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        Overrides the ending.
    """
    if format is not None:
        check_choice("format", format, dict.fromkeys(SUFFIXES.values()))
    if str(path) == "-":
        sys.stdout.flush()
        _write(table, sys.stdout.buffer, format or "csv")
        sys.stdout.buffer.flush()
        return
    # A link to the file keeps pointing at it, with the new content.
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
                _write(table, stream, format)
        else:
            _write(table, file, format)


def _write(table: pa.Table, file: Any, format: str) -> None:
    if format == "parquet":
        pq.write_table(table, file)
    elif format == "jsonl":
        _write_json(table, file)
    else:
        options = pa.csv.WriteOptions(delimiter="\t" if format == "tsv" else ",")
        pa.csv.write_csv(flat(table), file, options)


def flat(table: pa.Table) -> pa.Table:
    """Turn what CSV has no form for, such as lists, into JSON text."""
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
