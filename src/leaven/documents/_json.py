"""JSON Lines as Arrow tables, whatever types the other fields have."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.json

from leaven.documents._columns import Header, nested_value
from leaven.documents._formats import MAX_BLOCK, SAMPLE_ROWS, Source, line_blocks
from leaven.exceptions import DataError

__all__ = ["JsonSource"]

PARALLEL_BLOCK = 1 << 22  # fastest on 20 Newsgroups, of 1, 4, 16 and 64 MiB


class JsonSource(Source):
    """JSON Lines: one object per line; a missing key is a null."""

    kind = "JSON Lines"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._label_types = [pa.large_string(), pa.int64(), pa.bool_()]

    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header:
        names: dict[str, None] = {}
        strings: set[str] = set()
        lists: set[str] = set()
        raw, stream = self.open()
        with raw, stream:
            n_rows, line = 0, 1
            for block in line_blocks(stream, min(self.block_bytes, 1 << 20)):
                for row in self._rows(block, line):
                    n_rows += 1
                    if n_rows > SAMPLE_ROWS and enough(tuple(names)):
                        return Header(tuple(names), frozenset(strings), frozenset(lists))
                    names.update(dict.fromkeys(row))
                    strings.update(name for name, value in row.items() if isinstance(value, str))
                    lists.update(name for name, value in row.items() if isinstance(value, list))
                line += block.count(b"\n")
        return Header(tuple(names), frozenset(strings), frozenset(lists))

    def tables(
        self, text: str, label: str | None, keep_columns: bool
    ) -> Iterator[tuple[pa.Table, int]]:
        raw, stream = self.open()
        with raw, stream:
            line = 1
            for block in line_blocks(stream, self.block_bytes, self.is_start):
                if len(block) > MAX_BLOCK - 1:
                    raise DataError(f"line {line} of {self.name} is longer than 2 GiB; split it")
                if keep_columns:
                    table = self._slow_table(block, line, text, label, None)
                else:
                    table = self._fast_table(block, text, label)
                    if table is None:
                        wanted = [name for name in (text, label) if name is not None]
                        table = self._slow_table(block, line, text, label, wanted)
                if table.num_rows:
                    yield table, raw.tell()
                line += block.count(b"\n")

    def _fast_table(self, block: bytes, text: str, label: str | None) -> pa.Table | None:
        """Parse with Arrow; None if a value is not of the required type."""
        for label_type in list(self._label_types) if label is not None else [None]:
            fields = [pa.field(text, pa.large_string())]
            if label is not None:
                fields.append(pa.field(label, label_type))
            try:
                table = _parse(block, pa.schema(fields))
            except pa.ArrowInvalid:
                continue
            if label is not None:
                # The next block most likely holds labels of the same type.
                self._label_types.sort(key=lambda other: other != label_type)
            table.validate(full=True)
            return table
        return None

    def _slow_table(
        self, block: bytes, line: int, text: str, label: str | None, wanted: list[str] | None
    ) -> pa.Table:
        """Parse object by object, where types vary or all fields are kept."""
        rows = list(self._rows(block, line, [name for name in (text, label) if name is not None]))
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {}
        for name in [*names, text, *([] if label is None else [label])]:
            if name in columns or (wanted is not None and name not in wanted):
                continue
            kind = "text" if name == text else "label" if name == label else None
            columns[name] = self._column([row.get(name) for row in rows], name, kind)
        return pa.table(columns)

    def _column(self, values: list[Any], name: str, kind: str | None) -> pa.Array:
        types = set(map(type, values)) - {type(None)}
        if kind is not None and types not in ({int}, {bool}, {str}):
            # Value by value, so that a label does not depend on the others in its block.
            if nested := types - {str, int, float, bool}:
                found = "list" if list in nested else "nested value"
                raise nested_value(self.name, name, kind, found)
            values = [_as_json_text(value) for value in values]
        try:
            if str in types or (kind is not None and types not in ({int}, {bool})):
                return pa.array(values, pa.large_string())
            return pa.array(values)
        except UnicodeEncodeError:
            raise DataError(
                f"column {name!r} of {self.name} must be valid Unicode, but holds a lone surrogate "
                "(half of a character pair, such as \\ud800); replace it and write the file again"
            ) from None
        except (pa.ArrowException, OverflowError):
            return self._column([_as_json_text(value) for value in values], name, kind)

    def _rows(
        self, block: bytes, line: int, unique: Sequence[str] = ()
    ) -> Iterator[dict[str, Any]]:
        for number, content in enumerate(block.split(b"\n"), line):
            if not content.strip():
                continue
            try:
                row = _decoder.decode(content.decode().strip())
            except (json.JSONDecodeError, RecursionError) as error:
                reason = getattr(error, "msg", "nested too deeply")
                raise DataError(
                    f"line {number} of {self.name} must be a JSON object, but cannot be read "
                    f"({reason}); JSON Lines holds one whole object per line"
                ) from None
            if isinstance(row, list):
                raise DataError(
                    f"line {number} of {self.name} must be a JSON object, but is an array; write "
                    "one object per line (jq -c '.[]' does it)"
                )
            if not isinstance(row, dict):
                raise DataError(
                    f"line {number} of {self.name} must be a JSON object, but is "
                    f"{_as_json_text(row)[:40]!r}; JSON Lines holds one whole object per line"
                )
            if isinstance(row, _Repeating):
                for name in unique:
                    if name in row.repeated:
                        raise DataError(
                            f"line {number} of {self.name} has the key {name!r} twice, so it is "
                            "unclear which one applies; rename one"
                        )
            yield row


class _Repeating(dict[str, Any]):
    """An object in which keys occur more than once."""

    repeated: set[str]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    repeating = _Repeating(plain)
    keys = [key for key, _ in pairs]
    repeating.repeated = {key for key in keys if keys.count(key) > 1}
    return repeating


# NaN and Infinity in JSON are Python's extension; pandas writes them for missing values.
_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=lambda _: None, strict=False)


def _as_json_text(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return pa.scalar(value).cast(pa.string()).as_py()
    return json.dumps(value, ensure_ascii=False)


def _parse(block: bytes, schema: pa.Schema) -> pa.Table:
    options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        return pa.json.read_json(
            pa.BufferReader(block), pa.json.ReadOptions(block_size=PARALLEL_BLOCK), options
        )
    except pa.ArrowInvalid as error:
        if "straddl" not in str(error):
            raise
    return pa.json.read_json(
        pa.BufferReader(block), pa.json.ReadOptions(block_size=len(block) + 1), options
    )
