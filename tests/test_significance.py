import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import t as student

from leaven.significance import holm, mcnemar, paired_t


def test_a_paired_t_test_is_the_textbook_formula():
    rng = np.random.default_rng(0)
    a, b = rng.random(8), rng.random(8)
    d = a - b
    t = d.mean() / (d.std(ddof=1) / math.sqrt(8))
    result = paired_t(a, b)
    assert_allclose(result.difference, d.mean())
    assert_allclose(result.p_value, 2 * student.sf(abs(t), df=7))
    assert result.n == 8


def test_which_method_comes_first_changes_only_the_sign():
    a, b = [0.5, 0.7, 0.6], [0.4, 0.65, 0.7]
    there, back = paired_t(a, b), paired_t(b, a)
    assert there.difference == -back.difference
    assert there.p_value == back.p_value


@pytest.mark.parametrize("n", [2, 5])
def test_equal_scores_differ_by_nothing(n):
    scores = np.linspace(0.5, 0.6, n)
    result = paired_t(scores, scores)
    assert (result.difference, result.p_value) == (0.0, 1.0)


def test_the_same_difference_everywhere_is_no_chance():
    b = np.array([0.1, 0.3, 0.7])
    result = paired_t(b + 0.2, b)
    assert_allclose(result.difference, 0.2)
    assert result.p_value == 0.0


def test_differences_that_are_rounding_are_none():
    a = np.array([0.1 + 0.2, 0.6])
    assert paired_t(a, [0.3, 0.6]).p_value == 1.0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 2], [1, 2, 3], "a and b must be paired, got lengths 2 and 3"),
        ([1], [2], "needs at least two pairs, got 1"),
        ([[1, 2]], [1, 2], r"a must have one dimension, got shape \(1, 2\)"),
        ([1, 2], [1, math.nan], "b must be finite numbers, got nan at 1"),
    ],
)
def test_scores_that_are_not_paired_are_refused(a, b, message):
    with pytest.raises(ValueError, match=message):
        paired_t(a, b)


def test_holm_steps_down_from_the_smallest_p_value():
    # 0.01 of four, 0.02 of three, 0.03 of two (below the one before: raised to it), 0.5 alone.
    assert_allclose(holm([0.5, 0.01, 0.03, 0.02]), [0.5, 0.04, 0.06, 0.06])
    assert_allclose(holm([0.9, 0.8]), [1.0, 1.0])
    assert holm([]).tolist() == []
    assert holm([0.04]).tolist() == [0.04]


def test_mcnemar_counts_the_documents_that_one_alone_has_right():
    truth = np.zeros(20, dtype=int)
    a, b = truth.copy(), truth.copy()
    a[:2] = 1  # only b is right
    b[2:11] = 1  # only a is right
    a[15:] = b[15:] = 1  # both are wrong
    result = mcnemar(truth, a, b)
    assert (result.only_a, result.only_b, result.n) == (9, 2, 20)
    assert_allclose(result.difference, 7 / 20)
    tail = sum(math.comb(11, k) for k in range(3)) / 2**11
    assert_allclose(result.p_value, 2 * tail)


def test_mcnemar_finds_nothing_where_errors_balance():
    assert mcnemar(["x", "y"], ["x", "y"], ["x", "y"]).p_value == 1.0
    balanced = mcnemar(["x", "y"], ["x", "x"], ["y", "y"])
    assert (balanced.only_a, balanced.only_b, balanced.p_value) == (1, 1, 1.0)


@pytest.mark.parametrize(
    ("truth", "a", "b", "message"),
    [
        ([0, 1], [0, 1], [0], "truth and a and b must be paired, got lengths 2 and 2 and 1"),
        ([], [], [], "at least one document"),
        ([0, 1], [0, 1], [[0, 1]], "b must have one dimension"),
    ],
)
def test_answers_that_are_not_paired_are_refused(truth, a, b, message):
    with pytest.raises(ValueError, match=message):
        mcnemar(truth, a, b)
