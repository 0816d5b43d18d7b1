"""Corpora: documents in memory, on disk or on a cluster, and sums over them."""

from leaven.corpora._base import UNLABELED, Block, Corpus
from leaven.corpora._cache import CachedCorpus, gathered
from leaven.corpora._file_blocks import CountedFiles
from leaven.corpora._memory import InMemoryCorpus, in_memory
from leaven.corpora._near_copies import near_copies
from leaven.corpora._parts import (
    MOST_LABELED,
    Joined,
    Unlabeled,
    distinct_documents,
    labeled_documents,
    numbered_documents,
)
from leaven.corpora._sample import distinct_sample, sample_documents, sample_unlabeled
from leaven.corpora._size import CorpusSize, measure
from leaven.corpora._stream import StreamedCorpus
from leaven.corpora._training_set import TrainingSet
from leaven.corpora._uncounted import (
    Counted,
    Counting,
    FilesInMemory,
    FilesOnDisk,
    TextsInMemory,
    Uncounted,
)

__all__ = [
    "UNLABELED",
    "Block",
    "CachedCorpus",
    "Corpus",
    "CorpusSize",
    "Counted",
    "CountedFiles",
    "Counting",
    "FilesInMemory",
    "FilesOnDisk",
    "InMemoryCorpus",
    "Joined",
    "MOST_LABELED",
    "StreamedCorpus",
    "TextsInMemory",
    "TrainingSet",
    "Uncounted",
    "Unlabeled",
    "distinct_documents",
    "distinct_sample",
    "gathered",
    "in_memory",
    "labeled_documents",
    "measure",
    "near_copies",
    "numbered_documents",
    "sample_documents",
    "sample_unlabeled",
]
