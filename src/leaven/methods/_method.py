"""What an entry of the registry of methods says, and the registry itself.

This module imports nothing that takes time, so that a command line can list methods at once.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from leaven.corpora import TrainingSet
    from leaven.held_out import Combination
    from leaven.learners import Learned, Learner, Run

__all__ = [
    "METHODS",
    "PLACES",
    "SUBWORDS",
    "Method",
    "find_method",
    "methods_where",
    "register",
]

PLACES = {
    "memory": "in memory",
    "stream": "streamed from disk",
    "dask": "on a Dask cluster",
}
# Fewest documents a word must occur in, by the number of documents: rare words harm EM more
# (every one adds alpha to every class) than they help, but in a small corpus all words are rare.
_RARE = {5000: 5, 1000: 3, 200: 2, 0: 1}

# Character n-grams inside words, with what is around them.
SUBWORDS: dict[str, Any] = {"analyzer": "char_wb", "ngram_range": (3, 5)}

ABOUT_WORDS = frozenset({"tokens", "stop_words", "numbers"})  # options that subwords do not have


@dataclass(frozen=True)
class Method:
    """How a method sees text, how it learns, and when to choose it.

    Parameters
    ----------
    name : str
        What users call it.
    summary : str
        How it learns, in half a line.
    choose_when : str
        When to choose it, in half a line.
    learner : str or type
        The learner, or where it is ("module:name"); its fields are the method's options.
    settings : mapping
        Options of the learner whose defaults the method changes.
    text : mapping
        How it sees text: options of [`leaven.TextVectorizer`][].
    min_df : mapping
        Fewest documents a word must occur in, by the least number of documents.
    places : set of str
        Where it can run, of ``PLACES``.
    supervised : str
        The method that it should beat by using unlabeled documents; "" where it uses none.
    takes_negative : bool
        Whether counts may be negative, as those of hashed words with signs are.
    blend : str
        Where the function is that adds other experts to the learner's; "" adds none.
    n_more_tables : int
        Arrays of a number per class and word that the other experts need.
    beside : mapping or None
        How the blend sees short texts a second time, by subwords: text options. None: not at all.
    most_words : float
        Texts are short up to this mean number of different words.
    sets : mapping or None
        What differs for documents with several labels, of the fields above; None: it learns one
        label per document only.
    is_slow : bool
        Whether comparisons of many documents and classes should leave it out.
    is_diagnosed : bool
        Whether EM alone fits it, so that [`leaven.diagnose`][] can judge it.
    estimator : str
        The public scikit-learn classifier on counts that has this learner.
    """

    name: str
    summary: str
    choose_when: str
    learner: "str | type[Learner]"
    settings: Mapping[str, Any] = field(default_factory=dict)
    text: Mapping[str, Any] = field(default_factory=dict)
    min_df: Mapping[int, int] = field(default_factory=lambda: _RARE)
    places: frozenset[str] = frozenset(PLACES)
    supervised: str = ""
    takes_negative: bool = False
    blend: str = ""
    n_more_tables: int = 0
    beside: Mapping[str, Any] | None = None
    most_words: float = 0.0
    sets: Mapping[str, Any] | None = None
    is_slow: bool = False
    is_diagnosed: bool = False
    estimator: str = ""

    @property
    def learner_type(self) -> "type[Learner]":
        """The learner's class, imported now if it was not yet."""
        found = _found(self.learner) if isinstance(self.learner, str) else self.learner
        return cast("type[Learner]", found)

    @property
    def sees_vectors(self) -> bool:
        """Whether it uses vectors, so that users may provide some."""
        return self.learner_type(**self.settings).n_dims > 0

    def check_place(self, place: str) -> None:
        """Raise an error for a place where the method cannot run."""
        if place not in self.places:
            possible = " or ".join(words for name, words in PLACES.items() if name in self.places)
            raise ValueError(
                f"method {self.name!r} cannot run {PLACES[place]}, only {possible}; train it "
                "there, or choose another method"
            )

    @property
    def learns_sets(self) -> bool:
        """Whether documents may have several labels."""
        return self.sets is not None

    def for_sets(self) -> "Method":
        """This method for documents with several labels, or an error where it cannot learn them."""
        if self.sets is None:
            raise ValueError(
                f"method {self.name!r} learns one label per document, but the labels are lists of "
                f"several (multi-label); choose {' or '.join(methods_where(learns_sets=True))}, or "
                "give one label per document"
            )
        return replace(self, **self.sets)

    def with_subwords(self, wanted: bool | None) -> "Method":
        """This method with subwords: beside words if it can, else instead of words.

        None leaves it as it is: some methods use subwords where texts are short.
        """
        if wanted is None:
            return self
        if not wanted:
            return replace(self, beside=None)
        sets = self.sets
        if sets is not None:
            sets = {**sets, "text": _of_subwords(sets.get("text", self.text))}
        if self.beside is not None:
            return replace(self, most_words=inf, sets=sets)
        return replace(self.of_subwords(), sets=sets)

    def of_subwords(self) -> "Method":
        """This method with subwords instead of words."""
        return replace(self, text=_of_subwords(self.text), beside=None)

    def blended(
        self,
        learned: "Learned",
        training: "TrainingSet",
        run: "Run",
        beside: "TrainingSet | None" = None,
    ) -> "Combination":
        """The learner's expert among the others of the blend."""
        more = () if beside is None else (beside,)
        found: Combination = _found(self.blend)(learned, training, run, *more)
        return found

    def fewest_documents(self, n_documents: int) -> int:
        """Fewest documents that a word must occur in, given the number of documents."""
        return next(fewest for least, fewest in self.min_df.items() if n_documents >= least)


def _found(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def _of_subwords(text: Mapping[str, Any]) -> dict[str, Any]:
    """Text options with subwords counted instead of words."""
    kept = {name: value for name, value in text.items() if name not in ABOUT_WORDS}
    return {**kept, **SUBWORDS}


METHODS: dict[str, Method] = {}


def register(method: Method) -> Method:
    """Add a method: from now on it can be trained, compared and named on the command line.

    An entry whose learner was defined again, as in a notebook, replaces the earlier one.
    """
    _check(method)
    known = METHODS.get(method.name, method)
    place = _defined_at(method.learner)
    is_defined_again = place is not None and place == _defined_at(known.learner)
    if known is not method and not is_defined_again:
        raise ValueError(f"there is another method called {method.name!r}; rename one")
    METHODS[method.name] = method
    return method


def _check(method: Method) -> None:
    name = method.name
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        raise ValueError(
            "a method's name must be letters, digits, '.', '-' and '_', beginning with a letter or "
            f"digit, got {name!r}"
        )
    unknown = sorted(set(method.places) - set(PLACES))
    if unknown or not method.places:
        raise ValueError(
            f"places of method {name!r} must be some of {', '.join(PLACES)}, got "
            f"{', '.join(map(repr, sorted(method.places))) or 'none'}"
        )
    if 0 not in method.min_df:
        raise ValueError(f"min_df of method {name!r} must say what holds from 0 documents on")


def _defined_at(learner: "str | type[Learner]") -> tuple[str, str] | None:
    return None if isinstance(learner, str) else (learner.__module__, learner.__qualname__)


def find_method(name: str) -> Method:
    """Method of this name."""
    from leaven._base.validation import check_choice

    check_choice("method", name, METHODS)
    return METHODS[name]


def methods_where(**wanted: Any) -> list[str]:
    """Names of the methods whose entries have these values."""
    return [
        name
        for name, method in METHODS.items()
        if all(getattr(method, key) == value for key, value in wanted.items())
    ]
