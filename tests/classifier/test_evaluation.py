"""Sums of batches are the sums of all."""

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pyarrow as pa
import pytest

from leaven._base.measures import calibration_error
from leaven.classifier import Scorer
from leaven.documents import Documents
from leaven.documents._labels import Labels
from leaven.exceptions import DataError
from leaven.experts import OneLabel

CLASSES = ["a", "b", "c"]


class Fake:
    """Probabilities that are written in the text, which holds no known word.

    It learned from texts that begin with a number below ``learned``.
    """

    labels = Labels(np.array(CLASSES, dtype=object))
    decision = OneLabel(labels)
    decide, confidence = decision.decided, decision.confidence

    def __init__(self, learned=0.0):
        self.learned = learned

    def learned_from(self, texts):
        return np.array([float(t.split()[0]) < self.learned for t in texts.to_pylist()], bool)

    def classify(self, texts, **_more):
        scores = np.array([[float(n) for n in t.split()] for t in texts.to_pylist()])
        scores = scores.reshape(-1, 3)
        return scores / scores.sum(axis=1, keepdims=True), np.ones(len(texts), bool)


def documents(rng, n):
    texts = [" ".join(f"{x:.3f}" for x in rng.random(3) + 0.01) for _ in range(n)]
    labels = rng.choice([*CLASSES, "x", "other", None], n).tolist()
    return Documents(pa.array(texts, pa.large_string()), pa.array(labels), None, "here")


def part(whole, begin, end):
    size = end - begin
    return Documents(whole.texts.slice(begin, size), whole.labels.slice(begin, size), None, "here")


@pytest.mark.parametrize("seed", range(5))
def test_sums_of_any_batches_give_the_scores_of_all(seed):
    rng = np.random.default_rng(seed)
    whole = documents(rng, 200)
    score = Scorer(Fake())
    cuts = [0, *sorted(rng.choice(np.arange(1, 200), 6, replace=False).tolist()), 200]
    batches = [part(whole, a, b) for a, b in pairwise(cuts)]
    one, many = score(whole), reduce(add, map(score, batches))
    assert many.n_unknown == one.n_unknown
    assert many.unknown_labels == one.unknown_labels == ["other", "x"]
    assert many.totals.n_wordless == one.totals.n_wordless == one.totals.n_labeled
    expected, found = one.evaluation(2), many.evaluation(2)
    assert found.classes == expected.classes == [*CLASSES, "other", "x"]
    assert np.array_equal(found.confusion.matrix(), expected.confusion.matrix())
    assert (found.accuracy, found.macro_f1) == (expected.accuracy, expected.macro_f1)
    assert found.n_unlabeled == expected.n_unlabeled == whole.labels.null_count
    assert found.calibration_error == pytest.approx(expected.calibration_error, rel=1e-12)
    assert found.mean_confidence == pytest.approx(expected.mean_confidence, rel=1e-12)
    assert found.n_bad_files == 2
    assert found.by_confidence.points() == expected.by_confidence.points()


@pytest.mark.parametrize("includes", [False, True])
def test_documents_of_the_training_are_counted_and_left_out_unless_included(includes):
    whole = documents(np.random.default_rng(3), 200)
    score = Scorer(Fake(learned=0.4), includes_training=includes)
    one = score(whole)
    many = score(part(whole, 0, 70)) + score(part(whole, 70, 200))
    first = np.array([float(text.split()[0]) for text in whole.texts.to_pylist()])
    is_labeled = np.array(whole.labels.is_valid())
    n_known = int((is_labeled & (first < 0.4)).sum())
    assert one.totals.n_from_training == many.totals.n_from_training == n_known > 0
    n_scored = int(is_labeled.sum()) - n_known * (not includes)
    assert one.totals.n_labeled == many.totals.n_labeled == n_scored
    assert one.n_documents == many.n_documents == 200
    assert np.array_equal(one.evaluation().confusion.matrix(), many.evaluation().confusion.matrix())
    found = many.evaluation().to_json()
    assert (found["n_from_training"], found["includes_training"]) == (n_known, includes)


def test_the_calibration_error_is_that_of_the_documents():
    whole = documents(np.random.default_rng(7), 300)
    probability, _ = Fake().classify(whole.texts)
    is_labeled = np.array(whole.labels.is_valid())
    truth = np.array(whole.labels.to_pylist(), dtype=object)[is_labeled]
    probability = probability[is_labeled]
    right = np.array(CLASSES, dtype=object)[probability.argmax(axis=1)] == truth
    expected = calibration_error(probability.max(axis=1), right)
    found = Scorer(Fake())(whole).evaluation()
    assert found.calibration_error == pytest.approx(expected)
    assert found.accuracy == pytest.approx(right.mean())


def test_a_batch_without_a_label_adds_nothing_but_its_number():
    none = pa.nulls(3, pa.large_string())
    texts = pa.array(["1 0 0"] * 3, pa.large_string())
    sums = Scorer(Fake())(Documents(texts, none, None, "here"))
    totals = sums.totals
    assert (totals.n_labeled, totals.n_unlabeled, totals.confidence) == (0, 3, 0.0)


def test_a_model_of_one_label_refuses_several_in_one_sentence():
    texts, sets = pa.array(["1 2 3"] * 2, pa.large_string()), pa.array(["\x1fa\x1fb", "a"])
    with pytest.raises(DataError, match="here has documents with several labels, but the model"):
        Scorer(Fake())(Documents(texts, sets, None, "here"))
