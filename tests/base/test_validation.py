"""Checks of what users pass: the values at the edges, and the words of the refusals."""

import threading

import numpy as np
import pytest

from leaven._base.threads import count_threads, run_in_threads
from leaven._base.validation import check_choice, check_in, check_whole

INTERVALS = {
    "[0, 1]": ([0, 0.5, 1, np.float32(1)], [-1e-9, 1.0001, float("nan"), float("inf")]),
    "(0, 1)": ([1e-300, 0.5], [0, 1, -0.0, float("nan")]),
    "[0, inf)": ([0, 1e300, 10**400], [-1, float("inf"), float("nan")]),
    "(0, inf)": ([5e-324, True], [0, False, -5, float("inf")]),
}
EDGES = [
    (value, interval, is_inside)
    for interval, values in INTERVALS.items()
    for is_inside, group in zip((True, False), values, strict=True)
    for value in group
]


@pytest.mark.parametrize(("value", "interval", "is_inside"), EDGES, ids=lambda case: str(case)[:9])
def test_an_interval_includes_its_square_ends_only(value, interval, is_inside):
    if is_inside:
        check_in("beta", value, interval)
        return
    with pytest.raises(ValueError) as caught:
        check_in("beta", value, interval)
    assert str(caught.value) == f"beta must be in {interval}, got {value!r}"


@pytest.mark.parametrize("value", ["1", None, [1], 1j])
def test_what_is_no_number_is_refused_as_a_kind(value):
    with pytest.raises(TypeError) as caught:
        check_in("beta", value, "[0, 1]")
    assert str(caught.value) == f"beta must be a number in [0, 1], got {value!r}"


def test_a_whole_number_may_be_numpys_but_not_a_float():
    check_whole("n", 3, "[0, 3]")
    check_whole("n", np.int8(0), "[0, 3]")
    for value in (2.0, True, "2", None, np.float64(1)):
        with pytest.raises(TypeError, match=r"n must be a whole number in \[0, 3\], got"):
            check_whole("n", value, "[0, 3]")
    with pytest.raises(ValueError, match=r"n must be in \[0, 3\], got 4"):
        check_whole("n", np.int64(4), "[0, 3]")


def test_a_choice_lists_the_others():
    check_choice("tokens", "words", ["words", "letters"])
    for value in ("bytes", None, ["words"], 3):
        with pytest.raises(ValueError) as caught:
            check_choice("tokens", value, iter(["words", "letters"]))
        assert str(caught.value) == f"tokens must be one of 'words', 'letters', got {value!r}"


def test_threads_are_as_many_as_given_or_as_processors():
    assert count_threads(3) == 3
    assert count_threads(np.int64(2)) == 2
    assert count_threads(-1) == count_threads(None) >= 1


@pytest.mark.parametrize("n_threads", [0, -2])
def test_less_than_one_thread_is_refused(n_threads):
    with pytest.raises(ValueError, match=f"at least 1, or -1 or None for all, got {n_threads}"):
        count_threads(n_threads)


@pytest.mark.parametrize("n_threads", ["2", 1.5, True, [1]])
def test_a_number_of_threads_that_is_none_is_refused(n_threads):
    with pytest.raises(TypeError, match="n_jobs must be a whole number, or None for all"):
        count_threads(n_threads)


def test_tasks_run_at_once_and_answer_in_order():
    everyone = threading.Barrier(3, timeout=10)

    def task(number):
        everyone.wait()  # passes only if all three run together
        return number

    waited = []
    assert run_in_threads(task, 3) == [0, 1, 2]
    assert run_in_threads(task, 3, lambda: waited.append(1)) == [0, 1, 2]
    assert waited


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_an_error_in_a_thread_reaches_the_caller(n_tasks):
    def task(number):
        raise KeyError(number)

    with pytest.raises(KeyError, match="0"):
        run_in_threads(task, n_tasks)
