"""From labels to a fitted mixture: the start, restarts, annealing, correspondence."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import CORPORA, N_WORDS, Drawn, draw_corpus, in_memory
from leaven import NaiveBayesEM
from leaven.learning._climbs import (
    CORRESPONDENCES,
    Climb,
    components_of,
    fit_mixture,
    scaled_prior,
    supervised_start,
)
from leaven.learning._correspondence import by_labels, by_reference, reordered
from leaven.learning._em import run_em
from leaven.models import MultinomialMixture
from leaven.posteriors import SOFT, cooling

ONE = MultinomialMixture(np.arange(3))
SEVERAL = MultinomialMixture(np.array([0, 0, 1, 2, 2, 2]))
WARM_UP = cooling(0.1, 1.5)
CLIMBS = {"plain": Climb(), "restarts": Climb(n_init=3), "annealed": Climb(warm_up=WARM_UP)}

every_climb = pytest.mark.parametrize("climb", CLIMBS.values(), ids=CLIMBS.keys())


def fit(model, corpus, climb=CLIMBS["plain"], seed=0, **options):
    return fit_mixture(model, corpus, N_WORDS, np.float64, climb, seed, **options)


def test_components_stand_class_after_class():
    assert components_of([2, 1, 3]).tolist() == [0, 0, 1, 2, 2, 2]


@every_climb
def test_one_component_per_class_leaves_nothing_to_chance(climb):
    corpus = in_memory(draw_corpus(0))
    first, second = fit(ONE, corpus, climb, seed=1), fit(ONE, corpus, climb, seed=2)
    assert first.result.objective == second.result.objective
    assert_array_equal(first.result.params.log_word, second.result.params.log_word)
    assert first.start_objectives == [first.result.objective[-1]]  # whatever n_init


@every_climb
def test_a_fit_is_what_the_estimator_keeps(climb):
    drawn = draw_corpus(0)
    ours = fit(ONE, in_memory(drawn), climb)
    start = {"beta_start": 0.1, "beta_factor": 1.5} if climb.warm_up else {}
    estimator = NaiveBayesEM(n_init=climb.n_init, n_threads=1, **start).fit(drawn.X, drawn.y)
    assert_array_equal(estimator.feature_log_prob_, ours.result.params.log_word)
    assert_array_equal(estimator.objective_, ours.result.objective)


def test_one_component_per_class_starts_from_supervised_naive_bayes():
    drawn = draw_corpus(0)
    ours = fit(ONE, in_memory(drawn), Climb(max_iter=0))
    for code in range(3):
        counts = drawn.X.toarray()[drawn.y == code].sum(axis=0)
        assert_allclose(ours.labeled.words[code], counts)
        smoothed = (counts + 1) / (counts + 1).sum()
        assert_allclose(np.exp(ours.result.params.log_word[code]), smoothed)


@every_climb
def test_a_seed_decides_the_start_of_several_components(climb):
    corpus = in_memory(draw_corpus(0))
    first, again, other = (fit(SEVERAL, corpus, climb, seed) for seed in (1, 1, 2))
    assert first.start_objectives == again.start_objectives
    assert_array_equal(first.labeled.words, again.labeled.words)
    assert_array_equal(first.result.params.log_word, again.result.params.log_word)
    assert np.abs(first.labeled.words - other.labeled.words).max() > 0.1


@pytest.mark.parametrize("seed", range(5))
def test_labeled_documents_go_to_components_of_their_class_alone(seed):
    drawn = draw_corpus(seed, weighted=True)
    labeled = fit(SEVERAL, in_memory(drawn), seed=seed).labeled
    for code in range(3):
        own = SEVERAL.component_class == code
        weight = np.where(drawn.y == code, drawn.weight, 0.0)
        assert_allclose(labeled.documents[own].sum(), weight.sum())
        assert_allclose(labeled.words[own].sum(axis=0), weight @ drawn.X, atol=1e-9)


def test_words_of_a_class_stay_in_it_if_every_document_is_labeled():
    """One word per class: a component that took a share of another class would show it."""
    X = csr_array(np.repeat(np.eye(3), 4, axis=0) * 5.0)
    corpus = in_memory(Drawn(X, np.repeat(np.arange(3), 4), np.ones(12)))
    result = fit_mixture(SEVERAL, corpus, 3, np.float64, Climb(warm_up=WARM_UP)).result
    assert_array_equal(result.stats.words > 0, np.eye(3)[SEVERAL.component_class] > 0)


def test_documents_go_to_the_components_of_their_class_softly_and_unevenly():
    drawn = draw_corpus(0, n_documents=200)
    for seed in range(5):
        taken = fit(SEVERAL, in_memory(drawn), seed=seed).labeled.documents[:2]
        assert taken.min() > 0.2 * taken.sum()
        assert abs(taken[0] - taken[1]) > 1e-3 * taken.sum()


@pytest.mark.parametrize("factor", [0.01, 30.0])
def test_the_length_of_documents_does_not_change_how_they_are_split(factor):
    drawn = draw_corpus(0)
    long = replace(drawn, X=csr_array(factor * drawn.X))
    here, there = fit(SEVERAL, in_memory(drawn)), fit(SEVERAL, in_memory(long))
    assert_allclose(there.labeled.documents, here.labeled.documents)
    assert_allclose(there.labeled.words, factor * here.labeled.words, atol=1e-9)


def test_labeled_documents_without_a_word_are_split_evenly():
    X = csr_array(np.vstack([np.zeros((3, 4)), np.eye(4)]))
    corpus = in_memory(Drawn(X, np.array([0, 1, 1, -1, -1, -1, -1]), np.ones(7)))
    model = MultinomialMixture(np.array([0, 0, 1, 1]))
    labeled = fit_mixture(model, corpus, 4, np.float64, Climb()).labeled
    assert_allclose(labeled.documents, [0.5, 0.5, 1.0, 1.0])


@pytest.mark.parametrize("climb", [Climb(), Climb(warm_up=WARM_UP)], ids=["plain", "annealed"])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_several_starts_is_kept(seed, climb):
    corpus = in_memory(draw_corpus(seed))
    best = fit(SEVERAL, corpus, replace(climb, n_init=4), seed)
    assert len(best.start_objectives) == 4
    assert len(set(best.start_objectives)) > 1
    assert max(best.start_objectives) == best.result.objective[-1]
    # The first start is that of a fit with one: more of them can only gain.
    assert fit(SEVERAL, corpus, climb, seed).start_objectives == best.start_objectives[:1]


def test_the_labeled_statistics_are_those_of_the_start_that_is_kept():
    for seed in range(4):
        best = fit(SEVERAL, in_memory(draw_corpus(seed)), Climb(n_init=4), seed)
        start = SEVERAL.maximize(best.result.params, best.labeled)
        climbed = run_em(SEVERAL, in_memory(draw_corpus(seed)), start)
        assert climbed.objective == best.result.objective


@every_climb
@pytest.mark.parametrize("model", [ONE, SEVERAL], ids=["one component", "several"])
def test_every_corpus_gives_the_same_fit(model, climb):
    drawn = draw_corpus(1, weighted=True)  # whose starts differ in what they reach
    here, *others = (fit(model, corpus(drawn), climb) for corpus in CORPORA.values())
    for there in others:
        assert_allclose(there.labeled.words, here.labeled.words, atol=1e-9)
        assert_allclose(there.result.objective, here.result.objective)
        assert_allclose(there.result.params.log_word, here.result.params.log_word, atol=1e-6)
        assert_allclose(there.start_objectives, here.start_objectives)


@every_climb
@pytest.mark.parametrize("model", [ONE, SEVERAL], ids=["one component", "several"])
def test_the_order_of_documents_does_not_change_a_fit(model, climb):
    drawn = draw_corpus(1, weighted=True)  # whose starts differ in what they reach
    shuffle = np.random.default_rng(0).permutation(len(drawn.y))
    shuffled = Drawn(csr_array(drawn.X[shuffle]), drawn.y[shuffle], drawn.weight[shuffle])
    here, there = fit(model, in_memory(drawn), climb), fit(model, in_memory(shuffled), climb)
    assert_allclose(there.labeled.words, here.labeled.words, atol=1e-9)
    assert_allclose(there.result.objective, here.result.objective)
    assert_allclose(there.result.params.log_word, here.result.params.log_word, atol=1e-6)


@pytest.mark.parametrize("model", [ONE, SEVERAL], ids=["one component", "several"])
def test_a_document_of_weight_two_fits_like_two_documents(model):
    """Only some weigh two, so that a mean over documents is not that over weights."""
    drawn = draw_corpus(2)
    weight = np.where(np.arange(len(drawn.y)) % 3, 1.0, 2.0)
    twice = np.repeat(np.arange(len(drawn.y)), weight.astype(int))
    many = Drawn(csr_array(drawn.X[twice]), drawn.y[twice], np.ones(len(twice)))
    here, there = fit(model, in_memory(replace(drawn, weight=weight))), fit(model, in_memory(many))
    assert_allclose(there.labeled.words, here.labeled.words, atol=1e-9)
    assert_allclose(there.result.objective, here.result.objective)


@pytest.mark.parametrize("correspondence", CORRESPONDENCES)
@pytest.mark.parametrize("model", [ONE, SEVERAL], ids=["one component", "several"])
def test_an_annealed_history_is_of_one_climb(model, correspondence):
    corpus = in_memory(draw_corpus(1))
    result = fit(model, corpus, Climb(warm_up=WARM_UP, correspondence=correspondence)).result
    betas = [posterior.beta for posterior in WARM_UP]
    assert result.betas == betas + [1.0] * (len(result.betas) - len(betas))
    assert len(result.objective) == len(result.betas) == result.n_iter + 1
    assert result.converged
    climb = result.objective[len(betas) :]
    assert np.diff(climb).min() >= -1e-10 * abs(climb[-1])
    stats = corpus.reduce(partial(model.expect, result.params, SOFT))
    assert_allclose(result.objective[-1], stats.objective + model.log_prior(result.params))
    assert_allclose(result.stats.documents, stats.documents)


def wanderers():
    """Five classes with one short labeled document each: while they cool, two change places."""
    rng = np.random.default_rng(0)
    words = rng.dirichlet(np.full(N_WORDS, 1.0), size=5)
    truth = np.concatenate([np.arange(5), rng.integers(5, size=295)])
    length = np.where(np.arange(300) < 5, 3, 30)
    X = [rng.multinomial(n, words[code]) for n, code in zip(length, truth, strict=True)]
    y = np.where(np.arange(300) < 5, truth, -1)
    return Drawn(csr_array(np.array(X, dtype=float)), y, np.ones(300)), truth


@pytest.mark.parametrize(
    ("correspondence", "is_right"), {"as-is": False, "labels": True, "em": True}.items()
)
def test_a_correspondence_brings_wandering_classes_back(correspondence, is_right):
    drawn, truth = wanderers()
    model = MultinomialMixture(np.arange(5))
    climb = Climb(warm_up=cooling(0.02, 1.1), correspondence=correspondence, max_iter=300)
    params = fit(model, in_memory(drawn), climb).result.params
    accuracy = np.mean(model.class_log_joint(params, drawn.X).argmax(axis=1) == truth)
    assert (accuracy > 0.95) if is_right else (accuracy < 0.7)


@pytest.mark.parametrize(
    ("model", "drawn", "warm_up"),
    [
        (MultinomialMixture(np.arange(5)), wanderers()[0], cooling(0.02, 1.1)),
        (SEVERAL, draw_corpus(7), WARM_UP),
    ],
    ids=["one component", "several"],
)
def test_components_are_put_in_order_between_cooling_and_the_climb(model, drawn, warm_up):
    corpus, climb = in_memory(drawn), Climb(warm_up=warm_up, max_iter=300)
    fits = {
        name: fit(model, corpus, replace(climb, correspondence=name)) for name in CORRESPONDENCES
    }
    start = model.maximize(fits["em"].result.params, fits["em"].labeled)
    cooled = run_em(model, corpus, start, warm_up=warm_up, max_iter=0).params
    orders = {
        "as-is": np.arange(len(model.component_class)),
        "labels": by_labels(model, cooled, corpus),
        "em": by_reference(cooled, run_em(model, corpus, start, max_iter=300).params),
    }
    assert (orders["em"] != orders["as-is"]).any()
    for name, order in orders.items():
        expected = run_em(model, corpus, reordered(cooled, order), max_iter=300)
        found = fits[name].result
        assert_array_equal(found.params.log_word, expected.params.log_word)
        assert found.objective[len(warm_up) :] == expected.objective


def test_without_annealing_the_correspondence_is_the_labels_own():
    corpus = in_memory(draw_corpus(0))
    plain = fit(SEVERAL, corpus).result
    for name in CORRESPONDENCES:
        other = fit(SEVERAL, corpus, Climb(correspondence=name)).result
        assert_array_equal(other.params.log_word, plain.params.log_word)


@pytest.mark.parametrize("correspondence", CORRESPONDENCES)
@pytest.mark.parametrize("warm_up", [(), WARM_UP], ids=["plain", "annealed"])
def test_on_step_sees_every_objective_once(warm_up, correspondence):
    seen = []
    climb = Climb(warm_up=warm_up, correspondence=correspondence)
    result = fit(
        SEVERAL,
        in_memory(draw_corpus(0)),
        climb,
        on_step=lambda step, objective: seen.append((step, objective)),
    ).result
    assert seen == list(enumerate(result.objective))


def test_on_step_counts_on_from_start_to_start():
    steps = []
    climb = Climb(n_init=3, max_iter=4, tol=-1.0)
    fit(SEVERAL, in_memory(draw_corpus(0)), climb, on_step=lambda step, _: steps.append(step))
    assert steps == sorted(steps)
    assert len(steps) == 3 * 5
    assert steps[-1] == 3 * 4


def test_the_precision_asked_for_is_kept():
    drawn = draw_corpus(0, dtype=np.float32)
    ours = fit_mixture(SEVERAL, in_memory(drawn), N_WORDS, np.float32, Climb(warm_up=WARM_UP))
    assert ours.result.params.log_word.dtype == np.float32
    assert ours.labeled.words.dtype == np.float32


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
def test_the_prior_keeps_its_share_of_the_words_that_count(corpus):
    drawn = draw_corpus(2, weighted=True)
    words = drawn.weight * drawn.X.sum(axis=1)
    labeled, unlabeled = words[drawn.y >= 0].sum(), words[drawn.y < 0].sum()
    model = replace(ONE, alpha=0.7, unlabeled_weight=0.2)
    scaled = scaled_prior(model, corpus(drawn))
    assert_allclose(scaled.alpha / (labeled + 0.2 * unlabeled), 0.7 / (labeled + unlabeled))
    assert scaled.unlabeled_weight == 0.2


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_the_prior_stays_where_unlabeled_documents_count_in_full_or_not_at_all(weight):
    model = replace(ONE, unlabeled_weight=weight)
    assert scaled_prior(model, in_memory(draw_corpus(2))) is model


def test_the_prior_stays_where_every_document_is_labeled():
    drawn = draw_corpus(2, labeled=1.0)
    known = np.where(drawn.y < 0, 0, drawn.y)
    model = replace(ONE, unlabeled_weight=0.2)
    assert scaled_prior(model, in_memory(replace(drawn, y=known))) is model


def draw_many_words(seed=0, *, n_documents=800, n_words=3000, length=60):
    """Documents of four topics as real ones are: most words rare, most of them in all topics."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_documents) % 4
    common = 1.0 / np.arange(1, n_words + 1)
    words = rng.dirichlet(60.0 * common, size=4) + 0.5 * common / common.sum()
    words /= words.sum(axis=1, keepdims=True)
    X = np.array([rng.multinomial(length, words[code]) for code in truth], dtype=float)
    y = np.where(np.arange(n_documents) < 20, truth, -1)
    return csr_array(X), truth, y


@pytest.mark.parametrize("weight", [0.02, 0.05, 0.1])
def test_a_low_unlabeled_weight_does_not_let_one_class_take_all(weight):
    X, truth, y = draw_many_words()
    model = MultinomialMixture(np.arange(4), unlabeled_weight=weight)
    corpus = in_memory(Drawn(X, y, np.ones(len(y))))
    start, labeled = supervised_start(model, corpus, X.shape[1], np.float64)
    left_alone = run_em(model, corpus, start, max_iter=30).stats.documents - labeled.documents
    scaled = fit_mixture(model, corpus, X.shape[1], np.float64, Climb(max_iter=30))
    taken = scaled.result.stats.documents - labeled.documents
    assert left_alone.max() / left_alone.sum() > 0.8
    assert taken.max() / taken.sum() < 0.5
    found = model.class_log_joint(scaled.result.params, X).argmax(axis=1)
    supervised = model.class_log_joint(start, X).argmax(axis=1)
    assert (found == truth)[y < 0].mean() > (supervised == truth)[y < 0].mean()
    assert np.diff(scaled.result.objective).min() >= 0
