"""``leaven errors``: labels that may be wrong."""

import csv
import json

import pyarrow.parquet as pq
import pytest


@pytest.fixture
def mislabeled(rows, make_csv):
    """Sixty documents, 45 of them labeled, two of them wrongly."""
    own = rows(60, 15)
    own[6]["label"], own[10]["label"] = "sport", "baking"  # baking and space
    return make_csv(own)


def test_wrong_labels_are_listed_with_their_texts(run, mislabeled):
    result = run("errors", mislabeled, "--method", "nb")
    assert result.exit_code == 0, result.stderr
    assert "2 of 45 labels are disputed: nb, trained on the other labels" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["7", "sport", "baking"] in [line[:3] for line in lines]
    assert ["11", "baking", "space"] in [line[:3] for line in lines]
    with mislabeled.open() as file:
        text = list(csv.DictReader(file))[6]["text"]
    assert text in result.stdout


def test_all_columns_are_written(run, mislabeled):
    result = run("errors", mislabeled, "--method", "nb", "-n", "1", "-o", "out.parquet")
    assert result.exit_code == 0, result.stderr
    assert "wrote out.parquet: 2 documents with a disputed label" in result.stderr
    assert "1 of 2 shown; -n shows more, -o writes all" in result.stdout
    table = pq.read_table("out.parquet")
    assert table.column_names == [
        "id", "text", "label", "suggested", "probability", "label_probability",
    ]  # fmt: skip
    rows = table.to_pylist()
    assert {row["id"]: row["suggested"] for row in rows} == {"6": "baking", "10": "space"}
    odds = [row["probability"] / row["label_probability"] for row in rows]
    assert odds == sorted(odds, reverse=True)


def test_json(run, mislabeled):
    found = json.loads(run("errors", mislabeled, "--method", "nb", "--json", "-n", "1").stdout)
    assert (found["n_labeled"], found["n_held_out"], found["n_splits"]) == (45, 45, 5)
    assert (found["method"], found["n_disputed"], found["warnings"]) == ("nb", 2, [])
    (first,) = found["disputed"]
    assert set(first) == {
        "document", "label", "suggested", "probability", "label_probability", "text",
    }  # fmt: skip
    assert first["document"] in (7, 11)


def test_output_to_standard_output_is_only_the_table(run, mislabeled):
    result = run("errors", mislabeled, "--method", "nb", "-o", "-")
    assert result.exit_code == 0, result.stderr
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert sorted(row["id"] for row in rows) == ["10", "6"]


def test_json_and_rows_do_not_mix(run, mislabeled):
    result = run("errors", mislabeled, "-o", "-", "--json")
    assert result.exit_code == 2
    assert "would both write to standard output" in result.stderr


def test_documents_without_a_known_word_are_counted(run, rows, make_csv):
    own = rows(45, 15)
    own[3]["text"] = "xyzzy"
    result = run("errors", make_csv(own), "--method", "nb")
    assert "1 labeled document contains no known word and could not be checked" in result.stdout


def test_nothing_disputed_is_an_empty_table(run, rows, make_csv):
    result = run("errors", make_csv(rows(45, 15)), "--method", "nb", "-o", "out.csv")
    assert result.exit_code == 0, result.stderr
    assert "0 of 45 labels are disputed" in result.stdout
    with open("out.csv", newline="") as file:
        assert list(csv.DictReader(file)) == []


def test_a_label_that_no_other_document_has_is_counted(run, rows, make_csv):
    own = rows(45, 15)
    own[0]["label"] = "alone"
    result = run("errors", make_csv(own), "--method", "nb")
    assert "1 label could not be checked: no other document has that class" in result.stdout


def test_columns_of_the_same_name_are_kept(run, rows, make_csv):
    own = [{**row, "suggested": "mine"} for row in rows(45, 15)]
    own[6]["label"] = "sport"
    run("errors", make_csv(own), "--method", "nb", "-o", "out.jsonl")
    with open("out.jsonl") as file:
        (row,) = map(json.loads, file)
    assert (row["suggested"], row["suggested_2"]) == ("mine", "baking")


def test_long_texts_are_shortened_to_one_line(run, rows, make_csv):
    own = rows(45, 15)
    own[6]["label"] = "sport"
    own[6]["text"] = "\n".join([own[6]["text"]] * 100)
    result = run("errors", make_csv(own), "--method", "nb")
    (line,) = [line for line in result.stdout.splitlines() if line.strip().startswith("7 ")]
    assert line.endswith("…")
    assert len(line) <= 200


def test_documents_without_labels_are_refused(run, rows, make_csv):
    result = run("errors", make_csv(rows(6, 0)))
    assert result.exit_code == 1
    assert "error: no document in" in result.stderr
