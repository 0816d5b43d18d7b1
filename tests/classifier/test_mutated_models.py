"""Model files changed anywhere, their digests made to match: refused in one line, or sound.

Sound is a model whose probabilities are finite and sum to one, and which can be explained, printed
and saved again. A file that is neither is a crash, or nonsense, for whoever receives it.
"""

import copy
import functools
import itertools
import json
import random
import warnings

import numpy as np
import pytest
import safetensors.numpy

from leaven import TextClassifier
from leaven.classifier._model_file import _digest, dump_model, parse_model
from leaven.exceptions import ModelFileError
from leaven.methods import METHODS

TEXTS = [
    "raw dough rises with yeast", "the planet orbits a star", "yeast and flour make bread",
    "a comet and a planet", "bread dough in the oven", "stars and comets in orbit",
    "dough of flour", "a star and a planet", "", "flour flour flour flour",
]  # fmt: skip
LABELS = ["baking", "space", None, None, None, None, "baking", "space", None, None]
NEW = ["dough and stars", "", "unheard", " ".join(TEXTS) * 20]
PER_MODEL = 40  # mutations of each kind, of some thousands


def embed(texts):
    return [[len(text), text.count("e") + 0.5, text.count("a") - 1.0] for text in texts]


HASHED = {"hash_features": 32, "alternate_sign": False}
MODELS = {
    **{name: {"method": name} for name in METHODS},
    "uncalibrated": {"method": "em", "calibrate": False},
    "components": {"method": "em", "options": {"n_components": {"space": 2}}},
    "plain counts": {
        "method": "em",
        "text_options": {"log_tf": False, "idf": False, "length": None},
    },
    "own vectors": {"method": "two-view", "embed": embed},
    "hashed": {"method": "auto", "text_options": HASHED},
    "excerpts": {"method": "nb", "keep_excerpts": 12},
    "voters' excerpts": {"method": "ss-cknn", "keep_excerpts": 12},
    "no documents": {"method": "nb", "keep_documents": False},
    "label sets": {"method": "svm"},
    "label sets, uncalibrated": {"method": "svm", "calibrate": False, "keep_excerpts": 12},
}
SETS = [["baking"], ["space"], None, [], ["baking", "space"], None, ["baking"], ["space"], None, []]


