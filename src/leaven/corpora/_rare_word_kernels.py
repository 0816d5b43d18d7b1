# mypy: ignore-errors
"""Compiled loops that order rare words of documents word by word, tested against scipy."""

from leaven._base.compile import kernel


@kernel
def count_words(indptr, indices, n_near, frequency, ends):
    """Add each word's documents to ``frequency``; write where words from ``n_near`` on begin.

    Returns whether in every document these come after the others.
    """
    in_order = True
    for i in range(len(ends)):
        end = indptr[i]
        for nz in range(indptr[i], indptr[i + 1]):
            word = indices[nz]
            frequency[word] += 1
            if word < n_near:
                in_order &= end == nz
                end = nz + 1
        ends[i] = end
    return in_order


@kernel
def copy_near(indptr, indices, data, is_rare, begins, ends, near_indices, near_data):
    """Write the words of each document that are not rare, and where they begin and end."""
    place = 0
    for i in range(len(ends)):
        begins[i] = place
        for nz in range(indptr[i], indptr[i + 1]):
            if not is_rare[indices[nz]]:
                near_indices[place] = indices[nz]
                near_data[place] = data[nz]
                place += 1
        ends[i] = place


@kernel
def sort_rare(begins, ends, indices, data, is_rare, place, documents, counts):
    """Write the documents of each rare word, and its count in them, from its ``place`` on.

    A document's rare words are between its begin and its end. ``place`` is overwritten.
    """
    for i in range(len(begins)):
        for nz in range(begins[i], ends[i]):
            word = indices[nz]
            if is_rare[word]:
                documents[place[word]] = i
                counts[place[word]] = data[nz]
                place[word] += 1
