import json


def test_explain_lists_the_words_of_each_class(run, model):
    result = run("explain", model)
    assert result.exit_code == 0, result.stderr
    assert any("baking" in line and "dough" in line for line in result.stdout.splitlines())


def test_explain_lists_as_many_words_as_asked(run, model):
    found = json.loads(run("explain", model, "--words", "3", "--json").stdout)["top_words"]
    assert list(found) == ["baking", "space", "sport"]
    assert {len(words) for words in found.values()} == {3}


def test_explain_shows_which_words_pulled_where(run, model):
    result = run("explain", model, "yeast dough about a rocket and xyzzy")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("baking ")
    assert "1 word not in the model's vocabulary" in lines[1]
    (dough,) = [line for line in lines if line.startswith("dough ")]
    (rocket,) = [line for line in lines if line.startswith("rocket ")]
    assert "│█" in dough
    assert "+" in dough
    assert "█│" in rocket
    assert "space" in rocket


def test_explain_gives_every_pull_as_json(run, model):
    found = json.loads(run("explain", model, "yeast dough xyzzy", "--json").stdout)
    assert found["predicted"] == "baking"
    assert sum(found["probability"].values()) > 0.999
    assert {entry["word"] for entry in found["words"]} == {"yeast", "dough"}
    assert set(found["words"][0]["pull"]) == {"baking", "space", "sport"}
    assert found["unknown_words"] == 1


def test_explain_reads_the_text_from_standard_input(run, model):
    result = run("explain", model, "-", input="planets and\nmoon\n")
    assert result.stdout.startswith("space ")


def test_a_text_of_unknown_words_is_a_warning(run, model):
    result = run("explain", model, "xyzzy")
    assert result.exit_code == 0
    assert "warning: no word of this text is in the model's vocabulary" in result.stderr
    assert result.stdout.splitlines()[-1] == "no known word"
    found = json.loads(run("explain", model, "xyzzy", "--json").stdout)
    assert found["note"] == "no known word"
    assert json.loads(run("explain", model, "dough", "--json").stdout)["note"] is None
