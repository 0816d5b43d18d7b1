"""Columns that are joined, files without a header, and what is told about what was read."""

import io
import json
import pickle

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leaven.documents._readers import DocumentFiles, read_documents
from leaven.documents._reading import Reading
from leaven.documents._writers import write_table, write_tables
from leaven.exceptions import DataError

MAILS = [
    {"subject": "parcel", "body": "where is it", "kind": "shipping"},
    {"subject": None, "body": "card charged twice", "kind": "billing"},
    {"subject": "hello", "body": None, "kind": None},
    {"subject": None, "body": None, "kind": "billing"},
]
JOINED = ["parcel\n\nwhere is it", "card charged twice", "hello", ""]
NAMES = ["a.csv", "a.tsv", "a.csv.gz", "a.jsonl", "a.json", "a.parquet"]


@pytest.fixture
def mails(tmp_path):
    def write(name):
        write_table(pa.Table.from_pylist(MAILS), tmp_path / name)
        return tmp_path / name

    return write


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["subject,body", "subject, body", ("subject", "body")])
@pytest.mark.parametrize("keep_columns", [False, True])
def test_several_columns_are_joined_by_a_blank_line(mails, name, text, keep_columns):
    options = {"text": text, "label": "kind", "keep_columns": keep_columns}
    files = DocumentFiles(mails(name), **options)
    assert files.text_column == ("subject", "body")
    assert files.read().texts.to_pylist() == JOINED
    for block_bytes in (1, 30):
        batches = DocumentFiles(mails(name), block_bytes=block_bytes, **options)
        assert [text for batch in batches for text in batch.texts.to_pylist()] == JOINED
    pieces = pickle.loads(pickle.dumps(files.pieces(20)))
    batches = [batch for own in pieces for piece in own for batch in piece]
    assert [text for batch in batches for text in batch.texts.to_pylist()] == JOINED


def test_columns_are_joined_in_the_order_given(mails):
    texts = read_documents(mails("a.csv"), text="body,subject").texts
    assert texts[0].as_py() == "where is it\n\nparcel"


def test_a_column_whose_name_has_a_comma_is_that_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"subject,body",subject,body\nboth,one,two\n')
    assert read_documents(path, text="subject,body").texts.to_pylist() == ["both"]
    assert read_documents(path, text=("subject", "body")).texts.to_pylist() == ["one\n\ntwo"]


def test_joined_columns_beside_a_file_without_columns(mails, tmp_path):
    (tmp_path / "b.txt").write_text("plain\n")
    documents = read_documents([mails("a.csv"), tmp_path / "b.txt"], text="subject,body")
    assert documents.texts.to_pylist() == [*JOINED, "plain"]


def test_a_missing_column_of_several_is_named(mails):
    with pytest.raises(DataError, match=r"has no column 'boddy' \(columns found: 'subject', "):
        DocumentFiles(mails("a.csv"), text="subject,boddy")
    with pytest.raises(DataError, match="two columns, got 'body' for both"):
        DocumentFiles(mails("a.csv"), text="subject,body", label="body")
    with pytest.raises(DataError, match="at least one column"):
        DocumentFiles(mails("a.csv"), text=())
    with pytest.raises(TypeError, match="a column or a tuple of columns"):
        DocumentFiles(mails("a.csv"), text=(1,))


def test_a_model_remembers_joined_columns(mails, tmp_path):
    trained = Reading(text=("subject", "body"), label="kind")
    again = Reading.from_json(json.loads(json.dumps(trained.to_json())))
    assert again == trained
    files = Reading().after(again).files(mails("a.csv"))
    assert files.text_column == ("subject", "body")
    (tmp_path / "b.csv").write_text("subject,id\nhello,1\n")
    assert Reading().after(again).files(tmp_path / "b.csv").text_column == "subject"
    for wrong in ([], ["a", 3], [["a"]], {"a": 1}):
        with pytest.raises(TypeError, match="its text column is"):
            Reading.from_json({"text": wrong})
    with pytest.raises(TypeError, match="its label column is"):
        Reading.from_json({"label": ["a"]})


# Files without a header


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("block_bytes", [1, 20, 1 << 24])
def test_columns_of_a_file_without_a_header_have_numbers(tmp_path, name, block_bytes):
    path = tmp_path / name
    content = 'spam,"buy now, it is cheap"\nham,see you\nspam,win\n'
    path.write_text(content.replace(",", "\t") if name == "a.tsv" else content)
    options = {"header": False, "text": "2", "label": "1"}
    files = DocumentFiles(path, block_bytes=block_bytes, keep_columns=True, **options)
    documents = files.read()
    assert documents.labels.to_pylist() == ["spam", "ham", "spam"]
    assert documents.texts.to_pylist()[1:] == ["see you", "win"]
    assert documents.columns.column_names == ["1", "2"]
    batches = [batch for piece in files.pieces(12)[0] for batch in piece]
    assert sum(len(batch.texts) for batch in batches) == 3
    assert "no header" in files.described


def test_the_delimiter_of_a_file_without_a_header_is_in_every_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1;one, two, three\n2;four\n3;five; and, six\n".replace("; and", " and"))
    documents = read_documents(path, header=False, text="2", label="1")
    assert documents.texts.to_pylist() == ["one, two, three", "four", "five and, six"]


def test_a_row_of_another_length_is_compared_to_the_first_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\nc\n")
    with pytest.raises(DataError, match=r"line 2 .* must have 2 fields like its first row"):
        read_documents(path, header=False, text="1")


