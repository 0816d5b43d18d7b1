import csv
import dataclasses
import json
import sys

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from leaven.classifier import Confusion, Evaluation
from leaven.classifier._model_file import load_model, save_model
from leaven.significance import wilson_interval


@pytest.fixture
def mixed_up(make_csv, rows):
    """Labeled documents of which every fifth has the wrong label, and three unlabeled ones."""
    held = rows(30, 30, seed=1)
    for row in held[::5]:
        row["label"] = "sport"
    for row in held[-3:]:
        row["label"] = ""
    return make_csv(held)


def test_evaluate_prints_scores_and_the_matrix(run, model, mixed_up):
    result = run("evaluate", model, mixed_up)
    assert result.exit_code == 0, result.stderr
    assert "accuracy" in result.stdout
    assert "95 % interval" in result.stdout
    assert "27 labeled documents, 3 unlabeled skipped" in result.stdout
    assert "true classes in rows" in result.stdout


def test_the_scores_are_those_of_scikit_learn(run, model, mixed_up):
    scores = json.loads(run("evaluate", model, mixed_up, "--json").stdout)
    assert set(scores) == {
        "accuracy", "accuracy_interval", "macro_f1", "mean_confidence", "calibration_error",
        "per_class", "confusion", "coverage", "n_documents", "n_unlabeled", "n_bad_files",
        "n_from_training", "includes_training", "warnings",
    }  # fmt: skip
    classes, matrix = scores["confusion"]["classes"], np.array(scores["confusion"]["matrix"])
    truth = np.repeat(np.arange(3), matrix.sum(axis=1))
    predicted = np.concatenate([np.repeat(np.arange(3), row) for row in matrix])
    assert classes == ["baking", "space", "sport"]
    assert (scores["n_documents"], scores["n_unlabeled"]) == (27, 3)
    assert scores["accuracy"] == pytest.approx(accuracy_score(truth, predicted))
    expected = precision_recall_fscore_support(truth, predicted, zero_division=0)
    for code, name in enumerate(classes):
        own = scores["per_class"][name]
        found = [own["precision"], own["recall"], own["f1"], own["support"]]
        assert found == pytest.approx([column[code] for column in expected])
    assert scores["macro_f1"] == pytest.approx(expected[2].mean())


def test_confidence_is_compared_with_accuracy(run, model, mixed_up):
    scores = json.loads(run("evaluate", model, mixed_up, "--json").stdout)
    with mixed_up.open(newline="", encoding="utf-8") as file:
        labeled = [row for row in csv.DictReader(file) if row["label"]]
    fitted = load_model(model)
    probability = fitted.predict_proba([row["text"] for row in labeled])
    names = fitted.classes[probability.argmax(axis=1)]
    confidence = probability.max(axis=1)
    right = names == np.array([row["label"] for row in labeled])
    assert scores["mean_confidence"] == pytest.approx(confidence.mean())
    error = 0.0
    for low in range(10):
        own = (confidence >= low / 10) & (confidence < (low + 1) / 10)
        if own.any():
            error += own.mean() * abs(right[own].mean() - confidence[own].mean())
    assert scores["calibration_error"] == pytest.approx(error)
    shown = run("evaluate", model, mixed_up).stdout
    assert (
        f"mean confidence  {100 * confidence.mean():.1f} %, calibration error {error:.3f}" in shown
    )


