"""A progress callback that answers True: training ends soon, and what was reached is used."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from leaven import TextClassifier, load

NAMES = ("baking", "music", "space")
STOPPED = "training was stopped early, as the progress callback requested"


def draw_texts(seed=0, n_documents=300):
    """Texts of three topics of many words each, and their classes."""
    rng = np.random.default_rng(seed)
    words = {name: [f"{name}{i}" for i in range(80)] for name in NAMES}
    common = [f"common{i}" for i in range(10)]
    truth = [NAMES[i % 3] for i in range(n_documents)]
    own = [[*rng.choice(words[name], 3), *rng.choice(common, 4)] for name in truth]
    return [" ".join(each) for each in own], truth


TEXTS, TRUTH = draw_texts()
NEW_TEXTS, NEW_TRUTH = draw_texts(seed=1)
LABELS = [name if i < 30 else None for i, name in enumerate(TRUTH)]

# Settings with which EM would go on for long.
LONG = {
    "em": {"tol": 0.0, "max_iter": 40},
    "mixture": {"n_components": 2, "tol": 0.0, "max_iter": 40},
    "annealed": {"tol": 0.0, "max_iter": 40},
    "two-view": {"tol": 0.0},
    "auto": {"tol": 0.0},
}


class Stop:
    """Answers True from the moment on that a phase has come so far, and writes down the rest."""

    def __init__(self, phase, done=0):
        self.phase, self.done = phase, done
        self.before, self.after = [], []

    def __call__(self, phase, done, total):
        if self.after or (phase == self.phase and done >= self.done):
            self.after.append((phase, done))
            return True
        self.before.append((phase, done))
        return None

    def steps(self, phase, told):
        return [done for name, done in told if name == phase]


def fitted(method, stop, **more):
    clf = TextClassifier(method, options=LONG.get(method), **more)
    return clf.fit(TEXTS, LABELS, on_progress=stop)  # a ConvergenceWarning would be an error


def assert_stopped(clf, tmp_path):
    """It is a classifier like any other, and says what happened."""
    report = clf.report_
    assert report.warnings.count(STOPPED) == 1
    assert f"warning: {STOPPED}" in str(report)
    assert report.diagnosis == {}
    assert report.expected_accuracy.get("n_held_out", 0) == 0
    json.dumps(report.to_json(), allow_nan=False)
    assert clf.score(NEW_TEXTS, NEW_TRUTH) > 0.6  # a third by chance
    assert np.isfinite(clf.predict_proba(NEW_TEXTS)).all()
    clf.save(tmp_path / "stopped.leaven")
    again = load(tmp_path / "stopped.leaven")
    assert again.report_.warnings == report.warnings
    assert_array_equal(again.predict(NEW_TEXTS), clf.predict(NEW_TEXTS))


@pytest.mark.parametrize("method", LONG)
def test_em_ends_with_the_parameters_reached(method, tmp_path):
    stop = Stop("EM", 3)
    clf = fitted(method, stop, diagnose=True)
    assert_stopped(clf, tmp_path)
    assert stop.steps("EM", stop.before) == [0, 1, 2]
    # Annealing asks once more, before components are given to classes for good.
    assert len(stop.steps("EM", stop.after)) <= 2
    assert clf.report_.n_iter <= 4
    assert {phase for phase, _ in stop.after} == {"EM"}
    assert not clf.report_.converged


def test_em_made_no_step_after_the_answer():
    stopped = fitted("em", Stop("EM", 3), calibrate=False)
    clf = TextClassifier("em", options={"tol": 0.0, "max_iter": 3}, calibrate=False)
    with pytest.warns(match="EM stopped after 3 iterations"):
        clf.fit(TEXTS, LABELS)
    assert stopped.report_.objective == clf.report_.objective
    assert_array_equal(stopped.predict_proba(NEW_TEXTS), clf.predict_proba(NEW_TEXTS))


def test_of_several_starts_no_other_is_tried():
    stop = Stop("EM", 3)
    clf = fitted("mixture", stop, calibrate=False)
    assert stop.steps("EM", stop.after) == [3]
    assert clf.report_.components == dict.fromkeys(NAMES, 2)


@pytest.mark.parametrize(
    ("method", "phase"),
    [*((name, "counting") for name in LONG), ("auto", "vectors"), ("two-view", "vectors")],
)
def test_before_em_an_answer_leaves_what_labels_tell(method, phase, tmp_path):
    stop = Stop(phase)
    clf = fitted(method, stop)
    assert_stopped(clf, tmp_path)
    assert clf.report_.n_iter <= 1
    assert "holding out" not in {own for own, _ in stop.after}


@pytest.mark.parametrize("method", [*LONG, "nb", "sfe"])
def test_an_answer_while_labels_are_held_out_leaves_none_held_out(method, tmp_path):
    options = {**LONG.get(method, {}), "tol": 1e-3} if method in LONG else None
    stop = Stop("holding out", 2)
    clf = TextClassifier(method, options=options, diagnose=True)
    clf.fit(TEXTS, LABELS, on_progress=stop)
    assert_stopped(clf, tmp_path)
    assert stop.steps("holding out", stop.before) == [1]
    plain = TextClassifier(method, options=options, calibrate=False).fit(TEXTS, LABELS)
    if method != "auto":  # which has other experts, too
        assert_array_equal(clf.predict(NEW_TEXTS), plain.predict(NEW_TEXTS))


def test_no_further_fold_is_fitted_after_the_answer():
    stop = Stop("holding out", 2)
    TextClassifier("em", options={"tol": 1e-3}).fit(TEXTS, LABELS, on_progress=stop)
    assert stop.after == [("holding out", 2)]


def test_a_blend_says_why_nothing_was_compared():
    report = fitted("auto", Stop("EM", 2)).report_
    assert report.reason == (
        "training was stopped before labels were held out, so default weights are used"
    )
    assert all(own["accuracy"] is None for own in report.candidates)


def test_files_can_be_stopped_too(tmp_path):
    rows = zip(TEXTS, LABELS, strict=True)
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    (tmp_path / "data.jsonl").write_text("\n".join(lines))
    for stream in (True, False):
        stop = Stop("EM", 3)
        clf = TextClassifier("em", options=LONG["em"])
        clf.fit_files(tmp_path / "data.jsonl", stream=stream, on_progress=stop)
        assert_stopped(clf, tmp_path)
        assert clf.report_.n_iter == 3
        assert stop.after == [("EM", 3)]


@pytest.mark.parametrize("method", ["auto", "em"])
def test_a_callback_that_never_answers_true_changes_nothing(method):
    told = TextClassifier(method).fit(TEXTS, LABELS, on_progress=lambda *_: 1)
    silent = TextClassifier(method).fit(TEXTS, LABELS)
    assert told.report_.warnings == silent.report_.warnings == []
    assert_array_equal(told.predict_proba(NEW_TEXTS), silent.predict_proba(NEW_TEXTS))
