"""Files cut into pieces give the documents of the whole files, and the same messages."""

import csv
import gzip
import io
import json
import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from leaven.documents._csv_kernels import AFTER_QUOTE, FIELD_START, IN_FIELD, QUOTED, scan_rows
from leaven.documents._pieces import split
from leaven.documents._readers import DocumentFiles
from leaven.exceptions import DataError

BOM = b"\xef\xbb\xbf"
in_folder = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
few_in_folder = settings(in_folder, max_examples=30)
piece_sizes = st.integers(10, 200)


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return write_file


def rows_of(batches):
    """Text and label of every document, in order."""
    rows = []
    for batch in batches:
        labels = [None] * len(batch.texts) if batch.labels is None else batch.labels.to_pylist()
        rows += zip(batch.texts.to_pylist(), labels, strict=True)
    return rows


def in_pieces(files, n_bytes):
    """All documents, read from pieces that were sent elsewhere and back."""
    pieces = [piece for own in files.pieces(n_bytes) for piece in own]
    return rows_of(batch for piece in pickle.loads(pickle.dumps(pieces)) for batch in piece), pieces


def assert_pieces_are_the_whole(path, n_bytes, at_least=1, **options):
    files = DocumentFiles(path, **options)
    expected = rows_of(files)
    found, pieces = in_pieces(files, n_bytes)
    assert found == expected
    assert len(pieces) >= at_least
    return expected, pieces


def outcome(read):
    """The documents, or what is said of them; that there are none only a whole file tells."""
    try:
        return read()
    except DataError as error:
        return [] if "holds no documents" in str(error) else str(error)


def assert_pieces_end_as_the_whole(path, n_bytes, **options):
    files = DocumentFiles(path, **options)
    expected = outcome(lambda: rows_of(files))
    assert outcome(lambda: in_pieces(files, n_bytes)[0]) == expected


def message_of(read):
    with pytest.raises(DataError) as error:
        read()
    assert "\n" not in str(error.value)
    return str(error.value)


def assert_faults_are_those_of_the_whole(path, n_bytes, **options):
    """The message of the uncut reading, with the line of the whole file."""
    files = DocumentFiles(path, **options)
    assert len(files.pieces(n_bytes)[0]) > 1
    expected = message_of(lambda: rows_of(files))
    assert message_of(lambda: in_pieces(files, n_bytes)) == expected
    return expected


# CSV

values = st.text(st.sampled_from("ab ,;\"'\r\n\té\t|"), max_size=12)
tables = st.lists(st.tuples(values, st.sampled_from(["", "x", "y z"])), min_size=1, max_size=25)


@in_folder
@given(
    rows=tables,
    n_bytes=piece_sizes,
    delimiter=st.sampled_from(",;\t|"),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    before=st.sampled_from([b"", BOM, b"\n\r\n", BOM + b"\n" * 15]),
    cut_end=st.booleans(),
)
def test_any_table_in_pieces_is_the_table(
    write, rows, n_bytes, delimiter, ending, quoting, before, cut_end
):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    writer.writerow(["text", "label"])
    writer.writerows(rows)
    content = before + out.getvalue().encode()
    path = write("a.csv", content.rstrip(b"\r\n") if cut_end else content)
    assert_pieces_end_as_the_whole(path, n_bytes)


odd_bytes = st.lists(
    st.sampled_from(
        [b"a", b"b ", b",", b'"', b'""', b"\n", b"\n", b"\r\n", b"\r", b"x,y\n", b"\n\n"]
    ),
    max_size=60,
)


@in_folder
@given(parts=odd_bytes, n_bytes=st.integers(10, 60))
@example([b"a,b\r", b"c,d\n"] * 5, 10)
@example([b"\r", b"a,b\n"] * 9, 10)
def test_odd_bytes_in_pieces_are_read_as_the_whole_or_refused_as_the_whole(write, parts, n_bytes):
    path = write("odd.csv", b"text,label\n" + b"".join(parts))
    assert_pieces_end_as_the_whole(path, n_bytes)


