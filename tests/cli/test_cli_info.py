import json

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
