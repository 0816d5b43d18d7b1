"""Labels that mean unlabeled, and labels that differ in case only: options and warnings."""

import numpy as np
import pandas as pd
import pytest

from leaven.documents import read_documents
from leaven.documents._label_checks import check_labels, doubtful_labels
from leaven.documents._label_encoding import encode_labels
from leaven.documents._label_rules import LabelRules
from leaven.documents._reading import Reading


def encoded(labels, unlabeled=(), ignore_case=False):
    found = encode_labels(labels, LabelRules.of(unlabeled, ignore_case))
    return found.codes.tolist(), found.classes.tolist()


def doubts(labels):
    found = encode_labels(labels)
    return doubtful_labels(found.labels, found.counts)


@pytest.mark.parametrize("labels", [
    ["Ham", "ham ", "SPAM", " ham", "Spam", None],
    pd.Series(["Ham", "ham ", "SPAM", " ham", "Spam", None]),
])  # fmt: skip
def test_labels_of_different_case_or_white_space_can_be_one_class(labels):
    assert encoded(labels, ignore_case=True) == ([0, 0, 1, 0, 1, -1], ["ham", "spam"])


def test_inner_white_space_is_ignored_too():
    assert encoded(["not  Ham", "not ham"], ignore_case=True) == ([0, 0], ["not ham"])


def test_values_can_mean_unlabeled():
    assert encoded(["a", "?", "b", " ? ", "todo"], ["?", "todo"]) == (
        [0, -1, 1, -1, -1],
        ["a", "b"],
    )
    assert encoded(["a", "?"], "?") == ([0, -1], ["a"])
    assert encoded(["a", "Todo"], ["TODO"]) == ([1, 0], ["Todo", "a"])
    assert encoded(["a", "Todo", "todo"], ["TODO"], True) == ([0, -1, -1], ["a"])


@pytest.mark.parametrize("labels", [
    [0, 1, 2, -1, 1],
    np.array([0, 1, 2, -1, 1]),
    np.array([0.0, 1.0, 2.0, np.nan, 1.0]),
    [0, 1, 2, None, 1],
    ["?", 1, 2, None, 1],
])  # fmt: skip
def test_values_that_mean_unlabeled_among_numbers(labels):
    assert encoded(labels, (0, "?")) == ([-1, 0, 1, -1, 0], [1, 2])


def test_all_values_may_mean_unlabeled():
    assert encoded(np.array([3, 3]), (3,)) == ([-1, -1], [])


def test_minus_one_as_text_can_mean_unlabeled():
    with pytest.raises(ValueError, match="--unlabeled -1"):
        encode_labels(["a", "-1"])
    assert encoded(["a", "-1"], (-1,)) == ([0, -1], ["a"])


@pytest.mark.parametrize("unlabeled", [{"?": 1}, ["?", None]])
def test_values_that_mean_unlabeled_are_a_list(unlabeled):
    with pytest.raises(TypeError, match="unlabeled must be a list"):
        LabelRules.of(unlabeled, False)
    with pytest.raises(TypeError, match="ignore_case must be"):
        LabelRules.of((), "yes")


def test_files_are_read_by_the_same_rules(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text("text,label\none,Ham\ntwo,?\nthree,not  ham\nfour,\nfive,HAM\n")
    documents = read_documents(path, unlabeled=["?"], ignore_case=True)
    assert documents.labels.to_pylist() == ["ham", None, "not ham", None, "ham"]
    assert read_documents(path).labels.to_pylist() == ["Ham", "?", "not  ham", None, "HAM"]


def test_a_model_remembers_the_rules():
    reading = Reading(unlabeled=("?",), ignore_case=True)
    assert Reading.from_json(reading.to_json()) == reading
    assert Reading.from_json({"text": "a"}) == Reading(text="a")
    later = Reading(unlabeled=("-",)).after(reading)
    assert (later.unlabeled, later.ignore_case) == (("?", "-"), True)
    for wrong in ({"unlabeled": "?"}, {"unlabeled": [1]}, {"ignore_case": 1}):
        with pytest.raises(TypeError, match="its"):
            Reading.from_json(wrong)


def test_spellings_of_one_class_are_noticed():
    (doubt,) = doubts(["Ham"] * 3 + ["ham"] * 2 + ["HAM", "spam"])
    assert doubt == (
        "3 classes differ from another only in case or white space: 'Ham' (3), 'ham' (2), "
        "'HAM' (1); --ignore-case (ignore_case=True in Python) makes one class of each such group"
    )


@pytest.mark.parametrize(
    "name",
    ["?", "???", "-", "--", ".", "...", "n/a", "N/A", "Unknown", "todo", "TBD", "none", "nan"],
)
def test_classes_that_look_like_missing_labels_are_noticed(name):
    (doubt,) = doubts(["a", "a", "b", name])
    assert doubt.startswith(f"1 class looks like a missing label: {name!r} (1); if so, use")
    assert f"unlabeled=[{name!r}] in Python" in doubt


def test_the_option_is_quoted_for_a_shell():
    (doubt,) = doubts(["a", "?", "?", "not labeled"])
    assert "--unlabeled '?' --unlabeled 'not labeled' " in doubt


@pytest.mark.parametrize("labels", [
    ["+", "-", "+"], ["a", "A+", "A-"], ["☺", "☹"], ["0", "1"], ["US", "DE"], [1, 2],
    ["other", "misc"], ["x", "y"], [True, False],
])  # fmt: skip
def test_ordinary_classes_raise_no_doubt(labels):
    assert doubts(labels) == []


@pytest.mark.parametrize("separator", [";", "|", ","])
def test_labels_that_look_joined_are_warned_about(separator):
    labels = [each.replace(";", separator) for each in ("a", "a; b", "b;c", "c", "b")]
    (message,) = doubts(labels)
    assert f"2 classes look like several labels with {separator!r} between them" in message
    assert f"--label-separator '{separator}'" in message
    assert f"fit_files(label_separator={separator!r})" in message


@pytest.mark.parametrize("labels", [
    ["food, drink", "arts, crafts", "sport", "travel"],
    ["yes, surely", "no, surely", "yes, perhaps", "no, perhaps"],
    ["a,b", "a", "b", "c"],
    [["a;b"], ["a"], ["b"], ["a;c"], ["c"]],
    [1, 2, 3, 1],
])  # fmt: skip
def test_commas_within_class_names_raise_no_doubt(labels):
    assert doubts(labels) == []


def test_joined_labels_that_occur_once_each_are_refused_with_the_option_that_helps():
    found = encode_labels(["a", "a;b", "b;c", "c", "b"])
    with pytest.raises(ValueError, match=r"all different .* --label-separator ';' reads"):
        check_labels(found.labels, found.counts, 5)


def test_rare_labels_beside_empty_sets_are_no_identifiers():
    found = encode_labels([["a"], *[[]] * 150])
    assert check_labels(found.labels, found.counts, 151) == [
        "every class has a single labeled document; a few more each would help most"
    ]
