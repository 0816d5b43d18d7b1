"""Audits: where labels of documents drawn at random are known, only these are held out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from leaven._base.folds import labeled_folds
from leaven.corpora import Block, TrainingSet, in_memory
from leaven.corpora import _training_set as training_sets
from leaven.documents._label_sets import LabelSets
from leaven.documents._labels import Labels
from leaven.held_out import HeldOut
from leaven.held_out._expectation import FEWEST_AUDITED, expect_from_audits
from leaven.learners import Run
from leaven.significance import Z_90, wilson_interval

N = 80
Y = np.array([0, 1, 2] * 16 + [-1] * 32)
AUDITED = np.arange(0, 48, 3) + np.arange(16) % 3  # sixteen of the labeled documents


def block_of(y, seed=0):
    X = np.random.default_rng(seed).poisson(1.0, (len(y), 12)).astype(float)
    return Block(csr_array(X), np.asarray(y), np.ones(len(y)))


def training_of(block, audited, labels=None):
    labels = labels or Labels(np.arange(block.y.max() + 1))
    weights = np.bincount(block.y[block.y >= 0], minlength=labels.n_codes).astype(float)
    numbers = None if audited is None else np.asarray(audited, int)
    return TrainingSet(in_memory(block, 1), labels, weights, audited=numbers)


def held_numbers(held):
    """Numbers of the documents in each fold."""
    return [held.training.labeled.numbers[fold] for fold in held.places]


def test_exactly_the_audits_are_held_out_and_chosen_labels_always_train():
    held = HeldOut(training_of(block_of(Y), AUDITED), Run())
    assert sorted(np.concatenate(held_numbers(held)).tolist()) == sorted(AUDITED.tolist())
    chosen = np.setdiff1d(np.flatnonzero(Y >= 0), AUDITED)
    for fold in held.places:
        trained = held._folds.rest(fold).labeled.numbers
        assert set(chosen.tolist()) <= set(trained.tolist())
        assert not set(trained.tolist()) & set(held.training.labeled.numbers[fold].tolist())
    assert (held.n_audited, held.n_alone, held.kind) == (16, 0, "audited")


def test_where_nothing_is_known_all_labels_are_held_out():
    held = HeldOut(training_of(block_of(Y), None), Run())
    assert sorted(np.concatenate(held_numbers(held)).tolist()) == list(range(48))
    assert held.n_audited is None
    assert held.kind == "held-out"


@pytest.mark.parametrize("n_audited", [0, 1, FEWEST_AUDITED - 1])
def test_too_few_audits_are_not_held_out_and_nothing_is_stated(n_audited):
    held = HeldOut(training_of(block_of(Y), AUDITED[:n_audited]), Run())
    assert held.places == []
    assert held.lacks_audits
    found = held.expectation(np.zeros((0, 3)), np.full(3, 1 / 3))
    assert (found.accuracy, found.low, found.high, found.n_held_out) == (None, None, None, 0)
    assert 0 < found.guess < 1
    stated = found.to_json()
    assert stated["n_audited"] == n_audited
    assert stated["n_audits_needed"] == FEWEST_AUDITED - n_audited


def test_audits_all_weigh_the_same_whatever_the_shares_of_classes():
    held = HeldOut(training_of(block_of(Y), AUDITED), Run())
    assert_array_equal(held.importance(np.array([0.9, 0.05, 0.05])), np.ones(16))


def test_a_class_without_audits_is_no_trouble():
    audited = np.flatnonzero(Y == 0)
    held = HeldOut(training_of(block_of(Y), audited), Run())
    assert set(held.truth.tolist()) == {0}
    found = held.expectation(np.eye(3)[held.truth], np.full(3, 1 / 3))
    assert (found.n_audited, found.n_right) == (16, 16)
    assert found.high == 1.0


def test_the_only_audit_of_a_class_is_held_out_where_chosen_labels_have_it():
    y = np.array([0] * 12 + [1] * 3 + [-1] * 5)
    held = HeldOut(training_of(block_of(y), [*range(12), 12]), Run())
    assert 12 in np.concatenate(held_numbers(held))
    assert held.n_alone == 0


def test_the_only_label_of_a_class_is_kept_and_widens_the_interval():
    y = np.array([0] * 12 + [1] * 3 + [2] + [-1] * 5)
    held = HeldOut(training_of(block_of(y), [*range(12), 15]), Run())
    assert 15 not in np.concatenate(held_numbers(held))
    assert (held.n_audited, held.n_alone) == (13, 1)
    found = held.expectation(np.eye(3)[held.truth], np.full(3, 1 / 3))
    assert found.low == wilson_interval(12, 13, Z_90)[0]
    assert found.high == wilson_interval(13, 13, Z_90)[1]


def test_nothing_is_held_out_where_every_audit_is_the_only_label_of_its_class():
    y = np.array([*range(12), -1, -1])
    held = HeldOut(training_of(block_of(y), np.arange(12)), Run())
    assert (held.places, held.lacks_audits) == ([], False)
    found = held.expectation(np.zeros((0, 12)), np.full(12, 1 / 12))
    assert found.accuracy is None
    assert found.to_json()["n_audits_needed"] == 0


def test_a_document_with_an_audited_copy_is_an_audit():
    """It does not matter which of the copies is kept."""
    drawn = block_of(Y)
    twice = np.concatenate([np.arange(N), [5, 5, 7]])
    block = Block(csr_array(drawn.X[twice]), Y[twice], np.ones(len(twice)))
    audited = [*AUDITED, N + 1, N + 2]  # the last copies of 5 and 7; both were chosen at first
    training = training_of(block, audited)
    assert len(training.labeled.y) == 48
    found = set(training.labeled.numbers[training.is_audited].tolist())
    assert found == {*AUDITED.tolist(), 5, 7}
    # A copy that was chosen takes nothing away from an audit.
    again = training_of(block, [5])
    assert again.labeled.numbers[again.is_audited].tolist() == [5]


def test_audits_are_not_displaced_where_labels_are_sampled(monkeypatch):
    fetch = training_sets.labeled_documents
    monkeypatch.setattr(
        training_sets, "labeled_documents", lambda corpus, first: fetch(corpus, 20, first)
    )
    y = np.zeros(3000, int)
    y[1500:] = 1
    audited = np.random.default_rng(3).choice(3000, 15, replace=False)
    X = np.random.default_rng(0).poisson(1.0, (3000, 40)).astype(float)
    training = training_of(Block(csr_array(X), y, np.ones(3000)), audited)
    assert len(training.labeled.y) < 100
    assert set(training.labeled.numbers[training.is_audited].tolist()) == set(audited.tolist())


@given(seed=st.integers(0, 2**16))
def test_the_order_of_documents_does_not_matter(seed):
    order = np.random.default_rng(seed).permutation(N)
    block = block_of(Y)
    there = Block(csr_array(block.X[order]), Y[order], np.ones(N))
    place = np.argsort(order)
    first = HeldOut(training_of(block, AUDITED), Run())
    second = HeldOut(training_of(there, place[AUDITED]), Run())
    for here, elsewhere in zip(held_numbers(first), held_numbers(second), strict=True):
        assert_array_equal(here, order[elsewhere])


def test_folds_without_a_restriction_are_as_ever():
    codes = np.array([0, 1, 2, 0, 1, 2, 0, 1, 3])
    for n_folds in (2, 3, None):
        every = labeled_folds(codes, n_folds, 7, np.ones(9, bool))
        for one, other in zip(labeled_folds(codes, n_folds, 7), every, strict=True):
            assert_array_equal(one, other)


def test_label_sets_hold_out_audits_only():
    members = np.array([[1, 0], [0, 1], [1, 1]], bool)
    labels = LabelSets(np.arange(2), members)
    held = HeldOut(training_of(block_of(Y), AUDITED, labels), Run())
    assert sorted(np.concatenate(held_numbers(held)).tolist()) == sorted(AUDITED.tolist())


@given(
    n=st.integers(10, 200), share=st.floats(0, 1), guess=st.floats(0, 1), alone=st.integers(0, 3)
)
def test_the_interval_holds_the_accuracy_stated(n, share, guess, alone):
    right = np.arange(n) < round(share * n)
    found = expect_from_audits(right.astype(float), n + alone, alone, guess)
    assert 0 <= found.low <= found.accuracy + 1e-12
    assert found.accuracy <= found.high + 1e-12 <= 1 + 1e-12
    assert (found.n_right, found.n_held_out, found.n_audited) == (round(share * n), n, n + alone)


def test_without_guess_the_interval_is_wilsons_and_the_accuracy_its_middle():
    found = expect_from_audits(np.repeat([1.0, 0.0], [15, 5]), 20, 0)
    assert_allclose([found.low, found.high], wilson_interval(15, 20, Z_90))
    assert_allclose(found.accuracy, (found.low + found.high) / 2)


@given(seed=st.integers(0, 2**16))
def test_the_interval_holds_the_truth_nine_times_in_ten(seed):
    rng = np.random.default_rng(seed)
    inside = []
    for _ in range(300):
        truth = rng.uniform(0.5, 0.9)
        found = expect_from_audits((rng.random(20) < truth).astype(float), 20, 0, 0.6)
        inside.append(found.low <= truth <= found.high)
    assert np.mean(inside) > 0.82


def test_the_widths_are_those_of_the_documentation():
    widths = {}
    for n in (10, 30):
        found = expect_from_audits((np.arange(n) < 0.8 * n).astype(float), n, 0)
        widths[n] = round(100 * (found.high - found.low))
    assert widths == {10: 39, 30: 24}
