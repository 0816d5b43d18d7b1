import numpy as np
import pytest

from drawing import draw_corpus, in_memory, random_params
from leaven.em import run_em
from leaven.models import MultinomialMixture

MODEL = MultinomialMixture(np.arange(3))


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
