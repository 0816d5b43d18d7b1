"""``leaven suggest``: documents to label next, with and without labels or a model."""

import csv
import json
import subprocess
import sys

import pytest


def suggested(result):
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["suggested"]


@pytest.fixture
def unlabeled(rows, make_csv):
    return make_csv([{"id": row["id"], "text": row["text"]} for row in rows(60, 0)], "plain.csv")


def test_the_first_documents_are_typical(run, unlabeled):
    found = suggested(run("suggest", unlabeled, "-n", "6", "--json"))
    assert len({each["document"] for each in found}) == 6
    assert {each["why"] for each in found} == {"typical"}
    assert {each["predicted"] for each in found} == {None}
    assert {(each["document"] - 1) % 3 for each in found} == {0, 1, 2}
    assert all(each["text"] for each in found)


def test_a_table_is_printed_for_people(run, data, unlabeled):
    cold = run("suggest", unlabeled, "-n", "4").stdout
    assert cold.splitlines()[0].split() == ["document", "why", "text"]
    assert len(cold.splitlines()) >= 5
    warm = run("suggest", data, "-n", "4").stdout
    assert warm.splitlines()[0].split() == ["document", "why", "predicted", "probability", "text"]
    assert "%" in warm


def test_with_labels_a_model_says_what_it_is_unsure_of(run, data, rows):
    found = suggested(run("suggest", data, "-n", "5", "--json", "--method", "nb"))
    labeled = {i + 1 for i, row in enumerate(rows(60, 4)) if row["label"]}
    assert {each["why"] for each in found} == {"uncertain"}
    assert labeled.isdisjoint(each["document"] for each in found)
    assert {each["predicted"] for each in found} <= {"baking", "space", "sport"}
    assert all(0 < each["probability"] <= 1 for each in found)


def test_a_model_suggests_documents_that_it_does_not_know(run, model, data, unlabeled, rows):
    labeled = {i + 1 for i, row in enumerate(rows(60, 4)) if row["label"]}
    for path in (data, unlabeled):
        found = suggested(run("suggest", model, path, "-n", "60", "--json"))
        assert labeled.isdisjoint(each["document"] for each in found)
        assert len(found) == 48
        assert {each["why"] for each in found} == {"uncertain"}


def test_documents_are_written_with_a_column_to_fill_in(run, unlabeled, tmp_path):
    result = run("suggest", unlabeled, "-n", "4", "-o", "to-label.csv")
    assert result.exit_code == 0, result.stderr
    assert "wrote to-label.csv: 4 documents to label" in result.stderr
    with (tmp_path / "to-label.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    columns = ["id", "text", "label", "document", "suggested_because", "predicted", "probability"]
    assert list(found[0]) == columns
    assert [each["label"] for each in found] == [""] * 4
    assert [int(each["id"]) + 1 for each in found] == [int(each["document"]) for each in found]
    refused = run("suggest", unlabeled, "-o", "to-label.csv")
    assert refused.exit_code == 1
    assert "somebody may have filled in its labels" in " ".join(refused.stderr.split())
    assert run("suggest", unlabeled, "-o", "to-label.csv", "--force").exit_code == 0


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet", "out.tsv", "out.csv"])
def test_a_file_with_labels_keeps_its_column_of_labels(run, data, tmp_path, name):
    result = run("suggest", data, "-n", "3", "-o", name, "--method", "nb")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / name).exists()
    if name.endswith("csv"):
        head = (tmp_path / name).read_text().splitlines()[0].split(",")
        assert head == [
            "id",
            "text",
            "label",
            "document",
            "suggested_because",
            "predicted",
            "probability",
        ]


def test_standard_output_has_the_documents_alone(run, unlabeled):
    result = run("suggest", unlabeled, "-n", "2", "-o", "-")
    assert result.exit_code == 0, result.stderr
    assert len(list(csv.DictReader(result.stdout.splitlines()))) == 2


def test_all_documents_have_a_label(run, held_out):
    result = run("suggest", held_out, "--method", "nb")
    assert result.exit_code == 0, result.stderr
    assert "every document has a label" in result.stdout
    assert suggested(run("suggest", held_out, "--method", "nb", "--json")) == []


def test_the_same_seed_suggests_the_same(run, unlabeled):
    first = run("suggest", unlabeled, "-n", "5", "--json", "--seed", "3").stdout
    assert run("suggest", unlabeled, "-n", "5", "--json", "--seed", "3").stdout == first


def test_errors_are_one_line(run, model, unlabeled, data):
    for arguments in (
        ("nothing.csv",),
        (model,),
        (unlabeled, "--text", "body"),
        (data, "-o", "out.xlsx"),
    ):
        result = run("suggest", *arguments)
        assert result.exit_code in (1, 2), arguments
        assert "Traceback" not in result.stderr
        assert result.stdout == ""
    for arguments in (
        (unlabeled, "-n", "0"),
        (unlabeled, "-o", "-", "--json"),
        (data, "--method", "magic"),
    ):
        assert run("suggest", *arguments).exit_code == 2, arguments
    assert "also name the files" in " ".join(run("suggest", model).stderr.split())


# leaven label, as far as no page is opened.


def test_help_says_how_to_label(run):
    result = run("label", "--help")
    assert result.exit_code == 0
    for option in ("--classes", "--port", "--no-browser", "--read-only", "--labels"):
        assert option in result.stdout


WITHOUT_FASTAPI = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "fastapi":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from leaven.cli import main
sys.argv = ["leaven", "label", sys.argv[1]]
main()
"""


def test_without_fastapi_the_error_is_one_sentence(unlabeled):
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_FASTAPI, str(unlabeled)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 1
    assert found.stdout == ""
    said = " ".join(found.stderr.split())
    assert "the labeling page needs fastapi, uvicorn and jinja2; install leaven[web]" in said
    assert "(missing: fastapi)" in said
    assert "Traceback" not in found.stderr


def test_standard_input_needs_a_name_for_its_labels(run):
    result = run("label", "-", input="text\nsome words\n")
    assert result.exit_code == 2
    assert "--labels" in result.stderr


def test_files_that_cannot_be_labeled_are_refused_in_one_line(run, unlabeled, tmp_path):
    (tmp_path / "other.sqlite").write_text("no labels")
    for arguments in (
        ("nothing.csv",),
        (unlabeled, "--method", "magic"),
        (unlabeled, "--labels", "other.sqlite"),
        (unlabeled, "--several-labels", "--method", "two-view"),
        (unlabeled, "--classes", "a,,b"),
    ):
        result = run("label", *arguments, "--no-browser")
        assert result.exit_code in (1, 2), arguments
        assert "Traceback" not in result.stderr
