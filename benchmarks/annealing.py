"""Annealing: 394 temperatures in seconds, and no array of classes × words per temperature."""

import tracemalloc
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks._common import Row, best_seconds, newsgroups
from benchmarks.em import scipy_iteration
from leaven.corpora import InMemoryCorpus
from leaven.documents._arrow import as_text_array
from leaven.learning import anneal, run_em, supervised_start
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import cooling
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

SETTLED = 3  # temperatures after which every array has been made


def run() -> list[Row]:
    texts, names = newsgroups()
    labels = np.array(names)
    five = np.flatnonzero(np.char.startswith(labels, "comp."))
    return [_seconds([texts[i] for i in five], labels[five]), _new_memory(texts, labels)]


def _prepared(
    texts: list[str], labels: Any, max_features: int | None, n_documents: int
) -> tuple[MultinomialMixture, InMemoryCorpus, MixtureParams, Any, Any]:
    classes, codes = np.unique(labels, return_inverse=True)
    options = TextOptions(
        tokens="letters",
        stop_words="english",
        min_df=2,
        max_features=max_features,
        rank_by="mutual_information",
        log_tf=True,
        idf=True,
        length=150.0,
    )
    _, X = fit_counter(as_text_array(texts), options, codes=codes, by_frequency=True)
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(texts))[:n_documents]
    y = np.full(len(chosen), -1)
    for code in range(len(classes)):
        first = np.flatnonzero(codes[chosen] == code)[:2]
        y[first] = code
    part = csr_array(X[chosen])
    model = MultinomialMixture(np.arange(len(classes)), n_threads=2)
    corpus = InMemoryCorpus(part, y, n_threads=2)
    return model, corpus, supervised_start(model, corpus)[0], part, y


def _seconds(texts: list[str], labels: Any) -> Row:
    """The whole of News5's annealing, against the same in scipy."""
    model, corpus, start, X, y = _prepared(texts, labels, 4000, 3010)
    wide, labeled = X.astype(np.float64), np.flatnonzero(y >= 0)
    one_hot = np.eye(model.n_classes)[y[labeled]]

    def peer() -> None:
        theta, prior = start.log_word.astype(np.float64), start.log_weight
        for posterior in cooling():
            theta, prior = scipy_iteration(wide, labeled, one_hot, theta, prior, posterior.beta)

    ours = partial(anneal, model, corpus, start, max_iter=0)
    best = best_seconds({"ours": ours, "peer": peer}, rounds=3)
    return Row(
        f"annealing, {len(cooling())} temperatures, News5 (3,010 documents, 4,000 words)",
        best["ours"],
        "scipy, float64",
        best["peer"],
    )


def _new_memory(texts: list[str], labels: Any) -> Row:
    """Most memory asked for during a temperature, in arrays of classes × words."""
    model, corpus, start, X, _ = _prepared(texts, labels, None, 5000)
    one_array = start.log_word.nbytes
    asked: list[float] = []

    def note(step: int, _objective: float) -> None:
        now, peak = tracemalloc.get_traced_memory()
        asked.append((peak - before[0]) / one_array)
        tracemalloc.reset_peak()
        before[0] = now

    tracemalloc.start()
    before = [tracemalloc.get_traced_memory()[0]]
    try:
        run_em(model, corpus, start, warm_up=cooling(0.5, 1.05), max_iter=0, on_step=note)
    finally:
        tracemalloc.stop()
    return Row(
        f"annealing, {model.n_classes} classes × {X.shape[1]:,} words: most new memory in a "
        "temperature, in arrays of classes × words (≤ 0.1)",
        max(asked[SETTLED:]),
        target=0.1,
        unit="",
        details={"first_temperatures": asked[:SETTLED], "array_bytes": one_array},
    )
