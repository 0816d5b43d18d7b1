"""Sections: the parts of pages that are written from the program and from results."""

import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

END = "<!-- end -->"


class Section(NamedTuple):
    """A part of a page that a generator writes."""

    file: str  # from the root of the project
    name: str  # of its marker
    content: Callable[[], str]  # Markdown, without the markers

    @property
    def start(self) -> str:
        """The marker before the section."""
        return f"<!-- {self.name} -->\n"


def with_sections(file: str, text: str, sections: Iterable[Section]) -> str:
    """The text of a page with its sections as they should be."""
    own = [section for section in sections if section.file == file]
    for section in own:
        text = _replaced(text, section)
    n_ends = text.count(END)
    if n_ends != len(own):
        sys.exit(f"{file} has {n_ends} {END}, and docgen writes {len(own)} of them")
    return text


def _replaced(text: str, section: Section) -> str:
    file, start = section.file, section.start
    before, found, rest = text.partition(start)
    old, ended, after = rest.partition(END)
    if not found:
        sys.exit(f"{file} has no marker {start.strip()}; put it where the section begins")
    if not ended or "<!--" in old:
        sys.exit(f"{file} has no {END} after {start.strip()}; put it where that ends")
    if start in after:
        sys.exit(f"{file} has {start.strip()} twice; remove one")
    return f"{before}{start}\n{section.content().strip()}\n\n{END}{after}"