@pytest.mark.parametrize("seed", range(5))
def test_scores_of_any_confusion_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 5, 40), rng.integers(0, 4, 40)  # class 5 of 6 is absent
    matrix = confusion_matrix(truth, predicted, labels=range(6))
    scores = Evaluation(list("abcdef"), Confusion.of_matrix(matrix), 0, 0.5, 0.25)
    expected = precision_recall_fscore_support(truth, predicted, labels=range(6), zero_division=0)
    for code, own in enumerate(scores.per_class.values()):
        found = [own["precision"], own["recall"], own["f1"], own["support"]]
        assert found == pytest.approx([column[code] for column in expected])
    macro = precision_recall_fscore_support(truth, predicted, average="macro", zero_division=0)
    assert scores.macro_f1 == pytest.approx(macro[2])


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (3, 10), (50, 50), (700, 1000)])
def test_the_interval_is_wilsons(right, n):
    expected = binomtest(right, n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(right, n) == pytest.approx((expected.low, expected.high))


def test_labels_unknown_to_the_model_count_as_wrong_with_a_warning(run, model, make_csv, rows):
    held = rows(30, 30, seed=1)
    for row in held[:6]:
        row["label"] = "music"
    result = run("evaluate", model, make_csv(held), "--json")
    scores = json.loads(result.stdout)
    assert scores["accuracy"] == pytest.approx(24 / 30)
    assert scores["confusion"]["classes"] == ["baking", "space", "sport", "music"]
    assert scores["per_class"]["music"]["recall"] == 0
    (warning,) = scores["warnings"]
    assert "'music'" in warning
    assert "6 documents" in warning
    assert f"warning: {warning}" in result.stderr


def test_evaluate_needs_a_labeled_document(run, model, make_csv, rows):
    result = run("evaluate", model, make_csv(rows(6, 0)))
    assert result.exit_code == 1
    assert "error: no document in" in result.stderr


def test_many_classes_print_the_largest_confusions(capsys):
    from leaven.cli.evaluate import _print

    classes = [f"class{i}" for i in range(15)]
    matrix = np.eye(15, dtype=np.int64) * 20
    matrix[3, 7] = 5
    _print(Evaluation(classes, Confusion.of_matrix(matrix), 0, 0.5, 0.25), full=False)
    shown = capsys.readouterr().out
    assert "largest confusions" in shown
    assert ["class3", "class7", "5", "20.0", "%"] in [line.split() for line in shown.splitlines()]
    _print(Evaluation(classes, Confusion.of_matrix(matrix), 0, 0.5, 0.25), full=True)
    assert "true classes in rows" in capsys.readouterr().out


def test_of_very_many_classes_the_largest_are_printed_unless_all_are_wanted(capsys):
    from leaven.cli.evaluate import _print

    n_classes = 3000
    truth = np.repeat(np.arange(n_classes), 2)
    truth = np.concatenate([truth, [2500, 2501]])  # the only classes of three documents
    predicted = np.where(truth % 2, truth, truth + 1)
    classes = [f"class{i:04}" for i in range(n_classes)]
    scores = Evaluation(classes, Confusion.of(truth, predicted, n_classes), 0, 0.5, 0.25)
    _print(scores, full=False)
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) < 150
    assert "and 2,900 smaller classes (--full prints all)" in shown
    assert "class2501" in shown
    assert "class2499" not in shown
    assert "largest confusions (--full prints all of them)" in shown
    _print(scores, full=True)
    shown = capsys.readouterr().out
    assert "class2999" in shown
    assert "smaller classes" not in shown
    assert sum(line.split()[:2] == ["class2998", "class2999"] for line in shown.splitlines()) == 1


def test_the_matrix_of_very_many_classes_is_drawn_for_those_with_most_errors(tmp_path):
    from leaven.cli import _plots

    truth = np.concatenate([np.arange(3000), [7, 7]])
    predicted = np.where(truth == 7, 8, truth)
    pairs = Confusion.of(truth, predicted, 3000)
    classes = [f"class{i}" for i in range(3000)]
    _plots.draw_confusion(pairs, classes, 0.999, tmp_path / "many.svg")
    shown = (tmp_path / "many.svg").read_text()
    assert "<!-- class7 -->" in shown
    assert "<!-- class2999 -->" not in shown


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_evaluate_draws_the_confusion_matrix(run, model, mixed_up, tmp_path, ending):
    result = run("evaluate", model, mixed_up, "--plot", f"confusion.{ending}")
    assert result.exit_code == 0, result.stderr
    beginning = {"png": b"\x89PNG", "svg": b"<?xml"}[ending]
    assert (tmp_path / f"confusion.{ending}").read_bytes().startswith(beginning)


