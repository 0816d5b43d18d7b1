"""The door for raw texts: the same preparation as training, and the quick answer after a fit."""

import numpy as np
import pandas as pd
import pytest

import leaven
from leaven import NaiveBayesEM, TextClassifier, diagnose
from leaven.corpora import Counting, InMemoryCorpus, TextsInMemory, TrainingSet
from leaven.documents import Labels
from leaven.documents._arrow import as_text_array
from leaven.documents._label_encoding import encode_labels
from leaven.held_out.diagnosis import Diagnosis, Point, diagnose_corpus
from leaven.held_out.diagnosis._findings import judge
from leaven.held_out.diagnosis._trials import MOST_UNLABELED, Trials
from leaven.methods import METHODS
from leaven.methods._diagnose import spelling_of
from leaven.methods._options import make_learner, merged_text_options
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
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def found():
    return diagnose(TEXTS, LABELS)


def test_topics_are_helped(found):
    assert isinstance(found, Diagnosis)
    assert found.verdict == "helps"
    assert found.recommended != "supervised"
    assert (found.n_labeled, found.n_unlabeled) == (45, 255)
    assert len(found.alternatives) == 6


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
        ("mixture", {"n_components": 2}),
        ("mixture", {"n_components": [1, 2]}),
        ("annealed", None),
        ("two-view", None),
    ],
)
def test_every_method_with_unlabeled_texts_can_be_asked_about(method, options):
    own = diagnose(TEXTS, LABELS, method=method, options=options, n_starts=3)
    assert len({point.start for point in own.points}) == 3
    assert own.gain.mean > 0
    if options == {"n_components": 2}:
        assert own.alternatives[-1].name == "as configured"


def test_progress_is_told_by_phase():
    seen = []
    diagnose(TEXTS, LABELS, n_starts=2, on_progress=lambda *now: seen.append(now))
    assert {phase for phase, _, _ in seen} == {"counting", "diagnosing"}
    assert seen[-1] == ("diagnosing", 12, 12)


def test_the_default_method_is_an_alternative_scored_on_the_same_documents(found):
    """By hand: fitted on the documents of every start, scored on those held out there."""
    *_, own = found.alternatives
    assert own.name == "auto"
    assert own.advice == "Train with the default, method auto (leaven train without --method)"
    encoded = encode_labels(LABELS)
    counts = Counting(lambda n: merged_text_options(METHODS["em"], None, n))
    training = TextsInMemory(as_text_array(TEXTS), encoded).counted(counts).training
    trials = Trials(training, 10, MOST_UNLABELED, 0, None, None)
    shares = []
    for part, held in trials.splits:
        kept = np.concatenate([trials.labeled.numbers[part], trials.sample.numbers])
        labels = [LABELS[i] for i in kept]
        clf = TextClassifier().fit([TEXTS[i] for i in kept], labels)
        places = trials.labeled.numbers[held]
        shares.append(clf.score([TEXTS[i] for i in places], [LABELS[i] for i in places]))
    assert own.accuracy == pytest.approx(np.mean(shares), abs=0.02)


def test_the_default_method_is_recommended_where_it_is_best():
    texts, labels = draw_texts(n_documents=240, n_labeled=24, seed=3)
    own = diagnose(texts, labels, n_starts=4)
    accuracy = {way.name: way.accuracy for way in own.alternatives}
    assert accuracy["auto"] == max(accuracy.values())
    assert own.recommended == "auto"
    assert "(leaven train without --method)" in own.recommendation


def test_advice_names_the_method_that_was_asked_about():
    own = diagnose(TEXTS, LABELS, method="two-view", n_starts=3)
    advice = {way.name: way.advice for way in own.alternatives}
    assert advice["supervised"].endswith("(method two-view, unlabeled_weight 0)")
    assert advice["plain EM"].endswith("(method two-view)")
    assert not any("method nb" in text or "method em" in text for text in advice.values())
    # Every option that is named is one: nb, em, mixture and annealed have another model.
    options = {"unlabeled_weight": 0.0, "n_components": 5, "beta_start": 0.02}
    for name, value in {**options, "correspondence": "labels"}.items():
        make_learner(METHODS["two-view"], {name: value}).check(np.dtype(np.float32))
    hurt = judge(
        [Point(0, 0, 0.0, 1.0, 2)],
        np.array([[-1.0, 0.0]]),
        RNG,
        2,
        5,
        spelling_of(METHODS["two-view"]),
    )
    assert "method nb" not in hurt.recommendation
    assert spelling_of(METHODS["annealed"]) == spelling_of(METHODS["em"])


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
