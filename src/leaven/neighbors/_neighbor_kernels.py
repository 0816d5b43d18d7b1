# mypy: ignore-errors
"""Compiled loops of the search for neighbors and of their votes, each with an oracle in the tests.

Documents have unit length, so a squared distance is 2 - 2 * similarity, and similarity is a sum of
products over the words that two documents share. Distances are rounded to multiples of ``GRID``,
which exceeds the rounding errors of vectors in single precision: sums in another order then give
the same neighbors, and a document is at distance 0 of its copies.
"""

import numpy as np

from leaven._base.compile import kernel, kernel_inline, kernel_part

GRID = 2.0**-20  # squared distances are rounded to multiples of it; a smaller similarity is none
EQUAL = 1e-9  # relative difference of votes that rounding can explain
ROUNDING = 1e-9  # relative error allowed for in a bound of similarity
NONE = -1  # in place of a neighbor where a document has fewer than k


@kernel_inline
def squared_distance(similarity):
    """Squared distance of documents of unit length, rounded."""
    return max(np.rint((2.0 - 2.0 * similarity) / GRID) * GRID, 0.0)


@kernel_inline
def add_neighbor(place, distance, places, distances):
    """Insert a document among the k nearest, which are sorted; of equals, the earlier is first."""
    last = len(distances) - 1
    if distance < distances[last]:
        while last > 0 and distances[last - 1] > distance:
            distances[last] = distances[last - 1]
            places[last] = places[last - 1]
            last -= 1
        distances[last] = distance
        places[last] = place


@kernel
def add_postings(indptr, indices, data, n_before, bounds, places, values):
    """Append documents, numbered from ``n_before``, to the postings of their rare words.

    ``bounds`` are the first posting and the end of each word's postings; of frequent words, which
    have none, the second is ``NONE`` and the first their rank among them. One array, because a
    word's numbers then share a line of the processor's cache.
    """
    for i in range(len(indptr) - 1):
        for nz in range(indptr[i], indptr[i + 1]):
            end = bounds[indices[nz], 1]
            if end != NONE:
                places[end] = n_before + i
                values[end] = data[nz]
                bounds[indices[nz], 1] = end + 1


@kernel
def add_frequent(indptr, indices, data, n_before, bounds, row_starts, row_words, row_values, norms):
    """Append the frequent words of documents, numbered from ``n_before``, and their norms."""
    end = row_starts[n_before]
    for i in range(len(indptr) - 1):
        square = 0.0
        for nz in range(indptr[i], indptr[i + 1]):
            word = indices[nz]
            if bounds[word, 1] == NONE:
                row_words[end] = bounds[word, 0]
                row_values[end] = data[nz]
                square += np.float64(data[nz]) ** 2
                end += 1
        row_starts[n_before + i + 1] = end
        norms[n_before + i] = np.sqrt(square)


@kernel_part
def kth_largest(rare, norms, slack, n_documents, best):
    """The k-th largest of ``rare - slack * norms``, 0 at least; k is the length of ``best``."""
    best[:] = 0.0
    least = 0.0
    for j in range(n_documents):
        low = rare[j] - slack * norms[j] if slack > 0.0 else rare[j]
        if low > least:
            m = len(best) - 1
            while m > 0 and best[m - 1] < low:
                best[m] = best[m - 1]
                m -= 1
            best[m] = low
            least = best[len(best) - 1]
    return least


