import json
import sys

import pytest

from leaven.classifier._model_file import load_model
from leaven.cli import demo
from leaven.datasets import TextDataset
from leaven.exceptions import UnseenWordsWarning


@pytest.fixture
def small_corpus(monkeypatch, rows):
    """A small corpus in place of SciPy's docstrings."""
    made = rows(120, 120)
    corpus = TextDataset(
        [row["text"] for row in made], [row["label"] for row in made], "made for a test"
    )
    monkeypatch.setattr("leaven.datasets.load_docstrings", lambda: corpus)
    return corpus


@pytest.mark.slow
def test_demo_compares_explains_saves_and_draws(run, small_corpus, tmp_path):
    result = run("demo", "--draws", "2")
    assert result.exit_code == 0, result.stderr
    assert "mean ± standard deviation over 2 draws" in result.stdout
    assert "labels per class   naive Bayes" in result.stdout
    assert "dough" in result.stdout
    assert load_model(tmp_path / "demo.leaven").report.n_labeled == 6
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    commands = [line.strip() for line in result.stderr.splitlines()[-3:]]
    assert [command.split()[:2] for command in commands] == [
        ["leaven", "train"],
        ["leaven", "explain"],
        ["leaven", "predict"],
    ]


@pytest.mark.slow
def test_demo_gives_every_accuracy_as_json_and_is_deterministic(run, small_corpus):
    first, second = (json.loads(run("demo", "--draws", "2", "--json").stdout) for _ in range(2))
    assert [(point["method"], point["labels_per_class"]) for point in first["results"]] == [
        (method, n) for n in (1, 2, 5, 10) for method in ("nb", "em", "auto")
    ]
    assert all(len(point["accuracies"]) == 2 for point in first["results"])
    assert first["results"] == second["results"]
    assert first["examples"] == second["examples"]


@pytest.mark.slow
def test_a_quiet_demo_prints_its_tables_only(run, small_corpus):
    result = run("demo", "--draws", "1", "--quiet")
    assert result.exit_code == 0, result.stderr
    assert "labels per class   naive Bayes" in result.stdout
    assert result.stderr == ""


def test_demo_without_matplotlib_leaves_out_the_plot(run, small_corpus, monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "leaven.cli._plots", raising=False)
    monkeypatch.delattr("leaven.cli._plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("demo", "--draws", "1")
    assert result.exit_code == 0, result.stderr
    assert "no plot: `leaven demo --plot` needs the plot extra" in result.stderr
    assert not (tmp_path / "demo.png").exists()


def test_a_split_holds_out_two_fifths_of_every_class(small_corpus):
    data = demo.split(small_corpus, 2, draw=0)
    assert {data.test_labels.count(name) for name in set(small_corpus.labels)} == {16}
    assert {data.labels.count(name) for name in set(small_corpus.labels)} == {2}
    assert not set(data.test_texts) - set(small_corpus.texts)
    assert len(data.texts) + len(data.test_texts) == len(small_corpus.texts)


def test_a_document_without_a_known_word_is_no_example(small_corpus):
    data = demo.split(small_corpus, 5, draw=0)
    classifier = demo.learn(data, "nb")
    names = sorted(set(data.test_labels))
    strange = demo.Split(
        data.texts,
        data.labels,
        ["", *["zyzzyva quux"] * len(names), *data.test_texts],
        [names[0], *names, *data.test_labels],
    )
    with pytest.warns(UnseenWordsWarning):
        found = demo.examples(classifier, strange)
    assert found == demo.examples(classifier, data)
    assert found


def test_more_labels_include_the_fewer(small_corpus):
    few, more = demo.split(small_corpus, 2, draw=3), demo.split(small_corpus, 5, draw=3)
    assert few.texts == more.texts
    assert all(b == a for a, b in zip(few.labels, more.labels, strict=True) if a is not None)
