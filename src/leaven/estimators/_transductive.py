"""Transductive support vector machines as a scikit-learn classifier on counts."""

from typing import ClassVar

from scipy.sparse import csr_array

from leaven._base.typing import Counts
from leaven._base.validation import Seed
from leaven.estimators._tuned import TunedClassifier
from leaven.learners import Learner, TransductiveSVMLearner

__all__ = ["TransductiveSVM"]


class TransductiveSVM(TunedClassifier):
    """Linear transductive support vector machines, one for each class against the others.

    Documents are scaled to unit length. Unlabeled ones are kept away from the decision boundary
    by a ramp loss on either side, which the concave-convex procedure (CCCP) minimizes: each step is
    a convex problem, solved by L-BFGS with a hinge loss that is rounded at its corner.

    Parameters
    ----------
    C : float or "auto", default=10.0
        Weight of the losses of labeled documents. "auto" chooses among 1 and 10 by held-out labels.
    C_unlabeled : float or "auto", default="auto"
        Weight of the losses of unlabeled documents, C*; 0 is the supervised SVM. "auto" chooses
        by held-out labels among 0, 0.1, 1 and 10, and 0 also where one class would take almost
        all unlabeled documents.
    ramp : float in (-1, 0], default=-0.5
        Margin below which the loss of an unlabeled document no longer rises.
    balance : {"auto", "labels", "predicted", "none"}, default="auto"
        The mean score that the unlabeled documents must have, without which one class could take
        all of them: the mean of the signs of the labels, so that classes keep their shares among
        the labels, roughly; or of the signs that the supervised SVM predicts for unlabeled
        documents, for labels that are not a random sample. "auto" is "labels" for two classes, else
        "predicted".
    max_iter : int, default=30
        Most convex problems to solve after the start.
    tol : float, default=1e-4
        It has converged once a convex problem lowers the objective by no more than ``tol`` times
        its value.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds where settings are chosen.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    coef_ : ndarray of shape (n_classes, n_words)
        Weights of words of documents at unit length; those of two classes are opposite.
    intercept_ : ndarray of shape (n_classes,)
        Biases.
    C_, C_unlabeled_ : float
        The settings, as given or chosen.
    objective_ : ndarray of shape (n_iter_,)
        What is minimized, at the start and after each convex problem.
    n_iter_ : int
        Convex problems solved, that of the start among them. It starts from the supervised SVM, or
        where ``C_unlabeled`` is chosen from the machines of the next smaller one. Of more than
        200,000 labeled documents the supervised SVM sees a sample.
    unlabeled_shares_ : ndarray of shape (n_classes,)
        Shares of the unlabeled documents that each class is predicted for; NaN without any.

    See Also
    --------
    sklearn.svm.LinearSVC : The supervised case, with a squared hinge loss by default.

    References
    ----------
    [Collobert, Sinz, Weston and Bottou (2006)][collobert2006]; [Joachims (1999)][joachims1999].

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> TransductiveSVM(C_unlabeled=1.0).fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    learner_type: ClassVar[type[Learner]] = TransductiveSVMLearner
    takes_negative: ClassVar[bool] = True

    def __init__(
        self,
        *,
        C: float | str = 10.0,
        C_unlabeled: float | str = "auto",
        ramp: float = -0.5,
        balance: str = "auto",
        max_iter: int = 30,
        tol: float = 1e-4,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.ramp = ramp
        self.balance = balance
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _scaled(self, X: Counts) -> Counts:
        if X.has_canonical_format:
            return X
        X = csr_array(X, copy=True)
        X.sum_duplicates()  # so that the length of a document is that of its words
        return X
