"""What ``explain`` shows about where words come from: a text colored by its labels."""

import sys
from typing import TYPE_CHECKING, Any

from leaven._base.printing import printable, printable_lines
from leaven.cli._common import has_colors, plain_table

if TYPE_CHECKING:
    from leaven.experts import Generated

__all__ = ["generated_json", "generated_table"]

# Distinct on light and on dark backgrounds; with more labels than colours, colours recur.
COLORS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_magenta")
BACKGROUND = "bright_black"


def generated_json(generated: "Generated") -> dict[str, Any]:
    """Origins of words as JSON; labels are strings, as in every key."""
    return {
        "shares": {str(name): share for name, share in generated.shares.items()},
        "common": generated.common,
        "other": generated.other,
        "words": [
            {
                "word": each.word,
                "count": each.count,
                "shares": {str(name): share for name, share in each.shares.items()},
                "common": each.common,
                "other": each.other,
            }
            for each in generated.words
        ],
    }


def generated_table(generated: "Generated | None", n_words: int) -> list[Any]:
    """The text, each word in the colour of the label it comes from, and the words of each label.

    Without colours the text is left out, because it would be as the user gave it.
    """
    if generated is None or not generated.words:
        return []
    from rich.text import Text

    origins, styles = generated.origins, _styles(generated)
    shown: list[Any] = [""]
    if has_colors(sys.stdout):
        style_of = {
            each.word: style
            for origin, style in zip(origins, styles, strict=True)
            for each in origin.words
        }
        text = Text()
        for piece, word in generated.pieces:
            style = "" if word is None else style_of.get(word, "")
            text.append(printable_lines(piece.replace("\r\n", "\n")), style=style)
        shown += [text, ""]
    shown.append(Text("words by the label that most probably generated them:", style="dim"))
    content = generated.table(n_words)
    style_of = {origin.title: style for origin, style in zip(origins, styles, strict=True)}
    table = plain_table(*content.titles, numeric=content.numeric)
    for title, *cells in content.rows:
        table.add_row(Text(printable(title), style=style_of[title]), *cells)
    return [*shown, table]


def _styles(generated: "Generated") -> list[str]:
    """Of the origins: a colour for each label, and the last two in the background."""
    n_labels = len(generated.origins) - 2
    return [*(COLORS[i % len(COLORS)] for i in range(n_labels)), BACKGROUND, BACKGROUND]
