"""Which documents the page asks about: typical ones, then useful ones, every fifth an audit."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from leaven._base.typing import FloatArray, IntArray
from leaven.query import random_documents, typical_documents, useful_documents

__all__ = ["Asked", "Plan", "Planner", "Reason"]

# Why a document is asked about. "asked" and the others are not the planner's: a person found it.
Reason = Literal["typical", "uncertain", "audit", "random"]
REASONS: tuple[Reason, ...] = get_args(Reason)
FEWEST_AT_FIRST = 10  # labels, before which a model's doubts say little
EVERY = 5  # of so many questions one is an audit, from then on
QUEUE = 8  # questions computed at once


class Asked(NamedTuple):
    """An answer as far as the choice of the next question depends on it."""

    document: int
    label: Hashable  # a class, or the set of them
    why: str


@dataclass(frozen=True, eq=False)
class Plan:
    """Documents in the order in which they should be asked about, until there is a newer plan."""

    documents: tuple[tuple[int, Reason], ...]  # numbers, the most useful first, and why
    has_audits: bool = True  # whether audits come between; the first answers are all typical


class Planner:
    """Plans over a sample of the documents.

    Parameters
    ----------
    sample : array of shape (n_sampled,)
        Numbers of the documents that may be asked about, sorted.
    vectors : array of shape (n_sampled, n_dims)
        Their vectors.
    """

    def __init__(self, sample: IntArray, vectors: FloatArray, seed: int = 0) -> None:
        self.sample, self.vectors, self.seed = sample, vectors, seed
        # The order of all audits ever: an audit must not depend on labels or models.
        self._audits: IntArray = np.random.default_rng([seed, 1]).permutation(sample)

    def plan(
        self,
        answers: Sequence[Asked],
        closed: Collection[int] = (),
        probability: FloatArray | None = None,
        n: int = QUEUE,
    ) -> Plan:
        """What to ask next, given all answers in their order, and a model's probabilities.

        ``closed`` are documents that must not be asked about although they have no label.
        """
        is_labeled = np.isin(self.sample, [each.document for each in answers])
        is_open = ~is_labeled & ~np.isin(self.sample, list(closed))
        if probability is None or len(answers) < FEWEST_AT_FIRST:
            places = typical_documents(self.vectors, is_labeled, is_open, n, self.seed)
            return Plan(self._named(places, "typical"), has_audits=False)
        places = useful_documents(probability, self.vectors, is_open, n, self.seed)
        return Plan(self._named(places, "uncertain"))

    def _named(self, places: IntArray, why: Reason) -> tuple[tuple[int, Reason], ...]:
        return tuple((int(document), why) for document in self.sample[places])

    def questions(
        self, plan: Plan, n: int, before: Sequence[str], closed: Collection[int]
    ) -> list[tuple[int, Reason]]:
        """The next ``n`` documents of a plan and why they are asked about, audits in between.

        ``before`` are the reasons of the questions before them; ``closed`` are all documents
        that have a label, were skipped, or are on the page already.
        """
        taken = set(closed)
        reasons, found = list(before), list[tuple[int, Reason]]()
        planned, audits = iter(plan.documents), iter(self._audits.tolist())
        while len(found) < n:
            question: tuple[int, Reason] | None = None
            if plan.has_audits and "audit" not in reasons[-(EVERY - 1) :]:
                audit = next((each for each in audits if each not in taken), None)
                question = None if audit is None else (audit, "audit")
            else:
                question = next((each for each in planned if each[0] not in taken), None)
                question = question or self._any(taken)  # more questions than a plan holds
            if question is None:
                break
            taken.add(question[0])
            reasons.append(question[1])
            found.append(question)
        return found

    def _any(self, taken: Collection[int]) -> tuple[int, Reason] | None:
        is_open = ~np.isin(self.sample, list(taken))
        found = random_documents(is_open, 1, self.seed + len(taken))
        return (int(self.sample[found[0]]), "random") if len(found) else None
