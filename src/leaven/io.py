"""Model files: safetensors and JSON, never executable.

A model file is one safetensors file. Its tensors are the parameters and the vocabulary;
its metadata is one JSON text with the options, the classes, the format number, leaven's
version and a SHA-256 digest of everything else.
"""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as dump_tensors

from leaven._version import __version__
from leaven.exceptions import ModelFileError
from leaven.fitted import FittedClassifier
from leaven.models import MixtureParams, MultinomialMixture
from leaven.report import FitReport
from leaven.text._counter import TextCounter, TextOptions
from leaven.text._hash_table import PADDING
from leaven.text._vocabulary import Vocabulary

__all__ = ["FORMAT", "dump_model", "load_model", "parse_model", "save_model"]

FORMAT = 1
_KEY = "leaven"


def save_model(fitted: FittedClassifier, path: str | os.PathLike[str]) -> None:
    """Write a model: to a temporary name beside ``path`` first, then renamed over it."""
    write_atomically(Path(path), dump_model(fitted))


def load_model(path: str | os.PathLike[str]) -> FittedClassifier:
    """Read a model; a file that is not one gives a ModelFileError of one sentence."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"no model file at {str(path)!r}; check the path") from None
    except IsADirectoryError:
        raise ModelFileError(f"{str(path)!r} is a folder, not a model file") from None
    return parse_model(content, str(path))


def dump_model(fitted: FittedClassifier) -> bytes:
    """Bytes of a model file."""
    counter, params = fitted.counter, fitted.params
    tensors = {
        "component_class": np.asarray(fitted.model.component_class, dtype=np.int64),
        "log_weight": np.asarray(params.log_weight, dtype=np.float64),
        "log_word": np.ascontiguousarray(params.log_word.T),  # (n_words, n_components)
        "vocabulary": counter.vocabulary.arena,
        "vocabulary_starts": counter.vocabulary.starts,
        "idf": counter.idf,
    }
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    classes = fitted.classes.tolist()
    about = {
        "format": FORMAT,
        "leaven": __version__,
        "kind": "multinomial-mixture",
        "classes": classes,
        "text": counter.options.to_json(),
        "model": {
            "alpha": float(fitted.model.alpha),
            "class_alpha": float(fitted.model.class_alpha),
            "unlabeled_weight": float(fitted.model.unlabeled_weight),
        },
        "report": fitted.report.to_json(),
    }
    about["digest"] = _digest(tensors, about)
    return dump_tensors(tensors, {_KEY: json.dumps(about, ensure_ascii=False)})


def parse_model(content: bytes, name: str) -> FittedClassifier:
    """Model from the bytes of a file called ``name``, every part checked."""
    about = _metadata(content, name)
    try:
        tensors = load_tensors(content)
    except SafetensorError as error:
        raise ModelFileError(f"{name!r} is damaged or cut short ({error}); copy it again") from None
    if about.get("digest") != _digest(tensors, about):
        raise ModelFileError(
            f"{name!r} was changed after it was written (its digest does not match); "
            "copy it again or train anew"
        )
    try:
        return _assemble(tensors, about)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFileError(
            f"{name!r} is not a consistent leaven model ({error}); train it anew"
        ) from None


def _metadata(content: bytes, name: str) -> dict[str, Any]:
    """The JSON text of a safetensors file, read by hand: the library hides it in numpy mode."""
    size = int.from_bytes(content[:8], "little")
    foreign = ModelFileError(f"{name!r} is not a leaven model; give a file that leaven train wrote")
    if len(content) < 10 or content[8:9] != b"{":
        raise foreign
    if len(content) < 8 + size:
        raise ModelFileError(f"{name!r} is cut short in its header; copy it again")
    try:
        header = json.loads(content[8 : 8 + size])
        about = json.loads(header["__metadata__"][_KEY])
        number = about["format"]
    except (ValueError, KeyError, TypeError):
        raise foreign from None
    if not isinstance(number, int) or number > FORMAT or number < 1:
        raise ModelFileError(
            f"{name!r} has model format {number!r}, and leaven {__version__} reads formats up to "
            f"{FORMAT}; update leaven (the file was written by version {about.get('leaven')})"
        )
    assert isinstance(about, dict)
    return about


def _assemble(tensors: Mapping[str, Any], about: Mapping[str, Any]) -> FittedClassifier:
    options = TextOptions.from_json(about["text"])
    vocabulary = _checked_vocabulary(tensors["vocabulary"], tensors["vocabulary_starts"])
    counter = TextCounter(options, options.as_tokens, vocabulary, tensors["idf"])
    names = about["classes"]
    is_text = all(isinstance(name, str) for name in names)
    classes = np.array(names, dtype=object if is_text else np.int64)
    component_class, log_weight = tensors["component_class"], tensors["log_weight"]
    log_word = tensors["log_word"].T
    if not (
        log_word.shape == (len(component_class), counter.n_words)
        and len(log_weight) == len(component_class)
        and sorted(set(component_class.tolist())) == list(range(len(classes)))
        and len(counter.idf) in ({counter.n_words} if options.idf else {0})
    ):
        raise ValueError("its arrays do not fit together")
    return FittedClassifier(
        counter,
        MultinomialMixture(component_class, **about["model"]),
        MixtureParams(log_weight, log_word),
        classes,
        FitReport(**about["report"]),
    )


def _checked_vocabulary(arena: Any, starts: Any) -> Vocabulary:
    # Compiled code trusts these numbers, so nothing that could send it astray passes.
    inside = len(arena) - PADDING
    if not (
        len(starts) and starts[0] == 0 and starts[-1] == inside and (np.diff(starts) > 0).all()
    ):
        raise ValueError("its vocabulary is malformed")
    # Copied, because kernels are compiled for arrays that can be written to.
    vocabulary = Vocabulary(np.array(arena), np.array(starts))
    vocabulary.words.validate(full=True)  # raises pa.ArrowInvalid, a ValueError, unless UTF-8
    return vocabulary


def _digest(tensors: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in about.items() if name != "digest"}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
    for name in sorted(tensors):
        array = tensors[name]
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it appears whole or not at all."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"the folder {str(path.parent)!r} does not exist; create it or choose another"
        ) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
