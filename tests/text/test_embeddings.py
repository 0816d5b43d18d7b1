"""Embeddings by name: vectors from the files of other packages."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest

from leaven.text import _embeddings
from leaven.text._embeddings import EMBEDDINGS, Embedding, check_embedding

needs_package = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="the extra vectors is not installed"
)


@pytest.fixture(autouse=True)
def load_anew():
    yield
    _embeddings._loaded.cache_clear()


def embedded(*texts, html=False):
    return Embedding("wordllama", html)(pa.array(texts, pa.large_string()))


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="embed must be a function or one of wordllama, got 'x'"):
        check_embedding("x")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    _embeddings._loaded.cache_clear()
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'leaven\[vectors\]'"):
        check_embedding("wordllama")


def test_nothing_is_imported_before_a_vector_is_asked_for():
    code = "import sys, leaven.text._embeddings; sys.exit('tokenizers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@needs_package
def test_related_texts_have_similar_vectors_and_a_text_has_one_vector():
    texts = ["bread and dough", "a baker's yeast", "planets orbit stars", ""]
    vectors = embedded(*texts)
    assert vectors.shape == (4, 256)
    assert vectors.dtype == np.float32
    assert not vectors[3].any()
    unit = vectors[:3] / np.linalg.norm(vectors[:3], axis=1, keepdims=True)
    similarity = unit @ unit.T
    assert similarity[0, 1] > similarity[0, 2]
    np.testing.assert_array_equal(embedded(texts[1])[0], vectors[1])


@needs_package
def test_vectors_are_those_of_the_package_itself(tmp_path):
    # In a process of its own, because importing the package sets up logging.
    code = """if True:
        import sys, numpy, pathlib, wordllama
        folder = pathlib.Path(wordllama.__file__).parent
        own = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        numpy.save(sys.argv[1], own.embed(sys.argv[2:]))
    """
    texts = ["dough rises slowly", "naïve café", "x", "the moon " * 50]
    path = str(tmp_path / "own.npy")
    subprocess.run([sys.executable, "-c", code, path, *texts], check=True, capture_output=True)
    np.testing.assert_allclose(embedded(*texts), np.load(path), atol=1e-4)


def test_markup_is_not_embedded(monkeypatch):
    monkeypatch.setitem(
        EMBEDDINGS, "lengths", lambda: lambda texts: np.array([[len(t)] for t in texts])
    )
    texts = pa.array(["<b>abc</b>", "ab"], pa.large_string())
    assert Embedding("lengths")(texts).tolist() == [[10], [2]]
    assert Embedding("lengths", html=True)(texts).tolist() == [[3], [2]]
