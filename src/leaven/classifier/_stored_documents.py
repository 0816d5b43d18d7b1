"""Parts of a model file that not every model has: documents to compare with, and excerpts."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaven._base.tensors import StoredArrays
from leaven.classifier._fitted import FittedClassifier
from leaven.documents._excerpts import Excerpts
from leaven.experts import Expert, documents_of
from leaven.neighbors import KeptDocuments

__all__ = ["documents_from", "documents_to", "excerpts_from"]

DOCUMENTS, EXCERPTS = "documents", "excerpts"


def documents_to(fitted: FittedClassifier) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays of documents, unless an expert holds them, and of excerpts; a description."""
    about: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    if fitted.documents is not None and not fitted.decides_by_neighbors:
        parts[DOCUMENTS] = fitted.documents.to_tensors()
    if fitted.excerpts is not None:
        parts[EXCERPTS] = fitted.excerpts.to_tensors()
        about[EXCERPTS] = {"n_characters": fitted.excerpts.n_characters}
    tensors = {
        f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()
    }
    return tensors, about


def documents_from(
    tensors: Mapping[str, Any], experts: Sequence[Expert], n_words: int, n_codes: int
) -> KeptDocuments | None:
    """Documents of an expert, or of the file, or a ValueError; earlier versions wrote none."""
    own = documents_of(experts)
    if own is not None or not _has_part(tensors, DOCUMENTS):
        return own
    return KeptDocuments.from_tensors(StoredArrays(tensors, DOCUMENTS), n_words, n_codes)


def excerpts_from(
    tensors: Mapping[str, Any], about: Mapping[str, Any], documents: KeptDocuments | None
) -> Excerpts | None:
    """One excerpt for each document, or a ValueError; None where no text was kept."""
    settings = about.get(EXCERPTS)
    if settings is None and not _has_part(tensors, EXCERPTS):
        return None
    if documents is None or not isinstance(settings, dict):
        raise ValueError("its excerpts are malformed")
    arrays = StoredArrays(tensors, EXCERPTS)
    return Excerpts.from_tensors(arrays, settings["n_characters"], len(documents.codes))


def _has_part(tensors: Mapping[str, Any], part: str) -> bool:
    return any(name.startswith(f"{part}.") for name in tensors)
