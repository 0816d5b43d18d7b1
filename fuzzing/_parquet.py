"""Parquet files: columns of many types, in one or several row groups."""

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fuzzing._draws import some_text

__all__ = ["parquet_file", "smaller_files"]

Kind = tuple[pa.DataType, Callable[[Random], Any]]

DAY = datetime.datetime(2024, 2, 29, 12, 30)


def parquet_file(rng: Random) -> bytes:
    """A valid file with a text column, mostly a label column, and others."""
    n_rows = rng.choice((0, 1, 3, 10, 40))
    columns: list[tuple[str, Kind]] = [("text", rng.choice(TEXTS))]
    if rng.random() < 0.9:
        columns.append(("label", rng.choice((*TEXTS, *LABELS))))
    for _ in range(rng.choice((0, 0, 1, 2))):
        name = rng.choice(("id", "n", "", "a.b", "é", "text", "label", "x\ny"))
        columns.append((name, rng.choice((*TEXTS, *LABELS, *OTHERS))))
    rng.shuffle(columns)
    arrays = [_array(kind, n_rows, rng) for _, kind in columns]
    out = pa.BufferOutputStream()
    pq.write_table(
        pa.Table.from_arrays(arrays, [name for name, _ in columns]),
        out,
        row_group_size=rng.choice((1, 5, 1000)),
        compression=rng.choice(("none", "snappy", "gzip", "zstd")),
        use_dictionary=rng.random() < 0.7,
        data_page_version=rng.choice(("1.0", "2.0")),
        write_page_checksum=rng.random() < 0.2,
    )
    return bytes(out.getvalue().to_pybytes())


def smaller_files(content: bytes) -> Iterator[bytes]:
    """Files with fewer rows or columns; none where the file is damaged."""
    try:
        table = pq.read_table(pa.BufferReader(content))
        table.validate(full=True)
    except (pa.ArrowException, OSError):
        return
    tables = [table.drop_columns([name]) for name in dict.fromkeys(table.column_names)]
    size = len(table) // 2
    while size:
        for at in range(0, len(table), size):
            tables.append(pa.concat_tables([table.slice(0, at), table.slice(at + size)]))
        size //= 2
    for smaller in tables:
        out = pa.BufferOutputStream()
        pq.write_table(smaller, out, compression="none")
        if out.tell() < len(content):
            yield bytes(out.getvalue().to_pybytes())


def _array(kind: Kind, n_rows: int, rng: Random) -> pa.Array:
    type_, draw = kind
    values = [None if rng.random() < 0.1 else draw(rng) for _ in range(n_rows)]
    plain = type_.value_type if pa.types.is_dictionary(type_) else type_
    array = pa.array(values, plain)
    return array.dictionary_encode() if pa.types.is_dictionary(type_) else array


TEXTS: tuple[Kind, ...] = (
    (pa.string(), some_text),
    (pa.large_string(), some_text),
    (pa.string_view(), some_text),
    (pa.dictionary(pa.int32(), pa.string()), some_text),
)
LABELS: tuple[Kind, ...] = (
    (pa.int64(), lambda rng: rng.choice((0, 1, 2, 2**53 + 1, -(2**63)))),
    (pa.int8(), lambda rng: rng.randrange(3)),
    (pa.uint64(), lambda rng: rng.choice((0, 1, 2**64 - 1))),
    (pa.float64(), lambda rng: rng.choice((0.0, 1.0, 1.5, float("nan"), float("inf"), 1e300))),
    (pa.float32(), lambda rng: rng.choice((0.0, 1.0, 0.1))),
    (pa.bool_(), lambda rng: rng.random() < 0.5),
    (pa.null(), lambda rng: None),
    (pa.list_(pa.string()), lambda rng: [some_text(rng) for _ in range(rng.randrange(3))]),
    (pa.large_list(pa.int64()), lambda rng: rng.choices((0, 1, None), k=rng.randrange(3))),
    (pa.list_(pa.float64()), lambda rng: rng.choice(([], [1.0], [float("nan")], None))),
)
OTHERS: tuple[Kind, ...] = (
    (pa.float16(), lambda rng: rng.choice((0.0, 1.5))),
    (pa.binary(), lambda rng: rng.randbytes(3)),
    (pa.date32(), lambda rng: DAY.date()),
    (pa.timestamp("ms"), lambda rng: DAY),
    (pa.timestamp("us", "UTC"), lambda rng: DAY),
    (pa.duration("s"), lambda rng: datetime.timedelta(seconds=rng.randrange(9))),
    (pa.time64("us"), lambda rng: DAY.time()),
    (pa.decimal128(12, 2), lambda rng: Decimal(rng.randrange(1000)) / 100),
    (pa.list_(pa.int64()), lambda rng: [rng.randrange(9)] * rng.randrange(3)),
    (pa.list_(pa.string()), lambda rng: [some_text(rng)] * rng.randrange(3)),
    (pa.struct({"a": pa.int64()}), lambda rng: {"a": rng.randrange(9)}),
    (pa.map_(pa.string(), pa.int64()), lambda rng: [("a", rng.randrange(9))]),
)
