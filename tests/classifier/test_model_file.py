"""Model files: what comes back is what was written, or one sentence."""

import dataclasses
import hashlib
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pyarrow as pa
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from safetensors import safe_open

import leaven
from leaven import TextClassifier, load
from leaven.classifier import FitReport
from leaven.classifier._model_file import (
    FORMAT,
    _digest,
    dump_model,
    load_model,
    parse_model,
    save_model,
)
from leaven.exceptions import ModelFileError

TEXTS = [
    "raw dough rises with yeast", "the planet orbits a star", "yeast and flour make bread",
    "a comet and a planet", "bread dough in the oven", "stars and comets in orbit",
    "Straße und Brötchen 麺包 хлеб", "ракета и звезда 星 ÀÉ", "", "flour flour flour flour",
]  # fmt: skip
NAMES = ["baking", "space", None, None, None, None, "baking", "space", None, None]


def embed(texts):
    """Vectors of three numbers, as a user might bring."""
    return [[len(text), text.count("e") + 0.5, text.count("a") - 1.0] for text in texts]


CASES = {
    "text classes": ({}, NAMES),
    "number classes": ({}, [3, -7, None, None, None, None, 3, -7, None, None]),
    "truth values": ({}, [True, False, None, None, None, None, True, False, None, None]),
    "unicode classes": (
        {},
        ["Brötchen 🥐" if n == "baking" else n and "空間\n\"'\\" for n in NAMES],
    ),
    "supervised": ({"method": "nb"}, NAMES),
    "words alone": ({"method": "em"}, NAMES),
    "as sure as it was": ({"method": "em", "calibrate": False}, NAMES),
    "components": ({"method": "em", "options": {"n_components": {"space": 2}}}, NAMES),
    "two views": ({"method": "two-view", "options": {"n_dims": 5}}, NAMES),
    "own vectors": ({"embed": embed}, NAMES),
    "own vectors, EM alone": ({"method": "two-view", "embed": embed}, NAMES),
    "hashing": ({"text_options": {"hash_features": 64, "alternate_sign": False}}, NAMES),
    "hashing, plain": (
        {"text_options": {"hash_features": 64, "alternate_sign": False, "idf": False}},
        NAMES,
    ),
    "n-grams": ({"text_options": {"ngram_range": (1, 3)}}, NAMES),
    "plain counts": ({"text_options": {"log_tf": False, "idf": False, "length": None}}, NAMES),
    "stop words": ({"text_options": {"stop_words": ["the", "und", "星"]}}, NAMES),
    "english": ({"text_options": {"stop_words": "english", "numbers": "one"}}, NAMES),
    "letters": ({"text_options": {"tokens": "letters", "lowercase": False}}, NAMES),
    "numpy options": (
        {
            "text_options": {"max_features": np.int64(30), "length": np.float32(50)},
            "options": {"alpha": np.float32(0.5), "max_iter": np.int64(20)},
        },
        NAMES,
    ),
}


@pytest.fixture(scope="module")
def fitted():
    return TextClassifier(subwords=False).fit(TEXTS, NAMES).fitted


@pytest.fixture(scope="module")
def content(fitted):
    """Experts 0 and 1 are linear, number 2 is two-view EM; the view is learned from the text."""
    return dump_model(fitted)


@pytest.fixture
def path(content, tmp_path):
    path = tmp_path / "model.leaven"
    path.write_bytes(content)
    return path


def parts(content):
    """Tensors and JSON of a model file, free to be changed."""
    tensors = {name: array.copy() for name, array in safetensors.numpy.load(content).items()}
    size = int.from_bytes(content[:8], "little")
    return tensors, json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["leaven"])


def packed(tensors, about, *, sign=True):
    """A file of these parts, its digest made to match."""
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    if sign:
        about = {**about, "digest": _digest(tensors, about)}
    return safetensors.numpy.save(tensors, {"leaven": json.dumps(about)})


def place_of(about, part):
    """A part of the JSON by a short name."""
    if part == "expert":
        return about["experts"][2]
    return about["experts"][2]["settings"] if part == "settings" else about[part]


def assert_same(there, here):
    """Equal in all their parts, numbers to the last bit; threads are no part of a model."""
    if dataclasses.is_dataclass(here):
        assert type(there) is type(here)
        for own in dataclasses.fields(here):
            if own.name != "n_threads":
                assert_same(getattr(there, own.name), getattr(here, own.name))
    elif isinstance(here, np.ndarray):
        assert_array_equal(there, here)
        assert there.dtype == here.dtype
    elif isinstance(here, tuple):
        for ours, theirs in zip(there, here, strict=True):
            assert_same(ours, theirs)
    else:
        assert there == here


def assert_refused(content, match=None):
    with pytest.raises(ModelFileError, match=match) as caught:
        parse_model(content, "some file.leaven")
    message = str(caught.value)
    assert "'some file.leaven'" in message
    assert "\n" not in message
    assert ";" in message  # what to do


