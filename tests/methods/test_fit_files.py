"""Training on files that need not fit in memory: the classifier that memory gives."""

import dataclasses
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from leaven import TextClassifier, load
from leaven.corpora import _cache, _uncounted
from leaven.documents import DocumentFiles
from leaven.exceptions import DataError
from leaven.learners import NaiveBayesLearner
from leaven.methods import METHODS as REGISTRY
from leaven.methods import Method, register
from leaven.text import _survey

TOPICS = {
    "baking": "dough yeast oven flour crust bread knead butter sugar rise",
    "music": "chord piano violin melody rhythm concert opera tempo singer choir",
    "space": "orbit planet star comet moon rocket galaxy telescope crater launch",
}
COMMON = ["the", "and", "of", "with", "very", "about", "some", "more", "every", "then"]


def draw_texts(n_documents=120, *, seed=0):
    """Texts of three topics with common words between, their classes, and vectors."""
    rng = np.random.default_rng(seed)
    names = [list(TOPICS)[i % 3] for i in range(n_documents)]
    texts = [
        " ".join([*rng.choice(TOPICS[name].split(), 4), *rng.choice(COMMON, 10), '42, "so"'])
        for name in names
    ]
    centers = np.random.default_rng(7).normal(size=(3, 4))
    vectors = centers[np.arange(n_documents) % 3] + rng.normal(size=(n_documents, 4))
    return texts, names, vectors.astype(np.float32)


TEXTS, TRUTH, VECTORS = draw_texts()
TEXTS[-1] = ""
LABELS = [name if i < 15 else None for i, name in enumerate(TRUTH)]
NEW_TEXTS, NEW_TRUTH, NEW_VECTORS = draw_texts(60, seed=1)

QUICK = {
    "mixture": {"n_components": 2},
    "annealed": {"beta_start": 0.3, "beta_factor": 2.0},
    "tsvm": {"C_unlabeled": 1.0},
    "maxent": {"variance": 1.0},
    "pcp": {"alpha": 0.3},
}
OPTIMISTIC = "the expected accuracy is optimistic"  # where a method chooses its settings
METHODS = {name: QUICK.get(name, {}) for name in REGISTRY}


def write_csv(path, table):
    rows = []
    for row in table.to_pylist():
        text = row["text"].replace('"', '""')
        own = f'"{text}",{row["label"] or ""}'
        rows.append(f'{own},"{json.dumps(row["vector"])}"\n')
    path.write_text("text,label,vector\n" + "".join(rows))


def write_jsonl(path, table):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


WRITERS = {"csv": write_csv, "jsonl": write_jsonl}


def write_files(folder, format="csv", n_files=3, labels=LABELS):
    """The documents in several files."""
    table = pa.table({"text": TEXTS, "label": labels, "vector": VECTORS.tolist()})
    bounds = np.linspace(0, len(TEXTS), n_files + 1).astype(int)
    paths = []
    for number in range(n_files):
        part = table.slice(bounds[number], bounds[number + 1] - bounds[number])
        path = folder / f"{number}.{format}"
        if format == "parquet":
            pq.write_table(part, path, row_group_size=11)
        else:
            WRITERS[format](path, part)
        paths.append(path)
    return paths


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks, on disk and while files are read, however few documents there are."""
    monkeypatch.setattr(_uncounted, "gathered", lambda blocks, *_: _cache.gathered(blocks, 600, 50))
    plain = DocumentFiles.__init__

    def init(self, *args, **options):
        plain(self, *args, **{"block_bytes": 3000, **options})

    monkeypatch.setattr(DocumentFiles, "__init__", init)


def plain_report(clf):
    """All of a report but files, seconds, and objectives, which are compared more closely."""
    report = clf.report_.to_json()
    report["lines"] = [re.sub("objective .*", "objective", line) for line in report["lines"]]
    others = ("data", "seconds", "objective")
    return {key: value for key, value in report.items() if key not in others}


def rounded(value):
    """Numbers that differ in their last digits only are the same."""
    if isinstance(value, float):
        return float(f"{value:.3g}")
    if isinstance(value, dict):
        return {key: rounded(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(own) for own in value]
    return value


def arrays_of(value):
    """All arrays within a fitted part."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, list | tuple):
        return [array for own in value for array in arrays_of(own)]
    if dataclasses.is_dataclass(value):
        return [a for own in dataclasses.fields(value) for a in arrays_of(getattr(value, own.name))]
    return []


