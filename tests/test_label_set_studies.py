"""What the studies of label sets measure, against scikit-learn."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score
from sklearn.svm import LinearSVC

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from studies import _label_sets  # noqa: E402


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.random((2, 30, 6)) < 0.3
    truth[:, 5] = predicted[:, 5] = False  # a class that does not occur
    found = _label_sets.measured(truth, predicted)
    assert found["exact"] == pytest.approx(accuracy_score(truth, predicted))
    for average in ("micro", "macro"):
        expected = f1_score(truth, predicted, average=average, zero_division=0)
        assert found[f"{average}_f1"] == pytest.approx(expected)
    assert found["by_class"] == pytest.approx(list((truth == predicted).mean(axis=0)))


def test_a_label_is_forced_where_the_peer_gives_none():
    texts = ["dough yeast", "yeast bread", "stars planets", "planets orbit", "bread stars"]
    has_class = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0]], bool)
    asked = ["bread dough", "unknown words", "orbit"]
    plain, forced, _ = _label_sets.linear(LinearSVC(), texts, has_class, asked)
    assert forced.any(axis=1).all()
    assert (forced[plain.any(axis=1)] == plain[plain.any(axis=1)]).all()
    assert not forced[:, 2].any()  # no training document has it


def test_a_corpus_numbers_the_classes_of_all_its_documents():
    corpus = _label_sets.SetCorpus("tiny", ["a"], [["y", "x"]], ["b"], [["z"]])
    assert corpus.classes == ["x", "y", "z"]
    assert corpus.members([["y", "x"], ["z"], []]).tolist() == [
        [True, True, False],
        [False, False, True],
        [False, False, False],
    ]
