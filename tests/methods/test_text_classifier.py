"""From raw text and a few labels to classes, and what is said on the way."""

import warnings
from itertools import groupby

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score

from leaven import UNLABELED, NaiveBayesEM, TextClassifier
from leaven._base.measures import log_softmax
from leaven.exceptions import CollapseWarning, LabelWarning, UnseenWordsWarning
from leaven.methods import METHODS

TOPICS = {
    "baking": "dough yeast oven flour crust bread knead butter sugar rise",
    "music": "chord piano violin melody rhythm concert opera tempo singer choir",
    "space": "orbit planet star comet moon rocket galaxy telescope crater launch",
}
COMMON = ["the", "and", "of", "with", "very", "about", "some", "more", "every", "then"]


def draw_texts(n_documents=150, *, n_words=10, seed=0):
    """Texts of three topics with common words between, and their classes."""
    rng = np.random.default_rng(seed)
    names = [list(TOPICS)[i % 3] for i in range(n_documents)]
    texts = [
        " ".join([*rng.choice(TOPICS[name].split(), n_words // 2), *rng.choice(COMMON, n_words)])
        for name in names
    ]
    return texts, names


TEXTS, TRUTH = draw_texts()
LABELS = [name if i < 6 else None for i, name in enumerate(TRUTH)]
CODES = [list(TOPICS).index(name) if name else -1 for name in LABELS]
NEW_TEXTS, NEW_TRUTH = draw_texts(60, seed=1)

TEXT_KINDS = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "numpy strings": np.array,
    "numpy objects": lambda texts: np.array(texts, dtype=object),
    "pandas": pd.Series,
    "pandas with an index": lambda texts: pd.Series(texts, index=range(len(texts), 0, -1)),
    "pandas objects": lambda texts: pd.Series(texts, dtype=object),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow large": lambda texts: pa.array(texts, pa.large_string()),
    "arrow chunks": lambda texts: pa.chunked_array([texts[:7], texts[7:]]),
    "arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
}
LABEL_KINDS = {
    "list": list,
    "tuple": tuple,
    "empty strings": lambda labels: [label or "" for label in labels],
    "nan": lambda labels: [label or float("nan") for label in labels],
    "pandas.NA": lambda labels: [label or pd.NA for label in labels],
    "numpy objects": lambda labels: np.array(labels, dtype=object),
    "numpy strings": lambda labels: np.array([label or "" for label in labels]),
    "pandas": pd.Series,
    "pandas strings": lambda labels: pd.Series(labels, dtype="string"),
    "pandas objects": lambda labels: pd.Series(labels, dtype=object).fillna(np.nan),
    "pandas categories": lambda labels: pd.Series(labels, dtype="category"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunks": lambda labels: pa.chunked_array([labels[:7], labels[7:]]),
}
NUMBER_KINDS = {
    "list": list,
    "numpy": np.array,
    "floats with NaN": lambda codes: [float(c) if c >= 0 else float("nan") for c in codes],
    "pandas floats": lambda codes: pd.Series([c if c >= 0 else None for c in codes]),
    "pandas Int64": lambda codes: pd.Series([c if c >= 0 else pd.NA for c in codes], dtype="Int64"),
    "polars": lambda codes: pl.Series([c if c >= 0 else None for c in codes]),
    "arrow": lambda codes: pa.array([c if c >= 0 else None for c in codes]),
}


@pytest.fixture(scope="module")
def fitted():
    return TextClassifier().fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def probabilities(fitted):
    return fitted.predict_proba(NEW_TEXTS)


def test_a_few_labels_and_many_texts_make_a_classifier(fitted):
    assert fitted.classes_.tolist() == ["baking", "music", "space"]
    assert fitted.score(NEW_TEXTS, NEW_TRUTH) == 1.0
    predicted = fitted.predict(NEW_TEXTS)
    assert predicted.dtype == object
    assert predicted.tolist() == NEW_TRUTH


def test_unlabeled_texts_help():
    texts, truth = draw_texts(300, n_words=6, seed=3)
    labels = [name if i < 3 else None for i, name in enumerate(truth)]
    supervised = TextClassifier("nb").fit(texts, labels).score(NEW_TEXTS, NEW_TRUTH)
    with_em = TextClassifier("em").fit(texts, labels).score(NEW_TEXTS, NEW_TRUTH)
    assert with_em >= supervised + 0.1


@pytest.mark.parametrize("kind", TEXT_KINDS.values(), ids=TEXT_KINDS.keys())
def test_texts_may_come_in_any_column(kind, probabilities):
    fitted = TextClassifier().fit(kind(TEXTS), LABELS)
    assert_allclose(fitted.predict_proba(kind(NEW_TEXTS)), probabilities, atol=1e-9)


@pytest.mark.parametrize("kind", LABEL_KINDS.values(), ids=LABEL_KINDS.keys())
def test_labels_may_come_in_any_column(kind, probabilities):
    fitted = TextClassifier().fit(TEXTS, kind(LABELS))
    assert fitted.classes_.tolist() == ["baking", "music", "space"]
    assert_allclose(fitted.predict_proba(NEW_TEXTS), probabilities, atol=1e-9)


@pytest.mark.parametrize("kind", NUMBER_KINDS.values(), ids=NUMBER_KINDS.keys())
def test_whole_numbers_are_classes_too(kind, probabilities):
    fitted = TextClassifier().fit(TEXTS, kind(CODES))
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.classes_.dtype.kind == "i"
    assert_allclose(fitted.predict_proba(NEW_TEXTS), probabilities, atol=1e-9)
    assert_array_equal(fitted.predict(NEW_TEXTS), probabilities.argmax(axis=1))


def test_minus_one_is_the_public_name_for_unlabeled():
    assert UNLABELED == -1
    assert TextClassifier().fit(TEXTS, np.array(CODES)).report_.n_unlabeled == CODES.count(-1)


def test_the_same_input_gives_the_same_model(fitted, probabilities):
    again = TextClassifier().fit(TEXTS, LABELS)
    assert_array_equal(again.predict_proba(NEW_TEXTS), probabilities)
    assert again.report_.objective == fitted.report_.objective


def test_the_number_of_threads_changes_no_prediction():
    texts, truth = draw_texts(3000, n_words=30)
    labels = [name if i < 6 else None for i, name in enumerate(truth)]
    one, two = (TextClassifier(n_jobs=n).fit(texts, labels) for n in (1, 2))
    assert_array_equal(one.predict(texts), two.predict(texts))
    assert_allclose(one.predict_proba(texts), two.predict_proba(texts), atol=1e-4)


def test_auto_asks_models_with_and_without_unlabeled_texts(fitted):
    names = ["linear model of words", "linear model of words and vectors", "two-view EM"]
    names.append("naive Bayes with EM")
    subwords = ["linear model of subwords and vectors", "two-view EM of subwords"]
    subwords.append("naive Bayes with EM of subwords")
    supervised = TextClassifier().fit(TEXTS, TRUTH)
    for clf, n_labeled in ((fitted, 6), (supervised, 150)):
        report = clf.report_
        assert report.method == "auto"
        assert f"accuracy on {n_labeled} held-out labels" in report.reason
        assert "100 %" in report.reason
        assert report.reason.startswith("all documents are labeled") == (not report.n_unlabeled)
        assert [own["name"] for own in report.candidates] == names + subwords
        assert [own.name for own in clf.fitted.experts] == names
        assert [own.name for own in clf.fitted.beside.experts] == subwords
        assert sum(own["share"] for own in report.candidates) == pytest.approx(1.0)
        assert report.expected_accuracy["n_held_out"] == n_labeled
    # With all labels there is less left for EM to tell.
    says = [clf.report_.candidates[2]["share"] for clf in (fitted, supervised)]
    assert says[0] > says[1]


def test_a_method_asked_for_is_the_only_one_asked():
    for method in ("nb", "em", "two-view"):
        clf = TextClassifier(method).fit(TEXTS, LABELS)
        (expert,) = clf.fitted.experts
        assert clf.report_.method == method
        assert expert.name == METHODS[method].learner_type.title
        assert clf.report_.candidates == []
        assert clf.fitted.mixture is expert


def test_nb_does_not_look_at_unlabeled_texts_but_for_word_weights():
    plain = {"idf": False}
    labeled = [i for i, label in enumerate(LABELS) if label]
    rows, names = [TEXTS[i] for i in labeled], [LABELS[i] for i in labeled]
    vocabulary_of_all = TextClassifier("nb", text_options=plain).fit(TEXTS, LABELS)
    few = TextClassifier("nb", text_options=plain).fit(rows, names)
    assert vocabulary_of_all.report_.objective[0] < 0
    assert vocabulary_of_all.report_.n_iter == few.report_.n_iter == 0
    shared = sorted(set(" ".join(rows).split()))
    columns = [clf.fitted.counter.vocabulary.words.to_pylist() for clf in (vocabulary_of_all, few)]
    ratio = []
    for clf, words in zip((vocabulary_of_all, few), columns, strict=True):
        log_word = clf.fitted.mixture.params.log_word[:, [words.index(word) for word in shared]]
        ratio.append(log_word - log_word[:, :1])  # free of the vocabulary's size
    assert_allclose(ratio[0], ratio[1], atol=1e-4)


@pytest.mark.parametrize("method", ["SVM", "EM", "", None, ["em"], 3])
def test_a_method_not_built_is_refused_with_those_that_are(method):
    with pytest.raises(ValueError) as caught:
        TextClassifier(method).fit(TEXTS, LABELS)
    assert str(caught.value) == (
        f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}"
    )


def test_unknown_options_are_refused_with_those_there_are():
    with pytest.raises(ValueError, match="text_options has no 'stopwords'; choose from alternate"):
        TextClassifier(text_options={"stopwords": "english"}).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="method 'em' has no option 'beta'; choose from alpha, b"):
        TextClassifier("em", options={"beta": 1}).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="has no option 'n_threads'"):
        TextClassifier(options={"n_threads": 1}).fit(TEXTS, LABELS)