@functools.cache
def parts(name):
    """Tensors and JSON of a model file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = SETS if name.startswith("label sets") else LABELS
        content = dump_model(TextClassifier(**MODELS[name]).fit(TEXTS, labels).fitted)
    size = int.from_bytes(content[:8], "little")
    about = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["leaven"])
    return safetensors.numpy.load(content), about


def packed(tensors, about):
    """A file of these parts, its digest made to match."""
    tensors = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    about = {**about, "digest": _digest(tensors, about)}
    return safetensors.numpy.save(tensors, {"leaven": json.dumps(about)})


def assert_refused_or_sound(tensors, about):
    """Whether it was refused."""
    try:
        model, message = parse_model(packed(tensors, about), "some file.leaven"), ""
    except ModelFileError as error:
        model, message = None, str(error)
    if model is None:
        assert message.isprintable()
        assert "'some file.leaven'" in message
        return True
    own = np.ones((len(NEW), model.view.n_given)) if model.needs_vectors else None
    probability = model.predict_proba(NEW, vectors=own, n_threads=1, warn=False)
    assert np.isfinite(probability).all()
    if model.labels.has_sets:
        assert ((probability >= 0) & (probability <= 1)).all()
    else:
        np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    confidence = model.confidence(probability, model.decide(probability))
    assert ((confidence >= 0) & (confidence <= 1 + 1e-9)).all()
    if not model.counter.options.hash_features:
        explanation = model.explain(NEW[0], 5, None if own is None else own[0])
        assert all(np.isfinite(list(entry.pull.values())).all() for entry in explanation.words)
        shown = [str(explanation), str(model.top_words(3))]
        if model.mixture is not None:
            shown.append(str(model.components(3)))
    else:
        shown = []
    if model.documents is not None:
        found = list(itertools.chain.from_iterable(model.neighbors(NEW, 3, 1)))
        assert all(0 < neighbor.similarity < 1.001 for neighbor in found)
        shown += map(str, found)
    shown += [str(model.report), json.dumps(model.report.to_json(), ensure_ascii=False)]
    "".join(shown).encode()
    parse_model(dump_model(model), "x")
    return False


VALUES = [np.nan, np.inf, -np.inf, 1e30, -1e30, 1e300, -1e300, 7.5, -1.0, 0.0, 1e-320, -1e5, -800.0]
TYPES = [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, bool]


def changed_arrays(array):
    """An array with other values, of another shape, of another type."""
    for value in VALUES:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for place in (slice(0, 1), slice(-1, None), slice(None)):
                copied = array.copy()
                copied.reshape(-1)[place] = np.array([value]).astype(array.dtype)
                yield f"{value} at {place}", copied
            row = array.copy()
            row[-1:] = np.array([value]).astype(array.dtype)
            yield f"{value} in the last row", row
    shapes = [array[1:], array[:-1], array[:0], array[None], array.T, array.reshape(-1)]
    shapes += [np.concatenate([array, array[:1]]), np.repeat(array, 2, axis=-1)]
    opposite = ~array if array.dtype == bool else -array
    shapes += [array[..., :0], array[..., 1:], np.roll(array, 1), opposite, array[::-1]]
    yield from ((f"shape {i}", shape) for i, shape in enumerate(shapes))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from ((f"type {kind.__name__}", array.astype(kind)) for kind in TYPES)


def changed_tensors(tensors):
    for name, array in tensors.items():
        if array.ndim:
            yield from (((name, how), {**tensors, name: new}) for how, new in changed_arrays(array))
        yield (name, "left out"), {key: own for key, own in tensors.items() if key != name}


HALF = "\ud800"
LEAVES = [
    None, True, False, -1, 0, 1, 10**30, -0.5, 1e300, float("nan"), float("inf"), "", "x", HALF,
    "\x1b[31m\n", [], {}, [None], ["x"], [HALF], {HALF: 1}, {"x": HALF}, {"x": 1.0}, [[[]]],
]  # fmt: skip
GONE = object()


def places(value, path=()):
    """Every place in JSON, as the names that lead there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, own in inner:
        yield (*path, name)
        if isinstance(own, dict | list):
            yield from places(own, (*path, name))


def changed_json(about):
    about = {name: own for name, own in about.items() if name not in ("digest", "format")}
    for path in places(about):
        for value in [*LEAVES, GONE]:
            yield (path, value), functools.partial(_replaced, path, value)


def _replaced(path, value, about):
    changed = copy.deepcopy(about)
    holder = functools.reduce(lambda inner, name: inner[name], path[:-1], changed)
    if value is GONE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return changed


def some(mutations, name):
    """A part of the mutations, another for each model and the same in every run."""
    mutations = list(mutations)
    return random.Random(name).sample(mutations, min(PER_MODEL, len(mutations)))


@pytest.mark.parametrize("name", MODELS)
def test_a_changed_array_is_refused_or_harmless(name):
    tensors, about = parts(name)
    n_refused = 0
    for what, changed in some(changed_tensors(tensors), name):
        try:
            n_refused += assert_refused_or_sound(changed, about)
        except Exception as error:
            raise AssertionError(f"{what} gave {error!r}") from error
    assert n_refused > PER_MODEL / 4


@pytest.mark.parametrize("name", MODELS)
def test_a_changed_value_of_the_json_is_refused_or_harmless(name):
    tensors, about = parts(name)
    n_refused = 0
    for what, change in some(changed_json(about), name):
        try:
            n_refused += assert_refused_or_sound(tensors, change(about))
        except Exception as error:
            raise AssertionError(f"{what} gave {error!r}") from error
    assert n_refused > PER_MODEL / 4


