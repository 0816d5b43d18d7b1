"""How predict and evaluate read documents: what they check before, and what they tell after."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from leaven.cli._common import OnProgress
    from leaven.text import DocumentFiles

__all__ = [
    "StreamThrough",
    "check_reading",
    "report_bytes",
    "reporter",
    "warn_bad_files",
    "warn_wordless",
]

SHOWN = 3  # names in a warning

StreamThrough = Annotated[
    bool,
    typer.Option(
        "--stream", help="For files larger than memory: read and classify them in pieces."
    ),
]


def check_reading(stream: bool, dask: str | None, data: Sequence[str]) -> None:
    """Refuse what cannot be had together."""
    if stream and dask is not None:
        raise typer.BadParameter(
            "--stream and --dask cannot be combined: a cluster never holds all documents anyway"
        )
    if dask is not None and "-" in data:
        raise typer.BadParameter(
            "workers of a cluster cannot read standard input; save it in a file that they can open"
        )


def report_bytes(files: "DocumentFiles", on_progress: "OnProgress | None") -> None:
    """Have files report the bytes that are read of them."""
    done = 0

    def add(n_bytes: int) -> None:
        nonlocal done
        done += n_bytes
        if on_progress is not None:
            total = files.total_bytes  # of a file left out, bytes may have been read
            on_progress("reading", min(done, total), total)

    add(0)
    files.on_bytes = add


def reporter(on_progress: "OnProgress | None", phase: str) -> Any:
    """A function of what is done and the total; None if nobody listens."""
    if on_progress is None:
        return None
    return lambda done, total: on_progress(phase, done, total)


def warn_bad_files(files: "DocumentFiles") -> None:
    """Tell which files were left out."""
    if not files.bad:
        return
    shown = ", ".join(list(files.bad)[:SHOWN]) + (", …" if len(files.bad) > SHOWN else "")
    noun = "file was" if len(files.bad) == 1 else "files were"
    warnings.warn(
        f"{len(files.bad):,} {noun} left out ({shown}); the first: "
        f"{next(iter(files.bad.values()))}",
        stacklevel=2,
    )


def warn_wordless(n_wordless: int, n_documents: int) -> None:
    """Tell once of all documents without a word that the model knows."""
    if n_wordless:
        from leaven.exceptions import UnseenWordsWarning
        from leaven.fitted import wordless_message

        warnings.warn(wordless_message(n_wordless, n_documents), UnseenWordsWarning, stacklevel=2)
