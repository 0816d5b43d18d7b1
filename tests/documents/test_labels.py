"""Labels as people write them: every way to say a class, and to say nothing."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from leaven.documents import UNLABELED, Labels
from leaven.documents._label_encoding import encode_labels
from leaven.documents._label_sets import SEPARATOR

TEXT = {
    "list": ["b", None, "a", "", "b"],
    "tuple": ("b", None, "a", None, "b"),
    "iterator": iter(["b", "", "a", "", "b"]),
    "blank": ["b", " \t", "a", "", "b"],
    "nan in a list": ["b", float("nan"), "a", None, "b"],
    "pandas.NA in a list": ["b", pd.NA, "a", pd.NaT, "b"],
    "numpy objects": np.array(["b", None, "a", np.nan, "b"], dtype=object),
    "numpy strings": np.array(["b", "", "a", "", "b"]),
    "pandas": pd.Series(["b", None, "a", None, "b"]),
    "pandas objects": pd.Series(["b", np.nan, "a", None, "b"], dtype=object),
    "pandas strings": pd.Series(["b", pd.NA, "a", pd.NA, "b"], dtype="string"),
    "pandas categories": pd.Series(["b", None, "a", None, "b"], dtype="category"),
    "pandas array": pd.array(["b", pd.NA, "a", pd.NA, "b"], dtype="string"),
    "polars": pl.Series(["b", None, "a", "", "b"]),
    "polars categories": pl.Series(["b", None, "a", None, "b"], dtype=pl.Categorical),
    "arrow": pa.array(["b", None, "a", None, "b"]),
    "arrow chunks": pa.chunked_array([["b", None], ["a", "", "b"]]),
    "arrow dictionary": pa.array(["b", None, "a", None, "b"]).dictionary_encode(),
}
NUMBERS = {
    "list": [7, -1, 3, -1, 7],
    "list with gaps": [7, None, 3, "", 7],
    "numpy": np.array([7, -1, 3, -1, 7]),
    "small numpy": np.array([7, -1, 3, -1, 7], dtype=np.int8),
    "numpy scalars": [np.int64(7), None, np.int32(3), None, np.int64(7)],
    "floats with gaps": np.array([7.0, np.nan, 3.0, np.nan, 7.0]),
    "floats with -1": [7.0, -1.0, 3.0, float("nan"), 7.0],
    "pandas": pd.Series([7, None, 3, None, 7]),
    "pandas integers": pd.Series([7, pd.NA, 3, -1, 7], dtype="Int64"),
    "polars": pl.Series([7, None, 3, None, 7]),
    "arrow": pa.array([7, None, 3, -1, 7]),
}


@pytest.mark.parametrize("labels", TEXT.values(), ids=TEXT.keys())
def test_text_labels_become_codes_of_sorted_classes(labels):
    encoded = encode_labels(labels)
    assert encoded.codes.tolist() == [1, UNLABELED, 0, UNLABELED, 1]
    assert encoded.classes.tolist() == ["a", "b"]
    assert encoded.classes.dtype == object
    assert encoded.counts.tolist() == [1, 2]


@pytest.mark.parametrize("labels", NUMBERS.values(), ids=NUMBERS.keys())
def test_whole_numbers_become_codes_of_sorted_classes(labels):
    encoded = encode_labels(labels)
    assert encoded.codes.tolist() == [1, UNLABELED, 0, UNLABELED, 1]
    assert encoded.classes.tolist() == [3, 7]
    assert encoded.classes.dtype.kind == "i"
    assert encoded.counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    "labels", [[True, None, False], np.array([True, False, True]), [np.True_, np.False_, None]]
)
def test_truth_values_stay_truth_values(labels):
    encoded = encode_labels(labels)
    assert encoded.classes.dtype == bool
    assert encoded.classes.tolist() == [False, True]


def test_numbers_without_a_sign_have_no_mark_for_unlabeled():
    encoded = encode_labels(np.array([255, 0], dtype=np.uint8))
    assert encoded.codes.tolist() == [1, 0]


@pytest.mark.parametrize("labels", [[], [None, "", float("nan")], [-1, -1]])
def test_no_label_at_all_gives_no_class(labels):
    encoded = encode_labels(labels)
    assert len(encoded.classes) == 0
    assert encoded.codes.tolist() == [UNLABELED] * len(labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["b", None, "a", " ", "b "],
        [None, None],
        ["\x1fb\x1fa", "\x1fa", None, "c"],
    ],
)
def test_labels_that_repeat_have_the_codes_that_they_have_once(labels):
    once, often = encode_labels(labels), encode_labels(5 * labels)
    assert often.codes.tolist() == 5 * once.codes.tolist()
    assert often.labels.meanings == once.labels.meanings
    assert often.classes.tolist() == once.classes.tolist()


def test_spaces_and_case_tell_classes_apart():
    assert encode_labels(["a", "A", " a"]).classes.tolist() == [" a", "A", "a"]


def test_one_long_label_does_not_make_all_others_long():
    # A NumPy string array would hold 2,000 × 1,000,000 characters.
    encoded = encode_labels(["x" * 1_000_000] + ["y"] * 1999)
    assert encoded.counts.tolist() == [1, 1999]


REFUSED = [
    (["a", 1], TypeError, r"all text or all whole numbers; labels\[0\] is 'a'"),
    ([1, None, "a"], TypeError, r"labels\[2\] is 'a' beside whole numbers: convert them all"),
    ([1, 1.5], TypeError, r"labels\[1\] is 1\.5 beside whole numbers"),
    ([1, ["a"]], TypeError, r"all lists or all single labels; labels\[0\] is 1 beside lists"),
    (["a", ("a", "b")], TypeError, r"labels\[0\] is 'a' beside lists: write \['a'\]"),
    ([0.5, "a"], TypeError, r"a label must be a str, or None where unlabeled; labels\[0\] is 0\.5"),
    ([float("inf")], TypeError, r"labels\[0\] is inf"),
    (["a", b"b"], TypeError, r"labels\[1\] is b'b'"),
    ("ab", TypeError, "must be a list with one label per document, got 'ab'"),
    (3, TypeError, "must be a list with one label per document, got 3"),
    (np.array(3), TypeError, "must be a list with one label per document"),
    ({"a"}, TypeError, "must be a list with one label per document"),
    ({"a": "b"}, TypeError, "must be a list with one label per document"),
    (pd.DataFrame({"label": ["a", "b"]}), ValueError, r"one column, .* got shape \(2, 1\)"),
    (
        [["a"], ["-1", "b"]],
        ValueError,
        r"the label -1 means unlabeled, but labels\[1\] is \['-1', ",
    ),
    ([[2], [-1]], ValueError, r"labels\[1\] is \[-1\]; write None for an unlabeled document"),
    (["-1", "a", " -1"], ValueError, 'the label "-1" as text occurs 2 times'),
    ([2**64, 1], ValueError, "at most 64 bits"),
    ([2**63, 1], ValueError, "at most 64 bits"),
    ([1e30, None], ValueError, "at most 64 bits"),
    (["a\ud800", "b"], ValueError, r"'a\\ud800' has a lone surrogate"),
]


@pytest.mark.parametrize(("labels", "kind", "message"), REFUSED, ids=lambda case: str(case)[:30])
def test_labels_that_cannot_be_meant_are_refused(labels, kind, message):
    with pytest.raises(kind, match=message):
        encode_labels(labels)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
# What begins with the separator is the key of a set of labels.
is_plain = names.filter(lambda name: name.strip() != "-1" and name[:1] != SEPARATOR)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.none() | is_plain | st.just(float("nan")), max_size=12))
def test_text_labels_come_back(labels):
    encoded = encode_labels(labels)
    back = [None if code < 0 else encoded.classes[code] for code in encoded.codes]
    is_text = [isinstance(label, str) and bool(label.strip()) for label in labels]
    known = [label if kept else None for label, kept in zip(labels, is_text, strict=True)]
    assert back == known
    assert encoded.classes.tolist() == sorted(set(known) - {None})
    assert encoded.counts.sum() == sum(is_text)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.none() | st.integers(-(2**53), 2**53), max_size=12))
def test_whole_numbers_come_back_however_they_are_held(labels):
    known = [None if label is None or label == -1 else label for label in labels]
    floats = [float("nan") if label is None else float(label) for label in labels]
    held = [labels, pd.Series(labels, dtype="Int64"), pa.array(labels, pa.int64()), floats]
    for given_labels in held:
        encoded = encode_labels(given_labels)
        back = [None if code < 0 else int(encoded.classes[code]) for code in encoded.codes]
        assert back == known
        assert_array_equal(encoded.classes, sorted(set(known) - {None}))


# What codes stand for.

KINDS = {
    "text": (np.array(["a", "b", "true"], dtype=object), ["a", "b", "true"]),
    "numbers": (np.array([-7, 3, 12]), ["-7", "3", "12"]),
    "truth values": (np.array([False, True]), ["False", "True"]),
}


@pytest.mark.parametrize(("classes", "names"), KINDS.values(), ids=KINDS.keys())
def test_codes_are_decoded_to_labels_as_they_were_given(classes, names):
    labels = Labels(classes)
    codes = np.array([1, 0, 1])
    found = labels.decode(codes)
    assert found.dtype == classes.dtype
    assert found.tolist() == [classes.tolist()[code] for code in codes]
    assert (len(labels), labels.names) == (len(classes), names)
    assert labels.by_name(range(len(classes))) == {name: i for i, name in enumerate(names)}
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        labels.by_name([1])


@pytest.mark.parametrize(("classes", "names"), KINDS.values(), ids=KINDS.keys())
def test_a_column_of_text_is_encoded_by_the_names_of_classes(classes, names):
    labels = Labels(classes)
    column = pa.array([names[1], None, "zoo", names[0], "art"], pa.large_string())
    assert labels.encode(column).tolist() == [1, UNLABELED, UNLABELED, 0, UNLABELED]
    assert labels.encode(column).dtype == np.int64
    assert labels.unknown(column) == ["art", "zoo"]
    assert labels.unknown(column.slice(0, 2)) == []
    assert labels.encode(column.slice(0, 0)).tolist() == []


def test_the_highest_score_decides_and_the_first_of_equals():
    labels = Labels(np.array(["a", "b", "c"], dtype=object))
    scores = np.array([[0.1, 0.7, 0.2], [-3.0, -9.0, -1.0], [0.5, 0.5, 0.0]])
    assert labels.decide(scores).tolist() == [1, 2, 0]
    assert labels.decide(scores[:0]).tolist() == []


def test_other_labels_may_follow_the_classes():
    more = Labels(np.array([3, 7])).followed_by(["zoo"])
    assert more.names == more.classes.tolist() == ["3", "7", "zoo"]
    assert more.encode(pa.array(["7", "zoo"], pa.large_string())).tolist() == [1, 2]


def test_what_was_encoded_is_decoded_again():
    encoded = encode_labels(["b", None, "a", "b"])
    is_labeled = encoded.codes >= 0
    assert encoded.labels.decode(encoded.codes[is_labeled]).tolist() == ["b", "a", "b"]
