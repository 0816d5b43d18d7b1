"""When a collapse is called one."""

import numpy as np
import pytest

from leaven._base.percent import percent
from leaven.documents import Labels
from leaven.learners._collapse import collapse_message

LABELED = np.array([5.0, 5.0, 5.0, 5.0])
HEALTHY = {
    "equal shares": (LABELED, [0.25, 0.25, 0.25, 0.25]),
    "one class twice as large": (LABELED, [0.5, 0.2, 0.2, 0.1]),
    "just below almost all": (np.array([1.0, 1.0]), [0.89, 0.11]),
    "no unlabeled document": (LABELED, None),
    "labels as uneven as the documents": (np.array([80.0, 20.0]), [0.95, 0.05]),
    "one class empty of many": (np.ones(10), [0.0, *[1 / 9] * 9]),
}
COLLAPSED = {
    "one of two took all": (np.array([3.0, 2.0]), [0.995, 0.005]),
    "one of four took all": (LABELED, [0.97, 0.01, 0.01, 0.01]),
    "three left of twenty": (np.ones(20), [0.4, 0.3, 0.3, *[0.0] * 17]),
    "one took all in spite of most labels": (np.array([75.0, 25.0]), [0.99, 0.01]),
}


def labels_of(labeled):
    return Labels(np.array([f"c{i}" for i in range(len(labeled))], dtype=object))


@pytest.mark.parametrize(("labeled", "shares"), HEALTHY.values(), ids=HEALTHY.keys())
def test_ordinary_shares_are_no_collapse(labeled, shares):
    shares = None if shares is None else np.array(shares)
    assert collapse_message(labels_of(labeled), labeled, shares) is None


@pytest.mark.parametrize(("labeled", "shares"), COLLAPSED.values(), ids=COLLAPSED.keys())
def test_few_classes_left_is_a_collapse(labeled, shares):
    message = collapse_message(labels_of(labeled), labeled, np.array(shares))
    assert message is not None
    assert message.startswith(
        f"class 'c0' was assigned {percent(shares[0])} of the unlabeled documents, but has "
    )
    assert f"{percent(labeled[0] / labeled.sum())} of the labels" in message


def test_a_number_as_class_is_shown_as_a_number():
    labels = Labels(np.array([3, 4]))
    message = collapse_message(labels, np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    assert message is not None
    assert message.startswith("class 4 was assigned 100 %")


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_classes_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    shuffle = rng.permutation(20)
    labeled, shares = (np.array(part) for part in COLLAPSED["three left of twenty"])
    labels = labels_of(labeled)
    here = collapse_message(labels, labeled, shares)
    assert here is not None
    moved = Labels(labels.classes[shuffle])
    assert collapse_message(moved, labeled[shuffle], shares[shuffle]) == here
