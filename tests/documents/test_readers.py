"""Files of every format give the same documents, and unusable ones a sentence each."""

import csv
import gc
import gzip
import io
import json
import os
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaven.datasets import data_folder
from leaven.documents._csv import DelimitedSource
from leaven.documents._formats import Source
from leaven.documents._label_sets import key_of
from leaven.documents._readers import DocumentFiles, read_documents, write_table
from leaven.exceptions import DataError

TEXTS = ["The cat sat.", 'A "quoted",\nbroken line', "", "naïve café 猫", "x\x00y", "  tail "]
LABELS = ["007", None, "1", "spam", None, "a b"]
ROWS = list(zip(TEXTS, LABELS, strict=True))


def zipped(content: bytes) -> bytes:
    """Gzip without a time stamp, so that tests have the same names every time."""
    return gzip.compress(content, mtime=0)


def as_csv(delimiter=","):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["id", "Text", "label"])
    writer.writerows([i, text, label] for i, (text, label) in enumerate(ROWS))
    return out.getvalue().encode()


def as_jsonl(ascii=False):
    rows = [{"id": i, "Text": text, "label": label} for i, (text, label) in enumerate(ROWS)]
    del rows[1]["label"]
    return "".join(json.dumps(row, ensure_ascii=ascii) + "\n" for row in rows).encode()


def as_parquet():
    out = io.BytesIO()
    pq.write_table(pa.table({"id": range(len(ROWS)), "Text": TEXTS, "label": LABELS}), out)
    return out.getvalue()


FILES = {
    "a.csv": as_csv(),
    "a.CSV": as_csv(),
    "a.csv.gz": zipped(as_csv()),
    "zipped.csv": zipped(as_csv()),
    "plain.csv.gz": as_csv(),
    "two_members.csv.gz": zipped(as_csv()[:30]) + zipped(as_csv()[30:]),
    "bom.csv": b"\xef\xbb\xbf" + as_csv(),
    "semicolons.csv": as_csv(";"),
    "tabs.csv": as_csv("\t"),
    "bars.csv": as_csv("|"),
    "bars.csv.gz": zipped(as_csv("|")),
    "a.tsv": as_csv("\t"),
    "a.tab": as_csv("\t"),
    "a.tsv.gz": zipped(as_csv("\t")),
    "a.jsonl": as_jsonl(),
    "ascii.jsonl": as_jsonl(ascii=True),
    "a.ndjson": as_jsonl(),
    "a.json": as_jsonl(),
    "a.jsonl.gz": zipped(as_jsonl()),
    "bom.jsonl": b"\xef\xbb\xbf" + as_jsonl(),
    "crlf.jsonl": as_jsonl().replace(b"\n", b"\r\n"),
    "blank_lines.jsonl": as_jsonl().replace(b"\n", b"\n\n \n"),
    "no_last_newline.jsonl": as_jsonl().rstrip(b"\n"),
    "a.parquet": as_parquet(),
    "a.pq": as_parquet(),
}


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def stdin(monkeypatch):
    def give(content):
        stream = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr("sys.stdin", stream)

    return give


def refused(path, message, **options):
    with pytest.raises(DataError, match=message) as error:
        read_documents(path, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


# What is read


@pytest.mark.parametrize("block_bytes", [1 << 24, 40])
@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_documents(write, name, block_bytes):
    files = DocumentFiles(write(name, FILES[name]), block_bytes=block_bytes)
    assert (files.text_column, files.label_column) == ("Text", "label")
    documents = files.read()
    assert documents.texts.to_pylist() == TEXTS
    assert documents.labels.to_pylist() == LABELS
    assert documents.texts.type == documents.labels.type == pa.large_string()
    assert documents.columns is None
    assert documents.source.endswith(name)
    for batch in files:
        assert batch.texts.offset == 0
        assert len(batch.texts) == len(batch.labels)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("id;text;label, final", ("id", "text", "label, final")),
        ("id|text|label; final", ("id", "text", "label; final")),
        ("id\ttext\ta,b", ("id", "text", "a,b")),
        ("text;id,label", ("text;id", "label")),
        ('text,"a;b;c"', ("text", "a;b;c")),
        ('"a ""b"";c\n;d;e",text,f', ('a "b";c\n;d;e', "text", "f")),
        ('5" wide;a,b;text', ('5" wide', "a,b", "text")),
        ("\ttext", ("", "text")),
        ("text", ("text",)),
    ],
)
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\r\n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_csv_files_delimiter_is_the_most_frequent_in_its_header(
    write, header, names, start, line_end
):
    rest = line_end + "some;;;; text|||||" * 9
    source = DelimitedSource(write("a.csv", start + header + rest), "a.csv", "utf-8", 1 << 20)
    assert source.header(lambda _: True).names == names


def test_a_header_with_a_comma_in_a_name_may_be_delimited_by_semicolons(write):
    path = write("a.csv", "id;text;label, final\n1;one, two, three;x\n2;four;\n")
    documents = read_documents(path, label="label, final")
    assert documents.texts.to_pylist() == ["one, two, three", "four"]
    assert documents.labels.to_pylist() == ["x", None]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.csv.gz"])
