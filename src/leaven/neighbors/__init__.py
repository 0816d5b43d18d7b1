"""Nearest neighbors: documents kept to search among, the search, and the neighbors' votes."""

from leaven.neighbors._documents import KeptDocuments, unit_rows
from leaven.neighbors._search import ALGORITHMS, DEFAULT_ALGORITHM, Nearest
from leaven.neighbors._votes import MOST_NEIGHBORS, VOTES, Voting

__all__ = [
    "ALGORITHMS",
    "DEFAULT_ALGORITHM",
    "KeptDocuments",
    "MOST_NEIGHBORS",
    "Nearest",
    "VOTES",
    "Voting",
    "unit_rows",
]
