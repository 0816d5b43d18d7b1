"""Accuracy against coverage, and files of misclassified documents."""

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from leaven.documents import DocumentFiles


@pytest.fixture
def mixed_up(rows, make_csv, monkeypatch):
    """Wrong, unknown and missing labels, and documents without a known word, in many blocks."""
    monkeypatch.setitem(DocumentFiles.__init__.__kwdefaults__, "block_bytes", 1 << 12)
    held = rows(400, 400, seed=1)
    for i, row in enumerate(held):
        row["label"] = {0: "sport", 1: "zoo", 2: ""}.get(i % 7, row["label"])
        row["text"] = "xyzzy" if i % 11 == 0 else row["text"]
    return make_csv(held)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_accuracy_of_confident_predictions_is_a_table(run, model, mixed_up):
    scores = json.loads(run("evaluate", model, mixed_up, "--json").stdout)
    first = scores["coverage"][0]
    assert (first["min_probability"], first["coverage"]) == (0, 1)
    assert first["accuracy"] == pytest.approx(scores["accuracy"])
    assert [first["low"], first["high"]] == scores["accuracy_interval"]
    run("predict", model, mixed_up, "-o", "all.csv")
    labeled = [row for row in read("all.csv") if row["label"]]
    shown = run("evaluate", model, mixed_up).stdout
    for point in scores["coverage"]:
        kept = [row for row in labeled if float(row["probability"]) >= point["min_probability"]]
        right = sum(row["label"] == row["predicted"] for row in kept)
        assert (len(kept), right / len(kept)) == (
            point["n_documents"],
            pytest.approx(point["accuracy"]),
        )
        assert f"{point['min_probability']:g} " in shown


def test_the_streamed_table_is_the_same(run, model, mixed_up):
    asked = ["evaluate", model, mixed_up, "--json", "--target-accuracy", "0.6"]
    memory = json.loads(run(*asked).stdout)
    found = json.loads(run(*asked, "--stream").stdout)
    assert found["coverage"] == memory["coverage"]
    assert found["target"] == memory["target"]
    assert memory["target"]["accuracy"] == 0.6


def test_the_threshold_for_a_wanted_accuracy_works_in_predict(run, model, mixed_up):
    target = json.loads(
        run("evaluate", model, mixed_up, "--json", "--target-accuracy", "0.6").stdout
    )["target"]
    point = target["reached"]
    assert point["accuracy"] > 0.6
    limit = f"{point['min_probability']:g}"
    shown = run("evaluate", model, mixed_up, "--target-accuracy", "0.6").stdout
    assert f"leaven predict --min-probability {limit} decides " in shown
    assert "at least 60 % accuracy (95 % confidence" in shown
    assert "chosen on these documents" in shown
    run("predict", model, mixed_up, "-o", "out.csv", "--min-probability", limit)
    decided = [row for row in read("out.csv") if row["label"] and row["predicted"]]
    assert len(decided) == point["n_documents"]
    right = sum(row["label"] == row["predicted"] for row in decided)
    assert right / len(decided) == pytest.approx(point["accuracy"])


def test_an_accuracy_out_of_reach_is_said(run, model, mixed_up):
    shown = run("evaluate", model, mixed_up, "--target-accuracy", "0.999").stdout
    assert "No --min-probability reaches 99.9 % accuracy" in shown
    refused = run("evaluate", model, mixed_up, "--target-accuracy", "95")
    assert refused.exit_code == 2
    assert "must be between 0 and 1, such as 0.95, got 95" in refused.stderr


def test_evaluate_plots_accuracy_against_coverage(run, model, mixed_up):
    result = run("evaluate", model, mixed_up, "--coverage-plot", "coverage.png")
    assert result.exit_code == 0, result.stderr
    assert Path("coverage.png").read_bytes().startswith(b"\x89PNG")
    assert "wrote coverage.png" in result.stderr


def test_misclassified_documents_are_written_most_confident_first(run, model, mixed_up):
    result = run("evaluate", model, mixed_up, "--json", "--errors", "wrong.csv")
    assert result.exit_code == 0, result.stderr
    scores, wrong = json.loads(result.stdout), read("wrong.csv")
    assert f"wrote wrong.csv: {len(wrong)} misclassified documents" in result.stderr
    assert list(wrong[0]) == ["id", "text", "label", "predicted", "probability", "note"]
    run("predict", model, mixed_up, "-o", "all.csv")
    expected = [row for row in read("all.csv") if row["label"] not in ("", row["predicted"])]
    assert sorted(map(str, wrong)) == sorted(map(str, expected))
    assert {row["note"] for row in wrong} == {"", "no known word"}
    confidence = [float(row["probability"]) for row in wrong]
    assert confidence == sorted(confidence, reverse=True)
    assert len(wrong) == round((1 - scores["accuracy"]) * scores["n_documents"])
    plain = json.loads(run("evaluate", model, mixed_up, "--json").stdout)
    assert plain == scores


@pytest.mark.parametrize("name", ["wrong.csv", "wrong.jsonl", "wrong.parquet"])
def test_streamed_mistakes_are_in_their_order(run, model, mixed_up, name):
    memory = json.loads(run("evaluate", model, mixed_up, "--json", "--errors", "m.csv").stdout)
    result = run("evaluate", model, mixed_up, "--json", "--errors", name, "--stream")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    for key in ("mean_confidence", "calibration_error"):
        assert found.pop(key) == pytest.approx(memory.pop(key), rel=1e-7)
    assert found == memory
    if name.endswith("parquet"):
        rows = pq.read_table(name).to_pylist()
    elif name.endswith("jsonl"):
        rows = [json.loads(line) for line in Path(name).read_text().splitlines()]
    else:
        rows = read(name)
    numbers = [int(row["id"]) for row in rows]
    assert numbers == sorted(int(row["id"]) for row in read("m.csv"))


def test_no_mistakes_are_an_empty_table(run, model, held_out):
    for name in ("wrong.csv", "wrong.parquet"):
        result = run("evaluate", model, held_out, "--errors", name)
        assert result.exit_code == 0, result.stderr
        assert f"wrote {name}: 0 misclassified documents" in result.stderr
    assert read("wrong.csv") == []
    assert "predicted" in pq.read_table("wrong.parquet").column_names


@pytest.mark.parametrize("place", [[], ["--stream"]])
def test_bad_files_have_no_mistakes(run, model, mixed_up, make_csv, rows, place):
    bad = make_csv(rows(300, 300, seed=2), "bad.csv")
    with bad.open("a") as file:
        file.write("too,many,fields,in,this,row\n")
    result = run(
        "evaluate", model, mixed_up, bad, "--errors", "some.csv", "--skip-bad-files", *place
    )
    assert result.exit_code == 0, result.stderr
    run("evaluate", model, mixed_up, "--errors", "good.csv", *place)
    assert read("some.csv") == read("good.csv")


def test_a_place_that_cannot_be_written_is_refused_first(run, model, mixed_up):
    result = run("evaluate", model, mixed_up, "--errors", "no/such/wrong.csv")
    assert result.exit_code == 1
    assert "the folder 'no/such' does not exist" in result.stderr
    result = run("evaluate", model, mixed_up, "--errors", "-")
    assert result.exit_code == 2
    assert "--errors must name a file" in result.stderr
