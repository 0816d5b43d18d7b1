"""The laws of the label-set mixture: its kernel, its climbs, every corpus, leaving one out."""

from dataclasses import replace
from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from drawing import CORPORA, N_WORDS, cut_up, draw_corpus, in_memory
from leaven.corpora import Block
from leaven.learning import run_em
from leaven.models import LabelSetMixture, LabelSetParams
from leaven.posteriors import SOFT, Hard, Tempered, cooling

MEMBERS = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 1]], bool)
MODELS = {
    "supervised": LabelSetMixture(MEMBERS),
    "with unlabeled documents": LabelSetMixture(MEMBERS, unlabeled_weight=0.3),
    "nothing left out": LabelSetMixture(MEMBERS, unlabeled_weight=1.0, leaves_one_out=False),
    "few pseudo-documents": LabelSetMixture(MEMBERS, 0.01, 0.5),
    "some sets": LabelSetMixture(MEMBERS, unlabeled_weight=0.7, open_sets=np.array([1, 3])),
}
POSTERIORS = [SOFT, Tempered(0.3), Hard()]
CLIMBS = {
    **{str(posterior): {"posterior": posterior} for posterior in POSTERIORS},
    "annealed": {"warm_up": cooling(0.1, 2.0, repeats=3)},
}
NEVER = -1.0
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
every_posterior = pytest.mark.parametrize("posterior", POSTERIORS, ids=str)
every_climb = pytest.mark.parametrize("climb", CLIMBS.values(), ids=CLIMBS.keys())
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
seeds = given(seed=st.integers(0, 2**16))
few = settings(max_examples=8, deadline=None, derandomize=True)
NAMES = ("words", "bounds", "slots", "sets")


def draw(seed, **more):
    return draw_corpus(seed, n_classes=len(MEMBERS), weighted=True, **more)


def start(model, drawn, n_iter=2):
    """Parameters after some iterations, so that documents are among the counts."""
    first = model.first_params(N_WORDS, drawn.X.dtype)
    return run_em(model, in_memory(drawn), first, max_iter=n_iter, tol=NEVER).params


def assert_same(here, there, **tolerance):
    for name in NAMES:
        assert_allclose(getattr(here, name), getattr(there, name), err_msg=name, **tolerance)


def slow_stats(model, params, posterior, drawn):
    """The formulas of the paper, word by word: the oracle of the kernel."""
    n_classes = model.n_classes
    words, bounds = np.zeros((2, N_WORDS, n_classes + 1))
    slots = [np.zeros(row.sum() + 2) for row in model.members]
    sets, objective = np.zeros(len(model.members)), 0.0
    flat = np.split(params.slots, model.starts[1:-1])
    log_sets = np.log((params.sets + model.set_alpha) / (params.sets + model.set_alpha).sum())

    def densities(columns, x, counts, totals, shares):
        with np.errstate(invalid="ignore", divide="ignore"):
            of_classes = np.where(totals > 1e-12, counts / totals, 0.0)
        return shares * np.hstack([of_classes, np.full((len(counts), 1), 1 / N_WORDS)])

    for x, y, weight in zip(drawn.X.toarray().astype(float), drawn.y, drawn.weight, strict=True):
        scale = weight * (1.0 if y >= 0 else model.unlabeled_weight)
        if scale == 0:
            continue
        found = {}
        open_sets = range(len(model.members)) if model.open_sets is None else model.open_sets
        for code in [y] if y >= 0 else open_sets:
            columns = [*np.flatnonzero(model.members[code]), n_classes]
            counts, totals = params.words[:, columns], params.totals[columns]
            shares = (1 + flat[code]) / (1 + flat[code]).sum()
            part = densities(columns, x, counts, totals, shares)
            if y >= 0 and model.leaves_one_out:
                copy = min(weight, 1.0)
                own = copy * x[:, None] * part / part.sum(axis=1, keepdims=True)
                left = np.maximum(flat[code] - own.sum(axis=0), 0)
                shares = (1 + left) / (1 + left).sum()
                others = params.bounds[:, columns] - copy * x[:, None]
                counts = np.maximum(np.minimum(counts - own[:, :-1], others), 0)
                counts[counts <= 1e-12] = 0
                part = densities(columns, x, counts, totals - own[:, :-1].sum(axis=0), shares)
            total = part.sum(axis=1)
            found[code] = (log_sets[code] + x @ np.log(total), columns, part / total[:, None])
        q, maximum = posterior(np.array([[score for score, *_ in found.values()]]))
        objective += scale * maximum[0]
        for share, (code, (_, columns, r)) in zip(q[0], found.items(), strict=True):
            if share < 1e-4:
                continue
            added = scale * share * x[:, None]
            words[:, columns] += added * r[:, :-1]
            bounds[:, columns] += added
            slots[code] += (added * r).sum(axis=0)
            sets[code] += scale * share
    return objective, words, bounds, np.concatenate(slots), sets


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@every_posterior
@every_model
@few
@seeds
def test_the_kernel_equals_a_slow_loop(model, posterior, dtype, seed):
    drawn = draw(seed, dtype=dtype)
    params = start(model, drawn)
    stats = in_memory(drawn).reduce(partial(model.expect, params, posterior))
    rtol = 1e-9 if dtype == np.float64 else 1e-3
    objective, *arrays = slow_stats(model, params, posterior, drawn)
    assert_allclose(stats.objective, objective, rtol=rtol)
    for name, wanted in zip(NAMES, arrays, strict=True):
        assert_allclose(getattr(stats, name), wanted, rtol=rtol, atol=10 * rtol, err_msg=name)


