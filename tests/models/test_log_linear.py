"""The naive Markov random field: brute force, finite differences, and the laws of its sums."""

from dataclasses import replace
from functools import partial, reduce
from itertools import product
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from scipy.special import logsumexp

from drawing import CORPORA, N_WORDS, cut_up, draw_corpus, in_memory
from leaven.corpora import Block
from leaven.models import NaiveMRF, log_unigram

TINY_WORDS, N_CLASSES, LONGEST = 3, 3, 4
SEQUENCES = {n: list(product(range(TINY_WORDS), repeat=n)) for n in range(LONGEST + 1)}
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=10, deadline=None, derandomize=True)


def tiny(seed):
    """A model of three words and three classes, and its parameters."""
    rng = np.random.default_rng(seed)
    model = NaiveMRF(N_CLASSES, np.log(rng.dirichlet(np.ones(TINY_WORDS))))
    return model, rng.normal(size=(TINY_WORDS + 1, N_CLASSES))


def counts_of(sequence):
    return np.bincount(np.array(sequence, int), minlength=TINY_WORDS)


def log_joint(model, table, sequence, y):
    """Eq. (3) of Druck et al., without Z, word by word."""
    return table[-1, y] + sum(model.log_unigram[w] + table[w, y] for w in sequence)


def log_partition(model, table, length):
    """The sum over every sequence of this length and every class."""
    terms = [
        log_joint(model, table, sequence, y)
        for sequence in SEQUENCES[length]
        for y in range(N_CLASSES)
    ]
    return logsumexp(terms)


def block_of(sequences, labels, weight=None):
    X = csr_array(np.array([counts_of(sequence) for sequence in sequences], float))
    weight = np.ones(len(labels)) if weight is None else weight
    return Block(X, np.array(labels), weight)


def marginal(model, table, block):
    partition = model.partition(table)
    return model.finished(partition, model.marginal(table, partition.log_total, block))


@pytest.mark.parametrize("length", range(LONGEST + 1))
@few
@seeds
def test_the_marginal_likelihood_of_every_sequence_by_enumeration(length, seed):
    model, table = tiny(seed)
    log_z = log_partition(model, table, length)
    total = 0.0
    for sequence in SEQUENCES[length]:
        joint = [log_joint(model, table, sequence, y) for y in range(N_CLASSES)]
        found = marginal(model, table, block_of([sequence], [-1])).value
        assert_allclose(found, logsumexp(joint) - log_z, atol=1e-12)
        total += np.exp(found)
    assert_allclose(total, 1.0)


@few
@seeds
def test_the_gradient_of_the_marginal_by_enumeration(seed):
    """Words and classes expected given the document, less those expected by the model."""
    model, table = tiny(seed)
    sequences = [SEQUENCES[n][(seed * (n + 1)) % len(SEQUENCES[n])] for n in range(LONGEST + 1)]
    expected = np.zeros_like(table)
    for sequence in sequences:
        for sign, others in ((1, [sequence]), (-1, SEQUENCES[len(sequence)])):
            joint = np.array(
                [[log_joint(model, table, other, y) for y in range(N_CLASSES)] for other in others]
            )
            share = np.exp(joint - logsumexp(joint))
            features = np.array([[*counts_of(other), 1] for other in others])
            expected += sign * features.T @ share
    found = marginal(model, table, block_of(sequences, [-1] * len(sequences)))
    assert_allclose(found.table, expected, atol=1e-12)


@few
@seeds
def test_the_conditional_likelihood_and_its_gradient_by_enumeration(seed):
    model, table = tiny(seed)
    rng = np.random.default_rng(seed)
    sequences = [tuple(rng.integers(TINY_WORDS, size=n)) for n in (0, 1, 2, 3, 4)]
    labels = [*rng.integers(N_CLASSES, size=4), -1]
    value, gradient = 0.0, np.zeros_like(table)
    for sequence, y in zip(sequences[:4], labels[:4], strict=True):
        joint = np.array([log_joint(model, table, sequence, k) for k in range(N_CLASSES)])
        value += joint[y] - logsumexp(joint)
        error = (np.arange(N_CLASSES) == y) - np.exp(joint - logsumexp(joint))
        gradient += np.outer([*counts_of(sequence), 1], error)
    found = model.conditional(table, block_of(sequences, labels))
    assert_allclose(found.value, value, atol=1e-12)
    assert_allclose(found.table, gradient, atol=1e-12)
    assert found.n_documents == 4


