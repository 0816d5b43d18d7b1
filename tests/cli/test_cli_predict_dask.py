"""Files that the workers of a cluster classify."""

import csv
import gzip
import json
import os
import signal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.conftest import make_rows
from leaven._base.bars import Bars
from leaven.corpora import dask_uncounted

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",  # another test run may have the usual one
        local_directory=str(tmp_path_factory.mktemp("dask")),
    ) as own:
        yield own


@pytest.fixture
def on_dask(cluster):
    return ["--dask", cluster.scheduler_address]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files of different formats and 3,000 documents together."""
    path = tmp_path_factory.mktemp("files")
    for i, name in enumerate(["0.csv", "1.jsonl", "2.parquet"]):
        rows = make_rows(1000, 1000, seed=i)
        for j, row in enumerate(rows):
            row["label"] = {0: "sport", 1: "zoo", 2: ""}.get(j % 7, row["label"])
            row["text"] = "xyzzy" if j % 11 == 0 else row["text"]
        if i == 0:
            with (path / name).open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        elif i == 1:
            (path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            table = pa.Table.from_pylist(rows)
            pq.write_table(table.cast(pa.schema([(n, pa.large_string()) for n in rows[0]])),
                           path / name, row_group_size=100)  # fmt: skip
    return path


@pytest.fixture
def small_pieces(monkeypatch):
    """So small that every file is in several."""
    monkeypatch.setattr(dask_uncounted, "SMALLEST_PIECE", 1 << 12)
    monkeypatch.setattr(dask_uncounted, "PIECES_PER_THREAD", 8)


@pytest.fixture
def killing(cluster, monkeypatch):
    """Kill a worker when the second piece is done."""
    killed, own = [], Bars.__call__

    def progress(self, phase, done, total):
        if phase == "pieces" and done == 2 and not killed:
            with distributed.Client(cluster, set_as_default=False) as client:
                pids = client.run(os.getpid)
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], signal.SIGKILL)
        own(self, phase, done, total)

    monkeypatch.setattr(Bars, "__call__", progress)
    return killed


def plain(path):
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def predicted(run, *args):
    result = run("predict", *args, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("out", ["out.csv", "out.jsonl.gz", "out.parquet"])
def test_one_file_has_the_predictions_of_one_machine(
    run, model, folder, tmp_path, on_dask, small_pieces, out
):
    expected = predicted(run, model, folder, "-o", "memory.parquet", "--proba")
    found = predicted(run, model, folder, "-o", out, "--proba", *on_dask)
    assert found == {**expected, "output": out}
    if out.endswith("parquet"):
        assert pq.read_table(out) == pq.read_table("memory.parquet")
    else:
        run("predict", model, folder, "-o", f"memory-{out}", "--proba")
        assert plain(tmp_path / out) == plain(tmp_path / f"memory-{out}")


def test_notes_and_most_probable_classes(run, model, folder, on_dask, small_pieces):
    options = ["--min-probability", "0.9", "--top", "2", "--neighbors", "3"]
    expected = predicted(run, model, folder, "-o", "memory.parquet", *options)
    found = predicted(run, model, folder, "-o", "out.parquet", *options, *on_dask)
    assert found == {**expected, "output": "out.parquet"}
    assert found["n_undecided"] >= found["n_without_known_words"] > 0
    assert pq.read_table("out.parquet") == pq.read_table("memory.parquet")


def test_mistakes_and_the_accuracy_of_confident_predictions(
    run, model, folder, on_dask, small_pieces
):
    asked = ["evaluate", model, folder, "--json", "--target-accuracy", "0.6"]
    stream = run(*asked, "--errors", "stream.parquet", "--stream")
    result = run(*asked, "--errors", "dask.parquet", *on_dask)
    assert result.exit_code == 0, result.stderr
    expected, found = json.loads(stream.stdout), json.loads(result.stdout)
    assert found["coverage"] == expected["coverage"]
    assert found["target"] == expected["target"]
    assert pq.read_table("dask.parquet") == pq.read_table("stream.parquet")
    without = json.loads(run(*asked, *on_dask).stdout)
    assert without["coverage"] == found["coverage"]


def test_standard_output(run, model, folder, on_dask):
    found = run("predict", model, folder / "0.csv", *on_dask)
    assert found.exit_code == 0, found.stderr
    assert found.stdout == run("predict", model, folder / "0.csv").stdout


def test_workers_write_into_a_folder(run, model, folder, tmp_path, on_dask, small_pieces):
    expected = predicted(run, model, folder, "-o", "memory.parquet")
    assert predicted(run, model, folder, "-o", "parts/", *on_dask) == {
        **expected,
        "output": "parts/",
    }
    names = sorted(os.listdir("parts"))
    assert len(names) > 9
    assert names == [f"part-{i:05}.parquet" for i in range(len(names))]
    parts = pa.concat_tables([pq.read_table(tmp_path / "parts" / name) for name in names])
    assert parts == pq.read_table("memory.parquet")
    again = run("predict", model, folder, "-o", "parts", *on_dask)
    assert again.exit_code == 1
    assert "already contains part-*.parquet files" in again.stderr
    assert run("predict", model, folder, "-o", "no/such/", *on_dask).exit_code == 1
    assert run("predict", model, folder, "-o", "parts").exit_code == 1


@pytest.mark.parametrize("out", ["out.parquet", "parts/"])
def test_a_worker_that_is_lost_costs_no_document_and_doubles_none(
    run, model, folder, on_dask, small_pieces, killing, out
):
    expected = predicted(run, model, folder, "-o", "memory.parquet")
    found = predicted(run, model, folder, "-o", out, *on_dask)
    assert killing
    assert found == {**expected, "output": out}
    assert pq.read_table(out) == pq.read_table("memory.parquet")


def test_a_worker_that_is_lost_does_not_change_the_scores(
    run, model, folder, on_dask, small_pieces, killing
):
    expected = json.loads(run("evaluate", model, folder, "--json").stdout)
    result = run("evaluate", model, folder, "--json", *on_dask)
    assert result.exit_code == 0, result.stderr
    assert killing
    found = json.loads(result.stdout)
    for key in ("mean_confidence", "calibration_error"):
        assert found.pop(key) == pytest.approx(expected.pop(key), rel=1e-7)
    assert found == expected
    assert found["n_unlabeled"] == 429
    assert found["confusion"]["classes"] == ["baking", "space", "sport", "zoo"]


@pytest.mark.parametrize("out", ["out.csv", "parts/"])
def test_bad_files_are_left_out_as_a_whole(
    run, model, folder, tmp_path, on_dask, small_pieces, out
):
    good = folder / "0.csv"
    (tmp_path / "bad.csv").write_text(good.read_text() + "too,many,fields,in,this,row\n")
    (tmp_path / "empty.csv").write_text("text,label\n")
    paths = [good, "bad.csv", "empty.csv", folder / "2.parquet", "missing.csv"]
    refused = run("predict", model, *paths[:2], "-o", out, *on_dask)
    assert refused.exit_code == 1
    assert "line 1002 of bad.csv must have 3 fields" in refused.stderr
    assert sorted(os.listdir()) == ["bad.csv", "empty.csv"]
    refused = run("predict", model, good, "empty.csv", "-o", out, *on_dask)
    assert refused.exit_code == 1
    assert "empty.csv holds no documents" in refused.stderr
    found = predicted(run, model, *paths, "-o", out, "--skip-bad-files", *on_dask)
    assert (found["n_documents"], found["n_bad_files"]) == (2000, 3)
    assert "3 bad files were left out" in found["warnings"][0]
    predicted(run, model, good, folder / "2.parquet", "-o", "memory.parquet")
    if out == "parts/":
        assert pq.read_table(out) == pq.read_table("memory.parquet")
        assert all(name.startswith("part-") for name in os.listdir(out))
    result = run("evaluate", model, *paths, "--json", "--skip-bad-files", *on_dask)
    assert result.exit_code == 0, result.stderr
    scores = json.loads(result.stdout)
    n_skipped = scores["n_unlabeled"] + scores["n_from_training"]
    assert scores["n_documents"] + n_skipped == 2000
    assert scores["n_bad_files"] == 3


def test_a_folder_that_held_other_files_keeps_them(run, model, folder, tmp_path, on_dask):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "notes.txt").write_text("mine")
    predicted(run, model, folder / "0.csv", "-o", "parts", *on_dask)
    assert sorted(os.listdir("parts")) == ["notes.txt", "part-00000.parquet"]


def test_a_cluster_that_is_not_there_is_told_in_one_line(run, model, folder, monkeypatch):
    monkeypatch.setattr("leaven.cli._where.CONNECT_SECONDS", 0.5)
    refused = run("predict", model, folder, "--dask", "tcp://127.0.0.1:9")
    assert refused.exit_code == 1
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in refused.stderr


def test_several_labels_are_the_same_on_a_cluster(run, on_dask, tmp_path, small_pieces):
    """A list of labels for each document, some of them none, one of them unknown."""
    rows = [
        {**row, "label": [row["label"], "odd"] if i % 2 else [row["label"]] if i % 6 else []}
        for i, row in enumerate(make_rows(600, 600))
    ]
    for row in rows[500:520]:
        row["label"] = ["zoo"]
    for name, some in (("data", rows[:100]), ("held", rows[100:])):
        text = "".join(json.dumps(row) + "\n" for row in some)
        (tmp_path / f"{name}.jsonl").write_text(text)
    result = run("train", "data.jsonl", "--method", "svm", "-o", "sets.leaven")
    assert result.exit_code == 0, result.stderr
    scores = [
        json.loads(run("evaluate", "sets.leaven", "held.jsonl", "--json", *how).stdout)
        for how in ([], on_dask)
    ]
    for name in ("calibration_error", "label_calibration_error", "mean_confidence"):
        here, there = (score.pop(name) for score in scores)
        assert here == pytest.approx(there)
    assert scores[0] == scores[1]
    assert scores[0]["per_class"]["zoo"]["recall"] == 0
    run("predict", "sets.leaven", "held.jsonl", "-o", "here.parquet")
    assert run("predict", "sets.leaven", "held.jsonl", "-o", "there/", *on_dask).exit_code == 0
    here = pq.read_table(tmp_path / "here.parquet")
    there = pq.read_table(tmp_path / "there")
    assert there.column("predicted").equals(here.column("predicted"))
    assert pa.types.is_list(here.schema.field("predicted").type)
