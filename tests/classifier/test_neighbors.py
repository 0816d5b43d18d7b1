"""Documents that models keep: the nearest ones explain predictions, and no text leaks unasked."""

import functools
import json
import warnings
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
import safetensors.numpy
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import clusters
from leaven import TextClassifier, load
from leaven.classifier._model_file import _digest, dump_model, parse_model
from leaven.classifier._nearby import find_nearby
from leaven.documents._arrow import as_text_array
from leaven.exceptions import ModelFileError
from leaven.experts import Explanation, Neighbor
from leaven.methods import METHODS, _training
from leaven.neighbors import KeptDocuments, _search, unit_rows

WORDS = {
    "baking": "dough yeast oven flour crust loaf butter salt",
    "space": "orbit planet star comet moon galaxy rocket telescope",
    "sport": "goal match team player league score referee stadium",
}
QUICK = {
    "mixture": {"n_components": [1, 2], "n_splits": 2, "n_init": 1, "max_iter": 20},
    "annealed": {"beta_start": 0.3, "beta_factor": 1.5},
}
VOTING = {"knn", "ss-cknn"}
N_LABELED = 15
N_CHARACTERS = 25
NEW = ["yeast and flour", "a planet in orbit", "the team and a comet", "xyzzy", ""]
every_method = pytest.mark.parametrize("method", METHODS)