def test_a_plot_without_matplotlib_names_the_extra(run, model, mixed_up, monkeypatch):
    monkeypatch.delitem(sys.modules, "leaven.cli._plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delattr("leaven.cli._plots", raising=False)
    result = run("evaluate", model, mixed_up, "--plot", "confusion.png")
    assert result.exit_code == 1
    assert "`leaven evaluate --plot` needs the plot extra" in result.stderr
    assert "pip install 'leaven[plot]'" in result.stderr


def test_names_that_look_like_markup_are_printed_as_they_are(capsys):
    from leaven.cli.evaluate import _print

    names, matrix = ["[red]one[/red]", "two"], np.eye(2, dtype=np.int64)
    _print(Evaluation(names, Confusion.of_matrix(matrix), 0, 0.5, 0.25), full=False)
    assert "[red]one[/red]" in capsys.readouterr().out


def test_documents_of_the_training_are_left_out(run, model, make_csv, rows):
    path = make_csv([*rows(60, 4), *rows(30, 30, seed=1)])
    result = run("evaluate", model, path)
    assert result.exit_code == 0, result.stderr
    said = "12 of 42 labeled documents were used in training and are left out; --include-training"
    assert said in result.stderr
    assert "30 labeled documents, 48 unlabeled skipped" in result.stdout
    found = json.loads(run("evaluate", model, path, "--json").stdout)
    assert (found["n_documents"], found["n_from_training"]) == (30, 12)
    assert found["includes_training"] is False
    streamed = run("evaluate", model, path, "--json", "--stream")
    assert json.loads(streamed.stdout)["confusion"] == found["confusion"]
    result = run("evaluate", model, path, "--json", "--include-training")
    found = json.loads(result.stdout)
    assert (found["n_documents"], found["n_from_training"]) == (42, 12)
    assert "12 of 42 labeled documents were used in training, so" in found["warnings"][0]


def test_the_file_of_the_training_alone_is_refused(run, model, data):
    result = run("evaluate", model, data)
    assert result.exit_code == 1
    assert "all 12 labeled documents in" in result.stderr
    assert "give other labeled documents" in result.stderr
    assert run("evaluate", model, data, "--include-training").exit_code == 0


def test_info_counts_the_labeled_texts_that_a_model_remembers(run, model):
    assert json.loads(run("info", model, "--json").stdout)["n_labeled_hashes"] == 12
    assert "contains hashes of 12 labeled texts" in run("info", model).stdout


def test_a_model_that_remembers_a_sample_of_its_texts_says_so(run, model, make_csv, rows):
    fitted = load_model(model)
    report = dataclasses.replace(fitted.report, n_labeled=3_000_000)
    save_model(dataclasses.replace(fitted, report=report), "large.leaven")
    path = make_csv([*rows(60, 4), *rows(30, 30, seed=1)])
    said = run("evaluate", "large.leaven", path).stderr
    assert "the model remembers 12 of its 3,000,000 labeled texts" in said


def test_labels_in_lower_case_need_classes_in_lower_case(run, model, make_csv, rows):
    held = [{**row, "label": row["label"].title()} for row in rows(30, 30, seed=1)]
    path = make_csv(held)
    result = run("evaluate", model, path, "--ignore-case", "--json")
    assert json.loads(result.stdout)["confusion"]["classes"] == ["baking", "space", "sport"]
    run("train", path, "-o", "titles.leaven", "--method", "nb")
    result = run("evaluate", "titles.leaven", path, "--ignore-case")
    assert result.exit_code == 1
    assert "the model has a class 'Baking'; train it with --ignore-case too" in result.stderr
