"""A short run of the harness that looks for faults, and all that it ever found, again."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from fuzzing import _interrupts, files, models  # noqa: E402
from fuzzing.__main__ import FOUND, replayed  # noqa: E402
from fuzzing._cases import Outcome, drawn, guarded, stored  # noqa: E402
from fuzzing._report import fault_lines  # noqa: E402
from fuzzing._running import run_cases, run_here  # noqa: E402
from fuzzing._shrinking import shrunk  # noqa: E402

from toy_cases import Toy, draw_toy  # noqa: E402

SEED = 2  # of toys, one of which crashes its process in the midst of others


@pytest.mark.slow
def test_random_files_are_read_alike_in_every_way_or_refused_in_one_line():
    tally = run_here("readers", files.draw, 7, range(250))
    assert fault_lines(tally) == []
    for reader in ("csv", "tsv", "jsonl", "parquet", "txt"):
        for result in ("read", "refused"):
            assert tally.counts["readers", reader, result] > 0


@pytest.mark.slow
def test_changed_model_files_work_or_are_refused_in_one_line():
    tally = run_here("models", models.draw, 7, range(250))
    assert fault_lines(tally) == []
    assert tally.counts["models", "metadata value", "loaded"] > 0
    assert tally.counts["models", "metadata value", "refused"] > 0


@pytest.mark.slow
def test_an_interrupted_fit_ends_with_keyboard_interrupt():
    outcomes = _interrupts.in_child(20, seed=0)
    assert set(outcomes) <= _interrupts.EXPECTED, outcomes
    assert outcomes["KeyboardInterrupt"] > 0


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.json")), ids=lambda path: path.stem)
def test_what_was_found_before_is_a_fault_no_more(path):
    outcome = replayed(path)
    assert not outcome.is_fault, f"{outcome.result}: {outcome.detail}"


@pytest.mark.parametrize("draw", [files.draw, models.draw])
def test_a_case_depends_on_its_seed_and_number_alone(draw):
    first = [drawn(draw, "part", 3, number).to_json() for number in range(20)]
    again = [drawn(draw, "part", 3, number).to_json() for number in reversed(range(20))]
    assert repr(first) == repr(again[::-1])
    assert repr(first) != repr([drawn(draw, "part", 4, n).to_json() for n in range(20)])


def test_a_fault_keeps_its_kind_while_its_case_gets_smaller(tmp_path):
    toy = Toy(b"some\nlines, and a bad one\nin between, bad too\n")
    outcome = guarded(toy, tmp_path)
    assert outcome == Outcome("toy", "bad", "as told", is_fault=True)
    smaller, fault = shrunk(toy, outcome, lambda case: guarded(case, tmp_path), seconds=5)
    assert (smaller.content, fault) == (b"bad", outcome)


def test_an_unexpected_exception_is_a_fault(tmp_path):
    outcome = guarded(Toy(b"error"), tmp_path)
    assert (outcome.result, outcome.is_fault) == ("KeyError in the check", True)


def test_a_stored_case_comes_back_as_it_was(tmp_path):
    case = files.FileCase("case.txt", b"a\x00\xff\r\n", columns={"text": "x"}, blocks=(1,))
    path = stored(case, "readers", Outcome("txt", "some fault", is_fault=True), tmp_path)
    assert files.FileCase.from_json(case.to_json()) == case
    assert not replayed(path).is_fault


@pytest.mark.slow
def test_a_crash_of_a_worker_is_counted_and_the_others_go_on():
    tally = run_cases("toys", draw_toy, SEED, 8, 1, float("inf"))
    expected = [drawn(draw_toy, "toys", SEED, number).content for number in range(8)]
    assert tally.counts["toys", "toy", "good"] == expected.count(b"good") > 0
    assert tally.counts["toys", "toy", "bad"] == expected.count(b"a bad one") > 0
    assert tally.counts["toys", "toy", "crashes the process"] == expected.count(b"crash") == 1
