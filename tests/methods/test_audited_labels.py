"""Labels that are audits: what is estimated from them, what is reported, and files that tell."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import clusters
from leaven import TextClassifier, load
from leaven.exceptions import DataError
from leaven.held_out import HeldOut

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour", "crust", "loaf", "butter"],
    "space": ["stars", "planets", "orbit", "moon", "comet", "rocket", "galaxy", "telescope"],
    "sport": ["goal", "match", "team", "player", "league", "referee", "stadium", "score"],
}
COMMON = ["the", "and", "with", "about", "some", "very", "one", "other"]
N, N_LABELED = 120, 60


def documents(seed=0, n_own=3):
    """Texts of three classes, with some words of another, half of them labeled."""
    rng = np.random.default_rng(seed)
    names, texts = list(WORDS), []
    for i in range(N):
        own, other = WORDS[names[i % 3]], WORDS[names[rng.integers(3)]]
        texts.append(
            " ".join(
                [*rng.choice(own, n_own), *rng.choice(other, 6 - n_own), *rng.choice(COMMON, 4)]
            )
        )
    labels = [names[i % 3] if i < N_LABELED else None for i in range(N)]
    return texts, labels


TEXTS, LABELS = documents()
AUDITED = np.arange(N) % 4 == 1  # fifteen of the labeled documents, and some others
SETS = [None if label is None else [label, "x"][: 1 + i % 2] for i, label in enumerate(LABELS)]
METHODS = ["nb", "two-view", "auto"]


def fit(method="nb", **how):
    return TextClassifier(method, n_jobs=1).fit(TEXTS, LABELS, **how)


@pytest.fixture
def held(monkeypatch):
    """Numbers of the documents that were held out, of every fit."""
    found = []
    scores = HeldOut.scores

    def spy(self, learned):
        places = [self.training.labeled.numbers[fold] for fold in self.places]
        found.append(sorted(np.concatenate([np.zeros(0, int), *places]).tolist()))
        return scores(self, learned)

    monkeypatch.setattr(HeldOut, "scores", spy)
    return found


@pytest.mark.parametrize("method", METHODS)
def test_the_documents_held_out_are_the_labeled_audits(held, method):
    report = fit(method, audited=AUDITED).report_
    wanted = np.flatnonzero(AUDITED[:N_LABELED]).tolist()
    assert held
    assert all(own == wanted for own in held)
    own = report.expected_accuracy
    assert own["n_audited"] == own["n_held_out"] == len(wanted) == 15
    assert own["low"] <= own["accuracy"] <= own["high"]
    assert own["n_audits_needed"] == 0
    assert "estimated from 15 audited labels)" in report.expectation
    assert report.expectation in str(report)
    if method == "auto":
        assert "15 audited labels" in report.reason


@pytest.mark.parametrize("method", METHODS)
def test_none_is_as_without_it(method):
    without, none = fit(method), fit(method, audited=None)
    assert_array_equal(without.predict_proba(TEXTS), none.predict_proba(TEXTS))
    assert without.report_.expected_accuracy == none.report_.expected_accuracy
    assert "n_audited" not in none.report_.expected_accuracy
    assert "held-out labels" in none.report_.expectation


def test_what_is_said_of_unlabeled_documents_is_ignored():
    labeled_only = AUDITED & (np.arange(N) < N_LABELED)
    a, b = fit(audited=AUDITED), fit(audited=labeled_only)
    assert_array_equal(a.predict_proba(TEXTS), b.predict_proba(TEXTS))
    assert a.report_.expected_accuracy == b.report_.expected_accuracy


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("n_audited", "needed"), [(0, "10 more documents"), (9, "one more document")]
)
def test_too_few_audits_leave_the_accuracy_unknown(method, n_audited, needed):
    audited = np.arange(N) < n_audited
    clf = fit(method, audited=audited)
    report = clf.report_
    own = report.expected_accuracy
    assert (own["accuracy"], own["low"], own["high"], own["n_held_out"]) == (None, None, None, 0)
    assert report.expectation == (
        "expected accuracy unknown: an estimate would rest on chosen labels and is not to be "
        f"trusted; label {needed} drawn at random ({n_audited} audited, 10 needed)"
    )
    assert report.expectation in str(report)
    if method == "auto":
        assert report.reason == (
            "too few labels are audited to compare models on them, so default weights are used"
        )
        assert all(each["accuracy"] is None for each in report.candidates)
    assert clf.score(TEXTS, [list(WORDS)[i % 3] for i in range(N)]) > 0.6


@pytest.mark.parametrize("method", ["svm", "multilabel", "auto"])
def test_documents_with_several_labels_are_judged_by_audits(held, method):
    clf = TextClassifier(method, n_jobs=1).fit(TEXTS, SETS, audited=AUDITED)
    wanted = np.flatnonzero(AUDITED[:N_LABELED]).tolist()
    assert held
    assert all(own == wanted for own in held)
    report = clf.report_
    own = report.expected_accuracy
    assert own["n_audited"] == 15
    assert own["low"] <= own["accuracy"] <= own["high"]
    assert "estimated from 15 audited documents): the share of documents" in report.expectation
    few = TextClassifier(method, n_jobs=1).fit(TEXTS, SETS, audited=np.arange(N) < 5)
    assert few.report_.expected_accuracy["accuracy"] is None
    assert "expected exact match unknown: an estimate would rest on chosen labels" in (
        few.report_.expectation
    )
    assert len(few.predict(TEXTS)) == N


def test_copies_among_audits_count_once():
    texts, labels = [*TEXTS, TEXTS[1], TEXTS[2]], [*LABELS, LABELS[1], LABELS[2]]
    audited = np.append(AUDITED, [True, True])  # 1 is an audit already, 2 was chosen
    clf = TextClassifier("nb", n_jobs=1).fit(texts, labels, audited=audited)
    assert clf.report_.expected_accuracy["n_audited"] == 16


@pytest.mark.parametrize("method", ["nb", "auto"])
def test_the_order_of_documents_changes_nothing(method):
    order = np.random.default_rng(1).permutation(N)
    clf = fit(method, audited=AUDITED)
    other = TextClassifier(method, n_jobs=1).fit(
        [TEXTS[i] for i in order], [LABELS[i] for i in order], audited=AUDITED[order]
    )
    ours, theirs = clf.report_.expected_accuracy, other.report_.expected_accuracy
    assert ours.keys() == theirs.keys()
    assert_allclose(list(ours.values()), list(theirs.values()), atol=1e-6)
    assert_allclose(clf.predict_proba(TEXTS), other.predict_proba(TEXTS), atol=1e-4)


def test_chosen_labels_do_not_blur_the_estimate():
    """Most of the chosen documents are hard, such as those in which a model is uncertain."""
    rng = np.random.default_rng(2)
    texts, labels = documents(n_own=5)
    for i in np.flatnonzero(~AUDITED[:N_LABELED])[:30]:
        texts[i] = " ".join(rng.choice(COMMON, 10))  # nothing tells its class
    truth = [list(WORDS)[i % 3] for i in range(N)]
    new = slice(N_LABELED, N)
    told = TextClassifier("nb", n_jobs=1).fit(texts, labels, audited=AUDITED)
    untold = TextClassifier("nb", n_jobs=1).fit(texts, labels)
    real = told.score(texts[new], truth[new])
    own, other = told.report_.expected_accuracy, untold.report_.expected_accuracy
    assert own["low"] <= real <= own["high"]
    assert other["high"] < real


@pytest.mark.parametrize(
    "given",
    [
        AUDITED.tolist(),
        pd.Series(AUDITED),
        pd.array(AUDITED),
        pa.array(AUDITED),
        AUDITED.astype(object),
    ],
    ids=["list", "Series", "pandas", "Arrow", "object"],
)
def test_columns_of_bool_are_taken(given):
    assert fit(audited=given).report_.expected_accuracy["n_audited"] == 15


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (AUDITED[:-1], ValueError, r"audited must hold True or False for each document, got an "
         r"array of shape \(119,\) for 120 documents; give one value per document"),
        (True, ValueError, r"got an array of shape \(\) for 120"),
        (AUDITED.astype(int), TypeError, "got an array of int64; make it one of bool"),
        (["audit"] * N, TypeError, "for each document, got an array of <U5"),
        ([None, *AUDITED[1:]], TypeError, "got None for document 0; give False where it is not"),
    ],
    ids=["short", "one", "numbers", "text", "missing"],
)  # fmt: skip
def test_what_is_not_a_flag_per_document_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        fit(audited=given)


def test_a_saved_model_keeps_what_its_estimate_rests_on(tmp_path):
    for audited in (AUDITED, np.arange(N) < 3):
        clf = fit(audited=audited)
        clf.save(tmp_path / "model.leaven")
        again = load(tmp_path / "model.leaven").report_
        assert again.expected_accuracy == clf.report_.expected_accuracy
        assert again.expectation == clf.report_.expectation
        assert json.dumps(again.to_json())


def test_without_calibration_nothing_is_held_out_and_flags_are_checked():
    clf = TextClassifier("nb", calibrate=False)
    assert clf.fit(TEXTS, LABELS, audited=AUDITED).report_.expected_accuracy == {}
    with pytest.raises(ValueError, match="audited must hold"):
        clf.fit(TEXTS, LABELS, audited=[True])


CELLS = {
    "audit": ("audit", "chosen", ""),
    "text": ("True", "False", "whatever"),
    "yes": (" Yes", "no", "?"),
    "number": (1, 0, 7),
    "bool": (True, False, True),
    "number and null": (1.0, None, None),
}


def write(path, yes, no, unlabeled):
    """A file whose last column says which labels are audits."""
    cells = [unlabeled if LABELS[i] is None else yes if AUDITED[i] else no for i in range(N)]
    table = pd.DataFrame({"text": TEXTS, "label": LABELS, "label_chosen": cells})
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_json(path, orient="records", lines=True)
    return path


@pytest.fixture(scope="module")
def expected():
    return fit(audited=AUDITED)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_column_of_a_file_says_which_labels_are_audits(tmp_path, suffix, kind, stream, expected):
    path = write(tmp_path / f"a.{suffix}", *CELLS[kind])
    clf = TextClassifier("nb", n_jobs=1).fit_files(path, audited="label_chosen", stream=stream)
    assert clf.report_.expected_accuracy == pytest.approx(expected.report_.expected_accuracy)
    assert clf.report_.data["audited"] == "label_chosen"


def test_several_files_number_their_documents_together(tmp_path, expected, monkeypatch):
    """One without the column, and small batches: the numbers must be those of all documents."""
    first, last = tmp_path / "a.csv", tmp_path / "c.csv"
    flags = np.where(AUDITED, "audit", "chosen")
    table = pd.DataFrame({"text": TEXTS, "label": LABELS, "how": flags})
    table[:30].to_csv(first, index=False)
    table[30:].to_csv(last, index=False)
    middle = tmp_path / "b.csv"
    pd.DataFrame({"text": TEXTS[60:70]}).to_csv(middle, index=False)
    paths = [first, middle, last]
    found = [
        TextClassifier("nb", n_jobs=1).fit_files(paths, audited="how", stream=stream).report_
        for stream in (True, False)
    ]
    for report in found:
        own = report.expected_accuracy
        assert own["n_audited"] == 15
        assert own == pytest.approx(found[0].expected_accuracy)


def test_a_cluster_gives_the_same(tmp_path, expected):
    path = write(tmp_path / "a.csv", *CELLS["audit"])
    with clusters.threads() as client:
        clf = TextClassifier("nb").fit_files(path, audited="label_chosen", client=client)
    assert clf.report_.expected_accuracy == pytest.approx(expected.report_.expected_accuracy)


@pytest.mark.parametrize("stream", [False, True])
def test_a_column_that_is_no_flag_is_refused(tmp_path, stream):
    path = write(tmp_path / "a.csv", "perhaps", "no", "")
    clf = TextClassifier("nb")
    with pytest.raises(
        DataError,
        match=r"column 'label_chosen' of .*a.csv must say whether a label is an audit, by true or "
        "false, 1 or 0, yes or no, or audit where it is one, got 'perhaps'; repair it, or name",
    ):
        clf.fit_files(path, audited="label_chosen", stream=stream)
    with pytest.raises(
        DataError,
        match=r"a.csv has no column 'wrong' that says which labels are audits \(columns found: "
        r".*'label_chosen'.*\); name the column of audits with --audited",
    ):
        clf.fit_files(path, audited="wrong", stream=stream)


def test_lists_are_no_flags(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"text": TEXTS, "label": LABELS, "a": [[1]] * N}).to_parquet(path)
    with pytest.raises(DataError, match="must hold true or false per document as its audit, but"):
        TextClassifier("nb").fit_files(path, audited="a")
