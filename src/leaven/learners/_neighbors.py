"""Nearest neighbors: of labeled documents, and of unlabeled ones that their votes classify."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from leaven._base.progress import SILENT
from leaven._base.typing import FloatArray, IntArray
from leaven._base.validation import check_choice, check_in, check_whole
from leaven.corpora import MOST_LABELED, Block, TrainingSet, distinct_sample
from leaven.documents._label_checks import check_class_weights
from leaven.experts import NeighborsExpert
from leaven.learners._base import Learned, Learner, Run
from leaven.learning._cross_validation import Folds
from leaven.neighbors import (
    ALGORITHMS,
    DEFAULT_ALGORITHM,
    VOTES,
    KeptDocuments,
    Voting,
    unit_rows,
)

__all__ = ["NeighborsLearner"]


@dataclass(frozen=True)
class NeighborsLearner(Learner):
    """Votes of nearest documents; the options are those of :class:`leaven.CondensedNeighbors`."""

    title: ClassVar[str] = "nearest neighbors"

    n_neighbors: int = 40
    threshold: float = 0.0
    unlabeled_weight: float = 1.0
    condense: bool = False
    votes: str = "corrected"
    algorithm: str = DEFAULT_ALGORITHM
    max_documents: int = MOST_LABELED

    def check(self, dtype: Any) -> None:
        check_whole("n_neighbors", self.n_neighbors, "[1, 1000]")
        check_in("threshold", self.threshold, "[0, 1)")
        check_in("unlabeled_weight", self.unlabeled_weight, "[0, 1]")
        check_choice("condense", self.condense, (True, False))
        check_choice("votes", self.votes, VOTES)
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        check_whole("max_documents", self.max_documents, "[1, inf)")

    def fit(self, training: TrainingSet, run: Run) -> "NeighborsLearned":
        corpus = training.corpus
        self.check(corpus.dtype)
        check_class_weights(training.class_weights, training.labels)
        rng = np.random.default_rng(run.seed)
        most = self.max_documents
        labeled = distinct_sample(corpus, most, rng, labeled=True)
        asked, n_unlabeled = labeled.block.rows(slice(0)), 0
        if self.unlabeled_weight > 0:
            unlabeled = distinct_sample(corpus, most, rng, labeled=False)
            asked, n_unlabeled = unlabeled.block, unlabeled.n_able
        expert = self.expert(labeled.block, asked, training.class_weights, run)
        facts = _facts(expert.kept, training, labeled.n_able, n_unlabeled, len(asked.y))
        return NeighborsLearned(
            learner=self,
            expert=expert,
            facts=facts,
            lines=self._lines(facts),
            class_lines=_class_lines(facts) if self.unlabeled_weight > 0 else {},
            unlabeled=asked,
        )

    def expert(
        self, labeled: Block, unlabeled: Block, class_weights: FloatArray, run: Run
    ) -> NeighborsExpert:
        """The expert of labeled and unlabeled documents, which are gone through in this order."""
        n_classes = len(class_weights)
        kept = replace(KeptDocuments.of_labeled(labeled), algorithm=self.algorithm)
        voting = Voting.of(self.votes, kept, self.n_neighbors, n_classes, run.n_threads)
        if len(unlabeled.y):
            # Copies of an unlabeled document are no more certain than one of it.
            weight = self.unlabeled_weight * np.minimum(unlabeled.weight, 1.0)
            asked = KeptDocuments(unit_rows(unlabeled.X), unlabeled.y, weight, unlabeled.numbers)
            on_block = run.progress.phase("neighbors")
            kept = voting.grown(kept, asked, self.threshold, on_block)
        if self.condense:
            kept = voting.grown(
                kept.rows(slice(0)), kept, on_block=run.progress.phase("condensing")
            )
        # As if every class had one more: a fold may hold out all documents of a class.
        log_prior = np.log((class_weights + 1.0) / (class_weights + 1.0).sum())
        return NeighborsExpert(self.title, kept, voting, log_prior)

    def _lines(self, facts: dict[str, Any]) -> tuple[str, ...]:
        of_labeled = f"{facts['n_labeled_kept']:,}"
        if facts["n_labeled_kept"] < facts["n_labeled_found"]:
            of_labeled += f" of {facts['n_labeled_found']:,}"
        documents = f"{of_labeled} labeled documents"
        if self.unlabeled_weight > 0:
            documents += (
                f" and {facts['n_accepted']:,} of {facts['n_considered']:,} unlabeled ones that "
                "they classified"
            )
        size = f"{facts['megabytes']:.1f} MB"
        lines = [f"{documents} are kept ({size}); the {self.n_neighbors} nearest vote"]
        if facts["n_considered"] < facts["n_unlabeled_found"]:
            lines.append(
                f"{facts['n_considered']:,} of {facts['n_unlabeled_found']:,} unlabeled documents "
                "were considered (max_documents)"
            )
        return tuple(lines)


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighborsLearned(Learned):
    """Documents that vote, and the unlabeled ones that were considered."""

    learner: NeighborsLearner
    unlabeled: Block = field(repr=False)

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
            expert = self.learner.expert(rest, self.unlabeled, weights, silent)
            found.append(expert.scores(folds.documents(fold).X, None))
            if on_fold is not None and on_fold(number + 1, len(places)):
                break
        return np.concatenate(found)


def _facts(
    kept: KeptDocuments, training: TrainingSet, n_labeled: int, n_unlabeled: int, n_considered: int
) -> dict[str, Any]:
    is_accepted = ~kept.is_labeled
    accepted = np.bincount(kept.codes[is_accepted], minlength=training.n_classes)
    return {
        "n_labeled_found": n_labeled,
        "n_labeled_kept": int(kept.is_labeled.sum()),
        "n_unlabeled_found": n_unlabeled,
        "n_considered": n_considered,
        "n_accepted": int(is_accepted.sum()),
        "accepted": training.labels.by_name(accepted.tolist()),
        "megabytes": kept.n_bytes / 1e6,
    }


def _class_lines(facts: dict[str, Any]) -> dict[str, str]:
    return {name: f"{count:,} accepted" for name, count in facts["accepted"].items()}
