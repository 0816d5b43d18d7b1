"""Methods compared: the same folds for all, honest numbers, words that say what they mean."""

import dataclasses
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaven
from leaven import TextClassifier, compare
from leaven._base.folds import labeled_folds
from leaven._base.peak_memory import PeakMemory
from leaven.datasets import load_docstrings
from leaven.documents._label_encoding import encode_labels
from leaven.methods import METHODS, Comparison, MethodResult
from leaven.methods._compare import _folds, _usual_methods

CLASSES = ("linalg", "signal", "stats")
PER_CLASS, LABELED = 80, 6
TELLS_MEMORY = Path("/proc/self/statm").exists()


@pytest.fixture(scope="module")
def documents():
    """A few hundred docstrings of three classes, six of each labeled."""
    texts, labels, _ = load_docstrings()
    rng = np.random.default_rng(0)
    places = [rng.permutation(np.flatnonzero(np.array(labels) == name)) for name in CLASSES]
    kept = [(i, n < LABELED) for own in places for n, i in enumerate(own[:PER_CLASS])]
    return [texts[i] for i, _ in kept], [labels[i] if known else None for i, known in kept]


@pytest.fixture(scope="module")
def found(documents):
    return compare(*documents, n_splits=2)


def test_every_method_is_tried_the_best_first(found):
    assert {own.method for own in found.results} == set(METHODS)
    scores = [(own.accuracy, own.macro_f1) for own in found.results]
    assert scores == sorted(scores, reverse=True)
    assert found.best == found.results[0].method
    assert (found.n_labeled, found.n_unlabeled, found.n_splits) == (18, 222, 2)
    assert found.n_held_out == 18
    assert found.left_out == []
    assert found.notes == []


def test_intervals_contain_the_accuracies_and_all_is_measured(found):
    for own in found.results:
        assert 0 <= own.low <= own.accuracy <= own.high <= 1
        assert own.high - own.low > 0.1
        assert 0 < own.macro_f1 <= 1
        assert own.seconds > 0
        assert (own.memory is not None) == TELLS_MEMORY
        assert own.accuracy == np.mean(own.right)
        assert len(own.right) == found.n_held_out


def test_each_fold_is_scored_by_a_fit_on_all_other_documents(documents, found):
    texts, labels = documents
    folds = labeled_folds(encode_labels(labels).codes, 2, 0)
    assert found.held_out == tuple(np.concatenate(folds).tolist())
    for method in ("em", "two-view"):
        right = []
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(texts)), fold)
            clf = TextClassifier(method).fit([texts[i] for i in rest], [labels[i] for i in rest])
            predicted = clf.predict([texts[i] for i in fold])
            right += [name == labels[i] for name, i in zip(predicted, fold, strict=True)]
        (own,) = (own for own in found.results if own.method == method)
        assert own.right == tuple(right)


def test_scores_are_those_of_scikit_learn(documents):
    from sklearn.metrics import f1_score

    texts, labels = documents
    own = compare(texts, labels, methods=["nb"], n_splits=2)
    truth, predicted = [], []
    for fold in labeled_folds(encode_labels(labels).codes, 2, 0):
        rest = np.setdiff1d(np.arange(len(texts)), fold)
        clf = TextClassifier("nb", calibrate=False)
        clf.fit([texts[i] for i in rest], [labels[i] for i in rest])
        truth += [labels[i] for i in fold]
        predicted += clf.predict([texts[i] for i in fold]).tolist()
    assert own.results[0].accuracy == np.mean(np.array(truth) == predicted)
    assert own.results[0].macro_f1 == pytest.approx(f1_score(truth, predicted, average="macro"))


def test_the_seed_decides(documents):
    quick = {"methods": ["nb", "em"], "n_splits": 3}
    first = compare(*documents, **quick)
    assert compare(*documents, **quick) == first
    assert compare(*documents, **quick, random_state=1).held_out != first.held_out


def test_columns_and_numbers_are_taken_too(documents):
    texts, labels = documents
    codes = np.array([CLASSES.index(name) if name else -1 for name in labels])
    wanted = compare(texts, labels, methods=["em"], n_splits=2).results
    assert compare(pd.Series(texts), codes, methods="em", n_splits=2).results == wanted


def test_options_reach_the_methods(documents):
    quick = {"n_splits": 2, "methods": ["nb", "em"]}
    few = compare(*documents, text_options={"max_features": 20}, **quick)
    assert few.results != compare(*documents, **quick).results
    with pytest.raises(ValueError, match="text_options has no 'colour'"):
        compare(*documents, text_options={"colour": 1})


