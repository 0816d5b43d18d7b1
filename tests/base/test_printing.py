import json
import sys
import unicodedata

import pytest

from leaven._base.printing import printable, printable_json, printable_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, naïve, 空間, 🥐, [b]x[/b]\ttab", "plain, naïve, 空間, 🥐, [b]x[/b]\ttab"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("two\nlines\r\n", "two\\nlines\\r\\n"),
        ("\x7f\x80\x9b\x9f", "\\x7f\\x80\\x9b\\x9f"),
        ("\u202eltr\u2066", "\\u202eltr\\u2066"),
        ("\u2028\u2029\ud800", "\\u2028\\u2029\\ud800"),
        ("नहीं \u200d\u200c", "नहीं \u200d\u200c"),  # joiners belong to the spelling of words
    ],
)
def test_what_controls_a_terminal_is_escaped(text, shown):
    assert printable(text) == shown


def test_every_control_character_is_escaped():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        is_control = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        turns = unicodedata.bidirectional(character) in (
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        )  # fmt: skip
        if (is_control or turns) and character != "\t":
            assert printable(character).startswith("\\"), hex(code)


def test_lines_of_our_own_stay():
    assert printable_lines("one\ntwo\x1b\n") == "one\ntwo\\x1b\n"


def test_json_means_the_same():
    data = {"\x1b\u202e": ["\x9b", "\u2028", "\ud800", "\n", "\\u202e", "空間", "\x7f"]}
    text = printable_json(json.dumps(data, ensure_ascii=False))
    assert json.loads(text) == data
    assert "空間" in text
    assert text == printable(text)
