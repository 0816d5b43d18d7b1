"""Labels that follow their texts when rows of the data file changed."""

import uuid
from collections import defaultdict

import numpy as np

from leaven.labeling._documents import LabelingDocuments
from leaven.labeling._store import LOST, LabelStore, Move

__all__ = ["followed"]


def followed(store: LabelStore, documents: LabelingDocuments) -> int:
    """Move labels to the rows that have their texts now; returns how many found none.

    A label stays where its row still has its text. Otherwise it goes to the first row with the
    text that no other label has.
    """
    placed = store.placed()
    hashes = documents.hashes
    stays = {row for row, own in placed.items() if row < len(hashes) and int(hashes[row]) == own}
    moving = [(row, own) for row, own in placed.items() if row not in stays]
    moving += [(LOST, label.text_hash) for label in store.lost()]
    if not moving:
        return 0
    wanted = np.array(sorted({own for _, own in moving}), np.uint64)
    free: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(np.isin(hashes, wanted)).tolist():
        if row not in stays:
            free[int(hashes[row])].append(row)
    moves = []
    for row, own in moving:
        to = free[own].pop(0) if free[own] else LOST
        if to != row:
            moves.append(Move(row, own, to))
    if moves:
        store.move(moves, str(uuid.uuid4()))
    return sum(move.to == LOST for move in moves)
