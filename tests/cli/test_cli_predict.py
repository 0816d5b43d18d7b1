import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from leaven.classifier._model_file import load_model


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predict_keeps_all_columns_and_adds_three(run, model, held_out):
    result = run("predict", model, held_out)
    assert result.exit_code == 0, result.stderr
    rows = table(result.stdout)
    assert list(rows[0]) == ["id", "text", "label", "predicted", "probability", "note"]
    assert [row["predicted"] for row in rows] == [row["label"] for row in rows]
    assert all(0 <= float(row["probability"]) <= 1 for row in rows)


def test_predict_agrees_with_the_library(run, model, held_out):
    rows = table(run("predict", model, held_out, "--proba").stdout)
    expected = load_model(model).predict_proba([row["text"] for row in rows])
    found = [[float(row[f"p_{name}"]) for name in ("baking", "space", "sport")] for row in rows]
    assert found == pytest.approx(expected.round(6))


def test_predict_needs_no_label_column(run, model, make_csv):
    path = make_csv([{"review": "yeast dough bread"}])
    assert table(run("predict", model, path).stdout)[0]["predicted"] == "baking"


def test_predict_never_overwrites_a_column(run, model, make_csv):
    path = make_csv([{"text": "yeast dough bread", "predicted": "mine", "probability": "x"}])
    (row,) = table(run("predict", model, path).stdout)
    assert row["predicted"] == "mine"
    assert row["predicted_2"] == "baking"
    assert row["probability"] == "x"
    assert float(row["probability_2"]) > 0.5


def test_predict_prints_json_lines(run, model, held_out):
    result = run("predict", model, held_out, "--json", "--proba")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == 30
    assert lines[0]["predicted"] == "baking"
    assert set(lines[0]) == {
        "id", "text", "label", "predicted", "probability", "note",
        "p_baking", "p_space", "p_sport",
    }  # fmt: skip
    assert lines[0]["note"] is None


def test_predict_reads_standard_input(run, model):
    result = run("predict", model, "-", input="yeast dough bread\nplanets orbit stars\n")
    assert [row["predicted"] for row in table(result.stdout)] == ["baking", "space"]


def test_the_ending_of_the_output_tells_its_format(run, model, held_out, tmp_path):
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        result = run("predict", model, held_out, "-o", name)
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
        assert f"wrote {name}: 30 documents" in result.stderr
    from_csv = [row["predicted"] for row in table((tmp_path / "out.csv").read_text())]
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["predicted"] for line in lines] == from_csv
    assert pq.read_table(tmp_path / "out.parquet")["predicted"].to_pylist() == from_csv


def test_predict_into_a_file_sums_up_as_json(run, model, held_out):
    summary = json.loads(run("predict", model, held_out, "-o", "out.csv", "--json").stdout)
    assert summary["n_documents"] == 30
    assert summary["predicted"] == {"baking": 10, "space": 10, "sport": 10}


def test_unseen_words_are_a_warning(run, model, make_csv):
    result = run("predict", model, make_csv([{"text": "xyzzy plugh"}]))
    assert result.exit_code == 0
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("warning: ")]
    assert "1 of 1 documents contains no word of the model's vocabulary" in line


def test_model_and_data_cannot_both_be_standard_input(run):
    result = run("predict", "-", "-")
    assert result.exit_code == 2
    assert "standard input" in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.leaven", None, "no model file at 'missing.leaven'"),
        ("foreign.leaven", b"not a model at all", "is not a leaven model"),
        ("empty.leaven", b"", "is not a leaven model"),
    ],
)
def test_a_bad_model_file_gives_one_sentence(run, held_out, tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = run("predict", name, held_out)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_text_column_that_is_not_there_lists_the_columns(run, model, held_out):
    result = run("predict", model, held_out, "--text", "body")
    assert result.exit_code == 1
    assert "'id', 'text', 'label'" in result.stderr


def test_csv_has_the_delimiter_of_the_input_and_a_mark_if_asked_for(run, model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text('id;text\n1;yeast dough bread\n2;"orbit; moon"\n')
    for options in ([], ["--stream"]):
        run("predict", model, path, "-o", tmp_path / "out.csv", "--bom", *options)
        content = (tmp_path / "out.csv").read_bytes().decode()
        assert content.startswith(
            "\ufeffid;text;predicted;probability;note\n1;yeast dough bread;baking;"
        )
    run("predict", model, path, "-o", tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text().startswith("id\ttext\tpredicted\t")
    result = run("predict", model, path, "-o", tmp_path / "out.xlsx")
    assert "write .csv, with --bom" in result.stderr
    run("predict", model, path, "-o", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())[0]["predicted"] == "baking"


def test_columns_are_joined_and_files_without_a_header_read(run, model, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("1,yeast,dough bread\n2,orbit,moon\n")
    result = run("predict", model, path, "--no-header", "--text", "2,3")
    assert [row["predicted"] for row in table(result.stdout)] == ["baking", "space"]
