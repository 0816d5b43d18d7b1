"""The page about the command line, from the help of every command."""

from functools import cache

from typer.testing import CliRunner

from leaven.cli import app

PAGE = "docs/reference/cli.md"
WIDTH = 100
HEAD = """\
# Command line

Results go to standard output; progress bars, notes, warnings and errors to standard error. `-`
stands for standard input or output, and `--json` prints JSON instead of text. Exit codes: 0 done,
1 an error, reported in one line that begins with `error:` (`LEAVEN_DEBUG=1` shows the traceback),
2 a command that cannot be understood, 130 interrupted with Ctrl-C, 141 the reader of the output
went away.

`--quiet` leaves out progress bars, notes and the summary of what was written; warnings, errors and
what was asked for (tables, predictions, JSON) stay. `error:` and `warning:` are colored on
terminals, unless `NO_COLOR` is set or `TERM` is `dumb`; with `FORCE_COLOR` also elsewhere.

Nothing is overwritten by mistake: an output that is also an input, a model over a file that is not
a model, a table over a model, and a plot over a file that is not a picture are refused before any
work is done. `--force` overrides it. Files are replaced when the new one is complete.

`leaven --install-completion` completes commands, options and names of methods in bash, zsh, fish
and PowerShell from the next terminal on; `leaven --show-completion` prints the script.

Data files are CSV, TSV, JSON Lines, Parquet, or text with one document per line, all but Parquet
also gzipped; or a folder with one sub-folder per class. A document with an empty label is
unlabeled.

This page is written by `python -m docgen` from the commands' own help.
"""


@cache
def page() -> str:
    """The page about the command line as it should be."""
    verbs = [command.name for command in app.registered_commands]
    return HEAD + "".join(f"\n## {title}\n\n{_help(args)}" for title, args in _verbs(verbs))


def _verbs(verbs: list[str | None]) -> list[tuple[str, list[str]]]:
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
