"""Subwords beside words: where they are used, what they add, and that nothing else changes."""

import csv
import json

import numpy as np
import pytest
import safetensors.numpy
from numpy.testing import assert_allclose, assert_array_equal

import clusters
from leaven import TextClassifier, load
from leaven.classifier._model_file import _digest, dump_model, parse_model
from leaven.documents._arrow import as_text_array
from leaven.exceptions import ModelFileError, UnseenWordsWarning
from leaven.methods import METHODS

STEMS = {
    "baking": ["bread", "dough", "yeast", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["orbit", "planet", "comet", "rocket", "galaxy", "lunar", "solar", "stellar"],
}
ENDINGS = ["", "s", "ing", "ed", "er", "ish", "less", "ness", "ly", "ful"]
SUBWORD_EXPERTS = [
    "linear model of subwords and vectors",
    "two-view EM of subwords",
    "naive Bayes with EM of subwords",
]


def draw_texts(n_documents=240, seed=0, n_words=2):
    """Short texts of inflected words: most forms are rare, their stems are not."""
    rng = np.random.default_rng(seed)
    truth = [list(STEMS)[i % 2] for i in range(n_documents)]
    texts = [
        " ".join(rng.choice(STEMS[name]) + rng.choice(ENDINGS) for _ in range(n_words))
        for name in truth
    ]
    return texts, truth


TEXTS, TRUTH = draw_texts()
LABELS = [name if i < 8 else None for i, name in enumerate(TRUTH)]
NEW_TEXTS, NEW_TRUTH = draw_texts(seed=1)


@pytest.fixture(scope="module")
def fitted():
    return TextClassifier().fit(TEXTS, LABELS)


def test_short_texts_are_seen_by_words_and_by_subwords(fitted):
    beside = fitted.fitted.beside
    assert beside.counter.options.analyzer == "char_wb"
    assert beside.counter.options.ngram_range == (3, 5)
    assert [expert.name for expert in beside.experts] == SUBWORD_EXPERTS
    assert fitted.report_.n_subwords == beside.counter.n_words
    assert f"{beside.counter.n_words:,} subwords" in str(fitted.report_)
    assert [own["name"] for own in fitted.report_.candidates][-3:] == SUBWORD_EXPERTS


def test_subwords_help_where_forms_of_words_are_rare(fitted):
    words = TextClassifier(subwords=False).fit(TEXTS, LABELS)
    assert words.fitted.beside is None
    assert words.report_.n_subwords == 0
    with pytest.warns(UnseenWordsWarning, match="17 of 240"):
        by_words = words.score(NEW_TEXTS, NEW_TRUTH)
    assert fitted.score(NEW_TEXTS, NEW_TRUTH) > by_words + 0.1


def test_long_texts_are_seen_by_words_alone_unless_asked():
    most = METHODS["auto"].most_words
    words = [f"common{i}" for i in range(int(most) + 5)]
    texts = [f"{text} {' '.join(words)}" for text in TEXTS]
    assert TextClassifier().fit(texts, LABELS).fitted.beside is None
    assert TextClassifier(subwords=True).fit(texts, LABELS).fitted.beside is not None


@pytest.mark.parametrize("method", ["nb", "em", "svm", "knn", "multilabel"])
def test_other_methods_count_subwords_instead_of_words_if_asked(method):
    clf = TextClassifier(method, subwords=True).fit(TEXTS, LABELS)
    assert clf.fitted.counter.options.analyzer == "char_wb"
    assert clf.fitted.beside is None
    assert clf.score(NEW_TEXTS, NEW_TRUTH) > 0.8
    assert TextClassifier(method).fit(TEXTS, LABELS).fitted.counter.options.analyzer == "word"


def test_several_labels_can_be_learned_from_subwords():
    sets = [None if name is None else [name] for name in LABELS]
    clf = TextClassifier(subwords=True).fit(TEXTS, sets)
    assert clf.fitted.counter.options.analyzer == "char_wb"
    assert TextClassifier().fit(TEXTS, sets).fitted.counter.options.analyzer == "word"


def test_subwords_is_yes_no_or_none():
    with pytest.raises(ValueError, match="subwords must be one of None, True, False, got 'yes'"):
        TextClassifier(subwords="yes").fit(TEXTS, LABELS)


def test_characters_instead_of_words_need_no_subwords_beside_them():
    clf = TextClassifier(text_options={"analyzer": "char", "ngram_range": (2, 3)})
    assert clf.fit(TEXTS, LABELS).fitted.beside is None


def test_options_that_are_not_about_words_hold_for_subwords_too():
    html = [f"<p>{text}</p>" for text in TEXTS]
    clf = TextClassifier(text_options={"html": True, "lowercase": False}).fit(html, LABELS)
    options = clf.fitted.beside.counter.options
    assert (options.html, options.lowercase) == (True, False)
    assert not any("<" in own for own in clf.fitted.beside.counter.vocabulary.words.to_pylist())


def test_where_words_are_hashed_subwords_are_too():
    text_options = {"hash_features": 512, "alternate_sign": False}
    clf = TextClassifier(text_options=text_options).fit(TEXTS, LABELS)
    assert clf.fitted.beside.counter.options.hash_features == 512
    assert clf.score(NEW_TEXTS, NEW_TRUTH) > 0.8


def test_vectors_of_the_user_are_for_the_models_of_words():
    def embed(texts):
        return [[len(text), text.count("o") + 0.5] for text in texts]

    clf = TextClassifier(embed=embed).fit(TEXTS, LABELS)
    assert clf.fitted.view.n_given == 2
    assert clf.fitted.beside.view.n_given == 0
    assert clf.score(NEW_TEXTS, NEW_TRUTH) > 0.8


def test_a_word_that_the_model_never_saw_is_classified_by_its_subwords(fitted):
    text = "rocketry"
    assert text not in fitted.fitted.counter.columns
    explanation = fitted.explain(text)
    assert explanation.label == "space"
    assert explanation.unknown_words == 1
    (entry,) = explanation.words
    assert (entry.word, entry.weight) == (text, 0.0)
    assert entry.pull["space"] > entry.pull["baking"]


def test_pulls_of_subwords_are_shared_by_the_words_that_they_are_in(fitted):
    twice, once = (
        {own.word: own.pull["space"] for own in fitted.explain(text, 100).words}
        for text in ("rockets rockets breads", "rockets breads")
    )
    assert set(twice) == set(once) == {"rockets", "breads"}
    seen = fitted.fitted.seen(as_text_array(["planets orbits breads"]))
    total = fitted.fitted.words.pulls(seen.X).sum(axis=0)
    total = total + fitted.fitted.beside.pulls(seen.beside).sum(axis=0)
    listed = fitted.explain("planets orbits breads", 100).words
    sums = [sum(own.pull[name] for own in listed) for name in ("baking", "space")]
    assert sums[0] - sums[1] == pytest.approx(total[0] - total[1], abs=1e-5)


def test_a_few_subwords_by_chance_are_no_evidence(fitted):
    unknown = "xyz qqq"
    with pytest.warns(UnseenWordsWarning, match="1 of 2 documents contains no word"):
        found, known = fitted.predict_proba([unknown, "breads"])
    with pytest.warns(UnseenWordsWarning):
        assert_allclose(found, fitted.predict_proba([""])[0])
    assert not np.allclose(found, known)
    assert fitted.explain(unknown).words == []


@pytest.mark.parametrize("stream", [True, False])
def test_files_give_the_same_model_as_memory(fitted, stream, tmp_path):
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *zip(TEXTS, LABELS, strict=True)])
    clf = TextClassifier().fit_files(str(path), stream=stream)
    assert clf.fitted.beside.counter.vocabulary.words == (
        fitted.fitted.beside.counter.vocabulary.words
    )
    assert_allclose(clf.predict_proba(NEW_TEXTS), fitted.predict_proba(NEW_TEXTS), atol=1e-4)


