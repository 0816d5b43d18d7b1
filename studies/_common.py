"""What the studies share: Nigam's protocol, paired tests, plots, and where results go."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leaven.datasets import load_corpus
from leaven.significance import paired_t

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class NewsgroupSplit:
    """20 Newsgroups by Nigam's protocol: bodies, their classes, and who plays which part."""

    texts: list[str]
    labels: np.ndarray  # (n_documents,) str
    test: np.ndarray  # the last 20 % of each group by date
    unlabeled: np.ndarray  # 10,000 of the others
    pool: np.ndarray  # the rest, from which labeled sets are drawn


def newsgroup_split(seed: int, n_unlabeled: int = 10_000) -> NewsgroupSplit:
    table = load_corpus("20news_19997", columns=["text", "label", "date"])
    labels = np.array(table["label"].to_pylist())
    dates = np.array(table["date"].to_pylist())
    test = []
    for group in np.unique(labels):
        own = np.flatnonzero(labels == group)
        own = own[np.argsort(dates[own], kind="stable")]
        test.append(own[round(0.8 * len(own)) :])
    is_test = np.zeros(len(labels), dtype=bool)
    is_test[np.concatenate(test)] = True
    rest = np.random.default_rng(seed).permutation(np.flatnonzero(~is_test))
    return NewsgroupSplit(
        table["text"].to_pylist(),
        labels,
        np.flatnonzero(is_test),
        np.sort(rest[:n_unlabeled]),
        rest[n_unlabeled:],
    )


def labeled_set(split: NewsgroupSplit, n_labels: int, seed: int) -> np.ndarray:
    """``n_labels`` documents of the pool, equally many per class."""
    rng = np.random.default_rng([seed, n_labels])
    classes = np.unique(split.labels)
    per_class = n_labels // len(classes)
    chosen = [
        rng.choice(split.pool[split.labels[split.pool] == name], per_class, replace=False)
        for name in classes
    ]
    return np.concatenate(chosen)


def write_results(name: str, results: dict[str, Any]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(results, indent=1) + "\n")
    return path


def paired(a: list[float], b: list[float]) -> dict[str, float]:
    """Mean of a - b over draws and its p-value, for JSON."""
    return asdict(paired_t(a, b))


def signed(test: dict[str, float]) -> str:
    """A paired difference in percentage points, and how sure it is."""
    return f"{100 * test['difference']:+5.1f} (p = {test['p_value']:.2g})"


def subplots(**settings: Any) -> tuple[Any, Any]:
    """Figure and axes in the studies' style; matplotlib is imported only here."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(layout="constrained", **settings)
    for each in np.ravel(axes):
        each.grid(alpha=0.25)
    return figure, axes


def log_ticks(axes: Any, sizes: Sequence[int]) -> None:
    """A logarithmic axis of label numbers with these marked and no others."""
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()


def save_figure(name: str, figure: Any) -> None:
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / f"{name}.png", dpi=130)


def mean_sd(values: list[float]) -> str:
    return f"{100 * np.mean(values):5.1f} ± {100 * np.std(values, ddof=1):3.1f}"
