"""Is unlabeled text helping? Model probability against accuracy on held-out labels.

EM looks for a probable model, not for an accurate one. Where the two go together unlabeled
documents help; where they do not, EM does harm (Nigam, McCallum and Mitchell, figures 3.2 and
3.3). The paper sees which it is on a test set. Here the labeled documents are all there is,
so EM starts several times from a part of them and is scored on the others.
"""

from leaven.held_out.diagnosis._corpus import diagnose_alternatives, diagnose_corpus
from leaven.held_out.diagnosis._findings import Alternative, Diagnosis, Difference, Point

__all__ = [
    "Alternative",
    "Diagnosis",
    "Difference",
    "Point",
    "diagnose_alternatives",
    "diagnose_corpus",
]
