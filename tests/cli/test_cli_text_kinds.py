"""Options for kinds of text on the command line: HTML, stop words by name, an embedding by name."""

import json

import numpy as np
import pytest

from leaven.text import _embeddings
from leaven.text._embeddings import EMBEDDINGS


@pytest.fixture
def pages(rows, make_csv):
    made = rows(60, 4)
    for row in made:
        first, rest = row["text"].split(" ", 1)
        row["text"] = f"<p class=blue>{first}</p><script>var hidden;</script>{rest}<br>"
    return make_csv(made, "pages.csv")


def vocabulary(path):
    from leaven import load

    return set(load(path).fitted.counter.columns)


@pytest.mark.parametrize("more", [[], ["--stream"]], ids=["memory", "stream"])
def test_html_is_removed_in_training_and_prediction(run, pages, more):
    trained = run("train", pages, "--html", "--method", "em", "-o", "m.leaven", *more)
    assert trained.exit_code == 0, trained.stderr
    assert "look like HTML" not in trained.stdout + trained.stderr
    assert not {"class", "blue", "hidden", "br"} & vocabulary("m.leaven")
    untold = run("train", pages, "--method", "em", "-o", "n.leaven", *more)
    assert "look like HTML" in untold.stderr
    assert "hidden" in vocabulary("n.leaven")
    predicted = run("predict", "m.leaven", pages, "--json")
    assert predicted.exit_code == 0, predicted.stderr


@pytest.mark.parametrize(
    "command",
    [["compare", "--methods", "nb,em"], ["diagnose", "--quick"], ["errors", "--method", "nb"]],
    ids=lambda command: command[0],
)
def test_other_commands_that_train_remove_html_too(run, pages, command):
    name, *options = command
    found = run(name, pages, "--html", *options)
    assert found.exit_code == 0, found.stderr


def test_suggestions_do_not_depend_on_markup(run, pages, rows, make_csv):
    plain = make_csv(rows(60, 4), "plain.csv")
    of_pages = run("suggest", pages, "--html", "--method", "nb", "--json")
    of_plain = run("suggest", plain, "--method", "nb", "--json")
    assert of_pages.exit_code == of_plain.exit_code == 0, of_pages.stderr
    chosen = [
        [each["document"] for each in json.loads(found.stdout)["suggested"]]
        for found in (of_pages, of_plain)
    ]
    assert chosen[0] == chosen[1]


def test_stop_words_are_named_or_read_from_a_file(run, data, tmp_path):
    (tmp_path / "words.txt").write_text("the and\nwith")
    (tmp_path / "mine").write_text("the")
    for given, left_out in (("english", "the"), ("words.txt", "with"), ("mine", "the")):
        trained = run(
            "train", data, "--stop-words", given, "--method", "nb", "-o", "m.leaven", "--force"
        )
        assert trained.exit_code == 0, trained.stderr
        assert left_out not in vocabulary("m.leaven")
    for given in ("german", "de", "frequent"):
        trained = run(
            "train", data, "--stop-words", given, "--method", "nb", "-o", "m.leaven", "--force"
        )
        assert trained.exit_code == 0, trained.stderr
    assert "the" not in vocabulary("m.leaven")


def test_stop_words_that_are_neither_a_name_nor_a_file_are_refused(run, data):
    unknown = run("train", data, "--stop-words", "klingon")
    assert unknown.exit_code == 1
    assert "german" in unknown.stderr
    assert "got 'klingon'" in unknown.stderr
    missing = run("train", data, "--stop-words", "klingon.txt")
    assert missing.exit_code == 1
    assert missing.stderr.count("\n") == 1


@pytest.fixture
def letters(monkeypatch):
    """An embedding by the first letters of words."""

    def embed(texts):
        counts = [[text.count(f" {chr(97 + i)}") + 0.1 for i in range(26)] for text in texts]
        return np.array(counts)

    monkeypatch.setitem(EMBEDDINGS, "letters", lambda: embed)
    _embeddings._loaded.cache_clear()
    yield
    _embeddings._loaded.cache_clear()


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize("more", [[], ["--stream"]], ids=["memory", "stream"])
def test_an_embedding_is_named_once_and_used_by_every_command(run, data, held_out, more):
    trained = run("train", data, "--embed", "letters", "-o", "m.leaven", *more)
    assert trained.exit_code == 0, trained.stderr
    assert "--embed" not in trained.stderr  # the commands to run next
    for command in (
        ["predict", "m.leaven", held_out, *more],
        ["evaluate", "m.leaven", held_out, *more],
        ["explain", "m.leaven", "some words about bread"],
        ["suggest", "m.leaven", held_out],
    ):
        found = run(*command)
        assert found.exit_code == 0, found.stderr
        assert "words alone" not in found.stderr
    from leaven import load

    assert load("m.leaven").fitted.view.n_given == 26


@pytest.mark.usefixtures("letters")
def test_methods_are_compared_with_an_embedding(run, data):
    found = run("compare", data, "--embed", "letters", "--methods", "nb,two-view")
    assert found.exit_code == 0, found.stderr
    found = run("errors", data, "--embed", "letters", "--method", "two-view")
    assert found.exit_code == 0, found.stderr


def test_embeddings_that_cannot_be_used_are_refused_in_one_line(run, data):
    unknown = run("train", data, "--embed", "nothing")
    assert unknown.exit_code == 1
    assert "one of wordllama, got 'nothing'" in unknown.stderr
    assert unknown.stderr.count("\n") == 1
    both = run("train", data, "--embed", "wordllama", "--vectors", "v")
    assert both.exit_code == 2
    assert "both say where vectors come from" in " ".join(both.stderr.split())
    assert run("predict", "m.leaven", data, "--embed", "wordllama").exit_code == 2


@pytest.mark.usefixtures("letters")
def test_a_model_whose_embedding_is_missing_says_so_in_one_line(run, data, monkeypatch):
    assert run("train", data, "--embed", "letters", "-o", "m.leaven").exit_code == 0
    monkeypatch.delitem(EMBEDDINGS, "letters")
    _embeddings._loaded.cache_clear()
    refused = run("predict", "m.leaven", data)
    assert refused.exit_code == 1
    assert "got 'letters'" in refused.stderr
    assert refused.stderr.count("\n") == 1
