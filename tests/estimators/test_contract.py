"""scikit-learn's own checks, with the exceptions named."""

import inspect

import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import leaven
from leaven import NaiveBayesEM, TransductiveSVM
from leaven.methods import METHODS

PUBLIC = [getattr(leaven, name) for name in leaven.__all__]
ESTIMATORS = [own() for own in PUBLIC if inspect.isclass(own) and hasattr(own, "get_params")]
OF_TEXT = [own for own in ESTIMATORS if own.__sklearn_tags__().input_tags.string]
OF_COUNTS = [own for own in ESTIMATORS if own not in OF_TEXT]

MINUS_ONE_IS_UNLABELED = {
    "check_classifiers_classes": "uses -1 as a class; here it marks unlabeled documents"
}

# A hinge has no second derivative, so solutions agree to fewer digits than these checks compare.
TO_THE_TOLERANCE = {
    f"check_sample_weight_equivalence_on_{kind}_data": "equal up to the solver's tolerance only"
    for kind in ("dense", "sparse")
}


def expected_failures(estimator):
    is_svm = isinstance(estimator, TransductiveSVM)
    return MINUS_ONE_IS_UNLABELED | (TO_THE_TOLERANCE if is_svm else {})


# scikit-learn draws no texts, so its generator stops after the first check of an estimator of
# texts. These are the checks that need no data of its own.
WITHOUT_DATA = [
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
]


@parametrize_with_checks(
    [
        *OF_COUNTS,
        NaiveBayesEM(n_components=2, n_init=1),
        NaiveBayesEM(beta_start=0.5, beta_factor=1.5),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::leaven.exceptions.CollapseWarning")
def test_estimators_keep_the_sklearn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", WITHOUT_DATA)
@pytest.mark.parametrize("estimator", OF_TEXT, ids=type)
def test_text_estimators_keep_what_applies_to_text(estimator, name):
    getattr(estimator_checks, name)(type(estimator).__name__, clone(estimator))


def test_every_estimator_is_checked():
    names = {type(own).__name__ for own in (*OF_COUNTS, *OF_TEXT)}
    assert {"NaiveBayesEM", "TwoViewEM", "TextClassifier", "TextVectorizer"} <= names
    assert {own.estimator for own in METHODS.values() if own.estimator} <= names


@pytest.mark.parametrize("name", [name for name, own in METHODS.items() if own.estimator])
def test_the_estimator_of_a_method_has_its_learner(name):
    method = METHODS[name]
    estimator = getattr(leaven, method.estimator)()
    # The learner's own defaults, or the method's.
    assert estimator.learner() in (method.learner_type(), method.learner_type(**method.settings))
    options = set(inspect.signature(method.learner_type).parameters)
    assert options <= set(estimator.get_params())
