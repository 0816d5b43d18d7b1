"""What ``explain`` shows about where words come from: a text coloured by its labels."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leaven._base.percent import percent
from leaven._base.printing import printable, printable_lines
from leaven.cli._common import has_colors, plain_table

if TYPE_CHECKING:
    from leaven.experts import Generated, GeneratedWord

__all__ = ["generated_json", "generated_table"]

# Distinct on light and on dark backgrounds; with more labels than colours, colours recur.
COLORS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_magenta")
BACKGROUND = "bright_black"
COMMON, OTHER = "common to all labels", "none of these"


@dataclass(frozen=True)
class _Origin:
    """A label, or what all have in common, or none of them."""

    title: str
    style: str
    of_words: list[float]  # its share of each word
    share: float  # of the text

    @property
    def shown_title(self) -> Any:
        from rich.text import Text

        return Text(printable(self.title), style=self.style)


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

    words, origins = generated.words, _origins(generated)
    best = [
        max(range(len(origins)), key=lambda number: origins[number].of_words[place])
        for place in range(len(words))
    ]
    shown: list[Any] = [""]
    if has_colors(sys.stdout):
        styles = {
            each.word: origins[number].style for each, number in zip(words, best, strict=True)
        }
        text = Text()
        for piece, word in generated.pieces:
            style = "" if word is None else styles.get(word, "")
            text.append(printable_lines(piece.replace("\r\n", "\n")), style=style)
        shown += [text, ""]
    shown.append(Text("words by the label that most probably generated them:", style="dim"))
    table = plain_table("label", "of the text", "words", numeric=("of the text",))
    for number, origin in enumerate(origins):
        own = [place for place in range(len(words)) if best[place] == number]
        own.sort(key=lambda place: -words[place].count * origin.of_words[place])
        named = ", ".join(_with_count(words[place]) for place in own[:n_words])
        more = f", and {len(own) - n_words} more" if len(own) > n_words else ""
        if own or origin.share:
            table.add_row(origin.shown_title, percent(origin.share, 1), named + more)
    return [*shown, table]


def _origins(generated: "Generated") -> list[_Origin]:
    """The labels, that of the largest share first, then the background."""
    words, ranked = generated.words, sorted(generated.shares.items(), key=lambda item: -item[1])
    labels = [
        _Origin(str(name), COLORS[i % len(COLORS)], [each.shares[name] for each in words], share)
        for i, (name, share) in enumerate(ranked)
    ]
    common = _Origin(COMMON, BACKGROUND, [each.common for each in words], generated.common)
    other = _Origin(OTHER, BACKGROUND, [each.other for each in words], generated.other)
    return [*labels, common, other]


def _with_count(word: "GeneratedWord") -> str:
    return word.word if word.count == 1 else f"{word.word} ×{word.count}"
