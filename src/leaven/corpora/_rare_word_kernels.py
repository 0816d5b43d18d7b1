# mypy: ignore-errors
"""Compiled loops that order rare words of documents word by word, tested against scipy."""

from leaven._base.compile import kernel


@kernel
def count_rare(indptr, indices, n_near, near_ends, starts):
    """Write where each document's rare words begin, and where each rare word's documents begin.

    Words from ``n_near`` on are rare. ``starts`` must be zero. Returns whether every document's
    rare words come after the others.
    """
    for i in range(len(near_ends)):
        nz = indptr[i + 1]
        while nz > indptr[i] and indices[nz - 1] >= n_near:
            nz -= 1
            starts[indices[nz] - n_near + 1] += 1
        near_ends[i] = nz
        for other in range(indptr[i], nz):
            if indices[other] >= n_near:
                return False
    for word in range(1, len(starts)):
        starts[word] += starts[word - 1]
    return True


@kernel
def sort_rare(indptr, indices, data, n_near, near_ends, starts, documents, values):
    """Write the documents of each rare word, and its count in them."""
    for i in range(len(near_ends)):
        for nz in range(near_ends[i], indptr[i + 1]):
            word = indices[nz] - n_near
            place = starts[word]
            documents[place] = i
            values[place] = data[nz]
            starts[word] = place + 1
    for word in range(len(starts) - 1, 0, -1):
        starts[word] = starts[word - 1]
    starts[0] = 0