def assert_same_classifier(here, there, **asked):
    assert there.classes_.tolist() == here.classes_.tolist()
    own, other = here.fitted.counter, there.fitted.counter
    assert other.vocabulary.words.to_pylist() == own.vocabulary.words.to_pylist()
    assert_array_equal(other.idf, own.idf)
    assert other.options == own.options
    for a, b in zip(arrays_of(here.fitted.experts), arrays_of(there.fitted.experts), strict=True):
        # Which way a dimension of the learned vectors points is left to chance.
        assert_allclose(np.abs(b), np.abs(a), rtol=2e-3, atol=2e-3)
    assert_allclose(there.fitted.weights, here.fitted.weights, atol=2e-3)
    assert_array_equal(there.predict(NEW_TEXTS, **asked), here.predict(NEW_TEXTS, **asked))
    assert_allclose(
        there.predict_proba(NEW_TEXTS, **asked), here.predict_proba(NEW_TEXTS, **asked), atol=2e-3
    )
    assert rounded(plain_report(there)) == rounded(plain_report(here))
    objectives = [clf.report_.facts.get("objective", []) for clf in (there, here)]
    assert_allclose(*objectives, rtol=1e-4)


@pytest.mark.parametrize(("method", "options"), METHODS.items(), ids=METHODS.keys())
def test_files_give_the_classifier_that_memory_gives(tmp_path, method, options):
    clf = TextClassifier(method, options=options)
    here = clf.fit(TEXTS, LABELS)
    there = TextClassifier(method, options=options).fit_files(write_files(tmp_path))
    assert_same_classifier(here, there)
    assert np.mean(there.predict(NEW_TEXTS) == NEW_TRUTH) > 0.9
    assert [own for own in there.report_.warnings if OPTIMISTIC not in own] == []


@pytest.mark.parametrize(("method", "options"), METHODS.items(), ids=METHODS.keys())
def test_files_read_into_memory_give_exactly_what_their_texts_give(tmp_path, method, options):
    paths = write_files(tmp_path)
    whole = DocumentFiles(paths).read()
    here = TextClassifier(method, options=options, diagnose=True).fit(whole.texts, whole.labels)
    there = TextClassifier(method, options=options, diagnose=True).fit_files(paths, stream=False)
    assert_array_equal(there.predict_proba(NEW_TEXTS), here.predict_proba(NEW_TEXTS))
    reports = [
        {**clf.report_.to_json(), "data": {}, "seconds": list(clf.report_.seconds)}
        for clf in (here, there)
    ]
    assert reports[0] == reports[1]
    assert there.report_.n_documents == len(TEXTS)


def test_files_read_into_memory_may_have_vectors_and_words_chosen_by_labels(tmp_path):
    paths = write_files(tmp_path, "jsonl")
    here = TextClassifier("two-view").fit(TEXTS, LABELS, vectors=VECTORS)
    there = TextClassifier("two-view").fit_files(paths, vectors="vector", stream=False)
    asked = {"vectors": NEW_VECTORS}
    assert_array_equal(
        there.predict_proba(NEW_TEXTS, **asked), here.predict_proba(NEW_TEXTS, **asked)
    )
    chosen = {"max_features": 20, "rank_by": "mutual_information"}
    here = TextClassifier("em", text_options=chosen).fit(TEXTS, LABELS)
    there = TextClassifier("em", text_options=chosen).fit_files(paths, stream=False)
    assert_array_equal(there.predict_proba(NEW_TEXTS), here.predict_proba(NEW_TEXTS))
    assert there.report_.warnings == here.report_.warnings