def test_vectors_reach_the_methods_that_look_at_them(documents):
    texts, labels = documents
    noise = np.random.default_rng(0).normal(size=(len(texts), 4))
    truth = np.repeat(np.arange(len(CLASSES)), PER_CLASS)
    telling = noise + 20 * np.eye(len(CLASSES), 4)[truth]
    quick = {"methods": ["nb", "two-view"], "n_splits": 2}
    own = compare(texts, labels, vectors=telling, **quick)
    assert own.results[0].method == "two-view"
    assert own.results[0].accuracy == 1.0
    assert own.results[1] == compare(texts, labels, methods=["nb"], n_splits=2).results[0]
    with pytest.raises(ValueError, match=r"\(240, n_dims\), one row per document, got \(3, 4\)"):
        compare(texts, labels, vectors=telling[:3], **quick)


def test_progress_is_told_after_every_fit_and_during_one(documents):
    seen = []
    compare(*documents, methods=["nb", "em"], n_splits=3, on_progress=lambda *now: seen.append(now))
    assert list(dict.fromkeys(seen)) == [("comparing", done, 6) for done in range(7)]
    assert seen == sorted(seen)
    # A bar appears only when it is told something: the first fit may take long.
    assert seen.count(("comparing", 0, 6)) > 1


def test_a_method_that_fails_has_an_error_instead_of_numbers():
    texts = ["dough yeast", "bread dough", "stars moon", "moon orbit", "yeast", "orbit"]
    labels = ["baking", "baking", "space", "space", None, None]
    # With one of two labels held out, mixture has none left to choose components by.
    own = compare(texts, labels, methods=["mixture", "nb"], n_splits=2)
    assert [row.method for row in own.results] == ["nb", "mixture"]
    failed = own.results[1]
    assert (failed.accuracy, failed.seconds, failed.right) == (None, None, ())
    assert "every class has at most one" in failed.error
    assert own.notes == [f"mixture failed: {failed.error}"]
    assert own.notes[0] in str(own)
    assert own.sentence.startswith("nb: ")
    with pytest.raises(ValueError, match="every class has at most one"):
        compare(texts, labels, methods=["mixture"], n_splits=2)


def test_the_only_label_of_a_class_is_never_held_out():
    texts = ["dough yeast", "bread dough", "yeast bread", "stars moon", "orbit"]
    own = compare(texts, ["baking", "baking", "baking", "space", None], methods=["nb"])
    assert sorted(own.held_out) == [0, 1, 2]
    assert own.n_splits == 3


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None, None, None, None], "label"),
        (["a", "a", None, None], "class"),
        (["a", "b", None, None], "every class has one; label a second document of some classes"),
        (["a", "a", "b"], "texts and labels must have the same length"),
    ],
)
def test_labels_that_cannot_be_compared_by_are_refused(labels, message):
    with pytest.raises(ValueError, match=message) as error:
        compare(["one", "two", "three", "four"], labels)
    assert "\n" not in str(error.value)


def test_methods_and_folds_are_checked(documents):
    with pytest.raises(ValueError, match=r"methods must be one of 'auto', 'nb', .* got 'magic'"):
        compare(*documents, methods=["em", "magic"])
    with pytest.raises(ValueError, match="at least one method, got none"):
        compare(*documents, methods=[])
    with pytest.raises(ValueError, match=r"n_splits must be in \[2, inf\), got 1"):
        compare(*documents, n_splits=1)


