"""A labeling session: documents, the store of labels, the trainer, and what the page is told."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple, overload

from leaven._base.progress import Listener
from leaven.classifier import FittedClassifier
from leaven.labeling._advice import FEWEST_AUDITS, Accuracy, Agreements, accuracy_of_audits
from leaven.labeling._beginning import taken_over
from leaven.labeling._disputes import Dispute, still_open
from leaven.labeling._documents import LabelingDocuments
from leaven.labeling._live_model import LiveModel, Prediction
from leaven.labeling._moves import followed
from leaven.labeling._planner import Plan, Planner
from leaven.labeling._store import Answer, Label, LabelStore, StoreError, Undone
from leaven.labeling._trainer import Snapshot, Trainer
from leaven.methods._repeated_fits import QUICK, RepeatedFits

__all__ = ["LabelingSession"]

QUICK_FOR_SETS = "multilabel"  # the method that is fitted after each answer
Json = dict[str, Any]


class _Said(NamedTuple):
    """What a model said about a document."""

    model: int | None  # number
    classes: tuple[int, ...] | None
    probability: float | None


class LabelingSession:
    """All that the page shows and does, without HTTP; methods may be called from any thread.

    Parameters
    ----------
    documents : LabelingDocuments
        What is labeled.
    path : path
        The SQLite file of the labels.
    classes : sequence of str
        Names of classes to begin with.
    method : str
        The method of the model that is saved.
    text_options : mapping or None
        As those of [`leaven.TextClassifier`][]; words must not be selected by labels.
    several_labels : bool or None
        Whether documents can have several labels; None: if those of the file have.
    on_progress : callable or None
        Called while words and vectors are computed.
    """

    def __init__(
        self,
        documents: LabelingDocuments,
        path: str | os.PathLike[str],
        *,
        classes: Sequence[str] = (),
        method: str = "auto",
        text_options: Mapping[str, Any] | None = None,
        several_labels: bool | None = None,
        read_only: bool = False,
        n_jobs: int | None = None,
        random_state: int = 0,
        on_progress: Listener | None = None,
    ) -> None:
        self.documents, self.method = documents, method
        several = documents.has_label_sets if several_labels is None else several_labels
        self.fits = RepeatedFits(
            documents.texts,
            text_options=text_options,
            given=documents.given,
            n_jobs=n_jobs,
            random_state=random_state,
            several_labels=several,
            on_progress=on_progress,
        )
        self.fits.check(method)
        self.store = LabelStore.open(
            path,
            name=documents.name,
            n_documents=len(documents),
            several_labels=several,
            read_only=read_only,
        )
        self.is_closed = False
        self._lock = threading.RLock()
        self._writing = threading.RLock()
        self._version, self._n_told = 0, 0
        self._listeners: set[Callable[[], None]] = set()
        self._issued: dict[int, str] = {}  # why documents were given to the page
        self._first_said: dict[int, _Said] = {}  # of audits
        self.model: LiveModel | None = None
        self._full: LiveModel | None = None  # the newest calibrated one
        self._disputes: list[Dispute] = []
        self.agreements = Agreements()
        self.curve: list[Json] = []
        try:
            followed(self.store, documents)
            if not read_only:
                taken_over(self.store, documents, classes)
            self.planner = Planner(self.fits.sample, self.fits.vectors, random_state)
            self._plan = self.planner.plan(self.snapshot().answers, self.store.skipped())
        except BaseException:
            self.store.close()
            raise
        last = max((model.number for model in self.store.models()), default=0)
        self.trainer = Trainer(
            self.fits,
            self.planner,
            self.snapshot,
            self._take_model,
            self._take_disputes,
            self._notify,
            quick_method=QUICK_FOR_SETS if several else QUICK,
            full_method=method,
            first_number=last + 1,
        )
        self.trainer.start()
        self.trainer.labels_changed(self._version)

    def close(self) -> None:
        """End training and let go of the file."""
        self.end_events()
        self.trainer.stop()
        self.store.close()

    def end_events(self) -> None:
        """Tell listeners that there will be no more changes."""
        self.is_closed = True
        self._notify()

    # Changes of the labels. A write returns when it is on the disk.

    def answer(
        self,
        document: int,
        classes: Sequence[int],
        request: str,
        *,
        why: str | None = None,
        model: int | None = None,
        accepted: bool = False,
        milliseconds: int | None = None,
    ) -> Json:
        """Label a document; of an audit, tell whether the model had been right."""
        self.check_document(document)
        why = self._issued.get(document, "asked") if why is None else why
        with self._writing:
            before = self.store.label(document)
            # A corrected audit stays one.
            kept = "audit" if before is not None and before.why == "audit" else why
            said = self._said(document, kept, before)
            given = Answer(
                document,
                self.documents.hash_of(document),
                tuple(classes),
                why=kept,
                model=said.model,
                predicted=said.classes,
                probability=said.probability,
                shown=model is not None and why != "audit",
                accepted=accepted,
                milliseconds=milliseconds,
            )
            self.store.answer(given, request)
            self._changed()
            label = self.store.label(document)
        audit = None
        if why == "audit" and label is not None and label.predicted is not None:
            audit = {
                "predicted": list(label.predicted),
                "probability": label.probability,
                "is_right": set(label.predicted) == set(label.classes),
            }
        labels = [] if label is None else list(label.classes)
        return {"document": document, "labels": labels, "audit": audit}

    def _said(self, document: int, why: str, before: Label | None) -> "_Said":
        """What a model says about a document; of an audit, before it knew the answer."""
        if before is not None and before.why == "audit":
            return _Said(before.model, before.predicted, before.probability)
        if why == "audit" and document in self._first_said:  # its answer was undone
            return self._first_said[document]
        model = self.model
        if model is None or (why == "audit" and document in model.labeled):
            return _Said(None, None, None)
        (found,) = self.predictions([document], model)
        said = _Said(model.number, found.classes, found.probability)
        if why == "audit":
            self._first_said[document] = said
        return said

    def skip(self, document: int, request: str) -> Json:
        self.check_document(document)
        self.store.skip(document, self.documents.hash_of(document), request)
        return self._after(document)

    def clear(self, document: int, request: str) -> Json:
        self.check_document(document)
        self.store.clear(document, self.documents.hash_of(document), request)
        return self._after(document)

    def _after(self, document: int) -> Json:
        self._changed()
        label = self.store.label(document)
        return {
            "document": document,
            "labels": [] if label is None else list(label.classes),
            "audit": None,
        }

    def answer_many(
        self, numbers: Iterable[int], classes: Sequence[int], request: str, why: str = "bulk"
    ) -> int:
        """Label several documents at once, undone at once."""
        numbers = [int(number) for number in numbers]
        for number in numbers:
            self.check_document(number)
        return self.label_each({number: tuple(classes) for number in numbers}, request, why)

    def label_each(
        self, labels: Mapping[int, tuple[int, ...]], request: str, why: str = "import"
    ) -> int:
        """Label documents, each with its own classes, undone at once."""
        hash_of = self.documents.hash_of
        answers = [Answer(each, hash_of(each), own, why=why) for each, own in labels.items()]
        n_labeled = self.store.answer_many(answers, request) if answers else 0
        self._changed()
        return n_labeled

    def undo(self, request: str) -> Undone:
        undone = self.store.undo(request)
        if undone is None:
            raise StoreError("nothing_to_undo", "there is nothing to undo: everything is undone")
        self._changed()
        return undone

    def change_classes(self, change: Callable[[LabelStore], Any]) -> Any:
        """Create, rename, merge or reorder classes."""
        found = change(self.store)
        self._changed()
        return found

    def train_fully(self, method: str | None = None) -> None:
        """Fit the method that is saved now."""
        if method is not None:
            self.fits.check(method)
            self.method = method
        self.trainer.full_wanted(method)
        self._notify()

    def fit_to_save(self, on_progress: Listener | None = None) -> FittedClassifier:
        """A calibrated model whose classes have their names, from the labels of this moment."""
        classes, labels = self.store.contents()
        names = {each.id: each.name for each in classes}
        several, known = self.store.several_labels, dict[int, Any]()
        for label in sorted(labels, key=attrgetter("event")):
            named = [names[each] for each in label.classes]
            known[label.document] = named if several else named[0]
        audits = [label.document for label in labels if label.why == "audit"]
        found = self.fits.fit(self.method, known, audited=audits, on_progress=on_progress)
        return replace(found.fitted, reading=self.documents.used_reading)

    # What the trainer hands over.

    def snapshot(self) -> Snapshot:
        """The labels at this moment, in the order in which they were given."""
        version = self._version  # before the labels, which may then be newer but never older
        labels = sorted(self.store.labels(), key=attrgetter("event"))
        return Snapshot(
            version,
            {label.document: label.classes for label in labels},
            {label.document: label.why for label in labels},
            frozenset(self.store.skipped()),
        )

    def _take_model(self, model: LiveModel | None, plan: Plan) -> None:
        with self._lock:
            self.model, self._plan = model, plan
        if model is not None:
            self._remember(model)

    def _remember(self, model: LiveModel) -> None:
        """Facts for the page's progress, and the store's list of models."""
        if model.is_full:
            self._full = model
        else:
            self.agreements.add(model.n_labels, model.decided)
        found = self.accuracy()
        # A quick model has no estimate of its own; that of a full one is told once.
        if found is not None and (model.is_full or self._full is None):
            earlier = [each for each in self.curve if each["n_labels"] < model.n_labels]
            self.curve = [*earlier, {"n_labels": model.n_labels, **found._asdict()}]
        if not self.store.read_only:
            facts = {} if found is None else found._asdict()
            self.store.add_model(
                model.number, model.n_labels, model.method, round(model.seconds, 3), facts
            )

    def _take_disputes(self, disputes: list[Dispute]) -> None:
        self._disputes = disputes

    # What the page is told; see also _status and _views.

    def questions(self, n: int, held: Sequence[int]) -> list[tuple[int, str]]:
        """The next documents to ask about; the page holds some already."""
        with self._lock:
            snapshot = self.snapshot()
            closed = {*snapshot.labels, *snapshot.skipped, *held}
            before = [*snapshot.reasons.values(), *(self._issued.get(d, "") for d in held)]
            found = self.planner.questions(self._plan, n, before, closed)
            self._issued.update(found)
            return [(document, why) for document, why in found]

    @property
    def disputes(self) -> list[Dispute]:
        """Disputed labels that nobody has changed or confirmed since."""
        return still_open(self._disputes, self.store) if self._disputes else []

    def reason(self, document: int) -> str:
        """Why a document was given to the page."""
        return self._issued.get(document, "asked")

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call a listener after every change, until the function that is returned is called."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    @overload
    def predictions(self, numbers: Sequence[int], model: LiveModel) -> list[Prediction]: ...
    @overload
    def predictions(self, numbers: Sequence[int]) -> list[Prediction | None]: ...
    def predictions(
        self, numbers: Sequence[int], model: LiveModel | None = None
    ) -> list[Prediction] | list[Prediction | None]:
        """What a model or the newest one says about documents; None each where there is none."""
        model, documents = model or self.model, self.documents
        if model is None:
            return list[Prediction | None]([None] * len(numbers))
        current = self.store.current(model.class_ids)
        return model.predictions(numbers, documents.texts, documents.given, current)

    def shares(self, model: LiveModel | None) -> dict[int, float]:
        """Share of the documents that have each class, by a model."""
        return {} if model is None else model.shares(self.store.current(model.class_ids))

    def accuracy(self, labels: Sequence[Label] | None = None) -> Accuracy | None:
        """From the newest calibrated model, whose audits were held out, or as they were answered.

        The second is what models said before they knew the answers; it lags behind. The first
        holds while the labels of the audits and the classes are the same.
        """
        labels, full = self.store.labels() if labels is None else labels, self._full
        expected = {} if full is None else full.expected
        n_audits = int(expected.get("n_audited") or 0)
        if full is None or expected.get("accuracy") is None or n_audits < FEWEST_AUDITS:
            return accuracy_of_audits(labels)
        current, n_now = (
            self.store.current(full.class_ids),
            sum(each.why == "audit" for each in labels),
        )
        if n_now < n_audits or any(current.get(each) != each for each in full.class_ids):
            return accuracy_of_audits(labels)
        return Accuracy(expected["accuracy"], expected["low"], expected["high"], n_audits)

    @property
    def version(self) -> int:
        """Increases with every change that the page is told."""
        return self._n_told

    def _changed(self) -> None:
        with self._lock:
            self._version += 1
            version = self._version
        self.trainer.labels_changed(version)
        self._notify()

    def _notify(self) -> None:
        with self._lock:
            self._n_told += 1
        for listener in list(self._listeners):
            listener()

    def check_document(self, number: int) -> None:
        """Refuse a number that no document has."""
        if not 0 <= number < len(self.documents):
            raise StoreError(
                "unknown_document",
                f"document {number} does not exist: numbers are 0 to {len(self.documents) - 1}",
            )
