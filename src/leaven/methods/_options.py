"""The options of a method: its defaults, with the user's changes."""

import dataclasses
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from leaven.learners import Learner
from leaven.methods._registry import Method
from leaven.text._options import TextOptions

__all__ = [
    "check_vectors",
    "checked_learner",
    "learner_options",
    "make_learner",
    "merged_text_options",
    "subword_options",
]

RUN_OPTIONS = frozenset({"random_state", "n_jobs"})  # parameters of the classifier itself
# Options of words that hold for their subwords too.
SHARED_OPTIONS = ("html", "lowercase", "hash_features", "alternate_sign")
MOST_SUBWORDS = 200_000  # the most frequent ones; an expert has a number per class for each
TEXT_OPTIONS = frozenset(each.name for each in dataclasses.fields(TextOptions))


def merged_text_options(
    method: Method, given: Mapping[str, Any] | None, n_documents: int
) -> TextOptions:
    """The method's text options, with the user's changes."""
    unknown = sorted(set(given or {}) - TEXT_OPTIONS)
    if unknown:
        raise ValueError(
            f"text_options has no {unknown[0]!r}; choose from {', '.join(sorted(TEXT_OPTIONS))}"
        )
    defaults = {**method.text, "min_df": method.fewest_documents(n_documents)}
    wanted = {**defaults, **(given or {})}
    if wanted.get("analyzer", "word") == "word":
        wanted.setdefault("tokens", "scripts")
    elif wanted.get("tokens") == "spaces":
        del wanted["tokens"]  # as characters are counted inside words anyway
    by_default = method.text.get("analyzer", "word") != "word" and "analyzer" not in (given or {})
    if by_default and "ngram_range" in (given or {}):
        raise ValueError(
            "ngram_range is about words, but subwords=True counts parts of words instead of words "
            f"with method {method.name!r}; leave out one of the two options"
        )
    merged = TextOptions(**wanted)
    if merged.hash_features and merged.alternate_sign and not method.takes_negative:
        raise ValueError(
            "hash_features with alternate_sign=True gives negative counts, which method "
            f"{method.name!r} cannot use; add alternate_sign=False to text_options"
        )
    return merged


def subword_options(
    method: Method, given: Mapping[str, Any] | None, n_documents: int, words_per_document: float
) -> TextOptions | None:
    """How a method sees subwords beside words; None where it does not, as for long texts.

    Of the user's changes, those apply that do not say which words are counted.
    """
    own = merged_text_options(method, given, n_documents)
    if method.beside is None or own.analyzer != "word" or words_per_document > method.most_words:
        return None
    kept = {name: getattr(own, name) for name in SHARED_OPTIONS}
    limits = {
        "min_df": method.fewest_documents(n_documents),
        "max_features": None if own.hash_features else MOST_SUBWORDS,
    }
    return TextOptions(**{**method.beside, **limits, **kept})


def make_learner(method: Method, given: Mapping[str, Any] | None) -> Learner:
    """The method's learner, with the user's options."""
    learner_type = method.learner_type
    if not dataclasses.is_dataclass(learner_type) or not hasattr(learner_type, "title"):
        raise TypeError(
            f"the learner of method {method.name!r} must be a dataclass with a title, got "
            f"{learner_type!r}"
        )
    known = {each.name for each in dataclasses.fields(learner_type)}
    if known & RUN_OPTIONS:
        raise TypeError(
            f"the learner of method {method.name!r} must not have the options "
            f"{' and '.join(sorted(RUN_OPTIONS))}, which its Run holds"
        )
    unknown = sorted(set(given or {}) - known)
    if unknown and unknown[0] in TEXT_OPTIONS:
        raise ValueError(
            f"{unknown[0]!r} is a text option, not an option of method {method.name!r}; pass "
            f"text_options={{{unknown[0]!r}: …}}"
        )
    if unknown:
        raise ValueError(
            f"method {method.name!r} has no option {unknown[0]!r}; choose from "
            f"{', '.join(sorted(known)) or 'none: it has no options'}{_more_for_sets(method)}"
        )
    return learner_type(**{**method.settings, **(given or {})})


def _more_for_sets(method: Method) -> str:
    """Other options where documents have several labels, for a message."""
    if not method.learns_sets or method.for_sets().learner_type is method.learner_type:
        return ""
    names = sorted(each.name for each in dataclasses.fields(method.for_sets().learner_type))
    return f"; for documents with several labels: {', '.join(names)}"


def checked_learner(method: Method, given: Mapping[str, Any] | None, dtype: Any) -> Learner:
    """The method's learner, for one label per document unless only that for several fits.

    Before labels are read it is not known which of them is needed.
    """

    def checked(own: Method) -> Learner:
        learner = make_learner(own, given)
        learner.check(dtype)
        return learner

    try:
        return checked(method)
    except ValueError:
        if method.learns_sets:
            with suppress(ValueError):
                return checked(method.for_sets())
        raise


def learner_options(learner: Learner) -> dict[str, Any]:
    """Options of a learner by their names."""
    return {each.name: getattr(learner, each.name) for each in dataclasses.fields(learner)}


def check_vectors(method: Method, sees: list[str]) -> None:
    """Raise an error for a method that uses no vectors; ``sees`` are those that do."""
    if not method.sees_vectors:
        raise ValueError(
            f"method {method.name!r} uses words only and cannot use vectors; choose "
            f"{' or '.join(sees)}, or leave the vectors out"
        )
