"""Fits to the same texts with other labels: as a fit from scratch; and suggestions of documents."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from leaven import TextClassifier, suggest
from leaven.learning import learn_view
from leaven.methods import _repeated_fits as module
from leaven.methods._repeated_fits import RepeatedFits

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
    "sport": ["goal", "match", "team", "player", "league", "referee", "stadium", "score"],
}
COMMON = ["the", "and", "with", "about", "some", "very", "one", "other"]
NAMES = list(WORDS)


def make_texts(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return [
        " ".join([*rng.choice(WORDS[NAMES[i % 3]], 5), *rng.choice(COMMON, 4)]) for i in range(n)
    ]


def name_of(i):
    return NAMES[i % 3]


TEXTS = make_texts()
ARRAY = pa.array(TEXTS, pa.large_string())
LABELS = {i: name_of(i) for i in (0, 1, 2, 3, 4, 5, 8, 13, 21, 34, 48, 50)}
SETS = {
    0: ["baking"],
    1: ["space"],
    2: ["sport"],
    3: [],
    5: ["sport", "baking"],
    7: ["space"],
    9: ["baking", "space"],
    12: ["baking"],
    14: ["sport"],
}


def as_list(labels, n=60):
    return [labels.get(i) for i in range(n)]


def scratch(method, labels, texts=TEXTS, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TextClassifier(method).fit(texts, as_list(labels, len(texts)), **options)


@pytest.mark.parametrize("method", ["two-view", "em", "auto", "svm"])
def test_a_fit_is_as_one_from_scratch(method):
    fits = RepeatedFits(ARRAY)
    fits.fit(method, {0: "baking", 1: "space"})  # what was fitted before changes nothing
    found = fits.fit(method, LABELS)
    expected = scratch(method, LABELS).predict_proba(TEXTS)
    np.testing.assert_array_equal(found.predict_proba(TEXTS), expected)
    probability, is_wordless = fits.classified(found.fitted)
    np.testing.assert_allclose(probability, expected, rtol=1e-6)
    assert not is_wordless.any()


@pytest.mark.parametrize("method", ["two-view", "auto"])
def test_a_fit_with_vectors_is_as_one_from_scratch(method):
    vectors = np.random.default_rng(0).normal(size=(60, 4)) + np.eye(4)[np.arange(60) % 3]
    vectors = vectors.astype(np.float32)
    found = RepeatedFits(ARRAY, given=vectors).fit(method, LABELS)
    expected = scratch(method, LABELS, vectors=vectors)
    np.testing.assert_array_equal(
        found.predict_proba(TEXTS, vectors=vectors), expected.predict_proba(TEXTS, vectors=vectors)
    )


@pytest.mark.parametrize("method", ["multilabel", "auto"])
def test_a_fit_of_several_labels_is_as_one_from_scratch(method):
    fits = RepeatedFits(ARRAY, several_labels=True)
    found = fits.fit(method, SETS)
    expected = scratch(method, SETS).predict_proba(TEXTS)
    np.testing.assert_array_equal(found.predict_proba(TEXTS), expected)
    assert fits.vectors.shape[0] == 60


def test_audits_are_as_from_scratch():
    labels = {i: name_of(i) for i in range(36)}
    audits = list(range(0, 36, 3))
    found = RepeatedFits(ARRAY).fit("em", labels, audited=audits).report_.expected_accuracy
    flags = np.isin(np.arange(60), audits)
    assert found == scratch("em", labels, audited=flags).report_.expected_accuracy
    assert found["n_audited"] == 12


def test_words_are_counted_once_for_all_methods_that_agree(monkeypatch):
    counts, views = [], []

    def fit_counter(texts, options, **arguments):
        counts.append(repr(options))
        return original(texts, options, **arguments)

    def counted_view(*arguments):
        views.append(arguments)
        return learn_view(*arguments)

    original = module.fit_counter
    monkeypatch.setattr(module, "fit_counter", fit_counter)
    monkeypatch.setattr(module, "learn_view", counted_view)
    monkeypatch.setattr("leaven.methods._training.learn_view", None)  # never called
    monkeypatch.setattr("leaven.corpora._uncounted.fit_counter", None)
    fits = RepeatedFits(ARRAY)
    assert fits.vectors is fits.vectors
    for n in (4, 6, 12):
        labels = dict(list(LABELS.items())[:n])
        for method in ("two-view", "em", "nb", "auto"):
            fits.fit(method, labels)
    assert len(counts) == len(set(counts))
    assert len(views) == 2  # of words, and of the subwords that auto adds


def test_a_view_that_was_learned_before_is_used_as_it_is():
    fits = RepeatedFits(ARRAY)
    first, second = fits.fit("two-view", {0: "baking", 1: "space"}), fits.fit("two-view", LABELS)
    assert first.fitted.view is second.fitted.view
    np.testing.assert_array_equal(
        fits.vectors, second.fitted.view.vectors(fits._seen_by("two-view").X)
    )


def test_documents_outside_the_sample_take_part_once_they_are_labeled():
    fits = RepeatedFits(ARRAY, most=30)
    assert len(fits.sample) == 30
    assert (np.diff(fits.sample) > 0).all()
    outside = np.setdiff1d(np.arange(60), fits.sample)[:6]
    labels = {int(i): name_of(i) for i in outside} | {int(fits.sample[0]): name_of(fits.sample[0])}
    found = fits.fit("two-view", labels)
    assert found.report_.n_labeled == len(labels)
    assert found.fitted.labels.n_codes == len({name_of(i) for i in labels})
    assert found.predict([TEXTS[i] for i in outside]).tolist() == [name_of(i) for i in outside]
    assert fits.classified(found.fitted)[0].shape == (30, len(found.classes_))


def test_a_class_that_appears_later_is_learned():
    fits = RepeatedFits(ARRAY)
    two = {i: name for i, name in LABELS.items() if name != "sport"}
    assert fits.fit("auto", two).classes_.tolist() == ["baking", "space"]
    found = fits.fit("auto", LABELS)
    assert found.classes_.tolist() == NAMES
    assert found.score(TEXTS, [name_of(i) for i in range(60)]) > 0.9


@pytest.mark.parametrize(
    ("labels", "match"),
    [({}, "label"), ({0: "baking"}, "class")],
)
def test_labels_that_are_too_few_are_refused_in_one_line(labels, match):
    with pytest.raises(ValueError, match=match) as caught:
        RepeatedFits(ARRAY).fit("two-view", labels)
    assert "\n" not in str(caught.value)


def test_methods_that_do_not_fit_are_refused_before_a_fit():
    RepeatedFits(ARRAY).check("svm")
    with pytest.raises(ValueError, match="one label per document"):
        RepeatedFits(ARRAY, several_labels=True).check("two-view")
    with pytest.raises(ValueError, match="uses words only"):
        RepeatedFits(ARRAY, given=np.ones((60, 2))).check("em")
    with pytest.raises(ValueError, match="method"):
        RepeatedFits(ARRAY).check("magic")
    chosen_by_labels = RepeatedFits(ARRAY, text_options={"max_features": "auto"})
    with pytest.raises(ValueError, match="words are selected by labels"):
        chosen_by_labels.fit("em", LABELS)


# Suggestions.


def test_the_first_suggestions_are_typical_and_of_all_groups():
    found = suggest(TEXTS, n=6)
    assert {each.why for each in found} == {"typical"}
    assert {each.predicted for each in found} == {None}
    assert {name_of(each.number) for each in found} == set(NAMES)
    assert len({each.number for each in found}) == 6


def test_later_suggestions_come_from_a_model_and_have_no_label():
    found = suggest(TEXTS, as_list(LABELS), n=8)
    assert len(found) == 8
    assert {each.why for each in found} == {"uncertain"}
    assert {each.number for each in found}.isdisjoint(LABELS)
    assert all(each.predicted in NAMES and 0 < each.probability <= 1 for each in found)
    assert found == suggest(TEXTS, as_list(LABELS), n=8)


def test_few_labels_one_class_or_none_lead_to_typical_documents():
    few = as_list(dict(list(LABELS.items())[:5]))
    one = as_list(dict.fromkeys(range(0, 60, 3), "baking"))
    for labels in (few, one, [None] * 60):
        found = suggest(TEXTS, labels, n=5)
        assert {each.why for each in found} == {"typical"}
        assert all(labels[each.number] is None for each in found)


def test_several_labels_are_suggested_as_tuples():
    labels = as_list({**SETS, 20: ["space"], 21: ["baking"]})
    found = suggest(TEXTS, labels, n=4)
    assert all(isinstance(each.predicted, tuple) for each in found)
    assert {each.number for each in found}.isdisjoint(SETS)


def test_suggestions_with_vectors():
    vectors = np.eye(3)[np.arange(60) % 3]
    assert {name_of(each.number) for each in suggest(TEXTS, n=3, vectors=vectors)} == set(NAMES)
    assert len(suggest(TEXTS, as_list(LABELS), n=3, vectors=vectors)) == 3


def test_all_documents_are_suggested_at_most_and_none_where_all_are_labeled():
    assert sorted(each.number for each in suggest(TEXTS, n=1000)) == list(range(60))
    everything = [name_of(i) for i in range(60)]
    assert suggest(TEXTS, everything, n=5) == []


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"n": 0}, "n must be"),
        ({"labels": ["a"]}, "labels"),
        ({"vectors": np.ones((2, 2))}, "vectors"),
        ({"labels": as_list(LABELS), "method": "magic"}, "method"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(arguments, match):
    with pytest.raises(ValueError, match=match) as caught:
        suggest(TEXTS, **arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["em", "two-view", "auto"])
def test_a_classifier_suggests_no_document_that_it_was_trained_with(method):
    clf = scratch(method, LABELS)
    found = clf.suggest(TEXTS, n=60)
    learned = {TEXTS[i] for i in LABELS}
    assert sorted(each.number for each in found) == [
        i for i in range(60) if TEXTS[i] not in learned
    ]
    others = clf.suggest(make_texts(30, seed=1), n=5)
    assert len({each.number for each in others}) == 5
    labels = as_list({i: name_of(i) for i in range(0, 60, 2)})
    assert all(each.number % 2 for each in clf.suggest(TEXTS, n=60, labels=labels))
    with pytest.raises(ValueError, match="n must be"):
        clf.suggest(TEXTS, n=0)
    with pytest.raises(ValueError, match="labels"):
        clf.suggest(TEXTS, labels=["baking"])


def test_a_classifier_finds_suspicious_labels():
    labels = {i: name_of(i) for i in range(45)}
    labels[7] = "sport"  # about space
    clf = scratch("em", labels)
    found = clf.suspicious(TEXTS, as_list(labels))
    assert (found[0].number, found[0].label, found[0].suggested) == (7, "sport", "space")
    with pytest.raises(ValueError, match="labels"):
        clf.suspicious(TEXTS, ["baking"])