def test_small_blocks_give_several_batches_and_every_pass_starts_anew(tmp_path, name):
    texts = [f"{text}{i}" for i in range(20) for text in TEXTS]
    write_table(pa.table({"text": texts}), tmp_path / name)
    files = DocumentFiles(tmp_path / name, block_bytes=200)
    for _ in range(2):
        batches = [batch.texts.to_pylist() for batch in files]
        assert len(batches) > 5
        assert [text for batch in batches for text in batch] == texts


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl", "a.jsonl.gz", "a.parquet"])
def test_the_bytes_reported_add_up_to_those_on_disk(write, name):
    reported = []
    path = write(name, FILES[name])
    files = DocumentFiles(path, block_bytes=50, on_bytes=reported.append)
    assert files.total_bytes == path.stat().st_size
    for _ in files:
        pass
    assert sum(reported) == files.total_bytes
    assert min(reported) > 0


@pytest.mark.parametrize("block_bytes", [1 << 24, 7])
@pytest.mark.parametrize("last", [b"", b"\n"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_text_file_has_one_document_per_line(write, block_bytes, last, newline):
    content = newline.join([b"one", b"", "zwölf, mit Komma".encode(), b"{x\x00"]) + last
    content = content.replace(b"\n\n", newline * 2)
    documents = read_documents(write("a.txt", content), block_bytes=block_bytes)
    assert documents.texts.to_pylist() == ["one", "", "zwölf, mit Komma", "{x\x00"]
    assert documents.labels is None


def test_blank_labels_are_no_labels_and_others_lose_the_blanks_around_them(write):
    path = write("a.csv", 'text,label\na, \nb,""\nc,\nd,007\ne,1.0\nf, x\ng,NA\nh,null\n')
    labels = read_documents(path).labels.to_pylist()
    assert labels == [None, None, None, "007", "1.0", "x", "NA", "null"]


def test_a_null_text_is_an_empty_document(write):
    path = write("a.jsonl", '{"text": null}\n{"other": 1}\n{"text": "a"}\n')
    assert read_documents(path).texts.to_pylist() == ["", "", "a"]


@pytest.mark.parametrize("block_bytes", [1 << 24, 10])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("3 4 null", ["3", "4", None]),
        ("true false", ["true", "false"]),
        ("3 2.5 1.0", ["3", "2.5", "1"]),
        ('3 "x" true 2.50 null', ["3", "x", "true", "2.5", None]),
        ("1 12345678901234567890 2.5", ["1", "12345678901234567890", "2.5"]),
        ('"" "  " "x"', [None, None, "x"]),
    ],
)  # fmt: skip
def test_numbers_and_truth_values_in_json_are_labels_in_decimal(
    write, values, expected, block_bytes
):
    # "  " must stay one value, so the values are split at single spaces outside quotes.
    parts = re.findall(r'"[^"]*"|\S+', values)
    lines = "".join(f'{{"text": "t", "label": {value}}}\n' for value in parts)
    documents = read_documents(write("a.jsonl", lines), block_bytes=block_bytes)
    assert documents.labels.to_pylist() == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pa.array([3, None, -4]), ["3", None, "-4"]),
        (pa.array([1.0, None, 2.5]), ["1", None, "2.5"]),
        (pa.array([1.0, float("nan"), 2.0]), ["1", None, "2"]),
        (pa.array([True, False, None]), ["true", "false", None]),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"]),
        (pa.array([7, None, 8]).dictionary_encode(), ["7", None, "8"]),
        (pa.array(["x", None, ""], pa.large_string()), ["x", None, None]),
        (pa.nulls(3), [None, None, None]),
    ],
)
def test_label_columns_of_any_type_in_parquet_become_strings(tmp_path, labels, expected):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a", None, "c"], "label": labels}), path)
    documents = read_documents(path)
    assert documents.labels.to_pylist() == expected
    assert documents.texts.to_pylist() == ["a", "", "c"]


def test_files_written_by_pandas_are_read(tmp_path):
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS, "n": 1.5})
    frame.to_csv(tmp_path / "a.csv")
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "a.parquet")
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        documents = read_documents(tmp_path / name)
        assert documents.texts.to_pylist() == TEXTS
        assert documents.labels.to_pylist() == LABELS


def test_other_fields_of_any_type_do_not_matter_in_json(write):
    rows = [
        {"meta": {"a": [1, {"text": 3}]}, "text": "a", "label": "x", "v": 1},
        {"meta": "none", "text": "b", "v": [1, "a"], "label": "y"},
        {"text": "c", "v": None, "date": "2024-01-01"},
    ]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    for keep_columns in (False, True):
        documents = read_documents(path, keep_columns=keep_columns)
        assert documents.texts.to_pylist() == ["a", "b", "c"]
        assert documents.labels.to_pylist() == ["x", "y", None]
    assert documents.columns["v"].to_pylist() == ["1", '[1, "a"]', None]
    assert documents.columns["date"].to_pylist() == [None, None, "2024-01-01"]


def test_numbers_among_json_texts_are_texts(write):
    path = write("a.jsonl", '{"text": "a"}\n{"text": 1984}\n')
    assert read_documents(path).texts.to_pylist() == ["a", "1984"]


@pytest.mark.parametrize("block_bytes", [1 << 24, 60])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_all_columns_are_kept_if_asked_for(write, name, block_bytes):
    path = write(name, FILES[name])
    documents = read_documents(path, keep_columns=True, block_bytes=block_bytes)
    assert documents.columns.column_names == ["id", "Text", "label"]
    assert documents.columns["Text"].to_pylist() == TEXTS
    ids = documents.columns["id"].to_pylist()
    assert ids == (list("012345") if name == "a.csv" else [0, 1, 2, 3, 4, 5])
    assert documents.labels.to_pylist() == LABELS


