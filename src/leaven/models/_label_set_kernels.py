# mypy: ignore-errors
"""Compiled loops of the label-set mixture, each with an oracle in the tests."""

import numpy as np

from leaven._base.compile import kernel, kernel_part

# A set of m classes has m + 2 slots, one after the other: its classes, the background and the
# uniform distribution. A slot of a class or of the background has a column of word counts.

PSEUDO_COUNT = 1.0  # added to the words that a slot of a set generated: Laplace's rule
TINY = 1e-12  # an expected count that is as good as none
LEAST_SHARE = 1e-4  # of a set in an unlabeled document: below it, it adds nothing


@kernel_part
def _shares_of_slots(begin, end, counts, shares):
    """Mixture weights of a set from expected counts, Laplace-smoothed: the M-step of lambda."""
    total = 0.0
    for j in range(begin, end):
        shares[j - begin] = PSEUDO_COUNT + counts[j]
        total += shares[j - begin]
    for j in range(end - begin):
        shares[j] /= total


@kernel_part
def _own_counts(
    indices, data, first, last, copy, columns, n_slots, words, totals, uniform, shares, own,
    own_total,
):  # fmt: skip
    """What ``copy`` of a document is expected to have added to the counts of its slots."""
    for j in range(n_slots):
        own_total[j] = 0.0
    for nz in range(first, last):
        word = indices[nz]
        row = nz - first
        density = shares[n_slots - 1] * uniform
        own[row, n_slots - 1] = density
        for j in range(n_slots - 1):
            column = columns[j]
            part = 0.0
            if totals[column] > TINY:
                part = shares[j] * words[word, column] / totals[column]
            own[row, j] = part
            density += part
        factor = copy * data[nz] / density
        for j in range(n_slots):
            own[row, j] *= factor
            own_total[j] += own[row, j]


@kernel
def expect_sets(
    indptr,
    indices,
    data,  # documents as rows of counts
    y,  # code of each document's set, negative where unknown
    weight,  # of each document
    unlabeled_weight,
    starts,  # int64[n_sets + 1]: slots of each set
    slots,  # int64[n_slots]: column of each slot, n_classes for the background, then uniform
    words,  # [n_words, n_classes + 1] expected counts
    totals,  # float64[n_classes + 1] of these
    slot_counts,  # float64[n_slots] expected counts
    bounds,  # [n_words, n_classes + 1] counts of words in documents that have the class
    log_sets,  # float64[n_sets] log prior probability
    open_sets,  # int64[n_open]: sets that unlabeled documents can have
    leaves_one_out,
    beta,  # inverse temperature of the posterior of sets, infinity for hard assignment
    new_words,
    new_bounds,  # both overwritten
    new_slot_counts,
    new_sets,  # both overwritten
):
    """E-step of the label-set mixture; returns the documents' part of the objective.

    A word's responsibilities are those of section 2 of McCallum (1999). For a labeled document
    they are computed as if the document itself were not among the counts. What it added to
    them is not remembered but computed again, from the counts; where that is too little, the
    bound of what other documents can have added corrects it.
    """
    n_words = words.shape[0]
    uniform = 1.0 / n_words
    n_sets = len(starts) - 1
    widest = 0
    for k in range(n_sets):
        widest = max(widest, starts[k + 1] - starts[k])
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    own = np.zeros((longest, widest))
    own_total = np.zeros(widest)
    part = np.zeros(widest)
    shares = np.zeros(widest)
    all_shares = np.zeros(len(slots))
    for k in range(n_sets):
        _shares_of_slots(starts[k], starts[k + 1], slot_counts, all_shares[starts[k] :])
    score = np.zeros(n_sets)
    q = np.zeros(n_sets)
    new_words[:] = 0.0
    new_bounds[:] = 0.0
    new_slot_counts[:] = 0.0
    new_sets[:] = 0.0
    objective = 0.0
    for i in range(len(indptr) - 1):
        first = indptr[i]
        last = indptr[i + 1]
        scale = weight[i] if y[i] >= 0 else weight[i] * unlabeled_weight
        if scale == 0.0:
            continue
        lowest_set = 0
        highest_set = n_sets
        if y[i] >= 0:
            lowest_set = y[i]
            highest_set = y[i] + 1
            q[y[i]] = 1.0
            objective += scale * log_sets[y[i]]
        else:
            top = open_sets[0]
            q[:] = 0.0
            for k in open_sets:
                likelihood = 0.0
                begin = starts[k]
                n_slots = starts[k + 1] - begin
                for nz in range(first, last):
                    density = all_shares[begin + n_slots - 1] * uniform
                    for j in range(n_slots - 1):
                        column = slots[begin + j]
                        if totals[column] > TINY:
                            count = words[indices[nz], column]
                            density += all_shares[begin + j] * count / totals[column]
                    likelihood += data[nz] * np.log(density)
                score[k] = log_sets[k] + likelihood
                if score[k] > score[top]:
                    top = k
            if beta == np.inf:
                q[top] = 1.0
                objective += scale * score[top]
            else:
                total = 0.0
                for k in open_sets:
                    q[k] = np.exp(beta * (score[k] - score[top]))
                    total += q[k]
                for k in open_sets:
                    q[k] /= total
                    if q[k] < LEAST_SHARE:
                        q[k] = 0.0
                objective += scale * (score[top] + np.log(total) / beta)
        for k in range(lowest_set, highest_set):
            if q[k] == 0.0:
                continue
            begin = starts[k]
            n_slots = starts[k + 1] - begin
            columns = slots[begin : starts[k + 1]]
            shares[:n_slots] = all_shares[begin : starts[k + 1]]
            is_left_out = leaves_one_out and y[i] >= 0
            copy = min(weight[i], 1.0)  # a document of weight 2 is two, of which one is left out
            if is_left_out:
                _own_counts(
                    indices, data, first, last, copy, columns, n_slots, words, totals, uniform,
                    shares, own, own_total,
                )  # fmt: skip
                total = 0.0
                for j in range(n_slots):
                    shares[j] = PSEUDO_COUNT + max(slot_counts[begin + j] - own_total[j], 0.0)
                    total += shares[j]
                for j in range(n_slots):
                    shares[j] /= total
            likelihood = 0.0
            for nz in range(first, last):
                word = indices[nz]
                density = shares[n_slots - 1] * uniform
                part[n_slots - 1] = density
                for j in range(n_slots - 1):
                    column = columns[j]
                    count = np.float64(words[word, column])
                    total = totals[column]
                    if is_left_out:
                        others = np.float64(bounds[word, column]) - copy * data[nz]
                        count = max(min(count - own[nz - first, j], others), 0.0)
                        total -= own_total[j]
                    part[j] = 0.0
                    if count > TINY and total > TINY:
                        part[j] = shares[j] * count / total
                    density += part[j]
                likelihood += data[nz] * np.log(density)
                added = scale * q[k] * data[nz]
                for j in range(n_slots):
                    amount = added * part[j] / density
                    new_slot_counts[begin + j] += amount
                    if j < n_slots - 1:
                        new_words[word, columns[j]] += amount
                        new_bounds[word, columns[j]] += added
            if y[i] >= 0:
                objective += scale * likelihood
            new_sets[k] += scale * q[k]
        if y[i] >= 0:
            q[y[i]] = 0.0
    return objective


