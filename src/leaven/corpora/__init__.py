"""Where documents are, and who adds up."""

from leaven.corpora._base import UNLABELED, Block, Corpus
from leaven.corpora._files import CountedFiles
from leaven.corpora._memory import InMemoryCorpus, in_memory
from leaven.corpora._parts import Joined, Unlabeled, labeled_documents
from leaven.corpora._sample import sample_unlabeled
from leaven.corpora._stream import StreamedCorpus

__all__ = [
    "UNLABELED",
    "Block",
    "Corpus",
    "CountedFiles",
    "InMemoryCorpus",
    "Joined",
    "StreamedCorpus",
    "Unlabeled",
    "in_memory",
    "labeled_documents",
    "sample_unlabeled",
]
