"""Text that is safe to print: what would control a terminal is shown as an escape sequence."""

import re
import textwrap

__all__ = ["printable", "printable_json", "printable_lines", "shortened"]

# Control characters (C0, DEL, C1), line and paragraph separators, what changes the direction of
# writing, and halves of characters. Tabs are harmless.
_CONTROLS = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SHORT = {"\n": "\\n", "\r": "\\r"}


def printable(text: str) -> str:
    r"""Text in one line that controls nothing: ``\x1b`` for an escape, ``\n`` for a line end."""
    return _CONTROLS.sub(_escaped, text)


def printable_lines(text: str) -> str:
    """The same for text whose line ends are our own."""
    return "\n".join(map(printable, text.split("\n")))


def printable_json(text: str) -> str:
    """JSON in one line with the same meaning, in which no character controls a terminal."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shortened(text: str, width: int) -> str:
    """The beginning of a text, on one line."""
    # So much of a long text is enough, however much space is in it.
    return textwrap.shorten(text[: 10 * width], width, placeholder="…")


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
