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
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as dump_tensors

from leaven._base.atomic_files import write_atomically
from leaven._base.printing import printable
from leaven._base.tensors import MOST
from leaven._version import __version__
from leaven.classifier._fitted import FittedClassifier
from leaven.classifier._report import FitReport
from leaven.classifier._stored_decision import decision_from, decision_to
from leaven.classifier._stored_documents import documents_from, documents_to, excerpts_from
from leaven.documents._reading import Reading
from leaven.exceptions import ModelFileError
from leaven.experts import UnknownKindError, experts_from, experts_to
from leaven.learning._em_facts import EMFacts, class_lines, em_lines
from leaven.learning._views import view_from, view_to
from leaven.text._counter import TextCounter
from leaven.text._hash_table_kernels import PADDING
from leaven.text._options import TextOptions
from leaven.text._vocabulary import Vocabulary

__all__ = [
    "FORMAT",
    "dump_model",
    "is_model",
    "load_model",
    "parse_model",
    "read_metadata",
    "save_model",
]

FORMAT = 4
WITHOUT_DECISION = 3  # written where documents have one label, for earlier versions to read
FIRST_KIND = "multinomial-mixture"  # of format 1, which held one expert only
FIRST_DEFAULTS = {"alpha": 1.0, "class_alpha": 0.0, "unlabeled_weight": 1.0, "scale": 1.0}
MOST_SHOWN = 200  # characters of what is wrong
FAULTS = (TypeError, ValueError, ArithmeticError, IndexError, AttributeError, RecursionError)
_KEY = "leaven"
_TENSORS = {
    "vocabulary": (1, {"uint8"}),
    "vocabulary_starts": (1, {"int64"}),
    "idf": (1, {"float64"}),
    "weights": (1, {"float64"}),
}


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
    counter = fitted.counter
    of_experts, experts = experts_to(fitted.experts)
    of_view, view = view_to(fitted.view)
    tensors = {
        "vocabulary": counter.vocabulary.arena,
        "vocabulary_starts": counter.vocabulary.starts,
        "idf": np.asarray(counter.idf, dtype=np.float64),
        "weights": np.asarray(fitted.weights, dtype=np.float64),
        **of_experts,
        **of_view,
    }
    if len(fitted.labeled_hashes):
        tensors["labeled_hashes"] = fitted.labeled_hashes
    of_documents, documents = documents_to(fitted)
    of_decision, decision = decision_to(fitted.decision)
    tensors |= of_documents | of_decision
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    classes = fitted.classes.tolist()
    about = {
        "format": FORMAT if decision else WITHOUT_DECISION,
        "leaven": __version__,
        "classes": classes,
        "text": counter.options.to_json(),
        "counts": np.dtype(fitted.dtype).name,
        "experts": experts,
        "view": view,
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
    for name, (n_dimensions, types) in _TENSORS.items():
        if tensors[name].ndim != n_dimensions or tensors[name].dtype.name not in types:
            raise ValueError(f"its array {name!r} is of the wrong type")
    _check_kinds(TextOptions, about["text"])
    options = TextOptions.from_json(about["text"])
    if options.length is not None and options.length > 1e9:
        raise ValueError(f"its document length is {options.length}")
    vocabulary = _checked_vocabulary(tensors["vocabulary"], tensors["vocabulary_starts"])
    counter = TextCounter(options, options.as_tokens, vocabulary, tensors["idf"])
    decision = decision_from(tensors, about)
    labels = decision.labels
    view = view_from(tensors, about["view"], counter.n_words)
    n_dims = view.n_dims if view is not None else 0
    experts = experts_from(tensors, about["experts"], counter.n_words, n_dims, len(labels))
    weights = tensors["weights"]
    if len(counter.idf) not in ({counter.n_words} if options.idf else {0}):
        raise ValueError("its arrays do not fit together")
    if len(weights) != len(experts) or not ((weights > 0) & (weights < MOST**2)).all():
        raise ValueError("its experts' weights are not positive numbers of a sensible size")
    if not ((counter.idf > 1 / MOST) & (counter.idf < MOST)).all():
        raise ValueError("its word weights are not positive numbers of a sensible size")
    if about["counts"] not in ("float32", "float64"):
        raise ValueError(f"its counts are {about['counts']!r}")
    _check_kinds(FitReport, about["report"])
    if any(expert.as_mixture() for expert in experts):
        _check_kinds(EMFacts, about["report"])
    report = FitReport.from_json(about["report"])
    try:
        str(report)
        report.to_json()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        raise ValueError("its report cannot be read") from None
    documents = documents_from(tensors, experts, counter.n_words, labels.n_codes)
    return FittedClassifier(
        counter,
        experts,
        weights,
        decision,
        report,
        view,
        np.dtype(about["counts"]),
        reading=_checked_reading(about.get("reading")),
        labeled_hashes=_checked_hashes(tensors.get("labeled_hashes", np.zeros(0, np.uint64))),
        documents=documents,
        excerpts=excerpts_from(tensors, about, documents),
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
    _check_kinds(EMFacts, report)
    try:
        found = {"lines": list(em_lines(report)), "class_lines": class_lines(report)}
    except (IndexError, TypeError, ValueError):
        raise ValueError("its report cannot be read") from None
    return {**about, "report": {**report, **found}}


def _checked_vocabulary(arena: Any, starts: Any) -> Vocabulary:
    # Compiled code does not check these numbers, so they must not lead it out of bounds.
    inside = len(arena) - PADDING
    # Compared, not subtracted: differences of 64-bit numbers can wrap around.
    if not (
        len(starts) and starts[0] == 0 and starts[-1] == inside and (starts[1:] > starts[:-1]).all()
    ):
        raise ValueError("its vocabulary is malformed")
    # Copied, because kernels are compiled for arrays that can be written to.
    vocabulary = Vocabulary(np.array(arena), np.array(starts))
    vocabulary.words.validate(full=True)  # raises pa.ArrowInvalid, a ValueError, unless UTF-8
    return vocabulary


def _check_kinds(home: type, fields: Any) -> None:
    """Refuse JSON values of another kind than the fields of a dataclass are declared to be."""
    if not isinstance(fields, dict):
        raise TypeError(f"its {home.__name__} is {fields!r}")
    for name, declared in get_type_hints(home).items():
        if name in fields and not _is_of_kind(fields[name], declared):
            raise TypeError(f"its {name} is {fields[name]!r}")


def _is_of_kind(value: Any, declared: Any) -> bool:
    origin, inner = get_origin(declared), get_args(declared)
    if declared is Any:
        return True
    if origin is UnionType:
        return any(_is_of_kind(value, kind) for kind in inner)
    if origin is dict:
        return isinstance(value, dict) and all(_is_of_kind(v, inner[1]) for v in value.values())
    if origin is not None:  # list, tuple or Sequence of one kind
        return isinstance(value, list) and all(_is_of_kind(v, inner[0]) for v in value)
    if declared in (int, float):
        return isinstance(value, int | declared) and not isinstance(value, bool)
    return isinstance(value, declared)


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
