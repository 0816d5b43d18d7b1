import json

import pytest

from cli.conftest import make_rows, write_csv
from leaven import __version__
from leaven.classifier._model_file import FORMAT


def test_info_says_what_a_model_is(run, model):
    result = run("info", model)
    assert result.exit_code == 0, result.stderr
    assert f"model format {FORMAT}, written by leaven {__version__}" in result.stdout
    assert "method auto: accuracy on " in result.stdout
    assert "expected accuracy " in result.stdout
    assert "concentration     30.0" in result.stdout
    assert "unlabeled_weight  1.0" in result.stdout


def test_info_as_json_holds_options_and_report(run, model):
    about = json.loads(run("info", model, "--json").stdout)
    assert about["bytes"] == model.stat().st_size
    assert (about["format"], about["leaven"]) == (FORMAT, __version__)
    assert about["classes"] == ["baking", "space", "sport"]
    assert about["options"]["text"]["length"] == 10
    assert about["options"]["method"]["concentration"] == 30
    assert about["report"]["n_labeled"] == 12
    assert about["warnings"] == []


def test_info_shows_a_long_option_in_short(run, data):
    run("train", data, "-o", "out.leaven", "--stop-words", "english")
    (line,) = [line for line in run("info", "out.leaven").stdout.splitlines() if "stop" in line]
    assert "318 words" in line
    assert len(line) < 100


@pytest.mark.parametrize(
    ("options", "line", "expected"),
    [
        ([], "words of 12 labeled documents, no text", (12, 0, 0)),
        (
            ["--keep-excerpts", "80"],
            "words of 12 labeled documents, and the first 80 characters of each",
            (12, 0, 80),
        ),
        (["--no-keep-documents"], "no documents to compare with, and no text", None),
    ],
)
def test_info_says_what_a_model_holds_of_documents(run, data, options, line, expected):
    run("train", data, "-o", "out.leaven", "--method", "nb", *options)
    assert f"contains {line}" in run("info", "out.leaven").stdout.splitlines()
    found = json.loads(run("info", "out.leaven", "--json").stdout)["documents"]
    assert (None if found is None else tuple(found.values())) == expected
    assert found is None or list(found) == ["n_labeled", "n_classified", "excerpt_characters"]


def test_info_counts_documents_that_votes_classified(run, data):
    run("train", data, "-o", "out.leaven", "--method", "ss-cknn")
    found = json.loads(run("info", "out.leaven", "--json").stdout)["documents"]
    assert found["n_classified"] > 0
    line = f"12 labeled documents and {found['n_classified']} unlabeled ones that these classified"
    assert f"contains words of {line}, no text" in run("info", "out.leaven").stdout


def test_info_says_that_some_documents_were_left_out(run, tmp_path, monkeypatch):
    monkeypatch.setattr("leaven.methods._training.MOST_COMPARED", 7)
    data = write_csv(tmp_path / "many.csv", make_rows(60, 4))
    run("train", data, "-o", "out.leaven", "--method", "nb")
    assert "contains words of 7 of 12 labeled documents" in run("info", "out.leaven").stdout
