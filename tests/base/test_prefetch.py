"""An iterable one step ahead of its reader: the same items, the same faults, no thread left."""

import threading
import time

import pytest

from leaven._base.prefetch import ahead


def threads():
    return [own for own in threading.enumerate() if own.name == "leaven-ahead"]


def wait_until(condition):
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.parametrize("how_many", [1, 3])
@pytest.mark.parametrize("items", [[], [None], list(range(50)), [[], 0, "", None]], ids=str)
def test_all_items_come_in_order(items, how_many):
    assert list(ahead(items, how_many)) == items
    assert not threads()


def test_as_many_items_as_asked_for_are_made_while_one_is_worked_on():
    made = []

    def items():
        for number in range(10):
            made.append(number)
            yield number

    reader = ahead(items(), 2)
    assert next(reader) == 0
    # One is being worked on, two wait, and one more waits to be let in.
    wait_until(lambda: made == [0, 1, 2, 3])
    time.sleep(0.05)
    assert made == [0, 1, 2, 3]
    assert list(reader) == list(range(1, 10))


def test_nothing_is_made_before_the_first_item_is_asked_for():
    made = []
    reader = ahead(made.append(number) for number in range(3))
    assert not made
    assert not threads()
    del reader


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_a_fault_comes_after_the_items_before_it(kind):
    def items():
        yield 1
        yield 2
        raise kind("broken")

    reader = ahead(items())
    assert [next(reader), next(reader)] == [1, 2]
    with pytest.raises(kind, match="broken"):
        next(reader)
    assert not threads()
    assert list(reader) == []


def test_what_cannot_be_iterated_is_refused_in_the_reader():
    with pytest.raises(TypeError, match="not iterable"):
        list(ahead(3))
    assert not threads()


@pytest.mark.parametrize("stop", ["close", "forget", "throw"])
def test_a_reader_that_stops_early_stops_the_thread(stop):
    def items():
        number = 0
        while True:
            number += 1
            yield number

    reader = ahead(items())
    assert next(reader) == 1
    assert len(threads()) == 1
    if stop == "close":
        reader.close()
    elif stop == "forget":
        del reader
    else:
        with pytest.raises(RuntimeError, match="enough"):
            reader.throw(RuntimeError("enough"))
    assert not threads()


def test_what_the_items_hold_open_is_closed_when_the_reader_is_gone():
    closed = []

    def items():
        try:
            yield from range(10)
        finally:
            closed.append(True)

    for number in ahead(items()):
        if number == 3:
            break
    assert closed == [True]
