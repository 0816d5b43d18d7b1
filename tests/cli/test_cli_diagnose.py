import json
import sys

import pytest

from leaven.cli import app
from leaven.cli._methods import DIAGNOSED
from leaven.learners import NaiveBayesLearner
from leaven.methods import METHODS

NAMES = ["supervised", "plain EM", "unlabeled weight 0.1", "5 components per class", "annealed"]
NAMES.append("auto")


def test_diagnose_prints_the_verdict_the_advice_and_a_table(run, data):
    result = run("diagnose", data)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "unlabeled text" in lines[0].lower()
    assert lines[1].endswith(".")
    rows = [line for line in lines[2:] if "%" in line]
    assert [name for row, name in zip(rows, NAMES, strict=True) if row.startswith(name)] == NAMES
    assert sum("← recommended" in row for row in rows) == 1
    assert "12 of 12 labels were held out at least once, 48 documents are unlabeled" in lines[-1]
    assert "warning" not in result.stderr


def test_quick_prints_the_verdict_alone(run, data):
    full, quick = run("diagnose", data), run("diagnose", data, "--quick")
    assert len(quick.stdout.splitlines()) == 2
    assert quick.stdout.splitlines()[0] == full.stdout.splitlines()[0]


def test_json_has_all_numbers(run, data):
    result = run("diagnose", data, "--json", "--starts", "3")
    found = json.loads(result.stdout)
    assert set(found) == {
        "verdict", "sentence", "recommendation", "gain", "correlation", "correlation_interval",
        "n_labeled", "n_held_out", "n_unlabeled", "points", "alternatives", "recommended",
        "warnings",
    }  # fmt: skip
    assert [own["name"] for own in found["alternatives"]] == NAMES
    assert {point["start"] for point in found["points"]} == {0, 1, 2}
    assert (found["n_labeled"], found["n_unlabeled"]) == (12, 48)


def test_the_seed_decides(run, data):
    points = [
        json.loads(run("diagnose", data, "--json", "--quick", "--seed", seed).stdout)["points"]
        for seed in ("1", "1", "2")
    ]
    assert points[0] == points[1]
    assert points[0] != points[2]


def test_methods_are_those_that_em_fits_alone(run, data):
    fitted_by_em = [
        own
        for own in METHODS.values()
        if issubclass(own.learner_type, NaiveBayesLearner) and own.supervised and not own.blend
        if own.learner_type.fit is NaiveBayesLearner.fit  # which has nothing after EM
    ]
    assert (
        [own.name for own in fitted_by_em] == DIAGNOSED == ["em", "mixture", "annealed", "two-view"]
    )
    assert f"--method {'|'.join(DIAGNOSED)}" in " ".join(run("diagnose", "--help").stdout.split())
    for refused in sorted(set(METHODS) - set(DIAGNOSED)):
        result = run("diagnose", data, "--method", refused)
        assert result.exit_code == 2
        message = " ".join(result.stderr.replace("│", " ").split())
        assert f"{refused!r} is not one of 'em', 'mixture', 'annealed', 'two-view'" in message


def test_components_reach_the_model(run, data):
    args = ("diagnose", data, "--method", "mixture", "--components", "baking=2", "--json")
    found = json.loads(run(*args).stdout)
    assert found["alternatives"][-1]["name"] == "as configured"


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_diagnose_draws_probability_against_accuracy(run, data, tmp_path, ending):
    result = run("diagnose", data, "--quick", "--plot", f"diagnosis.{ending}")
    assert result.exit_code == 0, result.stderr
    assert f"wrote diagnosis.{ending}" in result.stderr
    beginning = {"png": b"\x89PNG", "svg": b"<?xml"}[ending]
    assert (tmp_path / f"diagnosis.{ending}").read_bytes().startswith(beginning)


def test_the_plot_has_a_line_per_start_and_the_verdict(run, data, tmp_path, monkeypatch):
    from leaven.cli import _plots

    drawn = []
    monkeypatch.setattr(_plots, "_save", lambda figure, path: drawn.append(figure))
    found = json.loads(run("diagnose", data, "--json", "--starts", "4", "--plot", "x.png").stdout)
    (axes,) = drawn[0].axes
    starts, ends = axes.lines[1::3], axes.lines[2::3]
    assert len(starts) == len(ends) == 4
    first = [point for point in found["points"] if not point["iteration"]]
    assert [line.get_xdata()[0] for line in starts] == [p["log_probability"] for p in first]
    assert [line.get_ydata()[0] for line in starts] == [100 * p["accuracy"] for p in first]
    assert all(line.get_markerfacecolor() == "white" for line in starts)
    words = {"helps": "text helps", "hurts": "text hurts", "unclear": "unclear whether"}
    assert words[found["verdict"]] in axes.get_title(loc="left")


def test_labels_that_cannot_be_held_out_are_no_error(run, make_csv, rows, tmp_path):
    result = run("diagnose", make_csv(rows(60, 1)), "--plot", "empty.png")
    assert result.exit_code == 0, result.stderr
    assert "no class has two labeled documents" in result.stdout
    assert len(result.stdout.splitlines()) == 2
    assert (tmp_path / "empty.png").exists()


def test_diagnose_needs_labels(run, make_csv, rows):
    result = run("diagnose", make_csv(rows(30, 0)))
    assert result.exit_code == 1
    assert result.stderr.startswith("error: no document in")
    assert "--label" in result.stderr


def test_a_plot_without_matplotlib_names_the_extra(run, data, monkeypatch):
    monkeypatch.delitem(sys.modules, "leaven.cli._plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delattr("leaven.cli._plots", raising=False)
    result = run("diagnose", data, "--plot", "diagnosis.png")
    assert result.exit_code == 1
    assert "`leaven diagnose --plot` needs the plot extra" in result.stderr


def test_help_gives_an_example(run):
    assert "diagnose" in [command.name for command in app.registered_commands]
    assert "Example:\n    leaven diagnose reviews.csv" in run("diagnose", "--help").stdout
