"""``leaven train --audited``: from a file that a labeling page exported to a report."""

import json

import pytest

from .conftest import make_rows, write_csv


@pytest.fixture
def labeled(tmp_path):
    """A file of sixty labels, every fourth an audit, and unlabeled documents."""
    rows = make_rows(120, 20)
    for i, row in enumerate(rows):
        row["label_chosen"] = "" if not row["label"] else "audit" if i % 4 == 1 else "chosen"
    return write_csv(tmp_path / "labeled.csv", rows)


@pytest.mark.parametrize("where", [[], ["--stream"]])
def test_training_prints_and_stores_what_the_estimate_rests_on(run, labeled, where):
    result = run("train", labeled, "--audited", "label_chosen", "--method", "nb", *where)
    assert result.exit_code == 0, result.stderr
    assert "estimated from 15 audited labels)" in result.stdout
    shown = run("info", "model.leaven")
    assert "estimated from 15 audited labels)" in shown.stdout
    about = json.loads(run("info", "model.leaven", "--json").stdout)
    assert about["report"]["expected_accuracy"]["n_audited"] == 15


def test_json_has_the_number_of_audits(run, labeled):
    result = run("train", labeled, "--audited", "label_chosen", "--method", "nb", "--json")
    found = json.loads(result.stdout)["expected_accuracy"]
    assert (found["n_audited"], found["n_held_out"], found["n_audits_needed"]) == (15, 15, 0)


def test_too_few_audits_are_reported(run, labeled):
    rows = make_rows(60, 8)
    for i, row in enumerate(rows):
        row["how"] = "yes" if i < 4 else "no"
    path = write_csv(labeled.parent / "few.csv", rows)
    result = run("train", path, "--audited", "how", "--method", "nb")
    assert "expected accuracy unknown: an estimate would rest on chosen labels" in result.stdout
    assert "label 6 more documents drawn at random (4 audited, 10 needed)" in result.stdout


def test_a_missing_column_is_one_line(run, labeled):
    result = run("train", labeled, "--audited", "audits", "--method", "nb")
    assert result.exit_code == 1
    assert "has no column 'audits' that says which labels are audits" in " ".join(
        result.stderr.split()
    )
