"""``leaven diagnose``: whether the unlabeled documents help, and what to do if not."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaven._base.progress import Listener
from leaven.cli._common import (
    AsJson,
    Quiet,
    Talk,
    Threads,
    drawn,
    print_json,
    read_labeled_files,
    render,
)
from leaven.cli._data_options import Data, reads_documents
from leaven.cli._help import METHOD, OUTPUT
from leaven.cli._methods import DIAGNOSED, default_of_option, read_diagnosed
from leaven.cli._outputs import Force, check_picture
from leaven.cli._text_options import Html, html_option
from leaven.cli._train_options import Seed, read_components
from leaven.cli.evaluate import load_plots
from leaven.documents._reading import Reading

if TYPE_CHECKING:
    from leaven.held_out.diagnosis import Diagnosis

__all__ = ["diagnose", "diagnose_command"]


def diagnose(
    paths: Sequence[str],
    reading: Reading,
    *,
    method: str = "em",
    options: Mapping[str, Any] | None = None,
    text_options: Mapping[str, Any] | None = None,
    alternatives: bool = True,
    n_starts: int = 10,
    n_jobs: int | None = None,
    random_state: int = 0,
    on_progress: Listener | None = None,
) -> "Diagnosis":
    """Check whether the unlabeled documents in files help."""
    from leaven import diagnose as diagnose_texts

    documents = read_labeled_files(paths, reading, on_progress)
    return diagnose_texts(
        documents.texts,
        documents.labels,
        method=method,
        options=options,
        text_options=text_options,
        alternatives=alternatives,
        n_starts=n_starts,
        n_jobs=n_jobs,
        random_state=random_state,
        on_progress=on_progress,
    )


@reads_documents(vectors=False)
def diagnose_command(
    data: Data,
    reading: Reading,
    method: Annotated[
        str,
        typer.Option(
            metavar="|".join(DIAGNOSED),
            parser=read_diagnosed,
            help="The method of leaven train to diagnose.",
            rich_help_panel=METHOD,
        ),
    ] = DIAGNOSED[0],
    components: Annotated[
        list[str] | None,
        typer.Option(
            "--components",
            "--n-components",
            metavar="N",
            help="Components per class, as for leaven train.",
            show_default=default_of_option("n_components", 1),
            rich_help_panel=METHOD,
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Only the verdict; do not try other methods.",
            rich_help_panel=METHOD,
        ),
    ] = False,
    starts: Annotated[
        int,
        typer.Option(
            "--starts",
            "--n-starts",
            metavar="N",
            min=2,
            help="Subsets of the labeled documents to start from; more take longer and are more "
            "reliable.",
            rich_help_panel=METHOD,
        ),
    ] = 10,
    seed: Seed = 0,
    html: Html = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Plot probability against accuracy: .png, .svg or .pdf.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Check whether the unlabeled documents in DATA improve the accuracy.

    EM starts from several subsets of the labeled documents and is scored on the others. Where
    more probable models classify better, unlabeled text helps; where they classify worse, it
    hurts. Other methods, including the default, auto, are then scored on the same documents,
    and the best is recommended: auto, unless another is better by more than one standard error.
    20,000 documents of 20 classes take about a minute, or a few seconds with --quick.

    Example: leaven diagnose reviews.csv --text body --label stars --plot diagnosis.png
    """
    options = {} if components is None else {"n_components": read_components(components)}
    with Talk(quiet) as talk:
        if plot is not None:
            check_picture(plot, data, force=force)
            load_plots("leaven diagnose --plot")
        found = diagnose(
            data,
            reading,
            method=method,
            options=options,
            text_options=html_option(html),
            alternatives=not quick,
            n_starts=starts,
            n_jobs=threads,
            random_state=seed,
            on_progress=talk.progress,
        )
        talk.progress.stop()
        if plot is not None:
            load_plots("leaven diagnose --plot").draw_diagnosis(found, plot)
        if as_json:
            print_json({**found.to_json(), "warnings": talk.warnings})
        else:
            _print(found)
        if plot is not None:
            talk.note(f"wrote {plot}")


def _print(found: "Diagnosis") -> None:
    typer.echo(found.sentence)
    typer.echo(found.recommendation)
    if not found.alternatives:
        return
    typer.echo()
    render(drawn(found.table()))
    typer.echo(found.basis)
