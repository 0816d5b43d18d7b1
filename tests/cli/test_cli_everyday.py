"""What people do with files of their own: several columns, other columns, other labels."""

import json

import pytest

NB = ("--method", "nb", "--no-calibrate", "--no-check")


@pytest.fixture
def tickets(tmp_path, rows):
    """A file of two text columns, a model of both, and the rows."""
    path = tmp_path / "tickets.csv"
    made = rows(40, 10)
    lines = [f"{row['text'].split()[0]},{row['text']},{row['label']}" for row in made]
    path.write_text("subject,body,label\n" + "\n".join(lines) + "\n")
    return path, made


def test_columns_given_one_by_one_are_joined_too(run, tickets):
    path, _ = tickets
    fits = [
        json.loads(run("train", path, *columns, *NB, "--json").stdout)
        for columns in (("--text", "subject,body"), ("--text", "subject", "--text", "body"))
    ]
    assert [fit["data"]["text"] for fit in fits] == [["subject", "body"]] * 2


def test_other_columns_than_those_of_the_model_are_warned_about(run, tickets, tmp_path):
    path, made = tickets
    assert run("train", path, "--text", "subject,body", *NB, "-o", "m.leaven").exit_code == 0
    assert "trained on" not in run("predict", "m.leaven", path).stderr
    other = tmp_path / "other.csv"
    other.write_text(f"message\n{made[0]['text']}\n")
    for more in ((), ("--stream",)):
        result = run("predict", "m.leaven", other, *more)
        assert result.exit_code == 0
        assert "trained on the text in 'subject' and 'body', which" in result.stderr
        assert "'message' is read instead" in result.stderr
    assert "trained on" not in run("predict", "m.leaven", other, "--text", "message").stderr


def test_labels_that_are_all_unknown_are_refused(run, model, tmp_path):
    path = tmp_path / "german.csv"
    path.write_text("text,label\nyeast dough bread,Backen\norbit moon,Weltraum\n")
    result = run("evaluate", model, path)
    assert result.exit_code == 1
    assert "none of the labels" in result.stderr
    assert "'Backen', …, the model 'baking', …" in result.stderr


def test_blank_rows_do_not_make_a_training_file_fit_for_evaluation(run, tmp_path, rows):
    path = tmp_path / "t.csv"
    lines = [f"{row['text']},{row['label']}" for row in rows(40, 40)]
    path.write_text("text,label\n" + "\n".join([*lines, ",baking", " ,space"]) + "\n")
    assert run("train", path, *NB, "-o", "m.leaven").exit_code == 0
    result = run("evaluate", "m.leaven", path)
    assert result.exit_code == 1
    assert "were used in training" in result.stderr


def test_a_misspelled_column_is_suggested(run, tickets):
    path, _ = tickets
    assert "did you mean 'body'?" in run("train", path, "--text", "Boddy").stderr


def test_the_report_says_which_column_was_detected(run, tickets):
    path, _ = tickets
    shown = run("train", path, "--label", "label", *NB).stdout
    assert "text 'body' (detected from column names), label 'label'; CSV" in shown
    shown = run("train", path, *NB).stdout
    assert "text 'body', label 'label' (detected from column names); CSV" in shown


def test_without_unlabeled_documents_nothing_is_said_about_them(run, tmp_path, rows):
    path = tmp_path / "labels.csv"
    lines = [f"{row['text']},{row['label']}" for row in rows(40, 40)]
    path.write_text("text,label\n" + "\n".join(lines) + "\n")
    shown = run("train", path).stdout
    assert "all documents are labeled: " in shown
    assert "unlabeled text" not in shown


def test_warnings_are_mentioned_again_at_the_end(run, tmp_path, rows):
    path = tmp_path / "t.csv"
    lines = [f"{row['text']},{row['label'] or '?'}" for row in rows(40, 10)]
    path.write_text("text,label\n" + "\n".join(lines) + "\n")
    said = run("train", path, *NB).stderr
    assert said.startswith("warning: ")
    assert "--unlabeled '?'" in said.splitlines()[0]
    assert said.splitlines()[-1] == "see the warning above"
    assert "above" not in run("train", path, "--unlabeled", "?", *NB, "--force").stderr
