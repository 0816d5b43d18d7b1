"""Nearest neighbors: of labeled documents, and of unlabeled ones that their votes classify."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from leaven._base.progress import SILENT
from leaven._base.typing import FloatArray, IntArray
from leaven._base.validation import check_choice, check_in, check_whole
from leaven.corpora import MOST_LABELED, Block, TrainingSet, distinct_sample
from leaven.documents._label_checks import check_label_weights
from leaven.experts import NeighborsExpert
from leaven.learners._base import Learned, Learner, Run
from leaven.learning._cross_validation import Folds
from leaven.neighbors import (
    ALGORITHMS,
    DEFAULT_ALGORITHM,
    MOST_NEIGHBORS,
    VOTES,
    KeptDocuments,
    Voting,
    unit_rows,
)

__all__ = ["NeighborsLearner"]

# Labeled documents added to every class in the scores of a document without neighbors: a fold may
# hold out all documents of a class.
PSEUDO_DOCUMENTS = 1.0


@dataclass(frozen=True)
class NeighborsLearner(Learner):
    """Votes of nearest documents; the options are those of [`leaven.CondensedNeighbors`][]."""

    title: ClassVar[str] = "nearest neighbors"

    n_neighbors: int = 40
    threshold: float = 0.0
    unlabeled_weight: float = 1.0
    condense: bool = False
    votes: str = "corrected"
    algorithm: str = DEFAULT_ALGORITHM
    max_documents: int = MOST_LABELED

    def check(self, dtype: Any) -> None:
        check_whole("n_neighbors", self.n_neighbors, f"[1, {MOST_NEIGHBORS}]")
        check_in("threshold", self.threshold, "[0, 1)")
        check_in("unlabeled_weight", self.unlabeled_weight, "[0, 1]")
        check_choice("condense", self.condense, (True, False))
        check_choice("votes", self.votes, VOTES)
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        check_whole("max_documents", self.max_documents, "[1, inf)")

    def n_tables(self, n_threads: int) -> int:
        return 0  # it keeps documents

    def fit(self, training: TrainingSet, run: Run) -> "NeighborsLearned":
        corpus = training.corpus
        self.check(corpus.dtype)
        check_label_weights(training.label_weights, training.labels)
        rng = np.random.default_rng(run.seed)
        most = self.max_documents
        labeled = distinct_sample(corpus, most, rng, labeled=True)
        block, n_unlabeled = labeled.block.rows(slice(0)), 0
        if self.unlabeled_weight > 0:
            unlabeled = distinct_sample(corpus, most, rng, labeled=False)
            block, n_unlabeled = unlabeled.block, unlabeled.n_able
        # Copies of an unlabeled document are no more certain than one of it.
        weight = self.unlabeled_weight * np.minimum(block.weight, 1.0)
        asked = KeptDocuments(unit_rows(block.X), block.y, weight, block.numbers)
        voting, voters = self.voters(labeled.block, asked, training.n_classes, run)
        expert = self.expert(voting, voters, training.label_weights, run)
        facts = {
            **_counts(voters, training),
            "n_considered": len(asked.codes),
            "n_unlabeled_found": n_unlabeled,
            "n_labeled_found": labeled.n_able,
            "n_kept": len(expert.kept.codes),
            "megabytes": expert.kept.n_bytes / 1e6,
        }
        return NeighborsLearned(
            learner=self,
            expert=expert,
            facts=facts,
            lines=tuple(self._lines(facts)),
            class_lines=_class_lines(facts) if self.unlabeled_weight > 0 else {},
            unlabeled=asked,
        )

    def voters(
        self, labeled: Block, unlabeled: KeptDocuments, n_classes: int, run: Run
    ) -> tuple[Voting, KeptDocuments]:
        """The documents that vote before any condensing, and how; unlabeled ones in this order."""
        kept = replace(KeptDocuments.of_labeled(labeled), algorithm=self.algorithm)
        voting = Voting.of(self.votes, kept, self.n_neighbors, n_classes, run.n_threads)
        if not len(unlabeled.codes):
            return voting, kept
        on_block = run.progress.phase("neighbors")
        return voting, voting.grown(kept, unlabeled, self.threshold, on_block)

    def expert(
        self, voting: Voting, kept: KeptDocuments, label_weights: FloatArray, run: Run
    ) -> NeighborsExpert:
        """The expert of the documents that vote, or of those that condensing leaves."""
        if self.condense:
            none = kept.rows(slice(0))
            kept = voting.grown(none, kept, on_block=run.progress.phase("condensing"))
        sizes = label_weights + PSEUDO_DOCUMENTS
        log_prior = np.log(sizes / sizes.sum())
        return NeighborsExpert(self.title, kept, voting, log_prior)

    def _lines(self, facts: dict[str, Any]) -> Iterator[str]:
        voters = f"{facts['n_labeled_voting']:,} labeled"
        if self.unlabeled_weight > 0:
            accepted, considered = facts["n_accepted"], facts["n_considered"]
            share = "all" if accepted == considered else f"{accepted:,} of"
            voters += f" and {share} {considered:,} unlabeled"
        yield f"{voters} documents vote, the {self.n_neighbors} nearest at a time"
        for kind, n_voting in (
            ("labeled", facts["n_labeled_voting"]),
            ("unlabeled", facts["n_considered"]),
        ):
            found = facts[f"n_{kind}_found"]
            if n_voting >= self.max_documents < found:  # else those left out are copies
                yield f"{n_voting:,} of {found:,} {kind} documents were considered (max_documents)"
        condensed = "after condensing " if self.condense else ""
        megabytes = max(facts["megabytes"], 0.1)
        yield f"{facts['n_kept']:,} documents are kept {condensed}({megabytes:.1f} MB)"


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighborsLearned(Learned):
    """Documents that vote, and the unlabeled ones that were considered."""

    learner: NeighborsLearner
    unlabeled: KeptDocuments = field(repr=False)

    def held_out_scores(self, folds: Folds, places: list[IntArray], run: Run) -> FloatArray:
        """All folds consider the same unlabeled documents, which are in memory already."""
        on_fold = run.progress.phase("holding out")
        silent, n_classes = replace(run, progress=SILENT), len(folds.labels)
        found: list[FloatArray] = [np.zeros((0, n_classes))]
        for number, fold in enumerate(places):
            # In random order: condensing depends on it.
            kept = np.random.default_rng(run.seed).permutation(folds.kept(fold))
            rest = folds.labeled.rows(kept)
            weights = np.bincount(rest.y, rest.weight, n_classes).astype(np.float64)
            voters = self.learner.voters(rest, self.unlabeled, n_classes, silent)
            expert = self.learner.expert(*voters, weights, silent)
            found.append(expert.scores(folds.documents(fold).X, None))
            if on_fold is not None and on_fold(number + 1, len(places)):
                break
        return np.concatenate(found)


def _counts(voters: KeptDocuments, training: TrainingSet) -> dict[str, Any]:
    accepted = np.bincount(voters.codes[~voters.is_labeled], minlength=training.n_classes)
    return {
        "n_labeled_voting": int(voters.is_labeled.sum()),
        "n_accepted": int(accepted.sum()),
        "accepted": training.labels.by_name(accepted.tolist()),
    }


def _class_lines(facts: dict[str, Any]) -> dict[str, str]:
    return {name: f"{count:,} accepted" for name, count in facts["accepted"].items()}
