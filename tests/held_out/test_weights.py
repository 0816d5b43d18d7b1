"""Weights of experts, honest confidence, expected accuracy."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from leaven._base.measures import calibration_error, calibration_gaps, log_softmax, softmax
from leaven.held_out import Expectation, expect_accuracy, fit_weights, temper

RESULTS = Path(__file__).parents[2] / "studies" / "results"
few = settings(max_examples=10, deadline=None, derandomize=True)
seeds = given(seed=st.integers(0, 2**16))


def drawn_scores(seed, n=400, n_classes=3, sharpness=(1.0, 4.0)):
    """Experts whose scores are true log odds times a factor each, and one that guesses."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, n_classes)) * 2
    p = np.exp(log_softmax(scores))
    truth = np.array([rng.choice(n_classes, p=row) for row in p])
    return [factor * scores for factor in sharpness], rng.normal(size=(n, n_classes)), truth


@few
@seeds
def test_an_overconfident_expert_gets_the_weight_that_undoes_it(seed):
    (_, sharp), _, truth = drawn_scores(seed, n=3000)
    weight = fit_weights([sharp], truth, [1.0])
    assert 0.2 < weight[0] < 0.31  # 1 / 4


@few
@seeds
def test_an_expert_that_guesses_has_little_to_say(seed):
    (good, _), noise, truth = drawn_scores(seed, n=2000)
    weights = fit_weights([good, noise], truth, [1.0, 1.0])
    assert weights[1] < 0.2 < 0.8 < weights[0]


def test_without_documents_the_prior_stands_and_with_few_it_nearly_does():
    assert_allclose(fit_weights([np.zeros((0, 2))] * 2, np.zeros(0, int), [0.4, 0.1]), [0.4, 0.1])
    scores = np.array([[0.1, 0.0]])
    weights = fit_weights([scores, -scores], np.array([0]), [0.4, 0.1])
    assert_allclose(weights, [0.4, 0.1], rtol=0.1)


@few
@seeds
def test_the_weights_are_the_posterior_mode_by_brute_force(seed):
    (good, sharp), noise, truth = drawn_scores(seed, n=40)
    prior, importance = np.array([0.5, 0.2, 0.3]), np.linspace(0.5, 1.5, 40)
    experts = [good, sharp, noise]
    found = fit_weights(experts, truth, prior, importance)

    def loss(log_weights):
        total = sum(w * own for w, own in zip(np.exp(log_weights), experts, strict=True))
        likelihood = importance @ log_softmax(total)[np.arange(40), truth]
        return -likelihood + 0.5 * ((log_weights - np.log(prior)) ** 2).sum()

    best = minimize(loss, np.log(prior), method="Nelder-Mead", options={"maxiter": 2000})
    assert loss(np.log(found)) <= best.fun + 1e-3
    assert_allclose(np.log(found), best.x, atol=0.02)


def test_log_softmax_is_exact_for_large_scores():
    scores = np.array([[1000.0, 0.0], [-5000.0, -5001.0]])
    found = log_softmax(scores)
    assert_allclose(np.exp(found).sum(axis=1), 1.0)
    assert_allclose(found[1], [-np.log1p(np.exp(-1)), -1 - np.log1p(np.exp(-1))])


@pytest.mark.parametrize(("n_held_out", "share"), [(0, 1.0), (50, 0.5)])
def test_confidence_moves_to_the_accuracy_expected(n_held_out, share):
    rng = np.random.default_rng(0)
    scores = 5 * rng.normal(size=(500, 4))

    def confidence(factor):
        return np.exp(log_softmax(factor * scores).max(axis=1)).mean()

    factor = temper(scores, Expectation(None, None, None, n_held_out, 0.5))
    target = share * 0.5 + (1 - share) * confidence(1.0)
    assert_allclose(confidence(factor), target, atol=2e-3)


def test_scores_that_say_nothing_are_left_alone():
    assert temper(np.zeros((10, 3)), Expectation(None, None, None, 0, 0.8)) == 1.0


def expected(right, **more):
    right = np.asarray(right, float)
    settings = {"n_classes": 4, "n_labeled": 80, "words_per_document": 50.0, "n_folds": 5}
    return expect_accuracy(right, np.ones(len(right)), **{**settings, **more})


def test_more_held_out_labels_tell_more():
    few_labels, many = expected([1, 1, 1, 0] * 3), expected([1, 1, 1, 0] * 250)
    assert many.high - many.low < few_labels.high - few_labels.low
    assert abs(many.accuracy - 0.75) < 0.03
    assert few_labels.low <= few_labels.accuracy <= few_labels.high
    assert many.n_held_out == 1000