LONG = "".join(f'"text {i}\n of ""two"" lines",x\n' for i in range(40)).encode()
ODD_TABLES = {
    "quoted line breaks": b"text,label\n" + LONG,
    "stray quotes": b"text,label\n" + b'say "hi,x\n5" and 6",y\n' * 20,
    "quotes that open nothing": b"text,label\n" + b'a"b c", "x\n' * 20,
    "text after a closing quote": b"text,label\n" + b'"a,b"c"d,x\n' * 20,
    "CRLF": b"text,label\r\n" + b'"a\r\nb",x\r\n' * 20,
    "a byte order mark": BOM + b"text,label\n" + LONG,
    "blank lines first": b"\r\n\n\ntext,label\n" + LONG,
    "blank lines between": b"text,label\n" + b"a,x\n\n\n" * 30,
    "semicolons": b"text;label\n" + b'"a;b";x\nc, d;y\n' * 20,
    "no line feed at the end": b"text,label\n" + b"a b c,x\n" * 20 + b"last,y",
    "a header of two lines": b'text,"the\nlabel",label\n' + b"a b,c,x\n" * 20,
    "an empty value at the end": b"text,label\n" + b"a b c,\n" * 30,
}


@pytest.mark.parametrize("n_bytes", [30, 51, 70])
@pytest.mark.parametrize("content", ODD_TABLES.values(), ids=ODD_TABLES.keys())
def test_odd_tables_are_cut_between_rows(write, content, n_bytes):
    path = write("odd.csv", content)
    rows, _ = assert_pieces_are_the_whole(path, n_bytes, at_least=2, label="label")
    assert len(rows) >= 20


def test_blocks_smaller_than_pieces_and_rows_change_nothing(write):
    path = write("long.csv", b"text,label\n" + LONG)
    assert_pieces_are_the_whole(path, 300, at_least=4, block_bytes=10)


def test_a_tab_is_the_delimiter_of_tsv(write):
    path = write("a.tsv", b"text\tlabel\n" + b'"a\tb\n",c"\tx\n' * 20)
    assert_pieces_are_the_whole(path, 50, at_least=4)


@pytest.mark.parametrize("ending", [b"\r", b"\r\n", b"\n"])
def test_a_header_ends_where_its_row_does_whatever_ends_the_others(write, ending):
    path = write("mixed.csv", b"text,label" + ending + b"first,x\n" + b"other,y\n" * 20)
    rows, _ = assert_pieces_are_the_whole(path, 40)
    assert rows[:2] == [("first", "x"), ("other", "y")]


def test_lone_carriage_returns_make_one_piece(write):
    path = write("mac.csv", b"text,label\r" + b"a,x\r" * 50)
    rows, pieces = assert_pieces_are_the_whole(path, 20)
    assert (len(rows), len(pieces)) == (50, 1)


def test_a_header_longer_than_a_piece_is_in_the_first(write):
    path = write("wide.csv", b'text,label,"' + b"long " * 20 + b'"\n' + b"a,x,\n" * 50)
    assert_pieces_are_the_whole(path, 60, at_least=3)


def test_a_header_far_from_the_start_is_found(write):
    path = write("late.csv", b"\n" * 70_000 + b"text,label\n" + b"a,x\n" * 20_000)
    assert_pieces_are_the_whole(path, 30_000)


def test_a_table_without_rows_is_one_piece_without_documents(write):
    files = DocumentFiles(write("late.csv", b"\n" * 100 + b"text,label\n"))
    found, pieces = in_pieces(files, 50)
    assert (found, len(pieces)) == ([], 1)


def test_a_small_file_is_one_piece(write):
    path = write("a.csv", b"text,label\n" + b"a,x\n" * 10)
    assert len(assert_pieces_are_the_whole(path, 26)[1]) == 1
    assert len(assert_pieces_are_the_whole(path, 25)[1]) > 1


