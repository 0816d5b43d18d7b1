"""Files that are missing or damaged, among others that are not."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leaven.documents._readers import DocumentFiles, bad_files_notes
from leaven.exceptions import DataError

GOOD = b"text,label\n" + b"good words,x\n" * 50


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write_file


def parquet():
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({"text": ["a b"] * 500, "label": ["x"] * 500}), out)
    return out.getvalue().to_pybytes()


def damaged(content, place):
    return content[:place] + b"\xff" * 20 + content[place + 20 :]


BAD = {
    "missing.csv": (None, "does not exist"),
    "empty.csv": (b"", "is empty"),
    "no_header.csv": (b"\n\n", "holds no documents"),
    "no_rows.csv": (b"text,label\n", "holds no documents"),
    "no_text.csv": (b"id,count\n1,2\n", "has no column 'text'"),
    "odd.csv": (GOOD * 40 + b"a,b,c\n" + GOOD, "line 2041 of .* must have 2 fields"),
    "latin.csv": (GOOD * 40 + b"caf\xe9,x\n", "is not valid UTF-8"),
    "cut.csv.gz": (gzip.compress(GOOD)[:-12], "truncated or damaged gzip"),
    "odd.jsonl": (b'{"text": "a b", "label": "x"}\n' * 200 + b"{\n", "line 201 of "),
    "text.parquet": (b"no Parquet at all", "cannot be read as Parquet"),
    "damaged.parquet": (damaged(parquet(), 10), "cannot be read as Parquet"),
    "odd.ending": (GOOD, "must have one of the endings"),
    "nothing*.csv": (None, "no file matches"),
}
every_bad_file = pytest.mark.parametrize("name", BAD)


@pytest.fixture
def paths(write, tmp_path):
    """A bad file between two good ones."""

    def write_three(name):
        content, _ = BAD[name]
        bad = tmp_path / name if content is None else write(name, content)
        return [write("first.csv", GOOD), bad, write("last.csv", GOOD)]

    return write_three


@every_bad_file
def test_a_bad_file_is_named(paths, name):
    message = BAD[name][1]
    with pytest.raises(DataError, match=message) as error:
        DocumentFiles(paths(name), block_bytes=200).read()
    assert name in str(error.value)
    assert "\n" not in str(error.value)


@every_bad_file
def test_a_bad_file_is_left_out_as_a_whole(paths, name):
    given = paths(name)
    files = DocumentFiles(given, block_bytes=200, skip_bad=True)
    documents = files.read()
    assert documents.texts.to_pylist() == ["good words"] * 100
    assert documents.labels.to_pylist() == ["x"] * 100
    assert list(files.bad) == [str(given[1])]
    assert bad_files_notes(files) == [f"1 bad file was left out: {files.bad[str(given[1])]}"]
    # The next pass does without it, and so does what is told of the files.
    assert sum(len(batch.texts) for batch in files) == 100
    assert files.total_bytes == 2 * len(GOOD)
    assert files.source == f"{given[0]} and 1 more"
    assert documents.source == files.source


@every_bad_file
def test_a_bad_file_in_pieces_is_left_out_as_a_whole(paths, name):
    given = paths(name)
    files = DocumentFiles(given, skip_bad=True)
    good = {str(given[0]): 0, str(given[2]): 0}
    for pieces in files.pieces(100):
        own = pieces[0].source.name
        try:
            n_documents = sum(len(batch.texts) for piece in pieces for batch in piece)
        except DataError as error:
            files.leave_out(own, str(error))
            continue
        if n_documents:
            good[own] += n_documents
    assert list(good.values()) == [50, 50]
    assert name == "no_rows.csv" or list(files.bad) == [str(given[1])]


def test_the_first_file_may_be_bad(write):
    files = DocumentFiles([write("a.parquet", b"nothing"), write("b.csv", GOOD)], skip_bad=True)
    assert len(files.read().texts) == 50
    assert files.source.endswith("b.csv")
    assert files.total_bytes == len(GOOD)


def test_without_a_good_file_the_first_bad_one_is_named(write, tmp_path):
    bad = [tmp_path / "gone.csv", write("empty.csv", b"")]
    with pytest.raises(DataError, match=r"none of the 2 files can be read; the first: .*gone\.csv"):
        DocumentFiles(bad, skip_bad=True)
    with pytest.raises(DataError, match=r"^\S*gone\.csv does not exist; check the path$"):
        DocumentFiles(bad[0], skip_bad=True)


@pytest.mark.parametrize("read", ["read", "pieces"])
def test_files_that_all_turn_out_bad_are_refused(write, read):
    bad = [write(f"{i}.csv", GOOD) for i in range(2)]
    files = DocumentFiles(bad, skip_bad=True)
    for path in bad:
        path.unlink()
    with pytest.raises(DataError, match=r"none of the 2 files can be read; the first: .*0\.csv"):
        files.read() if read == "read" else files.pieces(10)


def test_several_bad_files_are_counted(write, tmp_path):
    good = write("good.csv", GOOD)
    files = DocumentFiles([tmp_path / "a.csv", good, tmp_path / "b.csv"], skip_bad=True)
    assert list(files.bad) == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    (note,) = bad_files_notes(files)
    assert note.startswith("2 bad files were left out (")
    assert note.endswith("a.csv does not exist; check the path")


def test_good_files_leave_nothing_to_tell(write):
    files = DocumentFiles(write("good.csv", GOOD), skip_bad=True)
    files.read()
    assert bad_files_notes(files) == []


def test_each_file_is_gathered_by_itself_and_a_bad_one_not_at_all(write):
    names = [write(f"{i}.csv", GOOD + b"more,y\n" * i) for i in range(3)]
    names.insert(1, write("odd.csv", GOOD * 40 + b"a,b,c\n"))
    seen = []

    def gather(batches):
        n_documents = 0
        for batch in batches:
            seen.append(batch.source)
            n_documents += len(batch.texts)
        return n_documents

    files = DocumentFiles(names, block_bytes=100, skip_bad=True)
    assert list(files.per_file(gather)) == [50, 51, 52]
    assert str(names[1]) in seen
    assert list(files.per_file(gather)) == [50, 51, 52]


def test_what_was_gathered_may_be_nothing(write):
    files = DocumentFiles(write("a.csv", GOOD), skip_bad=True)
    assert list(files.per_file(lambda batches: list(batches).clear())) == [None]


def test_faults_of_the_gatherer_are_no_faults_of_the_file(write):
    files = DocumentFiles(write("a.csv", GOOD), skip_bad=True)

    def gather(batches):
        raise KeyError("own fault")

    with pytest.raises(KeyError, match="own fault"):
        list(files.per_file(gather))
    assert files.bad == {}


def test_a_file_is_left_out_only_where_that_was_asked_for(write):
    names = [write(f"{i}.csv", GOOD) for i in range(2)]
    files = DocumentFiles(names, skip_bad=True)
    files.leave_out(str(names[0]), "it is odd")
    assert files.bad == {str(names[0]): "it is odd"}
    assert len(files.read().texts) == 50
    with pytest.raises(DataError, match="none of the 2 files can be read; the first: it is odd"):
        files.leave_out(str(names[1]), "this too")
    strict = DocumentFiles(names)
    with pytest.raises(DataError, match="it is odd"):
        strict.leave_out(str(names[0]), "it is odd")
    assert len(strict.read().texts) == 100


def test_bytes_read_add_up_to_those_of_the_good_files(write):
    names = [write("a.csv", GOOD), write("odd.csv", GOOD * 40 + b"a,b,c\n"), write("b.csv", GOOD)]
    files = DocumentFiles(names, block_bytes=100, skip_bad=True)
    files.read()
    reported = []
    files.on_bytes = reported.append
    files.read()
    assert sum(reported) == files.total_bytes == 2 * len(GOOD)


def test_files_of_a_pattern_and_a_folder_are_skipped_each(write, tmp_path):
    write("a.csv", GOOD)
    write("b.csv", b"")
    write("c.csv", GOOD)
    for path in (tmp_path, str(tmp_path / "*.csv")):
        files = DocumentFiles(path, skip_bad=True)
        assert list(files.bad) == [str(tmp_path / "b.csv")]
        assert len(files.read().texts) == 100


def test_long_names_of_columns_are_left_out_of_a_message(write):
    path = write("a.csv", ",".join(f"{i} " + "x" * 38 for i in range(20)).encode() + b"\n")
    with pytest.raises(DataError, match=r"'0 x+', .* and 13 more\); ") as caught:
        DocumentFiles(path)
    assert len(str(caught.value)) - len(str(path)) < 600


def test_bytes_of_a_file_are_escaped_in_a_message(write):
    content = parquet()
    begin = content.rindex(b"PAR1") - 4 - int.from_bytes(content[-8:-4], "little")
    messages = set()
    for byte in range(16):
        changed = content[:begin] + bytes([byte]) + content[begin + 1 :]
        with pytest.raises(DataError) as caught:
            DocumentFiles(write("a.parquet", changed)).read()
        assert str(caught.value).isprintable()
        messages.add(str(caught.value).rpartition(":")[2])
    assert r" \x0f" in messages