@pytest.mark.filterwarnings("ignore::leaven.exceptions.CollapseWarning")
@pytest.mark.parametrize(("parameters", "labels"), CASES.values(), ids=CASES.keys())
def test_a_model_comes_back_exactly(parameters, labels, tmp_path):
    clf = TextClassifier(**parameters).fit(TEXTS, labels)
    path = tmp_path / "model.leaven"
    clf.save(path)
    back = load(path, embed=clf.embed)
    assert back.classes_.tolist() == clf.classes_.tolist()
    assert back.classes_.dtype == clf.classes_.dtype
    here, there = clf.fitted, back.fitted
    assert_same(there.experts, here.experts)
    assert_same(there.weights, here.weights)
    assert_same(there.view, here.view)
    assert there.dtype == here.dtype
    assert_array_equal(there.counter.idf, here.counter.idf)
    assert there.counter.vocabulary.words.equals(here.counter.vocabulary.words)
    assert there.counter.options == here.counter.options
    assert_array_equal(back.predict_proba(TEXTS[:8]), clf.predict_proba(TEXTS[:8]))
    if not here.counter.options.hash_features:
        assert back.top_words() == clf.top_words()
        assert back.explain(TEXTS[0]) == clf.explain(TEXTS[0])
    assert str(back.report_) == str(clf.report_)
    assert dump_model(there) == path.read_bytes()


def test_the_cases_have_experts_and_views_of_every_kind():
    fits = [TextClassifier(**CASES[name][0]).fit(TEXTS, NAMES).fitted for name in (
        "text classes", "words alone", "own vectors"
    )]  # fmt: skip
    kinds = [own["kind"] for fitted in fits for own in parts(dump_model(fitted))[1]["experts"]]
    assert set(kinds) == {"linear", "mixture", "two-view"}
    assert [parts(dump_model(fitted))[1]["view"] for fitted in fits] == ["latent", None, "given"]


def test_a_report_is_what_its_json_says(fitted):
    report = fitted.report
    written = report.to_json()
    assert "facts" not in written
    assert written["objective"] == report.facts["objective"] == report.objective
    assert FitReport.from_json(written) == report
    assert pickle.loads(pickle.dumps(report)) == report
    with pytest.raises(AttributeError, match="method 'auto' reports no 'unheard_of'"):
        _ = report.unheard_of


def test_a_report_is_of_plain_numbers_whatever_the_options_are():
    parameters, labels = CASES["numpy options"]
    report = TextClassifier(**parameters).fit(TEXTS, labels).report_
    assert json.loads(json.dumps(report.to_json())) == report.to_json()


@pytest.mark.parametrize("method", ["auto", "em"])
def test_a_loaded_classifier_can_be_trained_again(method, tmp_path):
    options = {"alpha": 0.5}
    clf = TextClassifier(method, text_options={"ngram_range": (1, 2)}, options=options)
    clf.fit(TEXTS, NAMES).save(tmp_path / "model.leaven")
    back = load(tmp_path / "model.leaven")
    again = back.fit(TEXTS, NAMES)
    assert_array_equal(again.predict_proba(TEXTS[:8]), clf.predict_proba(TEXTS[:8]))


def test_the_file_is_one_that_safetensors_itself_reads(path, fitted):
    with safe_open(path, framework="np") as file:
        about = json.loads(file.metadata()["leaven"])
        words, log_word, basis = map(file.get_tensor, ("1.words", "2.log_word", "view.basis"))
    assert_array_equal(words, fitted.experts[1].words)
    assert_array_equal(log_word, fitted.mixture.params.log_word.T)
    assert_array_equal(basis, fitted.view.basis)
    assert about["format"] == FORMAT == 5
    assert about["leaven"] == leaven.__version__
    assert about["classes"] == ["baking", "space"]
    assert about["text"]["length"] == fitted.counter.options.length
    assert [own["kind"] for own in about["experts"]] == ["linear", "linear", "two-view", "mixture"]
    assert [own["name"] for own in about["experts"]] == [own.name for own in fitted.experts]
    assert (about["view"], about["counts"]) == ("latent", "float32")
    assert about["report"]["n_labeled"] == 4


def first_format():
    """Tensors and JSON of a file as leaven 0.1.0 wrote it."""
    word = np.array([[0.75, 0.125], [0.25, 0.875]], dtype=np.float32)  # (n_words, n_components)
    tensors = {
        "component_class": np.array([0, 1]),
        "log_weight": np.log([0.5, 0.5]),
        "log_word": np.log(word),
        "vocabulary": np.frombuffer(b"doughstar" + bytes(8), dtype=np.uint8),
        "vocabulary_starts": np.array([0, 5, 9]),
        "idf": np.zeros(0),
    }
    about = {
        "format": 1,
        "leaven": "0.1.0",
        "kind": "multinomial-mixture",
        "classes": ["baking", "space"],
        "text": {"lowercase": True, "ngram_range": [1, 1]},
        "model": {"alpha": 1.0, "class_alpha": 0.0, "unlabeled_weight": 0.0},
        "report": {
            "method": "nb", "reason": "asked for", "n_documents": 2, "n_labeled": 2,
            "class_counts": {"baking": 1, "space": 1}, "n_words": 2, "unlabeled_shares": {},
            "objective": [-3.5], "converged": False,
        },
    }  # fmt: skip
    return tensors, about


@pytest.mark.parametrize("model", [first_format()[1]["model"], {"alpha": 1.0}, {}], ids=str)
def test_a_file_of_format_1_written_by_other_means_is_read(model):
    """Every later leaven must read this, with what options it has since at their defaults."""
    tensors, about = first_format()
    about["model"] = model
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(tensors):
        array = tensors[name]
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    about["digest"] = digest.hexdigest()
    content = safetensors.numpy.save(tensors, {"leaven": json.dumps(about)})
    model = parse_model(content, "old.leaven")
    expected = [0.75 / 0.875, 0.125 / 0.875]
    assert_allclose(model.predict_proba(["Dough!"]), [expected], rtol=1e-6)
    again = parse_model(dump_model(model), "new.leaven")
    assert_array_equal(again.predict_proba(["Dough!"]), model.predict_proba(["Dough!"]))


