"""The examples of a page: fenced blocks of commands and Python, and what they should print."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name != "cli.md"),
]
FENCE = re.compile(r"^( *)```([\w-]*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!-- (files|given): ([\w, -]+) -->")
RUNNABLE = ("console", "python", "pycon")
LANGUAGES = {*RUNNABLE, "text", "csv", "json", "yaml", "toml", "ini", "dockerfile", "html", ""}


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    language: str
    text: str
    line: int  # of the page
    indent: int = 0


@dataclass(frozen=True)
class Command:
    """A line after a prompt, and what should be printed."""

    line: str
    expected: list[str] = field(default_factory=list)

    @property
    def is_background(self) -> bool:
        return self.line.endswith("&")


@dataclass(frozen=True)
class Page:
    """A page with examples."""

    path: Path
    blocks: list[Block]
    files: list[str]  # sets of files that its folder holds
    given: list[str]  # sets of variables that its Python sees

    @classmethod
    def read(cls, path: Path) -> "Page":
        text = path.read_text(encoding="utf-8")
        blocks = [
            Block(
                found[2],
                dedented(found[3], len(found[1])),
                text[: found.start()].count("\n") + 1,
                len(found[1]),
            )
            for found in FENCE.finditer(text)
        ]
        named: dict[str, list[str]] = {"files": [], "given": []}
        for kind, names in COMMENT.findall(text):
            named[kind] += [name.strip() for name in names.split(",")]
        return cls(path, blocks, **named)

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def examples(self) -> list[Block]:
        return [block for block in self.blocks if block.language in RUNNABLE]


def dedented(text: str, width: int) -> str:
    return "".join(line[width:] or "\n" for line in text.splitlines(keepends=True))


def commands(text: str) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    is_continued = False
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        elif is_continued and line.startswith("> "):
            found[-1] = Command(f"{found[-1].line}\n{line[2:]}")
        elif found:
            found[-1].expected.append(line)
        else:
            raise ValueError(f"a console block must begin with '$ ', found {line!r}")
        is_continued = line.startswith(("$ ", "> ")) and line.endswith("\\")
    return found
