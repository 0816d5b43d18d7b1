"""Weights, thresholds and preferred sets for documents with several labels."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize
from scipy.sparse import csr_array

from leaven.corpora import Block, TrainingSet, in_memory
from leaven.documents._label_sets import LabelSets, numbered
from leaven.experts import SeveralLabels
from leaven.held_out._set_combination import _representative
from leaven.held_out._set_weights import fit_set_weights, set_decision


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def draw(seed=0, n=3000, n_classes=5):
    """Log odds of classes, labels drawn from them, and two experts that see them with noise."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-1.5, 2.0, (n, n_classes))
    truth = rng.random((n, n_classes)) < sigmoid(odds)
    return odds, truth, [odds / 4, 3 * rng.normal(size=odds.shape)]


def test_calibrated_odds_are_found_whatever_the_scale_of_the_scores():
    odds, truth, experts = draw()
    fitted = fit_set_weights(experts, truth)
    found = fitted.log_odds(experts)
    assert_allclose(found, odds, atol=0.8)
    assert fitted.weights[0] * experts[0].std() > 10 * fitted.weights[1] * experts[1].std()
    p = sigmoid(found)
    for low in (0.1, 0.3, 0.5, 0.7):
        inside = (p >= low) & (p < low + 0.2)
        assert abs(truth[inside].mean() - p[inside].mean()) < 0.03


def test_the_fit_is_a_maximum_of_the_penalized_likelihood():
    """The formulas of the module, written out and maximized without a gradient."""
    _, truth, experts = draw(1, 60, 2)
    scores = np.stack(experts)
    center = -np.log(scores.std(axis=(1, 2)))

    def loss(values):
        log_weights, common, own, log_slopes = np.split(values, [2, 3, 5])
        z = np.exp(log_slopes) * np.tensordot(np.exp(log_weights), scores, 1) + common + own
        likelihood = np.where(truth, np.log(sigmoid(z)), np.log(sigmoid(-z))).sum()
        prior = ((log_weights - center) ** 2).sum() / 2
        prior += (own**2).sum() / 8 + 2 * (log_slopes**2).sum()
        return prior - likelihood

    best = minimize(loss, np.concatenate([center, np.zeros(5)]), method="BFGS").x
    assert np.abs(approx_fprime(best, loss, 1e-6)).max() < 1e-2
    log_weights, common, own, log_slopes = np.split(best, [2, 3, 5])
    fitted = fit_set_weights(experts, truth)
    assert_allclose(fitted.weights, np.exp(log_weights), rtol=0.02)
    assert_allclose(fitted.slopes, np.exp(log_slopes), rtol=0.02)
    assert_allclose(fitted.bias, common + own, atol=0.02)


def labels_of(truth, **more):
    return LabelSets(np.arange(truth.shape[1]), numbered(truth)[0], **more)


def test_a_class_that_no_held_out_document_has_is_improbable():
    _, truth, experts = draw(2, 400)
    truth[:, 0] = False
    fitted = fit_set_weights(experts, truth)
    assert sigmoid(fitted.log_odds(experts))[:, 0].mean() < 0.05
    decision = set_decision(labels_of(truth), fitted, fitted.log_odds(experts), truth)
    assert np.isfinite(decision.bias).all()


@pytest.mark.parametrize("noise", [0.5, 6.0])
def test_the_threshold_is_lower_where_classes_are_hard_to_tell(noise):
    rng = np.random.default_rng(3)
    truth = rng.random((2000, 4)) < 0.2
    scores = [np.where(truth, 1.0, -1.0) + noise * rng.normal(size=truth.shape)]
    fitted = fit_set_weights(scores, truth)
    odds = fitted.log_odds(scores)
    (threshold,) = set(set_decision(labels_of(truth), fitted, odds, truth).thresholds.tolist())
    p = np.sort(sigmoid(odds).ravel())[::-1]
    best = max(2 * p[:k].sum() / (k + p.sum()) for k in range(1, len(p), 7)) / 2
    assert best < threshold < 0.5
    assert (threshold > 0.4) == (noise == 0.5)