def test_files_read_into_memory_tell_of_bad_ones_and_of_progress(tmp_path):
    paths = write_files(tmp_path)
    told = []
    there = TextClassifier("em").fit_files(
        [*paths, tmp_path / "gone.csv"],
        stream=False,
        skip_bad_files=True,
        on_progress=lambda *own: told.append(own),
    )
    (note,) = there.report_.warnings
    assert "gone.csv" in note
    phases = list(dict.fromkeys(phase for phase, _, _ in told))
    assert phases[:3] == ["reading", "counting", "EM"]
    total = sum(path.stat().st_size for path in paths)
    assert [own for own in told if own[0] == "reading"][-1] == ("reading", total, total)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None] * 120, "no document in .*0.csv and 2 more is labeled: column 'label' is empty"),
        (["space", *[None] * 119], "class"),
        (["-1", *LABELS[1:]], 'the label "-1" as text'),
    ],
    ids=["none", "one class", "minus one"],
)
def test_labels_of_files_in_memory_are_checked_too(tmp_path, labels, message):
    paths = write_files(tmp_path, labels=labels)
    with pytest.raises((DataError, ValueError), match=message):
        TextClassifier("em").fit_files(paths, stream=False)


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_the_format_of_the_files_changes_nothing(tmp_path, format):
    here = TextClassifier("em").fit(TEXTS, LABELS)
    assert_same_classifier(here, TextClassifier("em").fit_files(write_files(tmp_path, format)))


def test_a_pattern_a_folder_and_a_list_are_the_same_files(tmp_path):
    paths = write_files(tmp_path)
    here = TextClassifier("nb").fit(TEXTS, LABELS)
    for given in (str(tmp_path / "*.csv"), tmp_path, paths):
        assert_same_classifier(here, TextClassifier("nb").fit_files(given))


def test_the_user_names_columns_format_and_encoding(tmp_path):
    texts = [text.replace("dough", "café") for text in TEXTS]
    path = tmp_path / "documents.dat"
    rows = zip(texts, LABELS, strict=True)
    lines = [json.dumps({"note": t, "text": "x", "kind": k}, ensure_ascii=False) for t, k in rows]
    path.write_text("\n".join(lines), encoding="latin-1")
    there = TextClassifier("nb").fit_files(
        path, text="note", label="kind", format="jsonl", encoding="latin-1"
    )
    assert_same_classifier(TextClassifier("nb").fit(texts, LABELS), there)


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_vectors_come_from_a_column(tmp_path, format):
    here = TextClassifier("two-view").fit(TEXTS, LABELS, vectors=VECTORS)
    there = TextClassifier("two-view").fit_files(write_files(tmp_path, format), vectors="vector")
    assert_same_classifier(here, there, vectors=NEW_VECTORS)


def test_words_may_be_hashed(tmp_path):
    text = {"hash_features": 64, "alternate_sign": False}
    here = TextClassifier("em", text_options=text).fit(TEXTS, LABELS)
    there = TextClassifier("em", text_options=text).fit_files(write_files(tmp_path))
    assert_same_classifier(here, there)
    assert there.report_.n_words == 64


def test_text_options_are_those_of_memory(tmp_path):
    text = {"ngram_range": (1, 2), "max_features": 40, "stop_words": "english", "min_df": 0.02}
    here = TextClassifier("em", text_options=text).fit(TEXTS, LABELS)
    there = TextClassifier("em", text_options=text).fit_files(write_files(tmp_path))
    assert_same_classifier(here, there)
    assert there.report_.n_words == 40


def test_a_diagnosis_is_that_of_memory(tmp_path):
    here = TextClassifier("em", diagnose=True, calibrate=False).fit(TEXTS, LABELS)
    there = TextClassifier("em", diagnose=True, calibrate=False).fit_files(write_files(tmp_path))
    assert here.report_.diagnosis
    assert rounded(there.report_.diagnosis) == rounded(here.report_.diagnosis)


