"""Models that are served by name, and their replacement while requests are under way."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from leaven._base.printing import printable
from leaven._base.typing import BoolArray, FloatArray
from leaven.classifier import FittedClassifier
from leaven.classifier._model_file import parse_model
from leaven.classifier._one_text import OneTextClassifier
from leaven.exceptions import ModelFileError
from leaven.text._embeddings import Embedding, check_embedding

__all__ = ["ModelShelf", "ServedModel", "named_paths"]

logger = logging.getLogger("leaven.serving")
# Tried before a model is served, so that no request waits for compiled code to be loaded: one text
# and several, in ASCII and beyond it, with and without words.
PROBES = ("a text to begin with", "où ça? İstanbul Σίσυφος 東京", "", "another one, the 2nd " * 20)

FEW = 6  # texts that take less time one by one than together

Describe = Callable[[FittedClassifier, bytes, str], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model, ready to classify texts."""

    name: str
    fitted: FittedClassifier
    about: Mapping[str, Any]  # what leaven info tells
    embedding: Embedding | None = None  # of texts, where the model needs it

    @classmethod
    def load(cls, name: str, path: str, describe: Describe) -> "ServedModel":
        """Read a model file and try it, or raise an error of one sentence."""
        try:
            content = Path(path).read_bytes()
        except FileNotFoundError:
            raise FileNotFoundError(f"no model file at {path!r}; check the path") from None
        except IsADirectoryError:
            raise ModelFileError(f"{path!r} is a folder, not a model file") from None
        fitted = parse_model(content, path)
        model = cls(name, fitted, describe(fitted, content, path), _embedding(fitted, path))
        for texts in (*([each] for each in PROBES), list(PROBES)):
            model.classify(texts)
            model.classify(texts)  # the second time, as later ones, from memory
        return model

    @cached_property
    def one_text(self) -> OneTextClassifier:
        return OneTextClassifier(self.fitted)

    @property
    def n_classes(self) -> int:
        return len(self.fitted.labels)

    def classify(self, texts: list[str]) -> tuple[FloatArray, BoolArray]:
        """Class probabilities, and which texts are classified without evidence."""
        if len(texts) <= FEW and self.one_text.is_short:
            if len(texts) == 1:
                return self.one_text.classify(texts[0])
            found, are_wordless = zip(*map(self.one_text.classify, texts), strict=True)
            return np.concatenate(found), np.concatenate(are_wordless)
        array = pa.array(texts, pa.large_string())
        given = None if self.embedding is None else self.embedding(array)
        fitted = self.fitted
        # One thread: batches are small, and processors are shared with what else is served.
        return fitted.classify_counts(fitted.seen(array, 1), given, 1)

    def vector_of(self, text: str) -> Any:
        """The vector of a text, where the model needs it; else None."""
        if self.embedding is None:
            return None
        return self.embedding(pa.array([text], pa.large_string()))[0]


def _embedding(fitted: FittedClassifier, path: str) -> Embedding | None:
    if not fitted.needs_vectors:
        return None
    name = None if fitted.reading is None else fitted.reading.embed
    if name is None:
        raise ModelFileError(
            f"{path!r} was trained with vectors of a function or column, which requests do not "
            "have; train with --embed and the name of an embedding, or without vectors"
        )
    check_embedding(name)
    return Embedding(name, fitted.counter.options.html)


class ModelShelf:
    """The models by name; which one a name stands for changes at once, between requests.

    Parameters
    ----------
    paths : mapping of str to str
        Model file of each name.
    describe : callable
        What to tell about a model, from the model, its file's content and its path.
    """

    def __init__(self, paths: Mapping[str, str], describe: Describe) -> None:
        self.paths, self._describe = dict(paths), describe
        self.models = {
            name: ServedModel.load(name, path, describe) for name, path in self.paths.items()
        }

    @property
    def only(self) -> str | None:
        """The name of the one model; None where there are several."""
        return next(iter(self.models)) if len(self.models) == 1 else None

    def reload(self) -> dict[str, bool]:
        """Load all files anew; a model whose file cannot be loaded stays. True: replaced.

        Requests under way keep the model that they were accepted for.
        """
        replaced = {}
        for name, path in self.paths.items():
            try:
                model = ServedModel.load(name, path, self._describe)
            except Exception as error:  # whatever is wrong with a file, the old model serves
                reason = printable(" ".join(str(error).split())) or type(error).__name__
                logger.error("%s was not reloaded, the old model stays: %s", name, reason)
                replaced[name] = False
                continue
            self.models = {**self.models, name: model}
            replaced[name] = True
            logger.info("%s was reloaded from %s", name, printable(path))
        return replaced


def named_paths(given: list[str]) -> dict[str, str]:
    """Model files by name, as in NAME=FILE; the name of a plain path is that of its file."""
    found: dict[str, str] = {}
    for each in given:
        name, sign, path = each.partition("=")
        if not sign or not name or "/" in name or Path(each).exists():
            name, path = Path(each).stem, each
        if not path:
            raise ValueError(f"{each!r} must name a model file, as in NAME=FILE; add the file")
        if not name.isprintable() or "/" in name or not name.strip():
            raise ValueError(
                f"the name of a model must be printable and without slashes, got {name!r}; give "
                "another as NAME=FILE"
            )
        if name in found:
            raise ValueError(
                f"every model must have its own name, and {found[name]!r} and {path!r} are both "
                f"{name!r}; name them, as in NAME=FILE"
            )
        found[name] = path
    return found
