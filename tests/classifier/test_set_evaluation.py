"""Scores of label sets: those of scikit-learn, and sums of batches are the sums of all."""

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from leaven._base.measures import calibration_error
from leaven.classifier import Scorer
from leaven.documents import Documents
from leaven.documents._label_sets import LabelSets, key_of
from leaven.experts import SeveralLabels

CLASSES = ["a", "b", "c"]
OTHERS = ["other", "x"]


class Fake:
    """Probabilities of the classes that are written in the text."""

    labels = LabelSets(np.array(CLASSES, dtype=object), np.eye(3, dtype=bool), allows_empty=True)
    decision = SeveralLabels.plain(labels)
    decide, confidence = decision.decided, decision.confidence

    def learned_from(self, texts):
        return np.zeros(len(texts), bool)

    def classify(self, texts, **_more):
        found = [[float(number) for number in text.split()] for text in texts.to_pylist()]
        return np.array(found).reshape(-1, 3), np.zeros(len(texts), bool)


def written(sets, probability):
    keys = [None if each is None else key_of(sorted(each)) for each in sets]
    texts = [" ".join(map(str, row)) for row in probability]
    return Documents(
        pa.array(texts, pa.large_string()), pa.array(keys, pa.large_string()), None, "here"
    )


SETS = st.sets(st.sampled_from([*CLASSES, *OTHERS]))
ROWS = st.tuples(*[st.sampled_from([0.0, 0.1, 0.4, 0.6, 0.9, 1.0])] * 3)
CASES = st.lists(st.tuples(SETS, ROWS), min_size=1, max_size=12)


@given(CASES)
@settings(max_examples=100, deadline=None)
def test_scores_are_those_of_scikit_learn(cases):
    sets, rows = zip(*cases, strict=True)
    found = Scorer(Fake())(written(sets, rows)).evaluation()
    assert found.classes[:3] == CLASSES
    assert found.classes[3:] == sorted(set().union(*sets) - set(CLASSES))
    binary = MultiLabelBinarizer(classes=found.classes)
    predicted = [[name for name, p in zip(CLASSES, row, strict=True) if p > 0.5] for row in rows]
    true, guessed = binary.fit_transform(sets), binary.fit_transform(predicted)
    assert_allclose(found.exact_match, accuracy_score(true, guessed))
    assert_allclose(found.hamming_loss, hamming_loss(true, guessed))
    assert_allclose(found.micro_f1, f1_score(true, guessed, average="micro", zero_division=0))
    occurs = np.flatnonzero(true.any(axis=0) | guessed.any(axis=0))
    if len(occurs):
        macro = f1_score(true, guessed, labels=occurs, average="macro", zero_division=0)
        assert_allclose(found.macro_f1, macro)
    else:
        assert found.macro_f1 == 0
    each = precision_recall_fscore_support(true, guessed, zero_division=0)
    names = ("precision", "recall", "f1", "support")
    ours = [[own[name] for own in found.per_class.values()] for name in names]
    assert_allclose(ours, each)
    sizes = {"true": true.sum(axis=1).mean(), "predicted": guessed.sum(axis=1).mean()}
    assert found.labels_per_document == pytest.approx(sizes)
    assert found.n_errors == (true != guessed).any(axis=1).sum()
    without, is_empty, is_bare = found.without_label, ~true.any(axis=1), ~guessed.any(axis=1)
    assert (without.n_true, without.n_predicted) == (is_empty.sum(), is_bare.sum())
    assert without.n_right == (is_empty & is_bare).sum()
    error = calibration_error(np.ravel(rows), true[:, :3].ravel())
    assert_allclose(found.label_calibration_error, error)


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_any_batches_give_the_scores_of_all(seed):
    rng = np.random.default_rng(seed)
    names = np.array([*CLASSES, *OTHERS])
    sets = [None if rng.random() < 0.2 else names[rng.random(5) < 0.3].tolist() for _ in range(99)]
    whole = written(sets, rng.random((99, 3)).round(3))
    cuts = [0, *sorted(rng.choice(np.arange(1, 99), 5, replace=False).tolist()), 99]
    batches = [
        Documents(whole.texts.slice(a, b - a), whole.labels.slice(a, b - a), None, "here")
        for a, b in pairwise(cuts)
    ]
    score = Scorer(Fake())
    one, many = score(whole), reduce(add, map(score, batches))
    found, expected = many.evaluation().to_json(), one.evaluation().to_json()
    assert found.keys() == expected.keys()
    for name in ("calibration_error", "label_calibration_error", "mean_confidence"):
        assert found.pop(name) == pytest.approx(expected.pop(name))
    assert found == expected
    assert many.n_documents == one.n_documents == 99
    assert one.totals.n_unlabeled == sets.count(None)
    with_others = [each for each in sets if each is not None and set(each) & set(OTHERS)]
    assert many.n_unknown == one.n_unknown == len(with_others)


def test_an_unknown_label_is_missed():
    found = Scorer(Fake())(written([["a"], ["a", "x"]], [(0.9, 0.1, 0.1)] * 2)).evaluation()
    assert found.exact_match == 0.5
    assert found.classes == ["a", "b", "c", "x"]
    assert found.n_missed.tolist() == [0, 0, 0, 1]
    assert found.n_added.tolist() == [0, 0, 0, 0]
    assert found.micro_f1 == pytest.approx(4 / 5)


def test_single_labels_are_sets_of_one():
    documents = written([["a"], ["b"]], [(0.9, 0.1, 0.1), (0.9, 0.1, 0.1)])
    single = Documents(documents.texts, pa.array(["a", "b"], pa.large_string()), None, "here")
    score = Scorer(Fake())
    assert score(single).evaluation().to_json() == score(documents).evaluation().to_json()
    assert score(single).evaluation().exact_match == 0.5
