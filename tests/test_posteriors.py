import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax

from leaven.posteriors import SOFT, Hard, Tempered


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
