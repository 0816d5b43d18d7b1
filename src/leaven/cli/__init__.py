"""The command line: one file per command, with a function that returns data and one that prints."""

import sys
from typing import Annotated

import typer

from leaven._version import __version__
from leaven.cli._help import METHOD, GroupedCommand, Summaries, command_with_list
from leaven.cli._methods import method_summaries
from leaven.cli.assign import assign_command
from leaven.cli.compare import compare_command
from leaven.cli.demo import demo_command
from leaven.cli.diagnose import diagnose_command
from leaven.cli.errors import errors_command
from leaven.cli.evaluate import evaluate_command
from leaven.cli.explain import explain_command
from leaven.cli.info import info_command
from leaven.cli.label import label_command
from leaven.cli.predict import predict_command
from leaven.cli.serve import serve_command
from leaven.cli.suggest import suggest_command
from leaven.cli.train import train_command

__all__ = ["app", "main"]

app = typer.Typer(
    name="leaven",
    cls=Summaries,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
TRAIN = command_with_list(METHOD, "Methods", method_summaries())
app.command("train", cls=TRAIN)(train_command)
app.command("label", cls=GroupedCommand)(label_command)
app.command("suggest", cls=GroupedCommand)(suggest_command)
app.command("predict", cls=GroupedCommand)(predict_command)
app.command("serve", cls=GroupedCommand)(serve_command)
app.command("evaluate", cls=GroupedCommand)(evaluate_command)
app.command("errors", cls=GroupedCommand)(errors_command)
app.command("diagnose", cls=GroupedCommand)(diagnose_command)
app.command("compare", cls=GroupedCommand)(compare_command)
app.command("explain", cls=GroupedCommand)(explain_command)
app.command("assign", cls=GroupedCommand)(assign_command)
app.command("info", cls=GroupedCommand)(info_command)
app.command("demo", cls=GroupedCommand)(demo_command)


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
    """Text classifiers from a few labels and all the unlabeled text you have.

    Start with: leaven demo

    On your own data: leaven train reviews.csv --text body --label stars
    """


class _WithoutPandas:
    """Hide pandas: pyarrow imports it just to inspect a list, which takes a third of a second."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("the command line does not use pandas", name=fullname)


def main() -> None:
    """Run the command line; ``leaven`` itself handles signals before it gets here."""
    sys.meta_path.insert(0, _WithoutPandas())
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a "?", not an error.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    app(prog_name="leaven")
