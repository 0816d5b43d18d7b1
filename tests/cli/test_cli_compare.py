import json
import sys

import pytest

from leaven.cli import app
from leaven.methods import METHODS, _compare

QUICK = ("--methods", "em,nb", "--folds", "2")


@pytest.fixture
def hard(make_csv, rows):
    """Documents in which most words tell nothing, so that methods differ."""
    own = rows(90, 6)
    for i, row in enumerate(own):
        row["text"] = " ".join(
            [*row["text"].split()[4:], "the and", ["stars", "dough", "goal"][i % 3]]
        )
    return make_csv(own, "hard.csv")


def test_compare_prints_the_best_and_a_table(run, data):
    result = run("compare", data, "--folds", "2", "--methods", "nb,sfe,em")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "No clear winner" in lines[0] or "accuracy on 12 held-out labels" in lines[0]
    (header,) = (line for line in lines if line.startswith("method"))
    assert all(name in header for name in ("accuracy", "interval", "macro F1", "seconds", "memory"))
    table = [line.split() for line in lines if "% to " in line]
    assert {row[0] for row in table} == {"nb", "sfe", "em"}
    shares = [float(row[1].rstrip("%")) for row in table]
    assert shares == sorted(shares, reverse=True)
    assert "12 of 12 labels were held out in 2 folds, 48 documents are unlabeled" in lines[-1]
    assert "warning" not in result.stderr


def test_all_methods_are_compared_unless_some_are_named(run, data, monkeypatch):
    asked, plain = [], _compare.compare

    def quickly(*given, methods, **more):
        asked.append(methods)
        return plain(*given, methods=["nb"], **more)

    monkeypatch.setattr(_compare, "compare", quickly)
    for given in ((), ("--methods", " em, nb,em ")):
        assert run("compare", data, "--folds", "2", *given).exit_code == 0
    assert asked == [None, ["em", "nb", "em"]]
    assert f"Methods of leaven train to compare: {', '.join(METHODS)}." in " ".join(
        run("compare", "--help").stdout.split()
    )


def test_json_has_all_numbers(run, data):
    found = json.loads(run("compare", data, *QUICK, "--json").stdout)
    assert set(found) == {
        "best", "winner", "indistinguishable", "sentence", "advice", "warning", "measure",
        "results",
        "n_labeled", "n_held_out", "n_unlabeled", "n_splits", "left_out", "warnings",
    }  # fmt: skip
    assert {row["method"] for row in found["results"]} == {"em", "nb"}
    assert all(row["low"] <= row["accuracy"] <= row["high"] for row in found["results"])
    assert (found["n_labeled"], found["n_unlabeled"], found["n_splits"]) == (12, 48, 2)
    assert found["warnings"] == []


def test_the_seed_decides(run, hard):
    def scores(seed):
        found = json.loads(run("compare", hard, *QUICK, "--json", "--seed", seed).stdout)
        return [(row["method"], row["accuracy"], row["macro_f1"]) for row in found["results"]]

    assert scores("1") == scores("1") != scores("2")


def test_a_method_that_fails_is_named_below_the_table(run, make_csv, rows):
    args = ("--methods", "mixture,nb", "--folds", "2")
    result = run("compare", make_csv(rows(30, 2)), *args)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[-1].startswith("mixture failed: ")
    (row,) = (line.split() for line in lines[:-1] if line.startswith("mixture"))
    assert row[1:] == ["–"] * 5


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_compare_draws_accuracies(run, data, tmp_path, ending):
    result = run("compare", data, *QUICK, "--plot", f"comparison.{ending}")
    assert result.exit_code == 0, result.stderr
    assert f"wrote comparison.{ending}" in result.stderr
    beginning = {"png": b"\x89PNG", "svg": b"<?xml"}[ending]
    assert (tmp_path / f"comparison.{ending}").read_bytes().startswith(beginning)


def test_the_plot_has_a_dot_per_method_and_the_best_on_top(run, hard, monkeypatch):
    from leaven.cli import _plots

    drawn = []
    monkeypatch.setattr(_plots, "_save", lambda figure, path: drawn.append(figure))
    args = ("--methods", "nb,em,two-view", "--folds", "2", "--json", "--plot", "x.png")
    found = json.loads(run("compare", hard, *args).stdout)
    (axes,) = drawn[0].axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [row["method"] for row in found["results"]]
    assert names[0] == found["best"]
    bottom, top = axes.get_ylim()
    assert top < 0 < 2 < bottom
    dots = [own.lines[0].get_xdata()[0] for own in axes.containers]
    assert dots == [100 * row["accuracy"] for row in found["results"]]
    texts = [own.get_text() for own in axes.texts]
    assert [text for text in texts if text.endswith(" s")] == [
        f"{row['seconds']:.2f} s" for row in found["results"]
    ]


def test_texts_of_the_plot_do_not_overlap(run, make_csv, rows, monkeypatch):
    from leaven.cli import _plots

    drawn = []
    monkeypatch.setattr(_plots, "_save", lambda figure, path: drawn.append(figure))
    args = ("--methods", "nb,em,mixture", "--folds", "2", "--plot", "x.png")
    assert run("compare", make_csv(rows(30, 2)), *args).exit_code == 0
    figure = drawn[0]
    (axes,) = figure.axes
    figure.draw_without_rendering()
    assert "failed" in [own.get_text() for own in axes.texts]
    boxes = [own.get_window_extent() for own in (*axes.texts, *axes.get_yticklabels())]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize(
    ("args", "message", "code"),
    [
        (("--methods", "em,magic"), "--methods: 'magic' is not one of 'auto', 'nb', 'em'", 2),
        (("--methods", ","), "--methods must name methods", 2),
        (("--folds", "1"), "Invalid value for '--folds' / '--n-splits'", 2),
        (("--plot", "x.doc"), "error: plots are written as", 1),
    ],
)
def test_options_are_checked(run, data, args, message, code):
    result = run("compare", data, *args)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_compare_needs_labels_that_can_be_held_out(run, make_csv, rows):
    result = run("compare", make_csv(rows(30, 0)))
    assert result.exit_code == 1
    assert result.stderr.startswith("error: no document in")
    result = run("compare", make_csv(rows(30, 1)))
    assert result.exit_code == 1
    assert result.stderr.startswith("error: methods are compared on held-out labels")
    assert "label a second document of some classes" in result.stderr


def test_a_plot_without_matplotlib_names_the_extra(run, data, monkeypatch):
    monkeypatch.delitem(sys.modules, "leaven.cli._plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delattr("leaven.cli._plots", raising=False)
    result = run("compare", data, "--plot", "comparison.png")
    assert result.exit_code == 1
    assert "`leaven compare --plot` needs the plot extra" in result.stderr


def test_help_gives_an_example(run):
    assert "compare" in [command.name for command in app.registered_commands]
    shown = run("compare", "--help").stdout
    assert "Example:\n    leaven compare reviews.csv" in shown
    assert all(name in shown for name in METHODS)
