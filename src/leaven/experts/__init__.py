"""The experts of a fitted classifier: they score classes, explain scores, become tensors."""

from leaven.experts._base import (
    EXPERT_KINDS,
    Expert,
    ScoresOfText,
    StoredExpert,
    checked_scores,
    documents_of,
    register_expert,
)
from leaven.experts._decisions import Decision, OneLabel, SeveralLabels, usual_decision
from leaven.experts._explanations import SMALLEST_PULL, Explanation, WordPull, strongest
from leaven.experts._fisher import FisherExpert
from leaven.experts._generated import Generated, GeneratedWord, Origin
from leaven.experts._label_sets import LabelSetExpert
from leaven.experts._linear import LinearExpert, row_norms
from leaven.experts._listed import (
    NO_NEIGHBOR,
    Components,
    ComponentWords,
    Neighbor,
    NeighborLists,
    TopWords,
    neighbors_table,
)
from leaven.experts._log_linear import LogLinearExpert
from leaven.experts._mixture import (
    MixtureExpert,
    TwoViewExpert,
    class_log_words,
    component_words,
    highest,
    mixture_scores,
    top_words,
)
from leaven.experts._neighbors import NeighborsExpert
from leaven.experts._svm import SVMExpert
from leaven.experts._tensors import UnknownKindError, experts_from, experts_to

__all__ = [
    "EXPERT_KINDS",
    "NO_NEIGHBOR",
    "SMALLEST_PULL",
    "ComponentWords",
    "Components",
    "Decision",
    "Expert",
    "Explanation",
    "FisherExpert",
    "Generated",
    "GeneratedWord",
    "LabelSetExpert",
    "LinearExpert",
    "LogLinearExpert",
    "MixtureExpert",
    "Neighbor",
    "NeighborLists",
    "NeighborsExpert",
    "OneLabel",
    "Origin",
    "SVMExpert",
    "ScoresOfText",
    "SeveralLabels",
    "StoredExpert",
    "TopWords",
    "TwoViewExpert",
    "UnknownKindError",
    "WordPull",
    "checked_scores",
    "class_log_words",
    "component_words",
    "documents_of",
    "experts_from",
    "experts_to",
    "highest",
    "mixture_scores",
    "neighbors_table",
    "register_expert",
    "row_norms",
    "strongest",
    "top_words",
    "usual_decision",
]