@kernel
def likelihoods(
    indptr,
    indices,
    data,  # documents as rows of counts
    documents,  # int64[n_pairs] of each pair of a document and a set
    sets,  # int64[n_pairs]
    starts,
    slots,  # of the sets, as above
    shares,  # float64[n_slots] mixture weights of the sets
    probabilities,  # [n_words, n_classes + 1] of words
    out,  # float64[n_pairs], overwritten
):
    """Log P(document | set) of pairs, summed over words."""
    uniform = 1.0 / probabilities.shape[0]
    for pair in range(len(documents)):
        begin = starts[sets[pair]]
        last = starts[sets[pair] + 1] - 1
        total = 0.0
        for nz in range(indptr[documents[pair]], indptr[documents[pair] + 1]):
            density = shares[last] * uniform
            for j in range(begin, last):
                density += shares[j] * probabilities[indices[nz], slots[j]]
            total += data[nz] * np.log(density)
        out[pair] = total


@kernel
def document_shares(indptr, indices, data, probabilities, prior, n_steps, out):
    """Mixture weights of all classes that most probably produced each document, by EM.

    ``prior`` are pseudo-counts, and the start; the last two columns of ``out`` are those of the
    background and of the uniform distribution.
    """
    uniform = 1.0 / probabilities.shape[0]
    n_slots = len(prior)
    part = np.zeros(n_slots)
    share = np.zeros(n_slots)
    for i in range(len(indptr) - 1):
        share[:] = prior / prior.sum()
        for _ in range(n_steps):
            out[i] = prior
            for nz in range(indptr[i], indptr[i + 1]):
                density = share[n_slots - 1] * uniform
                part[n_slots - 1] = density
                for j in range(n_slots - 1):
                    part[j] = share[j] * probabilities[indices[nz], j]
                    density += part[j]
                for j in range(n_slots):
                    out[i, j] += data[nz] * part[j] / density
            share[:] = out[i] / out[i].sum()
        out[i] = share
