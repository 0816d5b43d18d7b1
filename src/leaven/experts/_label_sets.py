"""The label-set mixture as an expert."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from leaven._base.tensors import MOST, Settings, check_sensible, check_shapes
from leaven._base.typing import BoolArray, Counts, FloatArray
from leaven.experts._base import Expert, StoredExpert, register_expert
from leaven.models import SEARCHES, KnownSets, Scale, SetSearch, Visited, WordWeights

__all__ = ["LabelSetExpert"]

PAIRS_AT_ONCE = 1_000_000  # of documents and classes, whose sets are in memory together
SEED = 0  # of the stochastic search
NUMBERS = (
    "alpha", "likelihood", "prior", "length_power", "largest", "allows_empty", "search",
    "document_length",
)  # fmt: skip


@register_expert
@dataclass(frozen=True, eq=False)
class LabelSetExpert(Expert):
    """Log odds that a class is in a document's set, from a search for probable sets.

    With ``search="single"`` every document has one class, and the scores are log probabilities.
    """

    kind: ClassVar[str] = "label-sets"

    name: str
    weights: WordWeights
    probabilities: FloatArray  # (n_words, n_classes + 1) of words, the last of the background
    known: KnownSets
    scale: Scale
    search: str  # one of SEARCHES
    largest: int  # number of classes of the largest set
    allows_empty: bool = False
    odds: FloatArray | None = None  # (n_words, n_classes) that words add to the log odds
    n_threads: int | None = None

    @property
    def describes_words(self) -> bool:
        return True

    @property
    def _searcher(self) -> SetSearch:
        return SetSearch(
            self.known,
            self.probabilities,
            self.scale,
            self.largest,
            self.allows_empty,
            self.n_threads,
        )

    def in_threads(self, n_threads: int | None) -> Self:
        return replace(self, n_threads=n_threads)

    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        one_each = self.search == "single"
        found = np.empty((X.shape[0], self.known.n_classes))
        for rows, weighted, visited in self._visits(X):
            found[rows] = visited.scores_of_singles() if one_each else visited.log_odds()
            if self.odds is not None:
                found[rows] += weighted @ self.odds
        return found

    def best_sets(self, X: Counts) -> BoolArray:
        """The most probable set of each document by the mixture alone, (n_documents, n_classes)."""
        found = np.empty((X.shape[0], self.known.n_classes), bool)
        for rows, _, visited in self._visits(X):
            found[rows] = visited.best()
        return found

    def _visits(self, X: Counts) -> Iterator[tuple[slice, Counts, Visited]]:
        """Parts of the documents, weighted, with the sets visited for them."""
        at_once = max(PAIRS_AT_ONCE // self.known.n_classes, 1)
        for first in range(0, X.shape[0], at_once):
            rows = slice(first, first + at_once)
            weighted = self.weights.applied(X[rows])
            yield rows, weighted, self._searcher.visit(weighted, self.search, SEED)

    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        """How much more probable each word is in a document of a class than in one of none."""
        x = self.weights.applied(x)
        singles = self.known.numbered(np.eye(self.known.n_classes, dtype=bool))
        shares = singles.shares.reshape(-1, 3)
        words = self.probabilities[x.indices].astype(np.float64)
        uniform = 1.0 / len(self.probabilities)
        density = (
            shares[:, 0] * words[:, :-1] + shares[:, 1] * words[:, -1:] + shares[:, 2] * uniform
        )
        other = shares[:, 1:] / shares[:, 1:].sum(axis=1, keepdims=True)
        density /= other[:, 0] * words[:, -1:] + other[:, 1] * uniform
        length = max(float(x.sum()), 1.0)
        factor = self.scale.likelihood * length**-self.scale.length_power
        per_count = factor * np.log(density)
        if self.odds is not None:
            per_count = per_count + self.odds[x.indices]
        added: FloatArray = np.asarray(x.data, np.float64)[:, None] * per_count
        return added

    def word_scores(self) -> FloatArray:
        """Words that a class generates oftener than all classes together do."""
        of_classes = self.probabilities[:, :-1].astype(np.float64)
        mean = of_classes.mean(axis=1) + self.probabilities[:, -1] + 1.0 / len(of_classes)
        # Weighted log-likelihood ratio; one word in as many as there are stands for none.
        ratio = np.log((of_classes + 1.0 / len(of_classes)) / mean[:, None])
        return np.asarray((of_classes * ratio).T, np.float64)

    def generated(self, x: Counts, has_class: BoolArray) -> FloatArray:
        sets = self.known.numbered(np.asarray(has_class, bool)[None])
        words = self.probabilities[x.indices].astype(np.float64)
        parts = np.zeros((len(x.indices), self.known.n_classes + 2))
        uniform = np.full((len(words), 1), 1.0 / len(self.probabilities))
        parts[:, sets.slots] = np.hstack([words, uniform])[:, sets.slots] * sets.shares
        shares: FloatArray = parts / parts.sum(axis=1, keepdims=True)
        return shares

    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        settings: Settings = {
            "alpha": float(self.known.alpha),
            "likelihood": float(self.scale.likelihood),
            "prior": float(self.scale.prior),
            "length_power": float(self.scale.length_power),
            "largest": int(self.largest),
            "allows_empty": int(self.allows_empty),
            "search": list(SEARCHES).index(self.search),
            "document_length": float(self.weights.length),
        }
        arrays = {
            "probabilities": self.probabilities,
            "members": self.known.members.astype(np.uint8),
            "shares": self.known.shares,
            "set_sizes": self.known.documents,
            "word_weights": self.weights.weights,
            "odds": np.zeros((0, 0), np.float32) if self.odds is None else self.odds,
        }
        return settings, arrays

    @classmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        stored.check_settings(*NUMBERS)
        settings = stored.settings
        probabilities = np.array(stored.arrays.get("probabilities", 2))  # kernels take only these
        word_weights, odds = stored.arrays.get("word_weights", 1), stored.arrays.get("odds", 2)
        members = stored.arrays.get("members", 2, frozenset({"uint8"})) > 0
        shares = stored.arrays.get("shares", 1, frozenset({"float64"}))
        documents = stored.arrays.get("set_sizes", 1, frozenset({"float64"}))
        search = settings["search"]
        check_shapes(
            probabilities.shape == (stored.n_words, stored.n_classes + 1),
            members.ndim == 2 and members.shape[1] == stored.n_classes and len(members) > 0,
            len(shares) == members.sum() + 2 * len(members),
            len(documents) == len(members),
            len(word_weights) == stored.n_words,
            odds.shape in ((0, 0), (stored.n_words, stored.n_classes)),
            0 <= settings["document_length"] < MOST,
            bool((word_weights > 0).all()),
            type(search) is int and 0 <= search < len(SEARCHES),
            type(settings["largest"]) is int and 1 <= settings["largest"] <= stored.n_classes,
            settings["allows_empty"] in (0, 1),
            bool((shares > 0).all() and (probabilities >= 0).all() and (documents >= 0).all()),
        )
        check_sensible(probabilities, shares, documents / 1e9, word_weights, odds)
        known = KnownSets(members, shares, documents, settings["alpha"])
        scale = Scale(settings["likelihood"], settings["prior"], settings["length_power"])
        return cls(
            stored.name,
            WordWeights(word_weights, float(settings["document_length"])),
            probabilities,
            known,
            scale,
            list(SEARCHES)[int(search)],
            int(settings["largest"]),
            bool(settings["allows_empty"]),
            odds if odds.size else None,
        )