def test_columns_of_batches_that_do_not_mix_become_strings(write):
    path = write("a.jsonl", '{"text": "a", "v": 1}\n{"text": "b", "v": {"w": 2}}\n{"text": "c"}\n')
    columns = read_documents(path, keep_columns=True, block_bytes=10).columns
    assert columns["v"].to_pylist() == ["1", '{"w": 2}', None]


def test_kept_columns_of_different_files_are_united(write):
    one = write("a.csv", "text,n\na,1\n")
    two = write("b.jsonl", '{"text": "b", "m": true}\n')
    columns = read_documents([one, two], keep_columns=True).columns
    assert columns.to_pylist() == [
        {"text": "a", "n": "1", "m": None},
        {"text": "b", "n": None, "m": True},
    ]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "UTF8"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.txt", "a.csv.gz"])
def test_other_encodings_are_read_when_named(write, name, encoding):
    delimiter = "\t" if "tsv" in name else ","
    content = f"text{delimiter}label\nnaïve{delimiter}é\n"
    if "jsonl" in name:
        content = '{"text": "naïve", "label": "é"}\n'
    if "txt" in name:
        content = "naïve\n"
    raw = content.encode(encoding)
    documents = read_documents(
        write(name, zipped(raw) if name.endswith("gz") else raw), encoding=encoding
    )
    assert documents.texts.to_pylist() == ["naïve"]
    if "txt" not in name:
        assert documents.labels.to_pylist() == ["é"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt", "a.parquet"])
def test_a_document_of_fifty_megabytes_is_read(tmp_path, name):
    long = "word " * 10_000_000
    path = tmp_path / name
    if name == "a.txt":
        path.write_text(f"before\n{long}\nafter\n")
    else:
        write_table(pa.table({"text": ["before", long, "after"]}), path)
    documents = read_documents(path)
    assert documents.texts.to_pylist() == ["before", long, "after"]


def test_a_row_longer_than_the_block_does_not_repeat_the_rows_before_it(write):
    rows = [str(i) for i in range(500)] + ["x" * 5000] + [str(i) for i in range(500)]
    path = write("a.csv", "text,label\n" + "".join(f"{row},y\n" for row in rows))
    reported = []
    files = DocumentFiles(path, block_bytes=100, on_bytes=reported.append)
    assert files.read().texts.to_pylist() == rows
    assert sum(reported) == files.total_bytes


def test_files_are_closed_after_each_pass(write, monkeypatch):
    path = write("a.csv", f"text,label\n{'x' * 5000},y\n")
    opened = []

    def open_and_remember(source):
        opened.append(Source.open(source))
        return opened[-1]

    monkeypatch.setattr(DelimitedSource, "open", open_and_remember)
    DocumentFiles(path, block_bytes=100).read()
    assert len(opened) > 1
    assert all(raw.closed for raw, _ in opened)


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(st.tuples(ANY_TEXT, st.none() | ANY_TEXT), min_size=1),
    ending=st.sampled_from(["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"]),
    block_bytes=st.sampled_from([1, 30, 1 << 24]),
    keep_columns=st.booleans(),
)
def test_what_is_written_is_read_back(tmp_path, rows, ending, block_bytes, keep_columns):
    texts, labels = map(list, zip(*rows, strict=True))
    path = tmp_path / f"a.{ending}"
    string = pa.large_string()
    write_table(
        pa.table({"text": pa.array(texts, string), "label": pa.array(labels, string)}), path
    )
    documents = read_documents(path, block_bytes=block_bytes, keep_columns=keep_columns)
    assert documents.texts.to_pylist() == texts
    trimmed = pc.utf8_trim_whitespace(pa.array(labels, string)).to_pylist()
    assert documents.labels.to_pylist() == [label or None for label in trimmed]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")), min_size=1
    )
)
def test_lines_of_text_are_read_back(tmp_path, texts):
    path = tmp_path / "a.txt"
    path.write_text("".join(text + "\n" for text in texts), newline="")
    # A mark of byte order is not part of the first document.
    expected = [texts[0].removeprefix("\ufeff"), *texts[1:]]
    assert read_documents(path, block_bytes=9).texts.to_pylist() == expected


@pytest.mark.slow
def test_twenty_newsgroups_are_read_whole():
    folder = data_folder()
    if folder is None or not (folder / "20news_19997.jsonl.gz").is_file():
        pytest.skip("needs 20news_19997 in the folder of real corpora; set LEAVEN_DATA")
    documents = read_documents(folder / "20news_19997.jsonl.gz")
    assert len(documents.texts) == 19_997
    assert len(documents.labels.unique()) == 20


# Several files, folders, standard input


def test_several_files_are_read_one_after_the_other(write):
    paths = [write("b.csv", "text,label\nb,x\n"), write("a.jsonl", '{"text": "a", "label": 1}\n')]
    documents = read_documents([str(paths[0]), paths[1]])
    assert documents.texts.to_pylist() == ["b", "a"]
    assert documents.labels.to_pylist() == ["x", "1"]
    assert documents.source.endswith("b.csv and 1 more")


def test_documents_of_files_without_the_label_column_are_unlabeled(write):
    plain = write("plain.csv", "text\na\n")
    lines = write("lines.txt", "b\n")
    labeled = write("labeled.csv", "text,label\nc,x\n")
    for label in (None, "label"):
        files = DocumentFiles([plain, lines, labeled], needs_labels=True, label=label)
        documents = files.read()
        assert documents.texts.to_pylist() == ["a", "b", "c"]
        assert documents.labels.to_pylist() == [None, None, "x"]
        assert files.label_column == "label"


