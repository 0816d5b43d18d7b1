"""The state that a list of events leads to: classes, labels, skips, and what can be undone.

Undo is strictly last in, first out. So the events that were not undone were all made in the
state that the ones before them lead to, and an undo only has to put back what its action changed.
Reading a file and going on are the same: events are applied one after the other.
"""

import json
from dataclasses import dataclass, field, replace

from leaven.labeling._classes import Classes, LabelClass
from leaven.labeling._events import LOST, Event, Label, Undone, as_numbers

__all__ = ["State", "unsigned"]


@dataclass(slots=True)
class Action:
    """One or more events that are undone together, and what there was before."""

    first: Event
    n_labels: int = 0
    # In the order of change, each with its label or its skip before.
    documents: list[tuple[int, Label | None, int | None]] = field(default_factory=list)
    classes: list[tuple[int, LabelClass | None]] = field(default_factory=list)
    has_one_label: bool = True  # whether all documents got the same

    @property
    def kind(self) -> str:
        first = self.first
        if first.kind == "label" and first.why in ("bulk", "import"):
            return str(first.why)
        return "bulk" if self.n_labels > 1 else first.kind


class State:
    """What all events so far lead to."""

    def __init__(self) -> None:
        self.last_event = 0
        self.classes = Classes()
        self.labels: dict[int, Label] = {}  # by document
        self.skips: dict[int, int] = {}  # hashes of the texts, by document; none has a label
        self.lost: dict[int, Label] = {}  # by hash of the text
        self.answers: list[Label] = []  # all that were not undone, oldest first
        self.actions: list[Action] = []  # those that can be undone, oldest first
        self._resolved: dict[int, Label] = {}  # by event; cache, until the next merge or move

    def apply(self, event: Event) -> None:
        """Go on by one event."""
        self.last_event = event.id
        if event.kind == "undo":
            self._undo(event)
            return
        if event.batch == event.id:
            self.actions.append(Action(event))
        action = self.actions[-1] if self.actions else Action(event)
        if event.kind == "move":
            self._move(event)
        elif event.document is None:
            self._change_classes(event, action)
        else:
            self._change_document(event, event.document, action)
        if event.permanent:
            self.actions.clear()

    def _change_document(self, event: Event, document: int, action: Action) -> None:
        label, skip = self.labels.get(document), self.skips.get(document)
        action.documents.append((document, label, skip))
        text_hash = unsigned(event.text_hash or 0)
        if event.kind == "label":
            new = _label(event, document, text_hash)
            self.labels[document] = new
            self.skips.pop(document, None)
            self.answers.append(new)
            action.n_labels += 1
            action.has_one_label &= event.classes == action.first.classes
        elif event.kind == "clear":
            self.labels.pop(document, None)
            self.skips.pop(document, None)
        elif label is None:  # going past a labeled document takes nothing away
            self.skips[document] = text_hash

    def _change_classes(self, event: Event, action: Action) -> None:
        number = event.class_id or 0
        if event.kind == "class":
            new = LabelClass(number, event.name or "", event.key or "")
            action.classes.append((number, self.classes.put(number, new)))
            return
        old = self.classes[number]
        if event.kind == "rename":
            renamed = replace(old, name=event.name or "")
            action.classes.append((number, self.classes.put(number, renamed)))
        elif event.kind == "key":
            action.classes.append(
                (number, self.classes.put(number, replace(old, key=event.key or "")))
            )
            if event.other_id is not None:
                other = self.classes[event.other_id]
                exchanged = replace(other, key=old.key)
                action.classes.append((other.id, self.classes.put(other.id, exchanged)))
        else:
            action.classes.append((number, self.classes.put(number, None)))
            self.classes.merge(number, event.other_id)
            self._resolved.clear()

    def _move(self, event: Event) -> None:
        """Renumber documents, all at once."""
        moves = {(before, text_hash): to for before, text_hash, to in json.loads(event.moves or "")}

        def moved(label: Label) -> Label:
            to = moves.get((label.document, label.text_hash), label.document)
            return label if to == label.document else replace(label, document=to)

        labels = [moved(each) for each in [*self.lost.values(), *self.labels.values()]]
        labels.sort(key=lambda label: label.event)  # the newest of those with the same text stays
        self.labels = {each.document: each for each in labels if each.document != LOST}
        self.lost = {each.text_hash: each for each in labels if each.document == LOST}
        skips = [(moves.get((old, each), old), each) for old, each in self.skips.items()]
        self.skips = {
            document: text_hash
            for document, text_hash in skips
            if document != LOST and document not in self.labels
        }
        self.answers = [moved(each) for each in self.answers]
        self._resolved.clear()

    def _undo(self, event: Event) -> None:
        action = self.actions.pop()
        if action.first.id != event.undoes:
            raise LookupError(f"event {event.id} undoes {event.undoes}, not {action.first.id}")
        if action.first.kind == "merge":
            self.classes.merge(action.first.class_id or 0, None)
            self._resolved.clear()
        for number, old in reversed(action.classes):
            self.classes.put(number, old)
        for document, label, skip in reversed(action.documents):
            self.labels.pop(document, None)
            self.skips.pop(document, None)
            if label is not None:
                self.labels[document] = label
            if skip is not None:
                self.skips[document] = skip
        if action.n_labels:
            del self.answers[-action.n_labels :]

    def resolved(self, label: Label) -> Label:
        """A label with merged classes replaced."""
        classes = self.classes.resolve(label.classes)
        predicted = None if label.predicted is None else self.classes.resolve(label.predicted)
        if classes == label.classes and predicted == label.predicted:
            return label
        found = self._resolved.get(label.event)
        if found is None:
            found = replace(label, classes=classes, predicted=predicted)
            self._resolved[label.event] = found
        return found

    @property
    def next_undone(self) -> Undone | None:
        """What an undo would take back now."""
        if not self.actions:
            return None
        action = self.actions[-1]
        documents = tuple(dict.fromkeys(document for document, *_ in action.documents))
        return Undone(self.undo_text, documents, action.kind)

    @property
    def undo_text(self) -> str:
        """What an undo would take back, in words; "" if nothing."""
        if not self.actions:
            return ""
        action = self.actions[-1]
        first, n = action.first, action.n_labels
        if first.kind == "label":
            numbers = as_numbers(first.classes or "")
            names = ", ".join(self.classes[number].name for number in numbers) or "none"
            given = f" as {names}" if action.has_one_label else ""
            if n == 1:
                return f"Label {first.document}{given}"
            verb = "Import" if action.kind == "import" else "Label"
            return f"{verb} {n} documents{given}"
        if first.document is not None:
            return f"{first.kind.capitalize()} {first.document}"
        old = next((each.name for _, each in action.classes if each is not None), "")
        if first.kind == "class":
            return f"New class {first.name}"
        if first.kind == "rename":
            return f"Rename {old} to {first.name}"
        if first.kind == "key":
            return f"Key {first.key} for {old}" if first.key else f"No key for {old}"
        return f"Merge {old} into {self.classes[first.other_id or 0].name}"


def unsigned(number: int) -> int:
    """The 64 bits of a signed number as one that is not negative."""
    return number & 0xFFFFFFFFFFFFFFFF


def _label(event: Event, document: int, text_hash: int) -> Label:
    predicted = None if event.predicted is None else as_numbers(event.predicted)
    classes, why = as_numbers(event.classes or ""), event.why or ""
    return Label(
        document,
        text_hash,
        classes,
        why,
        event.id,
        event.at,
        event.model,
        predicted,
        event.probability,
        bool(event.shown),
    )
