"""Classes of a store: their names, keys and merges."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from leaven.labeling._errors import StoreError

__all__ = ["KEYS", "Classes", "LabelClass"]

# In the order in which classes get them. n, e and s have other meanings on the page.
KEYS = "1234567890abcdfghijklmopqrtuvwxyz"
LONGEST_NAME = 200  # characters
# Control characters, halves of surrogate pairs, and separators of lines and paragraphs.
UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}


@dataclass(frozen=True, slots=True)
class LabelClass:
    """A class that documents can be labeled with."""

    id: int  # from 1, never used again for another class
    name: str
    key: str  # on the keyboard; "" if none was left


def folded(name: str) -> str:
    """A name without regard to case and to how accents are encoded."""
    return unicodedata.normalize("NFC", name).casefold()


def checked_name(name: str) -> str:
    """A name of a class without the space around it; refused if it cannot be one."""
    stripped = name.strip()
    if not stripped:
        raise StoreError("bad_name", "a class needs a name of at least one character: type one")
    if len(stripped) > LONGEST_NAME:
        raise StoreError(
            "bad_name",
            f"the name of a class must have at most {LONGEST_NAME} characters, got "
            f"{len(stripped)}: shorten it",
        )
    for character in stripped:
        if unicodedata.category(character) in UNPRINTABLE:
            raise StoreError(
                "bad_name",
                "the name of a class must have no line breaks or control characters, got "
                f"{stripped!r}: remove {character!r}",
            )
    return stripped


class Classes:
    """The classes that can be used now, and those that were merged into others."""

    def __init__(self) -> None:
        self.last_id = 0
        self._live: dict[int, LabelClass] = {}
        self._merged: dict[int, int] = {}  # into which class
        self._by_name: dict[str, int] = {}  # folded
        self._by_key: dict[str, int] = {}
        self._resolved: dict[tuple[int, ...], tuple[int, ...]] = {}  # cache, until the next merge

    def __iter__(self) -> Iterator[LabelClass]:
        return iter(sorted(self._live.values(), key=lambda each: each.id))

    def __getitem__(self, number: int) -> LabelClass:
        if number in self._live:
            return self._live[number]
        if number in self._merged:
            into = self._live[self.resolve((number,))[0]]
            raise StoreError(
                "unknown_class",
                f"class {number} was merged into {into.name!r}, class {into.id}: use that one",
            )
        raise StoreError(
            "unknown_class",
            f"class {number} does not exist, or its creation was undone: use one of those listed",
        )

    def get(self, number: int) -> LabelClass | None:
        """The class of a number, if it can be used."""
        return self._live.get(number)

    def put(self, number: int, new: LabelClass | None) -> LabelClass | None:
        """Add, replace or remove a class; returns the one before."""
        old = self._live.pop(number, None)
        if old is not None:
            del self._by_name[folded(old.name)]
            if self._by_key.get(old.key) == number:  # not yet given to another class
                del self._by_key[old.key]
        if new is not None:
            self._live[number] = new
            self._by_name[folded(new.name)] = number
            if new.key:
                self._by_key[new.key] = number
            self.last_id = max(self.last_id, number)
        return old

    def merge(self, number: int, into: int | None) -> None:
        """Say which class another was merged into; None: not any more."""
        if into is None:
            del self._merged[number]
        else:
            self._merged[number] = into
        self._resolved.clear()

    def resolve(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """Classes with those replaced that were merged, each once and in order."""
        if not self._merged:
            return numbers
        found = self._resolved.get(numbers)
        if found is None:
            found = tuple(sorted({self._final(number) for number in numbers}))
            self._resolved[numbers] = found
        return found

    def _final(self, number: int) -> int:
        while number in self._merged:
            number = self._merged[number]
        return number

    def free_key(self) -> str:
        """The first key that no class has; "" if all are in use."""
        return next((key for key in KEYS if key not in self._by_key), "")

    def with_key(self, key: str) -> LabelClass | None:
        """The class that has a key."""
        return self._live.get(self._by_key.get(key, 0))

    def unused_name(self, name: str, by: int | None = None) -> str:
        """A name that a new class, or the class ``by``, can have; else refused."""
        name = checked_name(name)
        other = self._by_name.get(folded(name))
        if other is None or other == by:
            return name
        taken = f"the name {name!r} is taken by class {other}, {self._live[other].name!r}"
        remedy = "use that class" if by is None else "merge the two classes instead"
        raise StoreError("name_taken", f"{taken}, and names must differ: {remedy}")
