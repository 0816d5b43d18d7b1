"""Labels given on the page, in a SQLite file: what returned is on the disk."""

import json
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from operator import index
from pathlib import Path
from typing import Any, Self

from leaven.labeling import _plans as plans
from leaven.labeling._classes import KEYS, LabelClass
from leaven.labeling._errors import StoreError
from leaven.labeling._events import LOST, Answer, Label, Move, TrainedModel, Undone
from leaven.labeling._journal import Journal, now

__all__ = [
    "KEYS",
    "LOST",
    "Answer",
    "Label",
    "LabelClass",
    "LabelStore",
    "Move",
    "StoreError",
    "TrainedModel",
    "Undone",
]

ABOUT = "leaven.store"  # key of what the store is about


class LabelStore:
    """Classes, labels and skips of the documents of a data file, each with its history.

    Every action is added to a list that nothing is removed from. It is on the disk when its
    call returns, and done once for each ``request``: the same again returns the same result.
    Methods may be called from several threads. Refusals are ``StoreError``, and change
    nothing.

    Documents are rows of the data file, with a hash of their text. When the file changed, the
    caller compares ``placed`` and ``lost`` with it and calls ``move``.
    """

    def __init__(self, journal: Journal, about: dict[str, Any]) -> None:
        self._journal = journal
        self.name: str = about["name"]
        self.n_documents: int = about["n_documents"]
        self.several_labels: bool = about["several_labels"]

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        name: str,
        n_documents: int,
        several_labels: bool,
        read_only: bool = False,
    ) -> Self:
        """Open the store of a data file of ``n_documents`` rows; create it if it is missing.

        ``read_only`` writes nothing, and shows the labels that there are when it is opened.
        """
        place = Path(os.path.realpath(path))
        journal = Journal(place, read_only=read_only)
        about = {"name": name, "n_documents": n_documents, "several_labels": several_labels}
        try:
            known = json.loads(journal.meta.get(ABOUT, "{}"))
            if known.get("several_labels", several_labels) != several_labels:
                numbers = ("one label", "several labels")
                has, wanted = numbers[not several_labels], numbers[several_labels]
                raise StoreError(
                    "several_labels",
                    f"{str(place)!r} has {has} per document, but was opened for {wanted}: open it "
                    "as it was created, or choose another file",
                )
            if not read_only:
                journal.set_meta(ABOUT, about)
        except BaseException:
            journal.close()
            raise
        return cls(journal, about)

    def close(self) -> None:
        """Let go of the file. What was written stays; what is in memory can still be read."""
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """Where the store is, links followed."""
        return self._journal.path

    @property
    def read_only(self) -> bool:
        """Whether every write is refused."""
        return self._journal.read_only

    # Reading: from memory, without waiting for the disk.

    def classes(self) -> list[LabelClass]:
        """The classes that can be used, in the order in which they were created."""
        with self._journal.reading:
            return list(self._journal.state.classes)

    def labels(self) -> list[Label]:
        """The newest label of each document that has one, in the order of the documents."""
        with self._journal.reading:
            state = self._journal.state
            found = [state.resolved(label) for label in state.labels.values()]
        return sorted(found, key=lambda label: label.document)

    def label(self, document: int) -> Label | None:
        """The newest label of a document."""
        with self._journal.reading:
            found = self._journal.state.labels.get(document)
            return None if found is None else self._journal.state.resolved(found)

    def contents(self) -> tuple[list[LabelClass], list[Label]]:
        """Classes and labels of the same moment: no label has a class that is not listed."""
        with self._journal.reading:
            state = self._journal.state
            found = [state.resolved(label) for label in state.labels.values()]
            classes = list(state.classes)
        return classes, sorted(found, key=lambda label: label.document)

    def current(self, numbers: Iterable[int]) -> dict[int, int]:
        """What classes of an earlier moment are now; those that are gone are left out."""
        with self._journal.reading:
            classes = self._journal.state.classes
            now_known = {number: classes.resolve((number,))[0] for number in numbers}
            return {old: new for old, new in now_known.items() if classes.get(new) is not None}

    @property
    def n_labeled(self) -> int:
        """Documents that have a label."""
        return len(self._journal.state.labels)

    @property
    def last_event(self) -> int:
        """Number of the newest event: it changes with the classes, labels and skips."""
        return self._journal.state.last_event

    def skipped(self) -> set[int]:
        """Documents that were skipped and have no label."""
        with self._journal.reading:
            return set(self._journal.state.skips)

    def history(self, limit: int, before: int | None = None) -> list[Label]:
        """Answers that were not undone, newest first, also those that a later one replaced.

        ``before`` is the event of the last answer that the caller has.
        """
        with self._journal.reading:
            state, answers = self._journal.state, self._journal.state.answers
            end = len(answers)
            if before is not None:
                end = bisect_left(answers, before, key=lambda answer: answer.event)
            newest = (answers[place] for place in range(end - 1, -1, -1))
            found = (state.resolved(each) for each in newest if each.document != LOST)
            return list(islice(found, limit))

    @property
    def n_answers(self) -> int:
        """How many answers ``history`` has."""
        with self._journal.reading:
            return sum(each.document != LOST for each in self._journal.state.answers)

    @property
    def can_undo(self) -> str:
        """What ``undo`` would take back, such as "Label 17 as billing"; "" if nothing."""
        with self._journal.reading:
            return self._journal.state.undo_text

    def placed(self) -> dict[int, int]:
        """Hash of the text of every document with a label or a skip."""
        with self._journal.reading:
            state = self._journal.state
            labeled = {label.document: label.text_hash for label in state.labels.values()}
            return labeled | state.skips

    def lost(self) -> list[Label]:
        """Labels of texts that were no longer in the data file at the last ``move``."""
        with self._journal.reading:
            state = self._journal.state
            return [state.resolved(label) for label in state.lost.values()]

    # Writing: each call is one transaction.

    def answer(self, answer: Answer, request: str) -> int:
        """Label a document; returns the number of the event."""
        return int(self._label([answer], request, "answer"))

    def answer_many(self, answers: Iterable[Answer], request: str) -> int:
        """Label documents all together or not at all, undone at once; returns how many.

        Answers whose ``why`` is "file" cannot be undone, nor can anything before them.
        """
        answers = list(answers)
        self._label(answers, request, "answer_many")
        return len(answers)

    def _label(self, answers: Sequence[Answer], request: str, action: str) -> Any:
        several = self.several_labels
        answers = [plans.checked(answer, self.n_documents, several) for answer in answers]
        # What was decided, not what a model said: a request may come again after the next model.
        payload = [action, *((each.document, each.classes) for each in answers)]
        return self._journal.record(request, payload, partial(plans.label, answers=answers))

    def skip(
        self,
        document: int,
        text_hash: int,
        request: str,
        *,
        why: str = "asked",
        model: int | None = None,
        milliseconds: int | None = None,
    ) -> int:
        """Go past a document, which keeps a label that it has; returns the number of the event."""
        place = plans.checked_document(document, text_hash, self.n_documents)
        facts = (plans.checked_reason(why), plans.checked_count("model", model))
        time = plans.checked_count("milliseconds", milliseconds)
        return int(self._record(request, plans.skip, *place, *facts, time))

    def clear(self, document: int, text_hash: int, request: str) -> int:
        """Take a document's label or skip away; returns the number of the event."""
        place = plans.checked_document(document, text_hash, self.n_documents)
        return int(self._record(request, plans.clear, *place))

    def move(self, moves: Iterable[Move], request: str) -> int:
        """Follow texts to other rows, after the data file changed; returns how many.

        All moves are done at once. It cannot be undone, nor can anything before it. A store that
        is read only is moved in memory.
        """
        checked = [plans.checked_move(move, self.n_documents) for move in moves]
        if self.read_only:
            return int(self._journal.suppose(partial(plans.move, moves=checked)))
        return int(self._record(request, plans.move, checked))

    def add_class(self, name: str, request: str, *, permanent: bool = False) -> LabelClass:
        """Create a class, with the next free key.

        A ``permanent`` one cannot be undone, nor can anything before it.
        """
        return LabelClass(**self._record(request, plans.add_class, name, permanent))

    def rename_class(self, id: int, name: str, request: str) -> LabelClass:
        """Give a class another name."""
        return LabelClass(**self._record(request, plans.rename_class, index(id), name))

    def set_key(self, id: int, key: str, request: str) -> LabelClass:
        """Give a class another key, or none (""); the class that had it gets the old one."""
        return LabelClass(**self._record(request, plans.set_key, index(id), key))

    def merge_class(self, id: int, into: int, request: str) -> LabelClass:
        """Replace a class by another, in all labels and predictions; returns the other."""
        return LabelClass(**self._record(request, plans.merge_class, index(id), index(into)))

    def undo(self, request: str) -> Undone | None:
        """Take back the newest action that was not undone; None if there is none."""
        undone = self._record(request, plans.undo)
        if undone is None:
            return None
        return Undone(undone["text"], tuple(undone["documents"]), undone["kind"])

    def _record(self, request: str, plan: Callable[..., plans.Plan], *arguments: Any) -> Any:
        payload = [plan.__name__, *arguments]
        return self._journal.record(request, payload, lambda state: plan(state, *arguments))

    # Facts that are not answers.

    def add_model(
        self, number: int, n_labels: int, method: str, seconds: float, facts: dict[str, Any]
    ) -> None:
        """Keep facts about a model; numbers increase."""
        self._journal.add_model(TrainedModel(number, now(), n_labels, method, seconds, facts))

    def models(self) -> list[TrainedModel]:
        """The models, oldest first."""
        return list(self._journal.models)

    def get_meta(self, key: str, default: Any = None) -> Any:
        """A value that was set, or the default."""
        text = self._journal.meta.get(key)
        return default if text is None else json.loads(text)

    def set_meta(self, key: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        if key == ABOUT:
            raise StoreError("bad_request", f"{key!r} is the store's own key: choose another")
        self._journal.set_meta(key, value)
