"""A method's entry is the only place of its name: everything else follows, or is compared here."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

import leaven
from leaven import TextClassifier, diagnose
from leaven.cli._train_options import USUAL
from leaven.learners import Learner
from leaven.methods import METHODS, Method, register
from leaven.methods._options import make_learner, merged_text_options
from leaven.methods._registry import PLACES, find_method, methods_where

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "leaven"
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def choices_in(docstring, parameter="method"):
    """The choices that a docstring lists for a parameter."""
    (listed,) = re.findall(rf"^ *{parameter} : {{(.*?)}}", docstring, re.MULTILINE | re.DOTALL)
    return re.findall(r'"([^"]+)"', listed)


def test_the_docstring_of_the_classifier_lists_all_methods_and_names_each():
    assert choices_in(TextClassifier.__doc__) == list(METHODS)
    for name in METHODS:
        assert TextClassifier.__doc__.count(f'"{name}"') >= 2, name


def test_the_docstring_of_diagnose_lists_the_methods_that_em_alone_fits():
    assert choices_in(diagnose.__doc__) == methods_where(is_diagnosed=True)


def test_the_default_is_the_first_method():
    assert TextClassifier().method == next(iter(METHODS))


@every_method
def test_readme_and_command_line_page_name_it(method):
    assert f"| `{method.name}` |" in (ROOT / "README.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    listed = page.partition("\nMethods:\n")[2].partition("\n\n")[0]
    assert re.search(rf"^  {method.name} ", listed, flags=re.MULTILINE)


@every_method
def test_its_entry_says_what_people_need(method):
    for text in (method.summary, method.choose_when):
        assert text
        assert text[0] == text[0].lower() or text.startswith("EM")
        assert not text.endswith(".")
    assert method.places
    assert method.places <= set(PLACES)


@every_method
def test_its_learner_keeps_the_contract(method):
    learner = make_learner(method, None)
    assert isinstance(learner.title, str)
    members = {name for name in vars(Learner) if not name.startswith("_")}
    assert all(hasattr(learner, name) for name in members)
    assert set(method.settings) <= {each.name for each in fields(learner)}
    merged_text_options(method, None, 1000)
    with pytest.raises(AttributeError):
        learner.title = "another"


@every_method
def test_its_estimator_is_public_and_has_the_same_defaults(method):
    if not method.estimator:
        return
    estimator = getattr(leaven, method.estimator)
    assert method.estimator in leaven.__all__
    assert estimator.learner_type is method.learner_type
    ours, theirs = make_learner(method, None), estimator().learner()
    differing = {
        each.name for each in fields(ours) if getattr(ours, each.name) != getattr(theirs, each.name)
    }
    # A frequency estimate on raw counts wants other weights than on leaven's own.
    assert differing <= ({"unlabeled_weight"} if method.name == "sfe" else set())


def test_every_public_estimator_on_counts_belongs_to_a_method():
    named = {method.estimator for method in METHODS.values()} - {""}
    classifiers = {
        name for name in leaven.__all__ if hasattr(getattr(leaven, name), "learner_type")
    }
    assert named == classifiers


def test_the_usual_options_of_the_command_line_are_the_learners_own():
    for name, usual in USUAL.items():
        found = [
            {each.name: each.default for each in fields(method.learner_type)}.get(name, usual)
            for method in METHODS.values()
            if name not in method.settings
        ]
        assert set(map(str, found)) == {str(usual)}, name


def strings_in(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_advice_in_messages_names_methods_that_exist():
    found = [
        name
        for path in SOURCE.rglob("*.py")
        for text in strings_in(path)
        for name in re.findall(r"\(method ([a-z-]+)", text)
    ]
    assert len(found) > 5
    assert set(found) <= set(METHODS)


def test_two_methods_of_one_name_are_refused():
    with pytest.raises(ValueError, match="there is another method called 'em'; rename one"):
        register(Method("em", "another", "never", METHODS["em"].learner))
    assert METHODS["em"].summary != "another"


def test_an_unknown_method_is_refused_with_those_that_are_known():
    with pytest.raises(ValueError, match="method must be one of 'auto', 'nb', 'em'"):
        find_method("bert")
