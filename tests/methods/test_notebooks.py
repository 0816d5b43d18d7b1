"""Results in notebooks: tables as HTML beside unchanged text, and progress bars."""

import json
import re
import sys
import textwrap
import threading
import time
from types import SimpleNamespace

import pytest

from leaven import TextClassifier, compare, diagnose, suggest
from leaven._base import bars
from leaven._base.bars import Bars, listening
from leaven._base.compile_notice import EVERY_TIME, NOTICE, ONCE
from leaven._base.notebooks import NotebookBars, in_notebook
from leaven.classifier import ChangedWord, ChangedWords, FitReport
from leaven.experts import Explanation, Neighbor, NeighborLists, TopWords, WordPull
from leaven.methods import DisputedLabel, DisputedLabels, Suggestion, Suggestions

TEXTS = [
    "raw dough and yeast",
    "a loaf of bread and butter",
    "the oven bakes bread dough",
    "flour and yeast and butter",
    "stars and planets at night",
    "a rocket to the moon",
    "planets orbit the stars",
    "the comet and the moon",
]
LABELS = ["baking"] * 4 + ["space"] * 4
FEW = ["baking", "baking", None, None, "space", "space", None, None]
EVIL = "<img src=x onerror=alert(1)>"


def text_of(result):
    """What a notebook shows, without elements and style."""
    shown = re.sub(r"<style>.*?</style>|<[^>]+>", " ", result._repr_html_())
    return " ".join(shown.split())


@pytest.fixture(scope="module")
def clf():
    return TextClassifier("em", keep_excerpts=40).fit(TEXTS, FEW)


def test_a_report_shows_what_it_prints(clf):
    shown = text_of(clf.report_)
    assert shown.startswith(f"em : {clf.report_.reason}")
    assert "8 documents, 4 labeled in 2 classes" in shown
    assert clf.report_.expectation in shown
    for name in ("baking", "space"):
        assert f"{name} 2 " in shown


def test_a_report_of_auto_shows_the_weights_of_its_models():
    report = TextClassifier().fit(TEXTS * 2, LABELS * 2).report_
    shown = text_of(report)
    assert len(report.candidates) > 1
    for each in report.candidates:
        assert each["name"] in shown
        assert f"{100 * each['share']:.0f} %" in shown


def test_many_classes_are_folded():
    few = FitReport("em", "because", 10, 10, {f"c{i}": 1 for i in range(12)}, 5)
    many = FitReport("em", "because", 10, 10, {f"c{i}": 1 for i in range(13)}, 5)
    assert "<details>" not in few._repr_html_()
    assert "13 classes" in text_of(many)
    assert "<details>" in many._repr_html_()


def test_warnings_labels_and_file_names_in_a_report_are_escaped():
    report = FitReport(
        EVIL, EVIL, 2, 2, {EVIL: 1}, 5, class_lines={EVIL: EVIL}, warnings=[EVIL],
        data={"described": EVIL}, lines=[EVIL], diagnosis={"sentence": EVIL},
    )  # fmt: skip
    assert "<img" not in report._repr_html_()
    assert report._repr_html_().count("&lt;img") == 8


def test_an_explanation_draws_one_bar_per_word(clf):
    explanation = clf.explain("yeast bread in orbit")
    markup = explanation._repr_html_()
    assert len(explanation.words) >= 3
    assert markup.count('class="b two"') == len(explanation.words)
    for entry in explanation.words:
        assert f">{entry.word}</td>" in markup


def test_bars_of_an_explanation_point_to_the_side_of_their_sign():
    pulls = [WordPull("for", 1.0, {"a": 2.0, "b": -2.0}), WordPull("no", 1.0, {"a": -1, "b": 1})]
    markup = Explanation("a", {"a": 0.9, "b": 0.1}, pulls, 0)._repr_html_()
    sides = re.findall(r"left:([\d.]+)%;width:([\d.]+)%", markup)
    assert sides == [("50.0", "50.0"), ("25.0", "25.0")]


