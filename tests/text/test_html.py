"""HTML documents: what is text, what separates words, and how long broken markup takes."""

import html.parser
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaven.text import TextVectorizer
from leaven.text._html import count_html, html_notes, text_of_html, texts_of_html

SECONDS = 20  # for a megabyte, on a busy machine; quadratic time would be hours
MEGABYTE = 1_000_000


def words(text):
    return text_of_html(text).split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>a</p><p>b</p>", ["a", "b"]),
        ("a<br>b<br/>c<BR />d", ["a", "b", "c", "d"]),
        ("<ul><li>a<li>b</ul>", ["a", "b"]),
        ("in<b>di</b>visi<i>ble</i>, H<sub>2</sub>O", ["indivisible,", "H2O"]),
        ("a<!-- b <p> --> c<!-->d<!--->e", ["a", "cde"]),
        ("a <script>if (b < c) d('</p>')</script> e", ["a", "e"]),
        ("a<style media=print>b {c: d}</style>e", ["a", "e"]),
        ("<SCRIPT>a</Script >b <scripted>c</scripted>", ["b", "c"]),
        ("<!DOCTYPE html><?xml version='1.0'?><title>a</title>", ["a"]),
        ("<![CDATA[a <b>b</b>]]>", ["a", "b]]>"]),
        ("caf&eacute; &lt;b&gt; &#65;&#x42;&amp;lt; a&nbsp;b", ["café", "<b>", "AB&lt;", "a", "b"]),
        ("hy&shy;phen AT&T &unknown; &copy", ["hyphen", "AT&T", "&unknown;", "©"]),
        ("<a title='x > y' href=\"?a>b\">c</a>", ["c"]),
        ("", []),
    ],
)
def test_a_text_is_what_a_browser_shows(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 < 2 <3 a <b and c &amp; d", ["1", "<", "2", "<3", "a", "<b", "and", "c", "&", "d"]),
        ('a <img alt="cut off', ["a"]),
        ('<p>a <a href="b>c</a> d</p>', ["a", "c", "d"]),
        ('a <b x=">" c', ["a", '"', "c"]),
        ("a <!-- b", ["a"]),
        ("a <script> b", ["a"]),
        ("a </p b", ["a", "</p", "b"]),
        ("a <> b </> c", ["a", "<>", "b", "c"]),
        ("&#" + "9" * 10_000 + "; a &#0; &#xd800;", ["�", "a", "�", "�"]),
    ],
)
def test_broken_markup_loses_little_text(text, expected):
    assert words(text) == expected


UNITS = [
    *("<", ">", "&", "<a ", "<a <", '<a a="', "<a a='\"", '<a x=">"', "<a/", "</a ", "<!", "<!--"),
    *("<!-- >", "<![", "<![CDATA[", "<?", "<script>", "<script ", "</script", "<style>", "&#1"),
    *("&#x", "&a", "<b>", "-->", "<div>", "<a =", "<a b ", "--", "<a\n\n"),
]


@pytest.mark.parametrize("end", ["", ">", '">', "-->", "<a b="], ids=repr)
@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_megabyte_of_anything_takes_linear_time(unit, end):
    text = unit * (MEGABYTE // len(unit)) + end
    began = time.perf_counter()
    text_of_html(text)
    assert time.perf_counter() - began < SECONDS


@given(st.text(st.sampled_from("<>/!-ab =\"'&#;x1[]?\n"), max_size=60))
def test_any_text_has_a_text(text):
    shown = text_of_html(text)
    assert len(shown) <= max(len(text), 1) * 2
    if "<" not in text and "&" not in text:
        assert shown == text


class Reference(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style")
        self.parts.append("" if tag in ("b", "span", "a") else " ")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")
        self.parts.append("" if tag in ("b", "span", "a") else " ")

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


leaves = st.sampled_from(
    ["one", " two ", "&amp;", "&eacute;t&eacute;", "<!-- no -->", "<br>", "<script>x < 1</script>"]
)
tags = st.sampled_from(["b", "p", "span", "div", "a href='x>y'", 'td title="q"'])
trees = st.recursive(
    leaves,
    lambda inner: st.tuples(tags, st.lists(inner, max_size=4)).map(
        lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0].split()[0]}>"
    ),
    max_leaves=20,
)


@given(trees)
def test_sound_markup_gives_the_words_of_the_standard_library(text):
    reference = Reference()
    reference.feed(text)
    reference.close()
    assert words(text) == "".join(reference.parts).split()


def test_deep_nesting_is_no_trouble():
    assert words("<div>" * 100_000 + "a" + "</div>" * 100_000) == ["a"]


def test_arrays_keep_texts_without_markup_and_may_be_slices():
    texts = pa.array(["x", "<p>a</p>b", "plain", "", "c &lt; d"], pa.large_string())
    assert texts_of_html(texts.slice(1)).to_pylist() == [" a b", "plain", "", "c < d"]
    plain = pa.array(["a", "b"], pa.large_string())
    assert texts_of_html(plain) is plain


def test_the_vectorizer_strips_when_it_fits_and_when_it_transforms():
    vectorizer = TextVectorizer(html=True)
    X = vectorizer.fit_transform(["<p class=red>dough</p><p>yeast</p>", "<!-- oven -->dough"])
    assert list(vectorizer.vocabulary_) == ["dough", "yeast"]
    assert X.toarray().tolist() == [[1, 1], [1, 0]]
    assert vectorizer.transform(["yeast<br>yeast &amp; class"]).toarray().tolist() == [[0, 2]]
    hashed = TextVectorizer(html=True, hash_features=64)
    assert np.abs(hashed.transform(["<p>dough</p>"]).toarray()).sum() == 1
    with pytest.raises(ValueError, match="html must be"):
        TextVectorizer(html="yes").fit(["a b"])


def test_texts_that_look_like_html_are_counted_in_a_sample():
    pages = pa.array(["<p>a</p>", "a<br>b", "see <a href=x>y</a>"] * 700, pa.large_string())
    assert count_html(pages) == (1000, 1000)
    plain = pa.array(["a < b", "Mr <smith@x.org>", "x </ y"], pa.large_string())
    assert count_html(plain) == (0, 3)
    assert count_html(pa.array([], pa.large_string())) == (0, 0)
    assert html_notes(0, 0) == html_notes(1, 2) == []
    (note,) = html_notes(2, 3)
    assert "look like HTML" in note
    assert "--html" in note
