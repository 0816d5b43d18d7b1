"""tokens="spaces": words are what white space separates."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leaven.text import TextVectorizer
from leaven.text._options import TextOptions
from leaven.text._spans import text_pieces

TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), max_size=4
)


@given(texts=TEXTS, lowercase=st.booleans())
def test_words_are_those_of_str_split(texts, lowercase):
    expected = [Counter((text.lower() if lowercase else text).split()) for text in texts]
    if not any(expected):
        return
    vectorizer = TextVectorizer(tokens="spaces", lowercase=lowercase)
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    for row, counts in zip(X.toarray(), expected, strict=True):
        found = {name: int(count) for name, count in zip(names, row, strict=True) if count}
        assert found == dict(counts)


def test_punctuation_and_single_characters_are_words():
    X = TextVectorizer(tokens="spaces", vocabulary=["a", "b.c", "!", "的"]).transform(
        ["a b.c ! ! 的", "A  b . c"]
    )
    np.testing.assert_array_equal(X.toarray(), [[1, 1, 2, 1], [1, 0, 0, 0]])


def test_pieces_of_a_text_are_its_words():
    tokens = TextOptions(tokens="spaces").as_tokens
    pieces = text_pieces("Ein Satz.  Ende", tokens)
    assert [word for _, word in pieces if word] == ["ein", "satz.", "ende"]
    assert "".join(piece for piece, _ in pieces) == "Ein Satz.  Ende"