def test_a_pattern_gives_its_files_in_order(write, tmp_path):
    for name in ("b", "a", "c/d"):
        write(f"{name}.csv", f"text\n{name}\n")
    assert read_documents(f"{tmp_path}/*.csv").texts.to_pylist() == ["a", "b"]
    assert read_documents(f"{tmp_path}/**/*.csv").texts.to_pylist() == ["a", "b", "c/d"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(write):
    assert read_documents(write("a[1].csv", "text\na\n")).texts.to_pylist() == ["a"]


def test_a_folder_of_data_files_is_read_as_these(write, tmp_path):
    write("b.csv", "text\nb\n")
    write("a.jsonl.gz", zipped(b'{"text": "a"}\n'))
    write(".hidden.csv", "nothing")
    write("README.md", "nothing")
    assert read_documents(tmp_path).texts.to_pylist() == ["a", "b"]


@pytest.mark.parametrize("block_bytes", [1 << 24, 3])
def test_a_folder_per_class_labels_documents_by_folder(write, tmp_path, block_bytes):
    write("spam/2.txt", "buy\nnow")
    write("spam/1.eml", b"\xef\xbb\xbfna\xc3\xafve")
    write("spam/deep/er/3", "")
    write("ham/12345", "hello")
    write("unlabeled/x.txt", "who")
    write("unsup/y.txt", "knows")
    write("ham/.hidden", b"\xff")
    write(".git/config", b"\xff")
    write("ham/.cache/x", b"\xff")
    write("README", "not a document")
    reported = []
    files = DocumentFiles(
        tmp_path, needs_labels=True, block_bytes=block_bytes, keep_columns=True,
        on_bytes=reported.append,
    )  # fmt: skip
    documents = files.read()
    assert list(zip(documents.texts.to_pylist(), documents.labels.to_pylist(), strict=True)) == [
        ("hello", "ham"),
        ("naïve", "spam"),
        ("buy\nnow", "spam"),
        ("", "spam"),
        ("who", None),
        ("knows", None),
    ]
    assert documents.columns["file"].to_pylist()[3] == "spam/deep/er/3"
    assert sum(reported) == files.total_bytes


def test_a_folder_of_texts_alone_has_no_labels(write, tmp_path):
    write("b.txt", "two\nlines")
    write("a.txt", "one")
    documents = read_documents(tmp_path)
    assert documents.texts.to_pylist() == ["one", "two\nlines"]
    assert documents.labels is None


def test_a_folder_per_class_in_latin_1_is_read_when_told(write, tmp_path):
    write("fr/1", "café".encode("latin-1"))
    assert read_documents(tmp_path, encoding="latin-1").texts.to_pylist() == ["café"]


@pytest.mark.parametrize(
    ("content", "texts", "labels"),
    [
        (as_csv(), TEXTS, LABELS),
        (as_csv("\t"), TEXTS, LABELS),
        (b"\xef\xbb\xbf" + as_jsonl(), TEXTS, LABELS),
        (zipped(as_jsonl()), TEXTS, LABELS),
        (as_parquet(), TEXTS, LABELS),
        (b"one\ntwo, three\n", ["one", "two, three"], None),
        (b"Review, comment and more\nb\n", ["Review, comment and more", "b"], None),
        (b"text\na\nb\n", ["a", "b"], None),
    ],
)
def test_standard_input_is_told_by_its_first_line_and_can_be_read_again(
    stdin, content, texts, labels
):
    stdin(content)
    files = DocumentFiles("-", block_bytes=50)
    for _ in range(2):
        documents = files.read()
        assert documents.texts.to_pylist() == texts
        assert (documents.labels and documents.labels.to_pylist()) == labels
        assert documents.source == "standard input"


def test_standard_input_with_the_column_or_the_format_named(stdin):
    stdin(b"a,b\n1,2\n")
    assert read_documents("-", text="b").texts.to_pylist() == ["2"]
    stdin(b"a,b\n1,2\n")
    assert read_documents("-", format="txt").texts.to_pylist() == ["a,b", "1,2"]


def test_the_copy_of_standard_input_goes_with_its_reader(stdin, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stdin(b"one\n")
    files = DocumentFiles("-")
    assert len(os.listdir(tmp_path)) == 1
    del files
    gc.collect()
    assert os.listdir(tmp_path) == []


def test_empty_standard_input_is_refused_and_leaves_nothing(stdin, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stdin(b"")
    refused("-", "^standard input is empty")
    gc.collect()
    assert os.listdir(tmp_path) == []


# Columns


@pytest.mark.parametrize(
    ("columns", "text", "label"),
    [
        ("id,text,label", "text", "label"),
        ("TEXT,Class", "TEXT", "Class"),
        ("title,body,topic", "body", "topic"),
        ("Text,text,y", "text", "y"),
        ("headline,category", "headline", "category"),
        ("anything", "anything", None),
        ("number,anything", "anything", None),
        ("number,anything,label", "anything", "label"),
        ("number,anything,labels", None, None),
        ("target,class,text", "text", "class"),
    ],
)
def test_columns_are_guessed_by_name_then_by_type(write, columns, text, label):
    names = columns.split(",")
    row = ",".join("3" if name == "number" else "some words" for name in names)
    path = write("a.csv", f"{columns}\n{row}\n")
    if text is None:
        refused(path, "no column that is clearly the text")
    else:
        files = DocumentFiles(path)
        assert (files.text_column, files.label_column) == (text, label)


def test_the_only_string_column_is_the_text_in_json_and_parquet(write, tmp_path):
    assert DocumentFiles(write("a.jsonl", '{"n": 1, "it": "a"}\n')).text_column == "it"
    pq.write_table(pa.table({"n": [1], "it": ["a"]}), tmp_path / "a.parquet")
    assert DocumentFiles(tmp_path / "a.parquet").text_column == "it"


def test_named_columns_win_over_guesses(write):
    path = write("a.csv", "text,label,body,kind\na,b,c,d\n")
    documents = read_documents(path, text="body", label="kind")
    assert documents.texts.to_pylist() == ["c"]
    assert documents.labels.to_pylist() == ["d"]


def test_a_label_key_that_turns_up_late_in_json_is_found(write):
    lines = '{"text": "a"}\n' * 300 + '{"text": "b", "label": "x", "kind": "y"}\n'
    path = write("a.jsonl", lines)
    assert read_documents(path, needs_labels=True).labels.to_pylist()[-1] == "x"
    assert read_documents(path, label="kind").labels.to_pylist()[-1] == "y"


def test_a_list_is_not_taken_for_the_label_unless_labels_are_asked_for(write):
    path = write("a.jsonl", '{"text": "a", "tag": ["x"]}\n')
    assert read_documents(path).labels is None
    assert read_documents(path, needs_labels=True).labels.to_pylist() == [key_of(["x"])]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_columns_that_cannot_be_guessed_are_listed(tmp_path, name):
    path = tmp_path / name
    write_table(pa.table({"one": ["a"], "two": ["b"]}), path)
    message = refused(path, "'one', 'two'.*--text.*text= in Python")
    assert str(path) in message
    refused(path, "no column 'three' .*'one', 'two'.*--text", text="three")
    refused(path, "no column 'three' .*'one', 'two'.*--label", text="one", label="three")
    refused(
        path, "no column that is clearly the label .*'one', 'two'.*--label", text="one",
        needs_labels=True,
    )  # fmt: skip


def test_a_long_list_of_columns_is_cut(write):
    names = ",".join(f"column{i}" for i in range(30)) + "," + "x" * 100
    path = write("a.csv", f"{names}\n" + "a," * 30 + "b\n")
    message = refused(path, r"'column19', and 11 more\)")
    assert len(message) < 600


def test_a_text_file_cannot_give_labels(write):
    refused(write("a.txt", "a\n"), "has no labels; use a file with a label column", label="x")
    refused(write("a.txt", "a\n"), "has no labels", needs_labels=True)


def test_a_file_of_a_set_without_the_text_column_is_refused(write):
    one, two = write("a.csv", "body,title\na,b\n"), write("b.csv", "title\nb\n")
    message = refused([one, two], r"b\.csv has no column 'body' \(columns found: 'title'\)")
    assert str(two) in message


def test_duplicate_names_of_a_wanted_column_are_refused(write, tmp_path):
    path = write("a.csv", "text,text,label,x,x\na,b,c,d,e\n")
    refused(path, r"a\.csv has 2 columns named 'text'.*rename")
    assert read_documents(write("b.csv", "text,x,x\na,b,c\n")).texts.to_pylist() == ["a"]
    twice = pa.table([["a"], ["b"], ["c"]], names=["text", "label", "label"])
    pq.write_table(twice, tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "2 columns named 'label'", needs_labels=True)
    assert read_documents(tmp_path / "a.parquet").labels is None  # not needed, so not refused
    path = write("a.jsonl", '{"text": "a"}\n{"text": "a", "text": "b"}\n')
    refused(path, r"line 2 of .*a\.jsonl has the key 'text' twice")


def test_one_column_for_both_is_refused(write):
    refused(
        write("a.csv", "text\na\n"), "two columns, got 'text' for both", text="text", label="text"
    )


@pytest.mark.parametrize("value", ['{"a": 1}', "[1]"])
def test_a_nested_text_is_refused(write, value):
    path = write("a.jsonl", f'{{"text": "a"}}\n{{"text": {value}}}\n')
    refused(path, "column 'text' of .* must hold one string per document")
    path = write("b.jsonl", f'{{"text": {value}}}\n')
    refused(path, "column 'text' of .* must hold one string per document")


# Files that cannot be used


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.txt", "a.csv.gz", "folder"])
def test_a_missing_file_is_named(tmp_path, name):
    message = refused(tmp_path / name, "does not exist; check the path")
    assert message.startswith(str(tmp_path / name))


def test_a_pattern_without_files_is_refused(tmp_path):
    refused(f"{tmp_path}/*.csv", r"no file matches '.*\*\.csv'")


def test_no_file_at_all_is_refused():
    refused([], "at least one file must be given")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.txt", "a.csv.gz"])
def test_an_empty_file_is_refused(write, name):
    refused(write(name, b""), rf"{name} is empty; pass a file that holds documents")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"text,label\n"),
        ("a.csv", b"text,label"),
        ("a.csv", b"\n\n"),
        ("a.csv.gz", zipped(b"")),
        ("a.jsonl.gz", zipped(b"")),
        ("a.txt.gz", zipped(b"")),
        ("a.jsonl", b" \n\n"),
        ("a.csv", b"\xef\xbb\xbf"),
        ("a.txt", b"\xef\xbb\xbf"),
    ],
)
def test_a_file_without_documents_is_refused(write, name, content):
    refused(write(name, content), f"{name} holds no documents")


