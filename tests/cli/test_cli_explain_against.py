"""``leaven explain --against``: the words that changed most from one model to another."""

import json
import re

import pytest

from cli.conftest import WORDS, make_rows, train_model
from leaven import load

CELL = re.compile(r"(\S+) +(\d+\.\d) % → +(\d+\.\d) %")


@pytest.fixture(scope="module")
def supervised(tmp_path_factory):
    return train_model(tmp_path_factory.mktemp("supervised"), "--method", "nb")


def sections(shown):
    """The lines below the name of each class."""
    lines = shown.splitlines()
    starts = [lines.index(name) for name in WORDS]
    ends = [*starts[1:], len(lines)]
    return {
        name: lines[start + 1 : end] for name, start, end in zip(WORDS, starts, ends, strict=True)
    }


def test_words_that_rose_are_beside_those_that_fell(run, em_model, supervised):
    result = run("explain", em_model, "--against", supervised, "--words", "4")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("probability of the class, given a document that consists of")
    changed = load(em_model).changed_words(load(supervised), 4)
    for name, (header, _, *rows) in sections(result.stdout).items():
        assert header.split() == ["rose", "before", "→", "after", "fell", "before", "→", "after"]
        found = [CELL.findall(row) for row in rows if row]
        assert len(found) == 4
        for place, sides in enumerate(found):
            own = (changed[name].rose[place], changed[name].fell[place])
            assert sides == [
                (each.word, f"{100 * each.before:.1f}", f"{100 * each.after:.1f}") for each in own
            ]


def test_the_model_is_after_and_the_other_one_before(run, em_model, supervised):
    there = json.loads(run("explain", em_model, "--against", supervised, "--json").stdout)
    back = json.loads(run("explain", supervised, "--against", em_model, "--json").stdout)
    assert there["warnings"] == []
    assert list(there["changed_words"]) == list(WORDS)
    for name, found in there["changed_words"].items():
        assert len(found["rose"]) == len(found["fell"]) == 10
        for each in found["rose"]:
            assert each["difference"] == each["after"] - each["before"] > 0
        assert [each["difference"] for each in back["changed_words"][name]["fell"]] == [
            -each["difference"] for each in found["rose"]
        ]


def test_changed_words_are_those_of_python(run, model, supervised):
    result = run("explain", model, "--against", supervised, "--words", "3", "--json")
    found = json.loads(result.stdout)["changed_words"]
    expected = load(model).changed_words(load(supervised), 3)
    for name, words in expected.items():
        assert [each["word"] for each in found[name]["rose"]] == [own.word for own in words.rose]
        assert [each["before"] for each in found[name]["fell"]] == [
            own.before for own in words.fell
        ]


def test_where_fewer_words_fell_than_rose_cells_are_empty(run, em_model, supervised):
    shown = run("explain", em_model, "--against", supervised, "--words", "1000").stdout
    for rows in sections(shown).values():
        n_cells = [len(CELL.findall(row)) for row in rows if row]
        assert set(n_cells) <= {0, 1, 2}
        assert n_cells[2:] == sorted(n_cells[2:], reverse=True)


def test_changes_too_small_to_be_seen_are_left_out(run, em_model, supervised):
    same = run("explain", em_model, "--against", em_model)
    assert same.exit_code == 0, same.stderr
    assert same.stdout.count("no word changed by 0.05 percentage points or more") == 3
    shown = run("explain", em_model, "--against", supervised, "--words", "1000").stdout
    listed = json.loads(
        run("explain", em_model, "--against", supervised, "--words", "1000", "--json").stdout
    )["changed_words"]
    n_visible = sum(
        abs(each["difference"]) >= 0.0005
        for found in listed.values()
        for each in found["rose"] + found["fell"]
    )
    assert len(CELL.findall(shown)) == n_visible


def test_either_model_can_be_standard_input(run, em_model, supervised):
    expected = run("explain", em_model, "--against", supervised).stdout
    piped = run("explain", "-", "--against", supervised, input=em_model.read_bytes())
    assert piped.stdout == expected
    piped = run("explain", em_model, "--against", "-", input=supervised.read_bytes())
    assert piped.stdout == expected
    both = run("explain", "-", "--against", "-", input=supervised.read_bytes())
    assert both.exit_code == 2
    assert "only one of MODEL and --against can be -" in " ".join(both.stderr.split())


@pytest.mark.parametrize(
    "options",
    [["yeast dough"], ["-"], ["--components"], ["--neighbors"], ["--n-neighbors", "2"]],
)
def test_other_things_to_explain_are_refused(run, em_model, supervised, options):
    result = run("explain", em_model, "--against", supervised, *options, input="dough")
    assert result.exit_code == 2
    message = "--against compares the words of two models; leave out TEXT, --components and"
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_models_that_cannot_be_compared_are_refused_in_one_line(run, em_model, make_csv):
    two_classes = [row for row in make_rows(60, 4) if row["label"] != "sport"]
    data = make_csv([{**row, "label": row["label"].upper()} for row in two_classes])
    assert run("train", data, "-o", "two.leaven", "--method", "nb").exit_code == 0
    result = run("explain", em_model, "--against", "two.leaven")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: the two models must have the same classes, but only the model")
    missing = run("explain", em_model, "--against", "missing.leaven")
    assert missing.exit_code == 1
    (line,) = missing.stderr.splitlines()
    assert "missing.leaven" in line


def test_names_of_classes_cannot_control_the_terminal(run, make_csv):
    rows = [
        {**row, "label": row["label"] and f"\x1b[31m{row['label']}"} for row in make_rows(60, 4)
    ]
    data = make_csv(rows)
    for method in ("nb", "em"):
        assert run("train", data, "-o", f"{method}.leaven", "--method", method).exit_code == 0
    shown = run("explain", "em.leaven", "--against", "nb.leaven").stdout
    assert "\x1b" not in shown
    assert "\\x1b[31mbaking" in shown
