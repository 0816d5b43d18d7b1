"""Fisher kernel: features, kernel matrix and SVMs, seconds and memory.

20 Newsgroups, 1,000 and 5,000 labels and 10,000 unlabeled messages. Mixtures: naive Bayes with EM
at a length of 150, with peaked posteriors or soft ones (at an inverse temperature of 0.01), and
two-view EM with the settings of ``method="fisher"``. The kernel matrix by the inverted index is
compared with scipy's product of the features, and SVC with the time of its kernel matrix with
LinearSVC and the time of the features, as the learner uses one or the other.
"""

import operator
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.frozen import FrozenEstimator
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks._common import Row, best_seconds, newsgroups
from leaven import FisherKernel, NaiveBayesEM, TwoViewEM
from leaven._base.peak_memory import MEBIBYTE, PeakMemory
from leaven.documents._arrow import as_text_array
from leaven.learners import FisherLearner
from leaven.learners._svm import KERNEL_TOLERANCE, TOLERANCE
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

PREFIX = "fisher"
SIZES = (1000, 5000)
N_UNLABELED = 10_000
ROUNDS = 2
MOST_FOR_SCIPY = 1000  # labels; with soft posteriors it takes minutes beyond


def run() -> list[Row]:
    try:
        texts, labels = newsgroups()
    except FileNotFoundError as error:
        print(f"{PREFIX}: nothing is measured: {error}", file=sys.stderr)
        return []
    codes = np.unique(np.array(labels), return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(len(texts))[: SIZES[-1] + N_UNLABELED]
    shown = as_text_array([texts[i] for i in order])
    rows = []
    default = FisherLearner()
    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, length, mixture, options in (
            ("words, peaked", 150.0, NaiveBayesEM(), {}),
            ("words, soft", 150.0, NaiveBayesEM(), {"feature_beta": 0.01}),
            ("two views", 10.0, TwoViewEM(), default.features._asdict()),
        ):
            text = TextOptions(log_tf=True, idf=True, length=length, min_df=5)
            _, X = fit_counter(shown, text, by_frequency=True)
            for size in SIZES:
                y = np.where(np.arange(len(order)) < size, codes[order], -1)
                fitted = FrozenEstimator(mixture.fit(X, y))
                labeled = csr_array(X[:size])
                fisher = FisherKernel(fitted, **options).fit(labeled)
                rows += _measured(name, fisher, labeled, y[:size], default.C)
    return rows


def _measured(name: str, fisher: FisherKernel, X: csr_array, y: Any, C: float) -> list[Row]:
    with PeakMemory() as memory:
        features = fisher.transform(X)
    stored = features.data.nbytes + features.indices.nbytes + features.indptr.nbytes
    about = {
        "n_labeled": len(y),
        "mixture": name,
        "per_count": features.nnz / X.nnz,
        "stored_mebibytes": stored / MEBIBYTE,
        "peak_mebibytes": memory.added,
        "dense_mebibytes": features.shape[0] * features.shape[1] * 4 / MEBIBYTE,
    }
    gram = fisher.kernel(X)
    machines = OneVsRestClassifier(SVC(kernel="precomputed", C=C, tol=KERNEL_TOLERANCE))
    linear = LinearSVC(C=C, dual=False, tol=TOLERANCE)
    tasks: dict[str, Callable[[], Any]] = {
        "features": partial(fisher.transform, X),
        "kernel": partial(fisher.kernel, X),
        "svm": partial(machines.fit, gram, y),
        "linear": partial(linear.fit, features, y),
    }
    if len(y) <= MOST_FOR_SCIPY:
        tasks["product"] = partial(operator.matmul, features, features.T)
    best = best_seconds(tasks, ROUNDS if len(y) <= MOST_FOR_SCIPY else 1)
    what = f"{PREFIX}: {len(y):,} labels, {name}"
    return [
        Row(f"{what}, features", best["features"], details=about),
        Row(
            f"{what}, kernel matrix",
            best["kernel"],
            "scipy, F @ F.T" if "product" in best else "",
            best.get("product"),
            details=about,
        ),
        Row(
            f"{what}, kernel matrix and SVC",
            best["kernel"] + best["svm"],
            "features and LinearSVC",
            best["features"] + best["linear"],
            details=about,
        ),
    ]
