import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax

from leaven.posteriors import SOFT, Hard, Tempered, cooling


@pytest.mark.parametrize("beta", [1.0, 0.3, 0.02])
def test_a_tempered_posterior_maximizes_what_it_says(beta):
    rng = np.random.default_rng(0)
    log_joint = rng.normal(size=(5, 4)) * 20
    q, maximum = Tempered(beta)(log_joint)
    assert_allclose(q, softmax(beta * log_joint, axis=1))
    assert_allclose(q.sum(axis=1), 1.0)

    def value(q):
        entropy = -np.where(q > 0, q * np.log(np.maximum(q, 1e-300)), 0.0).sum(axis=1)
        return (q * log_joint).sum(axis=1) + entropy / beta

    assert_allclose(value(q), maximum)
    for _ in range(100):
        assert (value(rng.dirichlet(np.ones(4), size=5)) <= maximum + 1e-9).all()


def test_soft_is_tempered_at_one_and_gives_the_log_likelihood():
    log_joint = np.log(np.array([[0.1, 0.3]]))
    q, maximum = SOFT(log_joint)
    assert_allclose(q, [[0.25, 0.75]])
    assert_allclose(maximum, np.log(0.4))


def test_hard_puts_everything_on_the_first_of_the_best():
    q, maximum = Hard()(np.array([[1.0, 3.0, 3.0]]))
    assert_allclose(q, [[0.0, 1.0, 0.0]])
    assert_allclose(maximum, 3.0)


@pytest.mark.parametrize("beta", [0, -1.0, 1.5, float("nan")])
def test_a_beta_outside_its_range_is_refused(beta):
    with pytest.raises(ValueError, match=r"beta must be in \(0, 1\], got"):
        Tempered(beta)


def test_scores_far_apart_do_not_overflow():
    q, maximum = SOFT(np.array([[-1e6, 0.0, -5e5]]))
    assert_allclose(q, [[0.0, 1.0, 0.0]])
    assert_allclose(maximum, 0.0)


def betas_of(*arguments):
    return np.array([posterior.beta for posterior in cooling(*arguments)])


def test_cooling_is_by_default_the_schedule_of_the_paper():
    betas = betas_of()
    assert len(betas) == 394
    assert betas[0] == 0.02
    assert_allclose(betas[1:] / betas[:-1], 1.01)
    assert betas[-1] < 1.0 <= 1.01 * betas[-1]


@pytest.mark.parametrize("start", [0.9999, 0.5, 0.02, 1e-6])
@pytest.mark.parametrize("factor", [1.001, 1.5, 10.0, 1e9])
def test_cooling_rises_till_the_next_would_be_one(start, factor):
    betas = betas_of(start, factor)
    assert betas[0] == start
    assert (np.diff(betas) > 0).all()
    assert betas[-1] < 1.0 <= factor * betas[-1] * (1 + 1e-9)


def test_cooling_that_arrives_at_one_exactly_leaves_it_out():
    assert_allclose(betas_of(0.125, 2.0), [0.125, 0.25, 0.5])
    assert_allclose(betas_of(1e-3, 10.0), [1e-3, 1e-2, 1e-1])


def test_cooling_repeats_each_temperature():
    once = betas_of(0.1, 1.5)
    assert_allclose(betas_of(0.1, 1.5, 3), np.repeat(once, 3), rtol=0)


@pytest.mark.parametrize("repeats", [1, 5])
def test_cooling_from_one_is_no_annealing(repeats):
    assert cooling(1.0, 1.01, repeats) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": 0}, r"start must be in \(0, 1\], got 0"),
        ({"start": 1.5}, r"start must be in \(0, 1\], got 1\.5"),
        ({"start": float("nan")}, r"start must be in \(0, 1\], got nan"),
        ({"start": "0.1"}, r"start must be a number in \(0, 1\], got '0\.1'"),
        ({"factor": 1}, r"factor must be in \(1, inf\), got 1"),
        ({"factor": 0.5}, r"factor must be in \(1, inf\), got 0\.5"),
        ({"factor": float("inf")}, r"factor must be in \(1, inf\), got inf"),
        ({"repeats": 0}, r"repeats must be in \[1, inf\), got 0"),
        ({"repeats": 1.5}, r"repeats must be a whole number in \[1, inf\), got 1\.5"),
    ],
    ids=str,
)
def test_a_schedule_that_could_not_end_is_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        cooling(**arguments)
