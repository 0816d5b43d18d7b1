"""Pairs of true and predicted classes stand for the matrix of all of them."""

import json
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from leaven.classifier import Confusion, Evaluation


def dense(truth, predicted, n_classes):
    matrix = np.zeros((n_classes, n_classes), np.int64)
    np.add.at(matrix, (truth, predicted), 1)
    return matrix


@pytest.mark.parametrize("seed", range(5))
def test_pairs_have_the_sums_of_the_matrix(seed):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 7, 60), rng.integers(0, 6, 60)
    matrix = dense(truth, predicted, 8)
    for pairs in (Confusion.of(truth, predicted, 8), Confusion.of_matrix(matrix)):
        assert_array_equal(pairs.matrix(), matrix)
        assert_array_equal(pairs.right_of_class, matrix.diagonal())
        assert_array_equal(pairs.true_of_class, matrix.sum(axis=1))
        assert_array_equal(pairs.predicted_of_class, matrix.sum(axis=0))
        assert (pairs.n_documents, pairs.n_right) == (60, matrix.trace())
        assert pairs.to_json() == {"matrix": matrix.tolist()}
        chosen = np.array([1, 4, 5])
        assert_array_equal(pairs.among(chosen).matrix(), matrix[np.ix_(chosen, chosen)])


def test_pairs_of_batches_add_up_and_new_classes_may_follow():
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(0, 5, 50), rng.integers(0, 3, 50)
    is_known = truth < 3
    known = Confusion.of(truth[is_known], predicted[is_known], 3)
    others = Confusion.of(truth[~is_known], predicted[~is_known], 5)
    assert_array_equal((known + others).matrix(), dense(truth, predicted, 5))


def test_mistakes_are_listed_by_their_number_and_then_in_order():
    truth, predicted = np.array([2, 0, 1, 1, 2, 0]), np.array([0, 1, 0, 0, 2, 2])
    assert Confusion.of(truth, predicted, 3).largest_mistakes() == [
        (1, 0, 2), (0, 1, 1), (0, 2, 1), (2, 0, 1),
    ]  # fmt: skip


def peak_bytes(n_classes):
    codes = np.repeat(np.arange(n_classes), 2)
    predicted = (codes + codes % 3) % n_classes
    classes = [f"class {code}" for code in range(n_classes)]
    tracemalloc.start()
    pairs = Confusion.of(codes[::2], predicted[::2], n_classes)
    pairs += Confusion.of(codes[1::2], predicted[1::2], n_classes)
    written = json.dumps(Evaluation(classes, pairs, 0, 0.5, 0.25).to_json())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, len(written)


def test_memory_and_json_of_an_evaluation_grow_as_classes_do():
    (few, few_written), (many, many_written) = peak_bytes(2000), peak_bytes(6000)
    assert many < 4 * few
    assert many_written < 4 * few_written
    assert many < 6000 * 6000  # a byte per cell of the matrix