def test_a_table_without_rows_is_refused(tmp_path):
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", r"a\.parquet holds no documents")


def test_an_empty_folder_is_refused(tmp_path):
    refused(tmp_path, "must hold data files or a folder of texts per class, but holds no file")


def test_data_files_beside_folders_are_refused_as_unclear(write, tmp_path):
    write("index.csv", "text\na\n")
    write("spam/1", "a")
    refused(tmp_path, r"holds both \('index\.csv' and the folder 'spam'\)")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "text,label\nok,x\ncafé,y\n"),
        ("a.csv", "text,label\nok,x\nok,é\n"),
        ("a.tsv", "text\tlabel\nok\tx\ncafé\ty\n"),
        ("a.csv.gz", "text,label\nok,x\ncafé,y\n"),
        ("a.jsonl", '{"text": "ok"}\n\n{"text": "café"}\n'),
        ("a.jsonl.gz", '{"text": "ok"}\n\n{"text": "café"}\n'),
        ("a.txt", "ok\nok\ncafé\n"),
    ],
)
@pytest.mark.parametrize("keep_columns", [False, True])
def test_latin_1_read_as_utf_8_is_refused_with_place_and_remedy(write, name, content, keep_columns):
    raw = content.encode("latin-1")
    path = write(name, zipped(raw) if name.endswith("gz") else raw)
    refused(
        path,
        rf"{name} is not valid UTF-8 \(byte 0xe9 on line 3\); pass --encoding latin-1 "
        r"\(encoding='latin-1' in Python\) or convert the file to UTF-8",
        keep_columns=keep_columns,
    )


