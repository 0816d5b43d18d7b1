"""Options that determine how a text becomes a row of numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from numbers import Integral
from typing import Any, Self

import numpy as np

from leaven._base.validation import check_choice, check_in, check_whole
from leaven.text._counting import Tokens
from leaven.text._stop_words import FREQUENT, stop_word_list
from leaven.text._unicode import TOKEN_CHARACTERS
from leaven.text._vocabulary import check_words

__all__ = ["TextOptions"]

LONGEST_NGRAM = 100  # words or characters of an n-gram
ANALYZERS = ("word", "char_wb", "char")


@dataclass(frozen=True)
class TextOptions:
    """All options that determine how a text becomes a row of numbers.

    The fields are the parameters of [`leaven.TextVectorizer`][], documented there.
    """

    html: bool = False
    tokens: str = "words"
    analyzer: str = "word"
    lowercase: bool = True
    stop_words: str | Sequence[str] | None = None
    ngram_range: tuple[int, int] = (1, 1)
    numbers: str = "keep"
    min_df: float = 1
    max_df: float = 1.0
    max_features: int | str | None = None
    rank_by: str = "frequency"
    hash_features: int | None = None
    alternate_sign: bool = True
    binary: bool = False
    log_tf: bool = False
    idf: bool = False
    length: float | None = None

    def __post_init__(self) -> None:
        check_choice("html", self.html, [True, False])
        check_choice("tokens", self.tokens, TOKEN_CHARACTERS)
        check_choice("analyzer", self.analyzer, ANALYZERS)
        check_choice("numbers", self.numbers, ["keep", "one"])
        check_choice("rank_by", self.rank_by, ["frequency", "mutual_information"])
        low, high = _checked_ngram_range(self.ngram_range)
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            check_in(name, value, "[1, inf)" if whole else "[0, 1]")
        if isinstance(self.max_features, str):
            if self.max_features != "auto":
                raise ValueError(
                    "max_features must be a whole number in [1, inf), 'auto' or None, got "
                    f"{self.max_features!r}"
                )
        elif self.max_features is not None:
            check_whole("max_features", self.max_features, "[1, inf)")
        if self.hash_features is not None:
            check_whole("hash_features", self.hash_features, "[1, 2147483647]")
            if self.max_features is not None:
                raise ValueError(
                    "max_features needs a vocabulary, which hash_features does not have; "
                    "set one of them to None"
                )
        if self.length is not None:
            check_in("length", self.length, "(0, inf)")
        # JSON has no tuples; a model read back must equal the model written.
        object.__setattr__(self, "ngram_range", (low, high))
        if self.stop_words is not None and not isinstance(self.stop_words, str):
            words = check_words("stop_words", self.stop_words)
            object.__setattr__(self, "stop_words", tuple(sorted(set(words))))
        elif self.stop_words is not None:
            self._check_named_words()
        if self.analyzer != "word":
            self._check_only_characters()

    def _check_named_words(self) -> None:
        if not self.finds_stop_words:
            stop_word_list(self.stop_words)  # raises if it is unknown
            return
        if self.hash_features is not None:
            raise ValueError(
                "stop_words='frequent' needs a vocabulary, which hash_features does not have; set "
                "one of them to None"
            )
        if self.ngram_range != (1, 1):
            raise ValueError(
                "stop_words='frequent' needs ngram_range=(1, 1), because n-grams are counted "
                f"before frequent words are known, got {self.ngram_range}; list the words instead"
            )

    @property
    def finds_stop_words(self) -> bool:
        """Whether stop words are found among those of the texts."""
        return isinstance(self.stop_words, str) and self.stop_words == FREQUENT

    def _check_only_characters(self) -> None:
        for name, default in (("tokens", "words"), ("numbers", "keep"), ("stop_words", None)):
            value = getattr(self, name)
            if value not in (default, ()):
                raise ValueError(
                    f"{name} must be {default!r} with analyzer={self.analyzer!r}, which counts "
                    f"characters, not words, got {value!r}; leave out one of the two options"
                )

    @property
    def is_weighted(self) -> bool:
        return self.log_tf or self.idf or self.length is not None

    @property
    def uses_labels(self) -> bool:
        """Whether the choice of words depends on labels."""
        by_labels = self.rank_by == "mutual_information" and self.max_features is not None
        return by_labels or self.max_features == "auto"

    @property
    def as_tokens(self) -> Tokens:
        return Tokens(
            tokens=self.tokens,
            analyzer=self.analyzer,
            lowercase=self.lowercase,
            stop_words=tuple(stop_word_list(self.stop_words)),
            ngram_range=self.ngram_range,
            map_numbers=self.numbers == "one",
            hash_features=self.hash_features or 0,
            alternate_sign=self.alternate_sign,
        )

    @property
    def spelled_out(self) -> Self:
        """The options with stop words listed, so that a model does not depend on a named list."""
        if self.stop_words is None:
            return self
        return replace(self, stop_words=self.as_tokens.stop_words)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        return cls(**fields)


def _checked_ngram_range(given: Any) -> tuple[int, int]:
    rule = (
        "ngram_range must be two whole numbers (smallest, largest) with "
        f"1 <= smallest <= largest <= {LONGEST_NGRAM}, got {given!r}"
    )
    sizes = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(sizes) != 2 or not all(
        isinstance(size, Integral) and not isinstance(size, bool) for size in sizes
    ):
        raise TypeError(rule)
    low, high = map(int, sizes)
    if not 1 <= low <= high <= LONGEST_NGRAM:
        raise ValueError(rule)
    return low, high
