"""Models of documents with several labels: files, kept documents, explanations."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from leaven import TextClassifier, load
from leaven.classifier._model_file import dump_model

TEXTS = [
    "raw dough rises with yeast", "the planet orbits a star", "yeast and flour make bread",
    "a comet and a planet", "bread dough for the planet", "stars and flour in orbit",
    "nothing of it at all", "flour flour flour flour",
]  # fmt: skip
SETS = [["baking"], ["space"], ["baking"], ["space"], ["baking", "space"], None, [], None]
NUMBERS = [None if each is None else [len(name) for name in each] for each in SETS]
MATRIX = np.array(
    [[-1, -1] if each is None else ["baking" in each, "space" in each] for each in SETS]
)
ONE_CLASS = [["baking"], [], ["baking"], [], ["baking"], None, [], None]


@pytest.mark.parametrize("labels", [SETS, NUMBERS, MATRIX, ONE_CLASS], ids=str)
@pytest.mark.parametrize("calibrate", [True, False])
def test_a_model_comes_back_exactly(labels, calibrate, tmp_path):
    clf = TextClassifier("svm", calibrate=calibrate, keep_excerpts=20).fit(TEXTS, labels)
    clf.save(tmp_path / "model.leaven")
    back = load(tmp_path / "model.leaven")
    here, there = clf.fitted.decision, back.fitted.decision
    for name in ("bias", "thresholds", "rates"):
        assert_array_equal(getattr(there, name), getattr(here, name))
    for name in ("classes", "members", "allows_empty", "is_matrix"):
        assert_array_equal(getattr(there.labels, name), getattr(here.labels, name))
    assert back.classes_.dtype == clf.classes_.dtype
    assert_array_equal(back.predict(TEXTS), clf.predict(TEXTS))
    assert_array_equal(back.predict_proba(TEXTS), clf.predict_proba(TEXTS))
    assert back.explain(TEXTS[0]) == clf.explain(TEXTS[0])
    assert back.neighbors(TEXTS) == clf.neighbors(TEXTS)
    assert str(back.report_) == str(clf.report_)
    assert dump_model(back.fitted) == (tmp_path / "model.leaven").read_bytes()


@pytest.mark.parametrize("labels", [SETS, MATRIX], ids=["lists", "matrix"])
def test_kept_documents_show_their_sets(labels):
    clf = TextClassifier("svm").fit(TEXTS, labels)
    first, second = clf.classes_.tolist()
    (nearest, *_), (empty, *_) = clf.neighbors([TEXTS[4], TEXTS[6]])
    assert nearest.label == (first, second)
    assert f"{first}, {second}" in str(nearest)
    assert empty.label == ()
    assert "no label" in str(empty)
