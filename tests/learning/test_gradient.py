"""The climb by gradients: where it ends, when it has converged, how it is stopped."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from leaven.learning import Height, climb_gradient


def rosenbrock(vector):
    x, y = vector
    value = -((1 - x) ** 2) - 100 * (y - x**2) ** 2
    slope = np.array([2 * (1 - x) + 400 * x * (y - x**2), -200 * (y - x**2)])
    return Height(np.array([value]), np.array([1.0]), 0.0, slope)


def test_it_finds_the_maximum():
    found = climb_gradient(rosenbrock, np.array([-1.0, 2.0]), max_iter=200, tol=1e-14)
    assert_allclose(found.params, [1.0, 1.0], atol=1e-4)
    assert found.converged


def test_no_iteration_lowers_the_objective_and_the_last_one_is_of_the_returned_parameters():
    found = climb_gradient(rosenbrock, np.array([-1.0, 2.0]), max_iter=25, tol=0.0)
    assert np.diff(found.objective).min() >= 0
    assert found.n_iter == 25
    assert not found.converged
    assert found.objective[-1] == found.height.total == rosenbrock(found.params).total


def test_a_part_that_hides_the_other_does_not_end_the_climb():
    """Two independent coordinates: the large part is at its maximum from the start."""

    def height(vector):
        large, small = -1e9 - vector[0] ** 2, -((vector[1] - 3.0) ** 2)
        slope = np.array([-2 * vector[0], -2 * (vector[1] - 3.0)])
        return Height(np.array([large, small]), np.array([1e9, 1.0]), 0.0, slope)

    def hidden(vector):
        found = height(vector)
        total = found.parts.sum(keepdims=True)
        return Height(total, np.abs(total), 0.0, found.gradient)

    start = np.zeros(2)
    assert_allclose(climb_gradient(height, start, tol=1e-6).params[1], 3.0, atol=1e-3)
    assert climb_gradient(hidden, start, tol=1e-6).n_iter == 2


def test_a_listener_stops_it_with_what_was_reached():
    steps = []

    def on_step(step, objective):
        steps.append((step, objective))
        return step == 3

    found = climb_gradient(rosenbrock, np.array([-1.0, 2.0]), on_step=on_step)
    assert [step for step, _ in steps] == [0, 1, 2, 3]
    assert found.objective == [objective for _, objective in steps]
    assert not found.converged


def test_without_iterations_the_start_is_returned():
    start = np.array([0.5, 0.5])
    found = climb_gradient(rosenbrock, start, max_iter=0)
    assert_array_equal(found.params, start)
    assert found.n_iter == 0


def test_a_start_at_the_maximum_ends_there():
    found = climb_gradient(rosenbrock, np.array([1.0, 1.0]))
    assert_allclose(found.params, [1.0, 1.0])
    assert found.converged