def test_without_held_out_labels_only_a_wide_range_is_stated():
    two, many = expected([], n_classes=2, n_labeled=2), expected([], n_classes=30, n_labeled=30)
    assert (two.accuracy, two.n_held_out) == (None, 0)
    assert many.guess < two.guess  # what probabilities are calibrated to
    for found in (two, many):
        assert 0.0 <= found.low < found.guess < found.high <= 1.0
        assert found.high - found.low > 0.4
        assert found.to_json() == {
            "accuracy": None, "low": found.low, "high": found.high, "n_held_out": 0,
            "n_study_corpora": 20,
        }  # fmt: skip
    assert set(expected([1, 0]).to_json()) == {"accuracy", "low", "high", "n_held_out"}
    stopped = expected([], n_classes=2, n_labeled=20)  # before labels were held out
    assert (stopped.low, stopped.high) == (None, None)
    assert "n_study_corpora" not in stopped.to_json()


@pytest.mark.parametrize("study", ["few_labels", "short_texts"])
def test_the_range_with_one_label_per_class_contains_what_studies_found(study):
    lines = (RESULTS / f"{study}.jsonl").read_text().splitlines()
    rows = [
        row for row in map(json.loads, lines) if (row["method"], row["per_class"]) == ("auto", 1)
    ]
    inside = [row["expected_low"] <= row["accuracy"] <= row["expected_high"] for row in rows]
    assert np.mean(inside) >= 0.85


def test_classes_without_held_out_labels_widen_the_interval():
    """They may be half of the documents however few the classifier gives them."""
    right = [1] * 90 + [0] * 10
    all_classes, half = expected(right), expected(right, covered=(0.5, 0.99))
    assert half.low < 0.5 < half.accuracy < all_classes.accuracy
    assert half.high == pytest.approx(all_classes.high, abs=0.02)
    assert half.low <= half.accuracy <= half.high
    assert expected(right, covered=(1.0, 1.0)) == all_classes


def test_training_on_fewer_labels_is_made_up_for():
    """Two folds train on half of the labels, five on four fifths."""
    right = [1, 0] * 200
    assert expected(right, n_folds=2).accuracy > expected(right, n_folds=5).accuracy > 0.49


def test_important_documents_count_for_more():
    right = np.array([1.0] * 50 + [0.0] * 50)
    importance = np.array([3.0] * 50 + [1.0] * 50)
    found = expect_accuracy(right, importance, 4, 80, 50.0, 5)
    assert found.accuracy > expected(right).accuracy + 0.1


@few
@seeds
def test_the_interval_holds_the_truth_most_of_the_time(seed):
    rng = np.random.default_rng(seed)
    inside = []
    for _ in range(60):
        truth = rng.uniform(0.4, 0.9)
        found = expected(rng.random(60) < truth - 0.01)
        inside.append(found.low <= truth <= found.high)
    assert np.mean(inside) > 0.85


def test_probabilities_are_the_softmax_of_scores():
    scores = np.random.default_rng(0).normal(size=(20, 4)) * 300
    assert_allclose(softmax(scores).sum(axis=1), 1.0)
    assert_allclose(softmax(scores), np.exp(log_softmax(scores)))
    assert_allclose(softmax(scores + 1e5), softmax(scores), atol=1e-9)


def test_gaps_of_calibration_add_up_over_batches():
    rng = np.random.default_rng(0)
    confidence, right = rng.uniform(0.3, 1.0, 200), rng.random(200) < 0.7
    parts = [
        calibration_gaps(confidence[first::3], right[first::3], n_bins=7) for first in range(3)
    ]
    assert_allclose(np.sum(parts, axis=0), calibration_gaps(confidence, right, n_bins=7))
    total = np.abs(np.sum(parts, axis=0)).sum() / 200
    assert_allclose(total, calibration_error(confidence, right, n_bins=7))


def test_calibration_error_by_hand():
    confidence = np.array([0.95, 0.95, 0.55, 1.0])
    right = np.array([True, False, True, True])
    # Bins [0.9, 1]: two of three right, confidence 2.9; [0.5, 0.6): one of one, 0.55.
    assert_allclose(calibration_error(confidence, right), (0.9 + 0.45) / 4)
    assert np.isnan(calibration_error(np.zeros(0), np.zeros(0, bool)))
