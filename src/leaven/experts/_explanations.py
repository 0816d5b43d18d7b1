"""Why a class: its words, and what each word of a text did."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven._base.typing import Counts, FloatArray, IntArray
from leaven.models import MixtureParams, MultinomialMixture

__all__ = [
    "ComponentWords",
    "Explanation",
    "WordPull",
    "class_log_words",
    "component_words",
    "mixture_pulls",
    "strongest",
    "top_words",
]


@dataclass(frozen=True)
class WordPull:
    """One word of a text and how far it moved the log odds of each class."""

    word: str
    weight: float  # the word's weighted count in the text
    pull: dict[Any, float]  # class → log p(word | class) against the classes' mean, times weight


@dataclass(frozen=True)
class ComponentWords:
    """A component of a mixture: its class, its share of the documents, its words."""

    number: int
    label: Any  # the class it belongs to
    share: float
    words: list[str]


@dataclass(frozen=True)
class Explanation:
    """A prediction and the words behind it, strongest first."""

    label: Any
    probability: dict[Any, float]  # class → probability
    words: list[WordPull]
    unknown_words: int  # distinct words of the text that the model never saw

    def __str__(self) -> str:
        ranked = sorted(self.probability, key=self.probability.__getitem__, reverse=True)
        lines = [f"{self.label}  ({self.probability[self.label]:.1%})"]
        if not self.words:
            lines.append("  no word of this text is known to the model")
        for entry in self.words:
            towards = max(entry.pull, key=entry.pull.__getitem__)
            shown = "  ".join(f"{name} {entry.pull[name]:+.2f}" for name in ranked[:3])
            lines.append(f"  {entry.word:<20} → {towards!s:<16} {shown}")
        return "\n".join(lines)


def class_log_words(model: MultinomialMixture, params: MixtureParams) -> FloatArray:
    """Log p(word | class), components of a class mixed by their weights: (n_classes, n_words)."""
    log_class, log_share = model.split_weights(params.log_weight)
    rows = [
        np.logaddexp.reduce(
            params.log_word[model.component_class == code]
            + log_share[model.component_class == code, None],
            axis=0,
        )
        for code in range(len(log_class))
    ]
    return np.asarray(rows, dtype=np.float64)


def top_words(model: MultinomialMixture, params: MixtureParams, how_many: int) -> list[Any]:
    """Numbers of each class's words of largest weighted log-likelihood ratio.

    p(w | c) log [p(w | c) / p(w | not c)], by which Nigam et al. fill their table 3.4: it
    prefers words that are both frequent in the class and rare elsewhere.
    """
    log_class, _ = model.split_weights(params.log_weight)
    return _most_telling(class_log_words(model, params), np.exp(log_class), how_many)


def component_words(params: MixtureParams, how_many: int) -> list[Any]:
    """As :func:`top_words`, of each component against the others."""
    log_words = np.asarray(params.log_word, dtype=np.float64)
    return _most_telling(log_words, np.exp(params.log_weight), how_many)


def _most_telling(log_words: FloatArray, prior: FloatArray, how_many: int) -> list[Any]:
    words = np.exp(log_words)
    everywhere = prior @ words
    best = []
    for row in range(len(prior)):
        rest = max(1.0 - prior[row], 1e-12)
        elsewhere = np.maximum(everywhere - prior[row] * words[row], 1e-300) / rest
        score = words[row] * (log_words[row] - np.log(elsewhere))
        best.append(np.argsort(-score, kind="stable")[:how_many])
    return best


def mixture_pulls(
    model: MultinomialMixture, params: MixtureParams, x: Counts, extra: FloatArray | None = None
) -> FloatArray:
    """What each word of one document (a one-row matrix) added to each class's log joint.

    (n_present, n_classes). ``extra`` (n_present, n_components) is what the words added through
    another view. Components of a class are averaged by their shares in the document.
    """
    weights = np.asarray(x.data, dtype=np.float64)
    added = (np.asarray(params.log_word[:, x.indices], dtype=np.float64) * weights).T
    if extra is not None:
        added = added + extra
    score = added.sum(axis=0) + params.log_weight
    pulls = np.empty((len(weights), model.n_classes))
    for code in range(model.n_classes):
        own = model.component_class == code
        q = np.exp(score[own] - np.logaddexp.reduce(score[own]))  # components' shares in the class
        pulls[:, code] = added[:, own] @ q
    return pulls


def strongest(pulls: FloatArray) -> tuple[IntArray, FloatArray]:
    """Order of words by how far they moved classes apart, and the pulls centred on zero."""
    centred = pulls - pulls.mean(axis=1, keepdims=True)
    reach = centred.max(axis=1, initial=0.0) - centred.min(axis=1, initial=0.0)
    return np.argsort(-reach, kind="stable"), centred
