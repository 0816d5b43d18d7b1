"""Probabilities of classes as replies, with the meaning of the columns of ``leaven predict``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaven._base.typing import BoolArray, FloatArray
from leaven.classifier import FittedClassifier, is_confident
from leaven.classifier._predictions import DECIMALS, note_of

__all__ = ["Wanted", "answers"]


@dataclass(frozen=True)
class Wanted:
    """What a request wants to know about each of its texts."""

    top: int = 0  # so many of the most probable classes
    min_probability: float = 0.0  # below it a prediction is undecided


def answers(
    fitted: FittedClassifier,
    probability: FloatArray,
    is_wordless: BoolArray,
    wanted: Sequence[Wanted],
) -> list[dict[str, Any]]:
    """What is predicted for texts, from their class probabilities; ``wanted`` of each."""
    decided = fitted.decide(probability)
    confidence = fitted.confidence(probability, decided)
    meanings, has_sets = decided.labels.meanings, fitted.labels.has_sets
    found = []
    for row, (code, certain, lacks_words, asked) in enumerate(
        zip(decided.codes.tolist(), confidence.tolist(), is_wordless.tolist(), wanted, strict=True)
    ):
        is_undecided = asked.min_probability > 0 and not is_confident(
            confidence[row : row + 1], asked.min_probability
        )
        label = list(meanings[code]) if has_sets else meanings[code]
        answer = {
            "predicted": None if is_undecided else label,
            "probability": round(certain, DECIMALS),
            "note": note_of(lacks_words, bool(is_undecided)),
        }
        if asked.top:
            answer["top"] = _ranked(fitted, probability[row], asked.top)
        found.append(answer)
    return found


def _ranked(fitted: FittedClassifier, probability: FloatArray, top: int) -> list[dict[str, Any]]:
    # A stable order, so that the first class is the one decided on.
    order = np.argsort(-probability, kind="stable")[:top].tolist()
    classes, values = fitted.classes.tolist(), probability.tolist()
    return [{"class": classes[i], "probability": round(values[i], DECIMALS)} for i in order]