@pytest.mark.parametrize("name", MODELS)
def test_an_unchanged_file_is_read(name):
    assert not assert_refused_or_sound(*parts(name))


def refused(tensors, about, match):
    with pytest.raises(ModelFileError, match=match) as caught:
        parse_model(packed(tensors, about), "some file.leaven")
    assert str(caught.value).isprintable()


HALVES = [("classes", 0), ("experts", 0, "name"), ("report", "reason"), ("report", "lines", 0)]


@pytest.mark.parametrize("path", HALVES, ids=str)
def test_half_a_character_is_refused(path):
    tensors, about = parts("em")
    changed = _replaced(path, f"half {HALF}", about)
    refused(tensors, changed, r"its text contains an unpaired surrogate, '\\ud800'")


def test_a_word_of_half_a_character_is_refused():
    tensors, about = parts("em")
    words = tensors["vocabulary"].copy()
    assert bytes(words[:3]).isalpha()
    words[:3] = list(HALF.encode("utf-8", "surrogatepass"))
    refused({**tensors, "vocabulary": words}, about, "not a consistent leaven model")


@pytest.mark.parametrize("name", ["0.log_word", "0.log_weight"])
def test_probabilities_that_do_not_sum_to_one_are_refused(name):
    tensors, about = parts("em")
    refused({**tensors, name: tensors[name] - 0.01}, about, "do not sum to one")


@pytest.mark.parametrize("name", ["weights", "idf"])
@pytest.mark.parametrize("value", [1e13, 1e300])
def test_weights_that_overflow_are_refused(name, value):
    tensors, about = parts("em")
    huge = np.full_like(tensors[name], value)
    refused({**tensors, name: huge}, about, "weights are not positive numbers of a sensible size")


@pytest.mark.parametrize("value", [0, -1, 1e200])
def test_factors_of_scores_that_overflow_are_refused(value):
    tensors, about = parts("two-view")
    for name in ("scale", "concentration"):
        changed = _replaced(("experts", 0, "settings", name), value, about)
        refused(tensors, changed, "settings are not positive numbers of a sensible size")


def test_a_model_of_several_labels_is_not_read_as_one_of_one():
    tensors, about = parts("label sets")
    refused(tensors, _replaced(("decision",), GONE, about), "its decision is malformed")
    without = {name: own for name, own in tensors.items() if not name.startswith("decision.")}
    refused(without, about, "lacks 'decision.members'")


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("thresholds", lambda array: array + 0.6, "thresholds are not between 0 and 1"),
        ("thresholds", lambda array: array[1:], "do not fit together"),
        ("rates", lambda array: array + 1.0, "rates of classes are not between 0 and 1"),
        ("rates", lambda array: array[1:], "do not fit together"),
        ("bias", lambda array: array * np.nan, "not numbers of a sensible size"),
        ("members", lambda array: array[:, 1:], "do not fit together"),
        ("members", lambda array: array[[0, 0, *range(2, len(array))]], "not different from each"),
        ("members", lambda array: array[:0], "do not fit together"),
        ("slopes", lambda array: -array, "do not fit together"),
        ("bonuses", lambda array: np.full_like(array, np.inf), "not numbers of a sensible size"),
        ("members", lambda array: array.astype(np.uint8), "of the wrong type"),
    ],
)
def test_a_changed_decision_is_refused(name, change, match):
    tensors, about = parts("label sets")
    name = f"decision.{name}"
    refused({**tensors, name: change(tensors[name])}, about, match)


@pytest.mark.parametrize("name", ["kind", "allows_empty", "is_matrix"])
def test_changed_settings_of_a_decision_are_refused(name):
    tensors, about = parts("label sets")
    for value in (None, 1, "x", GONE):
        refused(tensors, _replaced(("decision", name), value, about), "decision is malformed")


def test_a_version_is_named_without_its_controls():
    tensors, about = parts("nb")
    later = {**about, "format": 9, "leaven": "9\n\x1b[31m"}
    refused(tensors, later, r"by version 9\\n\\x1b\[31m\)")