def documents(n=60):
    rng = np.random.default_rng(0)
    everything = " ".join(WORDS.values()).split()
    texts, labels = [], []
    for i in range(n):
        name = list(WORDS)[i % 3]
        words = [*rng.choice(WORDS[name].split(), 6), *rng.choice(everything, 2)]
        texts.append(f"Nº{i} " + " ".join(words))
        labels.append(name if i % (n // N_LABELED) == 0 else None)
    return texts, labels


TEXTS, LABELS = documents()


@functools.cache
def fitted(method, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TextClassifier(method, options=QUICK.get(method), **given).fit(TEXTS, LABELS)


def similarities(clf, texts, numbers):
    """Cosines of texts and training documents, written out."""
    model = clf.fitted
    counts = [
        model.counter.count(as_text_array(some), dtype=model.dtype) for some in (texts, TEXTS)
    ]
    asked, kept = (unit_rows(X).astype(np.float64).toarray() for X in counts)
    return asked @ kept[numbers].T


def all_of(lists):
    return list(chain.from_iterable(lists))


@every_method
def test_neighbors_are_training_documents_with_their_similarity(method):
    clf = fitted(method)
    for text, neighbors in zip(NEW, clf.neighbors(NEW, 4), strict=True):
        assert len(neighbors) <= 4
        if text in ("xyzzy", ""):
            assert neighbors == []
            continue
        assert neighbors
        numbers = [neighbor.number for neighbor in neighbors]
        assert len(set(numbers)) == len(numbers)
        expected = similarities(clf, [text], numbers)[0]
        assert_allclose([neighbor.similarity for neighbor in neighbors], expected, atol=1e-6)
        for neighbor in neighbors:
            assert neighbor.is_labeled == (LABELS[neighbor.number] is not None)
            assert neighbor.excerpt is None
            if neighbor.is_labeled:
                assert neighbor.label == LABELS[neighbor.number]


@every_method
def test_where_nobody_votes_the_most_similar_labeled_documents_are_first(method):
    if method in VOTING:
        return
    clf = fitted(method)
    labeled = np.flatnonzero([label is not None for label in LABELS])
    for text, neighbors in zip(NEW, clf.neighbors(NEW, 4), strict=True):
        found = [neighbor.similarity for neighbor in neighbors]
        expected = np.sort(similarities(clf, [text], labeled)[0])[::-1][:4]
        assert_allclose(found, expected[expected > 0], atol=1e-6)
        assert {neighbor.share for neighbor in neighbors} <= {None}


@pytest.mark.parametrize("method", sorted(VOTING))
def test_where_documents_vote_the_largest_share_is_first(method):
    clf = fitted(method)
    (expert,) = clf.fitted.experts
    X = clf.fitted.counter.count(as_text_array(NEW), dtype=clf.fitted.dtype)
    nearest, by_class = expert.voting.nearest(expert.kept, X), expert.votes(X)
    for row, neighbors in enumerate(clf.neighbors(NEW, 1000)):
        shares = np.array([neighbor.share for neighbor in neighbors])
        assert (shares > 0).all()
        assert (np.diff(shares) <= 0).all()
        numbers = expert.kept.numbers[nearest.places[row][nearest.places[row] >= 0]]
        assert {neighbor.number for neighbor in neighbors} <= set(numbers.tolist())
        if neighbors:
            assert shares.sum() == pytest.approx(1.0)
            for code, name in enumerate(clf.classes_):
                share = sum(each.share for each in neighbors if each.label == name)
                assert share == pytest.approx(by_class[row, code] / by_class[row].sum())


def test_a_labeled_copy_has_the_votes():
    number = next(number for number, label in enumerate(LABELS) if label is not None)
    first = fitted("ss-cknn").neighbors([TEXTS[number]])[0][0]
    assert first.number == number
    assert (first.similarity, first.share) == pytest.approx((1.0, 1.0), abs=1e-5)


def test_documents_that_votes_classified_are_told_from_labeled_ones():
    found = all_of(fitted("ss-cknn").neighbors(TEXTS, 40))  # labeled ones have more of the votes
    assert {neighbor.is_labeled for neighbor in found} == {True, False}
    assert all(neighbor.is_labeled for neighbor in all_of(fitted("knn").neighbors(TEXTS, 5)))


@every_method
def test_a_saved_model_has_the_same_neighbors(method, tmp_path):
    clf = fitted(method, keep_excerpts=N_CHARACTERS)
    clf.save(tmp_path / "model.leaven")
    back = load(tmp_path / "model.leaven")
    assert back.neighbors(NEW) == clf.neighbors(NEW)
    assert (back.keep_documents, back.keep_excerpts) == (True, N_CHARACTERS)
    assert back.explain(NEW[0], n_neighbors=3) == clf.explain(NEW[0], n_neighbors=3)


@every_method
def test_a_model_contains_no_text_unless_asked(method):
    content = dump_model(fitted(method).fitted)
    for text in TEXTS:
        assert text.encode() not in content
        assert text[:N_CHARACTERS].encode() not in content
        assert text.partition(" ")[2].encode() not in content


@every_method
def test_a_model_contains_the_first_characters_if_asked(method):
    clf = fitted(method, keep_excerpts=N_CHARACTERS)
    content = dump_model(clf.fitted)
    kept = set(clf.fitted.documents.numbers.tolist())
    for number, text in enumerate(TEXTS):
        assert (text[:N_CHARACTERS].encode() in content) == (number in kept)
        assert text[: N_CHARACTERS + 1].encode() not in content
    for neighbor in all_of(clf.neighbors(NEW)):
        assert neighbor.excerpt == TEXTS[neighbor.number][:N_CHARACTERS]


def parts(content):
    size = int.from_bytes(content[:8], "little")
    about = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["leaven"])
    return safetensors.numpy.load(content), about


def packed(tensors, about):
    about = {**about, "digest": _digest(tensors, about)}
    return safetensors.numpy.save(tensors, {"leaven": json.dumps(about)})


@every_method
def test_documents_are_stored_once(method):
    tensors, _ = parts(dump_model(fitted(method).fitted))
    assert sum(name.endswith(".codes") for name in tensors) == 1
    assert ("documents.codes" in tensors) == (method not in VOTING)


def assert_refuses_neighbors(model, *given):
    with pytest.raises(ValueError, match=r"needs documents to compare.* train it again") as e:
        model.neighbors(["dough"], *given)
    assert str(e.value).isprintable()


def test_a_file_of_an_earlier_version_has_no_documents():
    tensors, about = parts(dump_model(fitted("nb").fitted))
    tensors = {name: array for name, array in tensors.items() if "documents." not in name}
    model = parse_model(packed(tensors, about), "earlier")
    assert model.documents is None
    assert_refuses_neighbors(model)
    assert model.explain("dough").neighbors == []
    with pytest.raises(ValueError, match="needs documents to compare with"):
        model.explain("dough", n_neighbors=1)


@every_method
def test_documents_can_be_left_out_where_predictions_do_not_need_them(method):
    clf = fitted(method, keep_documents=False)
    assert (clf.fitted.documents is not None) == (method in VOTING)
    if method in VOTING:
        assert clf.neighbors(NEW) == fitted(method).neighbors(NEW)
    else:
        assert_refuses_neighbors(clf)
        assert not any("documents" in name for name in parts(dump_model(clf.fitted))[0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"keep_excerpts": -1}, r"keep_excerpts must be in \[0, 10000\], got -1"),
        ({"keep_excerpts": 5, "keep_documents": False}, "needs keep_documents=True"),
        ({"keep_documents": "yes"}, "keep_documents must be one of"),
    ],
)
def test_senseless_parameters_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier("nb", **given).fit(TEXTS, LABELS)


