"""Excerpts: the first characters of texts, wherever these are."""

import numpy as np
import pyarrow as pa
import pytest

from leaven.documents import Documents
from leaven.documents._excerpts import Excerpts, excerpts_of_rows, excerpts_of_texts
from leaven.exceptions import DataError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("short", "short"),
        ("exactly 10 and more", "exactly 10"),
        ("  a\n\n\tb  c ", "a b c"),
        ("a b c d e f g h i j", "a b c d e "),
        ("äöü🙂🙂🙂🙂🙂🙂🙂🙂", "äöü🙂🙂🙂🙂🙂🙂🙂"),
        ("包" * 20, "包" * 10),
        ("\u2003" * 50 + "x" * 20, "x" * 10),
    ],
)
def test_an_excerpt_has_characters_and_single_spaces(text, expected):
    texts = pa.array([text], pa.large_string())
    assert excerpts_of_texts(texts, np.array([0]), 10) == [expected]


def batches(*sizes):
    number = 0
    for size in sizes:
        texts = pa.array([f"text {number + i}" for i in range(size)], pa.large_string())
        number += size
        yield Documents(texts, None, None, "a file")


@pytest.mark.parametrize("first", [0, 100])
def test_rows_are_found_by_number_in_any_order(first):
    numbers = np.array([7, 0, 3, 3, 9])
    found = excerpts_of_rows(batches(3, 0, 1, 4, 2), numbers + first, 99, first)
    assert found == [f"text {number}" for number in numbers]
    assert excerpts_of_rows(batches(3), numbers[:0], 99) == []


def test_batches_after_the_last_number_are_not_read():
    waiting = batches(3, 3, 3)
    assert excerpts_of_rows(waiting, np.array([4]), 99) == ["text 4"]
    assert len(next(waiting).texts) == 3


def test_a_file_that_lost_documents_is_refused():
    with pytest.raises(DataError, match="document 10 is no longer there: a file changed"):
        excerpts_of_rows(batches(3, 3), np.array([9, 1]), 99)


def test_excerpts_of_no_text_are_stored():
    none = Excerpts.of(5, [])
    assert len(none) == 0
    assert none.to_tensors()["starts"].tolist() == [0]
