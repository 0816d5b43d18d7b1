"""Words whose discriminative power changed: against one prediction for each word, one by one."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from leaven import TextClassifier, load
from leaven.classifier import Seen, _changed_words
from leaven.classifier._changed_words import ChangedWord, ChangedWords, find_changed_words
from leaven.documents._arrow import as_text_array
from leaven.methods import METHODS
from leaven.methods._registry import methods_where

WORDS = {
    "baking": "dough yeast oven flour crust loaf butter salt",
    "space": "orbit planet star comet moon galaxy rocket telescope",
    "sport": "goal match team player league score referee stadium",
}
QUICK = {
    "mixture": {"n_components": [1, 2], "n_splits": 2, "n_init": 1, "max_iter": 20},
    "annealed": {"beta_start": 0.3, "beta_factor": 1.5},
}
ROUNDING = 1e-6
EVERYTHING = " ".join(WORDS.values()).split()
rng = np.random.default_rng(0)
NAMES = [list(WORDS)[i % 3] for i in range(60)]
TEXTS = [
    " ".join([*rng.choice(WORDS[name].split(), 6), *rng.choice(EVERYTHING, 2), str(i)])
    for i, name in enumerate(NAMES)
]
LABELS = [name if i < 12 else None for i, name in enumerate(NAMES)]
SETS = [
    [name, "sport"] if name == "space" and i % 2 else [name] if i < 40 else None
    for i, name in enumerate(NAMES)
]


def trained(method, texts, labels, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TextClassifier(method, options=QUICK.get(method), **given).fit(texts, labels)


@functools.cache
def fitted(method, has_sets=False):
    return trained(method, TEXTS, SETS if has_sets else LABELS)


def words_of(clf):
    return clf.fitted.counter.vocabulary.words.to_pylist()


def predicted(clf, word):
    text = "17" if word == "<number>" else word
    return dict(zip(clf.classes_.tolist(), clf.predict_proba([text])[0].tolist(), strict=True))


def check_like_single_predictions(after, before, how_many):
    """Compare with the prediction for each common word, one document after the other."""
    changed = after.changed_words(before, how_many)
    assert list(changed) == after.classes_.tolist()
    common = sorted(set(words_of(after)) & set(words_of(before)))
    earlier, later = ({word: predicted(clf, word) for word in common} for clf in (before, after))
    for name, found in changed.items():
        expected = sorted(later[word][name] - earlier[word][name] for word in common)
        sides = ((found.rose, 1, expected[::-1]), (found.fell, -1, expected))
        for listed, sign, best in sides:
            assert len({each.word for each in listed}) == len(listed)
            assert all(sign * each.difference > 0 for each in listed)
            # Rounding of single predictions differs, so that tiny changes may be listed or not.
            n_sure = sum(sign * each > ROUNDING for each in best[:how_many])
            assert n_sure <= len(listed) <= how_many
            differences = [each.difference for each in listed]
            assert_allclose(differences, best[: len(listed)], atol=ROUNDING)
            for each in listed:
                assert each.before == pytest.approx(earlier[each.word][name], abs=ROUNDING)
                assert each.after == pytest.approx(later[each.word][name], abs=ROUNDING)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_changes_words_as_in_single_predictions(method):
    before = fitted("svm" if method != "svm" else "nb")
    check_like_single_predictions(fitted(method), before, 5)


@pytest.mark.parametrize("method", methods_where(learns_sets=True))
def test_with_several_labels_the_probability_is_that_of_each_label(method):
    before = fitted("svm" if method != "svm" else "multilabel", has_sets=True)
    check_like_single_predictions(fitted(method, has_sets=True), before, 5)


def test_models_with_one_label_and_with_several_can_be_compared():
    check_like_single_predictions(fitted("em"), fitted("svm", has_sets=True), 4)


@pytest.mark.parametrize(
    "how",
    [
        {"log_tf": False, "idf": False, "length": None},
        {"binary": True, "idf": True, "length": None, "stop_words": ["dough", "star"]},
        {"lowercase": False, "tokens": "letters", "max_features": 9, "length": 3.0},
    ],
)
def test_words_are_weighted_and_scaled_by_each_model(how):
    after = trained("em", TEXTS, LABELS, text_options=how)
    check_like_single_predictions(after, fitted("nb"), 30)


def test_swapped_models_negate_all_differences():
    there = fitted("em").changed_words(fitted("svm"), 4)
    back = fitted("svm").changed_words(fitted("em"), 4)
    for name, found in there.items():
        for one, other in ((found.rose, back[name].fell), (found.fell, back[name].rose)):
            assert one == [ChangedWord(each.word, each.after, each.before) for each in other]
            assert [each.difference for each in one] == [-each.difference for each in other]


def test_the_result_does_not_depend_on_how_many_words_are_scored_at_once(monkeypatch):
    whole = fitted("auto").changed_words(fitted("knn"), 3)
    for limit, value in (("WORDS_AT_ONCE", 5), ("VALUES_AT_ONCE", 1)):
        with monkeypatch.context() as patched:
            patched.setattr(_changed_words, limit, value)
            parts = fitted("auto").changed_words(fitted("knn"), 3)
        assert list(parts) == list(whole)
        for name, found in parts.items():
            for mine, theirs in ((found.rose, whole[name].rose), (found.fell, whole[name].fell)):
                differences = [each.difference for each in theirs]
                assert [each.difference for each in mine] == pytest.approx(
                    differences, abs=ROUNDING
                )


def test_a_model_has_not_changed_against_itself():
    assert fitted("em").changed_words(fitted("em")) == dict.fromkeys(WORDS, ChangedWords([], []))


def test_all_words_are_listed_at_most_once_if_more_are_wanted_than_there_are():
    found = fitted("em").changed_words(fitted("svm"), 10_000)["baking"]
    listed = [each.word for each in found.rose + found.fell]
    assert len(set(listed)) == len(listed)
    assert set(EVERYTHING) <= set(listed) <= set(words_of(fitted("em")))
    assert fitted("em").changed_words(fitted("svm"), 0)["baking"] == ChangedWords([], [])


def test_words_that_changed_equally_are_in_alphabetical_order():
    after = fitted("nb").fitted
    flat = replace(after, weights=np.zeros(1))  # every class is equally probable for every word
    found = find_changed_words(flat, after, 10_000)["baking"]
    for listed in (found.rose, found.fell):
        assert listed == sorted(listed, key=lambda each: (-abs(each.difference), each.word))


def test_unlabeled_documents_make_their_words_known():
    texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    labels = ["baking", "space", None, None]
    before, after = (trained(method, texts, labels) for method in ("nb", "em"))
    found = after.changed_words(before, 1)
    (bread,) = found["baking"].rose
    assert (bread.word, bread.before) == ("bread", pytest.approx(0.5))
    assert bread.after > 0.9
    assert found["space"].rose[0].word == found["baking"].fell[0].word == "orbit"
    assert str(bread) == "bread 50.0 % → 100.0 %"
    assert str(found["baking"]).startswith("rose: bread 50.0 % → 100.0 %\nfell: orbit 50.0 % → ")
    assert str(ChangedWords([], [bread])) == f"rose: no word\nfell: {bread}"


@pytest.fixture(scope="module")
def of_ngrams():
    texts = [f"{name} {text}" for name, text in zip(NAMES, TEXTS, strict=True)]
    return {
        sizes: trained("em", texts, LABELS, text_options={"ngram_range": sizes, "min_df": 2})
        for sizes in ((2, 2), (1, 2))
    }


def test_an_ngram_is_a_document_without_its_words(of_ngrams):
    only, both = of_ngrams[2, 2], of_ngrams[1, 2]
    found = both.changed_words(only, 10_000)
    assert found["space"].rose
    for each in found["space"].rose + found["space"].fell:
        assert len(each.word.split()) == 2
        # As a text, an n-gram also contains its words, unless the model has n-grams only.
        assert each.before == pytest.approx(predicted(only, each.word)["space"], abs=ROUNDING)
        fitted = both.fitted
        x = fitted.counter.count(as_text_array([each.word]), dtype=fitted.dtype)
        assert x.nnz >= 2
        x.data[:] = x.indices == fitted.counter.columns[each.word]
        x.eliminate_zeros()
        probability = fitted.decision.probability(fitted.scores(Seen(fitted.counter.weigh(x))))
        assert each.after == pytest.approx(probability[0, 1], abs=ROUNDING)


def test_the_word_of_all_numbers_is_a_number_as_a_document():
    assert "<number>" in words_of(fitted("svm"))
    found = fitted("svm").changed_words(fitted("multilabel"), 10_000)["sport"]
    (number,) = [each for each in found.rose + found.fell if each.word == "<number>"]
    assert number.after == pytest.approx(predicted(fitted("svm"), "17")["sport"], abs=ROUNDING)
    assert number.before == pytest.approx(
        predicted(fitted("multilabel"), "17")["sport"], abs=ROUNDING
    )


def test_classes_in_another_order_are_matched_by_name():
    names = ["sport", "baking", "space"]
    texts = [text for text, own in zip(TEXTS, SETS, strict=True) if own]
    sets = [own for own in SETS if own]
    table = pd.DataFrame([[name in own for name in names] for own in sets], columns=names)
    other = trained("svm", texts, table.astype(int))
    assert other.classes_.tolist() == names
    of_lists = fitted("multilabel", has_sets=True)
    check_like_single_predictions(of_lists, other, 5)
    check_like_single_predictions(other, of_lists, 5)


def test_classes_are_matched_as_files_write_them():
    codes = {name: code for code, name in enumerate(WORDS)}
    numbers = [None if name is None else codes[name] for name in LABELS]
    texts = [None if code is None else str(code) for code in numbers]
    of_numbers, of_texts = trained("em", TEXTS, numbers), trained("nb", TEXTS, texts)
    found, same = of_numbers.changed_words(of_texts), fitted("em").changed_words(fitted("nb"))
    assert list(found) == [0, 1, 2]
    assert list(found.values()) == list(same.values())


def test_a_model_file_can_be_compared(tmp_path):
    expected = fitted("em").changed_words(fitted("svm"))
    for method in ("em", "svm"):
        fitted(method).save(tmp_path / method)
    assert load(tmp_path / "em").changed_words(load(tmp_path / "svm")) == expected


def test_models_of_other_classes_are_refused():
    other = trained("nb", TEXTS[:12], [*"abcdef"] * 2)
    with pytest.raises(ValueError) as caught:
        fitted("em").changed_words(other)
    assert str(caught.value) == (
        "the two models must have the same classes, but only the model has 'baking', 'space', "
        "'sport' and only the model that it is compared with has 'a', 'b', 'c' and 3 more; train "
        "both with the same labels"
    )
    fewer = [None if name == "sport" else name for name in LABELS]
    with pytest.raises(ValueError, match=r"same classes, but only the model has 'sport'; train"):
        fitted("em").changed_words(trained("nb", TEXTS, fewer))


def test_models_without_words_are_refused():
    how = {"hash_features": 64, "alternate_sign": False}
    hashed = trained("nb", TEXTS, LABELS, text_options=how)
    with pytest.raises(ValueError, match=r"vocabulary, but the model hashed its words; train it"):
        hashed.changed_words(fitted("em"))
    with pytest.raises(ValueError, match=r"the model that it is compared with hashed its words"):
        fitted("em").changed_words(hashed)


def test_models_of_the_users_own_vectors_are_refused():
    given = trained("two-view", TEXTS, LABELS, embed=lambda texts: np.eye(len(texts), 4) + 0.1)
    with pytest.raises(ValueError, match=r"by its words alone, but the model was trained with"):
        given.changed_words(fitted("em"))
    with pytest.raises(ValueError, match=r"the model that it is compared with was trained with"):
        fitted("em").changed_words(given)


def test_models_without_a_common_word_are_refused():
    other = trained("nb", [f"{name}xx" for name in NAMES], LABELS)
    message = r"words in common, but none of the [\d,]+ words of one is among the 3 of the other"
    with pytest.raises(ValueError, match=message):
        fitted("em").changed_words(other)


def test_what_is_no_trained_classifier_is_refused():
    with pytest.raises(TypeError, match=r"against must be a trained .*got 'a.leaven'; load a"):
        fitted("em").changed_words("a.leaven")
    with pytest.raises(NotFittedError):
        fitted("em").changed_words(TextClassifier())
    with pytest.raises(NotFittedError):
        TextClassifier().changed_words(fitted("em"))


@pytest.mark.parametrize(("how_many", "error"), [(-1, ValueError), (2.5, TypeError)])
def test_the_number_of_words_is_checked(how_many, error):
    with pytest.raises(error, match="how_many must be"):
        fitted("em").changed_words(fitted("nb"), how_many)
