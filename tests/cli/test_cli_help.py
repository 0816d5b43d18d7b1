"""Help is grouped, short and free of the names of Python types."""

import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from leaven.cli import app
from leaven.cli._help import ADVANCED, DATA, METHOD, ORDER, OUTPUT, TEXT, WHERE

COMMANDS = [command.name for command in app.registered_commands]
RUN = [sys.executable, "-c", "from leaven.cli import main; main()"]


def help_of(*args, width=80):
    environment = {"COLUMNS": str(width), "TERM": "dumb", "NO_COLOR": "1"}
    result = CliRunner().invoke(
        app, [*args, "--help"], prog_name="leaven", env=environment, terminal_width=width
    )
    assert result.exit_code == 0
    return result.stdout


def sections(shown):
    """Title of each section and the options or names in it."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in shown.splitlines():
        if re.fullmatch(r"[A-Z].*:", line):
            title = line[:-1]
            found[title] = []
        elif title and re.match(r"  \S", line):
            found[title].append(line.split("  ")[1].split()[0].rstrip(","))
    return found


def test_options_of_train_are_in_groups():
    found = sections(help_of("train"))
    assert [title for title in found if title in ORDER] == [
        DATA, METHOD, TEXT, WHERE, OUTPUT, ADVANCED,
    ]  # fmt: skip
    assert {"--text", "--label", "--encoding", "--skip-bad-files"} <= set(found[DATA])
    assert {"--stream", "--dask", "--cache", "--threads"} == set(found[WHERE])
    kept = ["--keep-documents", "--keep-excerpts"]
    assert found[OUTPUT] == ["-o", *kept, "--force", "--json", "-q", "-h"]
    assert "--method" in found[METHOD]
    assert {"--alpha", "--beta-start", "--option"} <= set(found[ADVANCED])
    assert found["Methods"][:3] == ["auto", "nb", "em"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_group(name):
    found = sections(help_of(name))
    if len(found) > 2:  # more than arguments and options
        assert "Options" not in found, found


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_no_names_of_types_and_fits(name):
    shown = help_of(*filter(None, [name]))
    assert not re.search(r"<(list|str|int|float)|default: \(|x>=|\{DATA\}|…\.\.\.", shown)
    assert "[required]" not in shown.partition("Arguments:")[2].partition("\n\n")[0]
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_summary_of_every_command_is_whole(width):
    shown = help_of(width=width)
    assert "..." not in shown.partition("Commands:")[2]
    listed = " ".join(shown.split())
    for command in app.registered_commands:
        summary = " ".join(command.callback.__doc__.partition("\n\n")[0].split())
        assert f"{command.name} {summary}" in listed
    if width == 80:
        assert len(shown.partition("Commands:\n")[2].splitlines()) == len(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_whole_lines(name):
    shown = help_of(name, width=60)
    documented = [command.callback.__doc__ for command in app.registered_commands]
    examples = re.findall(r"Example: (leaven .*)", documented[COMMANDS.index(name)])
    assert examples
    for example in examples:
        assert f"    {example}" in shown.splitlines()


def test_help_and_options_say_nothing_odd():
    shown = " ".join(help_of(*filter(None, [name])) for name in ["", *COMMANDS])
    for phrase in ("verb", "of the say", "drew", "as meant", "is dear", "found by its name"):
        assert phrase not in shown


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="shells are POSIX's")
def test_shells_complete_commands_options_and_methods():
    def completed(line):
        words = line.split(" ")
        environment = {
            **os.environ,
            "_LEAVEN_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        }
        done = subprocess.run(RUN, capture_output=True, text=True, check=True, env=environment)
        return done.stdout.split()

    assert completed("leaven ev") == ["evaluate"]
    assert completed("leaven train --stop") == ["--stop-words"]
    assert completed("leaven train --method two") == ["two-view"]
