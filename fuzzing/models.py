"""The law of model files: a changed file is refused in one line, or is a model that works."""

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Self

import numpy as np

from fuzzing._cases import Fault, checked_message
from fuzzing._mutations import Mutation, apply_to_bytes, apply_to_parts, drawn_mutation
from fuzzing._tiny_models import KINDS, TEXTS, assembled, model_file, parts, vectors_for
from leaven import TextClassifier, load
from leaven.cli.info import _lines, describe
from leaven.exceptions import ModelFileError

__all__ = ["ModelCase", "draw"]

NEW_TEXTS = [*TEXTS[:3], "", "unknown words only", "bread " * 50, "dough\x00 1 2 3 é"]


@dataclass(frozen=True)
class ModelCase:
    """A model of some kind, and changes to its file."""

    model: str
    mutations: tuple[Mutation, ...]

    @property
    def group(self) -> str:
        return str(self.mutations[0]["kind"])

    def content(self) -> bytes:
        """The changed file."""
        content = model_file(self.model)
        if any(not mutation["kind"].startswith(("bytes", "cut")) for mutation in self.mutations):
            about, tensors = parts(self.model)
            for mutation in self.mutations:
                apply_to_parts(mutation, about, tensors)
            content = assembled(about, tensors)
        for mutation in self.mutations:
            content = apply_to_bytes(mutation, content)
        return content

    def check(self, folder: Path) -> str:
        path = folder / "case.leaven"
        path.write_bytes(self.content())
        try:
            classifier = load(path, embed=vectors_for if self.model == "own vectors" else None)
        except ModelFileError as error:
            checked_message(error)
            return "refused"
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            _use(classifier, path)
        return "loaded"

    def smaller(self) -> Iterator[Self]:
        if len(self.mutations) > 1:
            for mutation in self.mutations:
                yield replace(self, mutations=(mutation,))
        for kind in KINDS:
            if list(KINDS).index(kind) < list(KINDS).index(self.model):
                yield replace(self, model=kind)

    def to_json(self) -> dict[str, Any]:
        return {"model": self.model, "mutations": self.mutations}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        return cls(stored["model"], tuple(stored["mutations"]))


def draw(rng: Random) -> ModelCase:
    """A model of any kind, with one change or a few."""
    kind = rng.choice(list(KINDS))
    about, tensors = parts(kind)
    size = len(model_file(kind))
    n_mutations = rng.choice((1, 1, 1, 2, 3))
    drawn = (drawn_mutation(rng, about, tensors, size) for _ in range(n_mutations))
    return ModelCase(kind, tuple(drawn))


def _use(classifier: TextClassifier, path: Path) -> None:
    """Do what users do with a model; it must work as any other."""
    probability = classifier.predict_proba(NEW_TEXTS)
    _check_probabilities(probability, len(classifier.classes_), classifier.fitted.labels.has_sets)
    classifier.predict(NEW_TEXTS)
    fitted = classifier.fitted
    if fitted.counter.options.hash_features is None:
        _check_printable("explanation", classifier.explain(TEXTS[0]))
        _check_printable("top words", classifier.top_words(3))
        if fitted.mixture is not None and len(fitted.experts) == 1:
            shares = [each.share for each in classifier.components(2)]
            if not np.isfinite(shares).all():
                raise Fault("shares of components that are not finite", str(shares)[:200])
    _check_printable("description", "\n".join(_lines(describe(str(path)))))
    _check_printable("report", classifier.report_)
    json.dumps(classifier.report_.to_json())
    again = path.with_name("again.leaven")
    classifier.save(again)
    back = load(again, embed=classifier.embed).predict_proba(NEW_TEXTS)
    if not np.array_equal(back, probability):
        raise Fault("predicts otherwise after it was saved again")


def _check_printable(what: str, shown: Any) -> None:
    try:
        str(shown).encode()
    except UnicodeEncodeError as error:
        raise Fault(f"{what} that cannot be printed", str(error)) from None


def _check_probabilities(probability: Any, n_classes: int, has_sets: bool) -> None:
    if probability.shape != (len(NEW_TEXTS), n_classes):
        raise Fault("probabilities of the wrong shape", str(probability.shape))
    if not np.isfinite(probability).all():
        raise Fault("probabilities that are not finite", str(probability.tolist())[:200])
    if not ((probability >= 0) & (probability <= 1)).all():
        raise Fault("probabilities that are not between 0 and 1", str(probability.tolist())[:200])
    if not has_sets and not np.allclose(probability.sum(axis=1), 1, atol=1e-6):
        raise Fault("probabilities that do not sum to 1", str(probability.sum(axis=1))[:200])
