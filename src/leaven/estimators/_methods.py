"""The methods behind ``TextClassifier(method=…)``: one entry each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leaven._validation import check_choice
from leaven.estimators._naive_bayes import NaiveBayesEM
from leaven.text._counter import TextOptions

__all__ = ["METHODS", "Method", "find_method"]


@dataclass(frozen=True)
class Method:
    """How a method sees text, which estimator it trains, and when to choose it."""

    name: str
    summary: str
    estimator: type[Any]
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the estimator
    text: TextOptions = field(default_factory=TextOptions)
    uses_unlabeled: bool = True


# Chosen on the unlabeled documents of seven corpora (docs/methods/naive-bayes-em.md).
_WEIGHTED = TextOptions(log_tf=True, idf=True, length=150.0)

METHODS = {
    method.name: method
    for method in (
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
    )
}


def find_method(name: str, n_unlabeled: int) -> tuple[Method, str]:
    """Method of this name, and why it was taken."""
    if name == "auto":
        if not n_unlabeled:
            return METHODS["nb"], "every document is labeled, so there is nothing for EM to add"
        return METHODS["em"], f"{n_unlabeled:,} unlabeled documents can help the labeled ones"
    check_choice("method", name, ("auto", *METHODS))
    return METHODS[name], METHODS[name].summary
