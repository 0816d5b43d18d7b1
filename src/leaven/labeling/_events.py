"""What the store records: rows of the table of events, and what callers give and get."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "LOST",
    "REASONS",
    "Answer",
    "Event",
    "Label",
    "Move",
    "TrainedModel",
    "Undone",
    "as_numbers",
    "as_text",
]

LOST = -1  # number of a document whose text is no longer in the data file
# Why a document was answered; "file" labels were in the data file and cannot be undone.
REASONS = ("typical", "uncertain", "audit", "random", "asked", "bulk", "file", "import")


@dataclass(frozen=True, slots=True)
class Answer:
    """A label that somebody gives to a document, and what was on the screen then."""

    document: int  # row of the data file
    text_hash: int  # 64 bits, not negative
    classes: tuple[int, ...]
    why: str = "asked"  # one of REASONS
    model: int | None = None  # that predicted
    predicted: tuple[int, ...] | None = None
    probability: float | None = None  # of the prediction
    shown: bool = False  # whether the suggestion was visible
    accepted: bool = False  # whether it was taken over as it was
    milliseconds: int | None = None  # until the answer


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a document. Merged classes are replaced by those they were merged into."""

    document: int  # row of the data file when it was labeled or last moved; LOST
    text_hash: int
    classes: tuple[int, ...]
    why: str
    event: int  # increases with time
    at: str  # ISO 8601, UTC
    model: int | None
    predicted: tuple[int, ...] | None
    probability: float | None
    shown: bool


@dataclass(frozen=True, slots=True)
class Move:
    """Where the text of a labeled or skipped document is now, after the data file changed."""

    document: int  # before; LOST if it was missing then
    text_hash: int
    to: int  # now; LOST if it is missing


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back."""

    text: str  # such as "Label 17 as billing"
    documents: tuple[int, ...]
    kind: str  # label, skip, clear, bulk, import, class, rename, key or merge


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """Facts about a model that was trained during labeling."""

    number: int
    at: str
    n_labels: int
    method: str
    seconds: float
    facts: dict[str, object]


class Event(NamedTuple):
    """A row of the table of events; the fields are its columns, in order."""

    id: int
    batch: int  # the first event of the same action: an action is undone as a whole
    kind: str
    at: str
    permanent: int = 0  # 1: neither this nor anything before it is undone
    undoes: int | None = None  # first event of the action that this one undoes
    document: int | None = None
    text_hash: int | None = None  # as a signed number, which is what SQLite has
    classes: str | None = None  # JSON
    why: str | None = None
    model: int | None = None
    predicted: str | None = None  # JSON
    probability: float | None = None
    shown: int | None = None
    accepted: int | None = None
    milliseconds: int | None = None
    class_id: int | None = None  # of events about classes
    other_id: int | None = None  # merged into, or the class that the key was taken from
    name: str | None = None
    key: str | None = None
    moves: str | None = None  # JSON: lists of document, hash and new document


@lru_cache(maxsize=4096)
def as_numbers(text: str) -> tuple[int, ...]:
    """Class numbers from a column."""
    return tuple(json.loads(text))


@lru_cache(maxsize=4096)
def as_text(numbers: tuple[int, ...]) -> str:
    """Class numbers for a column."""
    return json.dumps(numbers, separators=(",", ":"))
