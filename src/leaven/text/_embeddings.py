"""Named embeddings: vectors of texts from packages that are installed beside leaven.

Nothing is imported until a vector is asked for, and nothing is ever downloaded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from leaven._base.typing import BoolArray, FloatArray
from leaven.documents._pieces import Documents
from leaven.documents._reading import Reading
from leaven.documents._vectors import vector_array
from leaven.text._html import texts_of_html

__all__ = [
    "EMBEDDINGS",
    "Embedding",
    "VectorSource",
    "check_embedding",
    "vector_source",
    "vectors_of",
]

Embed: TypeAlias = Callable[[list[str]], FloatArray]

AT_ONCE = 256  # texts that are tokenized together
NO_WORDLLAMA = (
    "embed='wordllama' needs the package wordllama, which is not installed; pip install "
    "'leaven[vectors]'"
)


@dataclass(frozen=True)
class Embedding:
    """A named embedding, ready to be sent to other processes."""

    name: str
    html: bool = False  # whether texts are HTML, whose markup is not embedded

    def __call__(self, texts: pa.LargeStringArray) -> FloatArray:
        """The vectors of texts, (n_documents, n_dims)."""
        embed = _loaded(self.name)
        return embed((texts_of_html(texts) if self.html else texts).to_pylist())


# Where vectors that are not learned come from: a column of the user's, or an embedding.
VectorSource: TypeAlias = str | Embedding | None


def vector_source(reading: Reading, html: bool = False) -> VectorSource:
    """Where vectors of documents that are read in some way come from."""
    if reading.vectors is not None or reading.embed is None:
        return reading.vectors
    return Embedding(reading.embed, html)


def vectors_of(
    documents: Documents, source: VectorSource, rows: BoolArray | None = None
) -> FloatArray | None:
    """The vectors of documents, or of some of them; None without a source."""
    if source is None:
        return None
    if isinstance(source, str):  # a column
        assert documents.columns is not None
        vectors = vector_array(documents.columns, source, documents.source)
        return vectors if rows is None else vectors[rows]
    texts = documents.texts
    return source(texts if rows is None else texts.filter(pa.array(rows)))


def check_embedding(name: str) -> None:
    """Raise an error for a name that is unknown, or whose package is missing."""
    _loaded(name)


@cache
def _loaded(name: str) -> Embed:
    if name not in EMBEDDINGS:
        raise ValueError(
            f"embed must be a function or one of {', '.join(EMBEDDINGS)}, got {name!r}"
        )
    return EMBEDDINGS[name]()


def _wordllama() -> Embed:
    """Means of the 256-dimensional token vectors that are inside the package wordllama.

    Its files are read here: its own code takes memory for the longest text times the number of
    texts, sets up logging when imported, and would download what it looks for in a wrong folder.
    """
    found = find_spec("wordllama")
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ModuleNotFoundError:
        found = None
    if found is None or found.origin is None:
        raise ModuleNotFoundError(NO_WORDLLAMA)
    folder = Path(found.origin).parent
    weights = folder / "weights" / "l2_supercat_256.safetensors"
    tokens = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
    for path in (weights, tokens):
        if not path.exists():
            raise ModuleNotFoundError(
                f"embed='wordllama' needs {path.name}, which wordllama 0.4 contains, but the "
                "installed version does not; pip install 'leaven[vectors]'"
            )
    (table,) = load_file(weights).values()
    table = table.astype(np.float32)
    tokenizer = Tokenizer.from_file(str(tokens))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def embed(texts: list[str]) -> FloatArray:
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for first in range(0, len(texts), AT_ONCE):
            some = texts[first : first + AT_ONCE]
            encoded = [
                each.ids for each in tokenizer.encode_batch_fast(some, add_special_tokens=False)
            ]
            vectors[first : first + AT_ONCE] = _means(encoded, table)
        return vectors

    return embed


def _means(numbers: list[list[int]], table: FloatArray) -> FloatArray:
    """Means of the rows of a table that have these numbers; zero where there are none."""
    sizes = np.array([len(each) for each in numbers])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    places = np.fromiter(chain.from_iterable(numbers), np.int32, starts[-1])
    shares = np.repeat(1 / np.maximum(sizes, 1), sizes).astype(np.float32)
    counted = csr_array((shares, places, starts), shape=(len(numbers), len(table)))
    return np.asarray(counted @ table)


EMBEDDINGS: dict[str, Callable[[], Embed]] = {"wordllama": _wordllama}
