"""Names of classes, columns and files are shown, and cannot control a terminal."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest
from tests.cli.conftest import make_rows

from leaven import TextClassifier
from leaven._base.printing import printable_lines

TITLE = "\x1b]0;owned\x07space\x1b[31m"
BREAK = "bak\nin\u2028g"
TURNED = "\u202etrops\x9b1m"
EVIL = {"space": TITLE, "baking": BREAK, "sport": TURNED}
MARKUP = {"space": "[red]x[/red]", "baking": ":smile:", "sport": "[/]"}


def write_jsonl(path, rows, names):
    changed = [{**row, "label": names.get(row["label"], row["label"])} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in changed))
    return path


@pytest.fixture
def files(tmp_path):
    def make(names):
        data = write_jsonl(tmp_path / "data.jsonl", make_rows(60, 4), names)
        held = write_jsonl(tmp_path / "held.jsonl", make_rows(30, 30, seed=1), names)
        return data, held

    return make


def shown(result, code=0):
    """What a command printed, free of control characters."""
    assert result.exit_code == code, result.output
    assert result.output == printable_lines(result.output)
    return result.output


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (EVIL, [r"\x1b]0;owned\x07space\x1b[31m", r"bak\nin\u2028g", r"\u202etrops\x9b1m"]),
        (MARKUP, list(MARKUP.values())),
    ],
    ids=["controls", "markup"],
)
def test_classes_are_shown_by_every_command(run, files, names, expected):
    data, held = files(names)
    commands = [
        ("train", data, "-o", "m.leaven"),
        ("train", data, "--method", "em", "-o", "em.leaven"),
        ("info", "m.leaven"),
        ("explain", "m.leaven"),
        ("explain", "m.leaven", "stars and the oven with a goal"),
        ("explain", "em.leaven", "--components"),
        ("evaluate", "m.leaven", held),
        ("evaluate", "m.leaven", held, "--full"),
        ("predict", "m.leaven", held, "-o", "out.csv"),
    ]
    for command in commands:
        printed = shown(run(*command))
        for name in expected:
            assert name in printed, (command, printed)
    own = f"{sorted(names.values()).index(names['sport'])}={names['sport']}"
    assigned = shown(run("assign", "em.leaven", own, "-o", "em2.leaven"))
    assert expected[2] in assigned
    shown(run("compare", data, "--methods", "nb,em"))
    shown(run("diagnose", data))


def test_one_line_stays_one_line(run, files):
    data, _held = files(EVIL)
    lines = shown(run("train", data, "--method", "nb", "-o", "m.leaven")).split("\n")
    assert sum("labeled" in line and line.startswith("  ") for line in lines) == 3
    described = shown(run("info", "m.leaven")).split("\n")
    assert [line for line in lines if "4 labeled" in line] == [
        line for line in described if "4 labeled" in line
    ]


def test_json_keeps_the_names(run, files):
    data, held = files(EVIL)
    names = set(EVIL.values())
    result = json.loads(shown(run("train", data, "-o", "m.leaven", "--json")))
    assert set(result["class_counts"]) == names
    assert set(json.loads(shown(run("info", "m.leaven", "--json")))["classes"]) == names
    assert set(json.loads(shown(run("explain", "m.leaven", "--json")))["top_words"]) == names
    evaluated = json.loads(shown(run("evaluate", "m.leaven", held, "--json")))
    assert set(evaluated["per_class"]) == names


def test_data_on_standard_output_is_not_altered(run, files):
    data, held = files(EVIL)
    assert run("train", data, "-o", "m.leaven").exit_code == 0
    written = run("predict", "m.leaven", held, "-o", "-").stdout
    rows = csv.DictReader(io.StringIO(written, newline=""))
    assert {row["predicted"] for row in rows} == set(EVIL.values())


def test_names_of_files_and_columns_are_escaped(run, files, tmp_path):
    data, _held = files({})
    strange = tmp_path / "a\x1b[2J\nb.jsonl"
    strange.write_bytes(data.read_bytes())
    printed = shown(run("train", strange, "--method", "nb", "-o", "m\x1b[2J.leaven"))
    assert r"saved m\x1b[2J.leaven" in printed
    assert r"a\x1b[2J\nb.jsonl" in printed  # in the commands to run next
    assert r"\x1b[2J" in shown(run("info", "none\x1b[2J.leaven"), 1)
    assert r"\x1b[2J" in shown(run("train", data, "--label", "\x1b[2J"), 1)
    assert r"\x1b[2J" in shown(run("info", "m\x1b[2J.leaven"))


@pytest.mark.parametrize(
    "command",
    [
        ("info", "a", "\x1b[2J"),
        ("\x1b[2J",),
        ("info", "--\x1b[2J"),
        ("train", "x", "--dask", "\x1b"),
    ],
)
def test_complaints_about_usage_are_escaped(run, command):
    result = run(*command)
    assert result.exit_code
    assert result.output == printable_lines(result.output)
    assert r"\x1b" in result.output


def on_terminal(*command):
    """What a command writes to a terminal."""
    leader, follower = pty.openpty()
    program = [sys.executable, "-c", "from leaven.cli import main; main()", *map(str, command)]
    with subprocess.Popen(
        program, stdout=follower, stderr=follower, stdin=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    ) as process:  # fmt: skip
        os.close(follower)
        written = b""
        while True:
            try:
                piece = os.read(leader, 65_536)
            except OSError:  # the other end is closed
                break
            written += piece
    os.close(leader)
    assert process.returncode == 0, written
    return written.decode()


def test_a_terminal_is_controlled_by_us_alone(tmp_path):
    path = tmp_path / "m.leaven"
    texts = [row["text"] for row in make_rows(30, 4)]
    labels = [EVIL.get(row["label"]) for row in make_rows(30, 4)]
    TextClassifier("nb", calibrate=False).fit(texts, labels).save(path)
    written = on_terminal("explain", path, "stars and the oven").replace("\r\n", "\n")
    text = re.sub(r"\x1b\[[0-9;]*m", "", written)
    assert text != written  # there are colors, ours
    assert text == printable_lines(text)
    assert r"\x1b]0;owned\x07space\x1b[31m" in text
