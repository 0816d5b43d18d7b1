"""Texts of every kind become one Arrow array, or a refusal in one sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaven.documents._arrow import as_text_array

TEXTS = ["a cat", "", "naïve\n\x00 café", "猫"]

COLUMNS = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "numpy objects": np.array(TEXTS, dtype=object),
    "numpy strings": np.array(TEXTS),
    "numpy str_ in a list": [np.str_(text) for text in TEXTS],
    "numpy variable-width": np.array(TEXTS, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series(TEXTS),
    "pandas objects": pd.Series(TEXTS, dtype=object),
    "pandas arrow": pd.Series(TEXTS, dtype="string[pyarrow]"),
    "pandas ArrowDtype": pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
    "pandas categories": pd.Series(TEXTS, dtype="category"),
    "pandas index": pd.Index(TEXTS),
    "pandas, other row names": pd.Series(TEXTS, index=[9, 3, 3, 1]),
    "polars": pl.Series(TEXTS),
    "polars categories": pl.Series(TEXTS, dtype=pl.Categorical),
    "polars in chunks": pl.concat([pl.Series(TEXTS[:1]), pl.Series(TEXTS[1:])], rechunk=False),
    "arrow string": pa.array(TEXTS),
    "arrow large_string": pa.array(TEXTS, pa.large_string()),
    "arrow string_view": pa.array(TEXTS, pa.string_view()),
    "arrow dictionary": pa.array(TEXTS).dictionary_encode(),
    "arrow chunks": pa.chunked_array([TEXTS[:2], [], TEXTS[2:]]),
    "arrow large chunks": pa.chunked_array([TEXTS[:2], TEXTS[2:]], pa.large_string()),
    "arrow slice": pa.array(["before", *TEXTS, "after"], pa.large_string())[1:-1],
    "arrow short slice": pa.array(["before", *TEXTS, "after"])[1:-1],
    "generator": None,
    "iterator": None,
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_gives_the_same_array(kind):
    column = {"generator": (text for text in TEXTS), "iterator": iter(TEXTS)}.get(
        kind, COLUMNS[kind]
    )
    array = as_text_array(column)
    assert isinstance(array, pa.LargeStringArray)
    assert array.to_pylist() == TEXTS
    assert array.null_count == 0
    assert array.offset == 0
    array.validate(full=True)


@pytest.mark.parametrize(
    "empty",
    [[], (), np.array([]), pd.Series([], dtype=object), pl.Series([], dtype=pl.String),
     pa.array([]), pa.chunked_array([], pa.string()), pa.array(["a"], pa.large_string())[1:]],
)  # fmt: skip
def test_no_texts_give_an_empty_array_with_buffers(empty):
    array = as_text_array(empty)
    assert len(array) == 0
    assert array.type == pa.large_string()
    assert array.offset == 0
    assert array.buffers()[1].size >= 8


def test_an_arrow_array_is_not_copied():
    texts = pa.array(TEXTS, pa.large_string())
    assert as_text_array(texts).buffers()[2].address == texts.buffers()[2].address
    assert as_text_array(texts[1:]).buffers()[2].address == texts.buffers()[2].address


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_unicode_comes_back(texts):
    assert as_text_array(texts).to_pylist() == texts


def test_a_slice_has_the_bytes_of_its_documents_only():
    array = as_text_array(pa.array(["xx", "ab", "c"], pa.large_string())[1:])
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64, count=3)
    assert bytes(array.buffers()[2])[offsets[0] : offsets[2]] == b"abc"


@pytest.mark.parametrize("text", ["one document", b"one document"])
def test_a_bare_string_is_refused(text):
    with pytest.raises(
        ValueError,
        match=r"^Iterable over raw text documents expected, string object received\. Pass a list",
    ):
        as_text_array(text)


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b", float("nan")],
        np.array(["a", None, "b", np.nan], dtype=object),
        pd.Series(["a", None, "b", None]),
        pd.Series(["a", None, "b", np.nan], dtype=object),
        pd.Series(["a", pd.NA, "b", pd.NA], dtype="string[pyarrow]"),
        ["a", pd.NA, "b", pd.NaT],
        pl.Series(["a", None, "b", None]),
        pa.array(["a", None, "b", None]),
        pa.chunked_array([["a"], [None, "b", None]]),
        pa.DictionaryArray.from_arrays([0, 1, 2, 1], ["a", None, "b"]),
    ],
)
def test_missing_texts_are_counted_and_the_first_is_pointed_at(column):
    with pytest.raises(
        ValueError, match=r"posts .* 2 are missing .* first at position 1; fill them with \"\" or"
    ):
        as_text_array(column, "posts")


def test_one_missing_text_is_one():
    with pytest.raises(ValueError, match="1 is missing"):
        as_text_array([None])


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["a", 3], r"texts\[1\] is of type 'int'; convert"),
        (["a", b"b"], r"texts\[1\] is of type 'bytes'"),
        ([None, ["a"]], r"texts\[1\] is of type 'list'"),
        (np.array([1.5]), r"texts\[0\] is of type 'float'"),
        (np.array([b"a"]), r"texts\[0\] is of type 'bytes'"),
        (pd.Series([1, 2]), r"texts\[0\] is of type 'int'"),
        (pa.array([1]), "Arrow column of type int64; cast"),
        (pa.array([b"a"]), "Arrow column of type binary"),
        (pl.Series([1]), "Arrow column of type int64"),
        ({"a": 1}, "must be a sequence of strings, got 'dict'"),
        ({"a"}, "got 'set'"),
        (3, "got 'int'"),
        (None, "got 'NoneType'"),
    ],
)
def test_what_is_not_text_is_named_with_its_place(column, message):
    with pytest.raises(TypeError, match=message):
        as_text_array(column)


@pytest.mark.parametrize(
    "table",
    [
        np.array([["a"], ["b"]]),
        np.array("a"),
        pd.DataFrame({"text": ["a"]}),
        pl.DataFrame({"text": ["a"]}),
        pa.table({"text": ["a"]}),
    ],
)
def test_a_table_is_refused_where_a_column_is_due(table):
    with pytest.raises(ValueError, match=r"must be one column of strings, got [02] dimensions"):
        as_text_array(table)


@pytest.mark.parametrize(
    "column", [["a", "b\ud800"], np.array(["a", "b\ud800"]), pd.Series(["a", "\udc00"], dtype="O")]
)
def test_a_lone_surrogate_is_pointed_at_with_its_remedy(column):
    with pytest.raises(ValueError, match=r'texts\[1\] has a lone surrogate .*"replace"'):
        as_text_array(column)


def test_arrow_bytes_that_are_not_utf8_are_refused():
    array = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xe9")]
    )
    with pytest.raises(ValueError, match="must be valid UTF-8"):
        as_text_array(array)
