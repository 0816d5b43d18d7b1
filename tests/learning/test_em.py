import operator
import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from drawing import cut_up, draw_corpus, in_memory, random_params
from leaven.corpora import StreamedCorpus
from leaven.learning import anneal, run_em
from leaven.models import MultinomialMixture
from leaven.posteriors import SOFT, Tempered, cooling

MODEL = MultinomialMixture(np.arange(3))
SEVERAL = MultinomialMixture(np.array([0, 0, 1, 2, 2]))
NEVER = -1.0  # as tol: never converge


def test_it_stops_once_a_step_gains_too_little():
    result = run_em(MODEL, in_memory(draw_corpus(0)), random_params(0, 3), tol=1e-4)
    gains = np.diff(result.objective) / np.abs(result.objective[:-1])
    assert result.converged
    assert gains[-1] <= 1e-4
    assert (gains[:-1] > 1e-4).all()


def test_it_says_when_it_ran_out_of_iterations():
    result = run_em(MODEL, in_memory(draw_corpus(0)), random_params(0, 3), max_iter=1, tol=0.0)
    assert not result.converged
    assert result.n_iter == 1


def test_on_step_sees_every_objective():
    seen = []
    result = run_em(
        MODEL,
        in_memory(draw_corpus(0)),
        random_params(0, 3),
        on_step=lambda step, objective: seen.append((step, objective)),
    )
    assert seen == list(enumerate(result.objective))


@pytest.mark.parametrize("max_iter", [0, 3])
def test_the_history_starts_before_the_first_step(max_iter):
    result = run_em(
        MODEL, in_memory(draw_corpus(0)), random_params(0, 3), max_iter=max_iter, tol=0.0
    )
    assert len(result.objective) == max_iter + 1


@pytest.mark.parametrize("model", [MODEL, SEVERAL], ids=["one component", "several"])
def test_annealing_is_em_that_warms_up_while_beta_rises(model):
    corpus, params = in_memory(draw_corpus(0)), random_params(0, len(model.component_class))
    annealed = anneal(model, corpus, params, start=0.1, factor=1.5, repeats=2)
    warmed = run_em(model, corpus, params, warm_up=cooling(0.1, 1.5, 2))
    assert annealed.objective == warmed.objective
    assert annealed.betas == warmed.betas
    assert annealed.converged
    assert_array_equal(annealed.params.log_word, warmed.params.log_word)
    n_cooling = 2 * 6
    assert annealed.betas[:n_cooling] == [own.beta for own in cooling(0.1, 1.5, 2)]
    assert set(annealed.betas[n_cooling:]) == {1.0}


def test_annealing_starts_by_default_where_the_paper_does():
    result = anneal(MODEL, in_memory(draw_corpus(0)), random_params(0, 3))
    assert result.betas[0] == 0.02
    assert result.betas.index(1.0) == 394
    assert result.n_iter == len(result.objective) - 1 == len(result.betas) - 1 > 394


def test_annealing_from_one_is_em():
    corpus, params = in_memory(draw_corpus(0)), random_params(0, 3)
    plain, annealed = run_em(MODEL, corpus, params), anneal(MODEL, corpus, params, start=1.0)
    assert annealed.objective == plain.objective
    assert_array_equal(annealed.params.log_word, plain.params.log_word)


def test_every_posterior_of_the_warm_up_makes_one_m_step():
    corpus, params = in_memory(draw_corpus(0)), random_params(0, 3)
    warm_up = [Tempered(0.1), Tempered(0.7)]
    result = run_em(MODEL, corpus, params, warm_up=warm_up, max_iter=0)
    for posterior in warm_up:
        params = MODEL.maximize(params, corpus.reduce(partial(MODEL.expect, params, posterior)))
    assert_array_equal(result.params.log_word, params.log_word)
    assert_array_equal(result.params.log_weight, params.log_weight)
    assert result.betas == [0.1, 0.7, 1.0]
    assert result.n_iter == 2


def test_the_warm_up_is_never_cut_short():
    # Any gain is too little, so the climb proper stops after its first M-step.
    warm_up = cooling(0.1, 1.5, 2)
    run = partial(run_em, MODEL, in_memory(draw_corpus(0)), random_params(0, 3), warm_up=warm_up)
    eager = run(tol=1e9)
    assert eager.converged
    assert eager.n_iter == len(warm_up) + 1
    # And the limit is on the climb proper alone.
    assert run(max_iter=3, tol=-1.0).n_iter == len(warm_up) + 3


def test_the_last_temperature_is_not_compared_with_the_first_of_the_climb():
    """Objectives fall from one temperature to the next, which is no sign of convergence."""
    result = run_em(
        MODEL, in_memory(draw_corpus(0)), random_params(0, 3), warm_up=[Tempered(0.02)], tol=1e-9
    )
    assert result.objective[1] < result.objective[0]
    assert result.n_iter > 2


