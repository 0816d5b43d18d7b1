"""Text of HTML documents: markup removed and entities decoded, in time linear in the length.

``html.parser`` is not used: on its way back from markup that never ends it takes quadratic time
(half a minute for 40 kB of ``<a <a <a`` in Python 3.11), raises errors for some broken markup, and
reads such markup differently from one patch release of Python to the next, so that the words of
a document would depend on it.
"""

import html
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["count_html", "html_notes", "text_of_html", "texts_of_html"]

# Tags that a browser shows within a word; all others separate words.
INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
        *("em", "font", "i", "ins", "kbd", "mark", "nobr", "q", "ruby", "s", "samp", "small"),
        *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)
# Every alternative matches whatever follows, if need be up to the end, and none is tried twice
# (possessive repetition), so that no character is looked at more than a few times.
MARKUP = r"""
      <!--(?:-?>|.*?(?:--!?>|\Z))  # comment
    | <!\[CDATA\[  # whose content is text
    | <(?P<raw>script|style)(?=[\s/>]){inside}(?P<begun>>|\Z).*?(?=</(?P=raw)[\s/>]|\Z)
    | </?(?P<tag>[a-z][^\s/>]*+){inside}(?P<ended>>|\Z)
    | <[!?/][^>]*+(?P<closed>>|\Z)  # declaration, empty tag
    | (?P<entity>&(?:\#[0-9]++|\#x[0-9a-f]++|[a-z][a-z0-9]{{1,31}}+);?)
"""
FLAGS = re.VERBOSE | re.DOTALL | re.IGNORECASE | re.ASCII
# Attributes: a > between quotation marks does not end a tag.
QUOTED = re.compile(MARKUP.format(inside=r"""(?:=\s*+"[^"]*+"|=\s*+'[^']*+'|[^>])*+"""), FLAGS)
UNQUOTED = re.compile(MARKUP.format(inside="[^>]*+"), FLAGS)
ENTITY = re.compile(r"&(?:\#[0-9]++|\#x[0-9a-f]++|[a-z][a-z0-9]{1,31}+);?", FLAGS)
CUT_OFF = re.compile(r"<[a-z][a-z0-9]*+\s++[a-z-]++\s*+=", re.IGNORECASE | re.ASCII)
LONGEST_NUMBER = 12  # of a character, with & and ;
SOFT_HYPHEN = "\xad"  # where a word may be broken, invisible otherwise
AT_ONCE = 10_000  # texts that are Python's at a time

LOOKS_LIKE_HTML = r"(?i)</(?:a|b|div|em|h[1-6]|i|li|p|span|strong|td|ul)\s*>|<br\s*/?>"
MOST_LOOKED_AT = 1000  # texts of a batch
HTML_NOTE = (
    "most documents look like HTML, whose tags are counted as words; --html (text_options="
    '{"html": True}) removes tags'
)


class _NeverEnds(Exception):
    """A tag with quotation marks that extends to the end of the text."""


def text_of_html(text: str) -> str:
    """The text of an HTML document, as a browser shows it up to white space.

    Only a tag that does not end is not taken for one: ``a <b`` stays as it is.
    """
    last = text.rfind(">")

    def shown(found: re.Match[str]) -> str:
        if found["entity"]:
            return _decoded(found)
        if "" in (found["begun"], found["ended"], found["closed"]):
            if found.start() < last:
                raise _NeverEnds
            kept = CUT_OFF.split(found[0], 1)[0]  # without a tag that was cut off
            return ENTITY.sub(_decoded, kept)
        name = found["tag"]
        is_within_word = name.lower() in INLINE if name else found[0].startswith("<!--")
        return "" if is_within_word else " "

    try:
        return QUOTED.sub(shown, text)
    except _NeverEnds:  # some quotation mark is missing, so that none is taken for one
        return UNQUOTED.sub(shown, text)


def texts_of_html(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """The texts of HTML documents; those without markup are not looked at one by one."""
    has_markup = pc.match_substring_regex(texts, "[<&]")
    marked = texts.filter(has_markup)
    if not len(marked):
        return texts
    parts = [
        pa.array(map(text_of_html, marked.slice(first, AT_ONCE).to_pylist()), pa.large_string())
        for first in range(0, len(marked), AT_ONCE)
    ]
    return pc.replace_with_mask(texts, has_markup, pa.concat_arrays(parts))


def count_html(texts: pa.LargeStringArray) -> tuple[int, int]:
    """How many of a sample of texts look like HTML, and the size of the sample."""
    if len(texts) > MOST_LOOKED_AT:
        rows = np.linspace(0, len(texts) - 1, MOST_LOOKED_AT).astype(np.int64)
        texts = texts.take(pa.array(rows))
    found = pc.sum(pc.match_substring_regex(texts, LOOKS_LIKE_HTML)).as_py() or 0
    return int(found), len(texts)


def html_notes(n_like_html: int, n_looked_at: int) -> list[str]:
    """A note for the report, if most of the texts looked at are like HTML."""
    return [HTML_NOTE] if 2 * n_like_html > n_looked_at else []


def _decoded(found: re.Match[str]) -> str:
    entity = found[0]
    if entity.startswith("&#") and len(entity) > LONGEST_NUMBER:
        return "\ufffd"  # Python refuses to read very long numbers
    return html.unescape(entity).replace(SOFT_HYPHEN, "")
