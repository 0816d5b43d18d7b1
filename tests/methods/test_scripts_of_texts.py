"""Texts of any script: what is counted, what reports say, and segmenters that users bring."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from leaven import TextClassifier, load
from leaven.cli import app
from leaven.cli._text_options import WordKind
from leaven.documents._arrow import as_text_array
from leaven.text._looks import TextLooks
from leaven.text._unicode import TOKEN_CHARACTERS

# Clauses without spaces: two topics, of words that no document has at its edges alone.
JAPANESE = {
    "料理": ["パンを焼く", "小麦粉を混ぜる", "酵母で発酵させる", "生地をこねる", "窯で焼いたパン"],
    "宇宙": [
        "惑星の軌道",
        "月へ行く宇宙船",
        "彗星を観測する",
        "星の軌道を回る",
        "宇宙船の打ち上げ",
    ],
}
HINDI = {
    "रसोई": ["रोटी बनाना", "आटा गूंधना", "चावल पकाना", "सब्जी काटना"],
    "खेल": ["गेंद फेंकना", "मैदान में दौड़ना", "टीम जीती", "बल्ला घुमाना"],
}


def draw(phrases, n_documents=120, n_labeled=12, between="", seed=0):
    rng = np.random.default_rng(seed)
    names = [list(phrases)[i % 2] for i in range(n_documents)]
    texts = [between.join(rng.choice(phrases[name], 3)) for name in names]
    return texts, [name if i < n_labeled else None for i, name in enumerate(names)], names


def test_a_language_without_spaces_is_learned_from_runs_of_characters():
    texts, labels, truth = draw(JAPANESE)
    clf = TextClassifier().fit(texts, labels)
    assert clf.score(texts, truth) == 1.0
    assert clf.predict(["パン生地", "軌道の観測"]).tolist() == ["料理", "宇宙"]
    words = clf.fitted.counter.vocabulary.words.to_pylist()
    assert {len(word) for word in words} == {1, 2, 3}
    assert set(clf.report_.scripts) == {"Han", "Hiragana", "Katakana"}
    assert sum(clf.report_.scripts.values()) == pytest.approx(1.0)
    assert "100 % of the letters are in scripts without spaces (" in str(clf.report_)
    assert "counted as runs of 1 to 3 characters" in str(clf.report_)
    explanation = clf.explain("パンを焼く窯")
    assert explanation.label == "料理"
    assert explanation.words


def test_words_of_hindi_are_not_split_at_their_vowels():
    texts, labels, truth = draw(HINDI, between=" ")
    clf = TextClassifier().fit(texts, labels)
    assert "रोटी" in clf.fitted.counter.columns
    assert clf.score(texts, truth) == 1.0
    assert clf.report_.scripts == {}
    assert "without spaces" not in str(clf.report_)


def test_whole_clauses_as_words_are_reported():
    texts, labels, _ = draw(JAPANESE)
    clf = TextClassifier("nb", text_options={"tokens": "words"}).fit(texts, labels)
    (warning,) = [text for text in clf.report_.warnings if "scripts without spaces" in text]
    assert "whole clauses are counted as words" in warning
    assert "\n" not in warning
    assert "counted as runs" not in str(clf.report_)


def test_words_that_are_clauses_are_reported_with_an_example():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcdefgh"), 30)) for _ in range(40)]
    texts = [f"{text} {texts[0]}" for text in texts]
    clf = TextClassifier("nb").fit(texts, ["a", "b"] * 20)
    (note,) = clf.report_.warnings
    assert note.startswith("words are 30 characters long on average, such as")
    assert "--subwords" in note


def test_documents_that_share_no_word_are_reported_or_refused():
    rng = np.random.default_rng(0)

    def own_words(n_documents):
        letters = list("abcdefghijklmnop")
        return [
            " ".join("".join(rng.choice(letters, 9)) for _ in range(3)) for _ in range(n_documents)
        ]

    few = TextClassifier("nb").fit(own_words(60), ["a", "b"] * 30)
    (note,) = few.report_.warnings
    assert note.startswith("the documents have almost no word in common: of 180 words 0 occur")
    with pytest.raises(ValueError, match="the documents share no words") as error:
        TextClassifier("nb").fit(own_words(300), ["a", "b"] * 150)
    assert "--subwords" in str(error.value)
    assert "\n" not in str(error.value)


def test_ordinary_texts_are_not_commented_on():
    texts = [
        f"the {noun} and the {other}" for noun in ["cat", "dog", "cow"] for other in ["ab", "cd"]
    ]
    clf = TextClassifier("nb").fit(texts * 10, ["a", "b"] * 30)
    assert not [text for text in clf.report_.warnings if "word" in text and "common" in text]


@pytest.mark.parametrize("stream", [True, False])
def test_files_are_looked_at_as_texts_in_memory_are(stream, tmp_path):
    texts, labels, _ = draw(JAPANESE)
    path = tmp_path / "data.jsonl"
    rows = zip(texts, labels, strict=True)
    path.write_text("".join(json.dumps({"text": t, "label": own}) + "\n" for t, own in rows))
    found = TextClassifier("em").fit_files(str(path), stream=stream).report_
    assert found.scripts == pytest.approx(TextClassifier("em").fit(texts, labels).report_.scripts)


def test_looks_of_parts_add_up():
    texts = as_text_array(["<p>東京</p>", "plain", "ไทย and more", ""])
    for html in (False, True):
        parts = [TextLooks.of(texts.slice(first, 2), html) for first in (0, 2)]
        assert parts[0] + parts[1] == TextLooks.of(texts, html)
    assert set(TextLooks.of(texts).script_shares) == {"Han", "Thai"}


def split_phrases(texts):
    """A segmenter that knows a few words."""
    found = []
    for text in texts:
        for word in ("パン", "を", "焼く", "の", "軌道", "宇宙船"):
            text = text.replace(word, f" {word} ")
        found.append(text)
    return found


def test_a_segmenter_of_the_user_splits_texts_into_words(tmp_path):
    texts, labels, truth = draw(JAPANESE)
    clf = TextClassifier(segment=split_phrases).fit(texts, labels)
    assert {"パン", "を", "軌道"} <= set(clf.fitted.counter.columns)
    assert clf.fitted.counter.options.tokens == "spaces"
    assert clf.score(texts, truth) == 1.0
    assert "パン" in [own.word for own in clf.explain("パンを焼く").words]
    clf.save(tmp_path / "model.leaven")
    again = load(tmp_path / "model.leaven", segment=split_phrases)
    np.testing.assert_array_equal(again.predict_proba(texts), clf.predict_proba(texts))
    split = TextClassifier(text_options={"tokens": "spaces"}).fit(split_phrases(texts), labels)
    np.testing.assert_array_equal(
        split.predict_proba(split_phrases(texts)), clf.predict_proba(texts)
    )


def test_a_model_of_segmented_texts_says_so_when_it_is_loaded_without_the_segmenter(tmp_path):
    texts, labels, _ = draw(JAPANESE)
    TextClassifier(segment=split_phrases).fit(texts, labels).save(tmp_path / "model.leaven")
    with pytest.warns(UserWarning, match="give the same function as segment"):
        load(tmp_path / "model.leaven")


def test_a_segmenter_sees_texts_without_markup_and_an_embedding_unsegmented_ones():
    texts, labels, _ = draw(JAPANESE)
    seen = []

    def embed(texts):
        seen.extend(texts)
        return [[len(text), text.count("の") + 1.0] for text in texts]

    html = [f"<p class='x'>{text}</p>" for text in texts]
    clf = TextClassifier(segment=split_phrases, embed=embed, text_options={"html": True})
    clf.fit(html, labels)
    assert set(seen) == {f" {text} " for text in texts} or set(seen) == set(texts)
    assert not any("class" in word or "<" in word for word in clf.fitted.counter.columns)
    assert clf.report_.warnings == []


def test_subwords_of_segmented_texts_can_be_counted():
    texts, labels, truth = draw(JAPANESE)
    clf = TextClassifier("em", segment=split_phrases, subwords=True).fit(texts, labels)
    assert clf.fitted.counter.options.analyzer == "char_wb"
    assert clf.score(texts, truth) == 1.0


def test_a_segmenter_that_loses_texts_or_is_given_files_is_refused(tmp_path):
    texts, labels, _ = draw(JAPANESE)
    with pytest.raises(ValueError, match="segment must return one text per text, got 3 for 120"):
        TextClassifier(segment=lambda texts: texts[:3]).fit(texts, labels)
    (tmp_path / "data.csv").write_text("text,label\nパン,a\n星,b\n")
    with pytest.raises(ValueError, match="segment is for texts in memory"):
        TextClassifier(segment=split_phrases).fit_files(tmp_path / "data.csv")


def test_the_command_line_says_how_scripts_without_spaces_are_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, labels, _ = draw(JAPANESE)
    rows = "".join(f"{text},{label or ''}\n" for text, label in zip(texts, labels, strict=True))
    (tmp_path / "data.csv").write_text("text,label\n" + rows)
    trained = CliRunner().invoke(app, ["train", "data.csv"])
    assert trained.exit_code == 0, trained.stderr
    assert "scripts without spaces" in trained.stdout
    explained = CliRunner().invoke(app, ["explain", "model.leaven", "パンを焼く"])
    assert explained.exit_code == 0, explained.stderr
    assert "料理" in explained.stdout
    predicted = CliRunner().invoke(app, ["predict", "model.leaven", "data.csv", "-o", "out.csv"])
    assert predicted.exit_code == 0, predicted.stderr
    assert (tmp_path / "out.csv").read_text().count("料理") >= 60


@pytest.mark.parametrize(
    ("option", "has_subwords"), [("--subwords", True), ("--no-subwords", False)]
)
def test_the_command_line_can_ask_for_subwords(option, has_subwords, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'dough' if i % 2 else 'orbit'} {i % 7},{'ab'[i % 2]}\n" for i in range(30))
    (tmp_path / "data.csv").write_text("text,label\n" + rows)
    trained = CliRunner().invoke(app, ["train", "data.csv", option])
    assert trained.exit_code == 0, trained.stderr
    assert (" subwords\n" in trained.stdout) == has_subwords
    informed = CliRunner().invoke(app, ["info", "model.leaven", "--json"])
    assert (json.loads(informed.stdout)["n_subwords"] > 0) == has_subwords


def test_the_command_line_can_say_what_a_word_is(tmp_path, monkeypatch):
    assert {kind.value for kind in WordKind} == set(TOKEN_CHARACTERS)
    monkeypatch.chdir(tmp_path)
    texts = ["パン を 焼く", "軌道 の 星"]
    rows = "".join(f"{texts[i % 2]},{'ab'[i % 2]}\n" for i in range(30))
    (tmp_path / "data.csv").write_text("text,label\n" + rows)
    trained = CliRunner().invoke(app, ["train", "data.csv", "--tokens", "spaces"])
    assert trained.exit_code == 0, trained.stderr
    found = load("model.leaven").fitted.counter.columns
    assert set(found) == {word for text in texts for word in text.split()}
