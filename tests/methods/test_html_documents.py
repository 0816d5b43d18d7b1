"""HTML documents from training to prediction, wherever they are."""

import json

import pytest

import clusters
from leaven import TextClassifier, load

NOTE = "look like HTML"
BAKING = ["dough", "yeast", "bread", "oven", "flour"]
SPACE = ["stars", "planet", "orbit", "moon", "comet"]


def page(number):
    words = (BAKING, SPACE)[number % 2]
    own = [words[number % 5], words[(number + 1) % 5], words[(number * 3 + 2) % 5]]
    return (
        f"<html><script>var x{number};</script><p class=c>{own[0]}<br>{own[1]}</p><b>{own[2]}</b>"
    )


PAGES = [page(number) for number in range(60)]
LABELS = [("baking", "space")[number % 2] if number < 12 else None for number in range(60)]
HTML = {"html": True}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pages.jsonl"
    rows = ({"text": text, "label": y} for text, y in zip(PAGES, LABELS, strict=True))
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def assert_only_words(clf):
    assert set(clf.fitted.counter.vocabulary.words.to_pylist()) <= {*BAKING, *SPACE}
    assert not any(NOTE in warning for warning in clf.report_.warnings)


def test_a_classifier_counts_text_only_and_a_saved_one_too(tmp_path):
    clf = TextClassifier("em", text_options=HTML).fit(PAGES, LABELS)
    assert_only_words(clf)
    clf.save(tmp_path / "m.leaven")
    loaded = load(tmp_path / "m.leaven")
    assert loaded.text_options["html"]
    assert loaded.predict(["<i>yeast</i><script>moon orbit</script>", "moon"]).tolist() == [
        "baking",
        "space",
    ]


def test_files_give_the_same_words_in_memory_streamed_and_on_workers(file):
    here = TextClassifier("em", text_options=HTML).fit_files(file, stream=False)
    streamed = TextClassifier("em", text_options=HTML).fit_files(file)
    with clusters.threads() as client:
        far = TextClassifier("em", text_options=HTML).fit_files(file, client=client)
        untold = TextClassifier("em").fit_files(file, client=client)
    for clf in (here, streamed, far):
        assert_only_words(clf)
        assert clf.fitted.counter.columns == here.fitted.counter.columns
    assert any(NOTE in warning for warning in untold.report_.warnings)


@pytest.mark.parametrize("stream", [True, False])
def test_the_report_of_files_of_html_suggests_the_option(file, stream):
    clf = TextClassifier("em").fit_files(file, stream=stream)
    assert sum(NOTE in warning for warning in clf.report_.warnings) == 1


def test_the_report_suggests_the_option_only_where_most_texts_are_html():
    plain = [text.replace("<", " ").replace(">", " ") for text in PAGES]
    assert any(NOTE in w for w in TextClassifier("em").fit(PAGES, LABELS).report_.warnings)
    assert not any(NOTE in w for w in TextClassifier("em").fit(plain, LABELS).report_.warnings)


def test_an_explanation_is_one_of_the_text_without_markup():
    clf = TextClassifier("em", text_options=HTML).fit(PAGES, LABELS)
    found = clf.explain("<p title=moon>yeast</p><style>orbit {}</style> unknown<br>dough")
    assert {each.word for each in found.words} == {"yeast", "dough"}
    assert found.unknown_words == 1


def test_words_that_labels_generated_are_shown_without_markup():
    labels = [None if label is None else [label] for label in LABELS]
    clf = TextClassifier("multilabel", text_options=HTML).fit(PAGES, labels)
    found = clf.explain("<p title=moon>yeast</p>dough").generated
    assert "".join(text for text, _ in found.pieces).split() == ["yeast", "dough"]


def test_frequent_words_are_listed_in_the_model(tmp_path):
    pages = [f"the {text}" for text in PAGES]
    options = {**HTML, "stop_words": "frequent"}
    clf = TextClassifier("em", text_options=options).fit(pages, LABELS)
    clf.save(tmp_path / "m.leaven")
    loaded = load(tmp_path / "m.leaven")
    assert "the" in loaded.fitted.counter.options.stop_words
    assert loaded.text_options["stop_words"] == "frequent"