def drawn_case(seed, **more):
    drawn = draw_corpus(seed, weighted=True, **more)
    corpus = in_memory(drawn)
    model = NaiveMRF(3, log_unigram(corpus))
    table = np.random.default_rng(seed).normal(size=(N_WORDS + 1, 3))
    return drawn, corpus, model, table


@pytest.mark.parametrize("which", ["conditional", "marginal"])
@settings(max_examples=15, deadline=None)
@seeds
def test_gradients_equal_finite_differences(which, seed):
    drawn, _, model, table = drawn_case(seed)
    X = drawn.X.copy()
    X.data *= np.random.default_rng(seed).uniform(0.1, 2.0, X.nnz)  # lengths that are not whole
    (block,) = in_memory(replace(drawn, X=X)).blocks
    of = partial(model.conditional, block=block)
    if which == "marginal":
        of = partial(marginal, model, block=block)
    found = of(table)
    slope = approx_fprime(table.ravel(), lambda v: of(v.reshape(table.shape)).value, 1e-6)
    assert_allclose(found.table.ravel(), slope, rtol=1e-4, atol=1e-3)


@every_corpus
@few
@seeds
def test_sums_are_the_same_on_every_corpus(corpus, seed):
    drawn, _, model, table = drawn_case(seed)
    elsewhere = corpus(drawn)
    (block,) = in_memory(drawn).blocks
    log_total = model.partition(table).log_total
    assert_allclose(log_unigram(elsewhere), model.log_unigram)
    for of in (partial(model.conditional, table), partial(model.marginal, table, log_total)):
        here, there = of(block), elsewhere.reduce(of)
        assert_allclose(there.value, here.value)
        assert_allclose(there.table, here.table, atol=1e-9)
        assert_allclose(there.n_documents, here.n_documents)


@few
@seeds
def test_sums_of_parts_add_up_and_weights_are_repetitions(seed):
    drawn, _, model, table = drawn_case(seed)
    log_total = model.partition(table).log_total
    for of in (partial(model.conditional, table), partial(model.marginal, table, log_total)):
        whole = of(in_memory(drawn).blocks[0])
        parts = reduce(add, [of(block) for block in cut_up(drawn, 1 + seed % 11)])
        assert_allclose(parts.value, whole.value)
        assert_allclose(parts.table, whole.table, atol=1e-9)
        doubled = of(in_memory(replace(drawn, weight=2 * drawn.weight)).blocks[0])
        twice = of(in_memory(drawn.rows(np.tile(np.arange(40), 2))).blocks[0])
        assert_allclose(doubled.value, twice.value)
        assert_allclose(doubled.table, twice.table, atol=1e-9)


@few
@seeds
def test_permuting_classes_permutes_the_gradient(seed):
    drawn, _, model, table = drawn_case(seed)
    shuffle = np.random.default_rng(seed).permutation(3)
    renamed = replace(drawn, y=np.where(drawn.y < 0, -1, np.argsort(shuffle)[drawn.y]))
    (block,), (other,) = in_memory(drawn).blocks, in_memory(renamed).blocks
    for of in (model.conditional, partial(marginal, model)):
        here, there = of(table, block), of(np.ascontiguousarray(table[:, shuffle]), other)
        assert_allclose(there.value, here.value)
        assert_allclose(there.table, here.table[:, shuffle], atol=1e-9)


def test_where_classes_are_equal_documents_are_as_probable_as_their_words():
    drawn, corpus, model, table = drawn_case(0)
    (block,) = corpus.blocks
    found = marginal(model, np.zeros_like(table), block)
    assert_allclose(found.value, drawn.weight @ (drawn.X @ model.log_unigram))
    # The frequencies of words are their best parameters, but for one more of each.
    assert np.abs(found.table).max() < 2 * drawn.weight.sum() / len(drawn.y)


def test_counts_in_single_precision_give_the_same_gradient():
    drawn, _, model, table = drawn_case(1)
    narrow = replace(drawn, X=drawn.X.astype(np.float32))
    for of in (model.conditional, partial(marginal, model)):
        wide = of(table, in_memory(drawn).blocks[0])
        assert_allclose(of(table, in_memory(narrow).blocks[0]).table, wide.table, atol=1e-6)
