"""Scores of files that are read in pieces: those of all documents at once."""

import json

import pytest

from leaven.classifier import Scorer
from leaven.documents import DocumentFiles


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setitem(DocumentFiles.__init__.__kwdefaults__, "block_bytes", 1 << 12)


@pytest.fixture
def batches(monkeypatch):
    sizes, own = [], Scorer.__call__

    def counting(self, documents, on_progress=None):
        sizes.append(len(documents.texts))
        return own(self, documents, on_progress)

    monkeypatch.setattr(Scorer, "__call__", counting)
    return sizes


@pytest.fixture
def mixed_up(rows, make_csv):
    """Wrong, unknown, missing labels, and documents without a known word."""
    held = rows(400, 400, seed=1)
    for i, row in enumerate(held):
        row["label"] = {0: "sport", 1: "zoo" if i % 2 else "art", 2: ""}.get(i % 7, row["label"])
        row["text"] = "xyzzy" if i % 11 == 0 else row["text"]
    return make_csv(held)


def assert_same(found, expected):
    assert set(found) == set(expected)
    for key in ("mean_confidence", "calibration_error"):
        assert found[key] == pytest.approx(expected[key], rel=1e-7)
    rounded = {"mean_confidence": 0, "calibration_error": 0}
    assert {**found, **rounded} == {**expected, **rounded}


def test_streamed_scores_are_the_same(run, model, mixed_up, small_blocks, batches):
    memory = json.loads(run("evaluate", model, mixed_up, "--json").stdout)
    assert len(batches) == 1
    result = run("evaluate", model, mixed_up, "--json", "--stream")
    assert result.exit_code == 0, result.stderr
    assert len(batches) > 4
    assert_same(json.loads(result.stdout), memory)
    assert memory["confusion"]["classes"][3:] == ["art", "zoo"]
    unknown, wordless = memory["warnings"]
    assert "2 labels are not among the classes of the model ('art', 'zoo')" in unknown
    assert "contain no word" in wordless
    shown = run("evaluate", model, mixed_up, "--stream").stdout
    assert shown == run("evaluate", model, mixed_up).stdout


def test_streamed_documents_without_a_label_are_refused(run, model, make_csv, rows, small_blocks):
    result = run("evaluate", model, make_csv(rows(400, 0)), "--stream")
    assert result.exit_code == 1
    assert "error: no document in" in result.stderr


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_bad_files_do_not_count(run, model, make_csv, rows, small_blocks, stream):
    good = make_csv(rows(100, 100, seed=1), "good.csv")
    bad = make_csv(rows(300, 300, seed=2), "bad.csv")
    with bad.open("a") as file:
        file.write("too,many,fields,in,this,row\n")
    expected = json.loads(run("evaluate", model, good, "--json").stdout)
    assert run("evaluate", model, good, bad, *stream).exit_code == 1
    result = run("evaluate", model, good, bad, "--json", "--skip-bad-files", *stream)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found.pop("n_bad_files") == 1
    (warning,) = found.pop("warnings")
    assert warning.startswith("1 bad file was left out: ")
    assert "must have 3 fields" in warning
    assert_same({**found, "n_bad_files": 0, "warnings": []}, expected)