def test_a_header_in_latin_1_is_refused(write):
    refused(write("a.csv", "text,catégorie\na,b\n".encode("latin-1")), "byte 0xe9 on line 1")


def test_latin_1_deep_in_a_large_file_is_found(write):
    lines = b"text,label\n" + b"plain words,x\n" * 200_000 + b"caf\xe9,x\n"
    refused(write("a.csv", lines), "byte 0xe9 on line 200002")


def test_latin_1_in_a_folder_per_class_names_the_file(write, tmp_path):
    write("fr/a/1.txt", "ok\ncafé".encode("latin-1"))
    refused(tmp_path, r"/fr/a/1\.txt is not valid UTF-8 \(byte 0xe9 on line 2\); pass --encoding")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.json", "a.txt", "a.csv.gz"])
@pytest.mark.parametrize("block_bytes", [1 << 24, 9])
def test_utf_16_and_32_are_recognised_by_their_mark(write, name, encoding, block_bytes):
    content = {
        "a.tsv": "text\tlabel\nnaïve 猫\té\n",
        "a.jsonl": '{"text": "naïve 猫", "label": "é"}\n',
        "a.json": '[{"text": "naïve 猫", "label": "é"}]',
        "a.txt": "naïve 猫\n",
    }.get(name, "text,label\nnaïve 猫,é\n")
    raw = ("\ufeff" + content).encode(encoding)
    path = write(name, zipped(raw) if name.endswith("gz") else raw)
    files = DocumentFiles(path, block_bytes=block_bytes)
    documents = files.read()
    assert documents.texts.to_pylist() == ["naïve 猫"]
    assert files.facts["encoding"] == encoding[:6]
    if name != "a.txt":
        assert documents.labels.to_pylist() == ["é"]
    assert [len(pieces) for pieces in files.pieces(5)] == [1]


def test_utf_16_is_recognised_in_standard_input_and_in_folders(stdin, write, tmp_path):
    stdin("text,label\nnaïve,é\n".encode("utf-16"))
    assert read_documents("-").texts.to_pylist() == ["naïve"]
    write("all/x/1.txt", "naïve".encode("utf-16"))
    write("all/x/2.txt", "naïve".encode())
    assert read_documents(tmp_path / "all").texts.to_pylist() == ["naïve", "naïve"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt"])
def test_utf_16_without_a_mark_is_refused_with_its_name(write, name, encoding):
    path = write(name, "text,label\nsome words,x\n".encode(encoding))
    refused(path, f"looks like UTF-16 without a byte order mark.*pass --encoding {encoding} ")


@pytest.mark.parametrize(
    ("text", "encoding", "advice"),
    [
        ("café", "latin-1", "latin-1"),
        ("“café” – 5 €", "cp1252", "cp1252"),
        ("caf\xe9 \x81 \x80", "latin-1", "latin-1"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "all/x/1.txt"])
def test_the_encoding_advised_is_one_that_has_the_bytes(write, name, text, encoding, advice):
    raw = f"text,label\n{text},x\n".encode(encoding)
    path = write(name, zipped(raw) if name.endswith("gz") else raw)
    path = path.parent.parent if "all" in name else path
    refused(path, rf"is not valid UTF-8 .*pass --encoding {advice} ")
    assert text in read_documents(path, encoding=advice).texts[0].as_py()


def test_a_wrong_other_encoding_is_refused(write):
    path = write("a.csv", b"text\n\x81\n")
    refused(path, r"is not valid cp1252 \(byte 0x81 on line 2\); pass the enc", encoding="cp1252")
    path = write("a.txt", b"a\n\x81\n")
    refused(path, "is not valid cp1252", encoding="cp1252")


@pytest.mark.parametrize("encoding", ["latin-99", "rot13", "hex", ""])
def test_an_unknown_encoding_is_refused(write, encoding):
    refused(write("a.csv", "text\na\n"), "must be a text encoding that Python", encoding=encoding)


@pytest.mark.parametrize("keep_columns", [False, True])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("c", r"line 4 of .*a\.csv must have 2 fields like its header, but has 1; repair"),
        ("c,d,e", r"line 4 of .*a\.csv must have 2 fields like its header, but has 3; repair"),
        ('"c,d\ne,f', r"line 4 of .* but has 1 \(is a quotation mark left open\?\); repair"),
    ],
)
def test_a_malformed_row_is_named_by_its_line(write, row, message, keep_columns):
    path = write("a.csv", f'text,label\n"a\nb",x\n{row}\ng,h\n')
    refused(path, message, keep_columns=keep_columns)
    refused(path, message, block_bytes=20, keep_columns=keep_columns)


