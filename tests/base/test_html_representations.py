"""Markup for notebooks: everything from users is escaped, bars are as long as their shares."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaven._base.html import (
    MOST_ROWS,
    Markup,
    bar,
    bold,
    document,
    folded,
    isolated,
    joined,
    muted,
    paragraph,
    signed_bar,
    table,
)
from leaven._base.tables import TextTable

VOID = {"br", "img", "hr", "meta", "link", "input"}
HOSTILE = "<script>alert('1')</script> & \"quoted\" <b>"


class Elements(HTMLParser):
    """The elements and the text of some markup; an element that is not closed is an error."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.text, self.attributes, self._open = [], "", [], []
        self.feed(markup)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if "style" not in self._open:
            self.text += data


@pytest.mark.parametrize("part", [paragraph, bold, muted, isolated])
def test_text_is_escaped_and_reads_as_it_was(part):
    shown = Elements(part(HOSTILE))
    assert "script" not in shown.tags
    assert shown.text == HOSTILE


@given(st.text(max_size=30))
def test_no_text_adds_an_element_to_a_table(text):
    content = TextTable(("word", text), [(text, "1")], (text,))
    assert Elements(table(content)).tags == [
        *("table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td")
    ]


@given(st.text(max_size=30))
def test_no_text_adds_an_element_to_what_is_folded(text):
    assert Elements(folded(text, paragraph(text))).tags == ["details", "summary", "p"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\x1b[31m", "a\\x1b[31m"), ("\u202eevil", "\\u202eevil"), ("\ud800", "\\ud800")],
)
def test_what_controls_a_terminal_or_the_direction_is_made_visible(text, shown):
    markup = paragraph(text)
    assert Elements(markup).text == shown
    markup.encode("utf-8")


def test_every_cell_and_paragraph_finds_its_own_direction():
    content = TextTable(("class", "words"), [("אב", "שלום")])
    assert table(content).count('dir="auto"') == 4
    assert paragraph("שלום").count('dir="auto"') == 1


def test_numbers_are_aligned_to_the_right_and_text_is_not():
    shown = table(TextTable(("word", "count"), [("dough", "3")], ("count",)))
    assert re.findall(r'<(\w+) class="n"', shown) == ["th", "td"]


def test_markup_in_a_cell_stays_markup():
    shown = Elements(table(TextTable(("a", ""), [("x", bar(0.5))])))
    assert shown.tags.count("i") == 1


def test_joined_parts_are_escaped_one_by_one():
    assert joined(" < ", [isolated("a"), "b & c"]) == "<bdi>a</bdi> &lt; b &amp; c"


def widths(markup):
    left, width = re.search(r"left:([\d.]+)%;width:([\d.]+)%", markup).groups()
    return float(left), float(width)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, (0, 0)), (0.25, (0, 25)), (1.0, (0, 100)), (7.0, (0, 100))]
)
def test_a_bar_is_as_long_as_its_share(share, expected):
    assert widths(bar(share)) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, (50, 50)), (0.5, (50, 25)), (0.0, (50, 0)), (-0.5, (25, 25)), (-3.0, (0, 50))],
)
def test_a_signed_bar_begins_in_the_middle(share, expected):
    assert widths(signed_bar(share)) == expected


def test_the_two_sides_of_a_bar_differ_in_color_too():
    colors = {re.search(r"background:(#\w+)", signed_bar(share))[1] for share in (-1, 1)}
    assert len(colors) == 2


def test_a_document_needs_nothing_from_outside_and_runs_nothing():
    shown = document(paragraph("text"), table(TextTable(("a",), [("b",)])))
    assert not re.search(r"https?:|url\(|@import|<script|\son\w+=", shown)
    # Colours of text and background are the notebook's own.
    assert not re.search(r"[;{](color|background(-color)?):(?!inherit|transparent)", shown)
    assert Elements(shown).tags[:2] == ["style", "div"]


def test_a_long_table_is_cut_and_says_so():
    rows = [(str(number),) for number in range(MOST_ROWS + 34)]
    shown = Elements(table(TextTable(("number",), rows)))
    assert shown.tags.count("tr") == 1 + MOST_ROWS
    assert f"{MOST_ROWS} of {MOST_ROWS + 34} rows are shown" in shown.text
    assert "p" not in Elements(table(TextTable(("number",), rows[:MOST_ROWS]))).tags


def test_a_row_with_too_few_cells_is_refused():
    with pytest.raises(ValueError, match="a cell for each of 2 titles, got 1"):
        TextTable(("a", "b"), [("x",)])


def test_markup_is_text_to_everything_else():
    assert Markup("<b>") == "<b>"