def test_rows_can_be_looked_for_in_any_order_and_place(write):
    files = DocumentFiles(write("a.csv", b"text,label\n" + LONG))
    asked = []

    def backwards(function, given):
        asked.append(len(given))
        return [pickle.loads(pickle.dumps(function))(*own) for own in given[::-1]][::-1]

    there = files.pieces(100, backwards)
    assert asked == [-(-files.total_bytes // 100)]
    assert [p.source.span for p in there[0]] == [p.source.span for p in files.pieces(100)[0]]


# Where rows begin

STEPS = {  # Python's csv module, but that quotes inside an unquoted value mean nothing
    FIELD_START: {b'"': QUOTED, b",": FIELD_START, b"\n": FIELD_START, b"\r": FIELD_START},
    IN_FIELD: {b",": FIELD_START, b"\n": FIELD_START, b"\r": FIELD_START},
    QUOTED: {b'"': AFTER_QUOTE},
    AFTER_QUOTE: {b'"': QUOTED, b",": FIELD_START, b"\n": FIELD_START, b"\r": FIELD_START},
}


def slow_scan(content, state):
    first = -1
    for i, byte in enumerate(content):
        if byte == 10 and state != QUOTED and first < 0:
            first = i + 1
        state = STEPS[state].get(bytes([byte]), QUOTED if state == QUOTED else IN_FIELD)
    return state, first


def scan(content):
    end, first = scan_rows(np.frombuffer(bytearray(content), dtype=np.uint8), ord(","))
    return end.tolist(), first.tolist()


endings = st.sampled_from(["\n", "\r\n"])
csv_bytes = st.lists(st.sampled_from(b'ab,;"\n\r'), max_size=40).map(bytes)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(content=csv_bytes)
def test_rows_are_found_from_every_state(content):
    end, first = scan(content)
    for state in STEPS:
        assert (end[state], first[state]) == slow_scan(content, state)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(content=csv_bytes, cut=st.integers(0, 40))
def test_a_scan_goes_on_where_another_ended(content, cut):
    whole, _ = scan(content)
    left, _ = scan(content[:cut])
    right, _ = scan(content[cut:])
    assert [right[left[state]] for state in STEPS] == whole


@settings(max_examples=200, deadline=None, derandomize=True)
@given(rows=st.lists(st.tuples(values, values), min_size=1, max_size=6), ending=endings)
def test_the_first_row_ends_where_arrow_has_it(rows, ending):
    out = io.StringIO()
    csv.writer(out, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows(rows)
    content = out.getvalue().encode()
    first = scan(content)[1][FIELD_START]
    read = pa.csv.read_csv(
        pa.BufferReader(content[:first]),
        pa.csv.ReadOptions(column_names=["a", "b"], use_threads=False),
        pa.csv.ParseOptions(newlines_in_values=True),
        pa.csv.ConvertOptions(column_types={"a": pa.string(), "b": pa.string()}),
    )
    assert read.to_pylist() == [{"a": rows[0][0], "b": rows[0][1]}]


# Other formats


@in_folder
@given(
    texts=st.lists(st.text(st.sampled_from("ab \réß\ufeff"), max_size=15), min_size=1, max_size=40),
    n_bytes=piece_sizes,
    ending=st.sampled_from(["\n", "\r\n"]),
    before=st.sampled_from(["", "\ufeff"]),
)
@example(["ab", "\ufeffab"] * 20, 10, "\n", "")
def test_lines_in_pieces_are_the_lines(write, texts, n_bytes, ending, before):
    path = write("a.txt", (before + ending.join(texts)).encode() or b"\n")
    assert_pieces_end_as_the_whole(path, n_bytes)


@few_in_folder
@given(
    rows=st.lists(
        st.tuples(
            st.text(st.sampled_from('ab\n"é'), max_size=15), st.sampled_from(["x", 3, 1.5, None])
        ),
        min_size=1,
        max_size=25,
    ),
    n_bytes=piece_sizes,
    blank=st.sampled_from(["", "\n", " \r\n"]),
)
def test_json_lines_in_pieces_are_the_documents(write, rows, n_bytes, blank):
    lines = [json.dumps({"text": text, "label": label}) + "\n" + blank for text, label in rows]
    path = write("a.jsonl", "".join(lines).encode())
    assert_pieces_are_the_whole(path, n_bytes, block_bytes=60)


def test_all_columns_are_kept_in_pieces(write):
    path = write("a.csv", b"id,text,label\n" + b"".join(b"%d,a,x\n" % i for i in range(40)))
    files = DocumentFiles(path, keep_columns=True)
    batches = [batch for piece in files.pieces(50)[0] for batch in piece]
    assert len(batches) > 3
    ids = [name for batch in batches for name in batch.columns["id"].to_pylist()]
    assert ids == [str(i) for i in range(40)]


@pytest.mark.parametrize("n_bytes", [1, 300, 1 << 20])
def test_row_groups_of_parquet_are_its_pieces(tmp_path, n_bytes):
    path = tmp_path / "a.parquet"
    table = pa.table({"text": [f"text {i}" for i in range(60)], "label": ["x", None, "y"] * 20})
    pq.write_table(table, path, row_group_size=7)
    _, pieces = assert_pieces_are_the_whole(path, n_bytes)
    spans = [piece.source.span for piece in pieces]
    assert spans[0][0] == 0
    assert spans[-1][1] == 9
    assert all(a[1] == b[0] for a, b in pairwise(spans))
    if n_bytes == 1:
        assert len(spans) == 9
    if n_bytes == 1 << 20:
        assert len(spans) == 1


def test_a_folder_per_class_is_cut_between_its_files(write, tmp_path):
    for i in range(12):
        write(f"all/{'xyz'[i % 3]}/{i:02}.txt", f"text {i}\n".encode() * (i + 1))
    rows, _ = assert_pieces_are_the_whole(tmp_path / "all", 200, at_least=3)
    assert len(rows) == 12


def test_what_cannot_be_cut_is_one_piece(write):
    content = b"text,label\n" + b"a b c,x\n" * 50
    zipped = write("a.csv.gz", gzip.compress(content))
    assert len(assert_pieces_are_the_whole(zipped, 10)[1]) == 1
    wide = write("wide.csv", content.decode().encode("utf-16"))
    assert len(assert_pieces_are_the_whole(wide, 10, encoding="utf-16")[1]) == 1


def test_several_files_are_cut_each(write):
    names = [write(f"{i}.csv", b"text,label\n" + b"%d,x\n" % i * 30) for i in range(3)]
    plain = write("plain.csv", b"text\n" + b"none\n" * 30)
    rows, pieces = assert_pieces_are_the_whole([*names, plain], 40, at_least=8)
    assert rows[-1] == ("none", None)
    assert [piece.label for piece in pieces][-1] is None
    assert len(DocumentFiles([*names, plain]).pieces(40)) == 4


# Faults


def test_an_odd_row_is_named_by_its_line_in_the_file(write):
    path = write("odd.csv", b"text,label\n" + b'"a\nb",x\n' * 40 + b"a,b,c\n" + b"a,x\n" * 20)
    assert "line 82 of " in assert_faults_are_those_of_the_whole(path, 50)


def test_a_quote_left_open_is_named_by_its_line_in_the_file(write):
    path = write("open.csv", b"text,label\n" + b"a b c,x\n" * 40 + b'"a,x\n' + b"a b,x\n" * 20)
    assert "line 42 of " in assert_faults_are_those_of_the_whole(path, 50)


@pytest.mark.parametrize("broken", [b"{broken}", b"[1, 2]", b'{"text": ["a"]}', b"7"])
def test_a_line_that_is_no_object_is_named_by_its_line_in_the_file(write, broken):
    good = b'{"text": "a b", "label": "x"}\n'
    path = write("a.jsonl", good * 150 + b"\n" + broken + b"\n" + good * 20)
    message = assert_faults_are_those_of_the_whole(path, 200)
    if b'"text"' not in broken:
        assert "line 152 of " in message


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl"])
def test_bytes_that_are_no_text_are_named_by_their_line_in_the_file(write, name):
    good, bad = {
        "a.csv": (b"a,x\n", b"caf\xe9,x\n"),
        "a.txt": (b"a\n", b"caf\xe9\n"),
        "a.jsonl": (b'{"text": "a"}\n', b'{"text": "caf\xe9"}\n'),
    }[name]
    head = b"text,label\n" if name == "a.csv" else b""
    path = write(name, head + good * 20_000 + bad + good * 20)
    message = assert_faults_are_those_of_the_whole(path, 10_000)
    assert f"(byte 0xe9 on line {20_001 + bool(head)})" in message


def test_a_narrower_encoding_is_kept_in_pieces(write):
    path = write("a.csv", b"text,label\n" + b"a,x\n" * 20_000 + "é,x\n".encode())
    files = DocumentFiles(path, encoding="ascii")
    expected = message_of(lambda: rows_of(files))
    assert "not valid ascii" in expected
    assert message_of(lambda: in_pieces(files, 10_000)) == expected


def test_a_byte_order_mark_in_the_middle_is_no_mark(write):
    good = b'{"text": "a b", "label": "x"}\n'
    path = write("a.jsonl", good * 150 + BOM + good * 150)
    assert_faults_are_those_of_the_whole(path, len(good) * 150)


def test_pieces_without_a_fault_are_read_whatever_the_others_hold(write):
    path = write("odd.csv", b"text,label\n" + b"a,x\n" * 40 + b"a,b,c\n")
    first, *_, last = DocumentFiles(path).pieces(50)[0]
    assert set(rows_of(first)) == {("a", "x")}
    with pytest.raises(DataError, match=r"line 42 of .*odd\.csv must have 2 fields"):
        rows_of(last)


def test_a_file_that_is_gone_is_named(write):
    path = write("a.csv", b"text,label\n" + b"a,x\n" * 40)
    files = DocumentFiles(path)
    pieces = files.pieces(50)
    path.unlink()
    with pytest.raises(DataError, match=r"a\.csv does not exist; check the path"):
        rows_of(pieces[0][1])
    with pytest.raises(DataError, match=r"a\.csv does not exist; check the path"):
        split(pieces[0][0].source.whole(), 50)
