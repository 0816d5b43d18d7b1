"""Write docs/cli.md from the help of every verb; with --check, fail if it is not current."""

import sys
from pathlib import Path

import typer
from typer.testing import CliRunner

from leaven.cli import app

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 100
HEAD = """\
# Command line

Results go to standard output; progress bars, warnings and errors to standard error. `-` stands for
standard input or output, and `--json` prints JSON instead of text. Exit codes: 0 done, 1 an error,
told in one line that begins with `error:` (`LEAVEN_DEBUG=1` shows the traceback), 2 a command that
cannot be understood, 130 interrupted with Ctrl-C, 141 the reader of the output went away.

Data files are CSV, TSV, JSON Lines, Parquet, or text with one document per line, all but Parquet
also gzipped; or a folder with one sub-folder per class. A document with an empty label is
unlabeled.

This page is written by `python docs/generate_cli.py` from the commands' own help.
"""


def page() -> str:
    """The page as it should be."""
    verbs = [command.name for command in app.registered_commands]
    return HEAD + "".join(f"\n## {title}\n\n{_help(args)}" for title, args in _sections(verbs))


def _sections(verbs: list[str | None]) -> list[tuple[str, list[str]]]:
    return [("leaven", []), *((f"leaven {verb}", [str(verb)]) for verb in verbs)]


def _help(args: list[str]) -> str:
    environment = {"COLUMNS": str(WIDTH), "TERM": "dumb", "NO_COLOR": "1"}
    result = CliRunner().invoke(
        app, [*args, "--help"], prog_name="leaven", env=environment, terminal_width=WIDTH
    )
    if result.exit_code:
        raise RuntimeError(f"leaven {' '.join(args)} --help failed: {result.output}")
    text = "\n".join(line.rstrip() for line in result.stdout.strip().splitlines())
    return f"```\n{text}\n```\n"


def main(check: bool = typer.Option(False, "--check", help="Only compare.")) -> None:
    """Write the page, or compare it."""
    wanted = page()
    if not check:
        PAGE.write_text(wanted, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != wanted:
        sys.exit(
            "docs/cli.md is not what the commands' help says; run: python docs/generate_cli.py"
        )


if __name__ == "__main__":
    typer.run(main)
