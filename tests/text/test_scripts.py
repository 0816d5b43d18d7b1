"""Words of all scripts: marks belong to words, and runs without spaces give n-grams."""

import json
import unicodedata
from collections import Counter
from itertools import chain, groupby

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from leaven.datasets import load_docstrings
from leaven.documents._readers import Documents
from leaven.text import TextVectorizer
from leaven.text._counter import fit_counter
from leaven.text._looks import TextLooks
from leaven.text._options import TextOptions
from leaven.text._scripts import count_scripts
from leaven.text._spans import text_pieces
from leaven.text._survey import added_up, counter_from, survey
from leaven.text._unicode import ASCII, TOKEN_CHARACTERS, fold_table, lower_table
from leaven.text._unspaced import UNSPACED_SCRIPTS, unspaced_scripts

# How the names of each script's characters begin.
NAMES = {name: (name.upper() + " ",) for name in UNSPACED_SCRIPTS} | {
    "Han": ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH"),
    "Hiragana": ("HIRAGANA ", "HENTAIGANA ", "COMBINING KATAKANA-HIRAGANA"),
    "Katakana": ("KATAKANA ", "KATAKANA-HIRAGANA", "HALFWIDTH KATAKANA"),
}
OTHER_HAN = "々〆〇〻"
JAPANESE = "東京タワーで会いましょう。"
HINDI = "हिन्दी में लिखना"
DOCUMENTS = [
    "東京tower2024と大阪",
    HINDI + " words here",
    "ภาษาไทย ๑๒๓ และ English words",
    "plain English words, words",
    JAPANESE * 3,
    "",
]


def scripts_by_name(character):
    if character in OTHER_HAN:
        return {"Han"}
    name = unicodedata.name(character, "")
    is_letter = unicodedata.category(character)[0] in "LM"
    return {script for script, begins in NAMES.items() if is_letter and name.startswith(begins)}


def kind(character):
    if scripts_by_name(character):
        return "run"
    if unicodedata.category(character)[0] == "M" or character in "\u200c\u200d":
        return "mark"
    return "word" if character.isalnum() or character == "_" else "none"


def tokens_of(text):
    """Runs of words that stand next to each other, as lists, and n-grams of the other runs."""
    phrases, grams, word = [[]], [], ""
    for kind_now, characters in groupby(text + " ", key=kind):
        part = "".join(characters)
        if kind_now == "word" or (kind_now == "mark" and word):
            word += part
            continue
        phrases[-1] += [word] if len(word) > 1 else []
        word = ""
        if kind_now == "run":
            grams += [part[i : i + n] for n in (1, 2, 3) for i in range(len(part) - n + 1)]
            phrases.append([])
    return phrases, grams


def slowly_counted(text, ngram_range=(1, 1), stop_words=()):
    phrases, grams = tokens_of(text.lower())
    phrases = [[word for word in phrase if word not in stop_words] for phrase in phrases]
    found = Counter(gram for gram in grams if gram not in stop_words)
    for n in range(ngram_range[0], ngram_range[1] + 1):
        for phrase in phrases:
            found.update(" ".join(phrase[i : i + n]) for i in range(len(phrase) - n + 1))
    return found


def counted(documents, **options):
    vectorizer = TextVectorizer(tokens="scripts", **options)
    # A document with a word, because there must be one.
    X = vectorizer.fit_transform([*documents, "word word2 word3 word4"])[:-1].toarray()
    names = vectorizer.get_feature_names_out()
    assert_array_equal(vectorizer.transform(documents).toarray(), X)
    return [Counter({names[i]: row[i] for i in np.flatnonzero(row)}) for row in X]


TRICKY = (
    "abÉΣİσ19_ .,東京々〇ータワかな゙ﾀﾞไทย่๑ລາວខ្មែរမြန်हिन्दी中🙂\U00020000\u0301\u200c\u200d\u200b\ufe0f"
)
tricky = st.text(st.sampled_from(TRICKY), max_size=30)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(tricky | any_text, min_size=1, max_size=5),
    st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 4)]),
    st.sampled_from([(), ("的", "東", "東京", "ab", "é", "ทย")]),
)
@example(DOCUMENTS, (1, 3), ())
@example(["東ab cd京ef gh東 ij kl"], (1, 2), ())
@example(["\u0301ab \u0301", "a\u0301", "東\u0301ab"], (1, 1), ())
def test_any_text_gives_what_a_slow_tokenizer_counts(documents, ngram_range, stop_words):
    found = counted(documents, ngram_range=ngram_range, stop_words=list(stop_words))
    assert found == [slowly_counted(text, ngram_range, stop_words) for text in documents]


