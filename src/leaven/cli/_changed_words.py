"""What ``explain --against`` shows: the words whose discriminative power changed most."""

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.percent import percent
from leaven._base.printing import printable
from leaven.cli._common import plain_table, read_model

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leaven.classifier._changed_words import ChangedWord, ChangedWords

__all__ = ["Against", "changed_words", "changed_words_json", "changed_words_tables"]

SMALLEST_CHANGE = 0.0005  # of a probability: smaller ones could read as none
WIDTH = len("100.0 %")
MEANING = "probability of the class, given a document that consists of the word alone:"
NO_CHANGE = "no word changed by 0.05 percentage points or more"

Against = Annotated[
    str | None,
    typer.Option(
        metavar="OTHER",
        help="Show the words that changed most from the model file OTHER to MODEL instead; - is "
        "stdin.",
    ),
]


def changed_words(model: str, against: str, how_many: int = 10) -> "dict[str, ChangedWords]":
    """Words of each class whose probability changed most from model ``against`` to ``model``."""
    from leaven.classifier._changed_words import find_changed_words

    after, before = read_model(model), read_model(against)
    found = find_changed_words(before, after, how_many)
    return {str(name): words for name, words in found.items()}


def changed_words_json(found: "dict[str, ChangedWords]") -> dict[str, Any]:
    """Changed words as JSON."""
    return {
        name: {
            "rose": list(map(_word_json, words.rose)),
            "fell": list(map(_word_json, words.fell)),
        }
        for name, words in found.items()
    }


def _word_json(each: "ChangedWord") -> dict[str, str | float]:
    return {
        "word": each.word,
        "difference": each.difference,
        "before": each.before,
        "after": each.after,
    }


def changed_words_tables(found: "dict[str, ChangedWords]") -> "list[RenderableType]":
    """For each class a table of words that rose, beside those that fell."""
    from rich.text import Text

    shown: list[RenderableType] = [Text(MEANING, style="dim")]
    for name, words in found.items():
        shown += ["", Text(printable(name), style="bold")]
        rose, fell = map(_worth_showing, (words.rose, words.fell))
        if not (rose or fell):
            shown.append(Text(NO_CHANGE, style="dim"))
            continue
        change = f"{'before':>{WIDTH}} → after"
        table = plain_table("rose", change, "fell", change)
        for pair in zip_longest(rose, fell):
            table.add_row(*(cell for each in pair for cell in _cells(each)))
        shown.append(table)
    return shown


def _worth_showing(changed: "list[ChangedWord]") -> "list[ChangedWord]":
    return [each for each in changed if abs(each.difference) >= SMALLEST_CHANGE]


def _cells(each: "ChangedWord | None") -> tuple[str, str]:
    if each is None:
        return "", ""
    before, after = percent(each.before, 1), percent(each.after, 1)
    return each.word, f"{before:>{WIDTH}} → {after:>{WIDTH}}"
