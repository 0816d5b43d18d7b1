import json

import pytest

from cli.conftest import make_rows, train_model, write_csv

ROWS = make_rows(60, 4)
TEXT = "yeast dough about a rocket"


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


@pytest.fixture(scope="module")
def voting(tmp_path_factory):
    """A model whose predictions come from documents, with excerpts."""
    options = ("--method", "ss-cknn", "--unlabeled-weight", "1", "--keep-excerpts", "20")
    return train_model(tmp_path_factory.mktemp("voting"), *options)


@pytest.fixture(scope="module")
def hashed(tmp_path_factory):
    """Models that hashed their words, by method."""
    from leaven import TextClassifier

    folder = tmp_path_factory.mktemp("hashed")
    texts, labels = ([row[name] or None for row in ROWS] for name in ("text", "label"))
    how = {"hash_features": 256, "alternate_sign": False}
    for method in ("nb", "knn"):
        clf = TextClassifier(method, text_options=how).fit(texts, labels)
        clf.save(folder / f"{method}.leaven")
    return folder


def rows_after(shown, title):
    """Rows of the table whose first column has this title, each as its words, and the rest."""
    lines = shown.splitlines()
    (start,) = [i for i, line in enumerate(lines) if line.startswith(title)]
    return [line.split() for line in lines[start + 2 :]]


def test_explain_shows_similar_documents_if_asked(run, model):
    assert "similarity" not in run("explain", model, TEXT).stdout
    result = run("explain", model, TEXT, "--neighbors")
    assert result.exit_code == 0, result.stderr
    header = next(line for line in result.stdout.splitlines() if "similarity" in line)
    assert header.split() == ["similarity", "class", "document"]
    *rows, note = rows_after(result.stdout, "similarity")
    assert "numbered in the order in which they were read" in " ".join(note)
    assert "--keep-excerpts" in note
    assert len(rows) == 5
    assert rows == sorted(rows, key=lambda row: -float(row[0]))
    for _, name, number in rows:
        assert ROWS[int(number) - 1]["label"] == name


def test_explain_shows_documents_that_voted(run, voting):
    result = run("explain", voting, TEXT)
    assert result.exit_code == 0, result.stderr
    header = next(line for line in result.stdout.splitlines() if "similarity" in line)
    assert header.split() == ["similarity", "votes", "class", "document", "status", "text"]
    rows = rows_after(result.stdout, "similarity")
    assert len(rows) == 5
    assert {row[5] for row in rows} <= {"labeled", "classified"}
    for _, _, _, _, number, status, *text in rows:
        row = ROWS[int(number) - 1]
        assert (status == "labeled") == bool(row["label"])
        assert " ".join(text) == row["text"][:20].strip()
    assert "numbered in the order" not in result.stdout
    assert "similarity" not in run("explain", voting, TEXT, "--no-neighbors").stdout


def test_explain_gives_documents_as_json(run, model, voting):
    found = json.loads(run("explain", voting, TEXT, "--n-neighbors", "3", "--json").stdout)
    assert len(found["neighbors"]) == 3
    assert sorted(found["neighbors"], key=lambda each: -each["share"]) == found["neighbors"]
    for each in found["neighbors"]:
        row = ROWS[each["document"] - 1]
        assert each["text"] == row["text"][:20]
        assert each["is_labeled"] == bool(row["label"])
    assert json.loads(run("explain", model, TEXT, "--json").stdout)["neighbors"] == []
    found = json.loads(run("explain", model, TEXT, "--n-neighbors", "1", "--json").stdout)
    (only,) = found["neighbors"]
    assert (only["share"], only["text"], only["is_labeled"]) == (None, None, True)
    assert only["class"] == ROWS[only["document"] - 1]["label"]


def test_a_hashed_model_is_explained_by_documents(run, hashed):
    result = run("explain", hashed / "knn.leaven", TEXT)
    assert result.exit_code == 0, result.stderr
    assert "this model hashed its words" in result.stdout
    assert "no known word" not in result.stdout + result.stderr
    assert len(rows_after(result.stdout, "similarity")) == 6
    found = json.loads(run("explain", hashed / "knn.leaven", TEXT, "--json").stdout)
    assert (found["words"], found["note"]) == ([], None)
    refused = run("explain", hashed / "nb.leaven", TEXT)
    assert refused.exit_code == 1
    assert "explain needs a vocabulary" in refused.stderr
    found = run("explain", hashed / "nb.leaven", TEXT, "--neighbors", "--json")
    assert len(json.loads(found.stdout)["neighbors"]) == 5


def test_neighbors_that_were_asked_for_and_not_found_are_mentioned(run, model):
    message = "no document that the model holds has a word in common with this text"
    assert message in run("explain", model, "xyzzy", "--neighbors").stdout
    assert message not in run("explain", model, "xyzzy").stdout
    assert message not in run("explain", model, TEXT, "--neighbors").stdout


def test_a_model_without_documents_has_no_neighbors(run, data):
    trained = run("train", data, "-o", "out.leaven", "--method", "nb", "--no-keep-documents")
    assert trained.exit_code == 0, trained.stderr
    for command in (["explain", "out.leaven", TEXT, "--neighbors"],
                    ["predict", "out.leaven", data, "--neighbors", "2"]):  # fmt: skip
        result = run(*command)
        assert result.exit_code == 1
        assert len(result.stderr.splitlines()) == 1
        assert "documents to compare with, but this model holds none" in result.stderr
    assert run("explain", "out.leaven", TEXT).exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--neighbors"], "add TEXT"),
        (["--n-neighbors", "3"], "add TEXT"),
        ([TEXT, "--no-neighbors", "--n-neighbors", "3"], "exclude each other"),
    ],
)
def test_options_of_neighbors_that_do_not_fit_are_refused(run, model, options, message):
    result = run("explain", model, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_excerpts_need_documents(run, data):
    result = run("train", data, "--no-keep-documents", "--keep-excerpts", "9")
    assert result.exit_code == 2
    assert "--keep-excerpts needs the documents" in " ".join(result.stderr.split())


def test_control_characters_of_an_excerpt_are_shown_as_escapes(run, tmp_path):
    rows = [{**row, "text": f"\x1b[31m{row['text']}"} for row in ROWS]
    data = write_csv(tmp_path / "data.csv", rows)
    run("train", data, "-o", "out.leaven", "--method", "nb", "--keep-excerpts", "9")
    shown = run("explain", "out.leaven", TEXT, "--neighbors").stdout
    assert "\x1b" not in shown
    assert "\\x1b[31m" in shown


def test_a_long_excerpt_is_one_line(run, data, monkeypatch):
    monkeypatch.setattr("leaven.cli._common.WIDTH_IN_FILES", 90)
    run("train", data, "-o", "out.leaven", "--method", "ss-cknn", "--keep-excerpts", "300")
    rows = rows_after(run("explain", "out.leaven", TEXT).stdout, "similarity")
    assert len(rows) == 5
    assert any(row[-1].endswith("…") for row in rows)
    found = json.loads(run("explain", "out.leaven", TEXT, "--json").stdout)["neighbors"]
    assert found[0]["text"] == ROWS[found[0]["document"] - 1]["text"]
