"""Tables on a terminal, whose cells are shown as text whatever they hold."""

from typing import Any

from rich import box
from rich.table import Table

from leaven._base.printing import printable

__all__ = ["PlainTable"]


class PlainTable(Table):
    """A table without vertical lines; names of classes and words cannot control the terminal."""

    def __init__(self) -> None:
        super().__init__(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)

    def add_column(self, header: Any = "", *rest: Any, **more: Any) -> None:
        super().add_column(_shown(header), *rest, **more)

    def add_row(self, *cells: Any, **more: Any) -> None:
        super().add_row(*map(_shown, cells), **more)


def _shown(cell: Any) -> Any:
    return printable(cell) if isinstance(cell, str) else cell
