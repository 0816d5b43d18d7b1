"""Which documents to label next: functions of vectors, probabilities and what is labeled.

Before there is a model, typical documents of the groups that a corpus consists of, as in TypiClust
([Hacohen, Dekel and Weinshall, 2022][hacohen2022]). With a model the same, but every document
counts as much as the model doubts it: so groups form where it is unsure, and the document that is
taken is both typical and doubted. All functions return numbers of documents, the most useful first.
"""

import numpy as np
from threadpoolctl import threadpool_limits

from leaven._base.blas import one_blas_thread
from leaven._base.typing import BoolArray, FloatArray, IntArray
from leaven._base.validation import check_whole

__all__ = [
    "margins",
    "random_documents",
    "typical_documents",
    "typicality",
    "uncertain_documents",
    "useful_documents",
]

MOST_GROUPS = 500  # of k-means
MOST_GROUPED = 5000  # documents that k-means looks at; the others join the nearest group
MOST_COMPARED = 1000  # documents of a group that its others are compared with
NEIGHBORS = 20  # whose distance says how typical a document is
LEAST_DOUBT = 0.02  # of a document that a model is sure of, which still is part of its group
DIGITS = 5  # by which vectors must differ to be more than copies
MOST_STEPS = 30  # of k-means
SHORTEST = 1e-6  # mean distance to neighbors; copies are no nearer
GROUPS_PER_DOCUMENT = 2  # of which the best are compared, for every document wanted


def random_documents(is_open: BoolArray, n: int, seed: int = 0) -> IntArray:
    """At most ``n`` of the open documents, drawn uniformly at random.

    Parameters
    ----------
    is_open : bool array of shape (n_documents,)
        Which documents may be asked about.
    n : int
        How many documents.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    ndarray of shape (at most n,)
        Numbers of documents.

    Examples
    --------
    >>> import numpy as np
    >>> sorted(random_documents(np.array([True, False, True]), 5).tolist())
    [0, 2]
    """
    documents = _open(is_open, n)
    rng = np.random.default_rng(seed)
    return rng.choice(documents, min(n, len(documents)), replace=False)


def uncertain_documents(probability: FloatArray, is_open: BoolArray, n: int) -> IntArray:
    """The open documents of the smallest margins.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        Class probabilities by a model.
    is_open : bool array of shape (n_documents,)
        Which documents may be asked about.
    n : int
        How many documents.

    Returns
    -------
    ndarray of shape (at most n,)
        Numbers of documents, the most useful first.

    Examples
    --------
    >>> import numpy as np
    >>> probability = np.array([[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]])
    >>> uncertain_documents(probability, np.array([True, True, True]), 2)
    array([1, 2])
    """
    documents = _open(is_open, n)
    order = np.argsort(margins(probability[documents]), kind="stable")
    return documents[order[:n]]


def typical_documents(
    vectors: FloatArray,
    is_labeled: BoolArray,
    is_open: BoolArray,
    n: int,
    seed: int = 0,
    weight: FloatArray | None = None,
) -> IntArray:
    """The most typical open document of each of the largest groups without a label.

    There are as many groups as labels are known and asked for, so that most labeled documents
    have one of their own. A second document of a group is only taken when every group has given
    one.

    Parameters
    ----------
    vectors : array of shape (n_documents, n_dims)
        Vectors of unit length, or zero where a document has no word; such a document is taken last.
    is_labeled, is_open : bool array of shape (n_documents,)
        Which documents have a label, and which may be asked about.
    n : int
        How many documents.
    seed : int, default=0
        Seed of the random numbers.
    weight : array of shape (n_documents,) or None, default=None
        How much each document counts, in the size of its group and to be taken; None is 1 each.

    Returns
    -------
    ndarray of shape (at most n,)
        Numbers of documents, the most useful first.

    References
    ----------
    [Hacohen, Dekel and Weinshall (2022)][hacohen2022].

    Examples
    --------
    Two groups, one of which has a label:

    >>> import numpy as np
    >>> vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> is_labeled = np.array([True, False, False, False])
    >>> typical_documents(vectors, is_labeled, ~is_labeled, 1).tolist()
    [2]
    """
    documents = _open(is_open, n)
    has_vector: BoolArray = np.any(vectors != 0, axis=1)
    usable = documents[has_vector[documents]]
    n = min(n, len(documents))
    if len(usable) <= n or not n:
        return np.concatenate([usable, np.setdiff1d(documents, usable)])[:n]
    placed = np.flatnonzero(has_vector & (is_open | is_labeled))
    n_groups = min(int(is_labeled[placed].sum()) + n, MOST_GROUPS, len(placed))
    rng = np.random.default_rng(seed)
    weight = np.ones(len(vectors)) if weight is None else weight
    groups = _groups(vectors[placed], n_groups, rng, weight[placed])
    n_labels = np.bincount(groups, is_labeled[placed], n_groups)
    sizes = np.bincount(groups, weight[placed], n_groups)
    rank = np.empty(n_groups, np.int64)
    rank[np.lexsort((-sizes, n_labels))] = np.arange(n_groups)
    found: list[tuple[int, int, int]] = []  # turn of its group, rank of the group, document
    for group in np.argsort(rank)[: min(n_groups, GROUPS_PER_DOCUMENT * n)]:
        members = placed[groups == group]
        open_members = members[is_open[members]]
        if len(open_members):
            reference = rng.permutation(members)[:MOST_COMPARED]
            typical = typicality(vectors[open_members], vectors[reference])
            typical *= weight[open_members]
            best = open_members[np.argsort(-typical, kind="stable")[:n]]
            found += [(turn, int(rank[group]), int(one)) for turn, one in enumerate(best)]
    chosen = np.array([document for _, _, document in sorted(found)[:n]], np.int64)
    if len(chosen) < n:  # groups of few open documents
        others = np.setdiff1d(usable, chosen)
        chosen = np.concatenate([chosen, rng.choice(others, n - len(chosen), replace=False)])
    return chosen


