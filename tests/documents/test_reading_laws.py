"""Files are read the same in memory, in blocks of any size, and in pieces."""

import csv
import gzip
import io
import json
import random

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leaven.documents._combining import united
from leaven.documents._readers import DocumentFiles
from leaven.documents._writers import write_table, write_tables
from leaven.exceptions import DataError

laws = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
BLOCKS = (1, 2, 7, 64, 200)


def outcome(read):
    """Texts, labels and kept columns; or that there is an error, whichever it is."""
    try:
        return read()
    except DataError:
        return "refused"


def whole(path, **options):
    documents = DocumentFiles(path, **options).read()
    labels = documents.labels and documents.labels.to_pylist()
    return documents.texts.to_pylist(), labels, kept_columns(documents.columns)


def kept_columns(table):
    """Names, types and values."""
    if table is None:
        return None
    return table.schema.names, table.schema.types, [repr(c.to_pylist()) for c in table.columns]


def gathered(batches):
    texts, labels, tables = [], [], []
    for batch in batches:
        texts += batch.texts.to_pylist()
        labels = None if batch.labels is None else labels + batch.labels.to_pylist()
        if batch.columns is not None:
            tables.append(batch.columns)
    if not texts:
        raise DataError("nothing read")
    return texts, labels, kept_columns(united(tables) if tables else None)


def streamed(path, block_bytes, **options):
    return gathered(DocumentFiles(path, block_bytes=block_bytes, **options))


def in_pieces(path, n_bytes, **options):
    files = DocumentFiles(path, **options)
    return gathered(batch for own in files.pieces(n_bytes) for piece in own for batch in piece)


def assert_read_the_same_everywhere(path, **options):
    expected = outcome(lambda: whole(path, **options))
    for block_bytes in BLOCKS:
        assert outcome(lambda: streamed(path, block_bytes, **options)) == expected, block_bytes  # noqa: B023
    for n_bytes in (8, 30, 90):
        assert outcome(lambda: in_pieces(path, n_bytes, **options)) == expected, n_bytes  # noqa: B023
    return expected


PARTS = [
    b"a", b"some words", b",", b";", b"\t", b'"', b'""', b'","', b'"\n', b"\r\n", b"\n", b"\r",
    b"x,y\n", b'"a\r\nb",x\r\n', b'"q ""r"" s",x\n', b"\n\n", b" ", b"\xc3\xa9", b"\xff", b"\x00",
    b"\xef\xbb\xbf", b"a,b,c\n", b"one\n",
]  # fmt: skip
HEADS = [
    b"text,label\n", b"text,label\r\n", b"text,label\r", b"\xef\xbb\xbftext,label\n", b"text\n",
    b"\n\r\ntext,label\n", b'"text","label"\n', b'id,"a ""b""",text,label\n', b"text,,\n",
    b"text,x,x\n", b"text,a\x00b\n", b'text,"la\r\nbel"\r\n', b"text;label\n", b"",
]  # fmt: skip


@laws
@given(
    head=st.sampled_from(HEADS),
    parts=st.lists(st.sampled_from(PARTS), max_size=40),
    name=st.sampled_from(["a.csv", "a.tsv"]),
    keep_columns=st.booleans(),
    header=st.booleans(),
)
@example(HEADS[1], [b'"' + b"x" * 50 + b"\r\n" + b"y" * 9 + b'",z\r\n'] * 4, "a.csv", True, True)
@example(HEADS[0], [b'"a"b"c,d\n', b'e"f,g\n', b'"h'], "a.csv", False, True)
@example(b"text,label\n", [b"\xef\xbb\xbf", b"\r\n"], "a.csv", False, False)
@example(b"\ntext,label\n", [b"\xef\xbb\xbfa,b\n"] * 9, "a.csv", False, True)
def test_any_bytes_as_csv_are_read_the_same_everywhere(
    tmp_path, head, parts, name, keep_columns, header
):
    content = (head + b"".join(parts)).replace(b",", b"\t" if name == "a.tsv" else b",")
    path = tmp_path / name
    path.write_bytes(content or b"\n")
    text = None if header else "1"
    kept = assert_read_the_same_everywhere(
        path, keep_columns=keep_columns, header=header, text=text
    )
    # Keeping the other columns changes nothing about the texts.
    plain = outcome(lambda: whole(path, header=header, text=text))
    assert kept[:2] == plain[:2]


values = st.text(st.sampled_from("ab ,;\"'\r\n\té|\x00"), max_size=12)


