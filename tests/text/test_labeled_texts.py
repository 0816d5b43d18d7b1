"""Labeled texts as hashes: equal texts, and nothing else, are recognised."""

from functools import reduce
from operator import add

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaven.text import _labeled_texts
from leaven.text._labeled_texts import LabeledTexts, text_hashes


def column(texts):
    return pa.array(texts, pa.large_string())


@settings(deadline=None)  # the first call may compile
@given(st.lists(st.text(max_size=40), max_size=20))
def test_texts_have_equal_hashes_if_they_are_equal_without_white_space_around_them(texts):
    texts = [*texts, *(f" {text}\n" for text in texts)]
    trimmed = [text.as_py() for text in pa.compute.utf8_trim_whitespace(column(texts))]
    hashes = text_hashes(column(texts)).tolist()
    assert len(set(zip(trimmed, hashes, strict=True))) == len(set(trimmed)) == len(set(hashes))


def test_hashes_of_similar_texts_differ():
    texts = [f"{a}{'x' * n}{b}" for n in range(40) for a in "ab\0" for b in "ab\0"]
    texts += [text[:5] + "y" + text[6:] for text in texts if len(text) > 20]
    assert len(set(text_hashes(column(texts)).tolist())) == len(set(texts))


def test_hashes_do_not_change_between_versions():
    # Model files hold them.
    hashes = text_hashes(column(["", "yeast", "bread and butter", "naïve café"]))
    assert [f"{each:016x}" for each in hashes.tolist()] == GOLDEN


GOLDEN = ["4bfa09ca9d61271d", "40e0eac1829a9418", "6670572fc6ffeb67", "50ca5fa20c44bee9"]


def test_hashes_are_those_of_a_slice():
    whole = column([f"text {i}" for i in range(50)])
    assert text_hashes(whole.slice(7, 20)).tolist() == text_hashes(whole).tolist()[7:27]


def test_hashes_use_all_bits():
    hashes = text_hashes(column([str(i) for i in range(20_000)]))
    bits = np.unpackbits(hashes.view(np.uint8)).reshape(-1, 64)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.02


def test_parts_add_up_to_the_whole(monkeypatch):
    texts = [f"text {i % 60}" if i % 7 else " " for i in range(100)]
    labels = [f"class {i % 3}" for i in range(100)]
    whole = LabeledTexts.of(column(texts), column(labels))
    parts = [LabeledTexts.of(column(texts[i::9]), column(labels[i::9])) for i in range(9)]
    together = reduce(add, parts, LabeledTexts.none())
    assert (whole.n_blank, whole.n_texts) == (together.n_blank, together.n_texts) == (15, 85)
    assert whole.hashes.tolist() == together.hashes.tolist()
    assert len(whole.hashes) == 57
    assert (np.diff(whole.hashes) > 0).all()


@pytest.mark.parametrize("n_parts", [1, 4, 30])
def test_of_very_many_texts_a_sample_is_kept(monkeypatch, n_parts):
    texts = [f"text {i // 2}" for i in range(200)]
    every = np.unique(text_hashes(column(texts)))
    monkeypatch.setattr(_labeled_texts, "MOST_REMEMBERED", 40)
    parts = [LabeledTexts.of(column(t := texts[i::n_parts]), column(t)) for i in range(n_parts)]
    together = reduce(add, parts)
    assert together.n_texts == 200
    assert len(together.table) <= 80
    assert together.hashes.tolist() == every[:20].tolist()  # both copies of the first ones