def test_words_and_labels_of_an_explanation_are_escaped():
    pull = WordPull(EVIL, 1.0, {EVIL: 1.0, "b": -1.0})
    neighbor = Neighbor(0, EVIL, 0.5, excerpt=EVIL)
    markup = Explanation(EVIL, {EVIL: 0.9, "b": 0.1}, [pull], 2, [neighbor])._repr_html_()
    assert "<img" not in markup
    assert markup.count("&lt;img") >= 5


@pytest.mark.parametrize("is_hashed", [True, False])
def test_an_explanation_without_words_says_why(is_hashed):
    shown = text_of(Explanation("a", {"a": 0.5, "b": 0.5}, [], 0, is_hashed=is_hashed))
    assert ("hashed" if is_hashed else "no known word") in shown


def test_an_explanation_of_several_labels_shows_each_of_them():
    labels = [["baking", "home"]] * 4 + [["space"]] * 4
    clf = TextClassifier("multilabel").fit(TEXTS, labels)
    explanation = clf.explain("raw dough and planets")
    shown = text_of(explanation)
    for name in ("baking", "home", "space"):
        assert name in shown
    assert "words by the label that most probably generated them" in shown
    n_columns = len(explanation.explained_labels)
    assert explanation._repr_html_().count('class="b two"') == n_columns * len(explanation.words)


def test_top_words_are_a_dict_that_shows_a_table(clf):
    found = clf.top_words(3)
    assert type(found) is TopWords
    assert isinstance(found, dict)
    assert repr(found) == repr(dict(found))
    assert json.loads(json.dumps(found)) == found
    assert " ".join(found["baking"]) in text_of(found)
    assert "<img" not in TopWords({EVIL: [EVIL]})._repr_html_()


def test_components_are_a_list_that_shows_a_table(clf):
    found = clf.components(2)
    assert repr(found) == repr(list(found))
    assert f"1 space {100 * found[1].share:.1f} % {' '.join(found[1].words)}" in text_of(found)


def test_neighbors_are_lists_that_show_tables(clf):
    found = clf.neighbors(["yeast", "zebra"], 2)
    shown = text_of(found)
    assert repr(found) == repr(list(found))
    assert found[0][0].excerpt in shown
    assert "text 2 no document that the model holds" in shown
    assert "<img" not in NeighborLists([[Neighbor(0, EVIL, 1.0, excerpt=EVIL)]])._repr_html_()


def test_changed_words_show_what_rose_and_fell(clf):
    changed = clf.changed_words(TextClassifier("nb").fit(TEXTS, FEW), 2)
    assert repr(changed) == repr(dict(changed))
    shown = text_of(changed)
    for word in (changed["baking"].rose[0], changed["space"].fell[0]):
        assert f"{word.word} {100 * word.before:.1f} % → {100 * word.after:.1f} %" in shown
    assert "no word changed" in text_of(ChangedWords([ChangedWord("a", 0.5, 0.5)], []))


def test_a_comparison_shows_its_sentence_and_a_row_per_method():
    comparison = compare(TEXTS, LABELS, methods=["nb", "em"], n_splits=2)
    shown = text_of(comparison)
    assert comparison.sentence in shown
    assert comparison.basis in shown
    for result in comparison.results:
        assert f"{result.method} {100 * result.accuracy:.1f} %" in shown


def test_a_diagnosis_shows_its_sentence_and_what_was_tried():
    diagnosis = diagnose(TEXTS, FEW, n_starts=2)
    shown = text_of(diagnosis)
    assert len(diagnosis.alternatives) > 3
    for said in (diagnosis.sentence, diagnosis.recommendation, diagnosis.basis):
        assert said.replace("  ", " ") in shown.replace("&#x27;", "'")
    assert f"{diagnosis.recommended} ← recommended" in shown


def test_suggestions_show_the_beginnings_of_texts(clf):
    found = suggest(TEXTS, n=2)
    assert all(each.excerpt == TEXTS[each.number] for each in found)
    assert all(each.excerpt in text_of(found) for each in found)
    asked = clf.suggest(TEXTS, 1)
    assert f"{asked[0].predicted} {100 * asked[0].probability:.1f} %" in text_of(asked)
    assert "every document has a label" in text_of(Suggestions())


