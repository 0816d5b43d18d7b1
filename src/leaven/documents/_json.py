"""JSON Lines and JSON arrays as Arrow tables, whatever types the other fields have."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from leaven.documents._columns import Header, Wanted, nested_value, shown_name
from leaven.documents._encodings import BOM
from leaven.documents._formats import MAX_BLOCK, SAMPLE_ROWS, Source, line_blocks
from leaven.documents._json_kernels import BEHIND, N_STATES, PLACE, split_elements
from leaven.documents._json_values import as_text, column_of, decoder, is_flat
from leaven.exceptions import DataError

__all__ = ["JsonSource"]

HALF = re.compile(rb"\\u[dD][89a-fA-F]")
PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]")
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
MAX_DEPTH = 256  # of nesting, well within what Python's parser can do at any depth of calls
OPENING, CLOSING = (np.frombuffer(each, dtype=np.uint8) for each in (b"[{", b"]}"))
PARALLEL_BLOCK = 1 << 22  # fastest on 20 Newsgroups, of 1, 4, 16 and 64 MiB


class JsonSource(Source):
    """JSON Lines, one object per line, or an array of objects; a missing key is a null.

    Arrow's parser reads what it can. It must have found one object on each line; otherwise, and
    where types vary or all fields are kept, Python's parser decides.
    """

    kind = "JSON Lines"
    format = "jsonl"
    unit = "line"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._names: tuple[str, ...] = ()  # columns of the first rows
        scalars = [pa.large_string(), pa.int64(), pa.bool_()]
        self._label_types = [*scalars, pa.list_(pa.large_string()), pa.list_(pa.int64())]
        with self.explained():
            raw, stream = self.open()
            with raw, stream:
                start = stream.read(1 << 16).removeprefix(BOM).lstrip()
        if start.startswith(b"["):
            self.kind, self.format, self.unit = "a JSON array", "json", "element"

    @property
    def is_array(self) -> bool:
        return self.unit == "element"

    @property
    def can_be_cut(self) -> bool:
        return super().can_be_cut and not self.is_array

    def _blocks(self, stream: pa.NativeFile, size: int) -> Iterator[bytes]:
        """Whole lines, or elements of an array as lines."""
        elements = _Elements(stream, self.name) if self.is_array else stream
        return line_blocks(elements, size, self.is_start)

    def header(self, enough: Callable[[Sequence[str]], bool]) -> Header:
        header = self._sampled(enough)
        self._names = header.names
        return header

    def _sampled(self, enough: Callable[[Sequence[str]], bool]) -> Header:
        names: dict[str, None] = {}
        strings: set[str] = set()
        lists: set[str] = set()
        raw, stream = self.open()
        with raw, stream:
            n_rows, line = 0, 1
            for block in self._blocks(stream, min(self.block_bytes, 1 << 20)):
                for row in self._rows(block, line):
                    n_rows += 1
                    if n_rows > SAMPLE_ROWS and enough(tuple(names)):
                        return Header(tuple(names), frozenset(strings), frozenset(lists))
                    names.update(dict.fromkeys(row))
                    strings.update(name for name, value in row.items() if isinstance(value, str))
                    lists.update(name for name, value in row.items() if isinstance(value, list))
                line += block.count(b"\n")
        return Header(tuple(names), frozenset(strings), frozenset(lists))

    def tables(self, wanted: Wanted) -> Iterator[tuple[pa.Table, int]]:
        raw, stream = self.open()
        with raw, stream:
            line = 1
            for block in self._blocks(stream, self.block_bytes):
                if len(block) > MAX_BLOCK - 1:
                    raise DataError(
                        f"{self.unit} {line} of {self.name} is longer than 2 GiB; split it"
                    )
                table = None if wanted.keeps_all else self._fast_table(block, wanted)
                if table is None:
                    table = self._slow_table(block, line, wanted)
                if table.num_rows:
                    yield table, raw.tell()
                line += block.count(b"\n")

    def _fast_table(self, block: bytes, wanted: Wanted) -> pa.Table | None:
        """Parse with Arrow; None if it is not one object per line of the required types."""
        n_objects = _n_objects(block)
        if n_objects is None or _has_lone_surrogate(block):
            return None
        label = wanted.label
        for label_type in list(self._label_types) if label is not None else [None]:
            fields = [pa.field(name, pa.large_string()) for name in wanted.text]
            if label is not None:
                fields.append(pa.field(label, label_type))
            try:
                table = _parse(block, pa.schema(fields))
            except pa.ArrowInvalid:
                continue
            if table.num_rows != n_objects:
                return None
            if label is not None:
                # The next block most likely holds labels of the same type.
                self._label_types.sort(key=lambda other: other != label_type)
            table.validate(full=True)
            return table
        return None

    def _slow_table(self, block: bytes, line: int, wanted: Wanted) -> pa.Table:
        """Parse object by object, where types vary or all fields are kept."""
        rows = list(self._rows(block, line, wanted.names))
        names: Iterable[str] = wanted.names
        if wanted.keeps_all:
            # In every block alike: the columns of the first rows, then others as they occur.
            names = dict.fromkeys(chain(self._names, chain.from_iterable(rows), wanted.names))
        columns = {name: [row.get(name) for row in rows] for name in names}
        for name in wanted.names:
            self._check_kinds(columns[name], name, "text" if name in wanted.text else "label")
        return pa.table({name: column_of(values) for name, values in columns.items()})

    def _check_kinds(self, values: list[Any], name: str, kind: str) -> None:
        allowed = {str, int, float, bool, type(None), *([list] if kind == "label" else [])}
        if nested := set(map(type, values)) - allowed:
            raise nested_value(self.name, name, kind, "list" if list in nested else "nested value")
        # Here, because in a block with single labels lists become text.
        if not all(is_flat(value) for value in values if isinstance(value, list)):
            raise nested_value(self.name, name, kind, "nested value")

    @property
    def _rule(self) -> str:
        if self.is_array:
            return "an array must hold objects"
        return "JSON Lines holds one whole object per line"

    def _rows(
        self, block: bytes, line: int, unique: Sequence[str] = ()
    ) -> Iterator[dict[str, Any]]:
        for number, content in enumerate(block.split(b"\n"), line):
            if not content.strip(b" \t\r"):
                continue
            where = f"{self.unit} {number} of {self.name}"
            try:
                if _is_deep(content):
                    raise RecursionError
                row = _decoder.decode(content.decode().strip())
            except (json.JSONDecodeError, RecursionError) as error:
                reason = getattr(error, "msg", "nested too deeply")
                raise DataError(
                    f"{where} must be a JSON object, but cannot be read ({reason}); {self._rule}"
                ) from None
            if isinstance(row, list):
                raise DataError(
                    f"{where} must be a JSON object, but is an array; write "
                    "one object per line (jq -c '.[]' does it)"
                )
            if not isinstance(row, dict):
                raise DataError(
                    f"{where} must be a JSON object, but is "
                    f"{(as_text(row) or 'null')[:40]!r}; {self._rule}"
                )
            if _has_lone_surrogate(content):
                self._check_unicode(row)
            if isinstance(row, _Repeating):
                for name in unique:
                    if name in row.repeated:
                        raise DataError(
                            f"{where} has the key {name!r} twice, so it is "
                            "unclear which one applies; rename one"
                        )
            yield row

    def _check_unicode(self, row: dict[str, Any]) -> None:
        for name, value in row.items():
            try:
                json.dumps([name, value], ensure_ascii=False).encode()
            except UnicodeEncodeError:
                raise DataError(
                    f"column {shown_name(name)} of {self.name} must be valid Unicode, but holds a "
                    "lone surrogate (half of a character pair, such as \\ud800); replace it and "
                    "write the file again"
                ) from None


class _Elements:
    """The elements of an array as lines, read like a file."""

    def __init__(self, stream: pa.NativeFile, name: str) -> None:
        self._stream = stream
        self._name = name
        self._state = np.zeros(N_STATES, dtype=np.int64)
        self._starts = True

    def read(self, size: int) -> bytes:
        chunk = bytearray(self._stream.read(size + len(BOM) if self._starts else size))
        if self._starts:
            chunk = chunk.removeprefix(BOM)
            self._starts = False
        content = np.frombuffer(chunk, dtype=np.uint8)
        if not split_elements(content, self._state):
            raise DataError(
                f"{self._name} must be one JSON array of objects, but has a comma too many, or "
                "something after its closing bracket; repair it, or write one object per line"
            )
        if not chunk and self._state[PLACE] != BEHIND:
            raise DataError(
                f"{self._name} must be a whole JSON array, but ends before its closing bracket; "
                "is the file complete?"
            )
        return content.tobytes()


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


_decoder = decoder(object_pairs_hook=_object)


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


def _has_lone_surrogate(content: bytes) -> bool:
    """Whether half of a character pair may be there; Arrow does not look at unwanted fields."""
    if b"\\ud" not in content and b"\\uD" not in content:
        return False
    return len(HALF.findall(content)) != 2 * len(PAIR.findall(content))


def _is_deep(content: bytes) -> bool:
    """Whether objects and lists are nested more deeply than is accepted."""
    if content.count(b"[") + content.count(b"{") <= MAX_DEPTH:
        return False
    plain = np.frombuffer(STRING.sub(b"", content), dtype=np.uint8)
    steps = np.isin(plain, OPENING).astype(np.int64) - np.isin(plain, CLOSING)
    return bool(np.cumsum(steps).max(initial=0) > MAX_DEPTH)


def _n_objects(block: bytes) -> int | None:
    """The number of lines that hold something; None if one cannot be exactly one object.

    A line from { to } is one object if there are as many objects as lines.
    """
    whole = pa.array([block], pa.large_binary()).cast(pa.large_string())
    lines = pc.ascii_trim(pc.split_pattern(whole, "\n").values, " \t\r")
    lines = lines.filter(pc.not_equal(lines, ""))
    if block.count(b"[") + block.count(b"{") > len(lines) + MAX_DEPTH:
        nested = pc.add(pc.count_substring(lines, "["), pc.count_substring(lines, "{"))
        if pc.max(nested).as_py() > MAX_DEPTH:
            return None  # Arrow's parser has no limit, but the stack has
    is_object = pc.and_(pc.starts_with(lines, "{"), pc.ends_with(lines, "}"))
    return len(lines) if pc.all(is_object, min_count=0).as_py() else None