def test_the_same_files_give_the_same_model(tmp_path):
    paths = write_files(tmp_path)
    fits = [TextClassifier(random_state=3).fit_files(paths) for _ in range(2)]
    assert_array_equal(*(clf.predict_proba(NEW_TEXTS) for clf in fits))


def test_a_model_trained_on_files_is_saved_and_loaded(tmp_path):
    clf = TextClassifier("em").fit_files(write_files(tmp_path))
    clf.save(tmp_path / "model.leaven")
    again = load(tmp_path / "model.leaven")
    assert_array_equal(again.predict_proba(NEW_TEXTS), clf.predict_proba(NEW_TEXTS))


def test_counts_are_kept_where_the_user_says_and_not_left_there(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    folder.mkdir()
    asked = []
    plain = _cache.tempfile.TemporaryFile
    monkeypatch.setattr(
        _cache.tempfile,
        "TemporaryFile",
        lambda **own: (asked.append(own["dir"]), plain(**own))[1],
    )
    TextClassifier("two-view").fit_files(write_files(tmp_path), cache=folder)
    assert set(asked) == {str(folder)}
    assert list(folder.iterdir()) == []


def test_a_folder_for_counts_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="counts cannot be kept in"):
        TextClassifier("nb").fit_files(write_files(tmp_path), cache=tmp_path / "gone")


def test_progress_is_told_by_phase(tmp_path):
    told = []
    paths = write_files(tmp_path)
    TextClassifier("em").fit_files(paths, on_progress=lambda *own: told.append(own))
    total = sum(path.stat().st_size for path in paths)
    phases = list(dict.fromkeys(phase for phase, _, _ in told))
    assert phases[:3] == ["reading", "counting", "EM"]
    for phase in ("reading", "counting"):
        done = [own[1] for own in told if own[0] == phase]
        assert done == sorted(done)
        assert done[-1] == total
        assert {own[2] for own in told if own[0] == phase} == {total}


# What is wrong with files


def test_bad_files_are_left_out_and_noted(tmp_path):
    paths = write_files(tmp_path)
    odd = tmp_path / "odd.csv"
    odd.write_text(paths[0].read_text() * 2 + "a,b,c,d,e\n")
    told = []
    there = TextClassifier("em").fit_files(
        [paths[0], odd, tmp_path / "gone.csv", *paths[1:]],
        skip_bad_files=True,
        on_progress=lambda *own: told.append(own),
    )
    (note,) = there.report_.warnings
    assert note.startswith("2 bad files were left out (")
    assert "gone.csv" in note
    here = TextClassifier("em").fit(TEXTS, LABELS)
    here.report_.warnings.append(note)
    assert_same_classifier(here, there)
    assert all(done <= total for _, done, total in told)


def test_a_bad_file_stops_a_fit_that_does_not_skip_it(tmp_path):
    paths = write_files(tmp_path)
    paths[1].write_text(paths[1].read_text() + "a,b,c,d,e\n")
    with pytest.raises(DataError, match=r"line 42 of .*1\.csv must have 3 fields"):
        TextClassifier("em").fit_files(paths)


def test_files_that_are_all_bad_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"none of the 2 files can be read; the first: .*a\.csv"):
        TextClassifier("em").fit_files(
            [tmp_path / "a.csv", tmp_path / "b.csv"], skip_bad_files=True
        )


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None] * 120, "no document in .*0.csv and 2 more is labeled: column 'label' is empty"),
        (["space", *[None] * 119], "class"),
        ([str(i) for i in range(120)], "label"),
        (["-1", *LABELS[1:]], 'the label "-1" as text'),
    ],
    ids=["none", "one class", "identifiers", "minus one"],
)
def test_labels_nothing_can_be_learned_from_are_refused(tmp_path, labels, message):
    with pytest.raises((DataError, ValueError), match=message):
        TextClassifier("em").fit_files(write_files(tmp_path, labels=labels))


