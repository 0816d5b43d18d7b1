"""Linear transductive support vector machines by the concave-convex procedure (CCCP)."""

from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from leaven._base.progress import OnStep
from leaven._base.typing import FloatArray
from leaven.corpora import Corpus
from leaven.learning._gradient import Height, climb_gradient
from leaven.models import RampLoss, Slope

__all__ = ["CCCPResult", "Margin", "run_cccp"]

MOST_STEPS = 300  # of L-BFGS in one convex problem
PRECISION = 0.1  # tolerance of a convex problem, relative to that of the procedure
EXACT = 1e-7  # tolerance of the supervised problem, which has few documents


@dataclass(frozen=True, eq=False)
class CCCPResult:
    """Machines, and how they were found."""

    table: FloatArray  # (n_words + 1, n_machines); biases are in the last row
    objective: list[float]  # of the start and after each convex problem; it falls
    converged: bool

    @property
    def n_iter(self) -> int:
        """Convex problems, that of the start among them."""
        return len(self.objective)


@dataclass(frozen=True, eq=False)
class Margin:
    """The problem: losses of unit-length documents, and half of the squared weights of words.

    With ``center`` and ``target``, biases are not free: the mean score of the unlabeled
    documents is given, so that no class can take all of them.
    """

    corpus: Corpus
    loss: RampLoss
    center: FloatArray | None = None  # (n_words,) mean of the unlabeled documents
    target: FloatArray | None = None  # (n_machines,) their mean score

    @classmethod
    def balanced(
        cls, corpus: Corpus, loss: RampLoss, predicted: FloatArray | None = None
    ) -> "Margin":
        """The problem with the mean score of the unlabeled documents fixed.

        It is that of the labels' signs, or of those that the machines of ``predicted`` give to the
        unlabeled documents.
        """
        means = corpus.reduce(partial(loss.means, predicted))
        if means.n_unlabeled <= 0:
            return cls(corpus, loss)
        return cls(corpus, loss, means.words / means.n_unlabeled, means.signs / means.n_signs)

    def zeros(self) -> FloatArray:
        """Machines of no words."""
        table = np.zeros((self.corpus.n_words + 1, len(self.loss.machine_classes)))
        return self.completed(table)

    def completed(self, table: FloatArray) -> FloatArray:
        """The table with the biases that it must have."""
        if self.center is None or self.target is None:
            return table
        return np.vstack([table[:-1], self.target - self.center @ table[:-1]])

    def risk(self, table: FloatArray, concave: Slope) -> float:
        """The objective, given its concave part at the same table."""
        convex = self.corpus.reduce(partial(self.loss.convex, table))
        return convex.value + concave.value + 0.5 * float((table[:-1] ** 2).sum())

    def height(self, tangent: FloatArray, vector: FloatArray) -> Height:
        """The negative of the convex part and of a tangent to the concave part."""
        table = self.completed(vector.reshape(tangent.shape))
        convex = self.corpus.reduce(partial(self.loss.convex, table))
        gradient = convex.table + tangent
        if self.center is not None:
            gradient[:-1] -= np.outer(self.center, gradient[-1])
            gradient[-1] = 0.0
        gradient[:-1] += table[:-1]
        value = convex.value + float((table * tangent).sum())
        value += 0.5 * float((table[:-1] ** 2).sum())
        parts = np.array([-value])
        return Height(parts, np.abs(parts), 0.0, -gradient.ravel())

    def solved(
        self,
        table: FloatArray | None = None,
        tangent: FloatArray | None = None,
        tol: float = EXACT,
        on_step: OnStep | None = None,
    ) -> FloatArray:
        """The solution of a convex problem, from a table on; without a tangent a supervised one."""
        table = self.zeros() if table is None else table
        height = partial(self.height, np.zeros_like(table) if tangent is None else tangent)
        found = climb_gradient(height, table.ravel(), max_iter=MOST_STEPS, tol=tol, on_step=on_step)
        return self.completed(found.params.reshape(table.shape))


def run_cccp(
    margin: Margin,
    start: FloatArray,
    *,
    max_iter: int = 100,
    tol: float = 1e-4,
    on_step: OnStep | None = None,
) -> CCCPResult:
    """Minimize the ramp loss from ``start``, such as the solution of the supervised problem.

    No step raises the objective. It stops after ``max_iter`` convex problems, or once one lowers
    it by no more than ``tol`` times its value; if ``on_step`` returns True, it stops too.
    """
    table = margin.completed(start)
    concave = margin.corpus.reduce(partial(margin.loss.concave, table))
    objective = [margin.risk(table, concave)]
    for step in count(1):
        # Also during a convex problem, which can take many passes.
        tell = None if on_step is None else partial(_tell, on_step, step - 1, objective[-1])
        is_stopped = tell is not None and tell() is True
        if margin.loss.C_unlabeled == 0:  # the start is the solution
            return CCCPResult(table, objective, converged=True)
        if is_stopped or step > max_iter:
            break
        table = margin.solved(table, concave.table, PRECISION * tol, tell)
        concave = margin.corpus.reduce(partial(margin.loss.concave, table))
        objective.append(margin.risk(table, concave))
        if objective[-2] - objective[-1] <= tol * abs(objective[-2]):
            return CCCPResult(table, objective, converged=True)
    return CCCPResult(table, objective, converged=False)


def _tell(on_step: OnStep, step: int, objective: float, *_: object) -> object:
    """Report a step of CCCP, whatever step of a convex problem it is."""
    return on_step(step, objective)
