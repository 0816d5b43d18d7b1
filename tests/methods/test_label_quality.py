"""Doubtful labels and labeled texts, noticed alike in memory, in streams and on a cluster."""

import csv

import numpy as np
import pytest
from tests.clusters import threads

from leaven import TextClassifier, compare, diagnose, load
from leaven.documents._arrow import as_text_array
from leaven.exceptions import LabelWarning

WORDS = {
    "ham": "meeting agenda minutes project budget report colleague office",
    "spam": "winner prize casino lottery pills cheap offer click",
}
COMMON = ["the", "and", "with", "about", "some", "very", "one", "other", "from", "that", "have"]
PLACES = ["texts", "memory", "stream", "dask"]


def draw(n_documents, n_labeled, seed=0):
    """Texts of two classes; the first ``n_labeled`` have their label."""
    rng = np.random.default_rng(seed)
    names = [list(WORDS)[i % 2] for i in range(n_documents)]
    texts = [
        " ".join([*rng.choice(WORDS[name].split(), 5), *rng.choice(COMMON, 6)]) for name in names
    ]
    return texts, [name if i < n_labeled else None for i, name in enumerate(names)]


@pytest.fixture(scope="module")
def client():
    with threads() as found:
        yield found


@pytest.fixture
def fit(tmp_path, client):
    """Fit texts and labels somewhere."""

    def fitted(place, texts, labels, method="nb", **options):
        clf = TextClassifier(method, **options)
        if place == "texts":
            return clf.fit(texts, labels)
        paths, whole = [], list(zip(texts, labels, strict=True))
        for number, first in enumerate(range(0, len(whole), 25)):
            paths.append(tmp_path / f"{number}.csv")
            with paths[-1].open("w", newline="") as file:
                rows = csv.writer(file)
                rows.writerow(["text", "label"])
                rows.writerows(whole[first : first + 25])
        return clf.fit_files(
            paths, stream=place != "memory", client=client if place == "dask" else None
        )

    return fitted


@pytest.mark.parametrize("place", PLACES)
def test_spellings_and_placeholders_are_warned_about_until_an_option_settles_them(fit, place):
    texts, labels = draw(60, 30)
    labels = [
        label and (label.upper() if i % 4 == 0 else label.title() if i % 4 == 1 else label)
        for i, label in enumerate(labels)
    ]
    labels[30:36] = ["?"] * 6
    with pytest.warns(LabelWarning) as warned:
        clf = fit(place, texts, labels)
    found = [str(each.message) for each in warned]
    assert found == [each for each in clf.report_.warnings if each in found]
    assert found[0].startswith("4 classes differ from another only in case or white space: 'HAM'")
    assert found[1].startswith("1 class looks like a missing label: '?' (6)")
    clf = fit(place, texts, labels, unlabeled=["?"], ignore_case=True)
    assert clf.classes_.tolist() == ["ham", "spam"]
    assert clf.report_.class_counts == {"ham": 15, "spam": 15}
    assert clf.report_.warnings == []
    assert clf.score(["project meeting", "casino prize", "agenda"], ["HAM", "Spam", "?"]) == 1


def test_a_loaded_classifier_reads_labels_as_it_learned_them(tmp_path):
    texts, labels = draw(20, 20)
    TextClassifier("nb", unlabeled=("?",), ignore_case=True).fit(texts, labels).save(
        tmp_path / "a.leaven"
    )
    clf = load(tmp_path / "a.leaven")
    assert (clf.unlabeled, clf.ignore_case) == (("?",), True)
    assert clf.score(["project meeting", "casino"], ["Ham", "?"]) == 1


