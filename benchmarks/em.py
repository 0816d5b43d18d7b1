"""One EM iteration against plain scipy, and its cost as the corpus grows."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks._common import Row, best_seconds, newsgroups
from leaven.corpora import InMemoryCorpus
from leaven.documents._arrow import as_text_array
from leaven.learning import run_em
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import SOFT
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

N_CLASSES = 20
STEPS = 4


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


def supervised_start(model: MultinomialMixture, corpus: InMemoryCorpus, X: Any) -> MixtureParams:
    flat = model.flat_params(X.shape[1], X.dtype)
    supervised = replace(model, unlabeled_weight=0.0)
    return model.maximize(flat, corpus.reduce(partial(supervised.expect, flat, SOFT)))


def run() -> list[Row]:
    texts, names = newsgroups()
    truth = np.unique(names, return_inverse=True)[1]
    options = TextOptions(min_df=2, log_tf=True, idf=True, length=150.0)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(truth)) < 0.02, truth, -1)
    rows = []
    for order, target in (("frequent words first", 2.5), ("alphabetical", None)):
        _, X = fit_counter(as_text_array(texts), options, by_frequency=target is not None)
        rows.append(_against_scipy(X, y, order, target))
    return rows + _growth(texts, truth)


def _against_scipy(X: Any, y: Any, order: str, target: float | None) -> Row:
    model = MultinomialMixture(np.arange(N_CLASSES), n_threads=2)
    corpus = InMemoryCorpus(X, y, n_threads=2)
    params = supervised_start(model, corpus, X)
    wide = X.astype(np.float64)
    labeled = np.flatnonzero(y >= 0)
    one_hot = np.eye(N_CLASSES)[y[labeled]]
    theta, prior = np.ascontiguousarray(params.log_word, dtype=np.float64), params.log_weight

    def ours() -> None:
        run_em(model, corpus, params, max_iter=STEPS, tol=-1.0)

    def peer() -> None:
        log_theta, log_prior = theta, prior
        for _ in range(STEPS):
            log_theta, log_prior = scipy_iteration(wide, labeled, one_hot, log_theta, log_prior)
        scipy_expectation(wide, log_theta, log_prior)  # as ours, which ends with an E-step

    best = best_seconds({"peer": peer, "ours": ours}, rounds=12)
    per_step = {name: seconds / STEPS for name, seconds in best.items()}
    return Row(
        f"one EM iteration, 20 classes, two threads ({order})",
        per_step["ours"],
        "scipy, float64",
        per_step["peer"],
        target,
        {"n_values": int(X.nnz), "n_words": int(X.shape[1])},
    )


def _growth(texts: list[str], truth: Any) -> list[Row]:
    """Time per value from 10⁶ to 3·10⁷ values: 20 Newsgroups, part of it or repeated.

    An iteration costs a · values + b · words · classes; a vocabulary of 20,000 words keeps the
    second term small at 10⁶ values too.
    """
    options = TextOptions(max_features=20_000, log_tf=True, idf=True, length=150.0)
    _, X = fit_counter(as_text_array(texts), options)
    rng = np.random.default_rng(0)
    model = MultinomialMixture(np.arange(N_CLASSES), n_threads=2)
    per_value: dict[int, float] = {}
    for n_values in (1_000_000, 3_000_000, 10_000_000, 30_000_000):
        chosen = rng.integers(X.shape[0], size=round(n_values * X.shape[0] / X.nnz))
        part = csr_array(X[chosen])
        y = np.where(rng.random(len(chosen)) < 0.02, truth[chosen], -1)
        corpus = InMemoryCorpus(part, y, n_threads=2)
        params = supervised_start(model, corpus, part)
        task = partial(run_em, model, corpus, params, max_iter=STEPS, tol=-1.0)
        best = best_seconds({"ours": task}, rounds=5)["ours"]
        per_value[n_values] = best / STEPS / part.nnz
    middle = (min(per_value.values()) + max(per_value.values())) / 2
    spread = max(abs(value / middle - 1.0) for value in per_value.values())
    return [
        Row(
            "time per value, 10⁶ to 3·10⁷ values: largest deviation (≤ 0.30)",
            spread,
            target=0.30,
            unit="",
            details={"nanoseconds_per_value": {str(n): 1e9 * t for n, t in per_value.items()}},
        )
    ]
