"""What ``explain --against`` shows: the words whose discriminative power changed most."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.printing import printable
from leaven.cli._common import drawn, read_model

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leaven.classifier._changed_words import ChangedWord, ChangedWords

__all__ = ["Against", "changed_words", "changed_words_json", "changed_words_tables"]

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

    from leaven.classifier._changed_words import MEANING, NO_CHANGE

    shown: list[RenderableType] = [Text(MEANING, style="dim")]
    for name, words in found.items():
        content = words.table()
        shown += ["", Text(printable(name), style="bold")]
        shown.append(drawn(content) if content.rows else Text(NO_CHANGE, style="dim"))
    return shown
