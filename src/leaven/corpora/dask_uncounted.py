"""Files that the workers of a Dask cluster read and count, each its own pieces of them."""

import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from leaven.corpora._base import Block
from leaven.corpora._cache import gathered
from leaven.corpora._file_blocks import CountedFiles
from leaven.corpora._uncounted import Counted, Counting, check_unchanged, described
from leaven.corpora.dask import FAN_IN, Cluster, DaskCorpus, Task, same
from leaven.documents._pieces import FilePiece
from leaven.documents._readers import DocumentFiles
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter
from leaven.text._counting import Tokens
from leaven.text._survey import Survey, added_up, survey, tokens_of

__all__ = ["PIECE_BYTES", "FilesOnDask", "good_pieces", "pieces_of"]

PIECE_BYTES = 1 << 26  # of files: what one task reads at most
SMALLEST_PIECE = 1 << 20
PIECES_PER_THREAD = 3  # at least, of large files, so that all have about equally much to do


@dataclass(frozen=True, eq=False)
class FilesOnDask:
    """Documents in files that every worker can open under the same path."""

    files: DocumentFiles
    cluster: Cluster
    vectors: str | None = None  # column of vectors of the user's own
    piece_bytes: int = PIECE_BYTES

    def counted(self, how: Counting) -> Counted:
        tokens = tokens_of(how.options(1))  # refused, if at all, before anything is read
        cluster = self.cluster
        cluster.wait_for_workers()
        pieces = pieces_of(self.files, cluster, self.piece_bytes)
        looks = [
            [cluster.submit(_look, piece, tokens) for piece in own_pieces] for own_pieces in pieces
        ]
        pieces, looks = good_pieces(self.files, cluster, pieces, looks, how.progress("files"))
        found: Survey = cluster.result(_tree(cluster, [look for own in looks for look in own]))
        counter, classes, counts, notes = described(found, self.files, how)
        sent = cluster.submit(same, counter)
        names = [str(name) for name in classes]
        every = [piece for own_pieces in pieces for piece in own_pieces]
        parts = [
            cluster.submit(_count, own, sent, names, self.vectors)
            for own in _together(every, piece_bytes(self.files, cluster, self.piece_bytes))
        ]
        cluster.wait(parts, how.progress("pieces"))
        corpus = DaskCorpus(cluster, parts)
        check_unchanged(found, corpus)
        return Counted(corpus, counter, classes, counts, found.n_documents, notes=notes)


@dataclass(frozen=True, eq=False)
class _Look:
    """What a worker found in a piece of a file: its words, or what is wrong with it."""

    survey: Survey | None
    fault: str | None = None

    @property
    def n_documents(self) -> int:
        return 0 if self.survey is None else self.survey.n_documents


def _look(piece: FilePiece, tokens: Tokens) -> _Look:
    if not piece.source.path.exists():  # which the driver has seen
        return _Look(
            None,
            f"{piece.source.name} is not there for the worker on {socket.gethostname()}; every "
            "worker must find the files under the same path",
        )
    try:
        parts = [survey(batch, tokens, 1) for batch in piece]
    except DataError as error:
        return _Look(None, str(error))
    return _Look(added_up(parts)) if parts else _Look(None)


def _count(
    pieces: list[FilePiece], counter: TextCounter, names: Sequence[str], vectors: str | None
) -> list[Block]:
    # Read as they are counted, so that no more than one batch of text is in memory.
    batches = chain.from_iterable(pieces)
    return list(gathered(CountedFiles(batches, counter, names, vectors=vectors, n_threads=1)))


def _together(pieces: Sequence[FilePiece], n_bytes: int) -> Iterator[list[FilePiece]]:
    """Neighbours of about so many bytes: blocks of many documents are added up sooner."""
    waiting: list[FilePiece] = []
    size = 0
    for piece in pieces:
        if waiting and size + piece.n_bytes > n_bytes:
            yield waiting
            waiting, size = [], 0
        waiting.append(piece)
        size += piece.n_bytes
    if waiting:
        yield waiting


def piece_bytes(files: DocumentFiles, cluster: Cluster, most: int) -> int:
    """How large a piece should be: all threads are to have something to do."""
    n_threads = sum(cluster.n_threads().values())
    share = files.total_bytes // (PIECES_PER_THREAD * max(n_threads, 1))
    return min(most, max(share, SMALLEST_PIECE))


def pieces_of(
    files: DocumentFiles, cluster: Cluster, n_bytes: int = PIECE_BYTES
) -> list[list[FilePiece]]:
    """Pieces of each file; workers find out where rows of CSV begin."""

    def run(function: Callable[..., Any], given: Sequence[tuple[Any, ...]]) -> list[Any]:
        return cluster.results([cluster.submit(function, *own) for own in given])

    return files.pieces(piece_bytes(files, cluster, n_bytes), run)


def good_pieces(
    files: DocumentFiles,
    cluster: Cluster,
    pieces: list[list[FilePiece]],
    looks: list[list[Task]],
    on_file: Callable[[int, int], None] | None = None,
) -> tuple[list[list[FilePiece]], list[list[Task]]]:
    """The pieces, and what was found in them, of files that are good as a whole."""
    states = [[cluster.submit(_state, look) for look in own] for own in looks]
    good: list[int] = []
    for number, own in enumerate(states):
        answers = cluster.results(own)
        name = pieces[number][0].source.name
        fault = next((fault for fault, _ in answers if fault is not None), None)
        if fault is None and not sum(n_documents for _, n_documents in answers):
            fault = f"{name} holds no documents; pass a file that does"
        if fault is None:
            good.append(number)
        else:
            files.leave_out(name, fault)
        if on_file is not None:
            on_file(number + 1, len(states))
    return [pieces[number] for number in good], [looks[number] for number in good]


def _state(look: _Look) -> tuple[str | None, int]:
    return look.fault, look.n_documents


def _tree(cluster: Cluster, looks: Sequence[Task]) -> Task:
    """The sum of all surveys, added up on the cluster."""
    sums = list(looks)
    while True:
        sums = [
            cluster.submit(_joined, *sums[first : first + FAN_IN])
            for first in range(0, len(sums), FAN_IN)
        ]
        if len(sums) == 1:
            return sums[0]


def _joined(*found: _Look | Survey | None) -> Survey | None:
    parts = list(_surveys(found))
    return added_up(parts) if parts else None


def _surveys(found: Sequence[_Look | Survey | None]) -> Iterator[Survey]:
    for own in found:
        inner = own.survey if isinstance(own, _Look) else own
        if inner is not None:
            yield inner
