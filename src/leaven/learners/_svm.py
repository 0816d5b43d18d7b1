"""Linear support vector machines, one for each class against the others."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import BoolArray, FloatArray
from leaven._base.validation import check_in
from leaven.corpora import Block, TrainingSet, labeled_documents
from leaven.experts import LinearExpert, row_norms
from leaven.learners._base import Learned, Learner, Run

__all__ = ["SVMLearner"]

MOST_LABELED = 200_000  # documents; of more, a sample is used
FARTHEST = 1.0  # score of a class that no document, or every document has


@dataclass(frozen=True)
class SVMLearner(Learner):
    """One-vs-rest linear SVMs on the words of labeled documents.

    Parameters
    ----------
    C : float, default=1.0
        How much a misclassified document counts against large weights of words.
    """

    title: ClassVar[str] = "linear SVM"

    C: float = 1.0

    def check(self, dtype: Any) -> None:
        check_in("C", self.C, "(0, inf)")

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        documents = labeled_documents(training.corpus, MOST_LABELED)
        has_class = training.labels.membership(documents.y)
        words, bias = _machines(documents, has_class, self.C, run)
        expert = LinearExpert(self.title, words, np.zeros((0, len(bias)), np.float32), bias)
        return Learned(self, expert)


def _machines(
    documents: Block, has_class: BoolArray, C: float, run: Run
) -> tuple[FloatArray, FloatArray]:
    """Weights of words (n_words, n_classes) and biases."""
    X = csr_array(diags_array(1.0 / row_norms(documents.X)) @ documents.X)
    n_classes = has_class.shape[1]
    words = np.zeros((X.shape[1], n_classes), np.float32)
    bias = np.zeros(n_classes)
    n_tasks = min(count_threads(run.n_threads), n_classes)

    def fit_some(task: int) -> None:
        for number in range(task, n_classes, n_tasks):
            wanted = has_class[:, number]
            if wanted.all() or not wanted.any():
                bias[number] = FARTHEST if wanted.all() else -FARTHEST
                continue
            machine = LinearSVC(C=C, random_state=0)
            machine.fit(X, wanted, sample_weight=documents.weight)
            words[:, number], bias[number] = machine.coef_[0], machine.intercept_[0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # near enough after 1,000 rounds
        run_in_threads(fit_some, n_tasks)
    return words, bias
