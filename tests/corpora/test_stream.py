"""A corpus that is read again on every pass: the same answer, and no silent change."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from drawing import cut_up, draw_corpus
from leaven import NaiveBayesEM
from leaven.corpora import UNLABELED, CountedFiles, InMemoryCorpus, StreamedCorpus
from leaven.documents import DocumentFiles, Documents, Labels
from leaven.documents._label_encoding import encode_labels
from leaven.exceptions import DataError
from leaven.learning import run_em
from leaven.models import MultinomialMixture
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions

WORDS = {"space": "orbit planet star comet moon", "baking": "dough yeast oven flour crust"}
OPTIONS = TextOptions(log_tf=True, idf=True, length=50.0)


def drawn_rows(n_rows=120, *, labeled=20, seed=0):
    """Rows of (text, label): a few labeled, then the rest."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n_rows):
        name = list(WORDS)[i % 2]
        own, other = WORDS[name].split(), WORDS[list(WORDS)[1 - i % 2]].split()
        text = " ".join([*rng.choice(own, 5), *rng.choice(other, 2)])
        rows.append((text, name if i < labeled else ""))
    return rows


def write_csv(path, rows):
    path.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    return path


@pytest.fixture
def csv(tmp_path):
    return write_csv(tmp_path / "documents.csv", drawn_rows())


def named(*classes):
    return Labels(np.array(classes, dtype=object))


def streamed(path, *, classes=("baking", "space"), block_bytes=1000):
    files = DocumentFiles(path, block_bytes=block_bytes)
    whole = files.read()
    counter, X = fit_counter(whole.texts, OPTIONS)
    return StreamedCorpus(CountedFiles(files, counter, named(*classes))), whole, X


def test_a_generator_is_refused_with_what_to_pass_instead():
    blocks = cut_up(draw_corpus(0))
    with pytest.raises(TypeError, match="restarts on every pass, got the one-shot iterator 'gen"):
        StreamedCorpus(block for block in blocks)
    with pytest.raises(TypeError, match="'list_iterator'"):
        StreamedCorpus(iter(blocks))


def test_an_empty_source_is_refused():
    with pytest.raises(DataError, match="the source contains no documents; check the paths"):
        StreamedCorpus([]).reduce(lambda block: 1)


@pytest.mark.parametrize("change", ["shrinks", "grows"])
def test_a_source_that_changes_between_passes_is_noticed(change):
    blocks = cut_up(draw_corpus(0), size=10)
    corpus = StreamedCorpus(blocks)
    assert corpus.reduce(lambda block: len(block.y)) == 40
    if change == "shrinks":
        blocks.pop()
        found = 30
    else:
        blocks.append(blocks[0])
        found = 50
    with pytest.raises(DataError, match=f"had {found} documents on this pass and 40 on the first"):
        corpus.reduce(lambda block: len(block.y))


def test_a_source_that_comes_back_is_read_on():
    blocks = cut_up(draw_corpus(0), size=10)
    corpus = StreamedCorpus(blocks)
    corpus.reduce(lambda block: 1)
    taken = blocks.pop()
    with pytest.raises(DataError):
        corpus.reduce(lambda block: 1)
    blocks.append(taken)
    assert corpus.reduce(lambda block: len(block.y)) == 40


def test_words_and_precision_are_those_of_its_blocks():
    for dtype in (np.float32, np.float64):
        drawn = draw_corpus(0, dtype=dtype)
        corpus = StreamedCorpus(cut_up(drawn))
        assert (corpus.n_words, corpus.dtype) == (drawn.X.shape[1], np.dtype(dtype))
    with pytest.raises(DataError, match="the source contains no documents; check the paths"):
        _ = StreamedCorpus([]).n_words


def test_one_block_is_in_memory_at_a_time():
    class Source:
        n_passes = 0

        def __iter__(self):
            self.n_passes += 1
            for block in cut_up(draw_corpus(0), size=10):
                alive.append(block)
                yield block

    alive, source = [], Source()
    corpus = StreamedCorpus(source)

    def summarize(block):
        assert alive == [block]
        alive.clear()
        return len(block.y)

    assert [corpus.reduce(summarize) for _ in range(3)] == [40, 40, 40]
    assert source.n_passes == 3


def test_files_are_counted_as_in_memory(csv):
    corpus, whole, X = streamed(csv)
    blocks = list(corpus.blocks)
    assert len(blocks) > 3
    codes = encode_labels(whole.labels).codes
    assert_array_equal(np.concatenate([block.y for block in blocks]), codes)
    assert_allclose(np.concatenate([block.X.toarray() for block in blocks]), X.toarray())


@pytest.mark.parametrize("block_bytes", [300, 1 << 20])
def test_streaming_from_files_finds_the_parameters_found_in_memory(csv, block_bytes):
    corpus, whole, X = streamed(csv, block_bytes=block_bytes)
    labels = encode_labels(whole.labels)
    model = MultinomialMixture(np.arange(2))
    start = model.flat_params(X.shape[1], X.dtype)
    start = type(start)(np.log([0.4, 0.6]), start.log_word + np.log(0.1, dtype=X.dtype))
    in_memory = InMemoryCorpus(X, labels.codes, n_threads=2)
    here = run_em(model, in_memory, start, max_iter=8, tol=-1.0)
    there = run_em(model, corpus, start, max_iter=8, tol=-1.0)
    assert_allclose(there.objective, here.objective, rtol=1e-6)
    assert_allclose(there.params.log_word, here.params.log_word, atol=1e-4)
    assert_allclose(there.params.log_weight, here.params.log_weight, atol=1e-5)


