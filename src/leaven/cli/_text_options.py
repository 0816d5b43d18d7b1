"""Options of commands that train for kinds of text: HTML, kinds of words, stop words."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from leaven.cli._help import TEXT

__all__ = ["Html", "StopWords", "TokensOption", "WordKind", "html_option", "read_stop_words"]


class WordKind(StrEnum):
    """What is a word; a test compares it with the library's."""

    scripts = "scripts"
    words = "words"
    letters = "letters"
    spaces = "spaces"


Html = Annotated[
    bool,
    typer.Option(
        "--html",
        help="Texts are HTML: remove tags, comments, scripts and styles, and decode entities.",
        rich_help_panel=TEXT,
    ),
]
TokensOption = Annotated[
    WordKind | None,
    typer.Option(
        "--tokens",
        metavar="KIND",
        help="What is a word: scripts, runs of letters and digits, in scripts without spaces runs "
        "of 1 to 3 characters; words, the same without regard to scripts; letters, runs of letters "
        "only; spaces, whatever white space separates, for texts that a segmenter has split.",
        show_default="scripts",
        rich_help_panel=TEXT,
    ),
]
StopWords = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE",
        help="Words to ignore: english, another language such as german or de (pip install "
        "'leaven[stopwords]'), frequent for the 50 words that most documents contain, or a text "
        "file of words.",
        show_default="none",
        rich_help_panel=TEXT,
    ),
]


def html_option(html: bool) -> dict[str, Any]:
    """Text options of commands that have no other."""
    return {"html": True} if html else {}


def read_stop_words(given: str) -> str | list[str]:
    """Words of a language or of a file; or the name of the rule by which words are found."""
    from leaven.text._stop_words import FREQUENT, stop_word_list

    if given == FREQUENT:
        return given
    # What can be a name is one, unless there is such a file and no such language.
    if given.isalpha():
        try:
            return stop_word_list(given)
        except (ValueError, ModuleNotFoundError):
            if not Path(given).is_file():
                raise
    return Path(given).read_text(encoding="utf-8").split()