@kernel
def find_nearest(
    indptr,
    indices,
    data,
    first,
    last,
    bounds,
    places,
    values,
    row_starts,
    row_words,
    row_values,
    norms,
    n_documents,
    n_frequent,
    slack,
    near,
    distances,
):
    """Write the nearest documents of rows ``first`` to ``last`` to ``near`` and ``distances``.

    Rare words are added up through their postings. Frequent words, whose postings are nearly as
    long as the list of documents, add at most the product of the two documents' norms over them,
    so they are only added up for the few documents that this can lift among the k nearest.
    ``slack`` is 1 where that product can be negative, as with signed hashes, else 0.
    """
    k = near.shape[1]
    rare = np.zeros(n_documents)
    best = np.empty(k)
    asked = np.zeros(n_frequent)  # frequent words of the row that is asked about
    for i in range(first, last):
        rare[:] = 0.0
        asked[:] = 0.0
        square = 0.0
        for nz in range(indptr[i], indptr[i + 1]):
            first_posting, end = bounds[indices[nz]]
            x = np.float64(data[nz])
            if end == NONE:
                asked[first_posting] = x
                square += x * x
            else:
                # Unsigned, because numba would look for negative places, which takes half the time.
                for posting in range(np.uint64(first_posting), np.uint64(end)):
                    rare[places[posting]] += x * values[posting]
        norm = np.sqrt(square) * (1.0 + ROUNDING)
        # The k-th largest of the lower bounds: what is below it at best is not among the nearest.
        least = kth_largest(rare, norms, slack * norm, np.uint64(n_documents), best)
        least -= 2.0 * GRID  # documents within the rounding of distances are equals
        near[i] = NONE
        distances[i] = np.inf
        for j in range(np.uint64(n_documents)):
            if rare[j] + norm * norms[j] >= least:
                similarity = rare[j]
                for nz in range(np.uint64(row_starts[j]), np.uint64(row_starts[j + 1])):
                    similarity += asked[row_words[nz]] * row_values[nz]
                if similarity > GRID:
                    add_neighbor(j, squared_distance(similarity), near[i], distances[i])
                    least = max(least, 1.0 - distances[i, k - 1] / 2.0 - 2.0 * GRID)


@kernel
def round_distances(similarity):
    """Turn similarities into squared distances in place; infinite where nothing is shared."""
    for i in range(similarity.shape[0]):
        for j in range(similarity.shape[1]):
            s = similarity[i, j]
            similarity[i, j] = squared_distance(s) if s > GRID else np.inf


@kernel
def measure_block(indptr, indices, data, own, distances):
    """Write the distance of every document of a block to those before it, else infinity.

    ``own`` has ``NONE`` for every word, before and after; meanwhile, the block's own numbers of
    its words, whose postings are short enough to stay in the processor's cache.
    """
    words = np.empty(len(indices), np.uint32)
    ends = np.zeros(len(indices) + 1, np.uint64)
    n_words = 0
    for nz in range(len(indices)):
        if own[indices[nz]] == NONE:
            own[indices[nz]] = n_words
            n_words += 1
        words[nz] = own[indices[nz]]
        ends[words[nz] + 1] += 1
    for word in range(n_words):
        ends[word + 1] += ends[word]
    starts = ends.copy()
    places = np.empty(len(indices), np.uint32)
    values = np.empty(len(indices), data.dtype)
    for i in range(len(indptr) - 1):
        row = distances[i]
        row[:] = 0.0
        for nz in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            word = words[nz]
            end = ends[word]
            x = np.float64(data[nz])
            for posting in range(starts[word], end):
                row[places[posting]] += x * values[posting]
            places[end] = i
            values[end] = data[nz]
            ends[word] = end + np.uint64(1)
        for j in range(len(row)):
            is_near = j < i and row[j] > GRID
            row[j] = squared_distance(row[j]) if is_near else np.inf
    for nz in range(len(indices)):
        own[indices[nz]] = NONE


@kernel
def add_rows(n_before, candidates, near, distances):
    """Add the nearest of all candidates, given their distances; the first is ``n_before``."""
    for i in range(candidates.shape[0]):
        for j in range(candidates.shape[1]):
            add_neighbor(n_before + j, candidates[i, j], near[i], distances[i])


@kernel
def add_pairs(rows, places, candidates, near, distances):
    """Add the nearest of some candidates: pairs of a row and a place, with their distance."""
    for n in range(len(rows)):
        add_neighbor(places[n], candidates[n], near[rows[n]], distances[rows[n]])


