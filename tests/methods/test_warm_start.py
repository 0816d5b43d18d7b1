"""What an earlier fit gives to the next: vectors, and where to go on; never old labels."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from leaven import TextClassifier, load

NAMES = ("baking", "music", "space")
N_DOCUMENTS, FEW, MORE = 400, 60, 66


def draw_texts(seed=0, n_documents=N_DOCUMENTS, n_own=5):
    """Texts of three topics of many words each, and their classes."""
    rng = np.random.default_rng(seed)
    words = {name: [f"{name}{i}" for i in range(60)] for name in NAMES}
    common = [f"common{i}" for i in range(10)]
    truth = [NAMES[i % 3] for i in range(n_documents)]
    own = [[*rng.choice(words[name], n_own), *rng.choice(common, 4)] for name in truth]
    return [" ".join(each) for each in own], truth


TEXTS, TRUTH = draw_texts()
NEW_TEXTS, NEW_TRUTH = draw_texts(seed=1)


def labels(n_labeled, names=TRUTH):
    return [name if i < n_labeled else None for i, name in enumerate(names)]


def fitted(method, n_labeled=FEW, *, texts=TEXTS, names=TRUTH, calibrate=False, **more):
    options = {"n_components": 2} if method == "mixture" else None
    clf = TextClassifier(method, options=options, calibrate=calibrate)
    return clf.fit(texts, labels(n_labeled, names), **more)


@pytest.mark.parametrize("method", ["em", "mixture", "annealed", "two-view", "auto"])
def test_new_labels_count_as_if_there_had_been_no_earlier_fit(method):
    warm, anew = fitted(method, MORE, start=fitted(method)), fitted(method, MORE)
    assert warm.report_.n_labeled == MORE
    assert warm.report_.objective == anew.report_.objective
    assert_array_equal(warm.predict_proba(NEW_TEXTS), anew.predict_proba(NEW_TEXTS))


@pytest.mark.parametrize("method", ["em", "mixture"])
def test_a_fit_that_was_stopped_goes_on_where_it_was(method):
    stopped = fitted(method, on_progress=lambda phase, done, _: phase == "EM" and done >= 1)
    whole, resumed = fitted(method), fitted(method, start=stopped)
    assert stopped.report_.n_iter == 1
    assert resumed.report_.objective[0] == pytest.approx(stopped.report_.objective[-1])
    assert resumed.report_.converged
    if method == "em":  # of a mixture another start may have won
        assert resumed.report_.n_iter == whole.report_.n_iter - 1
        assert resumed.report_.objective[-1] == pytest.approx(whole.report_.objective[-1])


def test_a_fit_of_the_same_labels_goes_on_where_it_was():
    again = fitted("em", start=fitted("em"))
    assert again.report_.n_iter <= 1


def test_other_labels_in_the_same_numbers_are_other_labels():
    names = [*TRUTH]
    names[0], names[1] = names[1], names[0]  # two labels swapped
    warm, anew = fitted("em", names=names, start=fitted("em")), fitted("em", names=names)
    assert warm.report_.objective == anew.report_.objective


def test_an_earlier_fit_of_another_method_or_of_other_options_is_not_used():
    anew = fitted("annealed")
    assert fitted("annealed", start=fitted("em")).report_.objective == anew.report_.objective
    strong = TextClassifier("em", options={"alpha": 3.0}, calibrate=False).fit(TEXTS, labels(FEW))
    assert fitted("em", start=strong).report_.objective == fitted("em").report_.objective


@pytest.mark.parametrize("method", ["auto", "two-view"])
def test_vectors_are_not_learned_again(method):
    earlier, anew = fitted(method), fitted(method, MORE)
    phases = []
    warm = fitted(method, MORE, start=earlier, on_progress=lambda phase, *_: phases.append(phase))
    assert "EM" in phases
    assert "vectors" not in phases
    assert warm.fitted.view is earlier.fitted.view
    assert (warm.predict(TEXTS) != anew.predict(TEXTS)).sum() <= 8  # of 400


def test_the_earlier_fit_stays_as_it_was():
    earlier = fitted("em")
    before = earlier.predict_proba(NEW_TEXTS)
    words = earlier.fitted.mixture.params.log_word.copy()
    fitted("em", MORE, start=earlier)
    assert_array_equal(earlier.fitted.mixture.params.log_word, words)
    assert_array_equal(earlier.predict_proba(NEW_TEXTS), before)


def test_an_earlier_fit_may_come_from_its_file(tmp_path):
    earlier = fitted("em")
    earlier.save(tmp_path / "earlier.leaven")
    here = fitted("em", MORE, start=earlier)
    there = fitted("em", MORE, start=load(tmp_path / "earlier.leaven"))
    assert there.report_.objective == here.report_.objective
    assert_array_equal(there.predict_proba(NEW_TEXTS), here.predict_proba(NEW_TEXTS))


def test_a_classifier_can_go_on_from_itself():
    clf = fitted("em")
    wanted = fitted("em", MORE, start=fitted("em"))
    assert clf.fit(TEXTS, labels(MORE), start=clf) is clf
    assert_array_equal(clf.predict_proba(NEW_TEXTS), wanted.predict_proba(NEW_TEXTS))


OTHERS = {
    "other texts": {"texts": NEW_TEXTS},
    "one more text": {"texts": [*TEXTS, "common0 space3"], "names": [*TRUTH, "space"]},
    "another name of a class": {"names": [name.replace("space", "sport") for name in TRUTH]},
    "one more class": {"names": ["art" if i % 9 == 0 else name for i, name in enumerate(TRUTH)]},
}


@pytest.mark.parametrize("method", ["em", "two-view", "auto"])
@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS.keys())
def test_with_other_words_or_classes_training_begins_anew(method, change):
    earlier = fitted(method)
    phases = []
    warm = fitted(
        method, MORE, start=earlier, on_progress=lambda phase, *_: phases.append(phase), **change
    )
    anew = fitted(method, MORE, **change)
    assert ("vectors" in phases) == (method != "em")
    assert warm.report_.objective == anew.report_.objective
    assert_array_equal(warm.predict_proba(NEW_TEXTS), anew.predict_proba(NEW_TEXTS))


def test_with_other_text_options_training_begins_anew():
    earlier = fitted("em")
    clf = TextClassifier("em", text_options={"length": 50.0}, calibrate=False)
    warm = clf.fit(TEXTS, labels(MORE), start=earlier).predict_proba(NEW_TEXTS)
    assert_array_equal(clf.fit(TEXTS, labels(MORE)).predict_proba(NEW_TEXTS), warm)


@pytest.mark.parametrize("method", ["nb", "sfe"])
def test_a_method_that_does_not_climb_learns_from_the_new_labels_all_the_same(method):
    warm = fitted(method, MORE, start=fitted(method))
    anew = fitted(method, MORE)
    assert_array_equal(warm.predict_proba(NEW_TEXTS), anew.predict_proba(NEW_TEXTS))


def test_other_options_of_vectors_are_used_and_not_the_earlier_ones():
    def two_views(n_dims, n_labeled, **more):
        clf = TextClassifier("two-view", options={"n_dims": n_dims}, calibrate=False)
        return clf.fit(TEXTS, labels(n_labeled), **more)

    warm, anew = two_views(12, MORE, start=two_views(5, FEW)), two_views(12, MORE)
    assert warm.report_.options["method"]["n_dims"] == warm.fitted.view.n_dims == 12
    assert_array_equal(warm.predict_proba(NEW_TEXTS), anew.predict_proba(NEW_TEXTS))


def test_labels_held_out_are_never_seen_by_the_start():
    """Random labels: with a start that knows them all, every model would look perfect."""
    rng = np.random.default_rng(0)
    names = rng.permutation(TRUTH).tolist()
    earlier = fitted("em", 120, names=names)
    warm = fitted("em", 120, names=names, calibrate=True, start=earlier)
    anew = fitted("em", 120, names=names, calibrate=True)
    assert warm.report_.expected_accuracy["n_held_out"] == 120
    assert warm.report_.expected_accuracy["accuracy"] == pytest.approx(
        anew.report_.expected_accuracy["accuracy"], abs=0.1
    )
    assert warm.report_.expected_accuracy["accuracy"] < 0.5


def test_vectors_of_ones_own_begin_anew():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(N_DOCUMENTS, 3))
    earlier = fitted("two-view", vectors=vectors)
    warm = fitted("two-view", MORE, vectors=vectors, start=earlier)
    anew = fitted("two-view", MORE, vectors=vectors)
    asked = {"vectors": rng.normal(size=(N_DOCUMENTS, 3))}
    assert_array_equal(
        warm.predict_proba(NEW_TEXTS, **asked), anew.predict_proba(NEW_TEXTS, **asked)
    )
    plain = fitted("two-view", MORE, start=earlier)
    assert not plain.fitted.needs_vectors
    assert_array_equal(
        plain.predict_proba(NEW_TEXTS), fitted("two-view", MORE).predict_proba(NEW_TEXTS)
    )


def test_a_start_that_was_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        fitted("em", start=TextClassifier("em"))