def test_a_malformed_row_after_a_long_one_is_named_by_its_line(write):
    path = write("a.csv", f"text,label\n{'x' * 200_000},y\nc\n")
    refused(path, "line 3 of .* 2 fields")


def test_a_header_that_is_no_header_is_refused(write):
    path = write("a.csv", "x" * 200_000)
    refused(path, "must begin with a header line of column names")


@pytest.mark.parametrize("keep_columns", [False, True])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a"', r"line 203 of .*a\.jsonl must be a JSON object, but cannot be read \("),
        ("text", "line 203 of .* cannot be read"),
        ("[1, 2]", "line 203 of .* is an array; write one object per line"),
        ("3", "line 203 of .* but is '3'"),
        ("null", "line 203 of .* but is 'null'"),
        ('{"text": "a"} {"text": "b"}', "line 203 of .* cannot be read"),
        ('{"text":\n"a"}', "line 203 of .* cannot be read"),
        ('"text"', "line 203 of .* but is 'text'"),
        ("[" * 100_000, "line 203 of .* cannot be read"),
    ],
)
def test_a_malformed_json_line_is_named(write, line, message, keep_columns):
    path = write("a.jsonl", '{"text": "a"}\n\n' * 101 + f'{line}\n{{"text": "b"}}\n')
    refused(path, message, keep_columns=keep_columns)
    refused(path, message, keep_columns=keep_columns, block_bytes=100)


ARRAY = """\ufeff [ {"text": "a, [b]\\\\", "label": 1, "tags": [1, 2]},
{"text": "c\\"}]", "label": "x",
 "meta": {"k": ["]"]}}  ,
 {"label": null} ]
"""


@pytest.mark.parametrize("block_bytes", [1, 7, 30, 1 << 20])
@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.jsonl"])
@pytest.mark.parametrize("keep_columns", [False, True])
def test_an_array_of_objects_is_read(write, name, block_bytes, keep_columns):
    content = ARRAY.encode()
    path = write(name, zipped(content) if name.endswith("gz") else content)
    files = DocumentFiles(path, block_bytes=block_bytes, keep_columns=keep_columns)
    documents = files.read()
    assert documents.texts.to_pylist() == ["a, [b]\\", 'c"}]', ""]
    assert documents.labels.to_pylist() == ["1", "x", None]
    assert files.facts["format"] == "json"
    assert [len(pieces) for pieces in files.pieces(5)] == [1]


def test_an_array_in_standard_input_is_read(stdin):
    stdin(b'[\n{"text": "a"},\n{"text": "b"}\n]')
    assert read_documents("-").texts.to_pylist() == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"text": "a"}, 3]', "element 2 of .*a.json must be a JSON object, but is '3'"),
        ('[{"text": "a"}, [{}]]', "element 2 of .*a.json must be a JSON object, but is an array"),
        ('[{"text": "a"},\n{"text": "b}]', "ends before its closing bracket"),
        ('[{"text": "a"}', "ends before its closing bracket"),
        ('[{"text": "a"},, {"text": "b"}]', "a comma too many"),
        ('[{"text": "a"}] x', "something after its closing bracket"),
        ('[{"text": "a"} {"text": "b"}]', "element 1 of .* cannot be read"),
        ("[]", "holds no documents"),
        ("[ \n ]", "holds no documents"),
    ],
)
@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_a_malformed_array_is_refused(write, content, message, block_bytes):
    refused(write("a.json", content), message, block_bytes=block_bytes)


@pytest.mark.parametrize("keep_columns", [False, True])
def test_a_lone_surrogate_in_json_is_refused(write, keep_columns):
    path = write("a.jsonl", '{"text": "a"}\n{"text": "b\\ud800", "label": "x"}\n')
    refused(path, r"column 'text' of .*a\.jsonl .* lone surrogate", keep_columns=keep_columns)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.txt.gz"])
def test_a_truncated_or_damaged_gzip_file_is_refused(write, name):
    text = as_jsonl() if "jsonl" in name else as_csv()
    content = zipped(text * 50)
    refused(write(name, content[:-30]), f"{name} is a truncated or damaged gzip file")
    middle = len(content) // 2
    damaged = content[:middle] + b"\xff" * 8 + content[middle + 8 :]
    refused(write(name, damaged), f"{name} is a truncated or damaged gzip file")


def test_a_corrupt_parquet_file_is_refused(write):
    content = as_parquet()
    for damaged in (content[:-20], b"text,label\na,b\n", b"PAR1" + b"x" * 50 + b"PAR1"):
        refused(write("a.parquet", damaged), r"a\.parquet cannot be read as Parquet: ")
    column = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(1)
    start = column.dictionary_page_offset
    damaged = content[:start] + b"\xff" * 20 + content[start + 20 :]
    refused(write("a.parquet", damaged), r"a\.parquet cannot be read as Parquet: ")