def test_words_keep_their_marks_and_runs_become_ngrams():
    hindi, mixed = counted([HINDI, "東京tower2024"])
    assert hindi == Counter(HINDI.split())
    assert mixed == Counter(["東", "京", "東京", "tower2024"])


def test_ngrams_cross_the_windows_of_the_kernel():
    rng = np.random.default_rng(0)
    run = "".join(rng.choice(list("東京大阪名古屋"), 4000))
    words = " ".join(rng.choice(["naïve", "ab", "हिन्दी", "東京"], 4000))
    documents = [run, words, run + words + run, "𠀀" * 3000]
    expected = [slowly_counted(text, (1, 3)) for text in documents]
    assert counted(documents, ngram_range=(1, 3)) == expected


@pytest.mark.parametrize(
    "options", [{}, {"ngram_range": (1, 2)}, {"numbers": "one"}, {"stop_words": "english"}]
)
def test_spaced_scripts_are_counted_as_words_are(options):
    documents, _, _ = load_docstrings()
    documents = [*documents[:200], "Straße, ЁЛКА ёлка 12 ３４ Άσκηση ΑΣ x2 _a über"]
    words = TextVectorizer(**options)
    scripts = TextVectorizer(tokens="scripts", **options)
    assert (words.fit_transform(documents) != scripts.fit_transform(documents)).nnz == 0
    assert words.vocabulary_ == scripts.vocabulary_


def test_numbers_become_one_word_beside_runs():
    assert counted(["๑๒ ไทย 12 x1"], numbers="one") == [
        Counter({"<number>": 2, "x1": 1, **slowly_counted("ไทย")})
    ]


def test_scripts_are_known_by_the_names_of_their_characters():
    names = [None, *UNSPACED_SCRIPTS]
    for point, number in enumerate(unspaced_scripts()[:0x40000].tolist()):
        assert {names[number]} - {None} == scripts_by_name(chr(point)), hex(point)


@pytest.mark.parametrize("more", [{}, {"idf": True, "min_df": 2}, {"hash_features": 64}])
def test_a_survey_in_parts_gives_the_counter_of_all_texts(more):
    options = TextOptions(tokens="scripts", ngram_range=(1, 2), **more)
    array = pa.array(DOCUMENTS, pa.large_string())
    parts = [
        survey(Documents(array.slice(i, 2), None, None, "here"), options.as_tokens, 1)
        for i in (0, 2, 4)
    ]
    found = counter_from(added_up(parts), options)
    expected, counts = fit_counter(array, options, by_frequency=True)
    assert found.vocabulary.words.to_pylist() == expected.vocabulary.words.to_pylist()
    assert_array_equal(found.count(array).toarray(), counts.toarray())
    assert TextOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tricky)
def test_pieces_are_words_and_single_characters_of_runs(text):
    tokens = TextOptions(tokens="scripts").as_tokens
    pieces = text_pieces(text, tokens)
    assert "".join(piece for piece, _ in pieces) == text
    phrases, grams = tokens_of(text.lower())
    expected = Counter(chain(*phrases)) + Counter(gram for gram in grams if len(gram) == 1)
    assert Counter(word for _, word in pieces if word is not None) == expected


def test_shares_of_scripts_are_of_the_characters_of_words():
    texts = pa.array(["東京 ab", "タワー、12", "", "あ"], pa.large_string())
    assert count_scripts(texts) == ({"Katakana": 3, "Han": 2, "Hiragana": 1}, 10)
    assert TextLooks.of(texts).script_shares == {"Katakana": 0.3, "Han": 0.2, "Hiragana": 0.1}
    assert TextLooks.of(texts.slice(3)).script_shares == {"Hiragana": 1.0}
    assert TextLooks.of(pa.array(["plain text", ""], pa.large_string())).script_shares == {}
    assert TextLooks.of(pa.array([], pa.large_string())).script_shares == {}


def test_every_script_is_counted_once():
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x40000)]))
    counts, total = count_scripts(pa.array([every], pa.large_string()))
    assert sum(counts.values()) == sum(kind(character) == "run" for character in every)
    assert total == sum(kind(character) != "none" for character in every)
    assert set(counts) == set(UNSPACED_SCRIPTS)


@pytest.mark.parametrize("tokens", TOKEN_CHARACTERS)
@pytest.mark.parametrize("lowercase", [True, False])
def test_the_tables_of_ascii_are_the_beginnings_of_those_of_all_characters(tokens, lowercase):
    whole = fold_table(tokens, lowercase)
    assert fold_table(tokens, lowercase, ASCII).tolist() == whole[:ASCII].tolist()
    whole = lower_table(lowercase)
    assert lower_table(lowercase, ASCII).tolist() == whole[:ASCII].tolist()
