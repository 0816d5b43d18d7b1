"""The public names: they exist, they are strings, and each says what it is."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import leaven
from leaven.methods import METHODS

MODULES = sorted(module.name for module in pkgutil.walk_packages(leaven.__path__, "leaven."))


def names_in(module):
    return [(module, name) for name in getattr(importlib.import_module(module), "__all__", [])]


EVERY_NAME = [pair for module in ["leaven", *MODULES] for pair in names_in(module)]


@pytest.mark.parametrize("module", ["leaven", *MODULES])
def test_all_is_a_list_of_different_strings(module):
    names = getattr(importlib.import_module(module), "__all__", [])
    assert isinstance(names, list)
    assert all(isinstance(name, str) for name in names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("module", "name"), EVERY_NAME, ids=lambda part: part)
def test_every_name_in_all_exists(module, name):
    getattr(importlib.import_module(module), name)


def is_ours(value):
    home = getattr(value, "__module__", "")
    return (inspect.isclass(value) or inspect.isfunction(value)) and home.startswith("leaven")


def says_something(value):
    if not value.__doc__ or not value.__doc__.strip():
        return False
    # A dataclass without a docstring gets its signature for one.
    return not (dataclasses.is_dataclass(value) and value.__doc__.startswith(f"{value.__name__}("))


@pytest.mark.parametrize(("module", "name"), EVERY_NAME, ids=lambda part: part)
def test_every_class_and_function_in_all_has_a_docstring(module, name):
    value = getattr(importlib.import_module(module), name)
    assert not is_ours(value) or says_something(value)


PUBLIC = {name: getattr(leaven, name) for name in leaven.__all__}
ESTIMATORS = [own for own in PUBLIC.values() if inspect.isclass(own) and hasattr(own, "get_params")]


def own_members(estimator):
    """Public functions of an estimator that were written in this project."""
    for kind in estimator.__mro__:
        if kind.__module__.startswith("leaven"):
            for name, member in vars(kind).items():
                if inspect.isfunction(member) and not name.startswith("_"):
                    yield name, member


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_method_of_an_estimator_has_a_docstring(estimator):
    members = list(own_members(estimator))
    assert {"fit"} <= {name for name, _ in members}
    for name, member in members:
        assert member.__doc__, name


def test_every_estimator_of_a_method_is_public():
    promised = {"TextClassifier", "NaiveBayesEM", "TextVectorizer"}
    named = {own.estimator for own in METHODS.values() if own.estimator}
    assert promised | named <= {own.__name__ for own in ESTIMATORS}


def test_the_public_names_are_those_promised():
    promised = {"TextClassifier", "load", "UNLABELED", "NaiveBayesEM", "TextVectorizer"}
    assert promised <= set(leaven.__all__)
    assert dir(leaven) == sorted(leaven.__all__)
    assert leaven.UNLABELED == -1


def test_everything_can_be_imported_with_a_star():
    space = {}
    for name in ("leaven", "leaven.text", "leaven.corpora", "leaven.models", "leaven.estimators"):
        module = importlib.import_module(name)
        space |= {each: getattr(module, each) for each in module.__all__}
    assert space["TextClassifier"] is leaven.TextClassifier


def test_a_name_that_is_none_is_an_attribute_error():
    for module in ("leaven", "leaven.text"):
        with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'Nothing'"):
            _ = importlib.import_module(module).Nothing


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_parameter_of_an_estimator_is_documented(estimator):
    section = inspect.getdoc(estimator).partition("Parameters\n----------\n")[2]
    section = section.partition("\n\n")[0]
    # A list of names stands alone where another class says more of them.
    documented = re.findall(r"^(\w+(?:, \w+)*)(?= : |\n    As in )", section, flags=re.MULTILINE)
    names = {each for group in documented for each in group.split(", ")}
    assert names == set(inspect.signature(estimator).parameters)


def test_errors_are_those_a_caller_would_expect():
    from leaven.exceptions import CollapseWarning, DataError, ModelFileError, UnseenWordsWarning

    assert issubclass(DataError, ValueError)
    assert issubclass(ModelFileError, ValueError)
    assert issubclass(CollapseWarning, UserWarning)
    assert issubclass(UnseenWordsWarning, UserWarning)


def test_docstrings_have_no_roles_of_restructured_text():
    role = re.compile(r":(?:class|func|meth|mod|attr|data|exc|obj|ref):`")
    folder = Path(leaven.__file__).parent
    assert [path for path in folder.rglob("*.py") if role.search(path.read_text("utf-8"))] == []
