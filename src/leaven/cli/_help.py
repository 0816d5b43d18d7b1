"""Layout of ``--help``: options in groups, summaries in full, no names of Python types."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from typer.core import TyperCommand, TyperGroup

__all__ = [
    "ADVANCED",
    "DATA",
    "LIMITS",
    "METHOD",
    "OUTPUT",
    "TEXT",
    "WHERE",
    "GroupedCommand",
    "Summaries",
    "command_with_list",
]

DATA = "Data"
METHOD = "Method"
TEXT = "Text"
WHERE = "Where to run"
OUTPUT = "Output"
LIMITS = "Limits"
ADVANCED = "Method, advanced"
OTHER = "Options"  # without a group of their own
ORDER = (DATA, METHOD, OTHER, TEXT, WHERE, LIMITS, OUTPUT, ADVANCED)
WIDEST_NAME = 24  # characters of an option; the help of a longer one starts on the next line
LOWER_LIMIT = re.compile(r"(; |  \[)x>=[^;\]]+\]")
COMMANDS = re.compile(r"(.*?:)\s+(leaven .*)", re.DOTALL)  # at the end of a paragraph
REQUIRED = re.compile(r"\{(.*)\}")
SHORT = 50  # characters that fit in every terminal

Row = tuple[str, str]


class Formatter(Protocol):
    """The part of the formatter of help that is used here."""

    def section(self, name: str) -> AbstractContextManager[None]: ...
    def indentation(self) -> AbstractContextManager[None]: ...
    def write_paragraph(self) -> None: ...
    def write_text(self, text: str) -> None: ...
    def write_dl(self, rows: Sequence[Row], col_max: int = 30) -> None: ...


class GroupedCommand(TyperCommand):
    """A command whose options are listed in the groups that they name."""

    lists: Mapping[str, tuple[str, Mapping[str, str]]] = {}  # group → title, entries after it

    def format_options(self, ctx: Any, formatter: Any) -> None:
        arguments: list[Row] = []
        groups: dict[str, list[Row]] = {name: [] for name in ORDER}
        for parameter in self.get_params(ctx):
            row = _row(parameter, ctx)
            if row is None:
                continue
            if parameter.param_type_name == "argument":
                arguments.append(row)
            else:
                group = OUTPUT if "--help" in parameter.opts else _group_of(parameter)
                groups.setdefault(group, []).append(row)
        filled = {name: rows for name, rows in groups.items() if rows}
        if set(filled) <= {OTHER, OUTPUT}:  # too few to be worth groups
            filled = {OTHER: [row for rows in filled.values() for row in rows]}
        _write(formatter, "Arguments", arguments)
        for name, rows in filled.items():
            _write(formatter, name, rows)
            if name in self.lists:
                title, entries = self.lists[name]
                _write(formatter, title, list(entries.items()))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        _write_help_text(self.help, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        # Required arguments without the braces around them.
        return [REQUIRED.sub(r"\1", piece) for piece in super().collect_usage_pieces(ctx)]


class Summaries(TyperGroup):
    """The command line itself: the summary of every command, wrapped rather than cut."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                summary = (command.help or "").partition("\n\n")[0]
                rows.append((name, " ".join(summary.split())))
        _write(formatter, "Commands", rows)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        _write_help_text(self.help, formatter)


def command_with_list(group: str, title: str, entries: Mapping[str, str]) -> type[GroupedCommand]:
    """A command whose help has one more list after a group of options."""
    return type("ListingCommand", (GroupedCommand,), {"lists": {group: (title, entries)}})


def _group_of(parameter: Any) -> str:
    return getattr(parameter, "rich_help_panel", None) or OTHER


def _row(parameter: Any, ctx: Any) -> Row | None:
    record = parameter.get_help_record(ctx)
    if record is None:
        return None
    name, text = record
    if parameter.param_type_name == "argument":
        name = parameter.metavar or parameter.name.upper()
        text = text.replace("  [required]", "")  # as the line of usage shows
    if isinstance(parameter.show_default, str):
        text = text.replace(f"default: ({parameter.show_default})", _default(parameter))
    return name, LOWER_LIMIT.sub(lambda found: "]" if found[1] == "; " else "", text)


def _default(parameter: Any) -> str:
    return f"default: {parameter.show_default}"


def _write(formatter: Formatter, title: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    longest = max(len(name) for name, _ in rows)
    # Names are padded, so that the texts of all groups begin in one column.
    width = WIDEST_NAME if title in ORDER else min(longest, WIDEST_NAME)
    with formatter.section(title):
        formatter.write_dl([(f"{name:<{width}}", text) for name, text in rows], col_max=width)


def _write_help_text(text: str | None, formatter: Formatter) -> None:
    """Paragraphs, wrapped; commands to copy stay on one line."""
    if not text:
        return
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text("\n\n".join(map(_kept, _examples_joined(text.split("\n\n")))))


def _examples_joined(paragraphs: Sequence[str]) -> list[str]:
    """Paragraphs with one of all examples that follow each other."""
    joined: list[str] = []
    for paragraph in paragraphs:
        example = paragraph.strip().removeprefix("Example: ")
        if joined and example != paragraph.strip() and joined[-1].startswith("Example"):
            first = joined[-1].removeprefix("Example: ").removeprefix("Examples:\n")
            joined[-1] = f"Examples:\n{first}\n{example}"
        else:
            joined.append(paragraph.strip())
    return joined


def _kept(paragraph: str) -> str:
    """A paragraph whose commands, at its end, have lines of their own that are not wrapped."""
    found = COMMANDS.fullmatch(paragraph)
    if found is None:
        return paragraph
    text = " ".join(found[1].split())
    commands = "\n".join(f"  {line.strip()}" for line in found[2].splitlines())
    return f"\b\n{text}\n{commands}" if len(text) < SHORT else f"{text}\n\n\b\n{commands}"
