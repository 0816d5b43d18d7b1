"""Tiny models of every kind, trained once per process, and the bytes of their files."""

import json
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as dump_tensors

from leaven import TextClassifier
from leaven.classifier._model_file import _KEY, _digest, dump_model, read_metadata

__all__ = ["KINDS", "TEXTS", "assembled", "model_file", "parts", "vectors_for"]

TEXTS = [
    "raw dough rises with yeast", "the planet orbits a star", "yeast and flour make bread",
    "a comet and a planet", "bread dough in the oven", "stars and comets in orbit",
    "the oven bakes bread and cake", "a rocket flies to the star", "sugar and flour in the cake",
    "the moon and the sun in the sky", "sweet dough with sugar", "telescopes see far planets",
] * 2  # fmt: skip
LABELS = ["baking", "space", "baking", "space", None, None, None, None, "baking", "space"]
LABELS += [None] * (len(TEXTS) - len(LABELS))


def vectors_for(texts: list[str]) -> list[list[float]]:
    """Vectors of three numbers, as users bring them."""
    return [[len(text), text.count("e") + 0.5, text.count("a") - 1.0] for text in texts]


KINDS: dict[str, dict[str, Any]] = {
    "nb": {"method": "nb"},
    "em": {"method": "em"},
    "mixture": {"method": "mixture", "options": {"n_components": {"space": 2}}},
    "sfe": {"method": "sfe"},
    "two-view": {"method": "two-view", "options": {"n_dims": 4}},
    "auto": {"method": "auto"},
    "own vectors": {"method": "auto", "embed": vectors_for},
    "hashed": {"method": "em", "text_options": {"hash_features": 64, "alternate_sign": False}},
    "phrases": {"method": "nb", "text_options": {"ngram_range": (1, 2), "stop_words": ["the"]}},
    "label sets": {"method": "svm"},
}
SETS = [None if label is None else [label] for label in LABELS]
SETS[8:10] = [["baking", "space"], []]


@cache
def model_file(kind: str) -> bytes:
    """A model of this kind as a file."""
    with warnings.catch_warnings(action="ignore"):
        labels = SETS if kind == "label sets" else LABELS
        fitted = TextClassifier(**KINDS[kind], random_state=0).fit(TEXTS, labels).fitted
    return dump_model(fitted)


def parts(kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Metadata and tensors of the file, copies."""
    content = model_file(kind)
    tensors = {name: np.array(array) for name, array in load_tensors(content).items()}
    return dict(read_metadata(content, kind)), tensors


def assembled(about: Mapping[str, Any], tensors: Mapping[str, Any]) -> bytes:
    """A file of these parts whose digest is right."""
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    about = {**about, "digest": _digest(tensors, about)}
    return bytes(dump_tensors(tensors, {_KEY: json.dumps(about)}))
