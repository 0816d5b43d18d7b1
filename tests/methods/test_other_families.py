"""Families that others write, and mistakes in them: each gets a sentence, none a wrong model."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from leaven import TextClassifier, compare, load
from leaven.cli import app
from leaven.documents._arrow import as_text_array
from leaven.exceptions import ModelFileError
from leaven.experts import EXPERT_KINDS, Expert, register_expert
from leaven.learners import Learned, Learner
from leaven.methods import METHODS, Method, register

TEXTS = ["dough yeast", "bread dough", "stars moon", "moon orbit", "yeast bread", "orbit stars"]
LABELS = ["baking", "baking", "space", "space", None, None]


@dataclass(frozen=True, eq=False)
class Constant(Expert):
    """The same scores for every document."""

    kind: ClassVar[str] = "constant"

    name: str
    row: object  # scores of the classes

    def scores(self, X, vectors):
        return np.tile(np.asarray(self.row, float), (X.shape[0], 1))

    def pulls(self, x, word_vectors):
        return np.zeros((x.nnz, 2))

    def word_scores(self):
        return np.zeros((2, 5))

    def to_tensors(self):
        return {}, {"row": np.asarray(self.row, float)}

    @classmethod
    def from_tensors(cls, stored):
        return cls(stored.name, stored.arrays.get("row", 1))


@dataclass(frozen=True)
class ConstantLearner(Learner):
    """Learns nothing."""

    title: ClassVar[str] = "constant"
    row: ClassVar[tuple] = (0.2, 0.1)
    facts: ClassVar[dict] = {}
    seen: ClassVar[list] = []

    size: object = 1

    def fit(self, training, run):
        self.seen.append(run.start)
        return Learned(self, Constant("named otherwise", self.row), facts=self.facts)


def entry(learner=ConstantLearner, **more):
    return Method("constant", "answers the same", "never", learner, **more)


@pytest.fixture
def clean():
    """The registries as they were, afterwards."""
    methods, kinds = dict(METHODS), dict(EXPERT_KINDS)
    yield
    for registry, before in ((METHODS, methods), (EXPERT_KINDS, kinds)):
        registry.clear()
        registry.update(before)


pytestmark = pytest.mark.usefixtures("clean")


@pytest.fixture
def constant(clean):
    register_expert(Constant)
    return register(entry())


@pytest.mark.parametrize("calibrate", [True, False])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((np.nan, 0.0), "'named otherwise' must give finite scores, got nan"),
        ((0.0, -np.inf), "must give finite scores, got -inf"),
        ((0.0, 1.0, 2.0), r"scores of shape \(\d, 2\), one per document and class, got \(\d, 3\)"),
    ],
)
def test_scores_that_are_none_are_refused(constant, monkeypatch, row, message, calibrate):
    monkeypatch.setattr(ConstantLearner, "row", row)
    with pytest.raises(ValueError, match=message):
        TextClassifier("constant", calibrate=calibrate).fit(TEXTS, LABELS).predict(TEXTS)


def test_an_expert_that_could_not_be_read_back_is_not_saved(tmp_path):
    register(entry())
    clf = TextClassifier("constant").fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="'constant' cannot be saved: decorate Constant with reg"):
        clf.save(tmp_path / "model.leaven")
    assert not any(tmp_path.iterdir())


def test_a_kind_that_nobody_registered_here_asks_for_an_import(constant, tmp_path):
    TextClassifier("constant").fit(TEXTS, LABELS).save(tmp_path / "model.leaven")
    assert load(tmp_path / "model.leaven").predict(TEXTS[:1]).tolist() == ["baking"]
    EXPERT_KINDS.pop("constant")
    with pytest.raises(ModelFileError, match="kind 'constant', which is not part of leaven; if"):
        load(tmp_path / "model.leaven")


@pytest.mark.parametrize("error", [IndexError, ZeroDivisionError, AttributeError])
def test_whatever_reading_an_expert_raises_is_one_sentence(constant, monkeypatch, error, tmp_path):
    TextClassifier("constant").fit(TEXTS, LABELS).save(tmp_path / "model.leaven")

    def fail(stored):
        raise error("of no use")

    monkeypatch.setattr(Constant, "from_tensors", fail)
    with pytest.raises(ModelFileError, match="not a consistent leaven model"):
        load(tmp_path / "model.leaven")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"kept": {1, 2}}, "the fact 'kept' must be numbers, text, lists or dicts of them"),
        ({"kept": [object()]}, "the fact 'kept' must be"),
        ({"kept": float("nan")}, "the fact 'kept' must be"),
    ],
)
def test_facts_that_json_cannot_hold_are_refused(constant, monkeypatch, facts, message):
    monkeypatch.setattr(ConstantLearner, "facts", facts)
    with pytest.raises(TypeError, match=message):
        TextClassifier("constant").fit(TEXTS, LABELS)


@pytest.mark.parametrize("name", ["warnings", "lines", "n_iter", "to_json", "method"])
def test_a_fact_named_like_a_part_of_the_report_is_refused(constant, monkeypatch, name):
    monkeypatch.setattr(ConstantLearner, "facts", {name: 1})
    with pytest.raises(ValueError, match=f"every report has '{name}'; give that fact another"):
        TextClassifier("constant").fit(TEXTS, LABELS)


def test_facts_of_numpy_are_kept_and_read_back(constant, monkeypatch, tmp_path):
    monkeypatch.setattr(ConstantLearner, "facts", {"kept": np.arange(3), "by": {2: np.float32(1)}})
    clf = TextClassifier("constant").fit(TEXTS, LABELS)
    clf.save(tmp_path / "model.leaven")
    assert load(tmp_path / "model.leaven").report_.kept == [0, 1, 2] == clf.report_.kept
    assert clf.report_.by == {"2": 1.0}


def test_an_option_that_json_cannot_hold_is_refused_before_the_fit(constant, monkeypatch):
    monkeypatch.setattr(ConstantLearner, "fit", None)
    with pytest.raises(TypeError, match="the option 'size' must be numbers, text, lists or dicts"):
        TextClassifier("constant", options={"size": {1, 2}}).fit(TEXTS, LABELS)


def test_a_learner_without_fit_and_an_expert_without_pulls_cannot_be_made():
    class Lazy(Learner):
        title: ClassVar[str] = "lazy"

    with pytest.raises(TypeError, match=r"abstract.*fit"):
        Lazy()
    with pytest.raises(TypeError, match=r"abstract.*pulls"):
        type("Half", (Expert,), {"scores": Constant.scores})()


class Untitled(Learner):
    def fit(self, training, run): ...


@dataclass(frozen=True)
class Seeded(ConstantLearner):
    random_state: int = 0


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Untitled, "the learner of method 'constant' must be a dataclass with a title, got"),
        (Seeded, "must not have the options n_jobs and random_state, which its Run holds"),
    ],
)
def test_a_learner_that_does_not_keep_the_contract_is_refused(learner, message):
    register(entry(learner))
    with pytest.raises(TypeError, match=message):
        TextClassifier("constant").fit(TEXTS, LABELS)


@pytest.mark.parametrize("name", ["", "a,b", " lead", "--x", "a b", "a\nb", 5])
def test_a_name_that_could_not_be_typed_is_refused(name):
    with pytest.raises(ValueError, match="a method's name must be letters, digits"):
        register(Method(name, "a", "b", ConstantLearner))
    assert name not in METHODS


def test_places_and_limits_that_are_none_are_refused():
    with pytest.raises(ValueError, match="must be some of memory, stream, dask, got 'ram'"):
        register(entry(places=frozenset({"ram"})))
    with pytest.raises(ValueError, match="got none"):
        register(entry(places=frozenset()))
    with pytest.raises(ValueError, match="must say what holds from 0 documents on"):
        register(entry(min_df={100: 2}))


def test_a_family_may_be_defined_again_but_not_by_another_class(constant):
    again = entry()
    assert register(again) is again
    assert METHODS["constant"] is again
    with pytest.raises(ValueError, match="there is another method called 'constant'; rename one"):
        register(entry(Seeded))
    assert register_expert(Constant) is Constant
    other = type("Other", (Constant,), {})
    with pytest.raises(ValueError, match="another kind of expert called 'constant'; rename one"):
        register_expert(other)


def test_a_comparison_goes_on_whatever_a_learner_raises(constant, monkeypatch):
    def fail(self, training, run):
        raise KeyError("lost")

    monkeypatch.setattr(ConstantLearner, "fit", fail)
    found = compare(TEXTS, LABELS, methods=["constant", "nb"])
    assert found.best == "nb"
    assert found.results[1].error == "KeyError: 'lost'"


def test_only_methods_that_name_a_baseline_are_said_to_be_hurt_by_unlabeled_text(constant):
    texts = [f"{word} {word}{i % 7}" for i in range(60) for word in ("dough", "moon")]
    labels = ["baking", "space"] * 60
    found = compare(texts, labels, methods=["constant", "nb"])
    assert found.paired("constant", "nb").p_value < 0.001
    assert found.warning is None


def test_the_only_expert_is_the_start_of_the_next_fit_whatever_it_is_called(constant):
    ConstantLearner.seen.clear()
    earlier = TextClassifier("constant", calibrate=False).fit(TEXTS, LABELS)
    TextClassifier("constant", calibrate=False).fit(TEXTS, LABELS, start=earlier)
    TextClassifier("constant", calibrate=False).fit(
        TEXTS, [*LABELS[:4], "space", None], start=earlier
    )
    assert ConstantLearner.seen == [None, earlier.fitted.experts[0], None]


def test_options_of_other_families_can_be_set_on_the_command_line(constant, tmp_path):
    rows = "".join(f"{t},{label or ''}\n" for t, label in zip(TEXTS, LABELS, strict=True))
    (tmp_path / "data.csv").write_text("text,label\n" + rows)
    train = ["train", str(tmp_path / "data.csv"), "-o", str(tmp_path / "m.leaven"), "--json"]
    train += ["--method", "constant"]

    def used(*more):
        result = CliRunner().invoke(app, [*train, *more])
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)["options"]["method"]["size"]

    assert used("--option", "size=3") == 3
    assert used("--option", "size=[1, 2]") == [1, 2]
    assert used("--option", "size=large=more") == "large=more"
    for bad, message in {
        ("--option", "size"): "--option must be NAME=VALUE, such as shrinkage=0.3, got 'size'",
        ("--option", "size=1", "--option", "size=2"): "--option size is given twice",
        (
            "--option",
            "alpha=1",
            "--alpha",
            "2",
        ): "--option alpha is also set by its own command-line option",
    }.items():
        result = CliRunner().invoke(app, [*train, *bad])
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())
    result = CliRunner().invoke(app, [*train, "--option", "sise=1"])
    assert result.exit_code == 1
    assert "method 'constant' has no option 'sise'; choose from size" in result.stderr


def test_hashed_words_with_signs_are_for_methods_that_take_negative_counts():
    register_expert(Constant)
    hashed = {"hash_features": 64, "alternate_sign": True, "idf": False}
    register(entry(takes_negative=True))
    fitted = TextClassifier("constant", text_options=hashed).fit(TEXTS, LABELS).fitted
    assert fitted.counter.n_words == 64
    assert fitted.counter.count(as_text_array(TEXTS)).min() < 0
    METHODS.pop("constant")
    register(entry())
    with pytest.raises(ValueError, match="negative counts, which method 'constant' cannot use"):
        TextClassifier("constant", text_options=hashed).fit(TEXTS, LABELS)
