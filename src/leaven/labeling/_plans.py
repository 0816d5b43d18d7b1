"""Which events an action leads to in a state, and what it is refused for.

Every function returns the events, numbered from the next one, and a result that JSON can hold.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from operator import index
from typing import Any

from leaven.labeling._classes import KEYS
from leaven.labeling._errors import StoreError
from leaven.labeling._events import LOST, REASONS, Answer, Event, Move, as_text
from leaven.labeling._journal import now
from leaven.labeling._state import State

__all__ = [
    "Plan",
    "add_class",
    "checked",
    "checked_count",
    "checked_document",
    "checked_move",
    "checked_reason",
    "clear",
    "label",
    "merge_class",
    "move",
    "rename_class",
    "set_key",
    "skip",
    "undo",
]

Plan = tuple[list[Event], Any]


def checked_document(document: int, text_hash: int, n_documents: int) -> tuple[int, int]:
    """A document's number and hash as plain numbers."""
    number, text_hash = index(document), index(text_hash)
    if not 0 <= number < n_documents:
        raise StoreError(
            "unknown_document",
            f"document must be a number from 0 to {n_documents - 1}, got {number}: use one of "
            "the data file's rows",
        )
    if not 0 <= text_hash < 2**64:
        raise StoreError("bad_answer", f"text_hash must be in [0, 2**64), got {text_hash}")
    return number, text_hash


def checked(answer: Answer, n_documents: int, several_labels: bool) -> Answer:
    """An answer with plain numbers, its classes in order; refused if it makes no sense.

    NumPy's numbers would be written as bytes by SQLite, and not at all by JSON.
    """
    document, text_hash = checked_document(answer.document, answer.text_hash, n_documents)
    classes = tuple(sorted(map(index, set(answer.classes))))
    if len(classes) != 1 and not several_labels:
        raise StoreError(
            "one_class",
            f"a document must have one class here, got {len(classes)}: choose one",
        )
    probability = None if answer.probability is None else float(answer.probability)
    if probability is not None and not 0 <= probability <= 1:
        raise StoreError("bad_answer", f"probability must be in [0, 1], got {probability}")
    return Answer(
        document,
        text_hash,
        classes,
        checked_reason(answer.why),
        checked_count("model", answer.model),
        None if answer.predicted is None else tuple(sorted(map(index, set(answer.predicted)))),
        probability,
        bool(answer.shown),
        bool(answer.accepted),
        checked_count("milliseconds", answer.milliseconds),
    )


def checked_reason(why: str) -> str:
    """Why a document was asked about, if it is a reason that there is."""
    if why not in REASONS:
        raise StoreError("bad_answer", f"why must be one of {', '.join(REASONS)}, got {why!r}")
    return why


def checked_count(name: str, value: int | None) -> int | None:
    """A plain number that SQLite can hold, or none."""
    number = 0 if value is None else index(value)
    if not 0 <= number < 2**63:
        raise StoreError("bad_answer", f"{name} must be in [0, 2**63), got {number}")
    return None if value is None else number


def checked_move(move: Move, n_documents: int) -> tuple[int, int, int]:
    """A move as plain numbers, its aim in the data file."""
    to, text_hash = index(move.to), index(move.text_hash)
    if to != LOST:
        checked_document(to, text_hash, n_documents)
    return index(move.document), text_hash, to


def label(state: State, answers: Sequence[Answer]) -> Plan:
    """Label documents, all undone at once; the result is the first event, or None without any."""
    for number in sorted({number for answer in answers for number in answer.classes}):
        state.classes[number]  # refuses one that cannot be used
    n_from_file = sum(answer.why == "file" for answer in answers)
    if n_from_file not in (0, len(answers)):
        raise StoreError(
            "bad_answer",
            f"labels of the data file cannot be undone, so they must come alone, got {n_from_file} "
            f"of {len(answers)}: record the others by themselves",
        )
    first, at, permanent = state.last_event + 1, now(), int(n_from_file > 0)
    events = [
        Event(
            first + place,
            first,
            "label",
            at,
            permanent,
            document=answer.document,
            text_hash=_signed(answer.text_hash),
            classes=as_text(answer.classes),
            why=answer.why,
            model=answer.model,
            predicted=None if answer.predicted is None else as_text(answer.predicted),
            probability=answer.probability,
            shown=int(answer.shown),
            accepted=int(answer.accepted),
            milliseconds=answer.milliseconds,
        )
        for place, answer in enumerate(answers)
    ]
    return events, first if events else None


