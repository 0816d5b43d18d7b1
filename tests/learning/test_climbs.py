"""From labels to a fitted mixture: the start, restarts, annealing, correspondence."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from drawing import (
    CORPORA,
    N_DIMS,
    N_WORDS,
    Drawn,
    draw_corpus,
    in_memory,
    random_directions,
    random_params,
)
from leaven import NaiveBayesEM
from leaven.learning import (
    CORRESPONDENCES,
    Climb,
    components_of,
    fit_mixture,
    run_em,
    scaled_prior,
    supervised_start,
)
from leaven.learning._correspondence import by_labels, by_reference, reordered
from leaven.models import MultinomialMixture, TwoViewMixture, TwoViewParams
from leaven.posteriors import SOFT, cooling

ONE = MultinomialMixture(np.arange(3))
SEVERAL = MultinomialMixture(np.array([0, 0, 1, 2, 2, 2]))
WARM_UP = cooling(0.1, 1.5)
CLIMBS = {"plain": Climb(), "restarts": Climb(n_init=3), "annealed": Climb(warm_up=WARM_UP)}

every_climb = pytest.mark.parametrize("climb", CLIMBS.values(), ids=CLIMBS.keys())


def fit(model, corpus, climb=CLIMBS["plain"], seed=0, **options):
    return fit_mixture(model, corpus, climb, seed, **options)


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
    estimator = NaiveBayesEM(n_init=climb.n_init, n_jobs=1, **start).fit(drawn.X, drawn.y)
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
    result = fit_mixture(SEVERAL, corpus, Climb(warm_up=WARM_UP)).result
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
    labeled = fit_mixture(model, corpus, Climb()).labeled
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


# A climb that is ended by the answer True.


class Ending:
    """Asks for the end from a step on, as whoever answers True does, and remembers the steps."""

    def __init__(self, first):
        self.first, self.steps = first, []

    def __call__(self, step, _objective):
        self.steps.append(step)
        return step >= self.first


class Watched:
    """A corpus that counts the passes over it."""

    def __init__(self, corpus):
        self.corpus, self.n_passes = corpus, 0
        self.n_words, self.dtype = corpus.n_words, corpus.dtype

    def reduce(self, *given):
        self.n_passes += 1
        return self.corpus.reduce(*given)


def objective_of(model, corpus, params, posterior=SOFT):
    stats = corpus.reduce(partial(model.expect, params, posterior))
    return stats.objective + model.log_prior(params)


@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("model", [ONE, SEVERAL], ids=["one component", "several"])
def test_the_answer_true_ends_a_fit_at_once(model, first):
    corpus, ending = in_memory(draw_corpus(0)), Ending(first)
    found = fit(model, corpus, Climb(tol=-1.0), on_step=ending)
    expected = fit(model, corpus, Climb(tol=-1.0, max_iter=first))
    assert ending.steps == list(range(first + 1))
    assert found.result.objective == expected.result.objective
    assert found.result.objective[-1] == objective_of(model, corpus, found.result.params)
    assert not found.result.converged
    assert_array_equal(found.result.params.log_word, expected.result.params.log_word)
    assert_array_equal(found.labeled.words, expected.labeled.words)
    assert_array_equal(found.unlabeled_shares(model), expected.unlabeled_shares(model))


@pytest.mark.parametrize("correspondence", CORRESPONDENCES)
@pytest.mark.parametrize("warm_up", [(), WARM_UP], ids=["plain", "annealed"])
@pytest.mark.parametrize("first", [0, 2])
def test_after_the_answer_true_no_further_start_is_made(warm_up, correspondence, first):
    corpus, ending = in_memory(draw_corpus(0)), Ending(first)
    climb = Climb(n_init=4, warm_up=warm_up, correspondence=correspondence, tol=-1.0)
    found = fit(SEVERAL, corpus, climb, on_step=ending)
    assert len(found.start_objectives) == 1
    assert found.start_objectives[-1] == found.result.objective[-1]
    # The end is asked for once more where a correspondence comes between.
    assert len(ending.steps) <= first + 2


def test_of_the_starts_till_the_answer_true_the_best_is_kept():
    corpus, climb = in_memory(draw_corpus(1)), Climb(n_init=4)  # whose starts differ
    whole = fit(SEVERAL, corpus, climb)
    steps_of_a_start = climb.max_iter
    for first in (steps_of_a_start, steps_of_a_start + 1, 2 * steps_of_a_start):
        ending = Ending(first)
        found = fit(SEVERAL, corpus, climb, on_step=ending)
        n_whole = first // steps_of_a_start
        assert ending.steps[-1] == first
        assert len(found.start_objectives) == n_whole + 1
        assert found.start_objectives[:n_whole] == whole.start_objectives[:n_whole]
        assert found.result.objective[-1] == max(found.start_objectives)
        reached = objective_of(SEVERAL, corpus, found.result.params)
        assert_allclose(found.result.objective[-1], reached)


def test_a_start_that_was_ended_while_it_cooled_does_not_replace_a_finished_one():
    corpus, climb = in_memory(draw_corpus(1)), Climb(n_init=3, warm_up=cooling(0.02, 1.1))
    first = fit(SEVERAL, corpus, replace(climb, n_init=1))
    ending = Ending(len(climb.warm_up) + climb.max_iter + 3)  # in the second start
    found = fit(SEVERAL, corpus, climb, on_step=ending)
    assert found.start_objectives[0] == first.result.objective[-1]
    assert_array_equal(found.result.params.log_word, first.result.params.log_word)


def test_a_fit_that_was_ended_while_it_cooled_can_be_told():
    fitted = NaiveBayesEM(beta_start=0.1, beta_factor=1.5)
    fitted.fit_corpus(
        in_memory(draw_corpus(0)),
        classes=[0, 1, 2],
        on_progress=lambda phase, done, total: done >= 3,
    )
    assert fitted.betas_.tolist() == [*(own.beta for own in WARM_UP[:4]), 1.0]


@pytest.mark.parametrize("first", [0, 3, len(WARM_UP) - 1])
@pytest.mark.parametrize("correspondence", ["labels", "em"])
@pytest.mark.parametrize("model", [ONE, SEVERAL], ids=["one component", "several"])
def test_components_are_put_in_order_where_annealing_is_ended(model, correspondence, first):
    corpus, ending = in_memory(draw_corpus(7)), Ending(first)
    climb = Climb(warm_up=WARM_UP, correspondence=correspondence)
    found = fit(model, corpus, climb, on_step=ending)
    start = model.maximize(found.result.params, found.labeled)
    cooled = run_em(model, corpus, start, warm_up=WARM_UP[:first], max_iter=0).params
    order = {
        "labels": lambda: by_labels(model, cooled, corpus),
        # Plain EM, too, ends at once: its start is the reference.
        "em": lambda: by_reference(cooled, start),
    }[correspondence]()
    assert_array_equal(found.result.params.log_word, reordered(cooled, order).log_word)
    assert found.result.betas == [*(own.beta for own in WARM_UP[: first + 1]), 1.0]
    assert len(found.result.objective) == first + 2
    assert found.result.objective[-1] == objective_of(model, corpus, found.result.params)
    assert not found.result.converged
    assert ending.steps == list(range(first + 1))


@pytest.mark.parametrize("correspondence", CORRESPONDENCES)
def test_a_climb_after_annealing_can_be_ended(correspondence):
    corpus, ending = in_memory(draw_corpus(1)), Ending(len(WARM_UP) + 2)
    climb = Climb(warm_up=WARM_UP, correspondence=correspondence, tol=-1.0)
    found, whole = (fit(SEVERAL, corpus, climb, on_step=own).result for own in (ending, None))
    n_steps = len(WARM_UP) + 3
    assert ending.steps == list(range(n_steps))
    assert found.objective == whole.objective[:n_steps]
    assert found.betas == whole.betas[:n_steps]
    assert found.objective[-1] == objective_of(SEVERAL, corpus, found.params)


def test_annealing_that_is_ended_ends_with_the_objective_of_plain_em():
    corpus = in_memory(draw_corpus(1))
    found = fit(SEVERAL, corpus, Climb(warm_up=WARM_UP), on_step=Ending(3)).result
    assert found.betas == [*(own.beta for own in WARM_UP[:4]), 1.0]
    assert found.objective[-2] == objective_of(SEVERAL, corpus, found.params, WARM_UP[3])
    assert found.objective[-1] == objective_of(SEVERAL, corpus, found.params, SOFT)


def passes_when_ended(correspondence):
    corpus = Watched(in_memory(draw_corpus(0)))
    climb = Climb(warm_up=WARM_UP, correspondence=correspondence, tol=-1.0)
    fit(SEVERAL, corpus, climb, on_step=Ending(0))
    return corpus.n_passes


def test_hardly_anything_is_summed_after_the_answer_true():
    # Lengths of documents, the start, a step and its plain objective; votes of labels, a step.
    assert passes_when_ended("as-is") == 4
    assert passes_when_ended("labels") == 6


def test_no_reference_is_climbed_to_after_the_answer_true():
    assert passes_when_ended("em") <= 7


# A warm start.


TWO_VIEWS = TwoViewMixture(np.arange(3), 0.05, concentration=5.0, n_dims=N_DIMS)
MODELS = {
    "one component": ONE,
    "several": SEVERAL,
    "light unlabeled documents": replace(ONE, unlabeled_weight=0.2),
    "two views": TWO_VIEWS,
}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
every_corpus = pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())


def random_start(model, seed):
    params = random_params(seed, len(model.component_class))
    if model is not TWO_VIEWS:
        return params
    directions = random_directions(seed, len(model.component_class))
    return TwoViewParams(params.log_weight, params.log_word, directions)


@every_corpus
@every_model
@pytest.mark.parametrize("seed", range(3))
def test_from_where_em_converged_it_is_there_at_once(model, corpus, seed):
    own = corpus(draw_corpus(seed, weighted=True))
    first = fit(model, own, Climb(n_init=3)).result
    again = fit(model, own, Climb(n_init=3), start=first.params).result
    assert first.converged
    assert again.converged
    assert again.n_iter <= 2
    assert_allclose(again.objective[0], first.objective[-1])
    assert_allclose(again.objective[-1], first.objective[-1], rtol=3e-6)


@every_model
@pytest.mark.parametrize("seed", range(5))
def test_a_fit_never_lowers_the_objective_of_its_start(model, seed):
    corpus, start = in_memory(draw_corpus(seed, weighted=True)), random_start(model, seed)
    scaled = scaled_prior(model, corpus)
    for max_iter in (0, 1, 100):
        found = fit(model, corpus, Climb(max_iter=max_iter), start=start).result
        assert found.objective[0] == objective_of(scaled, corpus, start)
        assert found.objective[-1] == objective_of(scaled, corpus, found.params)
        assert np.diff(found.objective).min(initial=0.0) >= -1e-10 * abs(found.objective[0])
        assert found.n_iter <= max_iter
    assert found.objective[-1] > found.objective[0]


@every_model
def test_a_start_is_climbed_from_once_and_without_annealing(model):
    corpus, start = in_memory(draw_corpus(2)), random_start(model, 2)
    steps = []
    climb = Climb(n_init=5, warm_up=WARM_UP, correspondence="labels")
    found = fit(model, corpus, climb, start=start, on_step=lambda step, _: steps.append(step))
    plain = run_em(scaled_prior(model, corpus), corpus, start)
    assert found.start_objectives == [found.result.objective[-1]]
    assert set(found.result.betas) == {1.0}
    assert found.result.objective == plain.objective
    assert steps == list(range(found.result.n_iter + 1))
    assert_array_equal(found.result.params.log_word, plain.params.log_word)


@every_model
def test_a_start_stays_as_it_is(model):
    start, same = random_start(model, 3), random_start(model, 3)
    fit(model, in_memory(draw_corpus(3)), start=start)
    assert_array_equal(start.log_word, same.log_word)
    assert_array_equal(start.log_weight, same.log_weight)


def test_a_seed_does_not_change_a_fit_from_a_start():
    corpus, start = in_memory(draw_corpus(0)), random_params(0, 6)
    first, other = (fit(SEVERAL, corpus, seed=seed, start=start) for seed in (1, 2))
    assert first.result.objective == other.result.objective
    assert_allclose(first.unlabeled_shares(SEVERAL), other.unlabeled_shares(SEVERAL))


def test_shares_of_unlabeled_documents_are_those_of_the_solution_whatever_the_start():
    drawn = draw_corpus(0)
    corpus = in_memory(drawn)
    found = fit(SEVERAL, corpus, start=random_params(0, 6))
    joint = SEVERAL.class_log_joint(found.result.params, drawn.X[drawn.y < 0])
    shares = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)).mean(axis=0)
    assert_allclose(found.unlabeled_shares(SEVERAL), shares)


def test_a_fit_from_a_start_can_be_ended():
    corpus, start = in_memory(draw_corpus(0)), random_params(0, 6)
    ending = Ending(2)
    found = fit(SEVERAL, corpus, Climb(tol=-1.0), start=start, on_step=ending).result
    assert ending.steps == [0, 1, 2]
    assert found.n_iter == 2
    assert found.objective[-1] == objective_of(SEVERAL, corpus, found.params)


def test_the_precision_of_the_counts_is_kept():
    drawn = draw_corpus(0, dtype=np.float32)
    ours = fit_mixture(SEVERAL, in_memory(drawn), Climb(warm_up=WARM_UP))
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
    start, labeled = supervised_start(model, corpus)
    left_alone = run_em(model, corpus, start, max_iter=30).stats.documents - labeled.documents
    scaled = fit_mixture(model, corpus, Climb(max_iter=30))
    taken = scaled.result.stats.documents - labeled.documents
    assert left_alone.max() / left_alone.sum() > 0.8
    assert taken.max() / taken.sum() < 0.5
    found = model.class_log_joint(scaled.result.params, X).argmax(axis=1)
    supervised = model.class_log_joint(start, X).argmax(axis=1)
    assert (found == truth)[y < 0].mean() > (supervised == truth)[y < 0].mean()
    assert np.diff(scaled.result.objective).min() >= 0
