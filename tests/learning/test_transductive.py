"""CCCP for transductive support vector machines: laws, constraint, agreement, every corpus."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.svm import SVC

from drawing import CORPORA, draw_corpus, in_memory
from leaven.corpora import Block
from leaven.corpora import in_memory as of_block
from leaven.learners._transductive import unit_length
from leaven.learning import Margin, run_cccp
from leaven.models import RampLoss

every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=6, deadline=None, derandomize=True)


def problem(seed, corpus=in_memory, balance="labels"):
    """A problem, and the solution of the supervised one to start from."""
    loss = RampLoss(3, 5.0, 3.0, -0.5)
    documents = corpus(draw_corpus(seed, weighted=True)).map(unit_length)
    start = Margin(documents, replace(loss, C_unlabeled=0.0)).solved()
    if balance == "none":
        return Margin(documents, loss), start
    return Margin.balanced(documents, loss, start if balance == "predicted" else None), start


@pytest.mark.parametrize("balance", ["labels", "predicted", "none"])
@few
@seeds
def test_no_convex_problem_raises_the_objective(balance, seed):
    found = run_cccp(*problem(seed, balance=balance), max_iter=15, tol=1e-9)
    assert np.diff(found.objective).max() <= 1e-6 * abs(found.objective[0])
    assert found.objective[-1] < found.objective[0]


@few
@seeds
def test_the_mean_score_of_unlabeled_documents_is_that_of_the_signs(seed):
    margin, start = problem(seed)
    table = run_cccp(margin, start).table
    (block,) = margin.corpus.blocks
    is_labeled = block.y >= 0
    scores = block.X @ table[:-1] + table[-1]
    mean = np.average(scores[~is_labeled], axis=0, weights=block.weight[~is_labeled])
    signs = np.where(block.y[:, None] == np.arange(3), 1.0, -1.0)[is_labeled]
    assert_allclose(mean, np.average(signs, axis=0, weights=block.weight[is_labeled]), atol=1e-9)


@few
@seeds
def test_or_that_of_the_signs_that_are_predicted(seed):
    margin, start = problem(seed, balance="predicted")
    table = run_cccp(margin, start).table
    (block,) = margin.corpus.blocks
    unlabeled = block.rows(np.flatnonzero(block.y < 0))
    predicted = (unlabeled.X @ start[:-1] + start[-1]).argmax(axis=1)
    signs = np.where(predicted[:, None] == np.arange(3), 1.0, -1.0)
    mean = np.average(unlabeled.X @ table[:-1] + table[-1], axis=0, weights=unlabeled.weight)
    assert_allclose(mean, np.average(signs, axis=0, weights=unlabeled.weight), atol=1e-9)


@every_corpus
def test_every_corpus_gives_the_same_machines(corpus):
    here, there = (run_cccp(*problem(2, where)) for where in (in_memory, corpus))
    assert_allclose(there.objective, here.objective, rtol=1e-5)
    assert_allclose(there.table, here.table, atol=1e-3)


def test_the_supervised_machine_is_nearly_that_of_libsvm():
    """The rounded corner of the hinge costs little: the objective is a little above its minimum."""
    drawn = draw_corpus(4, labeled=1.0, n_documents=80)
    y = (drawn.y == 1).astype(np.int64)
    X = unit_length(Block(drawn.X, y, drawn.weight)).X
    supervised = Margin(of_block(Block(X, y, drawn.weight)), RampLoss(2, 1.0, 0.0, -0.5))
    found = supervised.solved()
    theirs = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X.toarray(), y)
    sign = np.where(y == 1, 1.0, -1.0)

    def risk(words, bias):
        return 0.5 * words @ words + np.maximum(1 - sign * (X @ words + bias), 0).sum()

    best = risk(theirs.coef_[0], theirs.intercept_[0])
    assert best <= risk(found[:-1, 0], found[-1, 0]) <= 1.1 * best


def test_it_separates_unlabeled_documents_where_labels_alone_mislead():
    """Two clusters, and two labels in a direction across: Joachims' picture."""
    rng = np.random.default_rng(0)
    centers = np.repeat([[4.0, 1.0, 0.2], [1.0, 4.0, 0.2]], 40, axis=0)
    X = np.abs(centers + 0.5 * rng.normal(size=centers.shape))
    X[0], X[40] = [3.0, 2.9, 2.5], [2.9, 3.0, 0.1]
    y = np.full(80, -1)
    y[[0, 40]] = 0, 1
    block = unit_length(Block(csr_array(X), y, np.ones(80)))
    loss = RampLoss(2, 10.0, 1.0, -0.5)
    corpus = of_block(block)
    supervised = Margin(corpus, replace(loss, C_unlabeled=0.0))
    truth = np.repeat([0, 1], 40)

    def accuracy(table):
        return np.mean(((block.X @ table[:-1] + table[-1])[:, 0] > 0) == truth)

    labels_alone = supervised.solved()
    found = run_cccp(Margin.balanced(corpus, loss), labels_alone)
    assert accuracy(found.table) > accuracy(labels_alone)
    assert accuracy(found.table) > 0.95


def test_a_listener_stops_it():
    found = run_cccp(*problem(1), on_step=lambda step, _: step == 2)
    assert found.n_iter == 3  # the supervised problem is the first
    assert not found.converged


def test_it_starts_from_earlier_machines():
    margin, start = problem(1)
    first = run_cccp(margin, start, tol=1e-7)
    again = run_cccp(margin, first.table, tol=1e-5)
    assert again.n_iter <= 3
    assert_allclose(again.objective[0], first.objective[-1])