@pytest.mark.parametrize("name", ["component_class", "log_weight", "log_word", "idf"])
def test_a_missing_array_of_format_1_is_named(name):
    tensors, about = first_format()
    del tensors[name]
    assert_refused(packed(tensors, about), f"it lacks '{name}'")


@pytest.mark.parametrize("name", ["kind", "text", "model", "report", "classes"])
def test_a_missing_part_of_format_1_is_named(name):
    tensors, about = first_format()
    del about[name]
    assert_refused(packed(tensors, about), f"it lacks '{name}'")


FIRST_PARTS = [
    ("model", None), ("model", []), ("model", "x"), ("model", {"a": 1}), ("model", {"alpha": "1"}),
    ("model", {"alpha": None}), ("model", {"alpha": 1.0, "component_class": [0, 1]}),
    ("model", {"alpha": 1.0, "class_alpha": 0.0, "unlabeled_weight": 1.0, "unheard_of": 1}),
    ("report", None), ("report", []), ("report", {"method": 5}), ("kind", None), ("kind", ["x"]),
    ("classes", ["a"]), ("classes", ["a", "b", "c"]), ("text", []), ("text", {"idf": True}),
]  # fmt: skip


@pytest.mark.parametrize(("part", "value"), FIRST_PARTS, ids=str)
def test_parts_of_format_1_that_are_none_are_refused(part, value):
    tensors, about = first_format()
    about[part] = value
    assert_refused(packed(tensors, about), "not a consistent leaven model")


def test_another_kind_of_model_of_format_1_is_refused():
    tensors, about = first_format()
    about["kind"] = "transformer"
    assert_refused(packed(tensors, about), "its kind is 'transformer'")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("log_word", np.zeros((2, 2), np.float16), "its array 'log_word' is of the wrong type"),
        ("log_word", np.zeros((3, 2), np.float32), "its arrays do not fit together"),
        ("log_word", np.full((2, 2), 0.5, np.float32), "not logarithms of probabilities"),
        ("log_weight", np.zeros(3), "its arrays do not fit together"),
        ("component_class", np.array([0, 2]), "its arrays do not fit together"),
        ("component_class", np.array([0.0, 1.0]), "its array 'component_class' is of the wrong"),
    ],
)
def test_hostile_arrays_of_format_1_are_refused(name, value, expected):
    tensors, about = first_format()
    tensors[name] = value
    assert_refused(packed(tensors, about), expected)


# Format 2 had no words in its report but what was printed from its numbers.
SECOND_REPORT = {
    "unlabeled_shares": {}, "objective": [], "converged": True, "stops_early": False,
    "n_annealed": 0, "components": {}, "choices": [],
}  # fmt: skip


def second_format(content):
    """Tensors and JSON of a file as the leaven of format 2 would have written it."""
    tensors, about = parts(content)
    report = {**SECOND_REPORT, **about["report"]}
    about["report"] = {
        name: value for name, value in report.items() if name not in ("lines", "class_lines")
    }
    return tensors, {**about, "format": 2}


MORE_CASES = {
    "frequency estimate": ({"method": "sfe"}, NAMES),
    "mixture": ({"method": "mixture"}, NAMES),
    "annealed": ({"method": "annealed"}, NAMES),
    "components chosen": ({"method": "em", "options": {"n_components": [1, 2]}}, NAMES),
}


@pytest.mark.filterwarnings("ignore::leaven.exceptions.CollapseWarning")
@pytest.mark.parametrize(
    ("parameters", "labels"),
    [*CASES.values(), *MORE_CASES.values()],
    ids=[*CASES.keys(), *MORE_CASES.keys()],
)
def test_a_file_of_format_2_is_the_same_model_and_prints_the_same_report(parameters, labels):
    here = TextClassifier(**parameters).fit(TEXTS, labels).fitted
    there = parse_model(packed(*second_format(dump_model(here))), "old.leaven")
    assert str(there.report) == str(here.report)
    assert_same(there.experts, here.experts)
    assert_same(there.weights, here.weights)
    assert_same(there.view, here.view)
    given = embed(TEXTS[:8]) if here.needs_vectors else None
    assert_array_equal(
        there.predict_proba(TEXTS[:8], vectors=given), here.predict_proba(TEXTS[:8], vectors=given)
    )
    assert there.report.facts.keys() >= here.report.facts.keys()
    for name, value in here.report.facts.items():
        assert getattr(there.report, name) == value
    again = parse_model(dump_model(there), "new.leaven")
    assert str(again.report) == str(here.report)
    assert parts(dump_model(there))[1]["format"] == FORMAT


def test_a_report_of_format_2_written_by_other_means_is_read():
    """What every leaven of format 2 wrote of EM, and what people should see of it."""
    tensors, about = first_format()
    own = ("component_class", "log_weight", "log_word")
    tensors = {f"0.{name}" if name in own else name: array for name, array in tensors.items()}
    settings = {**about.pop("model"), "scale": 1.0}
    expert = {"kind": about.pop("kind") and "mixture", "name": "old EM", "settings": settings}
    about |= {"format": 2, "experts": [expert], "view": None, "counts": "float32"}
    about["report"] |= {
        "method": "annealed", "n_documents": 1202,
        "objective": [-9000.0, -8000.0, -7500.2, -7000.4], "n_annealed": 2, "converged": True,
        "stops_early": False, "unlabeled_shares": {"baking": 0.25, "space": 0.75},
        "components": {"baking": 1, "space": 3},
        "choices": [
            {"components": 1, "accuracy": 0.5, "n_scored": 8},
            {"components": {"space": 3}, "accuracy": 0.75, "n_scored": 8},
        ],
        "seconds": {"counting": 0.25, "fitting": 1.0},
    }  # fmt: skip
    tensors["weights"] = np.ones(1)
    report = parse_model(packed(tensors, about), "old.leaven").report
    assert str(report).splitlines() == [
        "method annealed: asked for",
        "1,202 documents, 2 labeled in 2 classes, 2 words",
        "accuracy on 8 held-out labeled documents by components per class: 1: 50 %, "
        "{'space': 3}: 75 %",
        "2 iterations of annealing, then 1 EM iteration, converged; objective -7,500 → -7,000",
        "1.25 s (counting 0.25, fitting 1.00)",
        "  baking       1 labeled,  25.0 % of unlabeled documents",
        "  space        1 labeled,  75.0 % of unlabeled documents, 3 components",
    ]
    assert (report.n_iter, report.n_annealed, report.converged) == (3, 2, True)
    assert report.components == {"baking": 1, "space": 3}


