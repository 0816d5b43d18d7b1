"""The label-set mixture as a classifier on counts, and as a method of TextClassifier."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import MultiLabelBinarizer

from leaven import MultiLabelMixture, TextClassifier
from leaven.classifier._model_file import dump_model, parse_model
from leaven.corpora import Block, in_memory
from leaven.models import SEARCHES

WORDS = {
    "grain": ["wheat", "corn", "barley", "crop", "harvest", "farmer", "tonnes", "silo"],
    "ship": ["vessel", "port", "cargo", "tanker", "dock", "sailor", "freight", "harbor"],
    "oil": ["crude", "barrel", "refinery", "opec", "drilling", "petroleum", "pump", "well"],
}
COMMON = ["the", "a", "said", "year", "new", "and", "of", "in", "on", "march"]
LITERAL = {
    "max_iter": 10,
    "word_weights": "equal",
    "document_length": 0.0,
    "odds_weight": 0.0,
    "leave_one_out": True,
    "unlabeled_weight": 0.0,
}


def drawn(n, seed=0, empty=0.0):
    """Texts whose words come from their labels and from common words, in equal shares."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        size = 0 if rng.random() < empty else rng.choice([1, 1, 2, 3])
        own = sorted(rng.choice(list(WORDS), size, replace=False).tolist())
        words = [*rng.choice(COMMON, 6)]
        for label in own:
            words += [*rng.choice(WORDS[label], 6 // len(own) + 1)]
        texts.append(" ".join(words))
        labels.append(own)
    return texts, labels


TRAIN, TEST = drawn(300), drawn(150, 1)
CLASSES = sorted(WORDS)


def counted(texts):
    from leaven.text import TextVectorizer

    return TextVectorizer().fit(TRAIN[0]).transform(texts)


def matrix_of(labels):
    return MultiLabelBinarizer(classes=CLASSES).fit_transform(labels)


@pytest.mark.parametrize(
    "options",
    [
        {},
        LITERAL,
        {**LITERAL, "calibrate": False, "log_tf": False},
        {"unlabeled_weight": 0.0, "leave_one_out": True},
    ],
    ids=["default", "paper, calibrated", "paper", "leave-one-out"],
)
def test_sets_are_learned_from_lists_and_from_a_matrix(options):
    X, X_new = counted(TRAIN[0]), counted(TEST[0])
    lists = MultiLabelMixture(**options).fit(X, TRAIN[1])
    matrix = MultiLabelMixture(**options).fit(X, matrix_of(TRAIN[1]))
    assert lists.classes_.tolist() == CLASSES
    assert matrix.classes_.tolist() == [0, 1, 2]
    predicted = lists.predict(X_new)
    assert all(isinstance(row, tuple) for row in predicted)
    assert (matrix.predict(X_new) == matrix_of(predicted)).all()
    assert_allclose(lists.predict_proba(X_new), matrix.predict_proba(X_new))
    truth = matrix_of(TEST[1])
    assert lists.score(X_new, TEST[1]) == accuracy_score(truth, matrix.predict(X_new)) > 0.85
    assert f1_score(truth, matrix.predict(X_new), average="micro") > 0.93
    assert hamming_loss(truth, matrix.predict(X_new)) < 0.1


def test_every_label_of_a_word_is_found_although_no_document_has_one_label():
    """As wheat in the paper, which never occurs as the sole label."""
    rng = np.random.default_rng(5)
    texts, labels = [], []
    for _ in range(400):
        other = rng.choice(["ship", "oil"])
        texts.append(" ".join([*rng.choice(WORDS["grain"], 5), *rng.choice(WORDS[other], 5)]))
        labels.append(["grain", str(other)])
    clf = TextClassifier("multilabel", options=LITERAL, text_options={"log_tf": False})
    top = clf.fit(texts, labels).top_words(8)
    assert all(set(top[name]) == set(WORDS[name]) for name in ("oil", "ship"))


def test_words_are_assigned_to_the_labels_that_generated_them():
    clf = TextClassifier("multilabel").fit(*TRAIN)
    text = "said wheat harvest and vessel cargo of wheat"
    assert clf.predict([text])[0] == ("grain", "ship")
    found = {own.word: own for own in clf.explain(text).generated.words}
    for word, label in (("wheat", "grain"), ("harvest", "grain"), ("vessel", "ship")):
        own = found[word]
        assert own.shares[label] > 1.5 * max(own.common, own.other)
        assert max(own.shares, key=own.shares.get) == label
        assert_allclose(sum(own.shares.values()) + own.common + own.other, 1.0)
    assert found["said"].common > max(found["said"].shares.values())
    assert found["wheat"].count == 2


def test_documents_without_a_label_are_learned_and_predicted_where_they_may_be():
    texts, labels = drawn(400, 2, empty=0.3)
    new, truth = drawn(200, 3, empty=0.3)
    is_empty = np.array([not own for own in truth])
    for method in ("multilabel", "svm", "auto"):
        clf = TextClassifier(method).fit(texts, labels)
        predicted = np.array([len(own) == 0 for own in clf.predict(new)])
        assert (predicted == is_empty).mean() > 0.9, method
        forced = TextClassifier(method, allow_empty=False).fit(texts, labels)
        assert all(forced.predict(new)), method
    X, X_new = counted(texts), counted(new)
    found = MultiLabelMixture().fit(X, labels).predict(X_new)
    assert np.mean([len(own) == 0 for own in found] == is_empty) > 0.9
    assert all(MultiLabelMixture(allow_empty=False).fit(X, labels).predict(X_new))


def test_an_empty_set_is_not_a_missing_label():
    texts, labels = drawn(300, 2, empty=0.3)
    unlabeled = [own or None for own in labels]
    with_empty = TextClassifier("multilabel").fit(texts, labels)
    without = TextClassifier("multilabel").fit(texts, unlabeled)
    assert with_empty.report_.n_labeled == 300 > without.report_.n_labeled
    assert () in with_empty.predict(texts).tolist()
    assert () not in without.predict(texts).tolist()


@pytest.mark.parametrize("method", ["multilabel", "auto"])
def test_files_lists_and_copies_of_the_model_predict_the_same(tmp_path, method):
    import json

    labels = [own if i % 3 else None for i, own in enumerate(TRAIN[1])]
    rows = [json.dumps({"text": t, "labels": y}) for t, y in zip(TRAIN[0], labels, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(rows[:170]))
    (tmp_path / "b.jsonl").write_text("\n".join(rows[170:]))
    here = TextClassifier(method).fit(TRAIN[0], labels)
    streamed = TextClassifier(method).fit_files(tmp_path)
    loaded = parse_model(dump_model(here.fitted), "copy")
    wanted = here.predict_proba(TEST[0])
    assert_allclose(streamed.predict_proba(TEST[0]), wanted, atol=2e-3)
    assert_allclose(loaded.predict_proba(TEST[0]), wanted)
    assert streamed.predict(TEST[0]).tolist() == here.predict(TEST[0]).tolist()
    assert loaded.decide(wanted).values.tolist() == here.predict(TEST[0]).tolist()


def test_any_corpus_can_be_fitted():
    X = csr_array(counted(TRAIN[0])).astype(np.float64)
    sets = sorted({tuple(own) for own in TRAIN[1]})
    codes = np.array([sets.index(tuple(own)) for own in TRAIN[1]])
    logged = csr_array((np.log1p(X.data), X.indices, X.indptr), X.shape)
    corpus = in_memory(Block(logged, codes, np.ones(300)), 2)
    by_codes = MultiLabelMixture().fit_corpus(corpus, classes=[list(own) for own in sets])
    by_lists = MultiLabelMixture().fit(X, TRAIN[1])
    X_new = counted(TEST[0])
    assert by_codes.predict(X_new).tolist() == by_lists.predict(X_new).tolist()
    assert_allclose(by_codes.feature_log_prob_, by_lists.feature_log_prob_)


def test_one_label_per_document_is_one_class_each():
    single = [(text, own[0]) for text, own in zip(*TRAIN, strict=True) if len(own) == 1]
    texts, labels = zip(*single, strict=True)
    X = counted(texts)
    clf = MultiLabelMixture().fit(X, np.array(labels))
    assert clf.score(X, np.array(labels)) > 0.95
    assert_allclose(clf.predict_proba(X).sum(axis=1), 1.0)
    text = TextClassifier("multilabel").fit(list(texts), list(labels))
    assert text.score(list(texts), list(labels)) > 0.95


@pytest.mark.parametrize("search", [name for name in SEARCHES if name != "single"])
def test_every_search_predicts_nearly_the_same(search):
    X, X_new = counted(TRAIN[0]), counted(TEST[0])
    usual = MultiLabelMixture().fit(X, TRAIN[1]).predict(X_new)
    found = MultiLabelMixture(search=search).fit(X, TRAIN[1]).predict(X_new)
    assert np.mean([a == b for a, b in zip(usual, found, strict=True)]) > 0.95


@pytest.mark.parametrize(
    "options",
    [
        {"likelihood_weight": 0.5},
        {"set_weight": 0.2},
        {"length_power": 0.5},
        {"document_length": 4.0},
        {"odds_weight": 1.0},
        {"set_alpha": 10.0},
        {"background": False},
        {"leave_one_out": True},
        {"word_weights": "equal"},
        {"max_iter": 3},
        {"log_tf": False},
        {"calibrate": False},
    ],
    ids=lambda options: next(iter(options)),
)
def test_every_option_has_an_effect_and_none_breaks_the_classifier(options):
    X, X_new = counted(TRAIN[0]), counted(TEST[0])
    usual, other = MultiLabelMixture(), MultiLabelMixture(**options)
    before, after = (clf.fit(X, TRAIN[1]).predict_proba(X_new) for clf in (usual, other))
    assert np.abs(before - after).max() > 1e-5  # rounding is below 1e-12
    assert other.score(X_new, TEST[1]) > 0.8


def test_without_a_background_no_word_comes_from_it():
    X = counted(TRAIN[0])
    assert np.isneginf(
        MultiLabelMixture(background=False).fit(X, TRAIN[1]).background_log_prob_
    ).all()


def test_unlabeled_documents_change_the_model():
    X, labels = counted(TRAIN[0]), [own if i < 40 else None for i, own in enumerate(TRAIN[1])]
    with_text, alone = (
        MultiLabelMixture(unlabeled_weight=weight).fit(X, labels).feature_log_prob_
        for weight in (0.5, 0.0)
    )
    assert np.abs(np.exp(with_text) - np.exp(alone)).max() > 1e-3


def test_early_stopping_chooses_a_number_of_iterations():
    X = counted(TRAIN[0])
    clf = MultiLabelMixture(max_iter=10, early_stopping=True).fit(X, TRAIN[1])
    tried = clf._learned.facts["accuracy_by_iteration"]
    assert clf.n_iter_ == 1 + int(np.argmax(tried))
    assert clf.n_iter_ <= len(tried) <= 10
    same = MultiLabelMixture(max_iter=clf.n_iter_).fit(X, TRAIN[1])
    assert_allclose(same.feature_log_prob_, clf.feature_log_prob_)


def test_scores_read_labels_as_training_did():
    X, n = counted(TRAIN[0]), {name: i for i, name in enumerate(CLASSES)}
    numbers = [[n[name] for name in names] for names in TRAIN[1]]
    of_numbers = MultiLabelMixture().fit(X, numbers)
    found = of_numbers.predict(X)
    both = np.array([each == (0, 1) for each in found])
    single = np.array([len(each) == 1 for each in found])
    for rows in (both, single):
        assert rows.any()
        assert of_numbers.score(X[rows], [list(each) for each in found[rows]]) == 1
    Y = matrix_of(TRAIN[1])
    named = MultiLabelMixture().fit(X, pd.DataFrame(Y, columns=CLASSES))
    expected = accuracy_score(Y, named.predict(X))
    assert named.score(X, pd.DataFrame(Y, columns=CLASSES).iloc[:, ::-1]) == expected > 0.9
    assert named.score(X, Y) == expected


def test_scikit_learn_can_search_and_score_with_a_matrix():
    X, Y = counted(TRAIN[0]), matrix_of(TRAIN[1])
    assert cross_val_score(MultiLabelMixture(), X, Y, cv=3).mean() > 0.85
    grid = {"odds_weight": [0.0, 0.5]}
    found = GridSearchCV(MultiLabelMixture(), grid, scoring="f1_micro", cv=3).fit(X, Y)
    assert found.best_score_ > 0.9
    text = TextClassifier("multilabel")
    assert cross_val_score(text, TRAIN[0], Y, scoring="f1_macro", cv=3).mean() > 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iter": -1}, r"max_iter must be in \[0, inf\), got -1"),
        ({"word_weights": "idf"}, "word_weights must be one of 'information', 'equal'"),
        ({"search": "single"}, "search must be one of 'both', 'greedy'"),
        ({"set_alpha": -1.0}, r"set_alpha must be in \[0, inf\)"),
        ({"unlabeled_weight": 2.0}, r"unlabeled_weight must be in \[0, 1\]"),
        ({"allow_empty": "yes"}, "allow_empty must be one of"),
    ],
)
def test_invalid_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        MultiLabelMixture(**options).fit(counted(TRAIN[0]), TRAIN[1])


def test_a_document_without_words_and_a_class_without_documents_do_no_harm():
    X = csr_array(counted(TRAIN[0]))
    X = csr_array((X.data, X.indices, np.append(X.indptr, X.indptr[-1])), (301, X.shape[1]))
    Y = np.column_stack([np.vstack([matrix_of(TRAIN[1]), [1, 0, 0]]), np.zeros(301, int)])
    clf = MultiLabelMixture().fit(X, Y)
    assert (clf.predict(X)[:, 3] == 0).all()
    assert np.isfinite(clf.predict_proba(X)).all()
    assert clf.predict(X[-1:]).sum() >= 1


def test_early_stopping_needs_labels_to_hold_out():
    y = [["oil"], ["ship"], *[None] * (len(TRAIN[0]) - 2)]
    with pytest.raises(ValueError, match="number of components, words or iterations by held-out"):
        MultiLabelMixture(early_stopping=True, max_iter=5).fit(counted(TRAIN[0]), y)


@pytest.mark.filterwarnings("ignore::leaven.exceptions.UnseenWordsWarning")
@pytest.mark.parametrize("method", ["multilabel", "svm", "auto"])
@pytest.mark.parametrize("empty", [0.0, 0.2])
def test_a_document_without_known_words_has_the_frequencies_of_labels(method, empty):
    texts, labels = drawn(120, 7, empty)
    clf = TextClassifier(method).fit(texts, labels)
    rates = matrix_of(labels).mean(axis=0)
    for text in ("", "unheard"):
        probability = clf.predict_proba([text, texts[0]])
        assert_allclose(probability[0], rates, atol=0.01)
        assert_allclose(probability[1], clf.predict_proba(texts[:1])[0])
        explained = clf.explain(text)
        assert list(explained.probability.values()) == probability[0].tolist()
        assert explained.label == clf.predict([text])[0]


def test_a_row_of_zeros_has_the_frequencies_of_labels():
    X = counted(TRAIN[0])
    found = MultiLabelMixture().fit(X, TRAIN[1]).predict_proba(np.zeros((1, X.shape[1])))
    assert_allclose(found[0], matrix_of(TRAIN[1]).mean(axis=0), atol=0.01)


def test_iterations_are_those_made_before_a_stop():
    clf = TextClassifier("multilabel", options={"max_iter": 20})
    clf.fit(*TRAIN, on_progress=lambda phase, done, total: phase == "EM" and done >= 3)
    assert "EM: 3 iterations" in str(clf.report_)
