"""Notes on predictions, undecided documents, and the most probable classes."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from leaven.classifier._model_file import load_model
from leaven.documents import DocumentFiles

CLASSES = ["baking", "space", "sport"]
TEXTS = ["yeast dough bread", "dough moon", "xyzzy plugh", "goal match team", "the very other"]
PLACES = pytest.mark.parametrize("place", [[], ["--stream"]])


@pytest.fixture
def texts(make_csv):
    return make_csv([{"text": text} for text in TEXTS])


@pytest.fixture
def expected(model):
    with pytest.warns(UserWarning, match="contains no word"):
        return load_model(model).predict_proba(TEXTS)


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_text_without_a_known_word_is_marked(run, model, texts):
    rows = table(run("predict", model, texts).stdout)
    assert [row["note"] for row in rows] == ["", "", "no known word", "", ""]
    assert rows[2]["predicted"] in CLASSES
    result = run("predict", model, texts, "-o", "out.parquet", "--json")
    assert json.loads(result.stdout)["n_without_known_words"] == 1
    notes = pq.read_table("out.parquet")["note"]
    assert notes.to_pylist() == [None, None, "no known word", None, None]
    assert str(notes.type) == "string"


@PLACES
def test_below_the_least_probability_documents_are_undecided(run, model, texts, expected, place):
    confidence = expected.max(axis=1)
    limit = float(np.sort(confidence)[2].round(6))  # reached by three, the third exactly
    options = ["--min-probability", str(limit), "--top", "2"]
    result = run("predict", model, texts, "-o", "out.jsonl", "--json", *options, *place)
    assert result.exit_code == 0, result.stderr
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    names = [CLASSES[code] for code in expected.argmax(axis=1)]
    is_decided = confidence.round(6) >= limit
    assert is_decided.sum() == 3
    wanted = [name if kept else None for name, kept in zip(names, is_decided, strict=True)]
    assert [row["predicted"] for row in rows] == wanted
    assert [row["top1"] for row in rows] == names
    assert rows[2]["note"] == "undecided, no known word"
    summary = json.loads(result.stdout)
    assert (summary["n_undecided"], summary["n_documents"]) == (2, 5)
    assert sum(summary["predicted"].values()) == 3
    undecided = [row for row in rows if row["predicted"] is None]
    assert all(row["note"].startswith("undecided") for row in undecided)


def test_the_summary_counts_undecided_documents(run, model, texts):
    result = run("predict", model, texts, "-o", "out.csv", "--min-probability", "1")
    assert "wrote out.csv: 5 documents, 5 of them undecided" in result.stderr
    assert {row["predicted"] for row in table(Path("out.csv").read_text())} == {""}


@PLACES
def test_the_most_probable_classes_are_columns(run, model, texts, expected, place):
    result = run("predict", model, texts, "--top", "3", *place)
    assert result.exit_code == 0, result.stderr
    rows = table(result.stdout)
    assert list(rows[0]) == [
        "text", "predicted", "probability", "note",
        "top1", "top1_probability", "top2", "top2_probability", "top3", "top3_probability",
    ]  # fmt: skip
    for row, probability in zip(rows, expected, strict=True):
        order = np.argsort(-probability, kind="stable")
        assert [row[f"top{rank}"] for rank in (1, 2, 3)] == [CLASSES[code] for code in order]
        found = [float(row[f"top{rank}_probability"]) for rank in (1, 2, 3)]
        assert found == pytest.approx(probability[order].round(6), abs=2e-6)
        assert row["top1"] == row["predicted"]


def test_more_classes_than_the_model_has_are_refused(run, model, texts):
    result = run("predict", model, texts, "--top", "4")
    assert result.exit_code == 1
    assert "must be at most 3, the number of the model's classes, got 4" in result.stderr
    assert result.stdout == ""


def test_no_new_column_takes_the_name_of_another(run, model, make_csv):
    path = make_csv([{"text": "dough", "note": "mine", "top1": "x", "p_baking": "y"}])
    (row,) = table(run("predict", model, path, "--top", "1", "--proba").stdout)
    assert (row["note"], row["top1"], row["p_baking"]) == ("mine", "x", "y")
    assert (row["note_2"], row["top1_2"]) == ("", "baking")
    assert float(row["p_baking_2"]) == float(row["top1_probability"])


def test_streamed_columns_are_the_same(run, model, rows, make_csv, monkeypatch):
    monkeypatch.setitem(DocumentFiles.__init__.__kwdefaults__, "block_bytes", 1 << 12)
    own = rows(300, 300, seed=1)
    for row in own[::7]:
        row["text"] = "xyzzy"
    path, options = make_csv(own), ["--min-probability", "0.9", "--top", "2", "--proba"]
    memory = run("predict", model, path, *options).stdout
    assert run("predict", model, path, *options, "--stream").stdout == memory
    assert {row["note"] for row in table(memory)} >= {"", "undecided, no known word"}


@PLACES
@pytest.mark.parametrize("method", ["nb", "ss-cknn"])
def test_the_nearest_documents_are_a_column(run, data, texts, place, method):
    run("train", data, "-o", "out.leaven", "--method", method)
    rows = table(run("predict", "out.leaven", texts, "--neighbors", "3", *place).stdout)
    listed = load_model("out.leaven").neighbors(TEXTS, 3)
    expected = [";".join(str(each.number + 1) for each in some) for some in listed]
    assert [row["neighbors"] for row in rows] == expected
    assert list(rows[0])[-1] == "neighbors"
    assert expected[2] == ""
    assert expected[0].count(";") == 2
    lines = run("predict", "out.leaven", texts, "--neighbors", "3", "--json", *place).stdout
    assert [json.loads(line)["neighbors"] for line in lines.splitlines()] == [
        numbers or None for numbers in expected
    ]
