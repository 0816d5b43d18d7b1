"""Tables in Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any


def markdown_table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table with this head, and one line for each of the rows."""
    lines = [f"| {' | '.join(map(str, line))} |" for line in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])
