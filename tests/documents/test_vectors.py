"""Columns of vectors in files."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from leaven.documents import read_documents
from leaven.documents._vectors import vector_array
from leaven.exceptions import DataError

VECTORS = [[0.5, 1.0], [2.0, -3.0], [0.0, 4.25]]


def written(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    table = pa.table({"text": ["a b", "c d", "e f"], "v": VECTORS})
    if ending == "parquet":
        pq.write_table(table, path)
    elif ending == "jsonl":
        rows = zip(table["text"].to_pylist(), VECTORS, strict=True)
        path.write_text("\n".join(json.dumps({"text": t, "v": v}) for t, v in rows))
    else:
        rows = zip(table["text"].to_pylist(), VECTORS, strict=True)
        path.write_text("text,v\n" + "\n".join(f'{t},"{json.dumps(v)}"' for t, v in rows))
    return path


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv"])
def test_vectors_come_from_every_format(tmp_path, ending):
    documents = read_documents(written(tmp_path, ending), keep_columns=True)
    vectors = vector_array(documents.columns, "v", "data")
    assert vectors.dtype == np.float32
    assert_allclose(vectors, VECTORS)


def test_fixed_size_lists_whole_numbers_and_chunks_are_vectors_too():
    chunk = pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2))
    table = pa.table({"v": pa.chunked_array([chunk, chunk.slice(1)])})
    assert_allclose(vector_array(table, "v", "data"), [[1, 2], [3, 4], [3, 4]])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0], None], "row 2 of data has no vector"),
        ([[1.0], [1.0, 2.0]], "must all be of one length, but have 1 to 2"),
        (pa.array([[], []], pa.list_(pa.float32())), "must all be of one length"),
        ([1.0, 2.0], "must hold a list of numbers"),
        ([["a"], ["b"]], "must be numbers throughout"),
        ([[1.0], [None]], "must be numbers throughout, but hold nulls"),
        (["[1, 2]", "oops"], "row 2 of data must hold a list"),
        (["[1, 2]", '["x"]'], "write it like"),
    ],
)
def test_what_is_no_vector_is_refused(values, message):
    with pytest.raises(DataError, match=message):
        vector_array(pa.table({"v": values}), "v", "data")


def test_a_missing_column_is_named_with_those_there_are():
    with pytest.raises(DataError, match="must have one column 'w' of vectors, columns found: 'v'"):
        vector_array(pa.table({"v": VECTORS}), "w", "data")
