"""Writing tables to CSV, TSV, JSON or Parquet; a file appears only when complete."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from leaven._base.atomic_files import replacing
from leaven._base.validation import check_choice
from leaven.documents._columns import shown_name, shown_names
from leaven.documents._csv_rows import Layout, write_header, write_rows
from leaven.exceptions import DataError

__all__ = ["SPREADSHEETS", "SUFFIXES", "flat", "holds_lists", "write_table", "write_tables"]

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
IN_JSON = (
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_null,
    pa.types.is_dictionary,
)
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods")


def write_table(
    table: pa.Table, path: str | Path, format: str | None = None, **options: Any
) -> None:
    """Write one table; see ``write_tables``."""
    write_tables([table], path, format, **options)


def write_tables(
    tables: Iterable[pa.Table],
    path: str | Path,
    format: str | None = None,
    *,
    delimiter: str = ",",
    bom: bool = False,
) -> None:
    """Write tables one after another to a file, or to standard output for ``"-"``.

    The file appears under its name only once it is complete. One table is in memory at a time.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        Tables to write. Except in JSON, which can hold any rows, the first table determines
        the columns: where a later one lacks a column, its cells are empty, and a new column is
        refused; in Parquet, so is an incompatible type.
    path : str or Path
        The extension determines the format: .csv, .tsv, .jsonl, .json (an array) or .parquet;
        all but the last may be followed by .gz. Standard output gets CSV unless ``format`` is
        given.
    format : {"csv", "tsv", "jsonl", "json", "parquet"}, optional
        Overrides the extension.
    delimiter : str, default=","
        What is between the values of CSV.
    bom : bool, default=False
        Begin CSV and TSV with a byte order mark, by which Excel recognizes UTF-8.
    """
    if format is not None:
        check_choice("format", format, dict.fromkeys(SUFFIXES.values()))
    if str(path) == "-":
        sys.stdout.flush()
        layout = _layout(format or "csv", delimiter, bom)
        _write(tables, sys.stdout.buffer, format or "csv", layout)
        sys.stdout.buffer.flush()
        return
    # A link keeps pointing to the file, which gets the new content.
    target = Path(os.path.realpath(path))
    zipped, ending = _ending(target)
    if format is None and ending in SPREADSHEETS:
        raise DataError(
            f"{path} cannot be written, because spreadsheets are not supported; write .csv, with "
            "--bom (bom=True in Python) for Excel"
        )
    if format is None and ending not in SUFFIXES:
        raise DataError(
            f"{path} must end in one of {', '.join(SUFFIXES)} to tell its format; rename it or "
            "pass --format (format= in Python)"
        )
    if not target.parent.is_dir() or target.is_dir():
        reason = "is a folder" if target.is_dir() else "is in a folder that does not exist"
        raise DataError(f"{path} cannot be written because it {reason}; choose another place")
    format = format or SUFFIXES[ending]
    layout = _layout(format, delimiter, bom)
    with replacing(target) as file:
        if zipped and format != "parquet":
            with pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), "gzip") as stream:
                _write(tables, stream, format, layout)
        else:
            _write(tables, file, format, layout)


def holds_lists(path: str | Path, format: str | None = None) -> bool:
    """Whether what is written to a file can be lists, which CSV and TSV have no form for."""
    if format is None:
        ending = _ending(Path(os.path.realpath(path)))[1]
        format = "csv" if str(path) == "-" else SUFFIXES.get(ending)
    return format not in ("csv", "tsv")


def _ending(path: Path) -> tuple[bool, str]:
    """Whether a file is compressed, and the extension that determines its format."""
    zipped = path.suffix.lower() == ".gz"
    return zipped, (path.with_suffix("") if zipped else path).suffix.lower()


def _layout(format: str, delimiter: str, bom: bool) -> Layout:
    if bom and format not in ("csv", "tsv"):
        raise DataError(
            f"a byte order mark is for CSV and TSV, not for {format}; leave out --bom (bom= in "
            "Python), or write .csv"
        )
    return Layout("\t" if format == "tsv" else delimiter, bom)


def _write(tables: Iterable[pa.Table], file: Any, format: str, layout: Layout) -> None:
    if format == "parquet":
        _write_parquet(iter(tables), file)
    elif format in ("json", "jsonl"):
        _write_json(tables, file, format == "json")
    else:
        names: list[str] | None = None
        for table in tables:
            if names is None:
                names = table.schema.names
                write_header(names, file, layout)
            write_rows(flat(_with_columns(table, names)), file, layout)


def _write_parquet(tables: Iterator[pa.Table], file: Any) -> None:
    import pyarrow.parquet as pq  # as in ParquetSource

    table = _with_keys(next(tables))
    schema = table.schema
    with pq.ParquetWriter(file, schema) as writer:
        writer.write_table(table)
        for table in tables:
            writer.write_table(_with_types(_with_columns(table, schema.names), schema))


def _with_keys(table: pa.Table) -> pa.Table:
    """The table with text for objects without keys, which Parquet has no form for."""
    for i, field in enumerate(table.schema):
        if _has_empty_struct(field.type):
            table = table.set_column(i, field.name, flat(table.select([i])).column(0))
    return table


def _has_empty_struct(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return kind.num_fields == 0 or any(_has_empty_struct(field.type) for field in kind)
    return pa.types.is_list(kind) and _has_empty_struct(kind.value_type)


def _with_columns(table: pa.Table, names: list[str]) -> pa.Table:
    """The columns of a table in a given order, with nulls for those that it lacks."""
    present = table.schema.names
    if present == names:
        return table
    wanted, numbers = set(names), Counter(present)
    new = [name for name in present if name not in wanted]
    twice = [name for name in present if numbers[name] > 1]
    if new or twice:
        reason = "turns up" if new else "occurs twice"
        raise DataError(
            f"column {shown_name((new or twice)[0])} {reason} in later rows, but the first rows "
            f"determine the columns of the file ({shown_names(names)}); write .jsonl "
            "instead, which can hold any rows"
        )
    columns = [table.column(name) if name in numbers else pa.nulls(len(table)) for name in names]
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
                f"column {shown_name(wanted.name)} holds {_shown(column)} in later rows, but "
                f"{_type_name(wanted.type)} in the first rows, which determine its type; "
                "write .jsonl instead, which can hold any rows"
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
    return "nulls" if column.null_count == len(column) else _type_name(column.type)


def _type_name(kind: pa.DataType) -> str:
    """A type without the keys of its objects, which may be any."""
    if pa.types.is_struct(kind):
        return "struct"
    return f"list of {_type_name(kind.value_type)}" if _is_list(kind) else str(kind)


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


def _write_json(tables: Iterable[pa.Table], file: Any, is_array: bool) -> None:
    begin, between, end = ("[\n", ",\n", "\n]\n") if is_array else ("", "\n", "\n")
    written = False
    for table in tables:
        names = table.schema.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(
                f"columns must have different names in JSON, but {shown_name(twice)} occurs twice; "
                "rename one, or write .csv"
            )
        for batch in _as_in_json(table).to_batches(max_chunksize=4096):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            lines = [_json(dict(zip(names, row, strict=True))) for row in rows]
            if lines:
                file.write(((between if written else begin) + between.join(lines)).encode())
                written = True
    file.write((end if written else "[]\n" if is_array else "").encode())


def _as_in_json(table: pa.Table) -> pa.Table:
    """The table with nulls for NaN and infinity, which JSON does not have, and dates as text.

    Short floats become the shortest decimals: 0.1, not 0.10000000149011612. Text is what CSV has
    too.
    """
    for i, field in enumerate(table.schema):
        kind, column = field.type, table.column(i)
        if pa.types.is_floating(kind):
            if kind != pa.float64():
                column = column.cast(pa.string()).cast(pa.float64())
            column = pc.if_else(pc.is_finite(column), column, None)
        elif not any(is_kind(kind) for is_kind in (*IN_JSON, pa.types.is_nested)):
            try:
                column = column.cast(pa.large_string())
                column.validate(full=True)
            except pa.ArrowException:  # such as bytes that are no text
                continue
        table = table.set_column(i, field.name, column)
    return table


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
