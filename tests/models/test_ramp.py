"""Losses of transductive support vector machines: plain loops, finite differences, laws."""

from dataclasses import replace
from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from drawing import CORPORA, N_WORDS, cut_up, draw_corpus, in_memory
from leaven.models import RampLoss
from leaven.models._ramp import ROUNDED, hinge

every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=10, deadline=None, derandomize=True)


def slow_hinge(z):
    if z >= 1:
        return 0.0
    if z > 1 - ROUNDED:
        return (1 - z) ** 2 / (2 * ROUNDED)
    return 1 - z - ROUNDED / 2


def slow_losses(loss, table, drawn):
    """Convex and concave part, document by document and machine by machine."""
    convex = concave = 0.0
    rows = zip(drawn.X.toarray(), drawn.y, drawn.weight, strict=True)
    for x, y, weight in rows:
        for column, machine in enumerate(loss.machine_classes):
            score = x @ table[:-1, column] + table[-1, column]
            if y >= 0:
                sign = 1 if y == machine else -1
                convex += loss.C * weight * slow_hinge(sign * score)
                continue
            for sign in (1, -1):
                convex += loss.C_unlabeled * weight * slow_hinge(sign * score)
                concave -= loss.C_unlabeled * weight * slow_hinge(sign * score + 1 - loss.ramp)
    return convex, concave


def case(seed, n_classes=3):
    drawn = draw_corpus(seed, weighted=True, n_classes=n_classes)
    loss = RampLoss(n_classes, 2.0, 0.7, -0.5)
    shape = (N_WORDS + 1, len(loss.machine_classes))
    return drawn, loss, 0.1 * np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("n_classes", [2, 3])
@few
@seeds
def test_losses_equal_a_slow_loop(n_classes, seed):
    drawn, loss, table = case(seed, n_classes)
    (block,) = in_memory(drawn).blocks
    convex, concave = slow_losses(loss, table, drawn)
    assert_allclose(loss.convex(table, block).value, convex)
    assert_allclose(loss.concave(table, block).value, concave, atol=1e-12)


@pytest.mark.parametrize("part", ["convex", "concave"])
@settings(max_examples=15, deadline=None)
@seeds
def test_gradients_equal_finite_differences(part, seed):
    drawn, loss, table = case(seed)
    of = partial(getattr(loss, part), block=in_memory(drawn).blocks[0])
    slope = approx_fprime(table.ravel(), lambda v: of(v.reshape(table.shape)).value, 1e-7)
    assert_allclose(of(table).table.ravel(), slope, rtol=1e-3, atol=2e-2)


def test_undecided_unlabeled_documents_are_not_pushed():
    """The two losses of a document cancel where its score is small."""
    scores = np.linspace(-0.7, 0.7, 15)
    (_, one), (_, other) = hinge(scores), hinge(-scores)
    assert_allclose(one - other, 0.0, atol=1e-12)


@every_corpus
@few
@seeds
def test_sums_are_the_same_on_every_corpus_and_add_up(corpus, seed):
    drawn, loss, table = case(seed)
    (block,) = in_memory(drawn).blocks
    for of in (partial(loss.convex, table), partial(loss.concave, table)):
        here, there = of(block), corpus(drawn).reduce(of)
        parts = reduce(add, [of(own) for own in cut_up(drawn, 1 + seed % 11)])
        for other in (there, parts):
            assert_allclose(other.value, here.value)
            assert_allclose(other.table, here.table, atol=1e-9)


@few
@seeds
def test_a_document_of_weight_two_counts_as_two(seed):
    drawn, loss, table = case(seed)
    (heavy,) = in_memory(replace(drawn, weight=2 * drawn.weight)).blocks
    (twice,) = in_memory(drawn.rows(np.tile(np.arange(40), 2))).blocks
    for of in (loss.convex, loss.concave):
        assert_allclose(of(table, heavy).value, of(table, twice).value)
        assert_allclose(of(table, heavy).table, of(table, twice).table, atol=1e-9)