def test_senseless_numbers_of_neighbors_are_refused():
    for refused in (0, -1):
        with pytest.raises(ValueError, match="how_many must be in"):
            fitted("nb").neighbors(NEW, refused)
    with pytest.raises(ValueError, match="n_neighbors must be in"):
        fitted("nb").explain(NEW[0], n_neighbors=-1)


@pytest.mark.parametrize("method", ["em", "knn"])
def test_models_of_documents_with_large_weights_can_be_read(method):
    clf = TextClassifier(method).fit(TEXTS, LABELS, sample_weight=np.full(len(TEXTS), 1e13))
    read = parse_model(dump_model(clf.fitted), "model")
    assert read.neighbors(NEW) == clf.neighbors(NEW)


def test_more_neighbors_than_any_fit_has_are_refused():
    model = fitted("knn").fitted
    (expert,) = model.experts
    greedy = replace(expert, voting=replace(expert.voting, n_neighbors=10**5))
    with pytest.raises(ModelFileError, match="number of neighbors is malformed"):
        parse_model(dump_model(replace(model, experts=(greedy,))), "model")


@every_method
def test_many_texts_are_searched_a_few_at_a_time(method, monkeypatch):
    at_once = fitted(method).neighbors(NEW, 2)
    monkeypatch.setattr("leaven.classifier._fitted.DOCUMENTS_PER_SEARCH", 2)
    assert fitted(method).neighbors(NEW, 2) == at_once


def test_predictions_use_as_many_threads_as_asked(monkeypatch):
    model = parse_model(dump_model(fitted("knn").fitted), "model")
    asked = []
    count = _search.count_threads
    monkeypatch.setattr(_search, "count_threads", lambda n: asked.append(n) or count(n))
    model.predict_proba(NEW[:2], n_threads=1)
    model.neighbors(NEW[:2], n_threads=1)
    assert asked == [1, 1]


def test_only_the_documents_asked_for_stay_in_memory():
    model = fitted("ss-cknn").fitted
    X = model.counter.count(as_text_array(NEW), dtype=model.dtype)
    found = find_nearby(model.kept_documents(), model.experts, X, 1)
    assert [each.base for each in found] == [None] * 3  # no views of all voters


def test_no_texts_have_no_neighbors():
    assert fitted("nb").neighbors([]) == fitted("knn").neighbors([]) == []


@every_method
def test_explanations_show_documents_where_predictions_come_from_them(method):
    clf = fitted(method)
    found = clf.explain(NEW[0])
    assert bool(found.neighbors) == (method in VOTING)
    assert clf.explain(NEW[0], n_neighbors=2).neighbors == clf.neighbors(NEW[:1], 2)[0]
    assert clf.explain(NEW[0], n_neighbors=0).neighbors == []


SIGNED, UNSIGNED = ({"hash_features": 64, "alternate_sign": sign} for sign in (True, False))


@pytest.mark.parametrize(
    ("method", "how"), [("knn", SIGNED), ("ss-cknn", SIGNED), ("nb", UNSIGNED)]
)
def test_hashed_models_have_neighbors(method, how, tmp_path):
    clf = TextClassifier(method, text_options=how, keep_excerpts=9).fit(TEXTS, LABELS)
    (neighbors,) = clf.neighbors([TEXTS[0]], 1)
    assert (neighbors[0].number, neighbors[0].excerpt) == (0, TEXTS[0][:9])
    clf.save(tmp_path / "model.leaven")
    assert load(tmp_path / "model.leaven").neighbors(NEW) == clf.neighbors(NEW)
    explanation = clf.explain(TEXTS[0], n_neighbors=1)
    assert (explanation.words, explanation.unknown_words) == ([], 0)
    assert explanation.neighbors == neighbors
    assert "words are hashed" in str(explanation)
    if method in VOTING:
        assert clf.explain(TEXTS[0]) == clf.explain(TEXTS[0], n_neighbors=5)
    else:
        with pytest.raises(ValueError, match="explain needs a vocabulary"):
            clf.explain(TEXTS[0])


