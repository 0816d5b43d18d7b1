"""Model files: safetensors and JSON, never executable.

A model file is one safetensors file. Its tensors are the parameters and the vocabulary;
its metadata is one JSON text with the options, the classes, the format number, leaven's
version and a SHA-256 digest of everything else.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as dump_tensors

from leaven._base.atomic_files import write_atomically
from leaven._base.printing import printable
from leaven._version import __version__
from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._kinds import check_kinds
from leaven.classifier._report import FitReport
from leaven.classifier._stored_channel import channel_from, channel_to
from leaven.classifier._stored_decision import decision_from, decision_to
from leaven.classifier._stored_documents import documents_from, documents_to, excerpts_from
from leaven.documents._reading import Reading
from leaven.exceptions import ModelFileError
from leaven.experts import UnknownKindError
from leaven.learning._em_facts import EMFacts, class_lines, em_lines

__all__ = [
    "FORMAT",
    "dump_model",
    "is_model",
    "load_model",
    "parse_model",
    "read_metadata",
    "save_model",
]

FORMAT = 5
FIRST_KIND = "multinomial-mixture"  # of format 1, which held one expert only
FIRST_DEFAULTS = {"alpha": 1.0, "class_alpha": 0.0, "unlabeled_weight": 1.0, "scale": 1.0}
MOST_SHOWN = 200  # characters of what is wrong
FAULTS = (TypeError, ValueError, ArithmeticError, IndexError, AttributeError, RecursionError)
_KEY = "leaven"
_SUBWORDS = "subwords."  # before the names of what sees subwords


def save_model(fitted: FittedClassifier, path: str | os.PathLike[str]) -> None:
    """Write a model: to a temporary name beside ``path`` first, then renamed over it."""
    write_atomically(Path(path), dump_model(fitted))


def load_model(path: str | os.PathLike[str]) -> FittedClassifier:
    """Read a model; any other file raises a ModelFileError of one sentence."""
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
    tensors, words = channel_to(fitted.words)
    beside = {}
    if fitted.beside is not None:
        of_subwords, beside["subwords"] = channel_to(fitted.beside)
        tensors |= {_SUBWORDS + name: array for name, array in of_subwords.items()}
    if len(fitted.labeled_hashes):
        tensors["labeled_hashes"] = fitted.labeled_hashes
    of_documents, documents = documents_to(fitted)
    of_decision, decision = decision_to(fitted.decision)
    tensors |= of_documents | of_decision
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    classes = fitted.classes.tolist()
    about = {
        "format": FORMAT,
        "leaven": __version__,
        "classes": classes,
        "counts": np.dtype(fitted.dtype).name,
        **words,
        **beside,
        "report": fitted.report.to_json(),
        "reading": None if fitted.reading is None else fitted.reading.to_json(),
        **documents,
        **decision,
    }
    about = json.loads(json.dumps(about, default=_plain))
    about["digest"] = _digest(tensors, about)
    return dump_tensors(tensors, {_KEY: json.dumps(about, ensure_ascii=False)})


def parse_model(content: bytes, name: str) -> FittedClassifier:
    """Model from the bytes of a file called ``name``, every part checked."""
    about = read_metadata(content, name)
    try:
        tensors = load_tensors(content)
    except (SafetensorError, KeyError) as error:  # KeyError: a type that numpy lacks
        raise ModelFileError(f"{name!r} is damaged or truncated ({error}); copy it again") from None
    if about.get("digest") != _digest(tensors, about):
        raise ModelFileError(
            f"{name!r} was changed after it was written (its digest does not match); "
            "copy it again or train it again"
        )
    try:
        _check_text(about)
        return _assemble(tensors, about)
    except KeyError as error:
        raise ModelFileError(
            f"{name!r} is not a consistent leaven model (it lacks {error}); train it again"
        ) from None
    except UnknownKindError as error:
        raise ModelFileError(
            f"{name!r} holds an expert of kind {error.args[0]!r}, which is not part of leaven; if "
            "another module defines it, import that module first"
        ) from None
    except FAULTS as error:
        why = " ".join(printable(str(error)[:MOST_SHOWN]).split())
        raise ModelFileError(
            f"{name!r} is not a consistent leaven model ({why}); train it again"
        ) from None


def read_metadata(content: bytes, name: str) -> dict[str, Any]:
    """The JSON text of a safetensors file, read by hand: the library hides it in numpy mode."""
    size = int.from_bytes(content[:8], "little")
    foreign = ModelFileError(f"{name!r} is not a leaven model; give a file that leaven train wrote")
    if len(content) < 10 or content[8:9] != b"{":
        raise foreign
    if len(content) < 8 + size:
        raise ModelFileError(f"{name!r} is truncated within its header; copy it again")
    try:
        header = json.loads(content[8 : 8 + size])
        about = json.loads(header["__metadata__"][_KEY])
        number = about["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise foreign from None
    if type(number) is not int or number < 1:
        raise ModelFileError(
            f"{name!r} has model format {number!r}, but formats are whole numbers from 1; "
            "copy it again or train it again"
        )
    if number > FORMAT:
        version = printable(str(about.get("leaven"))[:MOST_SHOWN])
        raise ModelFileError(
            f"{name!r} has model format {number!r}, but leaven {__version__} reads formats up to "
            f"{FORMAT}; update leaven (the file was written by version {version})"
        )
    assert isinstance(about, dict)
    return about


def _check_text(about: Mapping[str, Any]) -> None:
    """Refuse halves of characters, which JSON can hold and neither files nor terminals can."""
    try:
        json.dumps(about, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.start + 1]
        raise ValueError(f"its text contains an unpaired surrogate, {half!r}") from None


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as model files of any version do, however its rest may be."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > os.path.getsize(path) or file.read(1) != b"{":
            return False
        try:
            return _KEY in json.loads(b"{" + file.read(size - 1))["__metadata__"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return False


def _assemble(tensors: Mapping[str, Any], about: Mapping[str, Any]) -> FittedClassifier:
    if about["format"] == 1:
        tensors, about = _from_first_format(tensors, about)
    if about["format"] < 3:
        about = _from_second_format(about)
    for name, array in tensors.items():
        if array.dtype.kind not in "buif":
            raise ValueError(f"its array {name!r} holds {array.dtype} numbers")
    decision = decision_from(tensors, about)
    labels = decision.labels
    words, beside = channel_from(tensors, about, len(labels)), None
    if "subwords" in about:
        own = {
            name.removeprefix(_SUBWORDS): array
            for name, array in tensors.items()
            if name.startswith(_SUBWORDS)
        }
        beside = channel_from(own, about["subwords"], len(labels))
    if about["counts"] not in ("float32", "float64"):
        raise ValueError(f"its counts are {about['counts']!r}")
    check_kinds(FitReport, about["report"])
    if any(expert.as_mixture() for expert in words.experts):
        check_kinds(EMFacts, about["report"])
    report = FitReport.from_json(about["report"])
    try:
        str(report)
        report.to_json()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        raise ValueError("its report cannot be read") from None
    documents = documents_from(tensors, words.experts, words.counter.n_words, labels.n_codes)
    return FittedClassifier(
        words.counter,
        words.experts,
        words.weights,
        decision,
        report,
        words.view,
        np.dtype(about["counts"]),
        reading=_checked_reading(about.get("reading")),
        labeled_hashes=_checked_hashes(tensors.get("labeled_hashes", np.zeros(0, np.uint64))),
        documents=documents,
        excerpts=excerpts_from(tensors, about, documents),
        beside=beside,
    )


def _checked_hashes(hashes: Any) -> Any:
    """Hashes of labeled texts; earlier versions wrote none."""
    if hashes.ndim != 1 or hashes.dtype != np.uint64 or not (hashes[1:] > hashes[:-1]).all():
        raise ValueError("its hashes of labeled texts are malformed")
    return hashes


def _checked_reading(values: Any) -> Reading | None:
    if values is None:  # trained on texts in memory, or by an earlier version
        return None
    if not isinstance(values, dict):
        raise TypeError(f"its reading is {values!r}")
    return Reading.from_json(values)


def _from_first_format(
    tensors: Mapping[str, Any], about: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A model of format 1 as format 2 would have written it."""
    if about["kind"] != FIRST_KIND:
        raise ValueError(f"its kind is {about['kind']!r}")
    names = ("component_class", "log_weight", "log_word")
    moved = {f"0.{name}": tensors[name] for name in names}
    method = about["report"]["method"]
    settings = {**FIRST_DEFAULTS, **about["model"]}
    expert = {"kind": "mixture", "name": method, "settings": settings}
    return (
        {**tensors, **moved, "weights": np.ones(1)},
        {**about, "experts": [expert], "view": None, "counts": tensors["log_word"].dtype.name},
    )


def _from_second_format(about: Mapping[str, Any]) -> dict[str, Any]:
    """A model of format 2 as format 3 would have written it: its report in words."""
    report = about["report"]
    check_kinds(EMFacts, report)
    try:
        found = {"lines": list(em_lines(report)), "class_lines": class_lines(report)}
    except (IndexError, TypeError, ValueError):
        raise ValueError("its report cannot be read") from None
    return {**about, "report": {**report, **found}}


def _plain(value: Any) -> Any:
    """A numpy scalar as a Python number, which JSON can hold."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a model file cannot hold {value!r}")


def _digest(tensors: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in about.items() if name != "digest"}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode())
    for name in sorted(tensors):
        array = tensors[name]
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
