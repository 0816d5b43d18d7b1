"""Sets of labels: codes stand for sets, keys for sets in columns, and None is not []."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from leaven.documents._label_encoding import encode_column, encode_labels, labels_counted
from leaven.documents._label_rules import LabelRules
from leaven.documents._label_sets import SEPARATOR, as_keys, key_of, shown_label
from leaven.documents._labels import EncodedLabels
from leaven.documents._readers import DocumentFiles

laws = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
names = st.text(st.characters(codec="utf-8", exclude_characters=SEPARATOR), min_size=1).filter(
    str.strip
)
few_names = st.sampled_from(["a", "b", "B", "c d", "é", "10", "9"])
sets_of_text = st.lists(st.none() | st.lists(few_names, max_size=4), max_size=12)
label_sets = (
    sets_of_text
    | st.lists(st.none() | st.lists(names, max_size=3), max_size=6)
    | st.lists(st.none() | st.lists(st.integers(2, 40), max_size=3), max_size=8)
)


def plain(labels):
    """The labels as sorted tuples without repetition; None stays."""
    return [None if each is None else tuple(sorted(set(each))) for each in labels]


def decoded(encoded):
    is_labeled = encoded.codes >= 0
    values = iter(encoded.labels.decode(encoded.codes[is_labeled]).tolist())
    return [next(values) if known else None for known in is_labeled]


def holds_lists(labels):
    return any(each is not None for each in labels)


@laws
@given(label_sets.filter(holds_lists))
@example([[], None])
@example([["b", "a", "b"], ["a", "b"], [], None])
@example([[10, 9], [9, 10]])
def test_codes_stand_for_sets_and_give_the_labels_back(labels):
    encoded = encode_labels(labels)
    assert decoded(encoded) == plain(labels)
    every = {each for each in plain(labels) if each is not None}
    assert encoded.labels.n_codes == len(every)
    assert encoded.classes.tolist() == sorted({name for each in every for name in each})
    assert encoded.labels.allows_empty == (() in every)
    assert encoded.labels.listed(encoded.codes) == plain(labels)
    assert encoded.counts.sum() == sum(each is not None for each in labels)


@laws
@given(label_sets.filter(holds_lists), st.randoms())
def test_neither_the_order_of_documents_nor_of_labels_matters(labels, random):
    order = list(range(len(labels)))
    random.shuffle(order)
    shuffled = [None if labels[i] is None else random.sample(labels[i], len(labels[i]))
                for i in order]  # fmt: skip
    one, two = encode_labels(labels), encode_labels(shuffled)
    assert one.labels.keys == two.labels.keys
    assert_array_equal(one.codes[order], two.codes)


@laws
@given(sets_of_text.filter(holds_lists))
def test_lists_in_any_container_are_the_same(labels):
    expected = encode_labels(labels)
    others = [
        [None if each is None else set(each) for each in labels],
        [None if each is None else np.array(each, dtype=object) for each in labels],
        pd.Series([None if each is None else tuple(each) for each in labels]),
        pa.array(labels, pa.list_(pa.string())),
    ]
    for other in others:
        found = encode_labels(other)
        assert_array_equal(found.codes, expected.codes)
        assert found.labels.keys == expected.labels.keys


@laws
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=n)
    ),
    st.integers(0, 3),
)
def test_a_matrix_gives_the_matrix_back(rows, n_unlabeled):
    matrix = np.array([*rows, *[[-1] * 3] * n_unlabeled])
    for given_matrix in (matrix, csr_array(matrix), np.where(matrix < 0, np.nan, matrix)):
        encoded = encode_labels(given_matrix)
        is_labeled = encoded.codes >= 0
        assert is_labeled.tolist() == [True] * len(rows) + [False] * n_unlabeled
        assert_array_equal(encoded.labels.decode(encoded.codes[is_labeled]), rows)
        assert encoded.classes.tolist() == [0, 1, 2]


@laws
@given(sets_of_text.filter(holds_lists))
def test_a_column_of_keys_means_the_same_sets(labels):
    keys = [None if each is None else key_of(sorted(set(each))) for each in labels]
    column = pa.array(keys, pa.large_string())
    expected = encode_labels(labels)
    for found in (encode_column(column), encode_labels(column), encode_labels(keys)):
        assert found.labels.keys == expected.labels.keys
        assert_array_equal(found.codes, expected.codes)
    again = labels_counted(dict.fromkeys(expected.labels.keys, 1))
    assert again.labels.keys == expected.labels.keys
    assert again.codes.tolist() == list(range(expected.labels.n_codes))


@laws
@given(sets_of_text, sets_of_text)
def test_labels_compare_as_sets_whatever_classes_each_side_knows(one, two):
    pairs = [(a, b) for a, b in zip(one, two, strict=False) if a is not None and b is not None]
    if not pairs:
        return
    a, b = (encode_labels([pair[i] for pair in pairs]) for i in (0, 1))
    assert a.is_same(b).tolist() == [set(x) == set(y) for x, y in pairs]
    for number in range(len(a.classes)):
        column = a.labels.has_class(a.codes, number)
        assert column.tolist() == a.membership[:, number].tolist()
    assert a.membership_in(["a", "zzz"]).tolist() == [["a" in x, False] for x, _ in pairs]


@settings(laws, max_examples=15)
@given(sets_of_text)
@example([[], None, ["a"]])
@example([None, [], []])
def test_files_of_any_format_hold_the_same_sets_however_they_are_read(tmp_path, labels):
    texts = [f"t{i}" for i in range(len(labels))]
    if not labels:
        return
    expected = [None if each is None else key_of(sorted(set(each))) for each in labels]
    rows = [{"text": text, "label": each} for text, each in zip(texts, labels, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "a.json").write_text(json.dumps(rows))
    table = pa.table({"text": texts, "label": pa.array(labels, pa.list_(pa.string()))})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=3)
    cells = ["" if each is None else ";".join(each) or ";" for each in labels]
    lines = [f"{text},{cell}\n" for text, cell in zip(texts, cells, strict=True)]
    (tmp_path / "a.csv").write_text("text,label\n" + "".join(lines))
    for name in ("a.jsonl", "a.json", "a.parquet", "a.csv"):
        how = {"label": "label", "label_separator": ";" if name == "a.csv" else None}
        path = tmp_path / name
        assert DocumentFiles(path, **how).read().labels.to_pylist() == expected
        for block_bytes in (1, 50):
            batches = DocumentFiles(path, block_bytes=block_bytes, **how)
            assert [key for batch in batches for key in batch.labels.to_pylist()] == expected
        pieces = DocumentFiles(path, keep_columns=True, **how).pieces(40)
        read = [batch for own in pieces for piece in own for batch in piece]
        assert [key for batch in read for key in batch.labels.to_pylist()] == expected


def test_rules_make_documents_unlabeled_and_labels_one():
    rules = LabelRules.of(["?"], True)
    encoded = encode_labels([["A", "b"], ["a", "B "], ["a", "?"], [], None], rules)
    assert decoded(encoded) == [("a", "b"), ("a", "b"), None, (), None]
    assert decoded(encode_labels([[1], [-1], []], LabelRules.of([-1], False))) == [(1,), None, ()]
    array = np.array([["A", "b"], ["a", "?"], ["", None]], dtype=object)
    assert decoded(encode_labels(array, rules)) == [("a", "b"), None, None]


def test_single_labels_beside_keys_are_sets_of_one():
    column = pa.array(["a", key_of(["a"]), key_of([]), None, key_of(["a", "b"])], pa.large_string())
    assert as_keys(column).to_pylist()[0] == key_of(["a"])
    encoded = encode_column(column)
    assert decoded(encoded) == [("a",), ("a",), (), None, ("a", "b")]
    assert encoded.labels.unknown(pa.array(["a", "b"], pa.large_string())) == [key_of(["b"])]
    counted = labels_counted({"a": 2, key_of(["a"]): 3, key_of([]): 1})
    assert counted.codes.tolist() == [1, 1, 0]


def test_strata_are_the_rarest_class_and_leave_the_unlabeled_out():
    encoded = encode_labels([["a", "b"], ["a"], None, [], ["a"]])
    assert encoded.strata.tolist() == [1, 0, -1, 2, 0]
    assert encode_labels(["a", None, "b"]).strata.tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    ("key", "shown"),
    [(key_of(["a", "b"]), "a, b"), (key_of([]), "no label"), ("plain", "plain")],
)
def test_sets_are_shown_without_control_characters(key, shown):
    assert shown_label(key) == shown


def test_empty_predictions_can_be_allowed_or_not():
    labels = encode_labels([["a"], ["b"]]).labels
    assert not labels.allows_empty
    assert labels.allowing_empty(None) is labels
    assert labels.allowing_empty(True).allows_empty
    one = encode_labels(["a", "b"]).labels
    assert one.allowing_empty(False) is one
    with pytest.raises(ValueError, match="allow_empty=True lets documents have no label"):
        one.allowing_empty(True)


def test_matrix_labels_are_listed_as_tuples():
    encoded = encode_labels(np.array([[1, 0], [-1, -1], [0, 0], [1, 1]]))
    assert encoded.labels.listed(encoded.codes) == [(0,), None, (), (0, 1)]
    same = EncodedLabels(encoded.codes[[0, 2]], encoded.labels)
    assert same.is_same(encode_labels([[0], [1]])).tolist() == [True, False]