def test_an_explanation_prints_its_neighbors():
    neighbors = [
        Neighbor(4, "a", 0.8125, 0.625, True, "what\nit says"),
        Neighbor(1233, "b", 0.5),
    ]
    shown = str(Explanation("a", {"a": 1.0, "b": 0.0}, [], 0, neighbors)).splitlines()
    first, second = (" ".join(line.split()) for line in shown[-2:])
    assert first == "0.81 a document 5 62 % of the votes what\\nit says"
    assert second == "0.50 b document 1,234"


def files(folder):
    """The documents in three files, of which the second is bad."""
    rows = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    for name, some in (("a.jsonl", rows[:25]), ("c.jsonl", rows[25:])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in some))
    (folder / "b.jsonl").write_text('{"text": "a", "label": "sport"}\n{')
    return str(folder)


@pytest.fixture(scope="module")
def client():
    with clusters.threads() as own:
        yield own


@pytest.mark.slow
@every_method
def test_memory_stream_and_a_cluster_keep_the_same_documents(method, tmp_path, client, monkeypatch):
    monkeypatch.setattr("leaven.corpora.dask_uncounted.SMALLEST_PIECE", 1 << 8)
    folder = files(tmp_path)
    here = fitted(method, keep_excerpts=N_CHARACTERS)
    for where in ({"stream": False}, {"stream": True}, {"client": client}):
        clf = TextClassifier(method, options=QUICK.get(method), keep_excerpts=N_CHARACTERS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf.fit_files(folder, skip_bad_files=True, **where)
        ours, theirs = here.fitted.documents, clf.fitted.documents
        assert_array_equal(ours.numbers, theirs.numbers)
        assert clf.fitted.excerpts.texts.equals(here.fitted.excerpts.texts)
        for some, others in zip(here.neighbors(NEW), clf.neighbors(NEW), strict=True):
            assert [each.number for each in some] == [each.number for each in others]
            assert [each.excerpt for each in some] == [each.excerpt for each in others]


def test_many_documents_are_cut_to_some_of_every_class(monkeypatch):
    monkeypatch.setattr(_training, "MOST_COMPARED", 5)
    clf = TextClassifier("nb").fit(TEXTS, LABELS)
    kept = clf.fitted.documents
    assert len(kept.codes) == 5
    assert set(kept.codes.tolist()) == {0, 1, 2}
    assert all(LABELS[number] is not None for number in kept.numbers)


@pytest.mark.parametrize("most", [1, 3, 7, 40, 41, 100])
def test_a_cut_is_evenly_spaced_and_keeps_every_class(most):
    codes = np.repeat([0, 1, 2], [36, 1, 4])
    X = csr_array(np.ones((len(codes), 1)))
    kept = KeptDocuments(X, codes, np.ones(41), np.arange(41)).at_most(most)
    assert len(kept.codes) == max(min(most, 41), 3)
    assert set(kept.codes.tolist()) == {0, 1, 2}
    assert (np.diff(kept.numbers) > 0).all()
    if most == 7:
        assert kept.numbers.tolist() == [0, 1, 13, 25, 36, 37, 40]


@functools.cache
def with_excerpts():
    return parts(dump_model(fitted("nb", keep_excerpts=N_CHARACTERS).fitted))


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors: {"excerpts.starts": tensors["excerpts.starts"][:-1].copy()},
        lambda tensors: {"excerpts.starts": tensors["excerpts.starts"] + 1},
        lambda tensors: {"excerpts.starts": tensors["excerpts.starts"][::-1].copy()},
        lambda tensors: {"excerpts.starts": tensors["excerpts.starts"].astype(np.int32)},
        lambda tensors: {"excerpts.bytes": tensors["excerpts.bytes"][1:].copy()},
        lambda tensors: {"excerpts.bytes": np.full_like(tensors["excerpts.bytes"], 0xFF)},
    ],
)
def test_malformed_excerpts_are_refused(change):
    tensors, about = with_excerpts()
    with pytest.raises(ModelFileError, match="'x' is not a consistent leaven model"):
        parse_model(packed({**tensors, **change(tensors)}, about), "x")


@pytest.mark.parametrize("about", [None, {}, {"n_characters": 3}, {"n_characters": "9"}, []])
def test_malformed_descriptions_of_excerpts_are_refused(about):
    tensors, others = with_excerpts()
    with pytest.raises(ModelFileError, match="'x' is not a consistent leaven model"):
        parse_model(packed(tensors, {**others, "excerpts": about}), "x")
    without = {name: array for name, array in tensors.items() if "documents." not in name}
    with pytest.raises(ModelFileError, match="its excerpts are malformed"):
        parse_model(packed(without, others), "x")
