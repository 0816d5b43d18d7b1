"""Is unlabeled text helping? Model probability against accuracy on held-out labels.

EM searches for a probable model, not for an accurate one. Where the two agree, unlabeled
documents help; where they do not, EM does harm (Nigam, McCallum and Mitchell, figures 3.2 and
3.3). The paper measures this on a test set. Here only the labeled documents are available,
so EM starts several times from a part of them and is scored on the others.
"""

from leaven.held_out.diagnosis._corpus import diagnose_alternatives, diagnose_corpus
from leaven.held_out.diagnosis._findings import (
    NAIVE_BAYES,
    Alternative,
    Diagnosis,
    Difference,
    Point,
    Spelling,
)
from leaven.held_out.diagnosis._trials import Rival

__all__ = [
    "NAIVE_BAYES",
    "Alternative",
    "Diagnosis",
    "Difference",
    "Point",
    "Rival",
    "Spelling",
    "diagnose_alternatives",
    "diagnose_corpus",
]