def test_files_without_a_label_column_are_refused(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("text,id\nsome words,1\n")
    with pytest.raises(DataError, match="no column that is clearly the label"):
        TextClassifier("em").fit_files(path)


def change_before_counting(monkeypatch, change):
    """Call ``change`` between the two passes over the files."""
    plain = _uncounted.counter_from

    def counter_from(*given):
        change()
        return plain(*given)

    monkeypatch.setattr(_uncounted, "counter_from", counter_from)


CHANGES = {
    "appended": (
        lambda path: path.write_text(path.read_text() + '"more dough",,"[0,0,0,0]"\n'),
        "the files contained 120 documents at first and 121 when they were counted: a file changed",
    ),
    "relabeled": (
        lambda path: path.write_text(path.read_text().replace(",,", ",sport,")),
        "the label 'sport' is not among the classes baking, music, space: a file changed",
    ),
    "removed": (lambda path: path.unlink(), r"2\.csv"),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES.keys())
def test_a_file_that_changes_between_the_passes_is_noticed(tmp_path, monkeypatch, change, message):
    paths = write_files(tmp_path)
    change_before_counting(monkeypatch, lambda: change(paths[-1]))
    with pytest.raises(DataError, match=message):
        TextClassifier("em").fit_files(paths, skip_bad_files=True)


def test_vectors_of_several_lengths_are_refused(tmp_path):
    paths = write_files(tmp_path, "jsonl")
    paths[1].write_text(paths[1].read_text().replace('"vector": [', '"vector": [1.5, '))
    with pytest.raises(DataError, match=r"1\.jsonl have 5 numbers, but earlier ones have 4"):
        TextClassifier("two-view").fit_files(paths, vectors="vector")


def test_a_column_of_vectors_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="must have one column 'vectors' of vectors"):
        TextClassifier("two-view").fit_files(write_files(tmp_path), vectors="vectors")


# What is wrong with the question


@pytest.fixture
def no_reading(monkeypatch):
    """Fail where documents are read; looking at the columns is fine."""

    def read(*_):
        raise AssertionError("documents were read")

    monkeypatch.setattr(DocumentFiles, "per_file", read)
    monkeypatch.setattr(DocumentFiles, "__iter__", read)


REFUSED = {
    "embed": ({"embed": lambda texts: None}, {}, "embed is for texts in memory; write the vectors"),
    "method": ({"method": "SVM"}, {}, "method must be"),
    "vectors of a method without": ({"method": "em"}, {"vectors": "vector"}, "words only"),
    "unknown text option": ({"text_options": {"stem": True}}, {}, "text_options has no 'stem'"),
    "signed hashing": ({"text_options": {"hash_features": 8}}, {}, "add alternate_sign=False"),
    "words by labels": (
        {"text_options": {"max_features": "auto"}},
        {},
        "needs all documents in memory",
    ),
    "words by information": (
        {"text_options": {"max_features": 9, "rank_by": "mutual_information"}},
        {},
        "needs all documents in memory",
    ),
    "option": ({"options": {"speed": 3}}, {}, "has no option 'speed'"),
}


