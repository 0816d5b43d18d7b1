"""What texts look like, whatever is counted in them: markup, and scripts without spaces."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Self

import pyarrow as pa

from leaven.text._html import count_html, html_notes, texts_of_html
from leaven.text._options import TextOptions
from leaven.text._scripts import count_scripts

__all__ = ["TextLooks"]

NOTEWORTHY = 0.5  # share of a text's characters that words without spaces should not have
UNSPLIT = (
    "most of the text is in scripts without spaces ({scripts}), of which whole clauses are counted "
    'as words; text_options={{"tokens": "scripts"}}, which is the default, counts their characters'
)


@dataclass(frozen=True)
class TextLooks:
    """Looks of some texts; those of parts add up to those of the whole."""

    n_looked_at: int = 0  # for markup
    n_like_html: int = 0
    n_characters: int = 0  # of words
    scripts: Counter[str] = field(default_factory=Counter)  # characters of those without spaces

    @classmethod
    def of(cls, texts: pa.LargeStringArray, html: bool = False) -> Self:
        """Looks of texts, without their markup if ``html`` is True."""
        if html:
            texts = texts_of_html(texts)
        n_like_html, n_looked_at = (0, 0) if html else count_html(texts)
        scripts, n_characters = count_scripts(texts)
        return cls(n_looked_at, n_like_html, n_characters, Counter(scripts))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.n_looked_at + other.n_looked_at,
            self.n_like_html + other.n_like_html,
            self.n_characters + other.n_characters,
            self.scripts + other.scripts,
        )

    @property
    def script_shares(self) -> dict[str, float]:
        """Shares of the characters of words in scripts without spaces, the largest first."""
        return {name: count / self.n_characters for name, count in self.scripts.most_common()}

    def notes(self, options: TextOptions) -> list[str]:
        """What a report should say of such texts, given what is counted in them."""
        notes = html_notes(self.n_like_html, self.n_looked_at)
        shares = self.script_shares
        counts_clauses = options.analyzer == "word" and options.tokens in ("words", "letters")
        if counts_clauses and sum(shares.values()) > NOTEWORTHY:
            notes.append(UNSPLIT.format(scripts=", ".join(shares)))
        return notes