@kernel_part
def weigh_votes(near, distances, codes, weights, is_labeled, divisors, votes):
    """Write the votes of one document's k + 1 neighbors, 0 for those that do not vote.

    A vote is 1 / squared distance, divided by its class's entry of ``divisors``. A neighbor of
    weight 2 votes as two of the k that may vote. Labeled neighbors at distance 0 vote alone, all of
    them, or the first would decide what its copies of other classes contradict; one whose class
    was predicted does not vote on a copy of itself, and leaves its vote to the last.
    """
    n_left = len(near) - 1
    left = np.float64(n_left)
    is_known = False
    for m in range(len(near)):
        if near[m] == NONE or distances[m] > 0.0:
            break
        is_known = is_known or is_labeled[near[m]]
    for m in range(len(near)):
        votes[m] = 0.0
        if near[m] == NONE or (n_left == 0 and not is_known):
            continue
        is_same = distances[m] == 0.0
        if (is_same and not is_labeled[near[m]]) or (is_known and not is_same):
            continue
        weight = weights[near[m]]
        if not is_known:
            weight = min(weight, left)
            left -= weight
            n_left -= 1
        votes[m] = weight / (max(distances[m], GRID) * divisors[codes[near[m]]])


@kernel
def weigh_all_votes(near, distances, codes, weights, is_labeled, divisors, votes):
    """Votes of the neighbors of every document, (n_documents, k + 1)."""
    for i in range(near.shape[0]):
        weigh_votes(near[i], distances[i], codes, weights, is_labeled, divisors, votes[i])


@kernel_part
def first_largest(votes):
    """The first class that has the most votes, to within rounding."""
    least = votes.max() * (1.0 - EQUAL)
    best = 0
    while votes[best] < least:
        best += 1
    return best


@kernel
def admit(
    near, distances, within, asked, asked_weights, asked_is_labeled, threshold, quotas,
    n_kept, codes, weights, is_labeled, sizes, admitted,
):  # fmt: skip
    """Go through a block of documents in order and add some of them to those that vote.

    A document with a class is added if the votes do not predict it (algorithm 1); one without is
    added with the class that has more than ``threshold`` of its votes, if there is one (algorithm
    2), unless k copies of it have been: more would leave no neighbor that votes on another copy.
    ``near`` and ``distances`` are neighbors among the ``n_kept`` documents before the block,
    ``within`` are distances inside the block. Votes are divided by the documents of their class
    over its entry of ``quotas``, unless that is empty. ``codes``, ``weights``, ``is_labeled`` and
    ``sizes`` grow; rows of added documents are written to ``admitted``, their number is returned.
    """
    n_admitted = 0
    n_classes = len(sizes)
    each = np.zeros(near.shape[1])
    votes = np.zeros(n_classes)
    divisors = np.ones(n_classes)
    for i in range(len(asked)):
        for m in range(n_admitted):
            add_neighbor(n_kept + m, within[i, admitted[m]], near[i], distances[i])
        for c in range(len(quotas)):
            divisors[c] = max(sizes[c], GRID) / quotas[c]
        weigh_votes(near[i], distances[i], codes, weights, is_labeled, divisors, each)
        votes[:] = 0.0
        total = 0.0
        n_copies = 0
        for m in range(len(each)):
            if near[i, m] != NONE and distances[i, m] == 0.0 and not is_labeled[near[i, m]]:
                n_copies += 1
            if each[m] > 0.0:
                votes[codes[near[i, m]]] += each[m]
                total += each[m]
        code = asked[i]
        best = first_largest(votes)
        if code >= 0:
            if total > 0.0 and best == code:
                continue
        elif n_copies < len(each) - 1 and votes[best] > threshold * total * (1.0 + EQUAL):
            code = best
        else:
            continue
        place = n_kept + n_admitted
        codes[place] = code
        weights[place] = asked_weights[i]
        is_labeled[place] = asked_is_labeled[i]
        sizes[code] += min(asked_weights[i], 1.0)
        admitted[n_admitted] = i
        n_admitted += 1
    return n_admitted
