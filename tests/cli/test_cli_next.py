"""Every command that leaven train prints works as it is printed."""

import json
import shlex

import pytest

NB = ("--method", "nb", "--no-calibrate", "--no-check")


def commands_in(result):
    """The commands after ``Next:``, as a shell would split them."""
    assert result.exit_code == 0, result.stderr
    lines = result.stderr.partition("Next:\n")[2].splitlines()
    commands = [shlex.split(line) for line in lines if line.startswith("  leaven ")]
    assert [command[1] for command in commands] == ["explain", "predict", "evaluate"]
    return [command[1:] for command in commands]


def check_all_work(run, result):
    for command in commands_in(result):
        done = run(*command)
        assert done.exit_code == 0, (command, done.stderr)


def write_held_out(rows, tmp_path):
    """Labeled documents, more than those of the training."""
    write(tmp_path / "held-out.csv", rows(60, 20))


def write(path, rows, columns=("text", "label"), encoding="utf-8", delimiter=","):
    lines = [delimiter.join(columns)]
    lines += [delimiter.join([row["text"], row["label"]]) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding=encoding)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("reviews.csv", ()),
        ("my reviews.csv", ("--text", "The text", "--label", "the label")),
        ("-reviews.csv", ("--text", "The text", "--label", "the label")),
        ("predicted.csv", ()),
        ("reviews.data", ("--format", "csv")),
        ("reviews.csv", ("--encoding", "utf-16")),
        ("reviews.csv", ("--stream",)),
    ],
    ids=str,
)
def test_commands_work_as_printed(run, rows, tmp_path, name, options):
    columns = ("The text", "the label") if "--text" in options else ("text", "label")
    encoding = "utf-16" if "--encoding" in options else "utf-8"
    for file, n_labeled in ((name, 4), ("held-out.csv", 20)):
        write(tmp_path / file, rows(60, n_labeled), columns, encoding)
    result = run("train", *options, *NB, "-o", "my model", "--", name)
    check_all_work(run, result)
    shown = " ".join(commands_in(result)[1])
    assert "--text" not in shown
    assert ("--stream" in shown) is ("--stream" in options)


def test_predict_names_the_same_files(run, rows, tmp_path):
    write_held_out(rows, tmp_path)
    for name in ("a.csv", "b.csv"):
        write(tmp_path / name, rows(60, 4))
    result = run("train", "a.csv", "b.csv", *NB)
    check_all_work(run, result)
    predict = ["predict", "model.leaven", "a.csv", "b.csv", "-o", "predicted.csv"]
    assert commands_in(result)[1] == predict
    assert len((tmp_path / "predicted.csv").read_text().splitlines()) == 121
    many = [tmp_path / f"{i}.csv" for i in range(5)]
    for path in many:
        write(path, rows(60, 4))
    assert commands_in(run("train", *many, *NB))[1][2:-2] == [str(many[0])]


def test_patterns_and_folders_are_predicted_again(run, rows, tmp_path):
    (tmp_path / "parts").mkdir()
    write_held_out(rows, tmp_path)
    for name in ("parts/a.csv", "parts/b.csv"):
        write(tmp_path / name, rows(60, 4))
    for given in ("parts/*.csv", "parts"):
        check_all_work(run, run("train", given, *NB))
    for row in rows(12, 4):
        folder = tmp_path / "classes" / row["label"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{row['id']}.txt").write_text(row["text"])
    check_all_work(run, run("train", "classes", *NB))


def test_bad_files_are_skipped_again(run, rows, tmp_path):
    write_held_out(rows, tmp_path)
    for name in ("a.csv",):
        write(tmp_path / name, rows(60, 4))
    (tmp_path / "b.csv").write_bytes(b"")
    result = run("train", "a.csv", "b.csv", "--skip-bad-files", *NB)
    check_all_work(run, result)
    assert "--skip-bad-files" in commands_in(result)[1]


def test_standard_input_leaves_a_name_to_fill_in(run, data):
    result = run("train", "-", *NB, input=data.read_bytes())
    assert commands_in(result)[1][1:3] == ["model.leaven", "new.csv"]
    assert "held-out.csv stands for labeled documents" in result.stderr


def test_the_report_names_the_columns_that_were_used(run, rows, tmp_path):
    write(tmp_path / "t.csv", rows(60, 4), ("body", "topic"))
    printed = run("train", "t.csv", "--label", "topic", *NB)
    (line,) = [line for line in printed.stdout.splitlines() if line.startswith("read ")]
    assert all(name in line for name in ("t.csv", "body", "topic"))
    assert line in run("info", "model.leaven").stdout.splitlines()
    found = json.loads(run("train", "t.csv", "--label", "topic", *NB, "--json").stdout)
    assert (found["data"]["text"], found["data"]["label"]) == ("body", "topic")
