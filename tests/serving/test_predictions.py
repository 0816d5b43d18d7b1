"""Predictions and explanations over HTTP are those of the model."""

import csv
import io
import json

import pytest
from typer.testing import CliRunner

from leaven import load
from leaven.cli import app

ODD = ["", "zzz qqq", "İstanbul ΣΑΣ yeast", "bread\u0000moon", "東京 dough 🚀", "yeast " * 3000]


@pytest.mark.parametrize("name", ["auto", "em", "knn"])
def test_probabilities_are_those_of_the_classifier(served, models, texts, name):
    clf = load(models[name])
    expected = clf._fitted.predict_proba([*texts, *ODD], warn=False)
    for text, row in zip([*texts, *ODD], expected, strict=True):
        found = served.post(f"/models/{name}/predict", text=text, top=3)
        by_class = {each["class"]: each["probability"] for each in found["top"]}
        for label, probability in zip(clf.classes_, row, strict=True):
            assert by_class[label] == pytest.approx(probability, abs=1.1e-6)
        assert found["predicted"] == found["top"][0]["class"] == clf.classes_[row.argmax()]
        assert found["probability"] == found["top"][0]["probability"]
        assert found["model"] == name


def test_several_texts_are_answered_as_one_by_one(served, texts):
    every = [*texts, *ODD]
    together = served.post("/predict", model="auto", texts=every, top=2)
    assert together["model"] == "auto"
    alone = [served.post("/predict", model="auto", text=text, top=2) for text in every]
    assert [{**each, "model": "auto"} for each in together["predictions"]] == alone


def test_replies_agree_with_the_columns_of_predict(served, models, texts, tmp_path):
    data = tmp_path / "new.csv"
    every = [*texts, "zzz", "dough orbit", "yeast goal"]
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([each] for each in every)])
    options = ["--min-probability", "0.9", "--top", "2", "--json", "-q"]
    for name in ("em", "sets", "numbers"):
        result = CliRunner().invoke(app, ["predict", str(models[name]), str(data), *options])
        rows = [json.loads(line) for line in io.StringIO(result.stdout)]
        body = {"texts": every, "min_probability": 0.9, "top": 2}
        found = served.post(f"/models/{name}/predict", **body)["predictions"]
        assert len(rows) == len(found) == len(every)
        for row, each in zip(rows, found, strict=True):
            assert each["predicted"] == row["predicted"]
            assert each["probability"] == pytest.approx(row["probability"], abs=1.1e-6)
            assert each["note"] == row["note"]
            assert [one["class"] for one in each["top"]] == [row["top1"], row["top2"]]
        assert any(each["note"] == "undecided, no known word" for each in found)


def test_several_labels_are_a_list(served):
    found = served.post("/models/sets/predict", text="dough yeast bread oven")
    assert found["predicted"] == ["baking", "food"]


def test_classes_keep_their_type(served):
    assert served.post("/models/numbers/predict", text="stars orbit moon")["predicted"] == 1


def test_no_texts_have_no_predictions(served):
    found = served.post("/models/em/predict", texts=[])
    assert found == {"model": "em", "predictions": []}


def test_an_explanation_is_that_of_the_command_line(served, models):
    for name in ("em", "sets", "knn"):
        text = "the dough and the orbit"
        result = CliRunner().invoke(app, ["explain", str(models[name]), text, "--json"])
        expected = json.loads(result.stdout)
        del expected["warnings"]
        found = served.post("/explain", model=name, text=text)
        assert found.pop("model") == name
        assert found.keys() == expected.keys()
        assert found["predicted"] == expected["predicted"]
        assert found["words"] == expected["words"]
        assert found["neighbors"] == expected["neighbors"]
        assert found["probability"] == pytest.approx(expected["probability"])


def test_an_explanation_has_as_many_words_and_neighbors_as_asked(served):
    found = served.post("/models/knn/explain", text="dough oven loaf", words=2, neighbors=3)
    assert len(found["words"]) == 2
    assert len(found["neighbors"]) == 3


def test_info_is_that_of_the_command_line(served, models):
    result = CliRunner().invoke(app, ["info", str(models["em"]), "--json"])
    expected = json.loads(result.stdout)
    assert served.get("/models/em") == expected
    every = served.get("/info")["models"]
    assert list(every) == list(models)
    assert every["em"] == expected


def test_health_lists_the_models(served, models):
    assert served.get("/health") == {"status": "ok", "models": list(models)}


def test_one_model_needs_no_name(serve, models):
    assert serve(models["em"]).post("/predict", text="dough")["model"] == "em"
