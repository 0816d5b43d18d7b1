"""What the studies share: Nigam's protocol, paired tests, plots, where results go, how to run."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leaven.datasets import load_corpus
from leaven.significance import paired_t
from studies import _provenance
from studies._provenance import MadeWith, Seed

_provenance.code()  # as it is when the study starts
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class NewsgroupSplit:
    """20 Newsgroups by Nigam's protocol: bodies, their classes, and the role of each document."""

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
        members = np.flatnonzero(labels == group)
        members = members[np.argsort(dates[members], kind="stable")]
        test.append(members[round(0.8 * len(members)) :])
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


def write_results(
    name: str, results: dict[str, Any], *, seed: Seed = None, made_with: MadeWith | None = None
) -> Path:
    """Store results with what they were made with, and print the latter.

    ``seed`` is the seed of the study, or all of them; None if nothing is drawn. ``made_with`` is
    given where results come from stored rows or from the results of another study.
    """
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    made_with = made_with or _provenance.made_now(seed)
    path.write_text(json.dumps({**results, "made_with": made_with}, indent=1) + "\n")
    print_made_with(made_with)
    return path


def read_results(name: str) -> dict[str, Any]:
    """Stored results of a study as its ``plot`` takes them: numbers that JSON made strings are int.

    Raises FileNotFoundError if there are none.
    """
    path = RESULTS / f"{name}.json"
    if not path.exists():
        raise FileNotFoundError(f"{path.name} is missing; run: python -m studies {name}")
    found: dict[str, Any] = json.loads(
        path.read_text(encoding="utf-8"),
        object_pairs_hook=lambda pairs: {int(k) if k.isdigit() else k: v for k, v in pairs},
    )
    return found


def print_made_with(made_with: MadeWith | None) -> None:
    """Say what results were made with, and whether the code has changed since."""
    made, stale = _provenance.described(made_with), _provenance.staleness(made_with)
    if made != stale:
        print(made)
    if stale:
        print(f"stale: {stale}")


def run_study(main: Callable[[], None]) -> None:
    """Run a study; a missing corpus or folder of corpora is reported in one sentence."""
    try:
        main()
    except FileNotFoundError as error:
        if error.errno is not None:  # another file, which should have been there
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


def paired(a: list[float], b: list[float]) -> dict[str, float]:
    """Mean of a - b over draws and its p-value, for JSON."""
    return asdict(paired_t(a, b))


def signed(test: dict[str, float]) -> str:
    """A paired difference in percentage points, and its p-value."""
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


def dodged(sizes: Sequence[int], number: int, n_lines: int, step: float = 1.02) -> Any:
    """Places on a logarithmic axis beside ``sizes``, so that lines of equal height stay visible."""
    return np.asarray(sizes) * step ** (number - (n_lines - 1) / 2)


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
