"""Nothing is overwritten that is an input, or something else than a command writes."""

import os
import shutil
from pathlib import Path

import pytest

from leaven.classifier._model_file import is_model

REFUSED = "would be overwritten; choose another name, or add --force"
NB = ("--method", "nb", "--no-calibrate", "--no-check")


def refused(result, path, before, reason):
    """Whether a command ended with one line that names the reason, and changed nothing."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert reason in line
    assert line.endswith(REFUSED)
    assert path.read_bytes() == before


def link(path, name):
    path.with_name(name).symlink_to(path)
    return path.with_name(name)


def hard_link(path, name):
    os.link(path, path.with_name(name))
    return path.with_name(name)


def test_training_does_not_replace_its_data(run, data):
    before = data.read_bytes()
    refused(run("train", data, "-o", data, *NB), data, before, "is also an input")


@pytest.mark.parametrize("make", [link, hard_link])
def test_data_are_found_behind_links(run, data, make):
    before = data.read_bytes()
    other = make(data, "other.csv")
    refused(run("train", data, "-o", other, *NB), data, before, "'")
    refused(run("train", other, "-o", data, *NB), data, before, "is also an input")


@pytest.mark.parametrize("make", [link, hard_link])
def test_predicting_does_not_replace_its_input(run, model, held_out, make):
    before = held_out.read_bytes()
    other = make(held_out, "other.csv")
    for read, written in ((held_out, held_out), (held_out, other), (other, held_out)):
        for more in ((), ("--stream",)):
            result = run("predict", model, read, "-o", written, *more)
            refused(result, held_out, before, "is also an input")


def test_inputs_are_found_in_patterns_and_folders(run, model, held_out, tmp_path):
    folder = tmp_path / "folder" / "deep"
    folder.mkdir(parents=True)
    copied = folder / "a.csv"
    shutil.copy(held_out, copied)
    before = copied.read_bytes()
    for given in ("folder/*/*.csv", "folder/**/*.csv", "folder/deep", "folder", folder):
        refused(run("predict", model, given, "-o", copied), copied, before, "is also an input")


def test_a_file_named_like_a_pattern_is_a_file(run, model, held_out):
    odd = held_out.with_name("a[1].csv")
    shutil.copy(held_out, odd)
    refused(run("predict", model, odd, "-o", odd), odd, odd.read_bytes(), "is also an input")


def test_forced_predictions_replace_their_input(run, model, held_out):
    n_lines = len(held_out.read_text().splitlines())
    for more in ((), ("--stream",)):
        assert run("predict", model, held_out, "-o", held_out, "--force", *more).exit_code == 0
        assert len(held_out.read_text().splitlines()) == n_lines
    header = held_out.read_text().splitlines()[0]
    added = "predicted,probability,note"
    assert header == f"id,text,label,{added},predicted_2,probability_2,note_2"


def test_a_model_replaces_only_models_and_empty_files(run, data, tmp_path):
    notes = tmp_path / "notes.leaven"
    notes.write_text("my notes")
    before = notes.read_bytes()
    # Refused before anything is read.
    for given in (data, "nowhere.csv"):
        result = run("train", given, "-o", notes, *NB)
        refused(result, notes, before, "exists and is not a leaven model")
    assert run("train", data, "-o", notes, *NB, "--force").exit_code == 0
    assert is_model(notes)
    assert run("train", data, "-o", notes, *NB).exit_code == 0
    (tmp_path / "empty").touch()
    assert run("train", data, "-o", "empty", *NB).exit_code == 0


def test_a_model_of_a_later_version_or_damaged_is_still_a_model(model, tmp_path):
    content = model.read_bytes()
    assert is_model(model)
    path = tmp_path / "m"
    for changed, wanted in (
        (content[:-50], True),
        (content.replace(b'\\"format\\": 3', b'\\"format\\": 9', 1), True),
        (content[:20], False),
        (content[:9] + b"\xff" + content[10:], False),
        (b"text,label\nsome words,a\n", False),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00{}", False),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00[]", False),
        (b"", False),
    ):
        path.write_bytes(changed)
        assert is_model(path) is wanted, changed[:30]


def test_a_model_is_assigned_in_place(run, em_model, tmp_path):
    here = tmp_path / "m.leaven"
    shutil.copy(em_model, here)
    assert run("assign", here, "0=baking", "-o", here).exit_code == 0
    other = tmp_path / "t.csv"
    other.write_text("text\n")
    result = run("assign", here, "0=baking", "-o", other)
    refused(result, other, b"text\n", "exists and is not a leaven model")


def test_a_table_replaces_tables_but_no_model(run, model, held_out, tmp_path):
    assert run("predict", model, held_out, "-o", "out.csv").exit_code == 0
    assert run("predict", model, held_out, "-o", "out.csv").exit_code == 0
    copied = tmp_path / "model.csv"
    shutil.copy(model, copied)
    before = copied.read_bytes()
    refused(run("predict", copied, held_out, "-o", copied), copied, before, "is also an input")
    refused(run("predict", model, held_out, "-o", copied), copied, before, "is a leaven model")


@pytest.mark.parametrize(
    "command", [("evaluate", "MODEL"), ("compare",), ("diagnose",)], ids=lambda c: c[0]
)
def test_a_plot_replaces_only_pictures(run, model, held_out, tmp_path, command):
    args = [model if each == "MODEL" else each for each in command]
    thesis = tmp_path / "thesis.svg"
    thesis.write_text("a text\n")
    result = run(*args, held_out, "--plot", thesis)
    refused(result, thesis, b"a text\n", "exists and is not a picture")
    data = tmp_path / "data.png"
    shutil.copy(held_out, data)
    result = run(*args, data, "--format", "csv", "--plot", data)
    refused(result, data, held_out.read_bytes(), "is also an input")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_plot_replaces_its_earlier_version(run, model, held_out, ending):
    for _ in range(2):
        assert run("evaluate", model, held_out, "--plot", f"x.{ending}").exit_code == 0


def test_the_plot_of_an_evaluation_is_checked_like_others(run, model, held_out):
    result = run("evaluate", model, held_out, "--plot", "x.doc")
    assert "error: plots are written as .png, .svg, .pdf, got 'x.doc'" in result.stderr


@pytest.mark.parametrize("option", ["-o", "--plot", "--csv"])
def test_the_demo_replaces_nothing_else(run, model, tmp_path, option):
    path = tmp_path / {"-o": "m.leaven", "--plot": "p.png", "--csv": "t.csv"}[option]
    before = model.read_bytes() if option == "--csv" else b"something else"
    path.write_bytes(before)
    refused(run("demo", option, path), path, before, "is")


def test_devices_are_written_to(run, model, held_out):
    assert run("predict", model, held_out, "-o", os.devnull, "--json").exit_code in (0, 1)
    assert "would be overwritten" not in run("train", held_out, "-o", os.devnull, *NB).stderr


def test_labeling_refuses_at_once_to_save_its_model_over_the_data(run, data):
    before = Path(data).read_bytes()
    result = run("label", data, "-o", data, "--no-browser")
    assert result.exit_code == 1
    assert result.stderr.startswith("error:")
    assert result.stderr.count("\n") == 1
    assert "--force" in result.stderr
    assert Path(data).read_bytes() == before
    assert not Path(f"{data}.labels.sqlite").exists()
