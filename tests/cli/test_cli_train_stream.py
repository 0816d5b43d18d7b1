"""``leaven train`` past memory: streamed, on a cluster, with bad files, interrupted."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import clusters
from leaven.classifier._model_file import load_model

from .conftest import make_rows, write_csv

RUN = [sys.executable, "-m", "leaven"]


@pytest.fixture
def many(tmp_path):
    """Fifty Parquet files of a few documents each."""
    folder = tmp_path / "big"
    folder.mkdir()
    for number in range(50):
        rows = make_rows(12, 1, seed=number)
        table = pa.Table.from_pylist([{**row, "label": row["label"] or None} for row in rows])
        pq.write_table(table, folder / f"{number:02}.parquet")
    return folder


def assert_same_model(a, b):
    here, there = load_model(a), load_model(b)
    assert here.counter.vocabulary.words == there.counter.vocabulary.words
    for own, other in zip(here.experts, there.experts, strict=True):
        if hasattr(own, "params"):
            assert_allclose(own.params.log_word, other.params.log_word, rtol=1e-3, atol=1e-3)
    assert_allclose(here.weights, there.weights, rtol=1e-3)


@pytest.mark.parametrize("method", ["em", "auto"])
def test_a_streamed_model_is_the_same(run, many, tmp_path, method):
    run("train", many, "--method", method, "-o", tmp_path / "a.leaven")
    done = run("train", many / "*.parquet", "--stream", "--method", method, "-o", "b.leaven")
    assert done.exit_code == 0, done.stderr
    assert "600 documents, 150 labeled in 3 classes" in done.stdout
    assert_same_model(tmp_path / "a.leaven", tmp_path / "b.leaven")


def test_standard_input_can_be_streamed(run, data, tmp_path):
    run("train", data, "--method", "em", "-o", "a.leaven")
    done = run(
        "train", "-", "--stream", "--method", "em", "-o", "b.leaven", input=data.read_bytes()
    )
    assert done.exit_code == 0, done.stderr
    assert_same_model(tmp_path / "a.leaven", tmp_path / "b.leaven")


@pytest.mark.slow
def test_a_model_of_a_cluster_is_the_same(run, many, tmp_path):
    run("train", many, "--method", "em", "-o", "a.leaven")
    with clusters.threads() as client:
        address = client.scheduler.address
        done = run("train", many, "--dask", address, "--method", "em", "-o", "b.leaven", "--json")
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout)["n_documents"] == 600
    assert_same_model(tmp_path / "a.leaven", tmp_path / "b.leaven")


@pytest.mark.slow
def test_a_local_cluster_comes_and_goes(many, tmp_path):
    tmp_path.joinpath("tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    command = [*RUN, "train", str(many), "--dask", "local", "--threads", "2", "--method", "nb"]
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "c.leaven")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert "600 documents" in done.stdout
    assert "Traceback" not in done.stderr
    assert os.listdir(tmp_path / "tmp") == []


@pytest.mark.parametrize("where", [[], ["--stream"]], ids=["memory", "stream"])
def test_a_bad_file_among_fifty_is_named_and_nothing_is_written(run, many, tmp_path, where):
    (many / "23.parquet").write_bytes(b"PAR1 is all there is")
    done = run("train", many, *where, "--method", "nb", "-o", "x.leaven")
    assert done.exit_code == 1
    assert "23.parquet cannot be read as Parquet" in done.stderr
    assert sum("error" in line for line in done.stderr.splitlines()) == 1
    assert not (tmp_path / "x.leaven").exists()


@pytest.mark.parametrize("where", [[], ["--stream"]], ids=["memory", "stream"])
def test_bad_files_can_be_skipped_and_are_counted(run, many, tmp_path, where):
    (many / "23.parquet").write_bytes(b"PAR1 is all there is")
    files = [*sorted(many.glob("*.parquet")), many / "missing.parquet"]
    done = run(
        "train", *files, *where, "--skip-bad-files", "--method", "nb", "-o", "x.leaven", "--json"
    )
    assert done.exit_code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["n_documents"] == 49 * 12
    (note,) = [own for own in report["warnings"] if "bad files" in own]
    assert note.startswith("2 bad files were left out (")
    assert "warning: 2 bad files were left out" in done.stderr


def test_options_that_contradict_each_other_are_refused(run, data):
    for options in (["--stream", "--dask", "local"], ["--cache", "here"]):
        done = run("train", data, *options)
        assert done.exit_code == 2
        assert "--stream" in done.stderr


def test_a_folder_for_counts_that_is_not_there_is_named(run, data):
    done = run("train", data, "--stream", "--cache", "nowhere", "--method", "nb")
    assert done.exit_code == 1
    assert "counts cannot be kept in 'nowhere'" in done.stderr


def test_a_scheduler_that_is_not_there_is_told(run, data, monkeypatch):
    monkeypatch.setattr("leaven.cli._where.CONNECT_SECONDS", 0.5)
    done = run("train", data, "--dask", "tcp://127.0.0.1:9", "-o", "x.leaven")
    assert done.exit_code == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "TERM"]
)
def test_an_interrupt_leaves_nothing_behind(tmp_path, number, code):
    """In the middle of EM: the counts' file is open, and gone afterwards."""
    rows = make_rows(6000, 4)
    data = write_csv(tmp_path / "data.csv", rows)
    cache = tmp_path / "cache"
    cache.mkdir()
    command = [*RUN, "train", str(data), "--stream", "--cache", str(cache), "--method", "annealed"]
    # So slowly that it cannot be over when the signal comes.
    command += ["--beta-factor", "1.00001", "-o", str(tmp_path / "x.leaven")]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 90
    while not _holds_deleted_file(process.pid, cache):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code
    assert errors.splitlines()[-1] == "interrupted"
    assert os.listdir(cache) == []
    assert not (tmp_path / "x.leaven").exists()


def _holds_deleted_file(pid, folder):
    """Whether a process has an open file in a folder that no longer shows it."""
    links = f"/proc/{pid}/fd"
    for name in os.listdir(links):
        try:
            if os.readlink(f"{links}/{name}").startswith(str(folder)):
                return True
        except OSError:
            continue
    return False


def test_a_schedulers_file_that_is_none_is_told(run, data, tmp_path, monkeypatch):
    monkeypatch.setattr("leaven.cli._where.CONNECT_SECONDS", 0.3)
    done = run("train", data, "--dask", tmp_path / "nowhere.json")
    assert done.exit_code == 1
    assert "nowhere.json does not exist, and no scheduler wrote it within 0.3 s" in done.stderr
    (tmp_path / "odd.json").write_text("[1]")
    done = run("train", data, "--dask", tmp_path / "odd.json")
    assert done.exit_code == 1
    assert "odd.json must be what dask scheduler --scheduler-file writes" in done.stderr
