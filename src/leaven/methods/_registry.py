"""The methods behind ``TextClassifier(method=…)``: one entry each."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leaven._base.validation import check_choice
from leaven.estimators._frequency_estimate import FrequencyEstimateNB
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.estimators._two_view import TwoViewEM
from leaven.text._options import TextOptions

__all__ = [
    "METHODS",
    "TEXT_DECIDES",
    "Method",
    "fewest_documents",
    "find_method",
    "make_estimator",
    "merged_text_options",
]


# Fewest documents a word must occur in, by the number of documents: rare words cost EM more
# (every one adds alpha to every class) than they tell, but in a small corpus all words are rare.
_RARE = {5000: 5, 1000: 3, 200: 2, 0: 1}


@dataclass(frozen=True)
class Method:
    """How a method sees text, which estimator it trains, and when to choose it."""

    name: str
    summary: str
    estimator: type[Any]
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the estimator
    text: TextOptions = field(default_factory=TextOptions)
    min_df: Mapping[int, int] = field(default_factory=lambda: _RARE)  # by number of documents
    uses_unlabeled: bool = True
    blends: bool = False  # with linear models, by held-out labels


# Chosen on the unlabeled documents of seven corpora (docs/methods/naive-bayes-em.md).
_WEIGHTED = TextOptions(log_tf=True, idf=True, length=150.0)
# Two views forgive rare words, and short texts need them.
_SOFT = TextOptions(log_tf=True, idf=True, length=10.0)
_SOFT_RARE = {200: 2, 0: 1}

# Parameters of estimators that documents come with already.
TEXT_DECIDES = frozenset({"length"})

METHODS = {
    method.name: method
    for method in (
        Method(
            "auto",
            "linear models and two kinds of EM, each with the say that held-out labels give it",
            TwoViewEM,
            {},
            _SOFT,
            _SOFT_RARE,
            blends=True,
        ),
        Method(
            "nb",
            "supervised naive Bayes on the labeled documents alone",
            NaiveBayesEM,
            {"unlabeled_weight": 0.0},
            _WEIGHTED,
            uses_unlabeled=False,
        ),
        Method(
            "em",
            "naive Bayes with EM over labeled and unlabeled documents",
            NaiveBayesEM,
            {},
            _WEIGHTED,
        ),
        Method(
            "mixture",
            "EM with several components per class, for classes of many topics",
            NaiveBayesEM,
            {"components": "auto"},
            _WEIGHTED,
        ),
        Method(
            "annealed",
            "EM from a high temperature slowly down: more probable models from few labels",
            NaiveBayesEM,
            {"beta_start": 0.02, "correspondence": "labels"},
            _WEIGHTED,
        ),
        # Chosen on the unlabeled documents of six corpora (docs/methods/frequency-estimate.md).
        Method(
            "sfe",
            "naive Bayes with word frequencies from all documents, in one pass",
            FrequencyEstimateNB,
            {"unlabeled_weight": 0.1},
            _SOFT,
            _SOFT_RARE,
        ),
        Method(
            "two-view",
            "EM over words and vectors learned from all the text, for very few labels",
            TwoViewEM,
            {},
            _SOFT,
            _SOFT_RARE,
        ),
    )
}


def find_method(name: str) -> Method:
    """Method of this name."""
    check_choice("method", name, METHODS)
    return METHODS[name]


def fewest_documents(method: Method, n_documents: int) -> int:
    """Documents that a word must occur in, for this method and so many documents."""
    return next(fewest for least, fewest in method.min_df.items() if n_documents >= least)


def merged_text_options(
    method: Method, given: Mapping[str, Any] | None, n_documents: int
) -> TextOptions:
    """The method's way to see text, with the user's changes."""
    known = {own.name for own in dataclasses.fields(TextOptions)}
    unknown = sorted(set(given or {}) - known)
    if unknown:
        raise ValueError(
            f"text_options has no {unknown[0]!r}; choose from {', '.join(sorted(known))}"
        )
    defaults = dataclasses.replace(method.text, min_df=fewest_documents(method, n_documents))
    merged = dataclasses.replace(defaults, **(given or {}))
    if merged.hash_features and merged.alternate_sign:
        raise ValueError(
            "hash_features with alternate_sign=True gives negative counts, which naive Bayes "
            "cannot use; add alternate_sign=False to text_options"
        )
    return merged


def make_estimator(method: Method, given: Mapping[str, Any] | None, own: Mapping[str, Any]) -> Any:
    """The method's estimator, with the user's options."""
    known = set(method.estimator().get_params()) - set(own) - TEXT_DECIDES
    for name in sorted(TEXT_DECIDES & set(given or {})):
        raise ValueError(
            f"{name!r} is an option of the text here, not of method {method.name!r}; pass "
            f"text_options={{{name!r}: …}}"
        )
    unknown = sorted(set(given or {}) - known)
    if unknown:
        raise ValueError(
            f"method {method.name!r} has no option {unknown[0]!r}; choose from "
            f"{', '.join(sorted(known))}"
        )
    return method.estimator(**{**method.settings, **(given or {}), **own})