@laws
@given(
    rows=st.lists(st.tuples(values, st.sampled_from(["", "x", "y z"]), values), min_size=1),
    delimiter=st.sampled_from(",;\t|"),
    # Python quotes those line breaks that end rows, so with few quotes these must be all.
    style=st.sampled_from(
        [
            ("\r\n", csv.QUOTE_MINIMAL),
            ("\r\n", csv.QUOTE_ALL),
            ("\n", csv.QUOTE_ALL),
            ("\r", csv.QUOTE_ALL),
        ]
    ),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_tables_written_by_python_are_read_as_they_are(tmp_path, rows, delimiter, style, mark):
    ending, quoting = style
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    writer.writerow(["text", "label", "other"])
    writer.writerows(rows)
    path = tmp_path / "a.csv"
    path.write_bytes((mark + out.getvalue()).encode())
    texts, labels, kept = assert_read_the_same_everywhere(path, keep_columns=True)
    assert texts == [row[0] for row in rows]
    assert labels == [row[1] or None for row in rows]
    assert kept[2][2] == repr([row[2] for row in rows])


def test_line_breaks_in_quotes_are_kept_wherever_a_block_ends(tmp_path):
    path = tmp_path / "a.csv"
    texts = ["x" * n + "\r\n" + "y" for n in range(120)]
    path.write_text("text,label\r\n" + "".join(f'"{t}",a\r\n' for t in texts), newline="")
    for block_bytes in (*range(1, 12), 63, 64, 65, 101, 130):
        assert streamed(path, block_bytes)[0] == texts


JSON_VALUES = st.sampled_from([
    '"a"', '""', '"\\u0001"', '"\x01"', "1", "-0", "1.0", "1e3", "true", "null", "NaN", "[]", "{}",
    '{"a": {}}', "9007199254740993", "9223372036854775808", "12345678901234567890123", "9" * 5000,
    "0.5", '"\\ud83d\\ude00"', '"\\ud800"', '[1, "a"]',
    '["a"]', '["a", null, " b"]', '[["a"]]', '"[\\"a\\"]"', '[true, 2.0]',
])  # fmt: skip


@laws
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(['"a"', '""', '"\x01"', "null", "3"]), JSON_VALUES, JSON_VALUES)
        | st.sampled_from(["", " ", "null", '{"text": "a"}{"text": "b"}', "\x00", "\x0b", "\xa0"]),
        min_size=1,
        max_size=8,
    ),
    is_array=st.booleans(),
)
def test_any_json_is_read_the_same_everywhere(tmp_path, rows, is_array):
    lines = [
        row
        if isinstance(row, str)
        else f'{{"text": {row[0]}, "label": {row[1]}, "other": {row[2]}}}'
        for row in rows
    ]
    path = tmp_path / "a.json"
    path.write_text("[" + ",\n".join(lines) + "]" if is_array else "\n".join(lines) + "\n")
    labeled = assert_read_the_same_everywhere(path, label="label")
    assert (
        assert_read_the_same_everywhere(path, label="label", keep_columns=True)[:2] == (labeled[:2])
    )
    plain = assert_read_the_same_everywhere(path)
    kept = assert_read_the_same_everywhere(path, keep_columns=True)
    assert kept[:2] == plain[:2]
    if kept == "refused":
        return
    table = DocumentFiles(path, keep_columns=True).read().columns
    for ending in ("csv", "jsonl", "json", "parquet"):
        write_table(table, tmp_path / f"out.{ending}")
        again = whole(tmp_path / f"out.{ending}")
        # An empty text that is null is left out of CSV with one column only.
        assert again[0] == kept[0]


@pytest.mark.parametrize("digits", ["9007199254740993", "9223372036854775808", "1" * 5000])
@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_large_whole_numbers_survive(tmp_path, digits, block_bytes, ending):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "a", "n": {digits}}}\n{{"text": "b", "n": 0.5}}\n')
    table = DocumentFiles(path, keep_columns=True, block_bytes=block_bytes).read().columns
    assert [str(value) for value in table["n"].to_pylist()] == [digits, "0.5"]
    write_table(table, tmp_path / f"b.{ending}")
    again = DocumentFiles(tmp_path / f"b.{ending}", keep_columns=True).read().columns
    assert [str(value) for value in again["n"].to_pylist()] == [digits, "0.5"]


