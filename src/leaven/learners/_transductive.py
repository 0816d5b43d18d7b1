"""Transductive support vector machines, one for each class against the others."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, diags_array

from leaven._base.typing import FloatArray
from leaven._base.validation import check_choice, check_in
from leaven.corpora import Block, Corpus, TrainingSet, in_memory, labeled_documents
from leaven.experts import LinearExpert, row_norms
from leaven.learners._base import Run
from leaven.learners._svm import MOST_LABELED
from leaven.learners._tuning import AUTO, TunedLearner, candidates_of, check_auto
from leaven.learning import CCCPResult, Margin, run_cccp
from leaven.learning._gradient import TABLES_OF_CLIMB
from leaven.models import RampLoss

__all__ = ["TransductiveSVMLearner"]

BALANCES = (AUTO, "labels", "predicted", "none")
COSTS = (1.0, 10.0)  # candidates of C, if it is "auto"
UNLABELED_COSTS = (0.1, 1.0, 10.0)  # candidates of C_unlabeled besides 0, which is supervised
USUAL_COST, USUAL_UNLABELED_COST = 10.0, 1.0  # "auto" where labels cannot be held out
STEPS_ON_THE_WAY = 10  # most convex problems of fits that are not returned
TOLERANCE_ON_THE_WAY = 1e-3  # least tolerance of fits that are not returned


@dataclass(frozen=True)
class TransductiveSVMLearner(TunedLearner):
    """Transductive SVM; the options are those of [`leaven.TransductiveSVM`][]."""

    title: ClassVar[str] = "transductive SVM"
    search: ClassVar[str] = "CCCP"
    iterations: ClassVar[str] = "convex problems"
    steps_on_the_way: ClassVar[int] = STEPS_ON_THE_WAY
    tol_on_the_way: ClassVar[float] = TOLERANCE_ON_THE_WAY
    advice: ClassVar[str] = (
        "Try a smaller C_unlabeled, or training without unlabeled documents (method svm)"
    )

    max_iter: int = 30
    tol: float = 1e-4
    C: float | str = 10.0
    C_unlabeled: float | str = AUTO
    ramp: float = -0.5
    balance: str = AUTO

    def n_tables(self, n_threads: int) -> int:
        return 2 * TABLES_OF_CLIMB  # in float64

    def check(self, dtype: Any) -> None:
        super().check(dtype)
        check_auto("C", self.C, "(0, inf)")
        check_auto("C_unlabeled", self.C_unlabeled, "[0, inf)")
        check_in("ramp", self.ramp, "(-1, 0]")
        check_choice("balance", self.balance, BALANCES)

    @property
    def is_supervised(self) -> bool:
        return self.C_unlabeled == 0

    def settings(self) -> dict[str, float]:
        return {"C": float(self.C), "C_unlabeled": float(self.C_unlabeled)}

    def usual_path(self, supervised: bool) -> list[Self]:
        (C,) = candidates_of(self.C, (USUAL_COST,))
        usual = candidates_of(self.C_unlabeled, (USUAL_UNLABELED_COST,))
        (C_unlabeled,) = (0.0,) if supervised else usual
        return [replace(self, C=C, C_unlabeled=C_unlabeled)]

    def paths(self) -> list[list[Self]]:
        of_unlabeled = candidates_of(self.C_unlabeled, (0.0, *UNLABELED_COSTS))
        return [
            [replace(self, C=C, C_unlabeled=cost) for cost in of_unlabeled]
            for C in candidates_of(self.C, COSTS)
        ]

    def search_given(self, training: TrainingSet, run: Run) -> tuple[LinearExpert, CCCPResult]:
        n_classes = training.n_classes
        labeled = unit_length(labeled_documents(training.corpus, MOST_LABELED))
        loss = RampLoss(n_classes, float(self.C), float(self.C_unlabeled), self.ramp)
        start = _supervised(labeled, replace(loss, C_unlabeled=0.0), run.n_threads)
        if self.is_supervised:
            margin = Margin(in_memory(labeled, run.n_threads), loss)
        else:
            margin = self._balanced(training.corpus.map(unit_length), loss, start)
        earlier = self.earlier_table(training, run)
        if earlier is not None and not self.is_supervised:
            start = np.ascontiguousarray(earlier[:, loss.machine_classes], np.float64)
        result = run_cccp(
            margin,
            start,
            max_iter=self.max_iter,
            tol=self.tol,
            on_step=run.progress.steps("climbing", self.max_iter),
        )
        table = result.table
        if n_classes == 2:  # one machine, whose positive side is the second class
            table = np.hstack([-table, table])
        no_directions = np.zeros((0, n_classes))
        return LinearExpert(self.title, table[:-1], no_directions, table[-1]), result

    def _balanced(self, corpus: Corpus, loss: RampLoss, start: FloatArray) -> Margin:
        """The problem with the balance of classes that is wanted."""
        balance = self.balance
        if balance == AUTO:
            # Few labels of two classes place the boundary too badly for its shares to be used.
            balance = "labels" if loss.n_classes == 2 else "predicted"
        if balance == "none":
            return Margin(corpus, loss)
        return Margin.balanced(corpus, loss, start if balance == "predicted" else None)


def unit_length(block: Block) -> Block:
    """The documents scaled to Euclidean length one."""
    return replace(block, X=csr_array(diags_array(1.0 / row_norms(block.X)) @ block.X))


def _supervised(labeled: Block, loss: RampLoss, n_threads: int | None) -> FloatArray:
    """The machines of the labeled documents alone, which give no weight to other words."""
    words = np.flatnonzero(np.bincount(labeled.X.indices, minlength=labeled.X.shape[1]))
    own = replace(labeled, X=csr_array(labeled.X[:, words]))
    found = Margin(in_memory(own, n_threads), loss).solved()
    table = np.zeros((labeled.X.shape[1] + 1, found.shape[1]))
    table[words], table[-1] = found[:-1], found[-1]
    return table
