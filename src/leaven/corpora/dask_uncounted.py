"""Documents in files that the workers of a Dask cluster read and count in pieces."""

import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np

from leaven._base.progress import SILENT, Progress
from leaven._base.typing import IntArray
from leaven.corpora._base import Block
from leaven.corpora._cache import gathered
from leaven.corpora._file_blocks import CountedFiles
from leaven.corpora._training_set import TrainingSet
from leaven.corpora._uncounted import Counted, Counting, check_unchanged, described
from leaven.corpora.dask import FAN_IN, Cluster, DaskCorpus, Task, same
from leaven.documents._excerpts import excerpts_of_rows, in_places
from leaven.documents._labels import Labels
from leaven.documents._pieces import FilePiece
from leaven.documents._readers import DocumentFiles
from leaven.exceptions import DataError
from leaven.text._counter import TextCounter
from leaven.text._counting import Tokens
from leaven.text._embeddings import VectorSource
from leaven.text._survey import Survey, added_up, survey, tokens_of

__all__ = ["PIECE_BYTES", "FilesOnDask", "GoodPiece", "good_pieces", "pieces_of"]

PIECE_BYTES = 1 << 26  # of a file that one task reads at most
SMALLEST_PIECE = 1 << 20
PIECES_PER_THREAD = 3  # at least, of large files, to balance the load


@dataclass(frozen=True, eq=False)
class FilesOnDask:
    """Documents in files that every worker can open under the same path."""

    place: ClassVar[str] = "dask"

    files: DocumentFiles
    cluster: Cluster
    vectors: VectorSource = None  # where vectors that are not learned come from
    piece_bytes: int = PIECE_BYTES
    audited: str | None = None  # column that says which labels are audits
    # Pieces that were counted together, with the number of their first document.
    _groups: list[tuple[int, list[FilePiece]]] = field(default_factory=list, init=False)

    def counted(self, how: Counting) -> Counted:
        options = how.options(1)
        tokens, html = tokens_of(options), options.html  # raises before anything is read
        cluster = self.cluster
        cluster.wait_for_workers()
        pieces = pieces_of(self.files, cluster, self.piece_bytes)
        looks = [
            [cluster.submit(_look, piece, tokens, self.audited, html) for piece in of_file]
            for of_file in pieces
        ]
        good = good_pieces(self.files, cluster, pieces, looks, how.progress.phase("files"))
        every = [piece for of_file in good for piece in of_file]
        found: Survey = cluster.result(_tree(cluster, [piece.look for piece in every]))
        counter, labels, counts, notes = described(found, self.files, how)
        sent = cluster.submit(same, counter)
        self._groups[:] = _together(every, piece_bytes(self.files, cluster, self.piece_bytes))
        vectors = self.vectors if how.with_vectors else None
        parts = [
            cluster.submit(_count, together, first, sent, labels, vectors)
            for first, together in self._groups
        ]
        cluster.wait(parts, how.progress.phase("pieces"))
        parts = cluster.joined(cluster.balanced(parts))
        corpus = DaskCorpus(cluster, parts)
        n_wordless = check_unchanged(found, corpus)
        audited = None if self.audited is None else found.audited
        training = TrainingSet(corpus, labels, counts, audited=audited)
        return Counted.surveyed(training, counter, found, notes, n_wordless)

    def excerpts(
        self, numbers: IntArray, n_characters: int, progress: Progress = SILENT
    ) -> list[str]:
        firsts = [first for first, _ in self._groups]
        group_of = np.searchsorted(firsts, numbers, side="right") - 1
        order = np.argsort(group_of, kind="stable")
        tasks = [
            self.cluster.submit(
                _excerpts, *self._groups[group], numbers[group_of == group], n_characters
            )
            for group in np.unique(group_of).tolist()
        ]
        parts = self.cluster.results(tasks, progress.phase("pieces"))
        return in_places(list(chain.from_iterable(parts)), order)


@dataclass(frozen=True, eq=False)
class _Look:
    """Result of surveying a piece of a file: its survey, or what is wrong with it."""

    survey: Survey | None
    fault: str | None = None

    @property
    def n_documents(self) -> int:
        return 0 if self.survey is None else self.survey.n_documents