def test_a_report_of_format_1_is_told_in_words():
    report = parse_model(packed(*first_format()), "old.leaven").report
    assert report.objective == [-3.5]
    assert (report.lines, report.n_iter) == ([], 0)
    assert str(report).splitlines()[-2:] == [
        "  baking       1 labeled",
        "  space        1 labeled",
    ]


@pytest.mark.parametrize("name", ["objective", "converged", "method", "n_words"])
def test_a_missing_part_of_a_report_of_format_2_is_refused(content, name):
    tensors, about = second_format(content)
    del about["report"][name]
    assert_refused(packed(tensors, about), f"not a consistent leaven model .*'{name}'")


SECOND_VALUES = [
    ("objective", 5), ("objective", None), ("objective", ["a", "b"]), ("objective", [None, None]),
    ("unlabeled_shares", []), ("unlabeled_shares", None), ("unlabeled_shares", {"baking": "x"}),
    ("components", {"baking": "x"}), ("components", []), ("choices", [1]), ("choices", [{}]),
    ("choices", {"a": 1}), ("choices", True), ("n_annealed", "x"), ("n_annealed", None),
    ("class_counts", []), ("method", 5), ("seconds", {"a": None}),
    ("n_annealed", 100), ("n_annealed", -100),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), SECOND_VALUES, ids=str)
def test_values_of_a_report_of_format_2_that_are_none_are_refused(content, name, value):
    tensors, about = second_format(content)
    assert len(about["report"]["objective"]) > 1
    about["report"][name] = value
    assert_refused(packed(tensors, about), "not a consistent leaven model")


@pytest.mark.parametrize("value", [None, [], "x", 3], ids=str)
def test_a_report_of_format_2_that_is_none_is_refused(content, value):
    tensors, about = second_format(content)
    about["report"] = value
    assert_refused(packed(tensors, about), "not a consistent leaven model")


def test_saving_overwrites_and_leaves_nothing_else(path, fitted, tmp_path):
    path.write_text("old")
    save_model(fitted, path)
    assert [each.name for each in tmp_path.iterdir()] == ["model.leaven"]
    assert load_model(str(path)).classes.tolist() == ["baking", "space"]


def test_a_saved_file_has_the_rights_of_any_new_file(fitted, tmp_path):
    (tmp_path / "other").write_text("")
    save_model(fitted, tmp_path / "model.leaven")
    assert (tmp_path / "model.leaven").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_while_writing_keeps_the_old_file_and_leaves_no_other(
    step, error, fitted, tmp_path, monkeypatch
):
    path = tmp_path / "model.leaven"
    path.write_text("old")

    def fail(*_):
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        save_model(fitted, path)
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.leaven"]


def test_the_new_content_is_on_disk_before_it_gets_its_name(content, fitted, tmp_path, monkeypatch):
    path, seen = tmp_path / "model.leaven", []
    fsync, replace = os.fsync, os.replace

    def synced(handle):
        seen.append(("fsync", os.fstat(handle).st_size))
        fsync(handle)

    def replaced(source, target):
        seen.append(("replace", os.path.getsize(source)))
        assert os.path.dirname(source) == os.path.dirname(target)
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    save_model(fitted, path)
    assert seen == [("fsync", len(content)), ("replace", len(content))]


def test_places_that_cannot_hold_a_model_are_named(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"the folder '.*nowhere' does not exist; create"):
        save_model(fitted, tmp_path / "nowhere" / "model.leaven")
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file"):
        save_model(fitted, tmp_path)
    assert os.listdir(tmp_path) == []


def test_places_that_hold_no_model_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no model file at '.*absent'; check the path"):
        load_model(tmp_path / "absent")
    with pytest.raises(ModelFileError, match="is a folder, not a model file"):
        load_model(tmp_path)


def a_zip_file():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model.txt", "weights")
    return file.getvalue()


def a_numpy_file():
    file = io.BytesIO()
    np.save(file, np.arange(5))
    return file.getvalue()


FOREIGN = {
    "empty": b"",
    "a few bytes": b"\x02\x00\x00",
    "text": b"text,label\nhello,greeting\n" * 20,
    "JSON": b'{"format": 1, "classes": ["a", "b"]}',
    "zip": a_zip_file(),
    "objects of Python": b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94." * 3,
    "numpy": a_numpy_file(),
    "zeros": bytes(1000),
    "ones": b"\xff" * 1000,
    "safetensors of others": safetensors.numpy.save({"weight": np.zeros(3)}),
    "safetensors with other metadata": safetensors.numpy.save(
        {"weight": np.zeros(3)}, {"format": "pt"}
    ),
    "safetensors with text for metadata": safetensors.numpy.save(
        {"weight": np.zeros(3)}, {"leaven": "hello"}
    ),
    "safetensors with a list for metadata": safetensors.numpy.save(
        {"weight": np.zeros(3)}, {"leaven": "[1, 2]"}
    ),
    "deep JSON": (20_000).to_bytes(8, "little") + b'{"a":' * 4000,
    "deep JSON as metadata": safetensors.numpy.save(
        {"weight": np.zeros(3)}, {"leaven": "[" * 100_000 + "]" * 100_000}
    ),
    "a number of too many digits": safetensors.numpy.save(
        {"weight": np.zeros(3)}, {"leaven": '{"format": ' + "1" * 5000 + "}"}
    ),
}


