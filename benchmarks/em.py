"""One EM iteration against plain scipy, by number of classes, with peaked and soft posteriors.

Documents scaled to a length of 150 have peaked posteriors, as in naive Bayes; scaled to 10, as in
two-view EM, most documents belong to most classes a little.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks._common import Row, best_seconds, machine, newsgroups
from leaven.corpora import InMemoryCorpus
from leaven.documents._arrow import as_text_array
from leaven.learning import run_em, supervised_start
from leaven.models import MultinomialMixture
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

STEPS = 10
LENGTHS = {"peaked": 150.0, "soft": 10.0}
TARGETS = {2: None, 20: 5.0, 100: 4.0, 1000: None}  # least ratio, by number of classes
MOST_VALUES = 60_000_000  # times classes: more documents would take too long


def scipy_expectation(X: Any, log_theta: Any, log_prior: Any, beta: float = 1.0) -> Any:
    q = beta * (X @ log_theta.T + log_prior)
    q -= q.max(axis=1, keepdims=True)
    np.exp(q, out=q)
    q /= q.sum(axis=1, keepdims=True)
    return q


def scipy_iteration(
    X: Any, labeled: Any, one_hot: Any, log_theta: Any, log_prior: Any, beta: float = 1.0
) -> Any:
    """E-step and M-step as one would write them with scipy, in float64."""
    q = scipy_expectation(X, log_theta, log_prior, beta)
    q[labeled] = one_hot
    words = (X.T @ q).T + 1.0
    return np.log(words / words.sum(axis=1, keepdims=True)), np.log(q.mean(axis=0))


def run() -> list[Row]:
    texts, names = newsgroups()
    truth = np.unique(names, return_inverse=True)[1]
    rows = []
    for kind, length in LENGTHS.items():
        options = TextOptions(min_df=2, log_tf=True, idf=True, length=length)
        for by_frequency in (True, False):
            _, X = fit_counter(as_text_array(texts), options, by_frequency=by_frequency)
            for n_classes in TARGETS if by_frequency else (20,):
                rows.append(_against_scipy(X, truth, n_classes, kind, by_frequency))
    return rows


def _against_scipy(X: Any, truth: Any, n_classes: int, kind: str, by_frequency: bool) -> Row:
    # With 1,000 classes parameters alone are 300 MB, and scipy's three times 600.
    rng = np.random.default_rng(0)
    n_documents = min(X.shape[0], max(n_classes, MOST_VALUES * X.shape[0] // X.nnz // n_classes))
    X = csr_array(X[:n_documents])
    # Classes are the newsgroups or, in other numbers, unions of them or parts.
    codes = (
        truth[:n_documents] + 20 * rng.integers(-(-n_classes // 20), size=n_documents)
    ) % n_classes
    y = np.where(rng.random(n_documents) < 0.02, codes, -1)
    y[rng.permutation(n_documents)[:n_classes]] = np.arange(n_classes)
    model = MultinomialMixture(np.arange(n_classes), n_threads=2)
    corpus = InMemoryCorpus(X, y, n_threads=2)
    params, _ = supervised_start(model, corpus)
    wide = X.astype(np.float64)
    labeled = np.flatnonzero(y >= 0)
    one_hot = np.eye(n_classes)[y[labeled]]
    theta, prior = np.ascontiguousarray(params.log_word, dtype=np.float64), params.log_weight

    def ours() -> None:
        run_em(model, corpus, params, max_iter=STEPS, tol=-1.0)

    def peer() -> None:
        log_theta, log_prior = theta, prior
        for _ in range(STEPS):
            log_theta, log_prior = scipy_iteration(wide, labeled, one_hot, log_theta, log_prior)
        scipy_expectation(wide, log_theta, log_prior)  # as ours, which ends with an E-step

    best = best_seconds({"peer": peer, "ours": ours}, rounds=12 if n_classes <= 20 else 4)
    per_step = {name: seconds / STEPS for name, seconds in best.items()}
    order = "frequent words first" if by_frequency else "alphabetical"
    n_parameters = X.shape[1] * n_classes
    return Row(
        f"one EM iteration, {n_classes:,} classes, {kind}, two threads ({order})",
        per_step["ours"],
        "scipy, float64",
        per_step["peer"],
        TARGETS[n_classes],
        {"n_values": int(X.nnz), "n_documents": n_documents, "n_words": int(X.shape[1])},
        limit=iteration_limit(X.nnz, n_parameters, n_classes),
    )


def iteration_limit(n_values: int, n_parameters: int, n_classes: int) -> float:
    """Least seconds of an iteration: documents are read once, parameters and counts four times.

    Parameters are read and written, counts written and read. Each value is multiplied and added
    twice for every class: once to score, once to count.
    """
    return machine().seconds(8 * n_values + 4 * 4 * n_parameters, 4.0 * n_values * n_classes)