def test_compare_and_diagnose_read_labels_by_the_same_rules():
    texts, labels = draw(24, 12)
    labels = [label and (label.upper() if i % 4 < 2 else label) for i, label in enumerate(labels)]
    labels[12:14] = ["?", "?"]
    with pytest.warns(LabelWarning) as warned:
        compare(texts, labels, methods=["nb"])
    assert ["ignore-case" in str(each.message) for each in warned] == [True, False]
    settled = {"unlabeled": ["?"], "ignore_case": True}
    assert compare(texts, labels, methods=["nb"], **settled).n_labeled == 12
    with pytest.warns(LabelWarning) as warned:
        diagnose(texts, labels, alternatives=False, n_starts=2)
    assert ["--unlabeled" in str(each.message) for each in warned] == [False, True]
    diagnose(texts, labels, alternatives=False, n_starts=2, **settled)


@pytest.mark.parametrize("place", PLACES)
def test_a_model_remembers_its_labeled_texts(fit, place):
    texts, labels = draw(60, 21)
    texts[0] = "  "
    fitted = fit(place, texts, labels).fitted
    assert len(fitted.labeled_hashes) == 20  # without the blank one
    asked = as_text_array([*texts, f" {texts[3]}\n", texts[4].upper()])
    assert fitted.learned_from(asked).tolist() == [False] + 20 * [True] + 39 * [False] + [
        True,
        False,
    ]


def quality(clf):
    return clf.report_.labeled_texts, clf.report_.warnings


@pytest.mark.parametrize("place", PLACES)
def test_labeled_documents_without_words_are_counted(fit, place):
    texts, labels = draw(60, 30)
    texts[3], texts[4], texts[5] = "", " \t ", "§ !"
    numbers, notes = quality(fit(place, texts, labels))
    assert (numbers["blank"], numbers["without_words"]) == (2, 1)
    assert notes == [
        "2 labeled documents have no text and contribute nothing",
        "1 labeled document contains no word of the vocabulary and contributes nothing",
    ]


@pytest.mark.parametrize("place", PLACES)
def test_texts_with_different_labels_are_counted_and_the_first_is_shown(fit, place):
    texts, labels = draw(80, 60)
    texts[29] = texts[28] = "the meeting\nabout the lottery is cancelled"
    texts[51] = texts[30]
    numbers, notes = quality(fit(place, texts, labels))
    assert (numbers["conflicting"], numbers["copies"]) == (2, 0)
    assert notes == [
        "2 texts occur with different labels (the first: 'the meeting about the lottery…' as "
        "'ham' and 'spam'); correct or remove their labels"
    ]


@pytest.mark.parametrize("place", PLACES)
def test_copies_are_counted(fit, place):
    texts, labels = draw(80, 60)
    texts[2:20:2] = texts[:1] * 9
    numbers, notes = quality(fit(place, texts, labels))
    assert (numbers["conflicting"], numbers["copies"], numbers["near_copies"]) == (0, 9, 0)
    (note,) = notes
    assert note.startswith("9 of 60 labeled documents repeat the text of another with the same")


@pytest.mark.parametrize("place", PLACES)
def test_near_copies_make_the_expected_accuracy_optimistic(fit, place):
    texts, labels = draw(80, 60)
    form = (
        "dear customer your request number {} was received by our office and is being handled, "
        "please allow us three working days before you write again, kind regards"
    )
    texts[:20:2] = [form.format(f"a{i}") for i in range(10)]
    numbers, notes = quality(fit(place, texts, labels))
    assert numbers["near_copies"] == 10
    assert notes == [
        "10 of 60 different labeled documents are near-duplicates of another one with the same "
        "label; the expected accuracy is optimistic unless new documents are near-duplicates too"
    ]
    assert "near_copies" not in quality(fit(place, texts, labels, calibrate=False))[0]


def test_ordinary_documents_raise_no_doubt():
    texts, labels = draw(200, 100)
    numbers, notes = quality(TextClassifier("nb").fit(texts, labels))
    assert not notes
    assert set(numbers.values()) == {0}


def test_documents_without_text_may_have_vectors():
    texts, labels = draw(40, 20)
    texts[3] = ""
    vectors = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    clf = TextClassifier("two-view").fit(texts, labels, vectors=vectors)
    assert quality(clf)[0]["blank"] == 1
    assert not any("contributes nothing" in note for note in quality(clf)[1])