@pytest.mark.parametrize(
    "content",
    [
        "spam,I would like to buy ten of these cheap watches now\nham,see you soon\n",
        "1,good film\n0,bad film\n",
        "spam,buy now\nham,hello\nspam,win\n",
    ],
)
def test_a_missing_header_is_suspected(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_text(content)
    for options in ({}, {"text": "text"}):
        with pytest.raises(DataError, match=r"pass --no-header \(header=False in Python\)"):
            DocumentFiles(path, **options)


def test_a_missing_header_is_not_suspected_of_ordinary_names(mails):
    with pytest.raises(DataError) as error:
        DocumentFiles(mails("a.csv"), text="text")
    assert "--no-header" not in str(error.value)


# What is told


@pytest.mark.parametrize(
    ("name", "content", "facts", "described"),
    [
        (
            "a.csv",
            "body;label\nx;y\n",
            ("body", "label", True, ";", "utf-8", "csv"),
            "text 'body', label 'label' (detected from column names); CSV with ';', UTF-8",
        ),
        (
            "a.tsv",
            "body\tn\nx\t1\n",
            ("body", None, True, "\t", "utf-8", "tsv"),
            "text 'body' (detected from column names); TSV, UTF-8",
        ),
        (
            "a.jsonl",
            '{"text": "a"}\n',
            ("text", None, True, None, "utf-8", "jsonl"),
            "text 'text' (detected from column names); JSON Lines, UTF-8",
        ),
        (
            "a.json",
            '[{"text": "a"}]',
            ("text", None, True, None, "utf-8", "json"),
            "text 'text' (detected from column names); a JSON array, UTF-8",
        ),
        (
            "a.txt",
            "a\n",
            (None, None, False, None, "utf-8", "txt"),
            "text with one document per line, UTF-8",
        ),
    ],
)
def test_what_was_read_is_told(tmp_path, name, content, facts, described):
    path = tmp_path / name
    path.write_text(content)
    files = DocumentFiles(path)
    keys = ("text", "label", "detected", "delimiter", "encoding", "format")
    assert files.facts == {**dict(zip(keys, facts, strict=True)), "n_files": 1}
    assert files.described == f"read {path}: {described}"
    assert files.delimiter == facts[3]


def test_columns_that_are_named_are_not_told_to_be_detected(mails):
    files = DocumentFiles(mails("a.csv"), text="subject,body", label="kind")
    assert files.facts["detected"] is False
    assert files.facts["text"] == ["subject", "body"]
    assert "text 'subject' + 'body', label 'kind'; CSV with ','" in files.described
    assert DocumentFiles(mails("a.csv"), text="body").facts["detected"] is False


def test_several_files_and_folders_are_told(tmp_path, mails):
    pq.write_table(pa.Table.from_pylist(MAILS), tmp_path / "b.parquet")
    files = DocumentFiles([mails("a.csv"), tmp_path / "b.parquet"], text="body")
    assert files.facts["n_files"] == 2
    assert "a.csv and 1 more: text 'body'; CSV with ',', UTF-8 and Parquet" in files.described
    (tmp_path / "all" / "x").mkdir(parents=True)
    (tmp_path / "all" / "x" / "1.txt").write_text("a")
    files = DocumentFiles(tmp_path / "all")
    assert files.described.endswith("labels from the names of folders; a folder of texts, UTF-8")


# Written files


def test_values_are_quoted_where_they_must_be(tmp_path):
    table = pa.table({"a": ["x", 'say "hi"', "1;2", "", None], "b,c": [1.5, None, 3.0, 4.0, 5.0]})
    write_table(table, tmp_path / "a.csv", delimiter=";", bom=True)
    assert (tmp_path / "a.csv").read_bytes().decode() == (
        '\ufeffa;"b,c"\nx;1.5\n"say ""hi""";\n"1;2";3\n"";4\n;5\n'
    )
    write_table(table, tmp_path / "a.tsv", delimiter=";")
    assert (tmp_path / "a.tsv").read_text().startswith('a\t"b,c"\nx\t1.5\n')


def test_json_is_an_array(tmp_path):
    tables = [pa.table({"a": [1, 2]}), pa.table({"a": ["é"]})]
    write_tables(tables, tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == [{"a": 1}, {"a": 2}, {"a": "é"}]
    write_tables([pa.table({"a": pa.array([], pa.int64())})], tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text()) == []


def test_columns_of_one_name_are_refused_in_json(tmp_path):
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(DataError, match="different names in JSON, but 'a' occurs twice"):
        write_table(twice, tmp_path / "a.jsonl")


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a.json"])
def test_a_byte_order_mark_is_for_csv(tmp_path, name):
    with pytest.raises(DataError, match="a byte order mark is for CSV and TSV"):
        write_table(pa.table({"a": [1]}), tmp_path / name, bom=True)


def test_a_damaged_column_of_parquet_is_found_where_it_is_read(tmp_path):
    out = io.BytesIO()
    table = pa.table({"text": ["a b"] * 50, "other": [f"value {i}" for i in range(50)]})
    pq.write_table(table, out, use_dictionary=False, compression="none")
    content = out.getvalue()
    place = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(1).data_page_offset
    path = tmp_path / "a.parquet"
    path.write_bytes(content[:place] + b"\xff" * 20 + content[place + 20 :])
    for block_bytes in (50, 1 << 24):
        assert len(read_documents(path, block_bytes=block_bytes).texts) == 50
        with pytest.raises(DataError, match="cannot be read as Parquet"):
            read_documents(path, keep_columns=True, block_bytes=block_bytes)