def test_a_cluster_gives_the_same_model_as_memory(fitted, tmp_path):
    path = tmp_path / "data.jsonl"
    rows = zip(TEXTS, LABELS, strict=True)
    path.write_text("".join(json.dumps({"text": t, "label": own}) + "\n" for t, own in rows))
    with clusters.threads() as client:
        clf = TextClassifier().fit_files(str(path), client=client)
    assert_allclose(clf.predict_proba(NEW_TEXTS), fitted.predict_proba(NEW_TEXTS), atol=1e-4)


def test_a_saved_model_predicts_and_explains_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "model.leaven")
    back = load(tmp_path / "model.leaven")
    assert_array_equal(back.predict_proba(NEW_TEXTS), fitted.predict_proba(NEW_TEXTS))
    assert back.explain(NEW_TEXTS[0]) == fitted.explain(NEW_TEXTS[0])
    assert str(back.report_) == str(fitted.report_)
    assert dump_model(back.fitted) == (tmp_path / "model.leaven").read_bytes()
    for wanted in (False, True):
        own = TextClassifier(subwords=wanted).fit(TEXTS, LABELS)
        own.save(tmp_path / "own.leaven")
        assert load(tmp_path / "own.leaven").subwords is wanted


def repacked(content, change):
    """A model file with changed parts, its digest made to match."""
    tensors = {name: array.copy() for name, array in safetensors.numpy.load(content).items()}
    size = int.from_bytes(content[:8], "little")
    about = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["leaven"])
    change(tensors, about)
    about["digest"] = _digest(tensors, about)
    return safetensors.numpy.save(tensors, {"leaven": json.dumps(about)})


