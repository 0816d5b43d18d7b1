"""The training documents nearest to others: those that voted, or the most similar ones."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.documents._excerpts import Excerpts
from leaven.documents._labels import Labels
from leaven.experts import Expert, Neighbor, NeighborLists
from leaven.neighbors import KeptDocuments

__all__ = ["Nearby", "find_nearby", "joined_numbers", "listed_neighbors"]

NO_DOCUMENTS = (
    "neighbors needs documents to compare with, but this model holds none: it was trained with "
    "--no-keep-documents (keep_documents=False) or by an earlier version of leaven; train it again"
)
SEPARATOR = ";"


class Nearby(NamedTuple):
    """Kept documents that are near to others, or that voted on them, in order."""

    places: IntArray  # (n_queries, k) among the kept documents; -1 where there is no more
    similarity: FloatArray  # (n_queries, k) cosine
    shares: FloatArray | None = None  # (n_queries, k) of the votes; None: nobody voted


def find_nearby(
    documents: KeptDocuments,
    experts: Sequence[Expert],
    X: Counts,
    how_many: int,
    n_threads: int | None = None,
) -> Nearby:
    """Documents that voted, the largest share first; where none did, the most similar first."""
    asked = (expert.in_threads(n_threads).voters(X) for expert in experts)
    voters = next((found for found in asked if found is not None), None)
    if voters is not None:
        (places, distances), shares = voters
        # A copy, because a view would keep all voters in memory.
        shares = shares[:, :how_many].copy()
        places = np.where(shares > 0, places[:, :how_many], -1)
        return Nearby(places, _similarity(places, distances[:, :how_many]), shares)
    k = max(min(how_many, len(documents.codes)), 1)
    places, distances = documents.nearest(X, k, n_threads)
    return Nearby(places, _similarity(places, distances))


def _similarity(places: IntArray, squared_distances: FloatArray) -> FloatArray:
    return np.where(places >= 0, 1.0 - np.where(places >= 0, squared_distances, 0.0) / 2.0, 0.0)


def listed_neighbors(
    nearby: Nearby, documents: KeptDocuments, excerpts: Excerpts | None, labels: Labels
) -> NeighborLists:
    """Each document's neighbors with their labels and, if there are any, excerpts."""
    meanings = labels.meanings
    listed = NeighborLists([] for _ in nearby.places)
    for row, rank in np.argwhere(nearby.places >= 0).tolist():
        place = int(nearby.places[row, rank])
        listed[row].append(
            Neighbor(
                int(documents.numbers[place]),
                meanings[int(documents.codes[place])],
                float(nearby.similarity[row, rank]),
                None if nearby.shares is None else float(nearby.shares[row, rank]),
                bool(documents.is_labeled[place]),
                None if excerpts is None else excerpts[place],
            )
        )
    return listed


def joined_numbers(nearby: Nearby, documents: KeptDocuments) -> pa.Array:
    """Numbers of each document's neighbors, from 1, as one text; null where there is none."""
    is_there = nearby.places >= 0
    sizes = is_there.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    numbers = pa.array(documents.numbers[nearby.places[is_there]] + 1).cast(pa.string())
    joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(starts), numbers), SEPARATOR)
    return pc.if_else(pa.array(sizes > 0), joined, pa.scalar(None, pa.string()))