@pytest.mark.usefixtures("no_reading")
@pytest.mark.parametrize(("parameters", "given", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_done_is_refused_before_documents_are_read(
    tmp_path, parameters, given, message
):
    with pytest.raises(ValueError, match=message):
        TextClassifier(**parameters).fit_files(write_files(tmp_path), **given)


@pytest.fixture
def homebody():
    """A method that can run in fewer places than the others."""

    def make(*places):
        return register(
            Method(
                "homebody",
                "supervised naive Bayes that stays at home",
                "never",
                NaiveBayesLearner,
                {"unlabeled_weight": 0.0},
                places=frozenset(places),
            )
        )

    yield make
    REGISTRY.pop("homebody", None)


class Client:
    """Looks like a client of Dask, and is not to be asked for anything."""

    scheduler = None


@pytest.mark.usefixtures("no_reading")
@pytest.mark.parametrize(
    ("places", "given", "message"),
    [
        (["memory"], {}, "cannot run streamed from disk, only in memory; train it there, or"),
        (["memory"], {"client": Client()}, "cannot run on a Dask cluster, only in memory;"),
        (
            ["memory", "stream"],
            {"client": Client()},
            "cannot run on a Dask cluster, only in memory or streamed from disk;",
        ),
        (
            ["stream", "dask"],
            {"stream": False},
            "cannot run in memory, only streamed from disk or on a Dask cluster;",
        ),
    ],
)
def test_a_place_where_a_method_cannot_run_is_refused_before_files_are_opened(
    homebody, monkeypatch, places, given, message
):
    homebody(*places)

    def opened(*_, **__):
        raise AssertionError("files were looked for")

    monkeypatch.setattr(DocumentFiles, "__init__", opened)
    phases = []
    clf = TextClassifier("homebody")
    with pytest.raises(ValueError, match=f"method 'homebody' {message}"):
        clf.fit_files("nowhere.csv", on_progress=lambda *now: phases.append(now), **given)
    assert phases == []
    assert not hasattr(clf, "classes_")


def test_a_method_that_runs_in_memory_only_is_trained_there(homebody, tmp_path):
    homebody("memory")
    there = TextClassifier("homebody").fit_files(write_files(tmp_path), stream=False)
    assert there.report_.method == "homebody"
    here = TextClassifier("homebody").fit(TEXTS, LABELS)
    assert_array_equal(there.predict_proba(NEW_TEXTS), here.predict_proba(NEW_TEXTS))
    assert np.mean(there.predict(NEW_TEXTS) == NEW_TRUTH) > 0.9


def test_forgotten_words_are_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(_survey, "MOST_WORDS", 25)
    clf = TextClassifier("em").fit_files(write_files(tmp_path))
    (note,) = [own for own in clf.report_.warnings if "rare words were dropped" in own]
    assert "hash_features needs no list of words" in note
    assert clf.report_.n_words <= 25


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1.0}, "alpha must be"),
        ({"max_iter": -3}, "max_iter must be"),
        ({"n_components": 0}, "n_components must be"),
    ],
)
def test_options_are_refused_before_anything_is_read(tmp_path, options, message):
    path = tmp_path / "data.csv"
    path.write_text("text,label\nsome words,a\nother words,b\n")
    phases = []
    with pytest.raises(ValueError, match=message):
        TextClassifier("em", options=options).fit_files(
            path, on_progress=lambda phase, *_: phases.append(phase)
        )
    assert phases == []


@pytest.mark.parametrize("paths", [None, 5, b"data.csv", [3]])
def test_what_is_no_path_is_refused_in_one_sentence(paths):
    with pytest.raises(TypeError, match="path"):
        TextClassifier("nb").fit_files(paths)


def test_a_client_must_be_one_and_has_no_use_for_a_cache(tmp_path):
    with pytest.raises(TypeError, match=r"client must be a dask.distributed.Client, got 'tcp"):
        TextClassifier("nb").fit_files(tmp_path, client="tcp://127.0.0.1:8786")
    with pytest.raises(ValueError, match="leave out cache or client"):
        TextClassifier("nb").fit_files(tmp_path, client=Client(), cache=tmp_path)


def test_one_class_is_refused_before_anything_is_counted(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("text,label\nsome words,a\nother words,a\nmore words,\n")
    phases = []
    with pytest.raises(ValueError, match="needs at least 2 classes"):
        TextClassifier("nb").fit_files(path, on_progress=lambda phase, *_: phases.append(phase))
    assert set(phases) == {"reading"}


def test_minus_one_as_a_label_is_counted(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("text,label\nsome words,a\nother words,b\n" + "more words,-1\n" * 7)
    with pytest.raises(ValueError, match='"-1" as text occurs 7 times'):
        TextClassifier("nb").fit_files(path)