def test_on_step_sees_every_objective_of_an_annealed_run():
    seen = []
    result = anneal(
        MODEL,
        in_memory(draw_corpus(0)),
        random_params(0, 3),
        start=0.3,
        factor=1.2,
        on_step=lambda step, objective: seen.append((step, objective)),
    )
    assert seen == list(enumerate(result.objective))


def stopping_at(last, steps=None):
    """Asks for the end at a step; ``steps`` gathers those that were told."""

    def on_step(step, _objective):
        if steps is not None:
            steps.append(step)
        return step == last

    return on_step


@pytest.mark.parametrize("last", [0, 1, 4])
def test_the_answer_true_ends_the_climb_at_once(last):
    corpus, params, steps = in_memory(draw_corpus(0)), random_params(0, 3), []
    result = run_em(MODEL, corpus, params, tol=NEVER, on_step=stopping_at(last, steps))
    assert steps == list(range(last + 1))
    assert result.n_iter == last
    assert not result.converged
    expected = run_em(MODEL, corpus, params, max_iter=last, tol=NEVER)
    assert result.objective == expected.objective
    assert_array_equal(result.params.log_word, expected.params.log_word)
    assert_array_equal(result.params.log_weight, expected.params.log_weight)
    assert_array_equal(result.stats.words, expected.stats.words)


@pytest.mark.parametrize("last", [0, 2, 5, 6, 8])
@pytest.mark.parametrize("model", [MODEL, SEVERAL], ids=["one component", "several"])
def test_a_climb_that_was_ended_has_the_objective_of_its_parameters(model, last):
    corpus, start = in_memory(draw_corpus(1)), random_params(1, len(model.component_class))
    warm_up = cooling(0.1, 1.5)  # six temperatures
    result = run_em(model, corpus, start, warm_up=warm_up, tol=NEVER, on_step=stopping_at(last))
    made = [own.beta for own in [*warm_up, *[SOFT] * 9][: last + 1]]
    # A climb that ends at a temperature is told what its parameters are worth without.
    assert result.betas == (made if made[-1] == 1.0 else [*made, 1.0])
    stats = corpus.reduce(partial(model.expect, result.params, SOFT))
    assert result.objective[-1] == stats.objective + model.log_prior(result.params)
    assert_array_equal(result.stats.documents, stats.documents)


def test_nothing_is_summed_after_the_answer_true():
    corpus = Faraway(cut_up(draw_corpus(0)))
    run_em(MODEL, corpus, random_params(0, 3), tol=NEVER, on_step=stopping_at(2))
    assert len(corpus.sent) == 3


def test_a_climb_that_is_ended_before_its_first_step_returns_its_start():
    params = random_params(0, 3)
    result = run_em(MODEL, in_memory(draw_corpus(0)), params, on_step=stopping_at(0))
    assert_array_equal(result.params.log_word, random_params(0, 3).log_word)
    assert_array_equal(result.params.log_weight, random_params(0, 3).log_weight)
    assert result.n_iter == 0


@pytest.mark.parametrize("answer", [None, False, 0, 1, "yes", [1]], ids=str)
def test_any_other_answer_than_true_changes_nothing(answer):
    corpus, params = in_memory(draw_corpus(0)), random_params(0, 3)
    asked = run_em(MODEL, corpus, params, on_step=lambda *_: answer)
    assert asked.objective == run_em(MODEL, corpus, params).objective
    assert asked.converged


def test_a_climb_that_is_ended_where_it_converges_has_converged():
    corpus, params = in_memory(draw_corpus(0)), random_params(0, 3)
    n_iter = run_em(MODEL, corpus, params).n_iter
    assert run_em(MODEL, corpus, params, on_step=stopping_at(n_iter)).converged
    assert not run_em(MODEL, corpus, params, on_step=stopping_at(n_iter - 1)).converged


def test_annealing_can_be_ended_too():
    corpus, params = in_memory(draw_corpus(0)), random_params(0, 3)
    result = anneal(MODEL, corpus, params, start=0.1, factor=1.5, on_step=stopping_at(3))
    assert result.betas == [*(own.beta for own in cooling(0.1, 1.5)[:4]), 1.0]
    assert not result.converged


class Faraway:
    """A corpus in another process: what it is asked to do is sent there."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.sent = []

    def reduce(self, summarize, add=operator.add):
        self.sent.append(pickle.dumps(summarize))
        return StreamedCorpus(self.blocks).reduce(pickle.loads(self.sent[-1]), add)


def test_arrays_to_be_filled_are_not_sent_to_other_processes():
    drawn, params = draw_corpus(0), random_params(0, 3)
    there, warm_up = Faraway(cut_up(drawn)), [SOFT, SOFT]
    far = run_em(MODEL, there, params, warm_up=warm_up, max_iter=5)
    near = run_em(MODEL, StreamedCorpus(cut_up(drawn)), params, warm_up=warm_up, max_iter=5)
    assert far.objective == near.objective
    sizes = [len(message) for message in there.sent]
    assert max(sizes) - min(sizes) < params.log_word.nbytes / 2
