"""Training that asks whether the unlabeled documents helped."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array
from typer.testing import CliRunner

from leaven import TextClassifier, diagnose
from leaven.classifier._model_file import load_model
from leaven.cli import app
from leaven.corpora import InMemoryCorpus, sample_unlabeled
from leaven.exceptions import UnlabeledHurtWarning

NAMES = ("baking", "space")
TOPICS = {name: [f"{name}{i}" for i in range(10)] for name in NAMES}
MOODS = {name: [f"{name}{i}" for i in range(10)] for name in ("glad", "sad")}
COMMON = [f"common{i}" for i in range(10)]


def draw_texts(about, n_documents=500, n_labeled=80, seed=0):
    """Texts of two topics and two moods; the labels are one of them.

    Most words are of the topic, so that EM finds the topics whatever the labels say.
    """
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(n_documents):
        topic, mood = rng.choice(list(TOPICS)), rng.choice(list(MOODS))
        words = [*rng.choice(TOPICS[topic], 40), rng.choice(MOODS[mood]), *rng.choice(COMMON, 4)]
        texts.append(" ".join(words))
        labels.append((topic if about == "topics" else mood) if i < n_labeled else None)
    return texts, labels


def draw_rare_words(n_documents=500, n_labeled=30, seed=0):
    """Short texts of two topics of many words each: few labels cannot have seen them all."""
    rng = np.random.default_rng(seed)
    words = {name: [f"{name}{i}" for i in range(100)] for name in NAMES}
    texts, labels = [], []
    for i in range(n_documents):
        topic = rng.choice(NAMES)
        texts.append(" ".join([*rng.choice(words[topic], 3), *rng.choice(COMMON, 4)]))
        labels.append(topic if i < n_labeled else None)
    return texts, labels


def test_a_fit_that_helped_says_so_and_does_not_warn():
    clf = TextClassifier("em", diagnose=True).fit(*draw_rare_words())
    assert clf.report_.diagnosis["verdict"] == "helps"
    assert clf.report_.diagnosis["gain"]["mean"] > 0.1
    assert clf.report_.diagnosis["sentence"].startswith("Unlabeled text helps here")
    assert clf.report_.diagnosis["sentence"] in str(clf.report_)
    assert "checking" in clf.report_.seconds
    assert clf.report_.warnings == []


def test_a_fit_that_hurt_warns_and_says_what_to_do():
    texts, labels = draw_texts("moods")
    with pytest.warns(UnlabeledHurtWarning, match=r"Unlabeled text hurts here.*\(method nb\)"):
        clf = TextClassifier("em", diagnose=True).fit(texts, labels)
    assert clf.report_.diagnosis["verdict"] == "hurts"
    assert clf.report_.diagnosis["gain"]["mean"] < -0.05
    (warning,) = clf.report_.warnings
    assert warning.startswith("Unlabeled text hurts here")


def test_nothing_is_checked_unless_asked():
    texts, labels = draw_texts("moods")
    assert TextClassifier("em").fit(texts, labels).report_.diagnosis == {}


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("nb", "method nb ran no EM over unlabeled documents."),
        ("sfe", "method sfe ran no EM over unlabeled documents."),
        ("auto", "method auto already weights EM by held-out labels."),
    ],
)
def test_where_there_is_no_diagnosis_a_sentence_says_why(method, why):
    report = TextClassifier(method, diagnose=True).fit(*draw_texts("moods")).report_
    assert report.diagnosis["verdict"] is None
    assert report.diagnosis["sentence"].endswith(why)
    assert report.diagnosis["sentence"] in str(report)
    assert report.warnings == []


def test_a_blend_needs_no_check_because_it_acts_on_what_held_out_labels_say():
    texts, labels = draw_texts("moods")
    clf = TextClassifier(subwords=False, diagnose=True)  # parts of words give their mood away
    report = clf.fit(texts, labels).report_  # a warning is an error
    assert report.warnings == []
    shares = {own["name"]: own["share"] for own in report.candidates}
    assert sum(say for name, say in shares.items() if name.endswith("EM")) < 0.3
    assert report.reason.startswith("unlabeled text ")
    helped = TextClassifier(subwords=False).fit(*draw_texts("topics")).report_
    assert sum(own["share"] for own in helped.candidates if own["name"].endswith("EM")) > 0.4


def test_progress_names_the_check():
    texts, labels = draw_texts("topics", n_labeled=12)
    phases = set()
    TextClassifier("em", diagnose=True).fit(
        texts, labels, on_progress=lambda phase, done, total: phases.add(phase)
    )
    assert {"EM", "checking"} <= phases


def test_the_model_file_keeps_the_verdict(tmp_path):
    texts, labels = draw_texts("topics", n_labeled=12)
    clf = TextClassifier("em", diagnose=True).fit(texts, labels)
    clf.save(tmp_path / "m.leaven")
    kept = load_model(tmp_path / "m.leaven").report.diagnosis
    assert kept == json.loads(json.dumps(clf.report_.diagnosis))


def test_leaven_train_warns_where_unlabeled_text_hurts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(*draw_texts("moods"), strict=True)
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    (tmp_path / "moods.jsonl").write_text("\n".join(lines))
    result = CliRunner().invoke(app, ["train", "moods.jsonl", "--method", "em"])
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("warning: Unlabeled text hurts here") == 1
    assert "Unlabeled text hurts here" in result.stdout
    quiet = CliRunner().invoke(app, ["train", "moods.jsonl", "--method", "em", "--no-check"])
    assert "hurts" not in quiet.stdout + quiet.stderr
    blend = CliRunner().invoke(app, ["train", "moods.jsonl", "--no-subwords"])
    assert blend.exit_code == 0, blend.stderr
    assert "warning" not in blend.stdout + blend.stderr
    assert "method auto: unlabeled text " in blend.stdout
    assert "not diagnosed" not in blend.stdout  # nobody asked for it


@pytest.mark.parametrize("options", [{"unlabeled_weight": 0.0}, {"max_iter": 0}])
def test_where_unlabeled_documents_change_nothing_nothing_is_checked(options):
    texts, labels = draw_texts("moods")
    clf = TextClassifier("em", options=options, diagnose=True).fit(texts, labels)
    assert clf.report_.diagnosis["verdict"] is None
    with pytest.raises(ValueError, match="there is nothing to diagnose"):
        diagnose(texts, labels, options=options)


def test_words_ranked_by_labels_cannot_be_diagnosed():
    texts, labels = draw_texts("moods")
    ranked = {"max_features": 20, "rank_by": "mutual_information"}
    with pytest.raises(ValueError, match="diagnose holds labels out"):
        diagnose(texts, labels, text_options=ranked)


def test_a_sample_has_no_documents_without_words():
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (900, 12)).astype(float)
    X[:600] = 0.0
    corpus = InMemoryCorpus(csr_array(X), np.full(900, -1))
    sample, n_documents = sample_unlabeled(corpus, 200, rng)
    assert n_documents == 900
    assert sample.X.shape[0] == 200
    assert (np.diff(sample.X.indptr) > 0).all()