def drop_experts(tensors, about):
    about["subwords"]["experts"] = about["subwords"]["experts"][:1]


def drop_view(tensors, about):
    about["subwords"]["view"] = None


def drop_weights(tensors, about):
    del tensors["subwords.weights"]


def swap_words(tensors, about):
    tensors["subwords.vocabulary"] = tensors["vocabulary"]


def widen_bias(tensors, about):
    tensors["decision.bias"] = np.zeros(3)


def endless_bias(tensors, about):
    tensors["decision.bias"][:] = np.inf


def no_channel(tensors, about):
    about["subwords"] = []


@pytest.mark.parametrize(
    "change",
    [drop_experts, drop_view, drop_weights, swap_words, widen_bias, endless_bias, no_channel],
)
def test_a_file_whose_subwords_do_not_fit_is_refused_in_one_line(fitted, change):
    content = dump_model(fitted.fitted)
    parse_model(repacked(content, lambda *_: None), "unchanged")
    with pytest.raises(ModelFileError, match="not a consistent leaven model") as error:
        parse_model(repacked(content, change), "changed")
    assert "\n" not in str(error.value)


def test_vectors_of_subwords_are_learned_once_for_fits_that_start_from_each_other(fitted):
    more = [name if i < 20 else None for i, name in enumerate(TRUTH)]
    warm, anew = TextClassifier().fit(TEXTS, more, start=fitted), TextClassifier().fit(TEXTS, more)
    assert warm.fitted.beside.view is fitted.fitted.beside.view
    assert_array_equal(warm.predict_proba(NEW_TEXTS), anew.predict_proba(NEW_TEXTS))
    changed = TextClassifier().fit([*TEXTS, "cosmic rays"], [*more, None], start=fitted)
    assert changed.fitted.beside.view is not fitted.fitted.beside.view