@pytest.mark.parametrize("name", ["a", "a.gz", "a.doc.gz"])
def test_an_unknown_ending_is_refused_with_those_known(write, name):
    refused(
        write(name, "text\na\n"),
        r"must have one of the endings \.csv, .*\.txt .* --format csv\|tsv\|jsonl\|json\|",
    )
    assert read_documents(write(name, "text\na\n"), format="csv").texts.to_pylist() == ["a"]


@pytest.mark.parametrize("name", ["a.xlsx", "a.XLS", "a.ods"])
def test_a_spreadsheet_is_refused_with_the_way_to_save_it(write, name):
    path = write(name, b"PK\x03\x04 anything")
    assert "rename" not in refused(path, "is a spreadsheet; .* save it as CSV UTF-8")
    refused(path, "is a ZIP or Office file; open it and save it as CSV UTF-8", format="csv")
    renamed = write("renamed.csv", b"PK\x03\x04 anything")
    refused(renamed, "is a ZIP or Office file; open it and save it as CSV UTF-8")


@pytest.mark.parametrize("name", ["a.docx", "a.pdf"])
def test_a_document_of_an_office_is_refused_with_the_way_to_save_it(write, name):
    assert "rename" not in refused(write(name, b"anything"), "save its text as .txt")


def test_an_unknown_format_is_refused(write):
    with pytest.raises(ValueError, match=r"format must be one of 'csv', .* got 'xls'"):
        read_documents(write("a.csv", "text\na\n"), format="xls")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.csv.gz", "a.jsonl.gz"])
def test_a_file_that_vanishes_or_shrinks_between_passes_is_refused(write, name):
    path = write(name, FILES[name])
    files = DocumentFiles(path)
    files.read()
    path.write_bytes(FILES[name][:-25] if "csv" not in name or "gz" in name else b"")
    with pytest.raises(DataError, match=name):
        files.read()
    path.unlink()
    with pytest.raises(DataError, match=f"{name} does not exist"):
        files.read()


def test_a_document_that_vanishes_from_a_folder_is_refused(write, tmp_path):
    path = write("spam/1.txt", "a")
    files = DocumentFiles(tmp_path)
    path.unlink()
    with pytest.raises(DataError, match=r"spam/1\.txt cannot be read: No such file"):
        files.read()


def test_an_unreadable_file_is_refused(write):
    path = write("a.csv", "text\na\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    refused(path, "cannot be read as CSV: Permission denied")


def test_leaving_off_in_the_middle_is_fine(write):
    path = write("a.csv", "text\n" + "some words\n" * 10_000)
    for _ in range(5):
        assert len(next(iter(DocumentFiles(path, block_bytes=1000))).texts) > 0


# Writing

TABLE = pa.table(
    {
        "text": ["a", 'b "c"\nd'],
        "n": [1, None],
        "p": [0.5, float("nan")],
        "tags": [["x", "ü"], None],
        "kind": pa.array(["k", "l"]).dictionary_encode(),
    }
)


def test_csv_holds_lists_as_json(tmp_path):
    write_table(TABLE, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["text", "n", "p", "tags", "kind"]
    assert rows[1] == ["a", "1", "0.5", '["x", "ü"]', "k"]
    assert rows[2] == ['b "c"\nd', "", "", "", "l"]


def test_json_lines_hold_null_for_what_is_not_a_number(tmp_path):
    write_table(TABLE, tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {
        "text": "a", "n": 1, "p": 0.5, "tags": ["x", "ü"], "kind": "k",
    }  # fmt: skip
    assert json.loads(lines[1])["p"] is None
    assert "ü" in lines[0]


def test_parquet_keeps_everything(tmp_path):
    write_table(TABLE, tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet")["tags"].to_pylist() == [["x", "ü"], None]


def test_a_format_can_be_given_against_the_ending(tmp_path):
    write_table(TABLE.select(["text", "n"]), tmp_path / "a.out", format="tsv")
    assert (tmp_path / "a.out").read_bytes().startswith(b"text\tn\n")
    with pytest.raises(ValueError, match="one of 'csv', 'tsv', 'jsonl', 'json', 'parquet'"):
        write_table(TABLE, tmp_path / "b.out", format="xls")


@pytest.mark.parametrize(("format", "start"), [(None, b"text,n\n"), ("jsonl", b'{"text": "a"')])
def test_standard_output_gets_csv_unless_told(capfdbinary, format, start):
    write_table(TABLE.select(["text", "n"]), "-", format=format)
    assert capfdbinary.readouterr().out.startswith(start)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError("disk full")])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, stop):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def write_half(table, file, format, layout):
        file.write(b"half")
        raise stop

    monkeypatch.setattr("leaven.documents._writers._write", write_half)
    with pytest.raises(type(stop) if isinstance(stop, OSError) else stop):
        write_table(TABLE, path)
    assert os.listdir(tmp_path) == ["a.csv"]
    assert path.read_text() == "old"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "a.csv").symlink_to(tmp_path / "real" / "b.csv")
    write_table(TABLE, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").is_symlink()
    assert (tmp_path / "real" / "b.csv").is_file()


def test_a_device_is_written_to_not_replaced():
    write_table(TABLE, os.devnull, format="csv")
    assert not Path(os.devnull).is_file()


def test_places_that_cannot_be_written_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name, reason in [
        ("a.xlsx", r"write \.csv, with --bom"),
        ("a.out", r"must end in one of \.csv, .*--format"),
        ("nowhere/a.csv", "is in a folder that does not exist"),
        ("folder.csv", "is a folder"),
    ]:
        with pytest.raises(DataError, match=reason):
            write_table(TABLE, tmp_path / name)
