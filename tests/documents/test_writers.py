"""Many tables below each other in one file."""

import datetime
import gzip
import json
from decimal import Decimal
from itertools import pairwise

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from leaven.documents._readers import DocumentFiles
from leaven.documents._writers import write_table, write_tables
from leaven.exceptions import DataError

NAMES = ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz", "a.jsonl.gz"]
WHOLE = pa.table(
    {
        "text": ["one, two", 'a "quote"', "three\nlines", None, "five", "six"],
        "n": [1, 2, None, 4, 5, 6],
        "x": [0.5, 1.0, 2.0, None, 4.25, 5.0],
        "tags": [["a"], [], None, ["b", "c"], ["d"], []],
        "yes": [True, False, None, True, True, False],
    }
)


def cut(table, at=(0, 1, 4, 6)):
    return (table.slice(a, b - a) for a, b in pairwise(at))


def content(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_pieces_of_a_table_make_the_same_file(tmp_path, name):
    (tmp_path / "whole").mkdir()
    write_table(WHOLE, tmp_path / "whole" / name)
    write_tables(cut(WHOLE), tmp_path / name)
    whole, pieces = content(tmp_path / "whole" / name), content(tmp_path / name)
    assert pieces == whole
    if name.endswith("parquet"):
        assert pieces.schema == whole.schema


def test_a_column_that_a_later_table_lacks_is_empty_there(tmp_path):
    tables = [pa.table({"a": [1], "b": ["x"]}), pa.table({"b": ["y"]}), pa.table({"a": [3]})]
    for name in ("a.csv", "a.parquet"):
        write_tables(tables, tmp_path / name)
    rows = [{"a": 1, "b": "x"}, {"a": None, "b": "y"}, {"a": 3, "b": None}]
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == rows
    assert (tmp_path / "a.csv").read_text() == "a,b\n1,x\n,y\n3,\n"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv.gz", "a.parquet"])
def test_a_new_column_is_refused_and_nothing_is_left(tmp_path, name):
    tables = [pa.table({"a": [1]}), pa.table({"a": [2], "late": [1]})]
    with pytest.raises(DataError, match=r"column 'late' turns up in later rows.*write \.jsonl"):
        write_tables(tables, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_json_lines_take_rows_as_they_are(tmp_path):
    tables = [pa.table({"a": [1]}), pa.table({"b": ["x"]}), pa.table({"a": ["now text"]})]
    write_tables(tables, tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"a": 1}, {"b": "x"}, {"a": "now text"}]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (pa.array([1.5]), pa.array([2, 3])),
        (pa.array([1]), pa.array([2.0])),
        (pa.array(["a"]), pa.array([2])),
        (pa.array(["a"]), pa.array(["b"], pa.large_string())),
        (pa.array(["a"]), pa.array(["b"]).dictionary_encode()),
        (pa.array([[1]]), pa.array([[]])),
        (pa.array(["a"]), pa.array([[1, 2]])),
        (pa.array([1]), pa.array([None])),
    ],
)
def test_types_are_those_of_the_first_table_where_values_stay_the_same(tmp_path, first, later):
    write_tables([pa.table({"a": first}), pa.table({"a": later})], tmp_path / "a.parquet")
    found = pq.read_table(tmp_path / "a.parquet").column("a")
    assert found.type == first.type
    text = pa.types.is_string(first.type)
    expected = [str(v) if text and v is not None else v for v in later.to_pylist()]
    assert found.to_pylist() == [*first.to_pylist(), *expected]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (pa.array([1]), pa.array([2.5])),
        (pa.array([1]), pa.array(["007"])),
        (pa.array([1]), pa.array([True])),
        (pa.array([None]), pa.array(["b"])),
        (pa.array([{"a": 1}]), pa.array([{"a": 1, "b": 2}])),
    ],
)
def test_a_type_that_does_not_fit_is_refused(tmp_path, first, later):
    tables = [pa.table({"a": first}), pa.table({"a": later})]
    with pytest.raises(DataError, match=r"column 'a' holds .* in later rows.*write \.jsonl"):
        write_tables(tables, tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []
    write_tables(tables, tmp_path / "a.csv")  # which is text throughout


def test_nulls_where_there_must_be_none_are_refused(tmp_path):
    strict = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    tables = [pa.table({"a": [1]}, schema=strict), pa.table({"a": pa.array([None], pa.int64())})]
    with pytest.raises(DataError, match="holds nulls in later rows"):
        write_tables(tables, tmp_path / "a.parquet")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, DataError])
def test_an_older_file_stays_if_writing_is_interrupted(tmp_path, name, error):
    (tmp_path / name).write_text("before")

    def tables():
        yield WHOLE
        raise error("now")

    with pytest.raises(error):
        write_tables(tables(), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "before"


def test_a_name_that_tells_no_format_is_refused_before_anything_is_made(tmp_path):
    def tables():
        pytest.fail("a table was asked for")
        yield WHOLE

    with pytest.raises(DataError, match="must end in one of"):
        write_tables(tables(), tmp_path / "a.out")


def test_columns_of_one_name_are_written_as_long_as_they_stay(tmp_path):
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    write_tables([twice, twice], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a,a\n1,2\n1,2\n"
    with pytest.raises(DataError, match="occurs twice"):
        write_tables([pa.table({"b": [1], "a": [1]}), twice], tmp_path / "b.csv")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_labels_that_are_floats_keep_their_names_and_nan_is_unlabeled(tmp_path, ending, kind):
    labels = pa.array([0.5, None, float("nan"), 2.0, 0.1], pa.float64()).cast(kind, safe=False)
    write_table(pa.table({"text": list("abcde"), "label": labels}), tmp_path / "a.parquet")
    first = DocumentFiles(tmp_path / "a.parquet", keep_columns=True).read()
    write_table(first.columns, tmp_path / f"b.{ending}")
    names = DocumentFiles(tmp_path / f"b.{ending}").read().labels.to_pylist()
    assert names == first.labels.to_pylist()
    assert names[:4] == ["0.5", None, None, "2"]
    assert kind == pa.float16() or names[4] == "0.1"


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary(), pa.large_binary()])
def test_text_of_any_type_is_quoted_in_csv(tmp_path, kind):
    texts = ["a,b", 'c "d"', "e\nf", None, ""]
    column = pa.array(texts, pa.string()).cast(kind)
    write_table(pa.table({"text": column, "n": range(5)}), tmp_path / "a.csv")
    found = DocumentFiles(tmp_path / "a.csv").read().texts.to_pylist()
    assert found == [text or "" for text in texts]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_dates_decimals_and_bytes_are_the_same_text_in_every_format(tmp_path, ending):
    day = datetime.datetime(2024, 2, 29, 12, 30)
    columns = {
        "ms": pa.array([day], pa.timestamp("ms")),
        "utc": pa.array([day], pa.timestamp("us", "UTC")),
        "date": pa.array([day.date()], pa.date32()),
        "time": pa.array([day.time()], pa.time64("us")),
        "decimal": pa.array([Decimal("1.50")], pa.decimal128(12, 2)),
        "bytes": pa.array([b"some words"]),
        "view": pa.array(["some words"], pa.string_view()),
    }
    write_table(pa.table(columns), tmp_path / "a.parquet")
    write_table(pa.table(columns), tmp_path / f"b.{ending}")
    for name in columns:
        expected = DocumentFiles(tmp_path / "a.parquet", text=name).read().texts
        assert DocumentFiles(tmp_path / f"b.{ending}", text=name).read().texts == expected
