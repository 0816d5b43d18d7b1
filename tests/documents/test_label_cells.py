"""Cells of label columns that hold several labels: lists, JSON text, or a separator."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leaven.documents._label_encoding import encode_column
from leaven.documents._label_sets import key_of
from leaven.documents._readers import DocumentFiles, read_documents
from leaven.documents._reading import Reading
from leaven.exceptions import DataError

CELLS = [["b", " a ", "b"], [], None, ["c"], [""], [None], ["a", None, " "]]
KEYS = [key_of(["a", "b"]), key_of([]), None, key_of(["c"]), None, None, key_of(["a"])]


def written(path, labels, kind=None):
    """A file of documents with these labels, in the format of the path's extension."""
    if path.suffix == ".parquet":
        values = pa.array(labels, kind)
        pq.write_table(pa.table({"text": ["x"] * len(values), "labels": values}), path)
    else:
        rows = [json.dumps({"text": "x", "labels": each}) for each in labels]
        is_array = path.suffix == ".json"
        path.write_text("[" + ",".join(rows) + "]" if is_array else "\n".join(rows))
    return path


def labels_of(path, **options):
    return read_documents(path, label="labels", **options).labels.to_pylist()


@pytest.mark.parametrize("keep_columns", [False, True])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.parquet"])
def test_lists_of_labels_are_sets_and_the_empty_one_is_not_unlabeled(tmp_path, name, keep_columns):
    path = written(tmp_path / name, CELLS)
    assert labels_of(path, keep_columns=keep_columns) == KEYS


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
        pa.list_(pa.dictionary(pa.int8(), pa.string())),
    ],
    ids=str,
)
def test_every_arrow_type_of_lists_is_read(tmp_path, kind):
    assert labels_of(written(tmp_path / "a.parquet", CELLS, kind)) == KEYS


def test_lists_of_fixed_size_are_read(tmp_path):
    path = written(tmp_path / "a.parquet", [["b", "a"], None], pa.list_(pa.string(), 2))
    assert labels_of(path) == [key_of(["a", "b"]), None]


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
@pytest.mark.parametrize("numbers", [[[3, 10], [], None, [1]], [[3.0, 10.0], [], None, [1.0]]])
def test_whole_numbers_in_lists_are_labels_of_text(tmp_path, name, numbers):
    expected = [key_of(["10", "3"]), key_of([]), None, key_of(["1"])]
    assert labels_of(written(tmp_path / name, numbers)) == expected


def test_missing_numbers_in_lists_are_left_out(tmp_path):
    path = written(tmp_path / "a.parquet", [[1.0, float("nan")], [float("nan")]])
    assert labels_of(path) == [key_of(["1"]), None]


@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])
@pytest.mark.parametrize("keep_columns", [False, True])
def test_single_labels_beside_lists_are_sets_of_one(tmp_path, block_bytes, keep_columns):
    labels = ["b", ["a", "b"], [], None, 3, [3, "a"], "", ["b"], '["a"]']
    path = written(tmp_path / "a.jsonl", labels)
    files = DocumentFiles(path, label="labels", block_bytes=block_bytes, keep_columns=keep_columns)
    column = files.read().labels
    assert column.to_pylist()[:5] == ["b", key_of(["a", "b"]), key_of([]), None, "3"]
    encoded = encode_column(column)
    is_labeled = encoded.codes >= 0
    assert is_labeled.tolist() == [each not in (None, "") for each in labels]
    assert encoded.labels.decode(encoded.codes[is_labeled]).tolist() == [
        ("b",), ("a", "b"), (), ("3",), ("3", "a"), ("b",), ("a",),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
@pytest.mark.parametrize("labels", [[[["a"]]], [{"a": "b"}], [[{"a": "b"}]]])
def test_nested_values_are_refused_as_labels(tmp_path, name, labels):
    path = written(tmp_path / name, labels)
    with pytest.raises(DataError, match=r"'labels' of .* one label or a list of labels per doc"):
        labels_of(path)


def test_nested_values_beside_single_labels_are_refused(tmp_path):
    path = written(tmp_path / "a.jsonl", ["a", [["b"]]])
    with pytest.raises(DataError, match=r"a list of labels per document .* holds a nested value"):
        labels_of(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_the_control_character_of_keys_is_refused_within_a_label(tmp_path, name):
    path = written(tmp_path / name, [["a\x1fb"], ["c\x1f"]])
    with pytest.raises(DataError, match=r"must not hold the control character '\\x1f'"):
        labels_of(path)


def test_labels_with_a_separator_are_sets(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('text,label\nx,b; a;b\nx,;\nx,\nx, \nx,c\nx,; a ;\nx,"[""a"", ""d;e""]"\n')
    labels = read_documents(path, label_separator=";").labels.to_pylist()
    sets = [["a", "b"], [], None, None, ["c"], ["a"], ["a", "d;e"]]
    assert labels == [None if each is None else key_of(each) for each in sets]


def test_a_separator_may_be_several_characters(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("text\tlabel\nx\ta :: b\nx\tb\n")
    labels = read_documents(path, label_separator="::").labels.to_pylist()
    assert labels == [key_of(["a", "b"]), key_of(["b"])]


def test_rules_apply_to_every_label_of_a_set(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\nx,B;a\nx,A;b\nx,a;?\nx,?\nx,;\n")
    options = {"label_separator": ";", "unlabeled": ["?"], "ignore_case": True}
    labels = read_documents(path, **options).labels.to_pylist()
    assert labels == [key_of(["a", "b"]), key_of(["a", "b"]), None, None, key_of([])]
    path = written(tmp_path / "a.parquet", [["B", "a"], ["a", "?"]])
    options.pop("label_separator")
    assert labels_of(path, **options) == [key_of(["a", "b"]), None]


@pytest.mark.parametrize("separator", ["", 3, b";"])
def test_a_separator_that_is_no_text_is_refused(tmp_path, separator):
    path = written(tmp_path / "a.jsonl", ["a"])
    with pytest.raises(TypeError, match="label_separator must be the text between the labels"):
        labels_of(path, label_separator=separator)


def test_a_model_remembers_the_separator():
    reading = Reading(label_separator="|")
    again = Reading.from_json(reading.to_json())
    assert again.label_separator == "|"
    assert Reading().after(again).label_separator == "|"
    assert Reading(label_separator=";").after(again).label_separator == ";"
    assert Reading.from_json({"text": "a"}).label_separator is None
    for wrong in ("", 3, ["a"]):
        with pytest.raises(TypeError, match="its label_separator is"):
            Reading.from_json({**reading.to_json(), "label_separator": wrong})


def test_minus_one_among_the_labels_of_a_set_is_refused(tmp_path):
    path = written(tmp_path / "a.jsonl", [[-1], ["a", "-1"], ["a"]])
    with pytest.raises(ValueError, match='"-1" as text occurs 2 times'):
        encode_column(read_documents(path, label="labels").labels)
    unlabeled = labels_of(path, unlabeled=[-1])
    assert unlabeled == [None, None, key_of(["a"])]


def test_text_of_nested_json_is_a_label_like_other_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('text,label\nx,"[[""a""]]"\nx,[a]\nx,"[{""a"": 1}]"\n')
    assert read_documents(path).labels.to_pylist() == ['[["a"]]', "[a]", '[{"a": 1}]']
