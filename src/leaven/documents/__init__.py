"""Reading and writing documents: files and Python objects to and from Arrow arrays."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaven.documents._labels import UNLABELED, Labels
    from leaven.documents._readers import DocumentFiles, Documents, read_documents

__all__ = ["DocumentFiles", "Documents", "Labels", "UNLABELED", "read_documents"]

_HOME = {"Labels": "_labels", "UNLABELED": "_labels"}


def __getattr__(name: str) -> Any:
    # Labels are needed without the readers, whose kernels take a while to load.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME.get(name, '_readers')}"), name)