def test_a_fit_that_is_stopped_has_subwords_only_if_they_were_counted():
    phases = []

    def stop_at(wanted):
        def listen(phase, done, total):
            phases.append(phase)
            return phase == wanted

        return listen

    early = TextClassifier().fit(TEXTS, LABELS, on_progress=stop_at("EM"))
    assert early.fitted.beside is None
    late = TextClassifier().fit(TEXTS, LABELS, on_progress=stop_at("holding out"))
    assert late.fitted.beside is not None
    assert late.report_.expected_accuracy["n_held_out"] == 0
    assert late.score(NEW_TEXTS, NEW_TRUTH) > 0.9


def test_texts_that_share_words_and_no_subword_are_learned_by_words():
    # Words of two letters between marks that occur once and are parts of subwords, not of words.
    points = [chr(point) for point in range(0x2500, 0x2500 + 880)]
    marks = iter(points)
    texts = [f"{next(marks)}{name * 2}{next(marks)}" for name in "ab" * 110]
    labels = [name if i < 20 else None for i, name in enumerate("ab" * 110)]
    clf = TextClassifier().fit(texts, labels)
    assert clf.fitted.beside is None
    assert clf.predict(["aa", "bb"]).tolist() == ["a", "b"]


def test_texts_that_share_subwords_and_no_word_are_learned_by_subwords():
    rng = np.random.default_rng(0)
    names = ["invoice" if i % 2 else "parcel" for i in range(300)]
    texts = [f"{name[:3]}{rng.integers(10**9):09d}" for name in names]
    labels = [name if i < 20 else None for i, name in enumerate(names)]
    clf = TextClassifier().fit(texts, labels)
    assert clf.fitted.counter.options.analyzer == "char_wb"
    assert clf.predict(["inv123456789", "par987654321"]).tolist() == ["invoice", "parcel"]
    assert any("parts of words are counted" in text for text in clf.report_.warnings)
    with pytest.raises(ValueError, match="the documents share no words"):
        TextClassifier(subwords=False).fit(texts, labels)
    assert TextClassifier("em", subwords=True).fit(texts, labels).suspicious(texts, labels) == []


def test_sequences_of_words_and_parts_of_words_exclude_each_other():
    with pytest.raises(ValueError, match="ngram_range is about words") as error:
        TextClassifier("em", subwords=True, text_options={"ngram_range": (1, 2)}).fit(TEXTS, LABELS)
    assert "\n" not in str(error.value)
    both = TextClassifier(subwords=True, text_options={"ngram_range": (1, 2)}).fit(TEXTS, LABELS)
    assert both.fitted.counter.options.ngram_range == (1, 2)


def test_vectors_of_subwords_are_learned_anew_with_other_options(fitted):
    few = TextClassifier(options={"n_dims": 5}).fit(TEXTS, LABELS, start=fitted)
    assert few.fitted.view.n_dims == few.fitted.beside.view.n_dims == 5


def test_a_token_of_several_words_pulls_through_each_of_them(fitted):
    words = [own.word for own in fitted.explain("rocket-bread", 100).words]
    assert set(words) == {"rocket", "bread"}


def test_audited_labels_are_held_out_for_subwords_as_for_words():
    many = [name if i < 60 else None for i, name in enumerate(TRUTH)]
    audited = [i < 30 for i in range(len(TEXTS))]
    clf = TextClassifier().fit(TEXTS, many, audited=audited)
    assert clf.report_.expected_accuracy["n_audited"] == 30
    assert [own["name"] for own in clf.report_.candidates][-3:] == SUBWORD_EXPERTS
    assert not clf.fitted.decision.bias.any()  # audits tell the shares of classes


def test_words_that_changed_are_compared_with_their_subwords(fitted):
    words = TextClassifier(subwords=False).fit(TEXTS, LABELS)
    changed = fitted.changed_words(words, 3)
    for name, found in changed.items():
        for own in (*found.rose, *found.fell):
            column = fitted.classes_.tolist().index(name)
            assert own.after == pytest.approx(fitted.predict_proba([own.word])[0, column], abs=1e-6)
