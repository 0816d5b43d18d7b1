"""What the page says about a session: counts, accuracy, curves and advice."""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from leaven.labeling._advice import FEWEST_AUDITS, Advice, advise, audits_of, n_right
from leaven.labeling._live_model import LiveModel
from leaven.labeling._session import Json, LabelingSession
from leaven.labeling._store import Label, LabelClass

__all__ = ["progress", "state"]


def state(session: LabelingSession) -> Json:
    """Everything that is always on the screen."""
    version = session.version  # before all else: what changes from here on has a later one
    store, model = session.store, session.model
    classes, labels = store.contents()
    accuracy, undo = session.accuracy(labels), store.can_undo
    sizes = Counter(each for label in labels for each in label.classes)
    advice, shares = _advice(session, classes, labels), session.shares(model)
    return {
        "version": version,
        "name": session.documents.name,
        "several_labels": store.several_labels,
        "read_only": store.read_only,
        "n_documents": len(session.documents),
        "n_labeled": len(labels),
        "n_skipped": len(store.skipped()),
        "n_lost": len(store.lost()),
        "classes": [
            {
                "id": each.id,
                "name": each.name,
                "key": each.key,
                "n_labeled": sizes[each.id],
                "share": None if model is None else shares.get(each.id, 0.0),
            }
            for each in classes
        ],
        "is_training": session.trainer.is_training,
        "failure": session.trainer.failure,
        "model": None if model is None else _facts(model),
        "accuracy": None if accuracy is None else accuracy._asdict(),
        "n_audits": len(audits_of(labels)),
        "n_audits_needed": FEWEST_AUDITS,
        "advice": {"stop": advice.stop, "text": advice.text},
        "can_undo": bool(undo),
        "undo_text": undo,
    }


def progress(session: LabelingSession) -> Json:
    """Curves, shares of the classes, and the advice with its conditions."""
    model, (classes, labels) = session.model, session.store.contents()
    sizes = Counter(each for label in labels for each in label.classes)
    audits, advice = audits_of(labels), _advice(session, classes, labels)
    right, shares = n_right(audits), session.shares(model)
    return {
        "curve": list(session.curve),
        "agreement": [{"n_labels": n, "kappa": k} for n, k in session.agreements.found],
        "shares": [
            {
                "class": each.id,
                "labeled": sizes[each.id],
                "share": None if model is None else shares.get(each.id, 0.0),
            }
            for each in classes
        ],
        "audits": {"right": right, "wrong": len(audits) - right},
        "advice": {
            "stop": advice.stop,
            "text": advice.text,
            "checks": [{"text": each.text, "holds": each.holds} for each in advice.checks],
        },
    }


def _facts(model: LiveModel) -> Json:
    return {
        "number": model.number,
        "n_labels": model.n_labels,
        "method": model.method,
        "seconds": round(model.seconds, 3),
    }


def _advice(
    session: LabelingSession, classes: Sequence[LabelClass], labels: Sequence[Label]
) -> Advice:
    sizes = Counter(each for label in labels for each in label.classes)
    in_order = sorted(labels, key=attrgetter("event"))
    return advise(in_order, [sizes[each.id] for each in classes], session.agreements)
