"""The gallery has a picture and a section for every method, drawn from stored numbers."""

import re
import struct
from pathlib import Path

import numpy as np
import pytest
from docgen import gallery as of_gallery
from PIL import Image
from studies import gallery
from studies._common import read_results
from studies._gallery import _style, _task

from leaven.methods import METHODS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
MOST_BYTES = 150_000
WIDEST = 1400  # pixels
MARGIN = 3
every_method = pytest.mark.parametrize("method", METHODS)


def width_of(path):
    """Width of a PNG in pixels, from its header."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">I", head[16:20])[0]


def test_every_method_has_a_picture_and_nothing_else_does():
    assert list(gallery.PICTURES) == list(METHODS)
    assert list(read_results("gallery")["methods"]) == list(METHODS)
    assert {path.stem for path in gallery.FOLDER.glob("*")} == set(METHODS)


@every_method
def test_a_picture_is_small(method):
    path = gallery.FOLDER / f"{method}.png"
    assert path.stat().st_size <= MOST_BYTES
    assert 1000 <= width_of(path) <= WIDEST


@every_method
def test_the_page_has_a_section_with_picture_caption_and_link(method):
    text = PAGE.read_text(encoding="utf-8")
    (section,) = re.findall(rf"^### {method}\n(.*?)(?=^### |<!--)", text, re.MULTILINE | re.DOTALL)
    alternative, picture = re.findall(r"!\[(.*?)\]\((.*?)\)", section)[0]
    assert len(alternative) > 30
    assert (PAGE.parent / picture).resolve() == gallery.FOLDER / f"{method}.png"
    assert of_gallery.caption(method) in section
    assert re.search(r"\d", of_gallery.caption(method))
    page = re.search(r"\]\((methods/.*?\.md)\)", section)[1]
    assert (PAGE.parent / page).is_file()


def test_sections_of_the_page_are_in_the_order_of_the_methods():
    headings = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == list(METHODS)


@every_method
def test_a_picture_is_drawn_from_stored_numbers(method, tmp_path):
    found = read_results("gallery")["methods"][method]
    _style.save(gallery.PICTURES[method].draw(found), tmp_path / "new.png")
    assert width_of(tmp_path / "new.png") == width_of(gallery.FOLDER / f"{method}.png")


@every_method
def test_nothing_is_cut_off_at_the_edges_of_a_picture(method):
    with Image.open(gallery.FOLDER / f"{method}.png") as picture:
        pixels = np.asarray(picture.convert("L"))
    assert pixels.min() < 100  # there is something to see
    for edge in (pixels[:MARGIN], pixels[-MARGIN:], pixels[:, :MARGIN], pixels[:, -MARGIN:]):
        assert edge.min() > 250


def test_redrawing_writes_every_picture(tmp_path, monkeypatch, capsys):
    from studies import __main__ as command

    few = {"methods": {name: read_results("gallery")["methods"][name] for name in ("nb", "knn")}}
    monkeypatch.setattr("studies._common.read_results", lambda name: few)
    monkeypatch.setattr(gallery, "FOLDER", tmp_path)
    command.redraw(["gallery"])
    assert sorted(path.name for path in tmp_path.glob("*")) == ["knn.png", "nb.png"]
    assert capsys.readouterr().out == "wrote 2 pictures\n"


def test_a_picture_of_naive_bayes_is_computed_by_the_library():
    found = gallery.PICTURES["nb"].compute()
    assert sum(found["documents"]) == found["n_unlabeled"]
    edges, documents = np.array(found["edges"]), np.array(found["documents"])
    is_right = edges[:-1] >= 0
    assert found["accuracy"] == pytest.approx(documents[is_right].sum() / documents.sum(), abs=0.01)


def test_margins_are_positive_exactly_where_the_class_is_right():
    truth = np.array(["a", "b", "a", "b"])
    task = _task.Task(["w", "x", "y", "z"], truth, np.array([0]))
    scores = np.array([[0.0, 1.0], [2.0, 3.5], [1.0, 4.0], [0.0, 0.5]])
    assert task.margins(scores).tolist() == [1.5, -3.0, 0.5]
    assert task.accuracy(scores) == pytest.approx(2 / 3)


def test_labels_move_apart_and_no_further_than_needed():
    assert _style.spread([0.0, 5.0], 1.0) == [0.0, 5.0]
    moved = _style.spread([1.0, 0.0, 1.0], 1.0)
    assert moved[1] < moved[0] < moved[2]
    assert np.diff(sorted(moved)).min() == pytest.approx(1.0)
    assert np.mean(moved) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The sum.\n\nMore of it.", "Sum"),
        ("Return a\n`window`. Then more.", "Return a window"),
        ("Sixteen characters", "Sixteen …"),
    ],
)
def test_the_title_of_a_docstring_is_its_first_sentence(text, title):
    assert _task.title(text, most=15) == title
