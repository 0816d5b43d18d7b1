"""Tables of results as plain text cells, which terminals and notebooks draw in their own ways."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["TextTable"]


@dataclass(frozen=True)
class TextTable:
    """Titles and rows of a table; cells may hold any text, and are escaped where they are drawn.

    Parameters
    ----------
    titles : sequence of str
        Titles of the columns.
    rows : list of sequences of str
        Each with one cell per title.
    numeric : sequence of str, default=()
        Titles of columns of numbers, which are aligned to the right.
    """

    titles: Sequence[str]
    rows: list[Sequence[str]]
    numeric: Sequence[str] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.titles):
                raise ValueError(
                    f"a row must have a cell for each of {len(self.titles)} titles, got {len(row)}"
                )