@every_corpus
@every_climb
@few
@seeds
def test_without_leaving_out_no_step_lowers_the_objective(climb, corpus, seed):
    model, drawn = MODELS["nothing left out"], draw(seed)
    first = start(model, drawn, 1)
    result = run_em(model, corpus(drawn), first, **climb, max_iter=8, tol=NEVER)
    is_same_beta = np.equal(result.betas[1:], result.betas[:-1])
    # Sets with a share below 1e-4 of an unlabeled document are left out of the counts.
    assert np.diff(result.objective)[is_same_beta].min() >= -1e-4 * abs(result.objective[-1])


@every_posterior
@every_model
@few
@seeds
def test_statistics_of_parts_add_up(model, posterior, seed):
    drawn = draw(seed)
    params = start(model, drawn)
    whole = in_memory(drawn).reduce(partial(model.expect, params, posterior))
    parts = [model.expect(params, posterior, block) for block in cut_up(drawn, 1 + seed % 11)]
    total = reduce(add, parts)
    assert_allclose(total.objective, whole.objective)
    assert_same(total, whole, atol=1e-12)


@every_climb
@every_model
@few
@seeds
def test_a_document_of_weight_two_counts_as_two_documents(model, climb, seed):
    """Of two copies one is left out, so that the other one still counts."""
    drawn = replace(draw(seed), weight=np.ones(40))
    doubled = replace(drawn, weight=np.full(40, 2.0))
    twice = drawn.rows(np.tile(np.arange(40), 2))
    params = start(model, doubled)
    heavy = run_em(model, in_memory(doubled), params, **climb, max_iter=4, tol=NEVER)
    many = run_em(model, in_memory(twice), params, **climb, max_iter=4, tol=NEVER)
    assert_allclose(heavy.objective, many.objective)
    assert_same(heavy.params, many.params, atol=1e-9)


@every_climb
@every_model
@few
@seeds
def test_every_corpus_and_order_gives_the_same_answer(model, climb, seed):
    """Nothing is remembered of a document between iterations, so it streams."""
    drawn = draw(seed)
    shuffled = drawn.rows(np.random.default_rng(seed).permutation(40))
    first = model.first_params(N_WORDS, np.dtype(np.float64))
    corpora = [*(corpus(drawn) for corpus in CORPORA.values()), in_memory(shuffled)]
    results = [run_em(model, each, first, **climb, max_iter=5, tol=NEVER) for each in corpora]
    for other in results[1:]:
        assert_allclose(other.objective, results[0].objective)
        assert_same(other.params, results[0].params, atol=1e-8)


