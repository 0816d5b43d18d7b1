"""Types of parameters are shown in the reference as docstrings write them."""

import pytest
from docgen.docstring_types import with_plain_types
from griffe import Docstring

from leaven import TextClassifier

SHOWN = {
    '{"as-is", "labels"}, default="labels"': 'one of "as-is", "labels"',
    'int, "auto" or None, default=None': 'int, "auto", or None',
    'float in (0, 1] or "auto", default=1': 'float in (0, 1] or "auto"',
}


def types_of(docstring):
    """Types of parameters by their names, as the reference gets them."""
    sections = Docstring(docstring, parser="numpy").parse(warnings=False)
    (parameters,) = [section for section in sections if section.kind.value == "parameters"]
    return {each.name: str(each.annotation) for each in parameters.value}


@pytest.mark.parametrize(("written", "shown"), SHOWN.items())
def test_a_type_is_shown_as_text_not_as_python(written, shown):
    docstring = f"Do it.\n\nParameters\n----------\nx : {written}\n    A number."
    assert types_of(with_plain_types(docstring)) == {"x": shown}


def test_the_methods_of_the_classifier_are_listed_in_quotes():
    types = types_of(with_plain_types(TextClassifier.__doc__.replace("\n    ", "\n")))
    assert types["method"].startswith('one of "auto", "nb", "em"')
    assert '"two-view", "svm"' in types["method"]
    assert types["random_state"] == "int, RandomState, Generator, or None"
