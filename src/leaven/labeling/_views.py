"""Documents as the page shows them."""

from collections.abc import Sequence

from leaven.labeling._disputes import Dispute
from leaven.labeling._live_model import Prediction, TintedWord
from leaven.labeling._session import Json, LabelingSession
from leaven.labeling._store import Label

__all__ = ["document_view", "listed", "question_views"]

LONGEST_SHOWN = 20_000  # characters of a text in a question
MOST_CLASSES_SHOWN = 12  # with their probabilities


def question_views(session: LabelingSession, found: Sequence[tuple[int, str]]) -> list[Json]:
    """Questions; of audits, nothing that a model says."""
    return [_view(session, number, why, why != "audit", LONGEST_SHOWN) for number, why in found]


def document_view(session: LabelingSession, number: int) -> Json:
    """A document that somebody opens, with its whole text."""
    return _view(session, number, "asked", True, None)


def _view(
    session: LabelingSession, number: int, why: str, is_open: bool, longest: int | None
) -> Json:
    text = session.documents.text(number)
    shown = text[:longest]
    label = session.store.label(number)
    found: Json = {
        "document": number,
        "text": shown,
        "is_cut": len(shown) < len(text),
        "n_characters": len(text),
        "fields": session.documents.fields(number),
        "why": why,
        "labels": [] if label is None else list(label.classes),
        "is_skipped": number in session.store.skipped(),
        "model": None,
        "probabilities": [],
        "suggested": [],
        "words": [],
        "is_unsupported": False,
    }
    model = session.model
    if model is None or not is_open:
        return found
    (predicted,) = session.predictions([number], model)
    words: list[TintedWord] = []
    if not predicted.is_unsupported:
        given, begun = session.documents.given, _explained(session, number)
        vector = None if given is None else given[number]
        words = model.tinted(
            begun, shown[:LONGEST_SHOWN], vector, session.store.current(model.class_ids)
        )
    found |= {
        "model": model.number,
        "probabilities": [
            {"class": each, "probability": round(p, 6)}
            for each, p in predicted.by_class[:MOST_CLASSES_SHOWN]
        ],
        "suggested": [] if predicted.is_unsupported else list(predicted.classes),
        "words": [
            {"start": each.start, "end": each.end, "class": each.number, "strength": each.strength}
            for each in words
        ],
        "is_unsupported": predicted.is_unsupported,
    }
    return found


def _explained(session: LabelingSession, number: int) -> str:
    """What a model is asked about: the beginning of a text, but of HTML all of it.

    HTML may begin with many scripts.
    """
    text = session.documents.raw_text(number)
    return text if session.documents.html else text[:LONGEST_SHOWN]


def listed(
    session: LabelingSession,
    view: str,
    *,
    words: str = "",
    number: int | None = None,
    offset: int = 0,
    limit: int = 50,
) -> Json:
    """A page of a list of documents: search, class, disputed or history."""
    store, disputed = session.store, {each.document: each for each in session.disputes}
    answers: list[Label | None] = []
    n_unlabeled = None
    if view == "history":
        answers = [*store.history(offset + limit)[offset:]]
        total, numbers = store.n_answers, [label.document for label in answers if label]
    elif view == "disputed":
        total, numbers = len(disputed), [*disputed][offset : offset + limit]
    elif view == "class":
        total, numbers = _most_probable(session, number or 0, offset, limit)
    else:
        every_match = session.documents.search(words)
        total, numbers = len(every_match), every_match[offset : offset + limit].tolist()
        labels = session.snapshot().labels
        n_unlabeled = sum(each not in labels for each in every_match.tolist())
    if view != "history":
        answers = [store.label(each) for each in numbers]
    rows = [
        _row(session, each, words, said, disputed.get(each), answer)
        for each, said, answer in zip(numbers, session.predictions(numbers), answers, strict=True)
    ]
    unlabeled = total if n_unlabeled is None else n_unlabeled
    return {"total": total, "n_unlabeled": unlabeled, "documents": rows}


def _most_probable(
    session: LabelingSession, number: int, offset: int, limit: int
) -> tuple[int, list[int]]:
    """Documents without a label that are most probably of a class."""
    model = session.model
    if model is None:
        return 0, []
    order = model.most_probable(number, session.store.current(model.class_ids))
    snapshot = session.snapshot()
    closed = {*snapshot.labels, *snapshot.skipped}
    found = [each for each in order.tolist() if each not in closed]
    return len(found), found[offset : offset + limit]


def _row(
    session: LabelingSession,
    number: int,
    words: str,
    said: Prediction | None,
    dispute: Dispute | None,
    label: Label | None,
) -> Json:
    """A document and an answer about it: the newest, or the one that a history lists."""
    return {
        "document": number,
        "excerpt": session.documents.excerpt(number, words),
        "labels": [] if label is None else list(label.classes),
        "is_skipped": number in session.store.skipped(),
        "suggested": [] if said is None or said.is_unsupported else list(said.classes),
        "probability": None if said is None else round(said.probability, 6),
        "disputed_by": None
        if dispute is None
        else {"class": dispute.suggested, "probability": round(dispute.probability, 6)},
        "why": "" if label is None else label.why,
        "at": "" if label is None else label.at,
    }
