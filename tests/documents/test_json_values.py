"""Kept columns of JSON have the same types and values, however the file is cut."""

import json

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

from leaven.documents import DocumentFiles
from leaven.documents._combining import united
from leaven.documents._json_values import DEEPEST, MOST_KEYS, as_text, column_of
from leaven.exceptions import DataError

SCALARS = st.sampled_from(
    [None, True, False, 0, 1, -3, 10**9, 10**10, 2**53 + 1, 2**63, 0.0, -0.0, 1.0, 0.5, 1e10, 1e300,
     float("inf"), "", "a", "1", "{}"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=6,
)
ALIKE = (
    st.lists(VALUES, min_size=1, max_size=6)
    | st.lists(st.none() | st.lists(st.integers() | st.floats(allow_nan=False)), min_size=1)
    | st.lists(st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 3)), min_size=1)
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(values=ALIKE, data=st.data())
def test_a_column_is_the_same_whole_or_united_from_parts(values, data):
    cuts = sorted(data.draw(st.sets(st.integers(1, len(values)), max_size=3)) | {len(values)})
    parts = [values[begin:end] for begin, end in zip([0, *cuts], cuts, strict=False)]
    whole = united([pa.table({"x": column_of(values)})])
    again = united([pa.table({"x": column_of(part)}) for part in parts if part])
    assert again.schema == whole.schema
    assert repr(again.to_pylist()) == repr(whole.to_pylist())


@pytest.mark.parametrize(
    ("values", "kind", "kept"),
    [
        ([None, None], pa.null(), None),
        ([True, None], pa.bool_(), None),
        ([1, None], pa.int64(), None),
        ([1, 0.5], pa.float64(), [1.0, 0.5]),
        ([10**10, 0.5], pa.large_string(), ["10000000000", "0.5"]),
        ([2**63], pa.large_string(), ["9223372036854775808"]),
        ([True, 1, 1.0, "x", None], pa.large_string(), ["true", "1", "1", "x", None]),
        ([[1], [0.5], []], pa.list_(pa.float64()), [[1.0], [0.5], []]),
        ([[1], ["a"]], pa.large_string(), ["[1]", '["a"]']),
        ([{"b": 1}, {"a": "x"}], None, [{"b": 1, "a": None}, {"b": None, "a": "x"}]),
        ([{"b": 1.0, "a": None}, 3], pa.large_string(), ['{"b": 1}', "3"]),
        ([{}, {}], pa.struct([]), None),
    ],
)
def test_a_column_is_typed_where_nothing_is_lost(values, kind, kept):
    column = column_of(values)
    assert kind is None or column.type == kind
    assert column.to_pylist() == (values if kept is None else kept)


def test_deep_values_and_objects_of_very_many_keys_are_text():
    deep = json.loads("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2))
    assert column_of([deep]).to_pylist() == [json.dumps(deep)]
    many = [{f"key {i}": i} for i in range(MOST_KEYS + 1)]
    assert column_of(many).to_pylist() == [as_text(each) for each in many]


@pytest.mark.parametrize("block_bytes", [1, 60, 1 << 20])
def test_columns_are_in_order_of_occurrence_for_any_size_of_blocks(tmp_path, block_bytes):
    path = tmp_path / "a.jsonl"
    rows = [{"text": "a", "id": 1}, {"text": "b", "extra": True, "label": 1}, {"label": "x"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = DocumentFiles(path, keep_columns=True, block_bytes=block_bytes)
    table = files.read().columns
    assert table.column_names == ["text", "id", "extra", "label"]
    assert table.schema.types == [pa.large_string(), pa.int64(), pa.bool_(), pa.large_string()]
    assert table["label"].to_pylist() == [None, "1", "x"]
    for batch in files:
        assert batch.columns.column_names == ["text", "id", "extra", "label"]


@pytest.mark.parametrize("keep_columns", [False, True])
@pytest.mark.parametrize("inner", ["[", '{"a":'])
def test_deep_nesting_is_refused_alike_with_and_without_its_column(tmp_path, keep_columns, inner):
    path = tmp_path / "a.jsonl"
    end = "]" if inner == "[" else "}"
    for depth, is_fine in ((250, True), (257, False), (100_000, False)):
        value = inner * depth + "1" + end * depth
        lines = '{"text": "a", "label": "x"}\n' * 101
        path.write_text(lines + f'{{"text": "[[", "label": "y", "other": {value}}}\n')
        files = DocumentFiles(path, keep_columns=keep_columns)
        if is_fine:
            assert len(files.read().texts) == 102
        else:
            with pytest.raises(DataError, match=r"^line 102 of .*nested too deeply"):
                files.read()


def test_brackets_in_texts_are_no_nesting(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": '[{"' * 1000, "label": "x"}) + "\n")
    assert DocumentFiles(path).read().texts.to_pylist() == ['[{"' * 1000]
