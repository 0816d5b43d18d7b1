"""Order and selection of a vocabulary's words, against lists of Python strings."""

import numpy as np
import pytest

from leaven.text._vocabulary import Vocabulary

ALPHABETS = ["ab", "ab\0", "aé中😀", "".join(map(chr, range(32, 127)))]


def _words(alphabet, most, n_words):
    rng = np.random.default_rng(len(alphabet))
    drawn = ("".join(rng.choice(list(alphabet), rng.integers(1, most))) for _ in range(n_words))
    return list(dict.fromkeys(drawn))


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("most", [4, 12, 40])
def test_words_are_ordered_by_code_points(alphabet, most):
    words = _words(alphabet, most, 2000)
    words += ["same beginning" + word for word in words[:300]]
    order = Vocabulary.of(words).sorted_order()
    assert [words[i] for i in order] == sorted(words)


@pytest.mark.parametrize("words", [[], ["one"], ["two", "one"], ["", "a", "\0"]])
def test_few_words_are_ordered_too(words):
    order = Vocabulary.of(words).sorted_order()
    assert [words[i] for i in order] == sorted(words)


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_selected_words_are_those_of_the_list(alphabet):
    words = _words(alphabet, 30, 500)
    numbers = np.random.default_rng(1).permutation(len(words))[:200]
    selected = Vocabulary.of(words).select(numbers)
    assert selected.words.to_pylist() == [words[i] for i in numbers]
    assert not selected.arena[selected.starts[-1] :].any()
    assert len(Vocabulary.of(words).select(numbers[:0])) == 0
