"""Files that commands write: what they hold, and what is refused so that nothing is lost."""

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from leaven.cli._help import OUTPUT

__all__ = [
    "Force",
    "KeepDocuments",
    "KeepExcerpts",
    "check_folder",
    "check_model",
    "check_picture",
    "check_table",
]

PICTURES = (".png", ".svg", ".pdf")
PICTURE_STARTS = (b"\x89PNG", b"%PDF", b"<svg")
HEAD = 4096  # bytes in which an SVG file names itself

Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Overwrite a file even if it is an input, or not of the kind that is written.",
        rich_help_panel=OUTPUT,
    ),
]
KeepDocuments = Annotated[
    bool,
    typer.Option(
        "--keep-documents/--no-keep-documents",
        help="Keep the words, not the text, of at most 5,000 labeled documents in the model, for "
        "leaven explain --neighbors. No effect for nearest-neighbor methods, which need documents.",
        rich_help_panel=OUTPUT,
    ),
]
KeepExcerpts = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="Also keep the first N characters of these documents, to show them. Without it the "
        "model contains no text, which may be private.",
        show_default="none",
        rich_help_panel=OUTPUT,
    ),
]


def check_model(path: str | Path, inputs: Sequence[str] = (), *, force: bool) -> None:
    """Refuse to write a model over anything but a model.

    A model may replace the one it was made from, as in ``leaven assign m 0=a -o m``.
    """
    check_folder(path)
    if force or not _is_at_risk(path) or _is_model(path):
        return
    _refuse_input(path, inputs)
    raise _refusal(path, "exists and is not a leaven model")


def check_table(path: str | Path | None, inputs: Sequence[str] = (), *, force: bool) -> None:
    """Refuse to write a table over an input or a model; other tables are replaced."""
    check_folder(path)
    if path is None or force or not _is_at_risk(path):
        return
    _refuse_input(path, inputs)
    if _is_model(path):
        raise _refusal(path, "is a leaven model")


def check_picture(path: Path | None, inputs: Sequence[str] = (), *, force: bool) -> None:
    """Refuse a picture that could not be written, or that would replace anything else."""
    if path is None:
        return
    check_folder(path)
    if path.suffix.lower() not in PICTURES:
        raise ValueError(
            f"plots are written as {', '.join(PICTURES)}, got {str(path)!r}; change its extension"
        )
    if force or not _is_at_risk(path):
        return
    _refuse_input(path, inputs)
    if not _is_picture(path):
        raise _refusal(path, "exists and is not a picture")


def check_folder(path: str | Path | None) -> None:
    """Refuse an output file whose folder does not exist, before any work is done."""
    if path is None or str(path) == "-":
        return
    if Path(path).is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; give the name of a file to write")
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(
            f"the folder {str(folder)!r} does not exist; create it or choose another"
        )


def _is_at_risk(path: str | Path) -> bool:
    """Whether there is something to lose: no pipe, no device, no empty file."""
    return str(path) != "-" and os.path.isfile(path) and os.path.getsize(path) > 0


def _refusal(path: str | Path, reason: str) -> FileExistsError:
    return FileExistsError(
        f"{str(path)!r} {reason}, and would be overwritten; choose another name, or add --force"
    )


def _refuse_input(path: str | Path, inputs: Sequence[str]) -> None:
    written = os.stat(path)
    for file in _files_of(inputs):
        try:
            is_same = os.path.samestat(os.stat(file), written)
        except OSError:  # reading it will report what is wrong
            continue
        if is_same:
            raise _refusal(path, "is also an input")


def _files_of(inputs: Sequence[str]) -> Iterator[str]:
    """The files that paths, patterns and folders refer to, as reading resolves them."""
    for given in inputs:
        if given == "-":
            continue
        # As in reading, a file whose name looks like a pattern is a file.
        exists = os.path.lexists(given) or not glob.has_magic(given)
        for path in [given] if exists else glob.iglob(given, recursive=True):
            yield path
            for folder, _, names in os.walk(path):  # nothing unless it is a folder
                yield from (os.path.join(folder, name) for name in names)


def _is_model(path: str | Path) -> bool:
    from leaven.classifier._model_file import is_model

    return is_model(path)


def _is_picture(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD)
    return head.startswith(PICTURE_STARTS) or (head.startswith(b"<?xml") and b"<svg" in head)
