"""Linear support vector machines, one for each class against the others."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from leaven._base.threads import count_threads, run_in_threads
from leaven._base.typing import BoolArray, FloatArray
from leaven._base.validation import check_in
from leaven.corpora import Block, TrainingSet, labeled_documents
from leaven.documents._labels import EncodedLabels
from leaven.experts import SVMExpert
from leaven.learners._base import Learned, Learner, Run
from leaven.models import SummedFields, WordWeights

__all__ = ["SVMLearner", "SVMVectorsLearner", "fit_kernel_machines", "fit_machines"]

MOST_LABELED = 200_000  # labeled documents; of more, a sample is used
TOLERANCE = 1e-2  # of LinearSVC; smaller ones take longer and predict the same
# Of SVC on a kernel matrix, so that rounding errors of products are not seen in the result.
KERNEL_TOLERANCE = 1e-6
FARTHEST = 1.0  # score of a class that no document, or every document has


@dataclass(frozen=True)
class SVMLearner(Learner):
    """One-vs-rest linear SVMs on the words of labeled documents.

    Words are weighted by inverse document frequency in all documents, and documents scaled to
    unit length. Words that no labeled document contains are ignored.

    Parameters
    ----------
    C : float, default=1.0
        How much a misclassified document counts against large weights of words.
    """

    title: ClassVar[str] = "linear SVM"

    C: float = 1.0

    def check(self, dtype: Any) -> None:
        check_in("C", self.C, "(0, inf)")

    def n_tables(self, n_threads: int) -> int:
        return 2  # of the model, and of another while labels are held out

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        self.check(training.corpus.dtype)
        documents = labeled_documents(training.corpus, MOST_LABELED)
        frequency = training.corpus.reduce(_Frequency.of)
        weights = WordWeights(_word_weights(documents, frequency), 1.0)
        labels = EncodedLabels(documents.y, training.labels)
        X = weights.applied(documents.X)
        words, bias = fit_machines(X, documents.weight, labels, self.C, run)
        no_directions = np.zeros((0, len(bias)), np.float32)
        return Learned(self, SVMExpert(self.title, weights, words, no_directions, bias))


@dataclass(frozen=True)
class SVMVectorsLearner(SVMLearner):
    """One-vs-rest linear SVMs on the vectors of labeled documents."""

    title: ClassVar[str] = "linear SVM of vectors"

    def fit(self, training: TrainingSet, run: Run) -> Learned:
        self.check(training.corpus.dtype)
        documents = training.labeled
        labels = EncodedLabels(documents.y, training.labels)
        directions, bias = fit_machines(documents.vectors, documents.weight, labels, self.C, run)
        words = WordWeights(np.zeros(0, np.float32), 1.0)
        none = np.zeros((0, len(bias)), np.float32)
        return Learned(self, SVMExpert(self.title, words, none, directions, bias))


@dataclass(frozen=True, eq=False)
class _Frequency(SummedFields):
    """Numbers of documents, and of those that contain each word."""

    n_documents: int
    with_word: FloatArray

    @classmethod
    def of(cls, block: Block) -> Self:
        counts = np.bincount(block.X.indices, minlength=block.X.shape[1])
        return cls(len(block.y), counts.astype(np.float64))


def _word_weights(documents: Block, frequency: _Frequency) -> FloatArray:
    """Inverse document frequency as scikit-learn has it; 0 for words of no labeled document."""
    idf = np.log((1.0 + frequency.n_documents) / (1.0 + frequency.with_word)) + 1.0
    idf[np.bincount(documents.X.indices, minlength=len(idf)) == 0] = 0.0
    return np.asarray(idf, np.float32)


def fit_machines(
    X: Any, weight: FloatArray, labels: EncodedLabels, C: float, run: Run
) -> tuple[FloatArray, FloatArray]:
    """Weights of the columns of X, (n_columns, n_classes), and biases: one machine per class."""

    def fit_one(wanted: BoolArray) -> tuple[FloatArray, float]:
        machine = LinearSVC(C=C, tol=TOLERANCE, dual=False)
        machine.fit(X, wanted, sample_weight=weight)
        return machine.coef_[0], float(machine.intercept_[0])

    return _one_vs_rest(fit_one, X.shape[1], labels, run)


def fit_kernel_machines(
    gram: FloatArray, weight: FloatArray, labels: EncodedLabels, C: float, run: Run
) -> tuple[FloatArray, FloatArray]:
    """Weights of documents, (n_documents, n_classes), by their inner products, and biases.

    Far faster than ``fit_machines`` where documents have many features. The loss is the hinge,
    there its square.
    """

    def fit_one(wanted: BoolArray) -> tuple[FloatArray, float]:
        machine = SVC(kernel="precomputed", C=C, tol=KERNEL_TOLERANCE)
        machine.fit(gram, wanted, sample_weight=weight)
        of_documents = np.zeros(len(gram))
        of_documents[machine.support_] = machine.dual_coef_[0]
        return of_documents, float(machine.intercept_[0])

    return _one_vs_rest(fit_one, len(gram), labels, run)


def _one_vs_rest(
    fit_one: Callable[[BoolArray], tuple[FloatArray, float]],
    n_weights: int,
    labels: EncodedLabels,
    run: Run,
) -> tuple[FloatArray, FloatArray]:
    """Weights and bias of a machine for each class, fitted in threads."""
    n_classes = len(labels.classes)
    weights = np.zeros((n_weights, n_classes), np.float32)
    bias = np.zeros(n_classes)
    n_tasks = min(count_threads(run.n_threads), n_classes)

    def fit_some(task: int) -> None:
        for number in range(task, n_classes, n_tasks):
            wanted = labels.labels.has_class(labels.codes, number)
            if wanted.all() or not wanted.any():
                bias[number] = FARTHEST if wanted.all() else -FARTHEST
            else:
                weights[:, number], bias[number] = fit_one(wanted)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # near enough after 1,000 rounds
        run_in_threads(fit_some, n_tasks)
    return weights, bias
