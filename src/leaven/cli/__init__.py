"""The command line: one file per verb, a function that returns data and a command that prints."""

import sys
from typing import Annotated

import typer

from leaven._version import __version__
from leaven.cli.assign import assign_command
from leaven.cli.compare import compare_command
from leaven.cli.demo import demo_command
from leaven.cli.diagnose import diagnose_command
from leaven.cli.errors import errors_command
from leaven.cli.evaluate import evaluate_command
from leaven.cli.explain import explain_command
from leaven.cli.info import info_command
from leaven.cli.predict import predict_command
from leaven.cli.train import train_command

__all__ = ["app", "main"]

app = typer.Typer(
    name="leaven",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("train")(train_command)
app.command("predict")(predict_command)
app.command("evaluate")(evaluate_command)
app.command("errors")(errors_command)
app.command("diagnose")(diagnose_command)
app.command("compare")(compare_command)
app.command("explain")(explain_command)
app.command("assign")(assign_command)
app.command("info")(info_command)
app.command("demo")(demo_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"leaven {__version__}")
        raise typer.Exit


@app.callback()
def leaven(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Text classifiers from a handful of labels and all the unlabeled text you have.

    Start with: leaven demo

    On your own data: leaven train reviews.csv --text body --label stars
    """


class _WithoutPandas:
    """Hide pandas: pyarrow imports it just to inspect a list, which takes a third of a second."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("the command line does not use pandas", name=fullname)


def main() -> None:
    """Run the command line; the entry point of ``leaven``."""
    sys.meta_path.insert(0, _WithoutPandas())
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a "?", not an error.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    try:
        app(prog_name="leaven")
    except KeyboardInterrupt:
        sys.exit(130)
