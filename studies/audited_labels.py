"""Expected accuracy from labels that were chosen, and from those drawn at random: coverage.

Labels are given as by active learning. First the most typical documents of clusters, then those
with a small margin between the two most probable classes times their typicality, one of each of
some clusters, by ``two-view`` fitted in three rounds; every fifth label is an audit, a document
drawn at random from all that have none. A fit with 60, 100 or 150 such labels either knows
nothing of audits, as without ``audited``, or is told which labels they are. Stated intervals are
compared with the accuracy on test documents, and with Wilson's interval from the audits alone.
Corpora: SciPy docstrings and WebKB (HTML, four classes); each draw takes another 30 % of the
documents for test.

Run: ``python -m studies.audited_labels``; what is in results/audited_labels.jsonl is not computed
again.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from leaven import TextClassifier
from leaven._base.measures import calibration_error
from leaven.significance import Z_90, wilson_interval
from studies import _common
from studies._common import run_study
from studies._few_labels_corpora import TEST_SHARE, Corpus, load
from studies._rows import Row, RowFile, report
from studies._workers import compute

CORPORA = ("docstrings", "webkb4")
SIZES = (60, 100, 150)  # labels, audits among them
FIRST = 20  # labels before a model chooses
AUDITS = 5  # every so many labels one is an audit
METHODS = ("auto", "two-view")
DRAWS = 12
N_DIMS = 50  # of the vectors that are clustered
N_NEAREST = 20  # documents whose similarity is the typicality
CANDIDATES = 4  # documents for each one chosen
OF_A_TASK = ("corpus", "draw")
ROWS = RowFile(
    _common.RESULTS / "audited_labels.jsonl", (*OF_A_TASK, "n_labels", "method", "audited")
)


def planned() -> list[Row]:
    return [
        {"corpus": name, "draw": draw, "n_labels": size, "method": method, "audited": audited}
        for name in CORPORA
        for draw in range(DRAWS)
        for size in SIZES
        for method in METHODS
        for audited in (False, True)
    ]


def split(name: str, draw: int) -> Corpus:
    """A corpus whose test documents are drawn at random."""
    corpus = load(name)
    order = np.random.default_rng([draw, 2]).permutation(len(corpus.texts))
    test, pool = np.split(order, [round(TEST_SHARE * len(order))])
    return replace(corpus, test=np.sort(test), pool=np.sort(pool), unlabeled=np.sort(pool))


@lru_cache(maxsize=1)
def vectors_of(name: str) -> tuple[Any, Any]:
    """Vectors of the documents, and how typical each is."""
    tfidf = TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(load(name).texts)
    vectors = normalize(TruncatedSVD(N_DIMS, random_state=0).fit_transform(tfidf))
    nearest = np.partition(vectors @ vectors.T, -N_NEAREST - 1, axis=1)[:, -N_NEAREST - 1 :]
    return vectors, (nearest.sum(axis=1) - 1.0) / N_NEAREST  # without itself


def best_of_clusters(vectors: Any, score: Any, among: Any, n: int, seed: int) -> Any:
    """The document of the highest score in each of ``n`` clusters of some documents."""
    cluster = KMeans(n, n_init=1, random_state=seed).fit_predict(vectors[among])
    return np.array([among[own][score[among[own]].argmax()] for own in _members(cluster, n)])


def _members(cluster: Any, n: int) -> list[Any]:
    return [own for k in range(n) if len(own := np.flatnonzero(cluster == k))]


def labeled_sets(name: str, draw: int, corpus: Corpus) -> dict[int, tuple[Any, Any]]:
    """For each number of labels the documents that have one, and which of these are audits.

    Documents are numbered as in the pool.
    """
    vectors, typicality = (each[corpus.pool] for each in vectors_of(name))
    rng = np.random.default_rng([draw, 3])
    at_random = rng.permutation(len(corpus.pool))
    chosen, audits = np.zeros(0, int), np.zeros(0, int)
    found = {}
    for size in (FIRST, *SIZES):
        n_audits = size // AUDITS
        n = size - n_audits - len(chosen)
        open_places = np.setdiff1d(np.arange(len(corpus.pool)), np.r_[chosen, audits])
        if not len(chosen):
            new = best_of_clusters(vectors, typicality, open_places, n, draw)
        else:
            score = (1.0 - margins(corpus, np.r_[chosen, audits])) * typicality
            best = open_places[np.argsort(-score[open_places])[: CANDIDATES * n]]
            new = best_of_clusters(vectors, score, best, n, draw)
        chosen = np.r_[chosen, new]
        others = at_random[~np.isin(at_random, np.r_[chosen, audits])]
        audits = np.r_[audits, others[: n_audits - len(audits)]]
        labeled = np.r_[chosen, audits]
        found[size] = (labeled, np.isin(labeled, audits))
    return found


def margins(corpus: Corpus, labeled: Any) -> Any:
    clf = TextClassifier("two-view", calibrate=False, n_jobs=1)
    texts, labels = training(corpus, labeled)
    best = np.sort(clf.fit(texts, labels).predict_proba(texts), axis=1)
    return best[:, -1] - best[:, -2]


def training(corpus: Corpus, labeled: Any) -> tuple[list[str], Any]:
    labels = np.full(len(corpus.pool), None, dtype=object)
    labels[labeled] = corpus.labels[corpus.pool[labeled]]
    return [corpus.texts[i] for i in corpus.pool], labels


def run_unit(plans: Sequence[Row]) -> list[Row]:
    """Rows of one draw from one corpus, in a worker process."""
    name, draw = (plans[0][field] for field in OF_A_TASK)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = split(name, draw)
        sets = labeled_sets(name, draw, corpus)
        return [{**plan, **measured(corpus, plan, *sets[plan["n_labels"]])} for plan in plans]


def measured(corpus: Corpus, plan: Row, labeled: Any, is_audit: Any) -> Row:
    texts, labels = training(corpus, labeled)
    audited = np.zeros(len(texts), bool)
    audited[labeled[is_audit]] = True
    clf = TextClassifier(plan["method"], n_jobs=1)
    clf.fit(texts, labels, audited=audited if plan["audited"] else None)
    proba = clf.predict_proba([corpus.texts[i] for i in corpus.test])
    right = clf.classes_[proba.argmax(axis=1)] == corpus.labels[corpus.test]
    stated = clf.report_.expected_accuracy
    return {
        "accuracy": float(right.mean()),
        "ece": calibration_error(proba.max(axis=1), right),
        "expected": stated["accuracy"],
        "low": stated["low"],
        "high": stated["high"],
        "n_held_out": stated["n_held_out"],
        "n_right": stated.get("n_right"),
    }


def told(rows: Sequence[Row]) -> str:
    inside = [row["low"] <= row["accuracy"] <= row["high"] for row in rows if row["audited"]]
    first = rows[0]
    return f"{first['corpus']}, draw {first['draw']}: {sum(inside)} of {len(inside)} with audits"


def summarize(rows: Sequence[Row]) -> Row:
    """Coverage, width and error of intervals, by method, number of labels and what is known."""
    return {"cells": [cell(rows, method, size) for method in METHODS for size in (*SIZES, None)]}


def cell(rows: Sequence[Row], method: str, size: int | None) -> Row:
    own = [row for row in rows if row["method"] == method and size in (row["n_labels"], None)]
    known = [row for row in own if row["audited"]]
    wilson = [{**row, **_wilson(row)} for row in known]
    return {
        "method": method,
        "n_labels": size,
        "unknown": of_intervals([row for row in own if not row["audited"]]),
        "audited": of_intervals(known),
        "wilson": of_intervals(wilson),
    }


def _wilson(row: Row) -> Row:
    low, high = wilson_interval(row["n_right"], row["n_held_out"], Z_90)
    return {"low": low, "high": high, "expected": row["n_right"] / row["n_held_out"]}


def of_intervals(rows: Sequence[Row]) -> Row:
    truth, low, high, expected, ece = (
        np.array([row[field] for row in rows])
        for field in ("accuracy", "low", "high", "expected", "ece")
    )
    return {
        "n_fits": len(rows),
        "n_inside": int(((low <= truth) & (truth <= high)).sum()),
        "width": float((high - low).mean()),
        "bias": float((expected - truth).mean()),
        "accuracy": float(truth.mean()),
        "ece": float(ece.mean()),
    }


def markdown(results: Row) -> str:
    kinds = {"unknown": "unknown", "audited": "audits", "wilson": "Wilson"}
    shown = [
        "Labels chosen as by active learning, every fifth an audit. Fits whose stated 90 % "
        "interval holds the accuracy on test documents, its mean width and the mean error of the "
        "expected accuracy in points; where nothing is known of audits, where they are known, and "
        "Wilson's interval from the held-out audits:\n",
        "| method | labels | fits |"
        + "".join(f" inside, {kind} | width | error |" for kind in kinds.values())
        + " accuracy, unknown | audits |",
        "|---" * 14 + "|",
    ]
    for own in results["cells"]:
        cells = [f"`{own['method']}`", str(own["n_labels"] or "all"), own["unknown"]["n_fits"]]
        for kind in kinds:
            of_kind = own[kind]
            cells.append(f"{100 * of_kind['n_inside'] / of_kind['n_fits']:.0f} %")
            cells += [f"{100 * of_kind['width']:.0f}", f"{100 * of_kind['bias']:+.1f}"]
        cells += [f"{100 * own[kind]['accuracy']:.1f}" for kind in ("unknown", "audited")]
        shown.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(shown) + "\n"


def main() -> None:
    plans = planned()
    groups = groupby(ROWS.missing(plans), key=lambda plan: [plan[name] for name in OF_A_TASK])
    compute([list(group) for _, group in groups], run_unit, told, ROWS, processes=1)
    rows = ROWS.of(plans)
    results = {**summarize(rows), "draws": DRAWS, "corpora": CORPORA, "sizes": SIZES}
    report("audited_labels", rows, results, markdown(results), DRAWS)


if __name__ == "__main__":
    run_study(main)