def test_excerpts_change_neither_text_nor_equality():
    assert repr(Suggestion(3, "typical", excerpt="some text")) == repr(Suggestion(3, "typical"))
    assert Suggestion(3, "typical", excerpt="some text") == Suggestion(3, "typical")
    assert DisputedLabel(0, "a", "b", 1, 0, "x") == DisputedLabel(0, "a", "b", 1, 0)


def test_disputed_labels_show_the_suggested_class():
    texts, labels = TEXTS * 4, LABELS * 4
    labels[0] = "space"
    found = TextClassifier("nb").fit(texts, labels).suspicious(texts, labels)
    assert found[0].number == 0
    assert "1 space baking" in text_of(found)
    assert TEXTS[0] in text_of(found)
    assert "no label is disputed" in text_of(DisputedLabels())


def test_long_texts_of_suggestions_are_cut():
    texts = ["dough " * 1000, "stars " * 1000]
    assert all(len(each.excerpt) <= 200 for each in suggest(texts, n=2))


# Progress


def test_a_function_or_nothing_listens_as_it_is():
    heard = []
    with listening(None) as listener:
        assert listener is None
    with listening(lambda *told: heard.append(told)) as listener:
        listener("EM", 1, 2)
    assert heard == [("EM", 1, 2)]


@pytest.mark.parametrize("wrong", ["bars", True, 3])
def test_what_is_no_listener_is_refused(wrong):
    with pytest.raises(ValueError, match="on_progress must be a function, 'bar' or None, got"):
        TextClassifier("nb").fit(TEXTS, FEW, on_progress=wrong)


@pytest.mark.parametrize(
    "task",
    [
        lambda: TextClassifier("em").fit(TEXTS, FEW, on_progress="bar"),
        lambda: compare(TEXTS, LABELS, methods=["nb"], n_splits=2, on_progress="bar"),
        lambda: diagnose(TEXTS, FEW, n_starts=2, alternatives=False, on_progress="bar"),
        lambda: suggest(TEXTS, n=1, on_progress="bar"),
        lambda: (
            TextClassifier("nb").fit(TEXTS, LABELS).suspicious(TEXTS, LABELS, on_progress="bar")
        ),
    ],
    ids=["fit", "compare", "diagnose", "suggest", "suspicious"],
)
def test_where_nobody_watches_bars_print_nothing(task, capsys, monkeypatch):
    monkeypatch.setattr(bars, "PATIENCE", -1.0)
    task()
    assert capsys.readouterr() == ("", "")


class Terminal:
    """A stderr that says it is a terminal."""

    encoding = "utf-8"

    def __init__(self):
        self.written = ""

    def write(self, text):
        self.written += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def end_of_drawing(n_threads):
    """Whether the thread that draws bars ends, which it does at its next turn."""
    end = time.monotonic() + 4.0
    while threading.active_count() > n_threads and time.monotonic() < end:
        time.sleep(0.01)
    return threading.active_count() <= n_threads


