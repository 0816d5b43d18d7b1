"""Objectives of maximum entropy and its hybrids: gradients, limits, agreement, every corpus."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from drawing import CORPORA, N_WORDS, draw_corpus, in_memory
from leaven.learning import (
    Conditional,
    Coupled,
    Likelihoods,
    MultiConditional,
    _hybrids,
    climb_gradient,
)

OBJECTIVES = {
    "conditional": lambda of: Conditional(of, 0.7),
    "multi-conditional": lambda of: MultiConditional(of, 0.7, 30.0),
    "coupled": lambda of: Coupled(of, 0.7, 0.2),
}
every_objective = pytest.mark.parametrize("make", OBJECTIVES.values(), ids=OBJECTIVES.keys())
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=6, deadline=None, derandomize=True)


def likelihoods(seed, corpus=in_memory, **more):
    return Likelihoods.of(corpus(draw_corpus(seed, weighted=True, **more)), 3, 1)


def climbed(objective, **more):
    start = objective.start(np.zeros(objective.likelihoods.shape))
    found = climb_gradient(objective.height, start, **{"max_iter": 400, "tol": 1e-10, **more})
    return objective.table(found.params)


@every_objective
@few
@seeds
def test_gradients_equal_finite_differences(make, seed):
    objective = make(likelihoods(seed))
    start = objective.start(np.zeros(objective.likelihoods.shape))
    vector = start + 0.3 * np.random.default_rng(seed).normal(size=start.shape)
    slope = approx_fprime(vector, lambda v: objective.height(v).total, 1e-6)
    found = objective.height(vector).gradient
    assert_allclose(found, slope, rtol=1e-4, atol=1e-4 * np.abs(found).max())


@every_objective
@every_corpus
def test_objectives_are_the_same_on_every_corpus(make, corpus):
    here, there = make(likelihoods(3)), make(likelihoods(3, corpus))
    vector = 0.3 * np.random.default_rng(0).normal(
        size=here.start(np.zeros((N_WORDS + 1, 3))).shape
    )
    assert_allclose(there.height(vector).total, here.height(vector).total)
    assert_allclose(there.height(vector).gradient, here.height(vector).gradient, atol=1e-8)


@every_corpus
def test_many_labeled_documents_stay_where_they_are(corpus, monkeypatch):
    usual = likelihoods(3, corpus)
    monkeypatch.setattr(_hybrids, "MOST_LABELED", 2)
    there = likelihoods(3, corpus)
    assert there.labeled is there.corpus
    assert usual.labeled is not usual.corpus
    table = np.random.default_rng(0).normal(size=usual.shape)
    assert_allclose(there.of_labels(table).value, usual.of_labels(table).value)
    assert_allclose(there.of_labels(table).table, usual.of_labels(table).table, atol=1e-9)


@few
@seeds
def test_the_conditional_objective_is_logistic_regression(seed):
    """scikit-learn's has no prior on intercepts, so here they are weights of a constant word."""
    drawn = draw_corpus(seed, weighted=True)
    found = climbed(Conditional(Likelihoods.of(in_memory(drawn), 3), 2.0))
    rows = np.flatnonzero(drawn.y >= 0)
    X = np.hstack([drawn.X.toarray()[rows], np.ones((len(rows), 1))])
    theirs = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(X, drawn.y[rows], sample_weight=drawn.weight[rows])
    assert_allclose(found, theirs.coef_.T, atol=1e-3)


def test_a_free_coupling_is_maximum_entropy_and_a_tight_one_joins_the_tables():
    of = likelihoods(5)
    alone = climbed(Conditional(of, 1.0))
    assert_allclose(climbed(Coupled(of, 1.0, 1e8)), alone, atol=1e-2)
    tight = Coupled(of, 1.0, 1e-6)
    start = tight.start(alone)
    found = climb_gradient(tight.height, start, max_iter=200, tol=1e-10).params
    ours, theirs = np.split(found, 2)
    assert_allclose(ours, theirs, atol=1e-2)


def test_a_large_weight_of_labels_is_maximum_entropy():
    of = likelihoods(5)
    # The prior counts in proportion, so its variance is that much smaller.
    alone = climbed(Conditional(of, 1.0))
    heavy = climbed(MultiConditional(of, 1e-6, 1e6))
    assert_allclose(heavy, alone, atol=2e-2)


@every_objective
def test_no_iteration_lowers_the_objective(make):
    objective = make(likelihoods(7))
    start = objective.start(np.zeros(objective.likelihoods.shape))
    found = climb_gradient(objective.height, start, max_iter=60, tol=1e-12)
    assert np.diff(found.objective).min() >= 0
    assert found.objective[-1] > found.objective[0]