def useful_documents(
    probability: FloatArray,
    vectors: FloatArray,
    is_open: BoolArray,
    n: int,
    seed: int = 0,
) -> IntArray:
    """Open documents that the model is unsure of and that are typical, different from each other.

    They are ``typical_documents``, weighted by doubt: one minus the margin. Documents that are
    not open count as labeled.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        Class probabilities by a model.
    vectors : array of shape (n_documents, n_dims)
        Vectors of unit length, or zero where a document has no word.
    is_open : bool array of shape (n_documents,)
        Which documents may be asked about.
    n : int
        How many documents.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    ndarray of shape (at most n,)
        Numbers of documents, the most useful first.

    Examples
    --------
    >>> import numpy as np
    >>> probability = np.array([[0.9, 0.1], [0.5, 0.5], [0.9, 0.1]])
    >>> vectors = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> useful_documents(probability, vectors, np.array([True, True, True]), 1).tolist()
    [1]
    """
    doubt = 1.0 - margins(probability) + LEAST_DOUBT
    return typical_documents(vectors, ~is_open, is_open, n, seed, doubt)


def margins(probability: FloatArray) -> FloatArray:
    """Difference between the two highest probabilities of each document; 1 for a single class.

    Parameters
    ----------
    probability : array of shape (n_documents, n_classes)
        Class probabilities by a model.

    Returns
    -------
    ndarray of shape (n_documents,)
        Small where the model is unsure.

    Examples
    --------
    >>> import numpy as np
    >>> margins(np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]]))
    array([0.25, 0.  ])
    """
    if probability.shape[1] < 2:
        return np.ones(len(probability))
    two = np.partition(probability, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0], np.float64)


def typicality(vectors: FloatArray, reference: FloatArray) -> FloatArray:
    """One over the mean distance to the nearest of the reference vectors.

    A vector that is one of them is its own nearest, at a distance of zero.

    Parameters
    ----------
    vectors : array of shape (n_documents, n_dims)
        Vectors of the documents.
    reference : array of shape (n_reference, n_dims)
        Vectors of the documents that they are compared with.

    Returns
    -------
    ndarray of shape (n_documents,)
        Large where many documents are similar.

    Examples
    --------
    >>> import numpy as np
    >>> reference = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    >>> typicality(reference, reference).argmin()
    np.int64(2)
    """
    n_neighbors = min(NEIGHBORS, max(len(reference) - 1, 1))
    found = np.empty(len(vectors))
    squares = (reference**2).sum(axis=1)
    for start in range(0, len(vectors), MOST_COMPARED):
        part = vectors[start : start + MOST_COMPARED]
        with one_blas_thread():
            distance = (part**2).sum(axis=1)[:, None] + squares - 2.0 * part @ reference.T
        nearest = np.partition(distance, min(n_neighbors, len(reference) - 1), axis=1)
        mean = np.sqrt(np.maximum(nearest[:, : n_neighbors + 1], 0.0)).mean(axis=1)
        found[start : start + MOST_COMPARED] = 1.0 / np.maximum(mean, SHORTEST)
    return found


def _groups(
    vectors: FloatArray, n_groups: int, rng: np.random.Generator, weight: FloatArray
) -> IntArray:
    """Number of the group of each vector, by k-means; groups may be empty."""
    from sklearn.cluster import KMeans  # a second that only labeling needs

    sample = rng.permutation(len(vectors))[: max(MOST_GROUPED, n_groups)]
    # Copies are projected to the same number; k-means cannot have more groups than other vectors.
    along = np.random.default_rng(0).normal(size=vectors.shape[1])
    n_distinct = len(np.unique(np.round(vectors[sample] @ along, DIGITS)))
    means = KMeans(
        min(n_groups, n_distinct),
        n_init=1,
        max_iter=MOST_STEPS,
        random_state=int(rng.integers(2**31)),
    )
    # Its threads wait for each other, which takes long while a model is trained beside them.
    with threadpool_limits(1):
        means.fit(vectors[sample], sample_weight=weight[sample])
        return np.asarray(means.predict(vectors), np.int64)


def _open(is_open: BoolArray, n: int) -> IntArray:
    check_whole("n", n, "[0, inf)")
    return np.flatnonzero(is_open)