REFUSED_OPTIONS = [
    ({"options": {"alpha": 0}}, r"alpha must be in \(0, inf\), got 0"),
    ({"options": {"max_iter": 1.5}}, "max_iter must be a whole number"),
    ({"text_options": {"tokens": "bytes"}}, "tokens must be one of 'words', 'letters'"),
    ({"text_options": {"ngram_range": (2, 1)}}, "ngram_range must be"),
    ({"text_options": {"length": 0}}, r"length must be in \(0, inf\), got 0"),
    ({"text_options": {"min_df": 151}}, "lower min_df|max_df must allow"),
    ({"n_jobs": 0}, "n_jobs must be at least 1"),
]


@pytest.mark.parametrize(("parameters", "message"), REFUSED_OPTIONS, ids=str)
def test_bad_values_of_options_are_refused(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TextClassifier(**parameters).fit(TEXTS, LABELS)


def test_options_reach_the_text_and_the_method():
    clf = TextClassifier(
        "em",
        text_options={"stop_words": ["dough"], "ngram_range": (1, 2), "length": None},
        options={"alpha": 0.25, "max_iter": 7, "tol": 0.01},
    ).fit(TEXTS, LABELS)
    words = clf.fitted.counter.vocabulary.words.to_pylist()
    assert "dough" not in words
    assert any(" " in word for word in words)
    used = clf.report_.options
    assert {"alpha": 0.25, "max_iter": 7, "tol": 0.01}.items() <= used["method"].items()
    assert set(used["method"]) == set(NaiveBayesEM().get_params())
    assert used["text"]["length"] is None
    assert used["text"]["stop_words"] == ["dough"]
    assert used["text"]["log_tf"] is True


def test_words_that_occur_once_are_kept_only_in_small_corpora():
    small = TextClassifier().fit([*TEXTS, "unheard"], [*LABELS, None])
    assert "unheard" in small.fitted.counter.vocabulary.words.to_pylist()
    texts, truth = draw_texts(300)
    labels = [name if i < 6 else None for i, name in enumerate(truth)]
    large = TextClassifier().fit([*texts, "unheard"], [*labels, None])
    assert "unheard" not in large.fitted.counter.vocabulary.words.to_pylist()


def test_the_report_says_what_happened(fitted):
    report = fitted.report_
    assert (report.n_documents, report.n_labeled, report.n_unlabeled) == (150, 6, 144)
    assert report.class_counts == {"baking": 2, "music": 2, "space": 2}
    assert report.n_words == len({word for text in TEXTS for word in text.split()})
    assert sum(report.unlabeled_shares.values()) == pytest.approx(1.0)
    assert set(report.unlabeled_shares) == set(TOPICS)
    assert min(report.unlabeled_shares.values()) > 0.25
    assert len(report.objective) == report.n_iter + 1
    assert np.diff(report.objective).min() >= -1e-6 * abs(report.objective[-1])
    assert report.converged
    assert report.warnings == []
    phases = ["preparing", "counting", "vectors", "fitting", "subwords", "comparing"]
    assert list(report.seconds) == phases
    assert min(report.seconds.values()) >= 0
    calibrated = TextClassifier("em").fit(TEXTS, LABELS).report_
    assert list(calibrated.seconds) == ["preparing", "counting", "fitting", "calibrating"]
    plain = TextClassifier("em", calibrate=False).fit(TEXTS, LABELS).report_
    assert list(plain.seconds) == ["preparing", "counting", "fitting"]


def test_the_report_is_readable(fitted):
    lines = str(fitted.report_).splitlines()
    assert lines[0] == (
        "method auto: accuracy on 6 held-out labels: 100 % combined, 100 % for the supervised "
        "model alone"
    )
    assert lines[1].startswith("150 documents, 6 labeled in 3 classes, ")
    assert "EM iterations, converged; objective" in lines[2]
    assert [line.split("  ")[1] for line in lines[3:10]] == [
        own["name"] for own in fitted.report_.candidates
    ]
    for line, own in zip(lines[3:10], fitted.report_.candidates, strict=True):
        right = "100 % (69–100) accuracy on held-out labels"
        assert line.endswith(f"  {right}, weight {100 * own['share']:.0f} %")
    assert lines[10] == fitted.report_.expectation
    assert lines[10].endswith("; from 6 held-out labels)")
    assert any(line.strip().startswith("baking") and "2 labeled" in line for line in lines)
    supervised = str(TextClassifier("nb").fit(TEXTS, LABELS).report_)
    assert supervised.startswith("method nb: supervised naive Bayes on the labeled documents alone")
    assert "iterations" not in supervised
    assert "of unlabeled documents" not in supervised
    early = TextClassifier("two-view", options={"max_iter": 1}, calibrate=False)
    assert "\n1 EM iteration, as configured; " in str(early.fit(TEXTS, LABELS).report_)


def test_what_a_method_has_to_tell_can_be_read_as_an_attribute_and_stands_in_json(fitted):
    report = fitted.report_
    assert report.facts["objective"] is report.objective
    assert {"objective", "converged", "method", "seconds"} <= set(report.to_json())
    assert type(report).from_json(report.to_json()) == report
    assert "facts" not in report.to_json()
    plain = TextClassifier("sfe").fit(TEXTS, LABELS).report_
    assert plain.n_iter == 0
    with pytest.raises(AttributeError, match="method 'sfe' reports no 'objective'"):
        _ = plain.objective


def test_a_class_with_a_single_document_is_noted_in_the_report_alone():
    labels = [*TRUTH[:5], *[None] * 145]
    report = TextClassifier().fit(TEXTS, labels).report_  # a Python warning would be an error
    assert report.warnings == [
        "1 class has a single labeled document ('space'); a few more would help most"
    ]
    report = TextClassifier().fit(TEXTS, [*TRUTH[:4], *[None] * 146]).report_
    assert report.warnings == [
        "2 classes have a single labeled document ('music', 'space'); a few more would help most"
    ]
    report = TextClassifier().fit(TEXTS, [*TRUTH[:3], *[None] * 147]).report_
    assert report.warnings == [
        "every class has a single labeled document; a few more each would help most"
    ]
    assert str(report).endswith(f"warning: {report.warnings[0]}")


def test_warnings_of_the_fit_reach_the_user_and_the_report():
    clf = TextClassifier("em", options={"max_iter": 1, "tol": 0.0})
    with pytest.warns(ConvergenceWarning, match="increase max_iter or tol") as caught:
        clf.fit(TEXTS, LABELS)
    assert caught[0].filename == __file__
    assert clf.report_.warnings == [str(caught[0].message)]
    assert not clf.report_.converged
    assert "stopped before converging" in str(clf.report_)


@pytest.mark.parametrize("unlabeled_weight", [1.0, 0.3])
def test_a_collapse_reaches_the_user_and_the_report(unlabeled_weight):
    # Four words per text, unscaled, against 4,000 pseudo-counts: one class runs away.
    rng = np.random.default_rng(1)
    words = rng.dirichlet(np.full(2000, 0.5), size=2)
    texts = [" ".join(f"w{w}" for w in rng.choice(2000, 4, p=words[i % 2])) for i in range(600)]
    labels = ["a", "b", "a", None, "a", *[None] * 595]
    clf = TextClassifier(
        "em",
        text_options={"length": None, "idf": False, "log_tf": False, "min_df": 1},
        options={"alpha": 2.0, "unlabeled_weight": unlabeled_weight},
    )
    with pytest.warns(CollapseWarning, match="EM has probably collapsed") as caught:
        clf.fit(texts, labels)
    assert str(caught[0].message) in clf.report_.warnings
    assert max(clf.report_.unlabeled_shares.values()) > 0.9


REFUSED_LABELS = [
    ([None] * 4, "no document is labeled: every label is missing"),
    ([-1] * 4, "no document is labeled: every label is missing"),
    (["a", "a", None, None], "all labeled documents are of one class, 'a'; label documents of an"),
    ([5, 5, -1, -1], "all labeled documents are of one class, 5; label"),
    (["1", "0", "-1", "-1"], 'the label "-1" as text occurs 2 times: an unlabeled document has an'),
    (
        ["a", "b", "c", "d"],
        r"the 4 labels are all different \('a', 'b', …\): this looks like",
    ),
    ([1, 2, 3, 4], r"the 4 labels are all different \(1, 2, …\)"),
    (["a", "b", None], "texts and labels must have the same length, got 4 texts and 3 labels"),
    ([["b", "a"]] * 2 + [None] * 2, "labeled documents have the same, 'a, b'; label documents"),
    ([[], [], None, None], "all labeled documents have the same, 'no label'"),
    (np.eye(4, dtype=int), r"the 4 labels are all different \(0, 1, …\)"),
    (None, "the target y is None; give one label per document"),
]


@pytest.mark.parametrize(("labels", "message"), REFUSED_LABELS, ids=lambda case: str(case)[:25])
def test_labels_nothing_can_be_learned_from_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier().fit(["dough", "star", "yeast", "moon"], labels)


def test_many_labels_given_once_each_are_identifiers_even_beside_unlabeled_texts():
    texts = [f"text number{i} here" for i in range(200)]
    labels = [f"id{i}" if i < 101 else None for i in range(200)]
    with pytest.raises(ValueError, match="column of identifiers; choose the label column"):
        TextClassifier().fit(texts, labels)


REFUSED_TEXTS = [
    ("one text", "string object received"),
    (["a", None, "c", "d"], "missing"),
    (["a", 3, "c", "d"], r"texts\[1\] is of type 'int'"),
    (["", "", "", ""], "empty vocabulary"),
    ([], "got 0 texts and 4 labels|no document"),
]


@pytest.mark.parametrize(("texts", "message"), REFUSED_TEXTS, ids=lambda case: str(case)[:25])
def test_texts_that_are_none_are_refused(texts, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TextClassifier().fit(texts, ["a", "b", None, None])


def prior_scores(fitted):
    """What every expert says of a document of which nothing is known, weighted."""
    total = 0.0 if fitted.decision.bias is None else fitted.decision.bias
    for channel in filter(None, (fitted.words, fitted.beside)):
        own = [
            expert.bias if hasattr(expert, "bias") else expert.params.log_weight
            for expert in channel.experts
        ]
        total = total + channel.weights @ np.array(own)
    return total


@pytest.mark.parametrize(
    ("parameters", "least"),
    [
        ({}, 0.5),
        ({"method": "em"}, 0.5),
        ({"method": "em", "calibrate": False}, 0.9),
        ({"method": "nb", "calibrate": False}, 0.9),
    ],
)
def test_texts_of_unseen_words_get_the_prior_and_a_warning(parameters, least):
    clf = TextClassifier(**parameters).fit([*TEXTS, "opera"], [*LABELS, "music"])
    prior = np.exp(log_softmax(prior_scores(clf.fitted)[None])[0])
    if clf.method == "nb":
        assert_allclose(prior, [2 / 7, 3 / 7, 2 / 7])
    with pytest.warns(UnseenWordsWarning, match="2 of 4 documents contain no word") as caught:
        found = clf.predict_proba(["qwertz uiop", "", TEXTS[0], "dough"])
    assert caught[0].filename == __file__
    assert_allclose(found[:2], [prior, prior])
    assert found[2, 0] > least
    if clf.method != "nb":  # no labeled text holds this word
        assert found[3, 0] > least
    with pytest.warns(UnseenWordsWarning, match="1 of 1 documents contains no word") as caught:
        assert clf.predict([""])[0] == clf.classes_[prior.argmax()] == "music"
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("method", "least"), [("auto", 0.95), ("em", 1.0)])
def test_an_empty_text_among_the_documents_does_no_harm(method, least):
    fitted = TextClassifier(method).fit([*TEXTS, "", " "], [*LABELS, None, "baking"])
    assert fitted.score(NEW_TEXTS, NEW_TRUTH) >= least
    assert fitted.report_.class_counts["baking"] == 3


def test_no_text_to_classify_gives_no_class(fitted):
    assert fitted.predict([]).tolist() == []
    assert fitted.predict_proba([]).shape == (0, 3)


def test_probabilities_of_a_text_sum_to_one(probabilities):
    assert probabilities.shape == (60, 3)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert probabilities.min() >= 0


def test_many_batches_are_classified_as_one(fitted, probabilities, monkeypatch):
    monkeypatch.setattr("leaven.classifier._fitted.DOCUMENTS_PER_BATCH", 7)
    assert_allclose(fitted.predict_proba(NEW_TEXTS), probabilities, atol=1e-12)


def test_score_counts_labeled_texts_only(fitted):
    labels = [*NEW_TRUTH[:40], *[None] * 20]
    assert fitted.score(NEW_TEXTS, labels) == 1.0
    wrong = ["music" if name == "baking" else "baking" for name in NEW_TRUTH[:10]]
    labels = [*wrong, *NEW_TRUTH[10:40], *[""] * 20]
    assert fitted.score(NEW_TEXTS, labels) == pytest.approx(30 / 40)
    weight = [3.0] * 10 + [1.0] * 50
    assert fitted.score(NEW_TEXTS, labels, sample_weight=weight) == pytest.approx(30 / 60)


def test_score_needs_a_label_for_every_text_and_one_that_is_there(fitted):
    with pytest.raises(ValueError, match="every label is missing"):
        fitted.score(NEW_TEXTS, [None] * 60)
    with pytest.raises(ValueError, match="the same length, got 60 texts and 2 labels"):
        fitted.score(NEW_TEXTS, ["baking", "music"])


def test_top_words_of_a_class_are_its_own(fitted):
    found = fitted.top_words(5)
    assert list(found) == ["baking", "music", "space"]
    for name, words in found.items():
        assert len(words) == len(set(words)) == 5
        assert set(words) <= set(TOPICS[name].split())
    assert fitted.top_words(0) == {"baking": [], "music": [], "space": []}
    assert len(fitted.top_words(10_000)["music"]) == fitted.report_.n_words


def score_without_words(fitted, seen):
    """What the experts' scores of a document would be if no word had pulled.

    The vector of a document is its words' sum, moved by the middle of the training documents.
    """
    base = prior_scores(fitted)
    for channel, x in ((fitted.words, seen.X), (fitted.beside, seen.beside)):
        if channel is None or channel.view is None:
            continue
        place = x.toarray()[0] @ channel.view.basis
        moved = place / np.linalg.norm(place) - channel.view.center
        shift = -channel.view.center / np.linalg.norm(moved)
        for weight, expert in zip(channel.weights, channel.experts, strict=True):
            if expert.as_mixture() is not None and expert.sees_vectors:
                base = base + weight * expert.model.concentration * expert.params.directions @ shift
            elif expert.sees_vectors:
                base = base + weight * shift @ expert.directions
    return base


@pytest.mark.parametrize("method", ["auto", "em", "two-view"])
def test_an_explanation_adds_up_to_the_prediction(method):
    clf = TextClassifier(method).fit(TEXTS, LABELS)
    text = "dough yeast star the and unheardof words"
    explanation = clf.explain(text, 100)
    assert explanation.label == clf.predict([text])[0] == "baking"
    found = [entry.word for entry in explanation.words]
    known = {"dough", "yeast", "star", "the", "and"}
    assert known <= set(found) <= known | {"unheardof", "words"}  # of which subwords are known
    assert (set(found) == known) == (clf.fitted.beside is None)
    assert explanation.unknown_words == 2
    length = clf.fitted.counter.options.length
    assert sum(entry.weight for entry in explanation.words) == pytest.approx(length, rel=1e-5)
    spreads = [max(e.pull.values()) - min(e.pull.values()) for e in explanation.words]
    assert spreads == sorted(spreads, reverse=True)
    seen = clf.fitted.seen(pa.array([text], pa.large_string()))
    total = dict(zip(clf.classes_, score_without_words(clf.fitted, seen), strict=True))
    for entry in explanation.words:
        assert sum(entry.pull.values()) == pytest.approx(0.0, abs=1e-9)
        for name, pull in entry.pull.items():
            total[name] += pull
    exact = np.log(clf.predict_proba([text])[0])
    tolerance = 1e-8 if clf.fitted.view is None else 1e-5  # vectors are of single precision
    for i, name in enumerate(clf.classes_):
        assert explanation.probability[name] == pytest.approx(np.exp(exact[i]))
        assert total[name] - total["baking"] == pytest.approx(exact[i] - exact[0], abs=tolerance)


def test_the_words_of_a_topic_pull_towards_it(fitted):
    explanation = fitted.explain("piano galaxy")
    assert sum(explanation.probability.values()) == pytest.approx(1.0)
    for entry in explanation.words:
        towards = max(entry.pull, key=entry.pull.get)
        assert entry.word in TOPICS[towards]
    shown = str(explanation).splitlines()
    assert shown[0].startswith(str(explanation.label))
    assert len(shown) == 3


def test_how_many_limits_an_explanation_to_the_strongest_words(fitted):
    everything = fitted.explain("piano galaxy the and", 100)
    assert fitted.explain("piano galaxy the and", 2).words == everything.words[:2]
    for refused in (-1, 1.5):
        with pytest.raises((ValueError, TypeError), match="how_many must be"):
            fitted.explain("piano", refused)
        with pytest.raises((ValueError, TypeError), match="how_many must be"):
            fitted.top_words(refused)


@pytest.mark.parametrize(("text", "unknown"), [("", 0), ("!? a", 0), ("qwertz uiop", 2)])
def test_a_text_without_known_words_is_explained_by_none(fitted, text, unknown):
    explanation = fitted.explain(text)
    assert explanation.words == []
    assert explanation.unknown_words == unknown
    assert "no word of this text is in the model's vocabulary" in str(explanation)


def test_classes_that_are_numbers_are_explained_as_numbers():
    fitted = TextClassifier().fit(TEXTS, CODES)
    explanation = fitted.explain("piano concert")
    assert explanation.label == 1
    assert type(explanation.label) is int
    assert list(fitted.top_words(1)) == [0, 1, 2]
    assert str(explanation).startswith("1  (")


def test_parameters_can_be_got_set_and_cloned():
    clf = TextClassifier("nb", text_options={"min_df": 2}, options={"alpha": 0.5}, n_jobs=1)
    assert clf.get_params(deep=False) == {
        "method": "nb", "text_options": {"min_df": 2}, "options": {"alpha": 0.5},
        "embed": None, "segment": None, "subwords": None, "calibrate": True, "diagnose": False,
        "keep_documents": True,
        "keep_excerpts": 0, "n_jobs": 1, "random_state": 0,
        "unlabeled": (), "ignore_case": False, "allow_empty": None,
    }  # fmt: skip
    copy = clone(clf)
    assert copy.get_params() == clf.get_params()
    assert not hasattr(copy, "classes_")
    copy.set_params(method="em", options=None)
    assert (copy.method, copy.options) == ("em", None)
    assert clf.options == {"alpha": 0.5}


def test_the_options_given_are_left_as_they_were():
    text_options, options = {"min_df": 2}, {"alpha": 0.5}
    TextClassifier(text_options=text_options, options=options).fit(TEXTS, LABELS)
    assert (text_options, options) == ({"min_df": 2}, {"alpha": 0.5})


def test_scikit_learn_cross_validates_it():
    scores = cross_val_score(TextClassifier(), TEXTS, TRUTH, cv=3)
    assert_allclose(scores, 1.0)


def test_before_fitting_nothing_can_be_asked():
    for ask in ("predict", "predict_proba", "explain", "save"):
        with pytest.raises(NotFittedError):
            getattr(TextClassifier(), ask)("text")


def test_signed_hashing_is_refused_with_the_remedy():
    clf = TextClassifier(text_options={"hash_features": 256})
    with pytest.raises(ValueError, match="add alternate_sign=False to text_options"):
        clf.fit(TEXTS, LABELS)


def test_unsigned_hashing_classifies_but_cannot_name_words():
    clf = TextClassifier(text_options={"hash_features": 512, "alternate_sign": False})
    clf.fit(TEXTS, LABELS)
    assert clf.report_.n_words == 512
    assert clf.score(NEW_TEXTS, NEW_TRUTH) > 0.9
    for ask, question in ((clf.explain, "dough"), (clf.top_words, 3)):
        with pytest.raises(
            ValueError, match="this model hashed its words; train without hash_features"
        ):
            ask(question)


def test_progress_is_told_by_phase():
    seen = []
    clf = TextClassifier(subwords=False).fit(
        TEXTS, LABELS, on_progress=lambda phase, done, total: seen.append((phase, done, total))
    )
    n_bytes = sum(len(text) for text in TEXTS)
    counting = [(done, total) for phase, done, total in seen if phase == "counting"]
    assert counting[-1] == (n_bytes, n_bytes)
    em = [(done, total) for phase, done, total in seen if phase == "EM"]
    max_iter = clf.report_.options["method"]["max_iter"]
    assert em == [(step, max_iter) for step in range(clf.report_.n_iter + 1)]
    phases = [phase for phase, _ in groupby(phase for phase, _, _ in seen)]
    assert phases == ["counting", "vectors", "EM", "holding out"]
    for phase in ("vectors", "holding out"):
        steps = [(done, total) for name, done, total in seen if name == phase]
        assert steps == [(number + 1, len(steps)) for number in range(len(steps))]


def test_prediction_tells_progress_in_documents(fitted):
    seen = []
    fitted.fitted.predict_proba(NEW_TEXTS, on_progress=lambda *step: seen.append(step))
    assert seen == [(60, 60)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.fitted.predict_proba(["qwertz"], warn=False)


def test_fits_in_several_threads_leave_the_warning_filters_alone():
    import threading

    before = list(warnings.filters)
    texts, labels = ["dough", "stars", "bread dough", "orbit stars"] * 5, ["a", "b", None, None] * 5
    threads = [
        threading.Thread(target=lambda: TextClassifier().fit(texts, labels)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before


def test_arrays_mapped_read_only_do_not_matter():
    """As in another process of joblib, which maps large arrays from files."""
    texts = ["dough", "stars", "bread dough", "orbit stars"]
    clf = TextClassifier().fit(texts, ["a", "b", None, None])
    expected = clf.predict_proba(["dough stars bread"])
    vocabulary = clf.fitted.counter.vocabulary
    for array in (vocabulary.arena, vocabulary.starts, vocabulary.table):
        array.flags.writeable = False
    assert_array_equal(clf.predict_proba(["dough stars bread"]), expected)


def test_many_classes_of_one_label_each_are_no_identifiers():
    words = [f"word{i}" for i in range(105)]
    labels = [f"class{i}" for i in range(105)] + [None] * 300
    clf = TextClassifier().fit(words + words * 2 + words[:90], labels)
    assert len(clf.classes_) == 105


def test_a_class_called_na_is_noted():
    with pytest.warns(LabelWarning, match="--unlabeled NA"):
        clf = TextClassifier().fit(["dough", "stars", "bread", "orbit"], ["a", "b", "NA", "NA"])
    assert any("'NA'" in note for note in clf.report_.warnings)


def test_scoring_with_labels_of_another_kind_is_refused():
    clf = TextClassifier().fit(["dough", "stars", "dough", "stars"], ["1", "2", "1", "2"])
    with pytest.raises(ValueError, match="none of the labels given"):
        clf.score(["dough", "stars"], [1, 2])


def test_the_warning_of_a_score_names_the_callers_file():
    clf = TextClassifier().fit(["dough", "stars", "dough", "stars"], ["a", "b", "a", "b"])
    with pytest.warns(UnseenWordsWarning) as caught:
        clf.score(["unheard", "dough"], ["b", "a"])
    assert caught[0].filename == __file__


def test_log_probabilities_are_those_of_the_probabilities():
    clf = TextClassifier().fit(["dough", "stars", "dough", "stars"], ["a", "b", "a", "b"])
    texts = ["dough stars stars", "dough"]
    assert_allclose(np.exp(clf.predict_log_proba(texts)), clf.predict_proba(texts))


@pytest.mark.parametrize("classes", [["music", "space"], [3, 5]])
def test_predictions_below_a_probability_are_none(classes):
    texts = ["piano concert", "galaxy orbit", "piano", "galaxy"]
    clf = TextClassifier("nb").fit(texts, [*classes, None, None])
    asked = ["piano", "galaxy", "piano galaxy"]
    probability = clf.predict_proba(asked).max(axis=1)
    assert probability[2] < probability[:2].min()
    found = clf.predict(asked, min_probability=float(probability[:2].min()))
    assert found.tolist() == [*classes, None]
    assert clf.predict(asked, min_probability=0).tolist() == clf.predict(asked).tolist()
    with pytest.raises(ValueError, match=r"min_probability must be in \[0, 1\]"):
        clf.predict(asked, min_probability=80)


def test_a_vector_explains_as_it_predicts():
    rng = np.random.default_rng(0)
    texts = ["piano concert", "galaxy orbit", "piano song", "galaxy moon"] * 5
    side = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, 0.2]] * 10)
    vectors = side + 0.1 * rng.normal(size=side.shape)
    labels = ["music", "space", None, None] * 5
    clf = TextClassifier("two-view").fit(texts, labels, vectors=vectors)
    for i in (2, 3):
        found = clf.explain(texts[i], vector=vectors[i]).probability
        assert list(found.values()) == pytest.approx(
            clf.predict_proba([texts[i]], vectors=vectors[[i]])[0], rel=1e-5
        )
    with pytest.warns(UserWarning, match="explained by its words alone"):
        alone = clf.explain("piano song")
    zero = clf.predict_proba(["piano song"], vectors=np.zeros((1, 3)))[0]
    assert list(alone.probability.values()) == pytest.approx(zero, rel=1e-5)
    # Without another half of the vector, words pull as far as their vector reaches.
    with_vector = clf.explain("piano song", vector=vectors[2])
    pull = {entry.word: entry.pull["music"] for entry in with_vector.words}
    assert all(entry.pull["music"] > pull[entry.word] for entry in alone.words)
    with pytest.raises(ValueError, match=r"must have shape \(1, 3\)"):
        clf.explain("piano song", vector=[1.0, 2.0])