def test_an_estimator_fits_a_stream(csv):
    corpus, whole, X = streamed(csv)
    labels = encode_labels(whole.labels)
    here = NaiveBayesEM().fit(X, labels.codes)
    there = NaiveBayesEM().fit_corpus(corpus, classes=labels.classes)
    assert there.classes_.tolist() == ["baking", "space"]
    assert_allclose(there.feature_log_prob_, here.feature_log_prob_, atol=1e-4)


def meddle_after(corpus, n_passes, change):
    """The corpus' reduce, with ``change`` made to the source after some passes."""
    plain, passes = corpus.reduce, []

    def reduce(summarize, *add):
        if len(passes) == n_passes:
            change()
        passes.append(1)
        return plain(summarize, *add)

    corpus.reduce = reduce
    return corpus


CHANGES = {
    "shortened": (
        lambda path: write_csv(path, drawn_rows()[:70]),
        "had 70 documents on this pass and 120 on the first: a file changed while",
    ),
    "longer": (
        lambda path: write_csv(path, drawn_rows(150)),
        "had 150 documents on this pass and 120 on the first",
    ),
    "emptied": (lambda path: path.write_text("text,label\n"), "documents.csv holds no documents"),
    "removed": (lambda path: path.unlink(), "documents.csv"),
    "relabeled": (
        lambda path: write_csv(path, [(text, "sport") for text, _ in drawn_rows()]),
        "the label 'sport' is not among the classes baking, space: a file changed while",
    ),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("n_passes", [1, 3])
def test_a_file_that_changes_during_training_stops_it(csv, change, message, n_passes):
    corpus, _, _ = streamed(csv)
    meddle_after(corpus, n_passes, lambda: change(csv))
    with pytest.raises(DataError, match=message):
        NaiveBayesEM(tol=0.0).fit_corpus(corpus, classes=["baking", "space"])


def test_a_file_truncated_while_it_is_read_is_noticed(tmp_path):
    path = write_csv(tmp_path / "long.csv", drawn_rows(3000))
    corpus, whole, _ = streamed(path, block_bytes=4000)
    assert corpus.reduce(lambda block: len(block.y)) == len(whole.texts) == 3000
    seen = []

    def truncate_once(block):
        if not seen:
            write_csv(path, drawn_rows(40))
        seen.append(block)
        return len(block.y)

    with pytest.raises(DataError):
        corpus.reduce(truncate_once)


def test_a_label_outside_the_classes_is_named_with_the_classes(csv):
    corpus, _, _ = streamed(csv, classes=("baking", "sport"))
    with pytest.raises(DataError, match="'space' is not among the classes baking, sport"):
        corpus.reduce(lambda block: len(block.y))


def test_documents_without_labels_are_unlabeled():
    texts = pa.array(["dough", "star", "moon"], pa.large_string())
    counter, _ = fit_counter(texts, TextOptions())
    labels = pa.array([None, "7", None], pa.large_string())
    batches = [Documents(texts, None, None, "here"), Documents(texts, labels, None, "there")]
    first, second = CountedFiles(batches, counter, Labels(np.array([3, 7])))
    assert first.y.tolist() == [UNLABELED] * 3
    assert second.y.tolist() == [UNLABELED, 1, UNLABELED]
    assert first.weight.tolist() == [1.0] * 3


def batches_with_vectors(lengths):
    """Batches of two documents each, with vectors of these lengths."""
    for number, length in enumerate(lengths):
        texts = pa.array(["dough", "star"], pa.large_string())
        columns = pa.table({"text": texts, "vector": [[float(number)] * length] * 2})
        yield Documents(texts, None, columns, f"file {number}")


def test_vectors_of_a_column_go_with_their_documents():
    counter, _ = fit_counter(pa.array(["dough star"], pa.large_string()), TextOptions())
    batches = list(batches_with_vectors([3, 3]))
    blocks = list(CountedFiles(batches, counter, named("a"), vectors="vector"))
    assert [block.vectors.tolist() for block in blocks] == [[[0.0] * 3] * 2, [[1.0] * 3] * 2]
    assert [block.vectors for block in CountedFiles(batches, counter, named("a"))] == [None, None]


def test_vectors_of_another_length_are_named_with_their_file():
    counter, _ = fit_counter(pa.array(["dough star"], pa.large_string()), TextOptions())
    own = CountedFiles(list(batches_with_vectors([3, 3, 4])), counter, named("a"), vectors="vector")
    with pytest.raises(DataError, match="of file 2 have 4 numbers, but earlier ones have 3"):
        list(own)


def test_a_batch_without_documents_is_no_block():
    counter, _ = fit_counter(pa.array(["dough star"], pa.large_string()), TextOptions())
    (batch,) = batches_with_vectors([3])
    empty = Documents(batch.texts[:0], None, batch.columns[:0], "empty")
    found = CountedFiles([empty, batch, empty], counter, named("a"), vectors="vector")
    assert [block.X.shape[0] for block in found] == [2]
