"""Nearest neighbors that learn from unlabeled documents: against scikit-learn, and as these grow.

200 labeled, 7,537 unlabeled and 3,766 test messages of 20 Newsgroups by date. k = 5 and a threshold
of 0.3, so that most documents are accepted and voting costs most; nothing is condensed. The peer
multiplies sparse matrices in one thread; ours has one thread per processor. Growth is measured on
real messages up to 15,000, beyond that on messages of which half of the words are left out.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix, vstack
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.preprocessing import normalize
from studies._clark import Draw, draw, messages

from benchmarks._common import Row, best_seconds
from leaven import CondensedNeighbors
from leaven.documents._arrow import as_text_array
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

K, THRESHOLD = 5, 0.3
N_LABELS = 200
BLOCK = 256  # queries for which the peer's documents are the same, as in leaven
BUCKETS = 10_000  # of the ball tree, whose vectors are dense
TREE_QUERIES = 100
ROUNDS = 3
REAL = (1_875, 3_750, 7_500, 15_000)  # unlabeled messages
HALVED = (30_000, 60_000)  # documents of half of a message's words
MOST_CONSIDERED = 20_000


def ours(**options: Any) -> CondensedNeighbors:
    fixed: dict[str, Any] = {"unlabeled_weight": 1.0, "condense": False, "votes": "balanced"}
    return CondensedNeighbors(n_neighbors=K, threshold=THRESHOLD, **fixed, **options)


def counted(drawn: Draw, **options: Any) -> tuple[Any, Any]:
    """Weights of the training and of the test messages."""
    options = {"log_tf": True, "idf": True, **options}
    counter, X = fit_counter(as_text_array(drawn.texts), TextOptions(**options))
    return X, counter.count(as_text_array(drawn.test_texts))


def inverse_squares(distances: Any) -> Any:
    return 1.0 / np.maximum(distances, 1e-6) ** 2


def peer_fit(X: Any, labels: Any) -> tuple[Any, Any]:
    """Clark's algorithm 2 with scikit-learn's search; documents of a block do not vote in it."""
    X = normalize(csr_matrix(X))
    is_labeled = labels != ""
    codes = np.unique(labels[is_labeled].astype(str), return_inverse=True)[1]
    n_classes = int(codes.max()) + 1
    kept, unlabeled = X[is_labeled], X[~is_labeled]
    for first in range(0, unlabeled.shape[0], BLOCK):
        asked = unlabeled[first : first + BLOCK]
        search = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(kept)
        distances, places = search.kneighbors(asked)
        found = codes[places]
        votes = inverse_squares(distances) / np.bincount(codes, minlength=n_classes)[found]
        cells = np.arange(len(found))[:, None] * n_classes + found
        sums = np.bincount(cells.ravel(), votes.ravel(), len(found) * n_classes)
        shares = sums.reshape(len(found), n_classes) / votes.sum(axis=1, keepdims=True)
        accepted = np.flatnonzero(shares.max(axis=1) > THRESHOLD)
        kept = vstack([kept, asked[accepted]], format="csr")
        codes = np.concatenate([codes, shares[accepted].argmax(axis=1)])
    return kept, codes


def peer_classifier(algorithm: str, X: Any, classes: Any) -> KNeighborsClassifier:
    """The same documents with plain votes: scikit-learn's have no other."""
    peer = KNeighborsClassifier(K, weights=inverse_squares, algorithm=algorithm)
    return peer.fit(X, classes)


def run() -> list[Row]:
    drawn = draw(N_LABELS, 0, subjects=True)
    return [*against_brute_force(drawn), against_ball_tree(drawn), *growth()]


def against_brute_force(drawn: Draw) -> list[Row]:
    X, test = counted(drawn)
    classifier = ours().fit(X, drawn.labels)
    by_products = ours(algorithm="brute").fit(X, drawn.labels)
    peer_kept = peer_fit(X, drawn.labels)[0].shape[0]
    fits = best_seconds(
        {
            "ours": lambda: ours().fit(X, drawn.labels),
            "own brute": lambda: ours(algorithm="brute").fit(X, drawn.labels),
            "peer": lambda: peer_fit(X, drawn.labels),
        },
        rounds=ROUNDS,
    )
    known = normalize(csr_matrix(X)[classifier.kept_])
    peer = peer_classifier("brute", known, classifier.kept_classes_)
    predictions = best_seconds(
        {
            "ours": lambda: classifier.predict(test),
            "own brute": lambda: by_products.predict(test),
            "peer": lambda: peer.predict(normalize(csr_matrix(test))),
        },
        rounds=ROUNDS,
    )
    sizes = {"n_unlabeled": len(drawn.texts) - N_LABELS, "n_kept": len(classifier.kept_)}
    fitted = {**sizes, "n_kept_by_peer": peer_kept, "n_words": X.shape[1]}
    asked = {**sizes, "n_queries": test.shape[0]}
    both = {name: fits[name] + predictions[name] for name in fits}
    return [
        *_rows("fit and predict", both, "NearestNeighbors, brute", {**fitted, **asked}, 5.0),
        *_rows("fit, 7,537 unlabeled messages", fits, "NearestNeighbors, brute", fitted),
        *_rows("3,766 predictions", predictions, "KNeighborsClassifier, brute", asked),
    ]