def skip(
    state: State, document: int, text_hash: int, why: str, model: int | None, ms: int | None
) -> Plan:
    """Skip a document; the result is the event."""
    event = _next(state, "skip", document=document, text_hash=_signed(text_hash))
    return [event._replace(why=why, model=model, milliseconds=ms)], event.id


def clear(state: State, document: int, text_hash: int) -> Plan:
    """Take a document's label or skip away; the result is the event."""
    if document not in state.labels and document not in state.skips:
        raise StoreError(
            "not_labeled", f"document {document} has no label, so none can be taken away"
        )
    event = _next(state, "clear", document=document, text_hash=_signed(text_hash))
    return [event], event.id


def move(state: State, moves: Sequence[tuple[int, int, int]]) -> Plan:
    """Renumber documents; the result is how many labels and skips were moved."""
    known = {(LOST, text_hash) for text_hash in state.lost}
    known |= {(each.document, each.text_hash) for each in state.labels.values()}
    known |= set(state.skips.items())
    found = [each for each in moves if each[:2] in known and each[0] != each[2]]
    if not found:
        return [], 0
    return [_next(state, "move", permanent=1, moves=json.dumps(found))], len(found)


def add_class(state: State, name: str, permanent: bool) -> Plan:
    """Create a class, which is the result."""
    name, key = state.classes.unused_name(name), state.classes.free_key()
    number = state.classes.last_id + 1
    event = _next(state, "class", class_id=number, name=name, key=key, permanent=int(permanent))
    return [event], {"id": number, "name": name, "key": key}


def rename_class(state: State, number: int, name: str) -> Plan:
    """Give a class another name; the result is the class."""
    old = state.classes[number]
    name = state.classes.unused_name(name, by=number)
    event = _next(state, "rename", class_id=number, name=name)
    return [] if name == old.name else [event], asdict(replace(old, name=name))


def set_key(state: State, number: int, key: str) -> Plan:
    """Give a class another key; the class that had it gets the old one. The result is the class."""
    old = state.classes[number]
    if key and (len(key) != 1 or key not in KEYS):
        raise StoreError(
            "bad_key", f"key must be one of {KEYS}, or empty for none, got {key!r}: choose one"
        )
    other = state.classes.with_key(key)
    event = _next(state, "key", class_id=number, key=key)
    if other is not None:
        event = event._replace(other_id=other.id)
    return [] if key == old.key else [event], asdict(replace(old, key=key))


def merge_class(state: State, number: int, into: int) -> Plan:
    """Let a class be part of another from now on; the result is that one."""
    merged, kept = state.classes[number], state.classes[into]
    if number == into:
        raise StoreError(
            "same_class", f"{merged.name!r} cannot be merged into itself: choose another class"
        )
    return [_next(state, "merge", class_id=number, other_id=into)], asdict(kept)


def undo(state: State) -> Plan:
    """Take back the newest action that can be; the result says what, or is None."""
    undone = state.next_undone
    if undone is None:
        return [], None
    return [_next(state, "undo", undoes=state.actions[-1].first.id)], asdict(undone)


def _next(state: State, kind: str, **columns: Any) -> Event:
    number = state.last_event + 1
    return Event(number, number, kind, now(), **columns)


def _signed(number: int) -> int:
    """64 bits as SQLite holds them."""
    return number - 2**64 if number >= 2**63 else number
