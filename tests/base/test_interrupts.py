"""Signals: kernels are not disturbed by them, and none gets lost."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from leaven._base import interrupts
from leaven._base.interrupts import Interrupted, interruptible, raise_pending, uninterrupted
from leaven._base.row_kernels import row_lanes
from leaven._base.threads import outside_main_thread, run_in_threads
from leaven.models._mixture_kernels import column_totals

INTERRUPTED_FITS = """
import os, signal, sys, threading, time
import numpy as np
from leaven import TextClassifier

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell ignores it
rng = np.random.default_rng(0)
words = [f"word{i}" for i in range(2000)]
texts = [" ".join(rng.choice(words, 30)) for _ in range(400)]
labels = ["a", "b"] * 20 + [None] * 360
fit = lambda: TextClassifier("nb", calibrate=False).fit(texts, labels)
fit()
start = time.perf_counter(); fit(); usual = time.perf_counter() - start
outcomes = {}
for delay in rng.uniform(0, usual, int(sys.argv[1])):
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    try:
        try:
            timer.start()
            fit()
            outcome = "finished"
        except BaseException as error:
            outcome = type(error).__name__
        timer.join()
        for _ in range(100):
            pass  # a late signal is raised here
    except KeyboardInterrupt:
        pass
    outcomes[outcome] = outcomes.get(outcome, 0) + 1
print(outcomes)
"""


def test_kernels_run_outside_the_main_thread():
    assert outside_main_thread(threading.current_thread) is not threading.main_thread()
    assert threading.main_thread() not in run_in_threads(lambda _: threading.current_thread(), 3)
    totals = np.zeros(2)
    column_totals(np.ones((3, 2), np.float32), row_lanes(2), totals)
    assert totals.tolist() == [3.0, 3.0]


def test_interrupts_of_a_fit_are_keyboard_interrupts():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_FITS, "60"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    outcomes = eval(done.stdout)
    assert set(outcomes) <= {"finished", "KeyboardInterrupt"}, done.stdout
    assert outcomes.get("KeyboardInterrupt", 0) > 0, done.stdout


def test_an_interrupt_waits_for_tasks_that_run():
    steps = []

    def task(_):
        time.sleep(0.2)
        steps.append("task")

    with interruptible():
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(Interrupted) as caught:
            run_in_threads(task, 2)
    assert caught.value.code == 143
    assert steps == ["task", "task"]


def test_an_interrupt_in_a_finalizer_is_raised_at_the_next_step(capsys, restored_signals):
    class Interrupting:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(100):
                pass  # the handler runs, and raises, here

    with interruptible():
        thing = Interrupting()
        del thing
        with pytest.raises(Interrupted) as caught:
            raise_pending()
    assert caught.value.code == 130
    assert capsys.readouterr().err == ""
    raise_pending()  # nothing is left


def test_what_must_not_be_left_halfway_is_done_before_an_interrupt_is_raised():
    steps = []

    def work():
        with uninterrupted():
            with uninterrupted():
                os.kill(os.getpid(), signal.SIGTERM)
                raise_pending()
                steps.append("inner")
            steps.append("outer")
        steps.append("after")

    with interruptible(), pytest.raises(Interrupted) as caught:
        work()
    assert caught.value.code == 143
    assert steps == ["inner", "outer"]


def test_cleaning_up_after_an_interrupt_does_not_raise_it_again():
    steps = []

    def work():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            with uninterrupted():
                steps.append("first")
            steps.append("second")

    with interruptible(), pytest.raises(Interrupted):
        work()
    assert steps == ["first", "second"]


def test_an_error_that_follows_from_an_interrupt_is_the_interrupt():
    def work():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except SystemExit:
            raise ValueError("half done") from None

    with pytest.raises(Interrupted) as caught, interruptible():
        work()
    assert caught.value.code == 130


def test_callbacks_that_an_interrupt_left_halfway_print_nothing(capsys):
    class Failing:
        def __del__(self):
            raise AssertionError("left halfway")

    with interruptible():
        Failing()
        assert "left halfway" in capsys.readouterr().err
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), signal.SIGINT)
        Failing()
    Failing()  # while the interpreter ends
    assert capsys.readouterr().err == ""


def test_signals_are_ignored_once_the_work_is_done():
    with interruptible():
        pass
    assert [signal.getsignal(number) for number in interrupts.SIGNALS] == [signal.SIG_IGN] * 2


def test_a_second_signal_ends_a_process_that_was_interrupted():
    with pytest.raises(Interrupted), interruptible():
        os.kill(os.getpid(), signal.SIGINT)
    assert [signal.getsignal(number) for number in interrupts.SIGNALS] == [signal.SIG_DFL] * 2


@pytest.fixture(autouse=True)
def restored_signals():
    before = {number: signal.getsignal(number) for number in interrupts.SIGNALS}
    hook = sys.unraisablehook
    yield
    sys.unraisablehook = hook
    for number, handler in before.items():
        signal.signal(number, handler)
