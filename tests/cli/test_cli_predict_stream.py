"""Files that are classified in pieces: the same predictions, whatever their number."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.test_cli_vectors import data as vectors_data
from leaven.classifier import TablePredictor
from leaven.documents import DocumentFiles

SLOW = pytest.mark.slow
RUN = [sys.executable, "-m", "leaven"]
BLOCK = 1 << 12


@pytest.fixture
def small_blocks(monkeypatch):
    """Read so little at a time that small files are read in many batches."""
    monkeypatch.setitem(DocumentFiles.__init__.__kwdefaults__, "block_bytes", BLOCK)


@pytest.fixture
def batches(monkeypatch):
    """Sizes of the batches classified."""
    sizes, own = [], TablePredictor.__call__

    def counting(self, documents, on_progress=None):
        sizes.append(len(documents.texts))
        return own(self, documents, on_progress)

    monkeypatch.setattr(TablePredictor, "__call__", counting)
    return sizes


def write(path, rows):
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=50)
        return path
    text = io.StringIO()
    if ".jsonl" in path.name:
        text.writelines(json.dumps(row) + "\n" for row in rows)
    elif ".txt" in path.name:
        text.writelines(row["text"] + "\n" for row in rows)
    else:
        writer = csv.DictWriter(text, list(rows[0]), delimiter="\t" if "tsv" in path.name else ",")
        writer.writeheader()
        writer.writerows(rows)
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def content(path):
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return table.schema, table.to_pylist()
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.txt", "a.csv.gz", "a.jsonl.gz"]
)
@pytest.mark.parametrize("options", [[], ["--proba"]])
def test_streamed_predictions_are_the_same(
    run, model, rows, tmp_path, small_blocks, batches, name, options
):
    path = write(tmp_path / name, rows(300, 300, seed=1))
    for out in ("out.csv", "out.tsv.gz", "out.jsonl", "out.parquet"):
        for place, stream in (("memory", []), ("stream", ["--stream"])):
            batches.clear()
            result = run("predict", model, path, "-o", f"{place}-{out}", *options, *stream)
            assert result.exit_code == 0, result.stderr
            assert sum(batches) == 300
            assert (len(batches) > 3) == bool(stream)
            assert f"wrote {place}-{out}: 300 documents" in result.stderr
        assert content(tmp_path / f"stream-{out}") == content(tmp_path / f"memory-{out}")


def test_several_files_and_folders_are_streamed_in_order(run, model, rows, tmp_path, small_blocks):
    folder = tmp_path / "data"
    folder.mkdir()
    for i in range(3):
        write(folder / f"{i}.csv", rows(80, 80, seed=i))
    assert run("predict", model, folder, "-o", "memory.csv").exit_code == 0
    assert run("predict", model, folder, "-o", "stream.csv", "--stream").exit_code == 0
    assert (tmp_path / "stream.csv").read_bytes() == (tmp_path / "memory.csv").read_bytes()
    for i, row in enumerate(rows(60, 60)):
        own = tmp_path / "classes" / row["label"]
        own.mkdir(parents=True, exist_ok=True)
        (own / f"{i}.txt").write_text(row["text"])
    memory = run("predict", model, tmp_path / "classes").stdout
    assert run("predict", model, tmp_path / "classes", "--stream").stdout == memory
    assert memory.count("\n") == 61


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_standard_input_and_output_are_streamed(run, model, held_out, small_blocks, options):
    given = held_out.read_text()
    memory = run("predict", model, "-", *options, input=given)
    stream = run("predict", model, "-", "--stream", *options, input=given)
    assert stream.exit_code == 0, stream.stderr
    assert stream.stdout == memory.stdout


def test_the_summary_and_the_warning_are_those_of_all(run, model, rows, make_csv, small_blocks):
    own = rows(300, 300, seed=1)
    for row in own[::3]:
        row["text"] = "xyzzy plugh"
    path = make_csv(own)
    memory = json.loads(run("predict", model, path, "-o", "a.csv", "--json").stdout)
    result = run("predict", model, path, "-o", "a.csv", "--json", "--stream")
    assert json.loads(result.stdout) == memory
    (warning,) = memory["warnings"]
    assert "100 of 300 documents contain no word" in warning
    assert result.stderr.count("contain no word") == 1


def test_vectors_are_streamed(run, tmp_path, small_blocks, batches):
    pq.write_table(vectors_data(1200), tmp_path / "v.parquet")
    trained = run("train", "v.parquet", "--vectors", "v", "-o", "v.leaven")
    assert trained.exit_code == 0, trained.stderr
    run("predict", "v.leaven", "v.parquet", "--vectors", "v", "-o", "memory.parquet")
    batches.clear()
    run("predict", "v.leaven", "v.parquet", "--vectors", "v", "-o", "stream.parquet", "--stream")
    assert len(batches) > 1
    memory, stream = (pq.read_table(f"{name}.parquet") for name in ("memory", "stream"))
    assert stream["predicted"] == memory["predicted"]
    assert stream["probability"].to_pylist() == pytest.approx(memory["probability"].to_pylist())


def test_columns_of_later_files_may_lack_but_not_be_new(run, model, rows, tmp_path):
    more = [{**row, "extra": "x"} for row in rows(30, 30)]
    write(tmp_path / "more.csv", more)
    write(tmp_path / "less.csv", rows(30, 30, seed=1))
    for out in ("a.csv", "a.parquet"):
        assert run("predict", model, "more.csv", "less.csv", "-o", out).exit_code == 0
        memory = content(tmp_path / out)
        result = run("predict", model, "more.csv", "less.csv", "-o", out, "--stream")
        assert result.exit_code == 0, result.stderr
        assert content(tmp_path / out) == memory
        os.remove(out)
        refused = run("predict", model, "less.csv", "more.csv", "-o", out, "--stream")
        assert refused.exit_code == 1
        assert "error: column 'extra' turns up in later rows" in refused.stderr
        assert "write .jsonl instead" in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert sorted(os.listdir()) == ["less.csv", "more.csv"]
    result = run("predict", model, "less.csv", "more.csv", "-o", "a.jsonl", "--stream")
    assert result.exit_code == 0
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert ["extra" in line for line in lines] == [False] * 30 + [True] * 30


def test_new_columns_have_the_same_names_in_all_files(run, model, rows, tmp_path):
    write(tmp_path / "a.csv", rows(6, 6))
    write(tmp_path / "b.csv", [{**row, "predicted": "mine"} for row in rows(6, 6)])
    result = run("predict", model, "a.csv", "b.csv", "--stream", "--json")
    assert result.exit_code == 0, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert all("predicted_2" in line for line in lines)
    assert [line.get("predicted") for line in lines] == [None] * 6 + ["mine"] * 6


def test_a_column_that_takes_the_name_of_predictions_late_is_refused(
    run, model, rows, tmp_path, small_blocks
):
    own = rows(300, 300)
    own[-1]["predicted"] = "mine"
    write(tmp_path / "a.jsonl", own)
    refused = run("predict", model, "a.jsonl", "-o", "b.jsonl", "--stream")
    assert refused.exit_code == 1
    assert "has a column 'predicted' that its first rows do not have" in refused.stderr
    assert os.listdir() == ["a.jsonl"]


def test_stream_and_dask_cannot_be_combined(run, model, held_out):
    for verb in ("predict", "evaluate"):
        refused = run(verb, model, held_out, "--stream", "--dask", "local")
        assert refused.exit_code == 2
        assert "--stream is for one machine and --dask for a cluster" in refused.stderr
        refused = run(verb, model, "-", "--dask", "local")
        assert refused.exit_code == 2
        assert "standard input" in refused.stderr


def damaged(path, rows):
    """A file that is found out to be damaged only after many rows."""
    write(path, rows)
    with path.open("a") as file:
        file.write("too,many,fields,in,this,row\n")
    return path


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_bad_files_are_left_out_as_a_whole(run, model, rows, tmp_path, small_blocks, stream):
    write(tmp_path / "1.csv", rows(100, 100, seed=1))
    damaged(tmp_path / "2.csv", rows(300, 300, seed=2))
    write(tmp_path / "3.csv", rows(100, 100, seed=3))
    (tmp_path / "4.csv").write_bytes(b"")
    paths = ["1.csv", "2.csv", "3.csv", "4.csv", "5.csv"]
    refused = run("predict", model, *paths[:3], "-o", "out.csv", *stream)
    assert refused.exit_code == 1
    assert "2.csv must have 3 fields" in refused.stderr
    assert "out.csv" not in os.listdir()
    result = run("predict", model, *paths, "-o", "out.csv", "--json", "--skip-bad-files", *stream)
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["n_documents"], summary["n_bad_files"]) == (200, 3)
    (warning,) = summary["warnings"]
    assert warning.startswith("3 bad files were left out (")
    run("predict", model, "1.csv", "3.csv", "-o", "good.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "good.csv").read_bytes()
    refused = run("predict", model, "2.csv", "4.csv", "--skip-bad-files", *stream)
    assert refused.exit_code == 1
    assert "none of the 2 files can be read" in refused.stderr


@SLOW
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_memory_does_not_depend_on_the_number_of_documents(
    run, model, rows, tmp_path, monkeypatch, ending
):
    monkeypatch.setitem(DocumentFiles.__init__.__kwdefaults__, "block_bytes", 1 << 14)
    own, most = TablePredictor.__call__, [0]

    def measuring(self, documents, on_progress=None):
        result = own(self, documents, on_progress)
        most[0] = max(most[0], pa.total_allocated_bytes())
        return result

    monkeypatch.setattr(TablePredictor, "__call__", measuring)

    def peak(n, *options):
        write(tmp_path / f"{n}.{ending}", rows(n, n))
        most[0] = 0
        before = pa.total_allocated_bytes()
        result = run("predict", model, f"{n}.{ending}", "-o", f"out.{ending}", *options)
        assert result.exit_code == 0, result.stderr
        return most[0] - before

    assert peak(8000, "--stream") < 2.5 * peak(1600, "--stream")
    assert peak(8000) > 3.5 * peak(1600)  # so that this test can fail


@SLOW
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_while_writing_leaves_nothing(model, rows, tmp_path, sent, code):
    write(tmp_path / "data.csv", rows(3000, 3000))
    endless = [str(tmp_path / "data.csv")] * 150
    with subprocess.Popen(
        [*RUN, "predict", str(model), *endless, "-o", "out.csv", "--stream"],
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    ) as process:
        end = time.monotonic() + 60
        while not any(path.stat().st_size for path in tmp_path.glob(".out.csv.*.part")):
            assert process.poll() is None
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.05)
        process.send_signal(sent)
        process.communicate(timeout=30)
    assert process.returncode == code
    assert os.listdir(tmp_path) == ["data.csv"]
