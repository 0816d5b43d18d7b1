"""Vectors of one's own, from a column of the data."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

CLASSES = ("up", "down", "left")


def data(n=60, n_dims=3):
    """Words that tell nothing beside vectors that tell all."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 3
    texts = [" ".join(rng.choice(["stone", "river", "cloud", "grass", "sand"], 6)) for _ in truth]
    vectors = (np.eye(3)[truth] + 0.05 * rng.normal(size=(n, n_dims))).round(4).tolist()
    labels = [CLASSES[code] if i < 12 else None for i, code in enumerate(truth)]
    names = [CLASSES[code] for code in truth]
    return pa.table({"text": texts, "label": labels, "truth": names, "v": vectors})


@pytest.fixture(params=["parquet", "jsonl"])
def file(request, tmp_path):
    path, table = tmp_path / f"data.{request.param}", data()
    if request.param == "parquet":
        pq.write_table(table, path)
    else:
        path.write_text("\n".join(json.dumps(row) for row in table.to_pylist()))
    return str(path)


def test_vectors_train_predict_evaluate_and_compare(run, file, tmp_path):
    model = str(tmp_path / "m.leaven")
    trained = run("train", file, "--vectors", "v", "-o", model, "--json")
    assert trained.exit_code == 0, trained.stderr
    assert json.loads(trained.stdout)["expected_accuracy"]["n_held_out"] == 12
    scored = run("evaluate", model, file, "--label", "truth", "--vectors", "v", "--json")
    assert scored.exit_code == 0, scored.stderr
    result = json.loads(scored.stdout)
    assert result["accuracy"] == 1.0
    assert 0 <= result["calibration_error"] <= 1
    assert 0.3 < result["mean_confidence"] <= 1
    predicted = run("predict", model, file, "--vectors", "v", "--json")
    rows = [json.loads(line) for line in predicted.stdout.splitlines()]
    assert all(row["predicted"] == row["truth"] for row in rows)
    compared = run("compare", file, "--vectors", "v", "--methods", "two-view,nb", "--json")
    assert compared.exit_code == 0, compared.stderr
    by_method = {own["method"]: own for own in json.loads(compared.stdout)["results"]}
    assert by_method["two-view"]["accuracy"] == 1.0 > by_method["nb"]["accuracy"]


def test_a_model_of_vectors_remembers_their_column_and_asks_for_it(run, file, tmp_path):
    model = str(tmp_path / "m.leaven")
    run("train", file, "--vectors", "v", "-o", model)
    assert run("predict", model, file).exit_code == 0
    (tmp_path / "words.csv").write_text("text\nstone river\n")
    refused = run("predict", model, str(tmp_path / "words.csv"))
    assert refused.exit_code == 1
    assert "must have one column 'v' of vectors" in refused.stderr
    explained = run("explain", model, "stone river", "--json")
    assert explained.exit_code == 0, explained.stderr
    assert "explained by its words alone" in json.loads(explained.stdout)["warnings"][0]


@pytest.mark.parametrize(
    ("column", "message"),
    [("w", "must have one column 'w' of vectors"), ("truth", "must hold a list of numbers")],
)
def test_a_column_that_holds_no_vectors_is_refused(run, file, column, message):
    refused = run("train", file, "--vectors", column)
    assert refused.exit_code == 1
    assert message in refused.stderr


def test_methods_of_words_alone_say_so(run, file):
    refused = run("train", file, "--vectors", "v", "--method", "em")
    assert refused.exit_code == 1
    assert "words only" in refused.stderr
