"""What a session begins with: classes that were named, and labels that the data file has."""

from collections.abc import Sequence

from leaven.labeling._classes import checked_name, folded
from leaven.labeling._documents import LabelingDocuments
from leaven.labeling._store import Answer, LabelStore

__all__ = ["taken_over"]


def taken_over(store: LabelStore, documents: LabelingDocuments, classes: Sequence[str]) -> None:
    """Take over the labels of the file once, and create classes."""
    known = {folded(each.name) for each in store.classes()}
    from_file = {} if store.get_meta("is_taken_over") else documents.file_labels()
    names = dict.fromkeys([*classes, *(each for own in from_file.values() for each in own)])
    for name in names:
        if folded(name.strip()) not in known:
            store.add_class(checked_name(name), f"class {name}", permanent=True)
            known.add(folded(name.strip()))
    if from_file:
        ids = {folded(each.name): each.id for each in store.classes()}
        answers = [
            Answer(
                number,
                documents.hash_of(number),
                tuple(sorted({ids[folded(name.strip())] for name in own})),
                why="file",
            )
            for number, own in from_file.items()
        ]
        store.answer_many(answers, "labels of the file")
    store.set_meta("is_taken_over", True)
