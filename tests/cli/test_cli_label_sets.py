"""Documents with several labels on the command line."""

import csv
import json
import random
import re
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer
from typer.testing import CliRunner

from cli.conftest import COMMON, WORDS, write_csv
from leaven import TextClassifier
from leaven.classifier import FitReport
from leaven.cli import app

NAMES = sorted(WORDS)


def make_sets(n, n_labeled, seed=0):
    """Documents of none, one or two of three labels; the first are labeled."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        labels = draw.sample(NAMES, draw.choice([0, 1, 1, 1, 2]))
        words = [word for name in labels for word in draw.choices(WORDS[name], k=2)]
        words += draw.choices(COMMON, k=4)
        topics = labels if i < n_labeled else None
        rows.append({"id": str(i), "text": " ".join(words), "topics": topics})
    return rows


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def joined(rows, separator):
    """The same rows as CSV has them."""
    found = []
    for row in rows:
        topics = row["topics"]
        text = "" if topics is None else separator.join(topics) or separator
        found.append({**row, "topics": text})
    return found


def train(folder, data, *options):
    path = folder / "sets.leaven"
    arguments = ["train", data, "--label", "topics", "--method", "svm", "-o", path, *options]
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.stderr
    return path, result


@pytest.fixture(scope="module")
def of_lists(tmp_path_factory):
    """A model trained on lists of labels, and what was printed."""
    folder = tmp_path_factory.mktemp("lists")
    return train(folder, write_jsonl(folder / "data.jsonl", make_sets(120, 90)))


@pytest.fixture(scope="module")
def of_text(tmp_path_factory):
    """A model trained on text with a separator, and what was printed."""
    folder = tmp_path_factory.mktemp("text")
    data = write_csv(folder / "data.csv", joined(make_sets(120, 90), " | "))
    return train(folder, data, "--label-separator", "|")


@pytest.fixture
def held(tmp_path):
    return write_jsonl(tmp_path / "held.jsonl", make_sets(60, 50, seed=1))


def output_of(result):
    assert result.exit_code == 0, result.stderr
    return result.stdout


def predicted_in(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    if path.suffix == ".json":
        return json.loads(path.read_text())
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def test_several_labels_are_lists_or_text(run, tmp_path, of_lists, of_text, held):
    expected = None
    for (model, _), separator in ((of_lists, ";"), (of_text, "|")):
        for ending in ("jsonl", "json", "parquet", "csv", "tsv"):
            output = tmp_path / f"out.{ending}"
            output_of(run("predict", model, held, "-o", output, "--force"))
            found = [row["predicted"] for row in predicted_in(output)]
            if ending in ("csv", "tsv"):
                assert separator in found  # no label
                found = [[name for name in text.split(separator) if name] for text in found]
            expected = expected or found
            assert found == expected
    assert [] in expected
    assert any(len(labels) > 1 for labels in expected)


def test_predictions_can_be_read_as_labels(run, tmp_path, of_text, held):
    model, _ = of_text
    for ending in ("csv", "jsonl"):
        output = tmp_path / f"out.{ending}"
        output_of(run("predict", model, held, "-o", output))
        again = output_of(run("evaluate", model, output, "--label", "predicted", "--json"))
        assert json.loads(again)["exact_match"] == 1.0
        assert json.loads(again)["n_documents"] == 60


@pytest.mark.parametrize("how", [[], ["--stream"]])
def test_other_columns_of_predictions(run, tmp_path, of_lists, held, how):
    more = ["--top", "2", "--proba", "--neighbors", "2", "--min-probability", "0.9", *how]
    output_of(run("predict", of_lists[0], held, "-o", "out.jsonl", *more))
    rows = predicted_in(tmp_path / "out.jsonl")
    for row in rows:
        p = {name: row[f"p_{name}"] for name in NAMES}
        chosen = [name for name in NAMES if p[name] > 0.5]
        together = 1.0
        for name in NAMES:
            together *= p[name] if name in chosen else 1 - p[name]
        assert row["probability"] == pytest.approx(together, abs=1e-5)
        assert row["predicted"] == (chosen if row["probability"] >= 0.9 else None)
        assert row["top1"] == max(p, key=p.get)
        assert row["top1_probability"] == max(p.values())
    assert {row["note"] for row in rows} == {None, "undecided"}
    assert all(row["neighbors"].count(";") == 1 for row in rows)


def test_the_summary_counts_documents_for_each_label(run, tmp_path, of_lists, held):
    result = run("predict", of_lists[0], held, "-o", "out.jsonl")
    sets = [row["predicted"] for row in predicted_in(tmp_path / "out.jsonl")]
    counts = {name: sum(name in each for each in sets) for name in NAMES}
    assert "wrote out.jsonl: 60 documents" in result.stderr
    for name, count in [*counts.items(), ("no label", sets.count([]))]:
        assert f"{name} {count} ({100 * count / 60:.0f} %)" in result.stderr
    assert f"{sum(counts.values()) / 60:.2f} labels per document" in result.stderr
    summary = json.loads(output_of(run("predict", of_lists[0], held, "-o", "o.csv", "--json")))
    assert summary["predicted"] == counts
    assert summary["n_documents"] == 60
    assert summary["n_without_label"] == sets.count([])


def test_a_separator_that_no_label_contains_is_written(run, tmp_path):
    rows = [{**row, "topics": [f"{name};" for name in row["topics"]]} for row in make_sets(60, 60)]
    model, _ = train(tmp_path, write_jsonl(tmp_path / "data.jsonl", rows))
    output_of(run("predict", model, tmp_path / "data.jsonl", "-o", "out.csv"))
    found = [row["predicted"] for row in predicted_in(tmp_path / "out.csv")]
    assert any("|" in text and text != "|" for text in found)


def test_evaluate_prints_scores_of_label_sets(run, tmp_path, of_lists, held):
    output_of(run("predict", of_lists[0], held, "-o", "out.jsonl"))
    rows = [row for row in predicted_in(tmp_path / "out.jsonl") if row["topics"] is not None]
    binary = MultiLabelBinarizer(classes=NAMES)
    true, found = (
        binary.fit_transform([row[name] for row in rows]) for name in ("topics", "predicted")
    )
    shown = output_of(run("evaluate", of_lists[0], held))
    exact = 100 * (true == found).all(axis=1).mean()
    assert f"exact match  {exact:.1f} %  (95 % interval" in shown
    assert "50 labeled documents, 10 unlabeled skipped" in shown
    assert f"micro F1  {100 * f1_score(true, found, average='micro'):.1f} %" in shown
    assert f"macro F1  {100 * f1_score(true, found, average='macro'):.1f} %" in shown
    assert f"Hamming loss  {(true != found).mean():.4f}" in shown
    assert f"labels per document  {true.sum() / 50:.2f}, predicted {found.sum() / 50:.2f}" in shown
    assert "exact match if documents below a probability are left undecided" in shown
    assert any(line.startswith("no label ") for line in shown.splitlines())


@pytest.mark.parametrize("errors", ["wrong.csv", "wrong.jsonl"])
def test_memory_and_stream_evaluate_alike(run, tmp_path, of_lists, errors):
    rows = make_sets(80, 80, seed=2)
    for i, row in enumerate(rows):  # wrong on purpose
        row["topics"] = {0: ["zoo"], 1: ["baking"]}.get(i % 8, row["topics"])
    held = write_jsonl(tmp_path / "held.jsonl", rows)
    arguments = ["evaluate", of_lists[0], held, "--json", "--errors", errors, "--force"]
    here = json.loads(output_of(run(*arguments)))
    in_memory = predicted_in(tmp_path / errors)
    there = json.loads(output_of(run(*arguments, "--stream")))
    streamed = predicted_in(tmp_path / errors)
    assert here == there
    assert sorted(in_memory, key=str) == sorted(streamed, key=str)
    assert len(streamed) == here["n_documents"] - round(here["exact_match"] * 80)
    assert here["per_class"]["zoo"]["recall"] == 0
    assert "1 label is not among the classes of the model ('zoo'); their 10 documents" in str(
        here["warnings"]
    )
    if errors.endswith("csv"):
        assert ";" in {row["predicted"] for row in streamed}
    shown = output_of(run("evaluate", of_lists[0], held))
    assert "labels most often missed or wrongly added:" in shown
    assert any(line.split()[:4] == ["zoo", "10", "100.0", "%"] for line in shown.splitlines())


def test_evaluate_refuses_what_label_sets_do_not_have(run, of_lists, held):
    result = run("evaluate", of_lists[0], held, "--plot", "x.png")
    assert result.exit_code == 1
    assert "--plot draws a confusion matrix, but documents of this model can" in result.stderr


def test_a_wanted_exact_match_has_a_threshold(run, tmp_path, of_lists, held):
    more = ["--target-accuracy", "0.8", "--coverage-plot", "c.svg"]
    shown = output_of(run("evaluate", of_lists[0], held, *more))
    assert "at least 80 % exact match" in shown
    assert (tmp_path / "c.svg").exists()


def test_text_without_a_separator_is_explained(run, of_lists, make_csv):
    held = make_csv(joined(make_sets(30, 30, seed=3), "/"))
    result = run("evaluate", of_lists[0], held, "--label", "topics")
    assert "--label-separator divides a text into labels" in result.stderr
    result = run("evaluate", of_lists[0], held, "--label", "topics", "--label-separator", "/")
    assert "warning" not in result.stderr


def test_one_label_and_several_are_not_mixed(run, model, held):
    result = run("evaluate", model, held, "--label", "topics")
    assert result.exit_code == 1
    assert "has documents with several labels, but the model gives each" in result.stderr


def test_train_and_info_describe_label_sets(run, of_lists):
    model, trained = of_lists
    sets = [tuple(sorted(row["topics"])) for row in make_sets(120, 90) if row["topics"] is not None]
    mean = sum(map(len, sets)) / 90
    expected = (
        f"{mean:.2f} labels per labeled document, {len(set(sets))} different label sets, "
        f"{sets.count(())} of these documents have no label"
    )
    informed = output_of(run("info", model))
    for shown in (trained.stdout, informed):
        assert expected in shown.splitlines()
        (line,) = [line for line in shown.splitlines() if line.startswith("expected ")]
        assert re.fullmatch(
            r"expected exact match \d+ % \(\d+–\d+; from \d+ held-out documents\): "
            "the share of documents whose whole label set is correct",
            line,
        )
    assert "documents can be predicted to have several labels, one, or none" in informed
    about = json.loads(output_of(run("info", model, "--json")))
    assert about["format"] == 5
    assert about["decision"]["allows_empty"] is True
    assert about["report"]["label_sets"]["n_sets"] == len(set(sets))


def test_every_document_gets_a_label_if_none_had_none(run, tmp_path):
    rows = [row for row in make_sets(90, 90) if row["topics"]]
    model, trained = train(tmp_path, write_jsonl(tmp_path / "data.jsonl", rows))
    assert "have no label" not in trained.stdout
    informed = output_of(run("info", model))
    assert "several labels; every one gets at least one" in informed
    output_of(run("predict", model, tmp_path / "data.jsonl", "-o", "out.csv"))
    assert all(row["predicted"].strip(";") for row in predicted_in(tmp_path / "out.csv"))


def test_without_held_out_documents_exact_match_is_unknown():
    report = FitReport("svm", "", 4, 2, {"a": 1, "b": 1}, 9, label_sets={"n_sets": 2})
    unknown = {"n_held_out": 0, "low": 0.1, "high": 0.8, "n_study_corpora": 20}
    found = replace(report, expected_accuracy=unknown).expectation
    assert found.startswith("expected exact match unknown: with one label per class")
    assert "other corpora" not in found  # where documents had one label


def test_commands_to_run_next_can_read_the_labels(of_lists, of_text):
    for (model, trained), name in ((of_lists, "held-out.jsonl"), (of_text, "held-out.csv")):
        lines = trained.stderr.splitlines()
        assert f"  leaven evaluate {model} {name}" in lines  # the model remembers the separator
        assert f"{name} stands for labeled documents that were not used in training" in lines


def test_explain_shows_several_labels(run, of_lists):
    model, _ = of_lists
    shown = output_of(run("explain", model, "dough bread rocket orbit and xyzzy", "--neighbors"))
    lines = shown.splitlines()
    assert re.fullmatch(r"baking, space \d+\.\d % \(probability of exactly this\)", lines[0])
    assert all(f"{name} " in lines[1] for name in NAMES)
    assert "1 word not in the model's vocabulary" in lines[2]
    header = next(line for line in lines if line.startswith("word "))
    assert header.split()[1:3] in (["baking", "space"], ["space", "baking"])
    assert any(line.split()[:1] == ["dough"] and "baking" in line for line in lines)
    assert "labels" in next(line for line in lines if line.startswith("similarity"))
    found = json.loads(output_of(run("explain", model, "and the", "--json", "--neighbors")))
    assert found["predicted"] == []
    assert "generated" not in found
    assert all(isinstance(each["class"], list) for each in found["neighbors"])
    assert output_of(run("explain", model, "and the")).startswith("no label ")


def test_a_model_of_a_matrix_predicts_lists_of_its_columns(run, tmp_path):
    rows = make_sets(90, 90)
    matrix = [[name in row["topics"] for name in NAMES] for row in rows]
    clf = TextClassifier("svm").fit([row["text"] for row in rows], np.array(matrix, int))
    clf.save(tmp_path / "matrix.leaven")
    for row in rows:
        row["topics"] = [NAMES.index(name) for name in row["topics"]]
    held = write_jsonl(tmp_path / "held.jsonl", rows)
    output_of(run("predict", "matrix.leaven", held, "-o", "out.jsonl"))
    predicted = [row["predicted"] for row in predicted_in(tmp_path / "out.jsonl")]
    expected = [np.flatnonzero(row).tolist() for row in clf.predict([row["text"] for row in rows])]
    assert predicted == expected
    more = ["--label", "topics", "--include-training", "--json"]
    scores = json.loads(output_of(run("evaluate", "matrix.leaven", held, *more)))
    right = [a == sorted(row["topics"]) for a, row in zip(expected, rows, strict=True)]
    assert scores["exact_match"] == pytest.approx(np.mean(right))
    assert list(scores["per_class"]) == ["0", "1", "2"]
    output_of(run("explain", "matrix.leaven", rows[0]["text"]))
