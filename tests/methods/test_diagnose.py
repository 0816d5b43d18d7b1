"""The door for raw texts: the same preparation as training, and the quick answer after a fit."""

import numpy as np
import pandas as pd
import pytest

import leaven
from leaven import NaiveBayesEM, diagnose
from leaven.corpora import InMemoryCorpus, TrainingSet
from leaven.documents import Labels
from leaven.held_out.diagnosis import Diagnosis, diagnose_corpus
from leaven.text import TextVectorizer

TOPICS = {
    "baking": "dough yeast oven flour crust bread knead butter sugar rise",
    "music": "chord piano violin melody rhythm concert opera tempo singer choir",
    "space": "orbit planet star comet moon rocket galaxy telescope crater launch",
}
COMMON = ["the", "and", "of", "with", "very", "about", "some", "more", "every", "then"]


def draw_texts(n_documents=300, n_labeled=45, seed=0):
    """Texts of three topics in which two words of ten tell the topic."""
    rng = np.random.default_rng(seed)
    names = [list(TOPICS)[i % 3] for i in range(n_documents)]
    texts = [
        " ".join([*rng.choice(TOPICS[name].split(), 2), *rng.choice(COMMON, 8)]) for name in names
    ]
    return texts, [name if i < n_labeled else None for i, name in enumerate(names)]


TEXTS, LABELS = draw_texts()


@pytest.fixture(scope="module")
def found():
    return diagnose(TEXTS, LABELS)


def test_topics_are_helped(found):
    assert isinstance(found, Diagnosis)
    assert found.verdict == "helps"
    assert found.recommended != "supervised"
    assert (found.n_labeled, found.n_unlabeled) == (45, 255)
    assert len(found.alternatives) == 5


def test_the_quick_answer_is_the_same_without_alternatives(found):
    quick = diagnose(TEXTS, LABELS, alternatives=False)
    assert quick.alternatives == []
    assert quick.points == found.points
    assert quick.sentence == found.sentence


def test_the_same_seed_gives_the_same_answer(found):
    assert diagnose(TEXTS, LABELS, random_state=0) == found
    assert diagnose(TEXTS, LABELS, random_state=1).points != found.points


def test_columns_and_numbers_are_taken_too(found):
    codes = [list(TOPICS).index(name) if name else -1 for name in LABELS]
    assert diagnose(pd.Series(TEXTS), np.array(codes)).points == found.points


def test_a_fitted_estimator_gets_the_same_points(found):
    counts = TextVectorizer(min_df=2, log_tf=True, idf=True, length=150, dtype=np.float32)
    X = counts.fit_transform(TEXTS)
    y = np.array([list(TOPICS).index(name) if name else -1 for name in LABELS])
    estimator = NaiveBayesEM().fit(X, y)
    training = TrainingSet.of(InMemoryCorpus(X, y), Labels(estimator.classes_))
    own = diagnose_corpus(estimator._learned.ascent, training)
    # Words are numbered otherwise, so documents are dealt otherwise; the answer is the same.
    assert own.verdict == found.verdict
    assert own.gain.mean == pytest.approx(found.gain.mean, abs=0.1)
    assert (own.n_labeled, own.n_unlabeled, own.alternatives) == (45, 255, [])


def test_options_reach_the_model():
    smooth = diagnose(TEXTS, LABELS, options={"alpha": 30.0}, alternatives=False)
    assert smooth.points != diagnose(TEXTS, LABELS, alternatives=False).points
    common = [word for word in COMMON if word != "the"]
    bare = diagnose(TEXTS, LABELS, text_options={"stop_words": common}, alternatives=False)
    assert bare.points[0].log_probability != smooth.points[0].log_probability


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("mixture", {"components": 2}),
        ("mixture", {"components": [1, 2]}),
        ("annealed", None),
        ("two-view", None),
    ],
)
def test_every_method_with_unlabeled_texts_can_be_asked_about(method, options):
    own = diagnose(TEXTS, LABELS, method=method, options=options, n_starts=3)
    assert len({point.start for point in own.points}) == 3
    assert own.gain.mean > 0
    if options == {"components": 2}:
        assert own.alternatives[-1].name == "as asked"


def test_progress_is_told_by_phase():
    seen = []
    diagnose(TEXTS, LABELS, n_starts=2, on_progress=lambda *now: seen.append(now))
    assert {phase for phase, _, _ in seen} == {"counting", "diagnosing"}
    assert seen[-1] == ("diagnosing", 10, 10)


@pytest.mark.parametrize("method", ["nb", "auto", "sfe", "magic"])
def test_a_method_that_em_does_not_fit_alone_is_refused(method):
    expected = "method must be one of 'em', 'mixture', 'annealed', 'two-view', got"
    with pytest.raises(ValueError, match=expected):
        diagnose(TEXTS, LABELS, method=method)


def test_bad_input_is_refused_as_in_training():
    with pytest.raises(ValueError, match="the same length, got 300 texts and 2 labels"):
        diagnose(TEXTS, ["baking", "space"])
    with pytest.raises(ValueError, match="method 'em' has no option 'beta'"):
        diagnose(TEXTS, LABELS, options={"beta": 1})
    with pytest.raises(ValueError, match=r"beta_start must be in \(0, 1\], got 2.0"):
        diagnose(TEXTS, LABELS, options={"beta_start": 2.0})


def test_one_label_per_class_is_told():
    own = diagnose(TEXTS, [name if i < 3 else None for i, name in enumerate(LABELS)])
    assert own.verdict == "unclear"
    assert "no class has two labeled documents" in own.sentence


def test_it_is_a_public_name():
    assert "diagnose" in leaven.__all__
    assert leaven.diagnose is diagnose
