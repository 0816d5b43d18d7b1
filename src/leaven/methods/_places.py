"""Where the documents of files are counted: in memory, block by block, or on a cluster."""

import os
from typing import Any

from leaven.corpora import FilesInMemory, FilesOnDisk, Uncounted
from leaven.documents._readers import DocumentFiles
from leaven.text._embeddings import VectorSource

__all__ = ["check_client", "check_no_functions", "uncounted_files"]


def check_client(client: Any, cache: Any) -> None:
    """Raise an error for what is no client of Dask, or cannot be used with one."""
    if client is not None and not hasattr(client, "scheduler"):
        raise TypeError(
            f"client must be a dask.distributed.Client, got {client!r}; make one with "
            "Client(address)"
        )
    if client is not None and cache is not None:
        raise ValueError(
            "cache is a folder for the counts of one machine, but the workers of a cluster "
            "keep them in memory; leave out cache or client"
        )


def check_no_functions(embed: Any, segment: Any) -> None:
    """Raise an error for functions of texts, which files cannot be given to."""
    if callable(embed):
        raise ValueError(
            "a function as embed is for texts in memory; write the vectors into a column of "
            "the files and name it with vectors"
        )
    if segment is not None:
        raise ValueError(
            "segment is for texts in memory; write the segmented texts into a column of the files "
            'and use text_options={"tokens": "spaces"}'
        )


def uncounted_files(
    files: DocumentFiles,
    vectors: VectorSource,
    audited: str | None,
    stream: bool,
    cache: str | os.PathLike[str] | None,
    client: Any,
) -> Uncounted:
    """The documents of files, to be counted in one of the places."""
    if client is not None:
        from leaven.corpora.dask import Cluster
        from leaven.corpora.dask_uncounted import FilesOnDask

        return FilesOnDask(files, Cluster(client), vectors, audited=audited)
    if stream:
        return FilesOnDisk(files, None if cache is None else os.fspath(cache), vectors, audited)
    return FilesInMemory(files, vectors, audited)