def _look(piece: FilePiece, tokens: Tokens, audited: str | None, html: bool) -> _Look:
    if not piece.source.path.exists():  # it exists on the driver
        return _Look(
            None,
            f"{piece.source.name} does not exist for the worker on {socket.gethostname()}; "
            "every worker must find the files under the same path",
        )
    try:
        parts = [survey(batch, tokens, 1, audited, html) for batch in piece]
    except DataError as error:
        return _Look(None, str(error))
    return _Look(added_up(parts)) if parts else _Look(None)


def _count(
    pieces: list[FilePiece],
    first: int,
    counter: TextCounter,
    labels: Labels,
    vectors: VectorSource,
) -> list[Block]:
    # Read while counting, so that at most one batch of text is in memory.
    batches = chain.from_iterable(pieces)
    blocks = CountedFiles(batches, counter, labels, vectors=vectors, n_threads=1, first=first)
    return [block.kept() for block in gathered(blocks)]


def _excerpts(
    first: int, pieces: list[FilePiece], numbers: IntArray, n_characters: int
) -> list[str]:
    return excerpts_of_rows(chain.from_iterable(pieces), numbers, n_characters, first)


def _together(pieces: Sequence["GoodPiece"], n_bytes: int) -> Iterator[tuple[int, list[FilePiece]]]:
    """Group neighbouring pieces up to ``n_bytes``: sums over larger blocks are faster.

    Each group comes with the number of its first document in the corpus.
    """
    waiting: list[FilePiece] = []
    size = first = n_documents = 0
    for good in pieces:
        if waiting and size + good.piece.n_bytes > n_bytes:
            yield first, waiting
            waiting, size, first = [], 0, n_documents
        waiting.append(good.piece)
        size += good.piece.n_bytes
        n_documents += good.n_documents
    if waiting:
        yield first, waiting


def piece_bytes(files: DocumentFiles, cluster: Cluster, most: int) -> int:
    """Size of a piece, small enough that all threads have work."""
    n_threads = sum(cluster.n_threads().values())
    share = files.total_bytes // (PIECES_PER_THREAD * max(n_threads, 1))
    return min(most, max(share, SMALLEST_PIECE))


def pieces_of(
    files: DocumentFiles, cluster: Cluster, n_bytes: int = PIECE_BYTES
) -> list[list[FilePiece]]:
    """Pieces of each file; workers determine where CSV rows begin."""

    def run(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        return cluster.results([cluster.submit(function, *arguments) for arguments in calls])

    return files.pieces(piece_bytes(files, cluster, n_bytes), run)


class GoodPiece(NamedTuple):
    """A piece of a file without faults."""

    piece: FilePiece
    look: Task  # its survey
    n_documents: int


def good_pieces(
    files: DocumentFiles,
    cluster: Cluster,
    pieces: list[list[FilePiece]],
    looks: list[list[Task]],
    on_file: Callable[[int, int], object] | None = None,
) -> list[list[GoodPiece]]:
    """The pieces of each file without faults."""
    states = [[cluster.submit(_state, look) for look in of_file] for of_file in looks]
    good: list[list[GoodPiece]] = []
    for number, of_file in enumerate(states):
        answers = cluster.results(of_file)
        name = pieces[number][0].source.name
        fault = next((fault for fault, _ in answers if fault is not None), None)
        if fault is None and not sum(n_documents for _, n_documents in answers):
            fault = f"{name} holds no documents; pass a file that does"
        if fault is None:
            sizes = [n_documents for _, n_documents in answers]
            rows = zip(pieces[number], looks[number], sizes, strict=True)
            good.append([GoodPiece(*row) for row in rows])
        else:
            files.leave_out(name, fault)
        if on_file is not None:
            on_file(number + 1, len(states))
    return good


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


def _joined(*looks: _Look | Survey | None) -> Survey | None:
    parts = list(_surveys(looks))
    return added_up(parts) if parts else None


def _surveys(looks: Sequence[_Look | Survey | None]) -> Iterator[Survey]:
    for look in looks:
        inner = look.survey if isinstance(look, _Look) else look
        if inner is not None:
            yield inner