def test_a_large_whole_number_before_a_fraction_is_refused_rather_than_changed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "n": 0.5}\n{"text": "b", "n": 9007199254740993}\n')
    batches = [batch.columns for batch in DocumentFiles(path, keep_columns=True, block_bytes=1)]
    with pytest.raises(DataError, match="holds int64 in later rows"):
        write_tables(batches, tmp_path / "b.parquet")
    write_tables(batches, tmp_path / "b.csv")
    assert "9007199254740993" in (tmp_path / "b.csv").read_text()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_objects_without_keys_can_be_kept_and_written(tmp_path, ending):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "m": {}, "l": [{}]}\n{"text": "b", "m": {}, "l": []}\n')
    table = DocumentFiles(path, keep_columns=True).read().columns
    write_table(table, tmp_path / f"b.{ending}")
    again = DocumentFiles(tmp_path / f"b.{ending}", keep_columns=True).read().columns
    values = again["m"].to_pylist()
    assert [json.loads(v) if isinstance(v, str) else v for v in values] == [{}, {}]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.json", "a.txt"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_a_damaged_gzip_file_is_refused_wherever_it_is_damaged(tmp_path, name, encoding):
    rows = [{"text": f"é words {i * i}", "label": "x"} for i in range(60)]
    write_table(pa.Table.from_pylist(rows), tmp_path / (name if name != "a.txt" else "a.csv"))
    plain = (tmp_path / (name if name != "a.txt" else "a.csv")).read_text()
    content = gzip.compress(plain.encode(encoding), mtime=0)
    path = tmp_path / f"{name}.gz"
    given = None if encoding == "utf-16" else encoding
    path.write_bytes(content)
    sound = whole(path, encoding=given)
    damages = random.Random(0)
    for _ in range(25):
        place = damages.randrange(2, len(content))
        damaged = bytearray(content)
        damaged[place] ^= 1 << damages.randrange(8)
        for made in (bytes(damaged), content[:place]):
            path.write_bytes(made)
            for keep_columns in (False, True):
                for block_bytes in (20, 1 << 20):
                    found = outcome(
                        lambda k=keep_columns, b=block_bytes: whole(
                            path, keep_columns=k, block_bytes=b, encoding=given
                        )
                    )
                    # A header byte such as the time stamp may hold anything.
                    assert found == "refused" or found[:2] == sound[:2]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt"])
def test_a_truncated_gzip_file_in_another_encoding_is_called_truncated(tmp_path, name):
    line = b'{"text": "caf\xe9"}\n' if name == "a.jsonl" else b"caf\xe9\n"
    numbers = b"".join(b"%d" % (i * i) for i in range(9000))
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(b"text\n" * (name == "a.csv") + line + numbers)[:-2000])
    for keep_columns in (False, True):
        with pytest.raises(DataError, match="is a truncated or damaged gzip file"):
            DocumentFiles(path, keep_columns=keep_columns, block_bytes=40).read()


@pytest.mark.parametrize(
    "header",
    ['"te""xt"', "'text'", "a\x00b", '"a\rb"', '"a\r\nb"', '""', "x,x", ",", '"a"b', 'a"b"', " a "],
)
@pytest.mark.parametrize("keep_columns", [False, True])
def test_odd_names_of_columns_are_found_again(tmp_path, header, keep_columns):
    path = tmp_path / "a.csv"
    n_columns = header.count(",") + 2
    path.write_text(header + ",text\n" + ",".join("abc"[:n_columns]) + "\n", newline="")
    texts, _, kept = assert_read_the_same_everywhere(path, keep_columns=keep_columns)
    assert texts == ["abc"[n_columns - 1]]
    if keep_columns and header not in ("x,x", ","):
        name = kept[0][0]
        assert whole(path, text=name)[0] == ["a"]
        write_table(DocumentFiles(path, keep_columns=True).read().columns, tmp_path / "b.csv")
        assert whole(tmp_path / "b.csv", keep_columns=True)[2] == kept


def test_invalid_utf_8_is_refused_in_columns_that_are_not_wanted_too(tmp_path):
    for name, content in {
        "a.csv": b"text,other\na,\xff\n",
        "b.csv": b"text,\xff\na,b\n",
        "a.jsonl": b'{"text": "a", "other": "\xff"}\n',
    }.items():
        (tmp_path / name).write_bytes(content)
        for keep_columns in (False, True):
            with pytest.raises(DataError, match="byte 0xff on line"):
                DocumentFiles(tmp_path / name, keep_columns=keep_columns).read()


@laws
@given(
    rows=st.lists(st.tuples(st.none() | values, st.none() | values), min_size=1, max_size=12),
    names=st.lists(
        st.text(st.sampled_from("a ,;\"'\r\n\té|\ufeff"), min_size=1, max_size=4),
        min_size=2, max_size=2, unique=True,
    ),
    delimiter=st.sampled_from(",;|"),
    bom=st.booleans(),
    n_columns=st.sampled_from([1, 2]),
)  # fmt: skip
def test_tables_written_are_read_back_whatever_they_hold(
    tmp_path, rows, names, delimiter, bom, n_columns
):
    columns = list(zip(*rows, strict=True))[:n_columns]
    arrays = [pa.array(column, pa.large_string()) for column in columns]
    table = pa.Table.from_arrays(arrays, names[:n_columns])
    path = tmp_path / "a.csv"
    write_table(table, path, delimiter=delimiter, bom=bom)
    kept = DocumentFiles(path, text=(names[0],), keep_columns=True).read().columns
    assert kept.column_names == names[:n_columns]
    for name, column in zip(names, columns, strict=False):
        assert kept[name].to_pylist() == [value or "" for value in column]
    # Nothing and an empty string stay apart for readers who tell them apart.
    if n_columns == 2:
        told = pa.csv.read_csv(
            path,
            parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""],
            ),
        )  # fmt: skip
        assert [list(column) for column in columns] == [c.to_pylist() for c in told.columns]