@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_foreign_file_is_refused_in_a_sentence(foreign, tmp_path):
    assert_refused(foreign, "is not a leaven model; give a file that leaven train wrote|truncated")
    path = tmp_path / "some file.leaven"
    path.write_bytes(foreign)
    for read in (load, load_model):
        with pytest.raises(ModelFileError, match=r"some file\.leaven"):
            read(path)


def test_a_file_cut_short_anywhere_is_refused(content):
    lengths = np.linspace(0, len(content) - 1, 40).astype(int).tolist()
    for length in [*range(20), *lengths, len(content) - 1]:
        assert_refused(content[:length])


def test_bytes_too_many_are_refused(content):
    assert_refused(content + b"\0", "damaged or truncated")
    assert_refused(content + content)


@pytest.mark.parametrize("size", [2**63, 2**64 - 1, 2**40, 10**8])
def test_a_header_that_claims_too_much_is_refused(content, size):
    assert_refused(size.to_bytes(8, "little") + content[8:], "truncated within its header")


def with_header(content, name, **changes):
    """The file with other claims about one of its tensors."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    header[name] |= changes
    encoded = json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + content[8 + size :]


@pytest.mark.parametrize(
    ("shape", "offsets"),
    [([2**40], [0, 2**43]), ([2**62, 4], [0, 0]), ([1], [-8, 0]), ([-1], [0, 8]), ([2], [0, 9])],
)
def test_a_tensor_that_claims_too_much_is_refused(content, shape, offsets):
    changed = with_header(content, "2.log_weight", shape=shape, data_offsets=offsets)
    assert_refused(changed, "damaged")


@pytest.mark.parametrize("dtype", ["F8_E4M3", "BF16", "F128", "object", 3])
def test_a_tensor_type_that_numpy_lacks_is_refused(content, dtype):
    assert_refused(with_header(content, "vocabulary", dtype=dtype), "damaged")


def check_flipped(content, position, bit):
    flipped = bytearray(content)
    flipped[position] ^= 1 << bit
    try:
        model = parse_model(bytes(flipped), "some file.leaven")
    except ModelFileError as error:
        message = str(error)
    else:
        message = None
    if message is None:  # a space for a tab, or 1E-6 for 1e-6
        assert dump_model(model) == content
    else:
        assert "'some file.leaven'" in message
        assert "\n" not in message


@settings(max_examples=400, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_flipped_bit_is_noticed_or_means_nothing(content, data):
    position = data.draw(st.integers(0, len(content) - 1))
    check_flipped(content, position, data.draw(st.integers(0, 7)))


def test_a_flipped_bit_in_any_byte_of_the_header_is_noticed_or_means_nothing(content):
    size = int.from_bytes(content[:8], "little")
    for position in range(8 + size):
        check_flipped(content, position, position % 8)


def test_a_changed_number_is_noticed_by_the_digest(content):
    tensors, about = parts(content)
    tensors["2.log_word"][3, 1] += 1e-6
    assert_refused(packed(tensors, about, sign=False), "was changed after it was written")
    tensors, about = parts(content)
    tensors["weights"][0] *= 1 + 1e-9
    assert_refused(packed(tensors, about, sign=False), "was changed after it was written")
    tensors, about = parts(content)
    about["classes"] = ["space", "baking"]
    assert_refused(packed(tensors, about, sign=False), "its digest does not match")
    del about["digest"]
    assert_refused(packed(tensors, about, sign=False), "its digest does not match")


def test_repacking_alone_changes_nothing(content):
    assert dump_model(parse_model(packed(*parts(content)), "x")) == content


@pytest.mark.parametrize("number", [FORMAT + 1, 99, 10**30])
def test_a_later_format_asks_for_a_later_leaven(content, number):
    tensors, about = parts(content)
    about |= {"format": number, "leaven": "9.8.7", "experts": "unheard of"}
    expected = rf"model format {number}, but leaven .* reads formats up to 5; update .*9\.8\.7"
    assert_refused(packed(tensors, about), expected)


@pytest.mark.parametrize("number", [0, -1, 1.0, "1", None, True, [1]])
def test_a_format_that_is_no_number_is_refused(content, number):
    tensors, about = parts(content)
    assert_refused(packed(tensors, {**about, "format": number}), "has model format")


@pytest.mark.parametrize("change", ["negative", "falling", "wrapping", "beyond", "first", "equal"])
def test_a_vocabulary_that_would_lead_compiled_code_astray_is_refused(content, change):
    tensors, about = parts(content)
    starts = tensors["vocabulary_starts"]
    if change == "negative":
        starts[2] = -5
    elif change == "falling":
        starts[[2, 3]] = starts[[3, 2]]
    elif change == "wrapping":  # each difference, wrapped around 64 bits, is positive
        starts[3], starts[4] = 2**63 - 1, -(2**62)
        assert (np.diff(starts) > 0).all()
    elif change == "beyond":
        starts[-1] += 8
    elif change == "first":
        starts[0] = 1
    else:
        starts[2] = starts[1]
    assert_refused(packed(tensors, about), "its vocabulary is malformed")


def test_words_must_be_utf8(content):
    tensors, about = parts(content)
    tensors["vocabulary"][1] = 0xFF
    assert_refused(packed(tensors, about), "not a consistent leaven model")


@pytest.mark.parametrize("length", [0, 3, 8, -1])
def test_an_arena_of_another_length_is_refused(content, length):
    tensors, about = parts(content)
    tensors["vocabulary"] = tensors["vocabulary"][:length]
    assert_refused(packed(tensors, about), "its vocabulary is malformed")


ARRAYS = [
    "vocabulary", "vocabulary_starts", "idf", "weights", "0.words", "0.directions", "0.bias",
    "1.words", "1.directions", "1.bias", "2.component_class", "2.log_weight", "2.log_word",
    "2.directions", "3.component_class", "3.log_weight", "3.log_word", "view.basis",
    "view.center", "documents.indptr", "documents.indices", "documents.data", "documents.codes",
    "documents.weights", "documents.numbers", "documents.is_labeled", "decision.bias",
]  # fmt: skip


def test_the_arrays_of_a_file_are_those_tested(content):
    assert sorted(parts(content)[0]) == sorted([*ARRAYS, "labeled_hashes"])


def test_hashes_of_labeled_texts_are_kept_and_may_be_absent(content):
    tensors, about = parts(content)
    assert_array_equal(parse_model(content, "a").labeled_hashes, tensors["labeled_hashes"])
    assert len(tensors["labeled_hashes"])
    del tensors["labeled_hashes"]
    assert not len(parse_model(packed(tensors, about), "earlier").labeled_hashes)


@pytest.mark.parametrize("change", [
    lambda hashes: hashes.astype(np.int64), lambda hashes: hashes[:, None],
    lambda hashes: hashes[::-1], lambda hashes: np.repeat(hashes, 2),
])  # fmt: skip
def test_malformed_hashes_of_labeled_texts_are_refused(content, change):
    tensors, about = parts(content)
    tensors["labeled_hashes"] = np.ascontiguousarray(change(tensors["labeled_hashes"]))
    assert_refused(packed(tensors, about), "its hashes of labeled texts are malformed")


@pytest.mark.parametrize("name", ARRAYS)
def test_a_missing_array_is_named(content, name):
    tensors, about = parts(content)
    del tensors[name]
    assert_refused(packed(tensors, about), f"it lacks '{name}'")


@pytest.mark.parametrize("name", ["text", "counts", "experts", "view", "report", "classes"])
def test_a_missing_part_of_the_json_is_named(content, name):
    tensors, about = parts(content)
    del about[name]
    assert_refused(packed(tensors, about), f"it lacks '{name}'")


@pytest.mark.parametrize("name", ["kind", "name", "settings"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_missing_part_of_an_expert_is_named(content, number, name):
    tensors, about = parts(content)
    del about["experts"][number][name]
    assert_refused(packed(tensors, about), f"it lacks '{name}'")


WRONG_TYPES = [
    ("2.log_word", np.int64), ("2.log_word", np.float16), ("2.log_word", bool),
    ("2.log_weight", np.float32), ("2.component_class", float), ("2.component_class", np.int32),
    ("2.component_class", np.uint8), ("2.directions", np.float16), ("2.directions", np.int64),
    ("0.words", np.int64), ("0.words", np.float16), ("0.words", bool), ("1.directions", np.int32),
    ("1.directions", np.float16), ("0.bias", np.float32), ("1.bias", np.int64),
    ("weights", np.float32), ("weights", np.int64), ("vocabulary", np.int8),
    ("vocabulary", np.int64), ("vocabulary_starts", float), ("vocabulary_starts", np.int32),
    ("vocabulary_starts", np.uint64), ("idf", np.float32),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), WRONG_TYPES, ids=str)
def test_an_array_of_another_type_is_refused(content, name, dtype):
    tensors, about = parts(content)
    tensors[name] = tensors[name].astype(dtype)
    shown = name.rpartition(".")[2]
    assert_refused(packed(tensors, about), f"its array '{shown}' is of the wrong type")


@pytest.mark.parametrize("name", ["view.basis", "view.center"])
@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32, bool])
def test_a_view_of_another_type_is_refused(content, name, dtype):
    tensors, about = parts(content)
    tensors[name] = tensors[name].astype(dtype)
    expected = f"its array '{name.rpartition('.')[2]}' is of the wrong type"
    if dtype == np.float64:  # of which the other array is not
        expected = "its arrays do not fit together"
    assert_refused(packed(tensors, about), expected)


@pytest.mark.parametrize("name", [name for name in ARRAYS if name not in ("0.directions", "idf")])
@pytest.mark.parametrize("shape", [(-1, 1), (1, -1), (-1, 1, 1)])
def test_an_array_of_another_shape_is_refused(content, name, shape):
    tensors, about = parts(content)
    tensors[name] = tensors[name].reshape(shape)
    expected = "is of the wrong type|its arrays do not fit together|its view is malformed"
    assert_refused(packed(tensors, about), expected)


@pytest.mark.parametrize(
    "name", [name for name in ARRAYS if not name.startswith(("vocabulary", "weights", "0.dir"))]
)
@pytest.mark.parametrize("rows", [slice(1, None), slice(0, 0), slice(None, -1)])
def test_arrays_of_unlike_lengths_are_refused(content, name, rows):
    tensors, about = parts(content)
    tensors[name] = tensors[name][rows]
    expected = "its arrays do not fit together"
    if (name, rows) == ("view.center", slice(0, 0)):
        expected = "its view is malformed"
    if (name, rows) == ("1.directions", slice(0, 0)):  # a model of words alone, and sound
        assert not parse_model(packed(tensors, about), "x").experts[1].sees_vectors
        return
    assert_refused(packed(tensors, about), expected)


WIDE = [
    "0.words", "0.directions", "1.words", "1.directions", "2.log_word", "2.directions",
    "view.basis",
]  # fmt: skip


@pytest.mark.parametrize("name", WIDE)
def test_columns_too_many_are_refused(content, name):
    tensors, about = parts(content)
    tensors[name] = np.concatenate([tensors[name], tensors[name][:, :1]], axis=1)
    assert_refused(packed(tensors, about), "its arrays do not fit together")


@pytest.mark.parametrize("rows", [slice(1, None), slice(0, 0), slice(None, -1)])
def test_weights_of_more_or_fewer_experts_are_refused(content, rows):
    tensors, about = parts(content)
    tensors["weights"] = tensors["weights"][rows]
    assert_refused(packed(tensors, about), "experts' weights are not positive numbers")
    tensors, about = parts(content)
    about["experts"] = about["experts"][:2]
    assert_refused(packed(tensors, about), "experts' weights are not positive numbers")


def test_an_expert_without_arrays_is_refused(content):
    tensors, about = parts(content)
    about["experts"].append({"kind": "linear", "name": "one more", "settings": {}})
    assert_refused(packed(tensors, about), "it lacks '4.words'")


def test_experts_that_look_at_vectors_need_a_view(content):
    tensors, about = parts(content)
    about["view"] = None
    assert_refused(packed(tensors, about), "its arrays do not fit together")
    two_view, about = parts(content)
    kept = {name: own for name, own in two_view.items() if name[0] not in "013"}
    moved = {name.replace("2.", "0."): own for name, own in kept.items()}
    moved["weights"] = moved["weights"][2:3]
    about |= {"experts": about["experts"][2:3], "view": None}
    assert_refused(packed(moved, about), "its arrays do not fit together")
    about["view"] = "latent"
    assert parse_model(packed(moved, about), "x").predict_proba(["dough"]).shape == (1, 2)


def test_word_weights_without_their_option_are_refused(content):
    tensors, about = parts(content)
    about["text"]["idf"] = False
    assert_refused(packed(tensors, about), "its arrays do not fit together")


@pytest.mark.parametrize("codes", [[0, 0], [0, 2], [-1, 0], [1, 2], [0, 2**40]])
def test_components_of_classes_that_are_none_are_refused(content, codes):
    tensors, about = parts(content)
    tensors["2.component_class"][:] = codes
    assert_refused(packed(tensors, about), "its arrays do not fit together")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.0])
@pytest.mark.parametrize("name", ["2.log_word", "2.log_weight"])
def test_parameters_that_are_no_log_probabilities_are_refused(content, name, value):
    tensors, about = parts(content)
    tensors[name].flat[-1] = value
    assert_refused(packed(tensors, about), "not logarithms of probabilities")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "name", ["0.words", "0.bias", "1.directions", "2.directions", "view.basis", "view.center"]
)
def test_parameters_that_are_not_finite_are_refused(content, name, value):
    tensors, about = parts(content)
    tensors[name].flat[-1] = value
    assert_refused(packed(tensors, about), "its parameters are not numbers of a sensible size")


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 0.0])
def test_weights_of_experts_that_are_no_weights_are_refused(content, value):
    tensors, about = parts(content)
    tensors["weights"][-1] = value
    assert_refused(packed(tensors, about), "experts' weights are not positive numbers")


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_word_weights_that_are_no_weights_are_refused(content, value):
    tensors, about = parts(content)
    tensors["idf"][0] = value
    assert_refused(packed(tensors, about), "word weights are not positive numbers")


CLASSES = [
    [], ["a"], ["a", "a"], [0, 0], ["a", 1], [1, True], [0.5, 1.5], [None, "a"], ["a", ["b"]],
    "ab", {"a": 1, "b": 2}, None, 2, [1, 2**70], ["a", "b", "c"],
]  # fmt: skip


@pytest.mark.parametrize("classes", CLASSES, ids=str)
def test_classes_that_are_none_are_refused(content, classes):
    tensors, about = parts(content)
    about["classes"] = classes
    assert_refused(packed(tensors, about), "not a consistent leaven model")


VALUES = [
    ("text", "unheard_of", 1), ("text", "tokens", "bytes"), ("text", "tokens", ["words"]),
    ("text", "lowercase", "yes"), ("text", "lowercase", 1), ("text", "stop_words", 5),
    ("text", "stop_words", "klingon"), ("text", "stop_words", [1, 2]), ("text", "ngram_range", 5),
    ("text", "ngram_range", [1]), ("text", "ngram_range", [1, 1, 1]),
    ("text", "ngram_range", ["1", "2"]), ("text", "ngram_range", [1.0, 1.0]),
    ("text", "ngram_range", [0, -1]), ("text", "min_df", "x"), ("text", "max_features", 2.5),
    ("text", "hash_features", 24.0), ("text", "hash_features", True), ("text", "hash_features", -1),
    ("text", "hash_features", 2**31), ("text", "hash_features", 64), ("text", "binary", None),
    ("text", "log_tf", "x"), ("text", "idf", 1), ("text", "length", True),
    ("text", "length", "200"), ("text", "length", float("nan")), ("text", "length", float("inf")),
    ("text", "length", 0), ("settings", "alpha", "1"), ("settings", "alpha", None),
    ("settings", "alpha", True), ("settings", "alpha", float("nan")),
    ("settings", "concentration", "30"), ("settings", "concentration", float("inf")),
    ("settings", "concentration", 10**400), ("settings", "unheard_of", 1),
    ("settings", "n_dims", 27), ("settings", "component_class", [0, 1]),
    ("expert", "name", 5), ("expert", "name", None), ("expert", "kind", "mixture"),
    ("expert", "kind", "linear"), ("expert", "kind", ["two-view"]), ("expert", "kind", None),
    ("expert", "settings", None), ("expert", "settings", []), ("expert", "settings", {}),
    ("expert", "settings", {"alpha": 1.0}), ("report", "method", 5),
    ("report", "candidates", {}), ("report", "candidates", [1]),
    ("report", "expected_accuracy", []), ("report", "expected_accuracy", {"low": "x"}),
    ("report", "n_documents", 1.5), ("report", "class_counts", []),
    ("report", "class_counts", {"a": "many"}), ("report", "warnings", [1]),
    ("report", "options", []), ("report", "options", {"method": ["alpha"]}),
    ("report", "seconds", {"a": None}), ("report", "lines", "x"), ("report", "lines", [1]),
    ("report", "lines", None), ("report", "class_lines", []),
    ("report", "class_lines", {"baking": 1}), ("report", "facts", 1), ("report", "facts", []),
]  # fmt: skip


@pytest.mark.parametrize(("part", "name", "value"), VALUES, ids=str)
def test_values_of_the_json_that_are_none_are_refused(content, part, name, value):
    tensors, about = parts(content)
    place_of(about, part)[name] = value
    assert_refused(packed(tensors, about), "not a consistent leaven model")


@pytest.mark.parametrize(
    ("name", "value"),
    [("objective", "x"), ("objective", [None]), ("objective", 5), ("converged", "yes")],
    ids=str,
)
def test_facts_of_em_that_are_none_are_refused(content, name, value):
    tensors, about = parts(content)
    about["report"][name] = value
    assert_refused(packed(tensors, about), "not a consistent leaven model")


@pytest.mark.parametrize("value", [1, "x", None, [1, {"a": None}], {"b": 0.5}], ids=str)
def test_facts_of_methods_unheard_of_are_kept(content, value):
    tensors, about = parts(content)
    about["report"]["unheard_of"] = value
    model = parse_model(packed(tensors, about), "x")
    assert model.report.unheard_of == model.report.facts["unheard_of"] == value
    assert parts(dump_model(model))[1]["report"]["unheard_of"] == value
    assert str(model.report) == str(parse_model(content, "x").report)


@pytest.mark.parametrize("part", ["text", "experts", "report", "view", "counts"])
@pytest.mark.parametrize("value", [None, [], "x", 3, {"a": 1}, {}, [None], ["x"], [{}], [[]]])
def test_parts_of_the_json_that_are_none_are_refused(content, part, value):
    tensors, about = parts(content)
    about[part] = value
    assert_refused(packed(tensors, about), "not a consistent leaven model")


@pytest.mark.parametrize("number", [0, 2])
def test_another_kind_of_expert_is_refused(content, number):
    tensors, about = parts(content)
    about["experts"][number]["kind"] = "transformer"
    assert_refused(
        packed(tensors, about), "an expert of kind 'transformer', which is not part of leaven"
    )


def test_another_view_and_other_counts_are_refused(content):
    tensors, about = parts(content)
    assert_refused(packed(tensors, {**about, "view": "panorama"}), "its view is 'panorama'")
    assert_refused(packed(tensors, {**about, "counts": "float16"}), "its counts are 'float16'")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_value_in_any_place_of_the_json_is_read_or_refused(content, data):
    tensors, about = parts(content)
    known = ["text", "experts", "expert", "settings", "report", "classes", "view", "counts"]
    part = data.draw(st.sampled_from([*known, "leaven"]))
    if isinstance(place_of(about, part), dict) and (part not in about or data.draw(st.booleans())):
        name = data.draw(st.sampled_from(sorted(place_of(about, part))))
        place_of(about, part)[name] = data.draw(json_values)
    else:
        about[part] = data.draw(json_values)
    try:
        model = parse_model(packed(tensors, about), "some file.leaven")
    except ModelFileError:
        return
    assert model.predict_proba(["dough and stars"]).shape == (1, 2)
    str(model.report)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_vocabulary_is_read_or_refused_but_never_read_beyond(content, data):
    tensors, about = parts(content)
    numbers = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 200)
    starts = tensors["vocabulary_starts"]
    for _ in range(data.draw(st.integers(1, 3))):
        starts[data.draw(st.integers(0, len(starts) - 1))] = data.draw(numbers)
    try:
        model = parse_model(packed(tensors, about), "some file.leaven")
    except ModelFileError:
        return
    words = model.counter.vocabulary.words
    words.validate(full=True)
    assert sum(len(word.encode()) for word in words.to_pylist()) == len(tensors["vocabulary"]) - 8
    model.predict_proba(["dough and stars in the oven"])


def test_a_loaded_model_counts_as_the_saved_one(content, fitted):
    texts = pa.array(TEXTS, pa.large_string())
    here, there = fitted.counter.count(texts), parse_model(content, "x").counter.count(texts)
    assert_array_equal(here.toarray(), there.toarray())


def test_what_json_cannot_hold_is_refused_when_saving(fitted):
    fitted.report.options["method"]["extra"] = object()
    try:
        with pytest.raises(TypeError, match="a model file cannot hold <object"):
            dump_model(fitted)
    finally:
        del fitted.report.options["method"]["extra"]