def test_large_corpora_get_fewer_folds():
    def labels(n_labeled, n_unlabeled):
        return encode_labels([0, 1] * (n_labeled // 2) + [-1] * n_unlabeled)

    assert len(_folds(labels(60, 500), None, 0)) == 5
    assert len(_folds(labels(60, 20_000), None, 0)) == 3
    assert sum(map(len, _folds(labels(4000, 0), None, 0))) == 1600
    assert sum(map(len, _folds(labels(4000, 0), 4, 0))) == 4000


def test_json_has_all_but_the_documents(found):
    own = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert set(own) == {
        "best", "winner", "indistinguishable", "sentence", "advice", "warning", "measure",
            "results",
        "n_labeled", "n_held_out", "n_unlabeled", "n_splits", "left_out",
    }  # fmt: skip
    assert [row["method"] for row in own["results"]] == [row.method for row in found.results]
    assert set(own["results"][0]) == {
        "method", "accuracy", "low", "high", "macro_f1", "seconds", "memory", "error",
    }  # fmt: skip


def test_print_shows_every_method(found):
    lines = str(found).splitlines()
    assert lines[0] == found.sentence
    n_methods = len(found.results)
    shown = [line.split()[0] for line in lines[-n_methods:]]
    assert shown == [own.method for own in found.results]


def made(**right):
    """A comparison of methods by which of forty documents they have right."""
    rows = [
        MethodResult(name.replace("_", "-"), sum(own) / 40, 0.0, 1.0, 0.5, 0.1, right=tuple(own))
        for name, own in right.items()
    ]
    return Comparison(rows, 40, 100, 5, held_out=tuple(range(40)))


def some(*ranges):
    return [any(i in own for own in ranges) for i in range(40)]


def test_pairs_are_counted_by_hand():
    test = made(em=some(range(30)), nb=some(range(22), range(38, 40))).paired("em", "nb")
    assert (test.only_a, test.only_b, test.n) == (8, 2, 40)
    assert test.difference == pytest.approx(6 / 40)
    # Two-sided: of ten fair coins at most two, or at least eight, are heads.
    assert test.p_value == pytest.approx(2 * (1 + 10 + 45) / 2**10)
    with pytest.raises(ValueError, match="method must be one of 'em', got 'nb'"):
        made(em=some(range(30))).paired("em", "nb")


def test_sentences_tell_chance_from_more():
    clear = made(auto=some(range(30)), em=some(range(20)))
    assert clear.sentence == (
        "auto is best: 75 % accuracy on 40 held-out labels, 25 points more than em (p = 0.002)."
    )
    assert (clear.winner, clear.indistinguishable, clear.advice) == ("auto", [], None)
    chance = made(auto=some(range(30)), em=some(range(29)), nb=some(range(28)))
    assert chance.sentence == (
        "No clear winner: auto (75 %), em (72 %) and nb (70 %) do not differ significantly on 40 "
        "held-out labels."
    )
    assert (chance.best, chance.winner) == ("auto", None)
    alike = made(auto=some(range(30)), em=some(range(1, 31)))
    assert alike.indistinguishable == ["auto", "em"]
    alone = made(em=some(range(30)))
    assert alone.sentence == "em: 75 % accuracy on 40 held-out labels."
    assert (alone.winner, alone.indistinguishable) == ("em", [])


def test_a_method_that_is_worse_beyond_chance_is_not_among_those_that_may_be_best():
    own = made(auto=some(range(30)), em=some(range(29)), nb=some(range(10)))
    assert own.indistinguishable == ["auto", "em"]
    assert own.to_json()["winner"] is None
    assert own.to_json()["indistinguishable"] == ["auto", "em"]


def test_many_methods_must_be_further_apart_than_two():
    best, other = some(range(30)), some(range(24))  # six documents tell them apart: p = 0.03
    assert made(auto=best, em=other).winner == "auto"
    assert made(auto=best, em=other, nb=other).winner is None
    assert made(auto=best, em=other, nb=other).indistinguishable == ["auto", "em", "nb"]


def test_where_nothing_wins_the_default_and_the_fastest_are_advised():
    own = made(em=some(range(30)), auto=some(range(29)), nb=some(range(29)))
    seconds = {"em": 0.5, "auto": 3.0, "nb": 0.04}
    own = dataclasses.replace(
        own, results=[dataclasses.replace(row, seconds=seconds[row.method]) for row in own.results]
    )
    assert own.advice == (
        "Until there are more labels, choose auto, the default, or nb, the fastest of them "
        "(0.04 s per fit)."
    )
    assert own.advice in str(own)
    without = dataclasses.replace(own, results=[own.results[0], own.results[2]])
    assert without.advice == (
        "Until there are more labels, choose nb, the fastest of them (0.04 s per fit)."
    )


def test_a_method_that_is_less_accurate_is_not_advised_for_its_speed():
    own = made(auto=some(range(30)), nb=some(range(27)))
    assert own.indistinguishable == ["auto", "nb"]
    assert "nb" not in own.advice


def test_a_warning_names_methods_that_unlabeled_text_hurts():
    nb, little, much = some(range(30)), some(range(29)), some(range(22))
    assert made(nb=nb, em=little).warning is None
    assert made(auto=nb, em=much).warning is None  # nothing supervised to compare with
    assert made(em=nb, nb=much).warning is None
    assert made(nb=nb, auto=little, em=much).warning == (
        "Unlabeled text hurts em here (-20 points, p = 0.008)."
    )
    several = made(nb=nb, em=much, two_view=some(range(10)))
    assert several.warning == (
        "Unlabeled text hurts several methods here: em (-20 points, p = 0.008), two-view "
        "(-50 points, p < 0.001)."
    )
    assert several.warning in str(several)


def test_methods_that_take_long_are_left_out():
    assert _usual_methods(2_000, 12) == list(METHODS)
    left_out = {"mixture", "annealed", "tsvm", "mcl", "pcp", "fisher"}
    assert set(METHODS) - set(_usual_methods(20_000, 20)) == left_out


def test_methods_left_out_are_named():
    own = dataclasses.replace(made(em=some(range(30))), left_out=["mixture"])
    assert "mixture was left out" in str(own)
    assert own.to_json()["left_out"] == ["mixture"]


@pytest.mark.skipif(not TELLS_MEMORY, reason="this system does not tell a process's memory")
@pytest.mark.parametrize("is_kept", [False, True], ids=["freed before the end", "kept"])
def test_memory_is_measured_at_its_peak(is_kept):
    with PeakMemory() as memory:
        held = np.ones(40 * 2**17)  # 40 MiB
        if not is_kept:
            time.sleep(0.2)  # time for a look
            del held
    assert 35 < memory.added < 60
    with PeakMemory() as nothing:
        pass
    assert 0 <= nothing.added < 5


def test_compare_is_public():
    assert leaven.compare is compare
    assert "compare" in leaven.__all__
