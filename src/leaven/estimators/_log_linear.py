"""Maximum entropy and its hybrids with a model of documents, as scikit-learn classifiers."""

from typing import ClassVar

from leaven._base.validation import Seed
from leaven.estimators._tuned import TunedClassifier
from leaven.learners import (
    Learner,
    MaxEntLearner,
    MultiConditionalLearner,
    ParameterCouplingLearner,
)

__all__ = ["MaxEntClassifier", "MultiConditionalClassifier", "ParameterCouplingClassifier"]


class MaxEntClassifier(TunedClassifier):
    """Maximum entropy classifier, or logistic regression, on counts.

    Unlabeled documents are ignored. It is the supervised counterpart of
    [`leaven.MultiConditionalClassifier`][] and [`leaven.ParameterCouplingClassifier`][].

    Parameters
    ----------
    variance : float or "auto", default="auto"
        Variance of the Gaussian prior on all parameters: the smaller, the stronger the
        regularization. "auto" chooses among 0.1, 1 and 10 by held-out labels.
    max_iter : int, default=200
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        It has converged once two iterations change the log likelihood by no more than ``tol`` times
        its size each, or times the number of labeled documents if that is larger.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds where ``variance`` is chosen.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    coef_ : ndarray of shape (n_classes, n_words)
        Weights of words.
    intercept_ : ndarray of shape (n_classes,)
        Weights of classes.
    variance_ : float
        The variance, as given or chosen.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Log likelihood of the labels plus log prior, at the start and after each iteration.
    n_iter_ : int
        Iterations made.
    unlabeled_shares_ : ndarray of shape (n_classes,)
        Shares of the unlabeled documents that each class is predicted for; NaN without any.

    See Also
    --------
    sklearn.linear_model.LogisticRegression : The same model, its intercepts without a prior.

    References
    ----------
    [Nigam, Lafferty and McCallum (1999)][nigam1999].

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, 0, 1])
    >>> MaxEntClassifier(variance=1.0).fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    learner_type: ClassVar[type[Learner]] = MaxEntLearner

    def __init__(
        self,
        *,
        variance: float | str = "auto",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.variance = variance
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs


class MultiConditionalClassifier(TunedClassifier):
    """Multi-conditional learning: a discriminative and a generative likelihood of one model.

    Maximizes ``alpha`` times log P(labels | labeled documents) plus log P(all documents) under a
    log-linear model of classes and words, by L-BFGS. The second likelihood, to which unlabeled
    documents contribute, regularizes the first.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Weight of the likelihood of labels; infinity is [`leaven.MaxEntClassifier`][]. "auto"
        chooses by held-out labels among 1e2, 1e4 and infinity, and infinity also where one class
        would take almost all unlabeled documents.
    variance : float or "auto", default="auto"
        Variance of the Gaussian prior on all parameters. "auto" chooses among 0.01 and 0.1,
        for infinite ``alpha`` among 0.1, 1 and 10.
    start : {"supervised", "zero"}, default="supervised"
        Begin with a few iterations of the likelihood of labels alone, or where all classes are
        equal. The objective has many maxima, so that the start matters.
    max_iter : int, default=200
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        It has converged once two iterations in a row change neither likelihood by more than ``tol``
        times its size, or times the number of its documents if that is larger.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds where settings are chosen.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    coef_ : ndarray of shape (n_classes, n_words)
        Weights of words, relative to the log frequencies of words in all documents.
    intercept_ : ndarray of shape (n_classes,)
        Weights of classes.
    alpha_, variance_ : float
        The settings, as given or chosen.
    objective_ : ndarray of shape (n_iter_ + 1,)
        What is maximized, at the start and after each iteration.
    n_iter_ : int
        Iterations made.
    unlabeled_shares_ : ndarray of shape (n_classes,)
        Shares of the unlabeled documents that each class is predicted for; NaN without any.

    See Also
    --------
    ParameterCouplingClassifier : The two likelihoods have parameters of their own.
    NaiveBayesEM : The generative likelihood alone.

    References
    ----------
    [Druck, Pal, Zhu and McCallum (2007)][druck2007];
    [McCallum, Pal, Druck and Wang (2006)][mccallum2006].

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> MultiConditionalClassifier(alpha=100.0, variance=1.0).fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    learner_type: ClassVar[type[Learner]] = MultiConditionalLearner

    def __init__(
        self,
        *,
        alpha: float | str = "auto",
        variance: float | str = "auto",
        start: str = "supervised",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.variance = variance
        self.start = start
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs


class ParameterCouplingClassifier(TunedClassifier):
    """Discriminative and generative parameters of a log-linear model, coupled by a prior.

    Maximizes log P(labels | labeled documents) of one set of parameters plus log P(all documents)
    of another, by L-BFGS; a Gaussian prior on their difference keeps them near each other, and
    the first set classifies.

    Parameters
    ----------
    alpha : float in (0, 1] or "auto", default="auto"
        How free the two sets are: the standard deviation of their difference is
        (alpha / (1 - alpha))². Near 0 they are equal, at 1 independent, which is
        [`leaven.MaxEntClassifier`][]. "auto" chooses by held-out labels among 0.1, 0.3, 0.5 and 1,
        and 1 also where one class would take almost all unlabeled documents.
    variance : float or "auto", default=1.0
        Variance of the Gaussian prior on the parameters that classify. "auto" chooses among 0.01
        and 0.1, for ``alpha`` 1 among 0.1, 1 and 10.
    start : {"supervised", "zero"}, default="supervised"
        Begin with the supervised solution, or where all classes are equal.
    max_iter : int, default=200
        Most iterations of L-BFGS.
    tol : float, default=1e-5
        As in [`leaven.MultiConditionalClassifier`][].
    random_state : int, RandomState, Generator or None, default=0
        Seed of the folds where settings are chosen.
    n_jobs : int or None, default=None
        Threads to use; None is one per processor.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted. ``UNLABELED`` (-1) is not among them.
    coef_ : ndarray of shape (n_classes, n_words)
        Weights of words, of the parameters that classify.
    intercept_ : ndarray of shape (n_classes,)
        Weights of classes.
    alpha_, variance_ : float
        The settings, as given or chosen.
    objective_ : ndarray of shape (n_iter_ + 1,)
        What is maximized, at the start and after each iteration.
    n_iter_ : int
        Iterations made.
    unlabeled_shares_ : ndarray of shape (n_classes,)
        Shares of the unlabeled documents that each class is predicted for; NaN without any.

    See Also
    --------
    MultiConditionalClassifier : One set of parameters for both likelihoods.

    References
    ----------
    [Lasserre, Bishop and Minka (2006)][lasserre2006];
    [Druck, Pal, Zhu and McCallum (2007)][druck2007].

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 0], [0, 1, 2]])
    >>> y = np.array([0, 1, -1, -1])
    >>> ParameterCouplingClassifier(alpha=0.5).fit(X, y).predict(X)
    array([0, 1, 0, 1])
    """

    learner_type: ClassVar[type[Learner]] = ParameterCouplingLearner

    def __init__(
        self,
        *,
        alpha: float | str = "auto",
        variance: float | str = 1.0,
        start: str = "supervised",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Seed = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.variance = variance
        self.start = start
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
