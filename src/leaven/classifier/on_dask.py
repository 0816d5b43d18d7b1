"""Classification of files by the workers of a Dask cluster, piece by piece.

The model goes to the cluster once, with a task whose result any worker can recompute, so that
a lost worker costs time and nothing else.
"""

import contextlib
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from leaven._base.progress import OnDone
from leaven.classifier._predictions import TablePredictor, Tally
from leaven.classifier._scorer import AnySums, Scorer
from leaven.corpora.dask import Cluster, same
from leaven.corpora.dask_uncounted import good_pieces, pieces_of
from leaven.documents._pieces import Documents, FilePiece
from leaven.documents._readers import DocumentFiles
from leaven.documents._writers import write_tables
from leaven.exceptions import DataError

__all__ = ["predicted_tables", "score_files", "write_parts"]


class Counted(Protocol):
    """Counts of a batch of documents."""

    @property
    def n_documents(self) -> int: ...


C = TypeVar("C", bound=Counted)
C_co = TypeVar("C_co", bound=Counted, covariant=True)


class Labeler(Protocol[C_co]):
    """Classifies a batch of documents: a table of rows to write, and counts."""

    def __call__(self, documents: Documents) -> tuple[pa.Table, C_co]: ...


ATTEMPTS = 20  # at removing a folder into which a worker may still write


@dataclass(frozen=True, eq=False)
class Done:
    """A worker's result for a piece of a file, or the fault of the file."""

    content: Any = None  # None where the piece holds no documents
    n_documents: int = 0
    fault: str | None = None


def score_files(
    files: DocumentFiles, cluster: Cluster, scorer: Scorer, on_piece: OnDone | None = None
) -> AnySums:
    """Counts of all documents."""
    done = _all_done(files, cluster, on_piece, _score, scorer)
    sums: AnySums = reduce(add, [part.content for part in done])
    return sums


def write_parts(
    files: DocumentFiles,
    cluster: Cluster,
    labeler: TablePredictor,
    folder: Path,
    on_piece: OnDone | None = None,
) -> Tally:
    """Have workers write predictions as Parquet files, part-00000.parquet and so on.

    The files appear in the folder when all are complete. They are in the order of the documents.
    """
    with _staging(folder) as stage:
        done = _all_done(files, cluster, on_piece, _write, labeler, stage)
        for number, part in enumerate(done):
            os.replace(part.content[0], folder / f"part-{number:05}.parquet")
    tallies: list[Tally] = [part.content[1] for part in done]
    return reduce(add, tallies)


def predicted_tables(
    files: DocumentFiles, cluster: Cluster, labeler: Labeler[C], on_piece: OnDone | None = None
) -> Iterator[tuple[pa.Table, C]]:
    """Yield tables with predictions in the order of the files; a few wait on the cluster."""
    cluster.wait_for_workers()
    pieces = pieces_of(files, cluster)
    if files.skip_bad:
        # Rows are written as they arrive, so bad files must be known before.
        looks = [
            [cluster.submit(_attempt, True, _look, piece) for piece in of_file]
            for of_file in pieces
        ]
        good = good_pieces(files, cluster, pieces, looks)
        pieces = [[found.piece for found in of_file] for of_file in good]
    sent = cluster.submit(same, labeler)
    n_pieces, n_done = sum(map(len, pieces)), 0
    results = cluster.in_order(_label, [(piece, sent) for of_file in pieces for piece in of_file])
    for of_file in pieces:
        n_documents = 0
        for _ in of_file:
            for table, tally in next(results):
                n_documents += tally.n_documents
                yield table, tally
            n_done += 1
            if on_piece is not None:
                on_piece(n_done, n_pieces)
        if not n_documents:
            name = of_file[0].source.name
            files.leave_out(name, f"{name} holds no documents; pass a file that does")


def _all_done(
    files: DocumentFiles,
    cluster: Cluster,
    on_piece: OnDone | None,
    work: Callable[..., Any],
    tool: Any,
    *more: Any,
) -> list[Done]:
    """``work(piece, tool, *more)`` of all pieces that hold documents, of files that are good."""
    cluster.wait_for_workers()
    pieces = pieces_of(files, cluster)
    sent = cluster.submit(same, tool)
    tasks = [
        [cluster.submit(_attempt, files.skip_bad, work, piece, sent, *more) for piece in of_file]
        for of_file in pieces
    ]
    cluster.wait([task for of_file in tasks for task in of_file], on_piece)
    good = good_pieces(files, cluster, pieces, tasks)
    done = cluster.results([piece.look for of_file in good for piece in of_file])
    return [found for found in done if found.content is not None]


class _BadFile(Exception):
    """A file cannot be read; kept apart from all other errors."""


def _read(piece: FilePiece) -> Iterator[Documents]:
    try:
        yield from piece
    except DataError as error:
        raise _BadFile(str(error)) from None


def _attempt(skip_bad: bool, work: Callable[..., Done], *given: Any) -> Done:
    try:
        return work(*given)
    except _BadFile as error:
        if not skip_bad:
            raise DataError(str(error)) from None
        return Done(fault=str(error))


def _score(piece: FilePiece, scorer: Scorer) -> Done:
    parts = [scorer(batch) for batch in _read(piece)]
    if not parts:
        return Done()
    total: AnySums = reduce(add, parts)
    return Done(total, total.n_documents)


def _write(piece: FilePiece, labeler: TablePredictor, stage: Path) -> Done:
    tallies: list[Tally] = []

    def tables() -> Iterator[pa.Table]:
        for batch in _read(piece):
            table, tally = labeler(batch)
            tallies.append(tally)
            yield table

    if not stage.is_dir():
        raise FileNotFoundError(
            f"a worker cannot find the folder {str(stage.parent)!r}; it must be one that all "
            "workers can open under the same path"
        )
    # A unique name, because a worker taken for lost may still write the same piece.
    path = stage / f"{uuid.uuid4().hex}.parquet"
    waiting = tables()
    first = next(waiting, None)
    if first is None:
        return Done()
    write_tables(_chained(first, waiting), path)
    total = reduce(add, tallies)
    return Done((path, total), total.n_documents)


def _chained(first: pa.Table, others: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    del first
    yield from others


def _label(given: tuple[FilePiece, Labeler[C]]) -> list[tuple[pa.Table, C]]:
    piece, labeler = given
    return [labeler(batch) for batch in piece]


def _look(piece: FilePiece) -> Done:
    return Done(n_documents=sum(len(batch.texts) for batch in _read(piece)))


@contextlib.contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A hidden folder in which files are written before they are renamed."""
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    stage = folder / f".leaven-{uuid.uuid4().hex}"
    try:
        stage.mkdir()
        yield stage
    finally:
        for _ in range(ATTEMPTS):
            shutil.rmtree(stage, ignore_errors=True)
            if not stage.exists():
                break
            time.sleep(0.05)
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()  # stays if anything was written
