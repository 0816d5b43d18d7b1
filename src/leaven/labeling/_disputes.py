"""Labels of a session that models trained without them dispute."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from leaven._base.folds import labeled_folds
from leaven.held_out import disputed_labels
from leaven.labeling._live_model import class_id, named_labels
from leaven.labeling._store import Label, LabelStore
from leaven.methods._repeated_fits import RepeatedFits

__all__ = ["Dispute", "find_disputes", "still_open"]

FOLDS = 5


@dataclass(frozen=True)
class Dispute:
    """A label that may be wrong."""

    document: int
    label: tuple[int, ...]  # that is disputed
    suggested: int  # class
    probability: float


def find_disputes(
    fits: RepeatedFits,
    method: str,
    labels: Mapping[int, tuple[int, ...]],
    is_given_up: Callable[[], bool],
) -> list[Dispute] | None:
    """Disputed labels, the most doubtful first, or None if the search was given up.

    Where documents can have several labels, none are disputed.
    """
    if fits.several_labels or not labels:
        return []
    documents = np.fromiter(labels, np.int64, len(labels))
    own = np.array([classes[0] for classes in labels.values()])
    if np.unique(own, return_counts=True)[1].max() < 2:
        return []
    named, found = named_labels(labels, False), list[Dispute]()
    codes = np.searchsorted(np.unique(own), own)
    for fold in labeled_folds(codes, FOLDS, 0):
        kept = {each: named[each] for each in np.delete(documents, fold).tolist()}
        if is_given_up():
            return None
        if len(set(map(str, kept.values()))) < 2:
            continue
        fitted = fits.fit(method, kept).fitted
        given = None if fits.given is None else fits.given[documents[fold]]
        texts = fits.texts.take(pa.array(documents[fold]))
        probability, is_wordless = fitted.classify(texts, vectors=given)
        columns = np.array([class_id(name) for name in fitted.classes.tolist()])
        # Every class has a label left, so that each is one of the columns.
        place = np.argsort(columns)[np.searchsorted(np.sort(columns), own[fold])]
        doubts = disputed_labels(probability[~is_wordless], place[~is_wordless])
        found += [
            Dispute(int(documents[row]), (int(own[row]),), int(columns[code]), float(p))
            for row, code, p in zip(
                fold[~is_wordless][doubts.rows], doubts.suggested, doubts.probability, strict=True
            )
        ]
    return sorted(found, key=lambda each: -each.probability)


def still_open(disputes: Sequence[Dispute], store: LabelStore) -> list[Dispute]:
    """Disputes that still make sense: of labels that nobody has changed or confirmed since."""
    classes, every = store.contents()
    labels, known = (
        {label.document: label.classes for label in every},
        {each.id for each in classes},
    )
    confirmed = _confirmed(store)
    return [
        each
        for each in disputes
        if labels.get(each.document) == each.label
        and each.suggested in known
        and each.document not in confirmed
    ]


def _confirmed(store: LabelStore) -> set[int]:
    """Documents that somebody looked at again and gave the same label."""
    answers: dict[int, list[Label]] = {}
    for answer in store.history(store.n_answers):
        answers.setdefault(answer.document, []).append(answer)
    return {
        document
        for document, (last, *before) in answers.items()
        if before and last.classes == before[0].classes and last.why not in ("bulk", "import")
    }
