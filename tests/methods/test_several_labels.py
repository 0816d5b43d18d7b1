"""Documents with several labels in Python: lists and matrices, scores, folds, warm starts."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.preprocessing import MultiLabelBinarizer

from leaven import LabeledFold, TextClassifier, compare
from leaven import diagnose as diagnose_texts
from leaven.documents._label_encoding import encode_labels
from leaven.methods._label_errors import find_label_errors
from leaven.methods._registry import methods_where
from leaven.text import TextVectorizer

WORDS = {
    "art": ["paint", "canvas", "museum", "gallery", "sculpture"],
    "bread": ["dough", "yeast", "oven", "flour", "crust"],
    "chess": ["rook", "bishop", "pawn", "castle", "gambit"],
}
OTHERS = ["time", "week", "people", "year", "world", "day", "place", "part"]
rng = np.random.default_rng(5)


def drawn(n_documents, sizes=(1, 1, 2)):
    texts, labels = [], []
    for _ in range(n_documents):
        names = sorted(rng.choice(list(WORDS), rng.choice(sizes), replace=False).tolist())
        words = [word for name in names for word in rng.choice(WORDS[name], 3)]
        texts.append(" ".join([*words, *rng.choice(OTHERS, 5)]))
        labels.append(names)
    return texts, labels


TEXTS, SETS = drawn(90)
NEW_TEXTS, NEW_SETS = drawn(40)
SOME = [None if i % 3 == 0 else names for i, names in enumerate(SETS)]
BINARY = MultiLabelBinarizer(classes=list(WORDS)).fit(SETS)
MATRIX, NEW_MATRIX = BINARY.transform(SETS), BINARY.transform(NEW_SETS)
SOME_ROWS = np.where(np.arange(90)[:, None] % 3 == 0, -1, MATRIX)


@pytest.fixture(scope="module")
def clf():
    return TextClassifier("svm").fit(TEXTS, SOME)


@pytest.fixture(scope="module")
def clf_of_matrix():
    return TextClassifier("svm").fit(TEXTS, SOME_ROWS)


def test_lists_give_tuples_and_a_matrix_gives_a_matrix(clf, clf_of_matrix):
    predicted, matrix = clf.predict(NEW_TEXTS), clf_of_matrix.predict(NEW_TEXTS)
    assert predicted.dtype == object
    assert all(isinstance(each, tuple) for each in predicted)
    assert_array_equal(BINARY.transform(predicted), matrix)
    assert_array_equal(clf_of_matrix.classes_, [0, 1, 2])
    assert_array_equal(clf.predict_proba(NEW_TEXTS), clf_of_matrix.predict_proba(NEW_TEXTS))
    assert f1_score(NEW_MATRIX, matrix, average="micro") > 0.95
    assert hamming_loss(NEW_MATRIX, matrix) < 0.05


def test_a_table_names_the_classes_of_a_matrix():
    clf = TextClassifier("svm").fit(TEXTS, pd.DataFrame(MATRIX, columns=list(WORDS)))
    assert clf.classes_.tolist() == list(WORDS)
    assert clf.predict(NEW_TEXTS).shape == (40, 3)


def test_the_score_is_the_share_of_documents_whose_labels_are_all_right(clf, clf_of_matrix):
    expected = accuracy_score(NEW_MATRIX, clf_of_matrix.predict(NEW_TEXTS))
    for given in (NEW_SETS, [set(names) for names in NEW_SETS], pd.Series(NEW_SETS)):
        assert clf.score(NEW_TEXTS, given) == expected
    assert clf_of_matrix.score(NEW_TEXTS, NEW_MATRIX) == expected
    assert clf_of_matrix.score(NEW_TEXTS, csr_array(NEW_MATRIX)) == expected


def test_scores_read_labels_as_training_did():
    number = {name: i for i, name in enumerate(WORDS)}
    numbers = [[number[name] for name in names] for names in SETS]
    of_numbers = TextClassifier("svm").fit(TEXTS, numbers)
    both = next(i for i, names in enumerate(numbers) if names == [0, 1])
    assert of_numbers.predict(TEXTS[both : both + 1])[0] == (0, 1)
    assert of_numbers.score(TEXTS[both : both + 1], [[0, 1]]) == 1  # no row of a matrix
    named = TextClassifier("svm").fit(TEXTS, pd.DataFrame(MATRIX, columns=list(WORDS)))
    turned = pd.DataFrame(NEW_MATRIX, columns=list(WORDS)).iloc[:, ::-1]
    assert named.score(NEW_TEXTS, turned) == named.score(NEW_TEXTS, NEW_MATRIX) > 0.8


def test_weights_of_zero_must_leave_different_sets():
    is_labeled = np.array([names is not None for names in SOME])
    with pytest.raises(ValueError, match="must have different labels, but none has a positive"):
        TextClassifier("svm").fit(TEXTS, SOME, sample_weight=np.where(is_labeled, 0.0, 1.0))
    is_art = np.array([names == ["art"] for names in SOME])
    with pytest.raises(ValueError, match="must have different labels, but all have the same"):
        TextClassifier("svm").fit(TEXTS, SOME, sample_weight=is_art.astype(float))


def test_labels_that_the_model_does_not_know_are_never_right(clf):
    right = clf.score(NEW_TEXTS, NEW_SETS)
    assert right > 0.9
    assert clf.score(NEW_TEXTS, [[*names, "dance"] for names in NEW_SETS]) == 0
    half = [[*names, "dance"] if i % 2 else names for i, names in enumerate(NEW_SETS)]
    assert clf.score(NEW_TEXTS, half) <= 0.5
    with pytest.raises(ValueError, match=r"none of the labels given .'dance', …. is a class"):
        clf.score(NEW_TEXTS[:2], [["dance"], []])


def test_unlabeled_documents_are_not_scored_but_those_without_labels_are(clf):
    one = NEW_SETS[0]
    assert clf.score(NEW_TEXTS[:2], [one, None]) == 1
    assert clf.score(NEW_TEXTS[:2], [one, []]) == 0.5
    assert clf.score(NEW_TEXTS[:2], [[], []]) == 0
    assert clf.score(NEW_TEXTS[:2], [one, []], sample_weight=[3, 1]) == 0.75


def test_uncertain_sets_are_left_out(clf, clf_of_matrix):
    probability = clf.predict_proba(NEW_TEXTS)
    is_in = MultiLabelBinarizer(classes=list(WORDS)).fit_transform(clf.predict(NEW_TEXTS)) == 1
    together = np.where(is_in, probability, 1 - probability).prod(axis=1)
    together /= 1 - (1 - probability).prod(axis=1)  # every document has a label
    limit = float(np.median(together))
    found = clf.predict(NEW_TEXTS, min_probability=limit)
    assert [each is None for each in found] == (together < limit).tolist()
    with pytest.raises(ValueError, match="which a matrix of zeros and ones has no place"):
        clf_of_matrix.predict(NEW_TEXTS, min_probability=0.5)


@pytest.mark.parametrize("calibrate", [True, False])
def test_whether_a_document_may_have_no_label(calibrate):
    nothing = [" ".join(rng.choice(OTHERS, 6)) for _ in range(30)]
    texts, labels = [*TEXTS, *nothing], [*SOME, *[[]] * 15, *[None] * 15]
    asked = [*nothing, *NEW_TEXTS]

    def n_empty(labels, **options):
        clf = TextClassifier("svm", calibrate=calibrate, **options).fit(texts, labels)
        return sum(not names for names in clf.predict(asked))

    assert n_empty(labels) == n_empty(labels, allow_empty=True) > 20
    assert n_empty(labels, allow_empty=False) == 0
    never_empty = [*SOME, *[None] * 30]
    assert n_empty(never_empty) == 0
    assert n_empty(never_empty, allow_empty=True) > 0


def test_allowing_no_label_is_refused_where_documents_have_one_each():
    labels = [names[0] for names in SETS]
    with pytest.raises(ValueError, match="allow_empty=True lets documents have no label, but"):
        TextClassifier("nb", allow_empty=True).fit(TEXTS, labels)
    TextClassifier("nb", allow_empty=False).fit(TEXTS, labels)
    with pytest.raises(ValueError, match="allow_empty must be one of None, True, False"):
        TextClassifier("nb", allow_empty="yes").fit(TEXTS, labels)


def test_methods_of_one_label_refuse_sets():
    with pytest.raises(ValueError, match="method 'em' learns one label per document"):
        TextClassifier("em", embed=pytest.fail).fit(TEXTS, SETS)  # before vectors are made
    for what in (diagnose_texts, find_label_errors):
        with pytest.raises(ValueError, match=r"one label per document, but .* sets of labels"):
            what(TEXTS, SETS)


def test_folds_hold_out_labeled_documents_and_keep_every_class():
    labels = [*SOME[:-1], ["art", "rare"]]
    is_labeled = np.array([names is not None for names in labels])
    for train, test in LabeledFold(3).split(TEXTS, labels):
        assert is_labeled[test].all()
        assert len(labels) - 1 not in test  # the only document of a class
        assert set(np.flatnonzero(~is_labeled)) <= set(train)
        assert {name for i in train for name in labels[i] or ()} == {*WORDS, "rare"}
    # A set that occurs once is held out where its classes occur elsewhere too.
    labels[-1] = list(WORDS)
    assert any(len(labels) - 1 in test for _, test in LabeledFold(3).split(TEXTS, labels))
    for y in (SOME_ROWS, csr_array(SOME_ROWS)):
        held_out = np.concatenate([test for _, test in LabeledFold(3).split(TEXTS, y)])
        assert sorted(held_out) == np.flatnonzero(SOME_ROWS[:, 0] >= 0).tolist()


@pytest.mark.parametrize(("y", "cv"), [
    (MATRIX, 3), (MATRIX, LabeledFold(3)), (SOME_ROWS, LabeledFold(3)), (SOME, LabeledFold(3)),
], ids=["matrix", "matrix, labeled folds", "some rows", "lists"])  # fmt: skip
def test_cross_validation_of_label_sets(y, cv):
    clf = TextClassifier("svm", calibrate=False)
    assert cross_val_score(clf, TEXTS, y, cv=cv).min() > 0.8


def test_grid_search_and_metrics_on_a_matrix():
    clf = TextClassifier("svm", calibrate=False)
    search = GridSearchCV(
        clf,
        {"text_options__max_features": [12, 100]},
        scoring=["f1_micro", "accuracy"],
        refit="f1_micro",
        cv=3,
    ).fit(TEXTS, MATRIX)
    assert search.best_params_ == {"text_options__max_features": 100}
    assert search.score(NEW_TEXTS, NEW_MATRIX) > 0.9
    predicted = cross_val_predict(clf, TEXTS, MATRIX, cv=3)
    assert f1_score(MATRIX, predicted, average="macro") > 0.9


def test_a_fit_may_start_from_one_with_the_same_label_sets(clf):
    again = TextClassifier("svm").fit(TEXTS, SOME, start=clf)
    assert_allclose(again.predict_proba(NEW_TEXTS), clf.predict_proba(NEW_TEXTS))
    assert again.fitted.labels_digest == clf.fitted.labels_digest
    # As many different sets in the same places, but others.
    renamed = [names and sorted({"art": "bread", "bread": "art"}.get(n, n) for n in names)
               for names in SOME]  # fmt: skip
    other = TextClassifier("svm").fit(TEXTS, renamed, start=clf)
    assert other.fitted.labels_digest != clf.fitted.labels_digest


def test_the_digest_of_labels_tells_sets_apart_whose_codes_are_the_same():
    one, two = ([["a"], ["a", "b"]] * 45, [["b"], ["a", "b"]] * 45)
    assert_array_equal(encode_labels(one).codes, encode_labels(two).codes[::1])
    digests = [
        TextClassifier("svm", calibrate=False).fit(TEXTS, labels).fitted.labels_digest
        for labels in (one, two)
    ]
    assert digests[0] != digests[1]


# A third of the labels are those of other documents, so that thresholds matter.
NOISY = [names if i % 3 else SOME[(i + 7) % 90] for i, names in enumerate(SETS)]
NOISY_ROWS = np.array([[-1] * 3 if names is None else BINARY.transform([names])[0]
                       for names in NOISY])  # fmt: skip


@pytest.mark.parametrize("y", [NOISY, NOISY_ROWS], ids=["lists", "matrix"])
def test_methods_that_learn_sets_are_compared_by_exact_match_and_f1(y):
    found = compare(TEXTS, y, n_splits=3)
    assert {result.method for result in found.results} == set(methods_where(learns_sets=True))
    assert found.left_out == []
    assert found.measure == "exact match"
    result = next(result for result in found.results if result.method == "svm")
    rows = np.array(found.held_out)
    predicted = np.zeros((len(rows), 3), int)
    for fold in LabeledFold(3, random_state=0).split(TEXTS, y):
        labels = [y[i] for i in fold[0]] if isinstance(y, list) else y[fold[0]]
        clf = TextClassifier("svm").fit([TEXTS[i] for i in fold[0]], labels)
        own = clf.predict([TEXTS[i] for i in fold[1]])
        own = BINARY.transform(own) if isinstance(y, list) else own
        for i, row in zip(fold[1], own, strict=True):
            predicted[rows == i] = row
    truth = NOISY_ROWS[rows]
    assert result.accuracy == accuracy_score(truth, predicted)
    assert_allclose(result.micro_f1, f1_score(truth, predicted, average="micro"))
    assert_allclose(result.macro_f1, f1_score(truth, predicted, average="macro"))
    assert "held-out label sets" in found.sentence
    assert "micro F1" in str(found)
    assert found.to_json()["results"][0]["micro_f1"] == found.results[0].micro_f1


def test_a_method_that_learns_one_label_fails_in_a_comparison_of_sets():
    found = compare(TEXTS, SOME, methods=["svm", "em"], n_splits=2)
    assert found.best == "svm"
    assert "method 'em' learns one label per document" in found.results[1].error
    with pytest.raises(ValueError, match="method 'nb' learns one label per document"):
        compare(TEXTS, SOME, methods=["nb"], n_splits=2)


def test_comparisons_of_sets_need_a_class_with_two_documents():
    with pytest.raises(ValueError, match="needs a class with two labeled documents"):
        compare(TEXTS[:4], [["a"], ["b"], [], None])


@pytest.mark.parametrize("y", [SOME, SOME_ROWS], ids=["lists", "matrix"])
def test_words_can_be_ranked_by_the_information_on_label_sets(y):
    vectorizer = TextVectorizer(max_features=15, rank_by="mutual_information")
    vectorizer.fit(TEXTS, y)
    chosen = set(vectorizer.get_feature_names_out())
    assert len(chosen & {word for words in WORDS.values() for word in words}) >= 13


def test_words_can_be_chosen_by_label_sets_in_training():
    options = {"max_features": 15, "rank_by": "mutual_information"}
    clf = TextClassifier("svm", text_options=options).fit(TEXTS, SOME)
    assert clf.score(NEW_TEXTS, NEW_SETS) > 0.9
    clf = TextClassifier("svm", text_options={"max_features": "auto"}).fit(TEXTS, SOME)
    assert clf.report_.size_choices


def test_an_unknown_option_lists_those_for_several_labels_too():
    with pytest.raises(ValueError, match=r"several labels: background, .*search"):
        TextClassifier("auto", options={"serch": "both"}).fit(TEXTS, SOME)