def _rows(
    what: str,
    best: dict[str, float],
    peer: str,
    details: dict[str, Any],
    target: float | None = None,
) -> list[Row]:
    what = f"nearest neighbors: {what}"
    return [
        Row(what, best["ours"], peer, best["peer"], target, details),
        Row(what, best["ours"], "own brute force", best["own brute"], None, details),
    ]


def against_ball_tree(drawn: Draw) -> Row:
    """Words in hash buckets, as in the paper; seconds of all queries from those of some."""
    X, test = counted(drawn, hash_features=BUCKETS)
    classifier = ours().fit(X, drawn.labels)
    known = normalize(csr_matrix(X)[classifier.kept_]).toarray()
    peer = peer_classifier("ball_tree", known, classifier.kept_classes_)
    some = normalize(csr_matrix(test)[:TREE_QUERIES]).toarray()
    best = best_seconds(
        {"ours": lambda: classifier.predict(test), "peer": lambda: peer.predict(some)},
        rounds=ROUNDS,
    )
    return Row(
        "nearest neighbors: 3,766 predictions, 10,000 hash buckets",
        best["ours"],
        "KNeighborsClassifier, ball tree (from 100 queries)",
        best["peer"] * test.shape[0] / TREE_QUERIES,
        details={"n_kept": len(classifier.kept_), "n_peer_queries": TREE_QUERIES},
    )


def growth() -> list[Row]:
    """Seconds by unlabeled documents: n · kept up to ``max_documents``, one pass beyond it."""
    X, labels = all_messages()
    rng = np.random.default_rng(0)
    classifiers = {n: ours(max_documents=MOST_CONSIDERED) for n in (*REAL, *HALVED)}
    tasks = {
        str(n): partial(
            classifier.fit,
            with_unlabeled(X, n, rng),
            np.concatenate([labels, np.full(n, "", dtype=object)]),
        )
        for n, classifier in classifiers.items()
    }
    best = best_seconds(tasks, rounds=ROUNDS)
    by_size = {
        str(n): {
            "seconds": best[str(n)],
            "n_kept": len(classifier.kept_),
            "microseconds_per_document": 1e6 * best[str(n)] / n,
        }
        for n, classifier in classifiers.items()
    }
    few, many, fewer, more = map(str, (*REAL[-2:], *HALVED))
    return [
        Row(
            "nearest neighbors: time to fit 15,000 unlabeled documents, in times of 7,500 (≤ 4)",
            best[many] / best[few],
            target=4.0,
            unit="",
            details={"unlabeled_documents": by_size},
        ),
        Row(
            "nearest neighbors: time to fit 60,000, in times of 30,000, max_documents=20,000 (≤ 2)",
            best[more] / best[fewer],
            target=2.0,
            unit="",
        ),
    ]


def all_messages() -> tuple[Any, Any]:
    """All messages in random order but for labeled ones, equally many per group, which are first.

    Returns their weights and the labels of the first ones.
    """
    texts, groups, _ = messages(subjects=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(texts))
    per_class = N_LABELS // len(np.unique(groups))
    labeled = np.concatenate(
        [order[groups[order] == group][:per_class] for group in np.unique(groups)]
    )
    rest = order[~np.isin(order, labeled)]
    chosen = [texts[i] for i in (*labeled, *rest)]
    _, X = fit_counter(as_text_array(chosen), TextOptions(log_tf=True, idf=True))
    return X, groups[labeled].astype(object)


def with_unlabeled(X: Any, n: int, rng: np.random.Generator) -> Any:
    """Labeled messages and n others, or where there are fewer, n halves of them."""
    n_messages = X.shape[0] - N_LABELS
    if n <= n_messages:
        return csr_array(X[: N_LABELS + n])
    parts = halved(X[N_LABELS + np.arange(n) % n_messages], rng)
    return csr_array(vstack([X[:N_LABELS], parts], format="csr"))


def halved(X: Any, rng: np.random.Generator) -> Any:
    """Documents of which every word is left out with probability 1/2, so that no two are equal."""
    X = csr_array(X, copy=True)
    X.data *= rng.random(X.nnz) < 0.5
    X.eliminate_zeros()
    return X
