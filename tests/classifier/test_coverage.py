"""Accuracy of the confident predictions, from counts in bins."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from scipy.stats import binomtest

from leaven.classifier import ByConfidence, is_confident
from leaven.classifier._coverage import EDGES, MILLION, RISK
from leaven.significance import wilson_interval


def calibrated(seed, n, low=0.3):
    rng = np.random.default_rng(seed)
    confidence = low + (1 - low) * rng.beta(3, 1, n)
    return confidence, rng.random(n) < confidence


def test_bins_are_thousandths_and_finer_near_certainty():
    assert (np.diff(EDGES) > 0).all()
    assert EDGES[0] == 0
    assert EDGES[-1] == MILLION
    assert np.isin(np.arange(1001) * 1000, EDGES).all()
    assert len(EDGES) < 1500


@pytest.mark.parametrize("seed", range(3))
def test_points_are_those_of_the_documents(seed):
    confidence, right = calibrated(seed, 500)
    points = ByConfidence.of(confidence, right).points()
    assert points[0].min_probability == 0
    for wanted, point in zip((1.0, 0.95, 0.9, 0.8, 0.7, 0.5), points, strict=True):
        kept = is_confident(confidence, point.min_probability)
        assert point.n_documents == kept.sum()
        assert point.coverage == pytest.approx(kept.mean())
        assert point.accuracy == pytest.approx(right[kept].mean())
        assert (point.low, point.high) == wilson_interval(int(right[kept].sum()), int(kept.sum()))
        assert point.coverage >= wanted - 1e-9
        # The next threshold would cover less than wanted.
        above = EDGES[np.searchsorted(EDGES, round(point.min_probability * MILLION), "right")]
        if wanted < 1:
            assert is_confident(confidence, above / MILLION).mean() < wanted


def test_counts_of_batches_add_up():
    confidence, right = calibrated(1, 300)
    whole = ByConfidence.of(confidence, right)
    parts = [ByConfidence.of(confidence[i : i + 70], right[i : i + 70]) for i in range(0, 300, 70)]
    total = reduce(add, parts, ByConfidence.empty())
    assert np.array_equal(total.right, whole.right)
    assert np.array_equal(total.wrong, whole.wrong)


def test_documents_of_one_confidence_have_one_point():
    (point,) = ByConfidence.of(np.full(9, 0.75), np.arange(9) < 6).points()
    assert (point.min_probability, point.coverage, point.n_documents) == (0, 1, 9)
    assert ByConfidence.empty().points() == []


@pytest.mark.parametrize("limit", [0.57, 0.1, 0.83, 0.999, 0.9995, 1.0])
def test_a_confidence_that_is_written_like_the_threshold_reaches_it(limit):
    written = np.array([limit - 4e-7, limit, limit - 6e-7])
    assert is_confident(written, limit).tolist() == [True, True, False]


def test_the_threshold_of_a_target_is_the_lowest_with_a_sufficient_bound():
    confidence, right = calibrated(3, 4000)
    by_confidence = ByConfidence.of(confidence, right)
    point = by_confidence.target(0.9).point
    assert point.accuracy > 0.9
    exact = binomtest(round(point.accuracy * point.n_documents), point.n_documents)
    assert exact.proportion_ci(1 - 2 * RISK, "exact").low >= 0.9
    assert by_confidence.target(0.5).point.coverage == 1
    assert by_confidence.target(0.999).point is None
    assert by_confidence.target(0.999).to_json()["reached"] is None
    with pytest.raises(ValueError, match=r"must be in \(0, 1\)"):
        by_confidence.target(95)


def test_a_target_is_missed_on_new_documents_as_rarely_as_promised():
    new, _ = calibrated(0, 200_000)
    missed = found = 0
    for seed in range(1, 201):
        point = ByConfidence.of(*calibrated(seed, 1000)).target(0.9).point
        if point is not None:
            found += 1
            missed += new[new >= point.min_probability].mean() < 0.9  # confidence is calibrated
    assert found > 190
    assert missed <= 0.05 * 200


def test_few_documents_promise_nothing():
    assert ByConfidence.of(np.full(20, 0.9), np.ones(20, bool)).target(0.95).point is None
    assert ByConfidence.of(np.full(60, 0.9), np.ones(60, bool)).target(0.95).point is not None