@every_model
def test_the_m_step_is_a_maximum_of_its_objective(model):
    """Brute force: no parameters nearby are better under the same expectations."""
    drawn = draw(3)
    stats = in_memory(drawn).reduce(partial(model.expect, start(model, drawn), SOFT))
    best = model.maximize(None, stats)

    def value(params):
        used = params.totals > 0
        log_words = np.log(np.maximum(params.words[:, used] / params.totals[used], 1e-300))
        shares = np.split(1 + params.slots, model.starts[1:-1])
        log_shares = np.concatenate([np.log(each / each.sum()) for each in shares])
        expected = (stats.words[:, used] * log_words).sum() + stats.slots @ log_shares
        return expected + stats.sets @ model.log_sets(params) + model.log_prior(params)

    top, rng = value(best), np.random.default_rng(0)
    for _ in range(50):
        near = {
            name: getattr(best, name) * np.exp(0.05 * rng.normal(size=getattr(best, name).shape))
            for name in ("words", "slots", "sets")
        }
        assert value(LabelSetParams(bounds=best.bounds, **near)) <= top + 1e-9


def test_a_word_of_one_document_is_left_to_the_uniform_distribution():
    """Without the document nobody else uses the word, so only smoothing can explain it."""
    X = csr_array(np.array([[3.0, 1.0, 0.0], [2.0, 0.0, 1.0], [2.0, 0.0, 2.0]]))
    block = Block(X, np.array([0, 0, 1]), np.ones(3))
    model = LabelSetMixture(np.array([[1, 0], [0, 1]], bool))
    first = model.first_params(3, np.dtype(np.float64))
    params = run_em(model, in_memory_block(block), first, max_iter=3, tol=NEVER).params
    assert_allclose(params.words[1], 0.0)  # the second word, of the first document alone
    assert params.words[0, 2] > params.words[0, 0] > 0  # all use the first: background
    other = replace(model, leaves_one_out=False)
    kept = run_em(other, in_memory_block(block), first, max_iter=3, tol=NEVER).params
    assert kept.words[1, 0] > 0.1


def in_memory_block(block):
    from leaven.corpora import in_memory

    return in_memory(block, 1)


def test_the_likelihood_by_brute_force():
    """Two words, one set of two classes: P(d | c) of section 2 written out."""
    model = LabelSetMixture(np.array([[1, 1], [1, 0]], bool), leaves_one_out=False)
    params = LabelSetParams(
        np.array([[3.0, 1.0, 2.0], [1.0, 3.0, 2.0]]),
        np.full((2, 3), 9.0),
        np.array([4.0, 1.0, 2.0, 0.0, 5.0, 1.0, 1.0]),
        np.array([2.0, 1.0]),
    )
    shares = np.array([5.0, 2.0, 3.0, 1.0]) / 11
    word = shares @ np.array([[0.75, 0.25, 0.5, 0.5], [0.25, 0.75, 0.5, 0.5]]).T
    block = Block(csr_array(np.array([[2.0, 1.0]])), np.array([0]), np.ones(1))
    expected = np.log(3 / 5) + 2 * np.log(word[0]) + np.log(word[1])
    assert_allclose(model.expect(params, SOFT, block).objective, expected)


@pytest.mark.parametrize(
    ("n_words", "code", "message"),
    [(4, 0, "the same words, got 4 and 30"), (N_WORDS, 4, "below the number of label sets, 4")],
)
def test_documents_that_do_not_fit_are_refused(n_words, code, message):
    model = MODELS["supervised"]
    params = model.first_params(N_WORDS, np.dtype(np.float64))
    block = Block(csr_array(np.ones((1, n_words))), np.array([code]), np.ones(1))
    with pytest.raises(ValueError, match=message):
        model.expect(params, SOFT, block)
