"""--quiet, and colours on terminals."""

import io
import json
import sys
import warnings

import pytest
import typer

from leaven._base.bars import Bars
from leaven.cli import app
from leaven.cli._common import Talk, has_colors

RED, YELLOW, PLAIN = "\x1b[31;1m", "\x1b[33;1m", "\x1b[0m"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def commands(model, em_model, data, held_out):
    """One run of every command."""
    return {
        "train": [data, "-o", "out.leaven"],
        "predict": [model, held_out, "-o", "out.csv"],
        "evaluate": [model, held_out, "--plot", "x.png"],
        "errors": [held_out, "--method", "nb", "-o", "out.csv"],
        "diagnose": [held_out, "--quick", "--plot", "x.png"],
        "compare": [held_out, "--methods", "nb", "--folds", "2", "--plot", "x.png"],
        "explain": [model],
        "assign": [em_model, "0=baking", "-o", "out.leaven"],
        "info": [model],
        "suggest": [held_out, "-n", "2"],
        "serve": [model, "--check"],
    }


OTHERS = ("demo", "label")  # of which one always talks, and one runs until it is ended
QUIET = [each.name for each in app.registered_commands if each.name not in OTHERS]


@pytest.mark.parametrize("name", QUIET)
def test_every_command_can_be_quiet(run, commands, name):
    result = run(name, *commands[name], "--quiet")
    assert result.exit_code == 0, result.stderr
    talk = result.stderr.splitlines()
    assert [line for line in talk if not line.startswith("warning:")] == []
    if name in ("train", "predict", "assign", "serve"):  # whose result is not printed
        assert result.stdout == ""
    else:
        assert result.stdout != ""


def test_json_is_printed_quietly(run, data):
    assert json.loads(run("train", data, "-q", "--json").stdout)["n_documents"] == 60


def test_warnings_and_errors_stay(run, data):
    result = run("train", data, "--method", "em", "--max-iter", "1", "--tol", "0", "-q")
    assert result.stdout == ""
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["warning"]
    assert run("predict", "nowhere", data, "-q").stderr.startswith("error: no model file")


def test_a_quiet_bar_stays_hidden(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("leaven._base.bars.PATIENCE", -1.0)
    bars = Bars(is_shown=False)
    bars("EM", 3, 100)
    bars.stop()
    assert terminal.getvalue() == ""


@pytest.fixture
def environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return monkeypatch


def test_colours_are_for_terminals(environment):
    assert has_colors(Terminal())
    assert not has_colors(io.StringIO())


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("NO_COLOR", "1", False),
        ("NO_COLOR", "", True),
        ("TERM", "dumb", False),
    ],
)
def test_the_environment_decides_about_terminals(environment, name, value, wanted):
    environment.setenv(name, value)
    assert has_colors(Terminal()) is wanted


def test_colours_can_be_forced(environment):
    environment.setenv("FORCE_COLOR", "1")
    assert has_colors(io.StringIO())
    environment.setenv("NO_COLOR", "1")
    assert not has_colors(io.StringIO())


def test_errors_and_warnings_are_marked_on_terminals(environment):
    terminal = Terminal()
    environment.setattr(sys, "stderr", terminal)
    with Talk():
        warnings.warn("take care", UserWarning, stacklevel=1)
    with pytest.raises(typer.Exit), Talk():
        raise ValueError("it failed")
    lines = terminal.getvalue().splitlines()
    assert lines == [f"{YELLOW}warning:{PLAIN} take care", f"{RED}error:{PLAIN} it failed"]