def test_bars_are_drawn_on_a_terminal_and_end_with_the_fit(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(bars, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    n_threads = threading.active_count()
    TextClassifier("em").fit(TEXTS, FEW, on_progress="bar")
    assert "EM" in terminal.written
    assert "iteration" in terminal.written
    assert end_of_drawing(n_threads)


def test_bars_end_with_a_fit_that_fails(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(bars, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    n_threads = threading.active_count()

    def fail_half_way():
        with listening("bar") as listener:
            listener("EM", 1, 9)
            assert threading.active_count() > n_threads
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail_half_way()
    assert end_of_drawing(n_threads)


def test_files_are_read_with_a_bar(monkeypatch, tmp_path):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(bars, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    path = tmp_path / "texts.csv"
    rows = [f"{text},{label or ''}" for text, label in zip(TEXTS, FEW, strict=True)]
    path.write_text("\n".join(["text,label", *rows * 200]))
    TextClassifier("em").fit_files(path, on_progress="bar")
    assert "counting" in terminal.written or "reading" in terminal.written


def test_compiling_is_shown_by_bars_and_logged_only_where_it_recurs(monkeypatch, caplog):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(bars, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    with listening("bar"):
        NOTICE.begin(is_kept=True)
        NOTICE.end()
    assert "1 numeric kernels, on first use" in terminal.written
    assert ONCE not in caplog.text
    with listening("bar"):
        NOTICE.begin(is_kept=False)
        NOTICE.end()
    assert EVERY_TIME in caplog.text


# In a notebook. Its parts of IPython are small and stood in for; the last test is a real kernel.


class Handle:
    """What IPython returns for an output that can be replaced."""

    def __init__(self):
        self.shown = []

    def update(self, content, raw):
        assert raw
        self.shown.append(content)


@pytest.fixture
def notebook(monkeypatch):
    """An output below a cell, as IPython has it."""
    handle = Handle()

    def display(content, raw, display_id):
        assert raw
        assert display_id is True
        handle.shown.append(content)
        return handle

    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    monkeypatch.setattr(bars, "PATIENCE", -1.0)
    monkeypatch.setattr("leaven._base.notebooks.BETWEEN_DRAWINGS", 0.0)
    return handle


def test_no_notebook_is_seen_where_there_is_none(monkeypatch):
    assert not in_notebook()
    # IPython on a terminal has no kernel.
    terminal = SimpleNamespace(get_ipython=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "IPython", terminal)
    assert not in_notebook()


def test_a_notebook_shows_a_fit_and_removes_its_bars_in_the_end(notebook):
    TextClassifier("em").fit(TEXTS, FEW, on_progress="bar")
    assert any("iteration" in content["text/html"] for content in notebook.shown)
    assert any("EM" in content["text/plain"] for content in notebook.shown)
    assert notebook.shown[-1] == {"text/html": "", "text/plain": ""}


def test_bars_in_a_notebook_are_as_long_as_what_is_done(notebook):
    drawn = Bars()
    drawn("counting", 1_000_000, 4_000_000)
    drawn("choosing", 3, 4)
    widths = re.findall(r"width:([\d.]+)%;back", notebook.shown[-1]["text/html"])
    assert widths == ["25.0", "75.0"]
    assert "1.0 MB of 4.0 MB" in notebook.shown[-1]["text/html"]


def test_drawings_are_not_more_frequent_than_people_can_see(notebook, monkeypatch):
    monkeypatch.setattr("leaven._base.notebooks.BETWEEN_DRAWINGS", 60.0)
    drawn = NotebookBars()
    drawn._drawn = time.monotonic() - 100.0
    drawn.start()
    task = drawn.add_task("EM", total=100, amount="")
    for step in range(100):
        drawn.update(task, completed=step, total=100, amount=f"{step}")
    assert len(notebook.shown) == 2  # the beginning, and one drawing


def test_phases_of_several_threads_are_drawn(notebook):
    drawn = Bars()
    threads = [
        threading.Thread(target=lambda name=name: [drawn(name, i, 50) for i in range(50)])
        for name in ("reading", "counting", "EM")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in ("reading", "counting", "EM"):
        assert name in notebook.shown[-1]["text/html"]


@pytest.mark.slow
def test_a_real_kernel_shows_bars_and_tables(tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="nbclient runs notebooks")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    setup = f"""
        import leaven._base.bars as bars
        bars.PATIENCE = -1.0
        from leaven import TextClassifier
        texts, labels = {TEXTS!r}, {FEW!r}
    """
    cells = [textwrap.dedent(setup)]
    cells.append("clf = TextClassifier('em').fit(texts, labels, on_progress='bar')")
    cells.append("clf.explain('yeast bread')")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    drawn = []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, cell, cell_index):
            if message["msg_type"] in ("display_data", "update_display_data"):
                drawn.append(message["content"]["data"])
            return super().process_message(message, cell, cell_index)

    Client(book, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any("iteration" in content["text/html"] for content in drawn)
    (left,) = book.cells[1].outputs
    assert left["data"]["text/html"] == ""
    (result,) = book.cells[2].outputs
    assert 'class="b two"' in result["data"]["text/html"]
    assert "baking" in result["data"]["text/plain"]