def test_classes_that_occur_together_are_predicted_together():
    """The second class is there if and only if the first is, but seen through more noise."""
    rng = np.random.default_rng(4)
    first = rng.random(3000) < 0.4
    third = ~first | (rng.random(3000) < 0.3)
    truth = np.stack([first, first, third], axis=1)
    noise = rng.normal(size=truth.shape) * [0.6, 3.0, 0.6]
    scores = [np.where(truth, 1.0, -1.0) + noise]
    fitted = fit_set_weights(scores, truth)
    odds, labels = fitted.log_odds(scores), labels_of(truth)
    decision = set_decision(labels, fitted, odds, truth)
    plain = SeveralLabels(
        labels, decision.slopes, decision.bias, decision.thresholds, np.zeros(labels.n_codes)
    )
    together, alone = ((each.rows(odds) == truth).all(axis=1).mean() for each in (decision, plain))
    assert decision.bonuses.any()
    assert together > alone + 0.1
    agree = [(rows[:, 0] == rows[:, 1]).mean() for rows in (decision.rows(odds), plain.rows(odds))]
    assert agree[0] > agree[1] + 0.1


def test_independent_classes_are_decided_one_by_one():
    odds, truth, _ = draw(5)
    fitted = fit_set_weights([odds], truth)
    found = fitted.log_odds([odds])
    decision = set_decision(labels_of(truth), fitted, found, truth)
    level = np.log(decision.thresholds / (1 - decision.thresholds))
    rows = decision.rows(found)
    one_by_one = found > level
    has_any = one_by_one.any(axis=1)
    assert (rows[has_any] == one_by_one[has_any]).all(axis=1).mean() > 0.97


def test_a_document_without_a_class_has_one_unless_none_is_allowed():
    truth = np.array([[1, 0], [0, 1], [0, 0]], bool)
    odds = np.array([[-3.0, -1.0], [2.0, -1.0]])
    forced = SeveralLabels.plain(labels_of(truth)).rows(odds)
    assert forced.tolist() == [[False, True], [True, False]]
    allowed = SeveralLabels.plain(labels_of(truth, allows_empty=True)).rows(odds)
    assert allowed.tolist() == [[False, False], [True, False]]


def test_preferred_sets_are_chosen_as_by_a_plain_loop():
    rng = np.random.default_rng(6)
    members = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 0]], bool)
    labels = LabelSets(np.arange(3), members)
    bonuses = np.array([0.7, -0.4, 1.2, 3.0])
    decision = SeveralLabels(labels, np.ones(3), np.zeros(3), np.array([0.4, 0.5, 0.3]), bonuses)
    odds = rng.normal(0, 2, (200, 3))
    level = np.log(decision.thresholds / (1 - decision.thresholds))
    for row, found in zip(odds, decision.rows(odds), strict=True):
        excess = row - level
        plain = excess > 0
        if not plain.any():
            plain[excess.argmax()] = True
        candidates = {
            tuple(plain): 0.0,
            **{tuple(s): b for s, b in zip(members, bonuses, strict=True)},
        }
        candidates.pop((False, False, False))  # every document has a class
        best = max(candidates, key=lambda s: excess[list(s)].sum() + candidates[s])
        assert tuple(found) == best


def test_held_out_sets_are_as_frequent_as_among_all_labeled_documents():
    """Of many documents a sample is held out, with more of the rare sets and without copies."""
    members = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], bool)
    n_all = np.array([30_000.0, 20_000.0, 400.0, 600.0])
    n_sampled = np.array([3000, 2000, 400, 1])  # the last set: copies of one document
    codes = np.repeat(np.arange(4), n_sampled)
    block = Block(csr_array(np.arange(1.0, len(codes) + 1)[:, None]), codes, np.ones(len(codes)))
    training = TrainingSet(in_memory(block, 1), LabelSets(np.arange(2), members), n_all)
    held = SimpleNamespace(truth=codes)
    found = np.bincount(codes[_representative(held, training)], minlength=4)
    assert found[:2].tolist() == [3000, 2000]
    assert 20 <= found[2] <= 60  # a tenth of 400
    assert found[3] == 1
    few = replace(training, label_weights=n_sampled.astype(float))
    assert len(_representative(held, few)) == len(codes)
