"""The interface of an expert, and the registry of kinds of experts.

A classifier adds up its experts' scores, each times a weight, and takes the softmax: a
product of experts. One expert with a weight is a calibrated model.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

import numpy as np

from leaven._base.tensors import Settings, StoredArrays
from leaven._base.typing import BoolArray, Counts, FloatArray, IntArray

if TYPE_CHECKING:
    from leaven.experts._mixture import MixtureExpert
    from leaven.neighbors import KeptDocuments, Nearest

# Of the numbers of a document's words, their weights, and its vector; (n_classes,) in float64.
ScoresOfText = Callable[[IntArray, FloatArray, "FloatArray | None"], FloatArray]

__all__ = [
    "EXPERT_KINDS",
    "Expert",
    "ScoresOfText",
    "StoredExpert",
    "checked_scores",
    "documents_of",
    "register_expert",
]


@dataclass(frozen=True)
class StoredExpert:
    """An expert as a model file holds it, and the classifier that it must fit into."""

    name: str
    settings: Settings
    arrays: StoredArrays
    n_words: int
    n_dims: int  # of vectors; 0 where the classifier has none
    n_classes: int

    def check_settings(self, *names: str) -> None:
        """Refuse settings other than finite numbers of these names."""
        values = list(self.settings.values())
        are_numbers = all(type(value) in (int, float) and abs(value) < 1e300 for value in values)
        if set(self.settings) != set(names) or not are_numbers:
            raise ValueError("its model's settings are malformed")


class Expert(Protocol):
    """Scores classes for documents, explains a score, and can be stored in a file.

    Every kind is registered with ``register_expert``, so that model files can hold it.
    """

    kind: ClassVar[str]  # what model files call it
    name: str  # what reports call it

    @property
    def sees_vectors(self) -> bool:
        """Whether documents must come with vectors."""
        return False

    @property
    def describes_words(self) -> bool:
        """Whether it models word probabilities of classes, so that its top words describe them."""
        return False

    @abstractmethod
    def scores(self, X: Counts, vectors: FloatArray | None) -> FloatArray:
        """Log-odds of the classes, (n_documents, n_classes), up to a constant per document."""
        ...

    @abstractmethod
    def pulls(self, x: Counts, word_vectors: FloatArray | None) -> FloatArray:
        """Contribution of each word of one document to the scores, (n_present, n_classes).

        ``word_vectors`` are the words' parts of the document's vector, None where its vector
        does not come from its words.
        """
        ...

    def for_document(self, vector: FloatArray | None) -> Self:
        """The expert that explains one document, given its vector if documents have vectors.

        Override it where a word's contribution also depends on the document's vector.
        """
        return self

    @abstractmethod
    def word_scores(self) -> FloatArray:
        """How strongly each word indicates each class, (n_classes, n_words): for top words."""
        ...

    def word_scores_of(self, classes: slice) -> FloatArray:
        """The same of some classes that follow each other.

        Override it where scores of all classes at once would need much memory.
        """
        return self.word_scores()[classes]

    @abstractmethod
    def to_tensors(self) -> tuple[Settings, Mapping[str, Any]]:
        """Settings and arrays, all that ``from_tensors`` needs."""
        ...

    @classmethod
    @abstractmethod
    def from_tensors(cls, stored: StoredExpert) -> Self:
        """The expert that was stored, every part checked, or a ValueError."""
        ...

    def in_threads(self, n_threads: int | None) -> Self:
        """The same expert, using so many threads if it uses several; None: one per processor."""
        return self

    def one_text(self) -> "ScoresOfText | None":
        """What gives ``scores`` of one document without a matrix, if there is such a way.

        For servers: to build a matrix takes longer than to score a short text.
        """
        return None

    def documents(self) -> "KeptDocuments | None":
        """The documents that this expert compares others with, if it does, else None."""
        return None

    def voters(self, X: Counts) -> "tuple[Nearest, FloatArray] | None":
        """Those of its documents that vote on others, and their shares of the votes.

        The largest share first; None where predictions do not come from votes.
        """
        return None

    def generated(self, x: Counts, has_class: BoolArray) -> FloatArray | None:
        """Shares of one document's words that its classes generated, (n_present, n_classes + 2).

        ``has_class`` are the document's classes. The last two columns are the shares of what all
        classes have in common, and of none of them; a row adds up to one. None where the expert
        does not model which class a word comes from.
        """
        return None

    def linear_weights(self) -> FloatArray | None:
        """Weights of words and, in the last row, biases, (n_words + 1, n_classes): to start from.

        None where scores are not linear in the words of a document.
        """
        return None

    def as_mixture(self) -> "MixtureExpert | None":
        """This expert if it has components, which users can inspect and reassign, else None."""
        return None


E = TypeVar("E", bound=Expert)
EXPERT_KINDS: dict[str, type[Expert]] = {}


def register_expert(expert: type[E]) -> type[E]:
    """Class decorator: model files may hold this kind of expert.

    A class that was defined again, as in a notebook, replaces the earlier one.
    """
    known = EXPERT_KINDS.get(expert.kind, expert)
    if (known.__module__, known.__qualname__) != (expert.__module__, expert.__qualname__):
        raise ValueError(f"there is another kind of expert called {expert.kind!r}; rename one")
    EXPERT_KINDS[expert.kind] = expert
    return expert


def documents_of(experts: Iterable[Expert]) -> "KeptDocuments | None":
    """The documents of the first expert that has some."""
    found = (expert.documents() for expert in experts)
    return next((each for each in found if each is not None), None)


def checked_scores(
    expert: Expert, X: Counts, vectors: FloatArray | None, n_classes: int
) -> FloatArray:
    """Scores of an expert, or an error where they are not finite numbers for every class."""
    scores = expert.scores(X, vectors)
    wanted = (X.shape[0], n_classes)
    if np.shape(scores) != wanted:
        raise ValueError(
            f"{expert.name!r} must give scores of shape {wanted}, one per document and class, got "
            f"{np.shape(scores)}; correct its scores method"
        )
    if not np.isfinite(scores).all():
        raise ValueError(
            f"{expert.name!r} must give finite scores, got {scores[~np.isfinite(scores)][0]}; "
            "correct its scores method"
        )
    return scores
