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

CLASSES = ["a", "b", "c"]


class Fake:
    """Probabilities that are written in the text, which holds no known word."""

    labels = Labels(np.array(CLASSES, dtype=object))
    decide = labels.decide

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
    assert list(many.n_unknown) == ["other", "x"]
    assert many.n_wordless == one.n_wordless == one.n_labeled
    expected, found = one.evaluation(2), many.evaluation(2)
    assert found.classes == expected.classes == [*CLASSES, "other", "x"]
    assert np.array_equal(found.confusion, expected.confusion)
    assert (found.accuracy, found.macro_f1) == (expected.accuracy, expected.macro_f1)
    assert found.n_unlabeled == expected.n_unlabeled == whole.labels.null_count
    assert found.calibration_error == pytest.approx(expected.calibration_error, rel=1e-12)
    assert found.mean_confidence == pytest.approx(expected.mean_confidence, rel=1e-12)
    assert found.n_bad_files == 2
    assert found.by_confidence.points() == expected.by_confidence.points()


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
    assert (sums.n_labeled, sums.n_unlabeled, sums.confidence) == (0, 3, 0.0)
