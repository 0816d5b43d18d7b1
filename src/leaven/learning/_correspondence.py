"""Which component belongs to which class after annealing, during which they can swap.

At a high temperature all components are nearly equal, and as it falls one of them can follow
the documents of another's class (Nigam et al., section 3.5.2). A correspondence is an array
``order``: place s of the model, whose class is ``component_class[s]``, is best taken by the
fitted component ``order[s]``. Every place is taken once, so classes keep their number of
components.
"""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from leaven._base.typing import FloatArray, IntArray
from leaven.corpora._base import Block, Corpus
from leaven.models import MixtureParams, MultinomialMixture
from leaven.posteriors import SOFT

__all__ = ["by_hand", "by_labels", "by_reference", "reordered"]

TIE_BREAK = 1e-3  # of a document: weight of the shares, which only break ties


def by_labels(model: MultinomialMixture, params: MixtureParams, corpus: Corpus) -> IntArray:
    """The order under which most labeled documents go to a component of their class.

    With a corpus in which every document has its true label, this is the perfect
    correspondence of the paper's figure 3.4, an oracle for studies.
    """

    def tabulate(block: Block) -> FloatArray:
        labeled = np.flatnonzero((block.y >= 0) & (block.weight > 0))
        table = np.zeros((model.n_classes, len(params.log_weight)))
        if len(labeled):
            documents = block.rows(labeled)
            q = SOFT(model.log_joint(params, documents.X, documents.vectors))[0]
            votes = TIE_BREAK * q
            votes[np.arange(len(q)), q.argmax(axis=1)] += 1.0
            np.add.at(table, block.y[labeled], votes * block.weight[labeled, None])
        return table

    table = corpus.reduce(tabulate)
    return _best_order(-table[model.component_class])


def by_reference(params: MixtureParams, reference: MixtureParams) -> IntArray:
    """The order of least total Kullback-Leibler divergence from another solution's components.

    Plain EM keeps the classes that its labeled start had, so its solution is the reference
    that section 3.5.3 of the paper proposes.
    """
    target = np.asarray(reference.log_word, dtype=np.float64)
    p = np.exp(target)
    entropy_term = (p * target).sum(axis=1, keepdims=True)
    divergence = entropy_term - p @ np.asarray(params.log_word, dtype=np.float64).T
    return _best_order(divergence)


def by_hand(
    model: MultinomialMixture, classes: Any, mapping: Mapping[int, Any]
) -> MultinomialMixture:
    """The model with components assigned to the classes that a person chose from their words."""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"components are assigned by a dict of number to class, got {mapping!r}")
    names = np.asarray(classes).tolist()
    component_class = model.component_class.copy()
    for component, name in mapping.items():
        if name not in names:
            raise ValueError(
                f"{name!r} is not a class of this model; choose from {', '.join(map(repr, names))}"
            )
        is_whole = isinstance(component, Integral) and not isinstance(component, bool)
        if not is_whole or component not in range(len(component_class)):
            raise ValueError(
                f"components are numbered from 0 to {len(component_class) - 1}, got {component!r}"
            )
        component_class[component] = names.index(name)
    bare = sorted(set(range(len(names))) - set(component_class.tolist()))
    if bare:
        raise ValueError(
            f"every class needs a component, and {names[bare[0]]!r} is left without; give it one"
        )
    return replace(model, component_class=component_class)


def reordered(params: MixtureParams, order: IntArray) -> MixtureParams:
    """Parameters with every place taken by the component that ``order`` names."""
    return params.reordered(order)


def _best_order(cost: FloatArray) -> IntArray:
    # Imported here: half a second that only annealing needs.
    from scipy.optimize import linear_sum_assignment

    order: IntArray = linear_sum_assignment(cost)[1]
    return order
