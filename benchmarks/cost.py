"""What an EM iteration costs: time per value as corpora grow, and a model of the cost.

Growth: 20 Newsgroups, part of it or repeated, from 10⁶ values in memory to 10⁸ streamed from disk.
Model: seconds of an iteration as a sum of terms in documents, values, words, classes and
dimensions of vectors, with coefficients that are fitted to some settings and checked on others.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import nnls
from scipy.sparse import csr_array

from benchmarks._common import Row, best_seconds, newsgroups
from benchmarks.em import STEPS, iteration_limit
from benchmarks.scale import newsgroup_file
from leaven.corpora import Counting, FilesOnDisk, InMemoryCorpus
from leaven.documents import DocumentFiles
from leaven.documents._arrow import as_text_array
from leaven.learning import run_em, supervised_start
from leaven.models import MultinomialMixture, TwoViewMixture
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

N_CLASSES = 20
IN_MEMORY = (1_000_000, 3_000_000, 10_000_000, 30_000_000)  # values
STREAMED = 100_000_000
MOST_DEVIATION = 0.20
# A vocabulary of 20,000 words keeps the cost of the M-step small at 10⁶ values too.
TEXT = TextOptions(max_features=20_000, log_tf=True, idf=True, length=150.0)


def run() -> list[Row]:
    return [_growth(), _model()]


def _growth() -> Row:
    texts, names = newsgroups()
    truth = np.unique(names, return_inverse=True)[1]
    _, X = fit_counter(as_text_array(texts), TEXT)
    rng = np.random.default_rng(0)
    per_value: dict[int, float] = {}
    for n_values in IN_MEMORY:
        chosen = rng.integers(X.shape[0], size=round(n_values * X.shape[0] / X.nnz))
        part = csr_array(X[chosen])
        y = np.where(rng.random(len(chosen)) < 0.02, truth[chosen], -1)
        # Short iterations are disturbed more easily: all sizes are measured about equally long.
        rounds = max(5, 2 * IN_MEMORY[-1] // n_values)
        per_value[n_values] = _seconds(InMemoryCorpus(part, y, n_threads=2), rounds) / part.nnz
    copies = round(STREAMED / X.nnz)
    with newsgroup_file() as path:
        how = Counting(lambda _: TEXT, n_threads=2)
        found = FilesOnDisk(DocumentFiles([path] * copies, needs_labels=True)).counted(how)
        per_value[copies * X.nnz] = _seconds(found.training.corpus, rounds=2) / (copies * X.nnz)
    middle = (min(per_value.values()) + max(per_value.values())) / 2
    return Row(
        "time per value, 10⁶ in memory to 10⁸ streamed: largest deviation (≤ 0.20)",
        max(abs(value / middle - 1.0) for value in per_value.values()),
        target=MOST_DEVIATION,
        unit="",
        details={"nanoseconds_per_value": {str(n): 1e9 * t for n, t in per_value.items()}},
    )


def _seconds(corpus: Any, rounds: int) -> float:
    model = MultinomialMixture(np.arange(N_CLASSES), n_threads=2)
    params, _ = supervised_start(model, corpus)
    task = partial(run_em, model, corpus, params, max_iter=STEPS, tol=-1.0)
    return best_seconds({"ours": task}, rounds)["ours"] / STEPS


@dataclass(frozen=True)
class Setting:
    """A corpus and a model, as far as they determine the cost of an iteration."""

    documents: int
    values_per_document: int
    words: int
    classes: int
    dims: int

    @property
    def values(self) -> int:
        return self.documents * self.values_per_document

    def terms(self) -> dict[str, float]:
        """What the cost is a sum of, each with a coefficient."""
        return {
            "one iteration": 1.0,
            "documents": self.documents,
            "values": self.values,
            "values × classes": self.values * self.classes,
            "documents × classes": self.documents * self.classes,
            "words × classes": self.words * self.classes,
            "documents × dims × classes": self.documents * self.dims * self.classes,
        }


def settings() -> list[Setting]:
    """Every combination whose parameters and values are neither tiny nor too many."""
    every = itertools.product(
        (2_000, 10_000, 50_000), (20, 100), (5_000, 50_000), (2, 20, 100), (0, 100)
    )
    found = [Setting(*each) for each in every]
    return [each for each in found if each.values >= 2e5 and each.values * each.classes <= 2e8]


def _model() -> Row:
    every = settings()
    seconds = np.array([_synthetic_seconds(setting) for setting in every])
    names = list(every[0].terms())
    terms = np.array([list(setting.terms().values()) for setting in every])
    # Relative errors count, so that small settings matter as much as large ones.
    is_fitted = np.arange(len(every)) % 3 != 0
    relative = terms / seconds[:, None]
    coefficients, _ = nnls(relative[is_fitted], np.ones(is_fitted.sum()))
    error = np.abs(terms @ coefficients / seconds - 1.0)
    return Row(
        "model of an iteration's cost: median relative error on other settings (≤ 0.25)",
        float(np.median(error[~is_fitted])),
        target=0.25,
        unit="",
        details={
            "nanoseconds": dict(zip(names, (1e9 * coefficients).tolist(), strict=True)),
            "largest_error": float(error[~is_fitted].max()),
            "n_fitted": int(is_fitted.sum()),
            "n_checked": int((~is_fitted).sum()),
            "settings": [
                _measured(setting, found, expected, bool(fitted))
                for setting, found, expected, fitted in zip(
                    every, seconds, terms @ coefficients, is_fitted, strict=True
                )
            ],
        },
    )


def _measured(
    setting: Setting, found: float, expected: float, is_fitted: bool
) -> Mapping[str, Any]:
    limit = iteration_limit(setting.values, setting.words * setting.classes, setting.classes)
    return {
        **vars(setting), "seconds": float(found), "expected": float(expected), "limit": limit,
        "is_fitted": is_fitted,
    }  # fmt: skip


def _synthetic_seconds(setting: Setting) -> float:
    """Seconds of an iteration on random documents whose words are as unequal as in texts."""
    rng = np.random.default_rng(0)
    shape = (setting.documents, setting.values_per_document)
    # Word w has a frequency of about 1 / (w + 10), as Zipf's law has it.
    ranks = np.exp(rng.random(shape) * np.log1p(setting.words / 10)) * 10 - 10
    indices = np.sort(np.minimum(ranks.astype(np.int32), setting.words - 1), axis=1).ravel()
    indptr = np.arange(setting.documents + 1, dtype=np.int32) * setting.values_per_document
    data = rng.random(len(indices), dtype=np.float32)
    data *= 10.0 / setting.values_per_document / data.mean()
    X = csr_array((data, indices, indptr), shape=(setting.documents, setting.words))
    y = np.where(rng.random(setting.documents) < 0.02, rng.integers(setting.classes), -1)
    y[: setting.classes] = np.arange(setting.classes)
    components = np.arange(setting.classes)
    model = MultinomialMixture(components, n_threads=2)
    vectors = None
    if setting.dims:
        model = TwoViewMixture(components, n_threads=2, n_dims=setting.dims)
        vectors = rng.standard_normal((setting.documents, setting.dims), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    corpus = InMemoryCorpus(X, y, vectors=vectors, n_threads=2)
    params, _ = supervised_start(model, corpus)
    task = partial(run_em, model, corpus, params, max_iter=STEPS, tol=-1.0)
    return best_seconds({"ours": task}, rounds=8)["ours"] / STEPS
