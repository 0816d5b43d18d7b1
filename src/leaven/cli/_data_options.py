"""Options that say how DATA is read, shared by every command that reads documents."""

import functools
import inspect
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, get_args

import typer

from leaven.cli._help import DATA
from leaven.documents._reading import Reading

__all__ = ["Audited", "Data", "reads_documents"]


class DataFormat(StrEnum):
    """Formats of data files, as DocumentFiles names them."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    json = "json"
    parquet = "parquet"
    txt = "txt"


Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, JSON, Parquet or text files (also .gz), quoted patterns, folders "
        "with a folder per class, or - for stdin.",
        show_default=False,
    ),
]
TextColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="COLUMN",
        help="Column of the text; several, as in subject,body or given one by one, are joined.",
        show_default="detected from column names",
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN",
        help="Column of the label.",
        show_default="detected from column names",
    ),
]
UnlabeledValues = Annotated[
    list[str] | None,
    typer.Option(
        "--unlabeled",
        metavar="VALUE",
        help="Label that means unlabeled, such as '?'; may be given several times.",
        show_default="empty labels only",
    ),
]
IgnoreCase = Annotated[
    bool,
    typer.Option(
        "--ignore-case",
        help="Labels that differ only in case or white space are one class, in lower case.",
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        "--label-separator",
        metavar="TEXT",
        help="Text between the labels of a document that has several, such as ';'. A cell of the "
        "separator alone has none of them; an empty one is unlabeled.",
        show_default="one label, or a list in JSON and Parquet",
    ),
]
VectorColumn = Annotated[
    str | None,
    typer.Option(
        "--vectors",
        metavar="COLUMN",
        help="Column of your own vectors, such as sentence embeddings: a list of numbers per "
        "document, all of the same length.",
        show_default="vectors learned from the text",
    ),
]
EmbeddingName = Annotated[
    str | None,
    typer.Option(
        "--embed",
        metavar="NAME",
        help="Add vectors of the texts from an embedding: wordllama, for English (pip install "
        "'leaven[vectors]'). Models remember it.",
        show_default="vectors learned from the text",
    ),
]
Format = Annotated[
    DataFormat | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"Format of DATA: {', '.join(DataFormat)}.",
        show_default="detected from the file extension",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Character encoding of DATA.",
        show_default="utf-8, or utf-16 if a file is marked so",
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first row of a CSV or TSV file is a document; columns are then called 1, 2, …",
    ),
]
Audited = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that says which labels are audits, given to documents drawn at random: true "
        "or false, 1 or 0, yes or no, or audit, as leaven label exports it. Where other labels "
        "were chosen, the accuracy and calibration are estimated from audits alone.",
        show_default="all labels are taken for a random sample",
        rich_help_panel=DATA,
    ),
]


def _option(name: str, kind: Any, default: Any = None) -> inspect.Parameter:
    for info in get_args(kind)[1:]:
        info.rich_help_panel = DATA  # every option of reading is in that group of the help
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


TEXT = [_option("text", TextColumn)]
LABELS = [
    _option("label", LabelColumn),
    _option("unlabeled", UnlabeledValues),
    _option("ignore_case", IgnoreCase, False),
    _option("label_separator", LabelSeparator),
]
VECTORS = [_option("vectors", VectorColumn)]
EMBED = [_option("embed", EmbeddingName)]
FILES = [
    _option("format", Format),
    _option("encoding", Encoding),
    _option("no_header", NoHeader, False),
]

Command = Callable[..., None]


def reads_documents(
    *, labels: bool = True, vectors: bool = True, learns: bool = True
) -> Callable[[Command], Command]:
    """Give a command the options of how DATA is read, in place of its parameter ``reading``.

    Commands that do not learn embed texts as their model does.
    A new option is added here and in ``Reading``, and every command has it.
    """
    sources = [*(VECTORS if vectors else []), *(EMBED if vectors and learns else [])]
    options = [*TEXT, *(LABELS if labels else []), *sources, *FILES]

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            named = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            parameters += options if parameter.name == "reading" else [named]

        @functools.wraps(command)
        def run(**given: Any) -> None:
            reading = {option.name: given.pop(option.name) for option in options}
            command(reading=_reading(reading), **given)

        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorate


def _reading(given: dict[str, Any]) -> Reading:
    if given.get("vectors") is not None and given.get("embed") is not None:
        raise typer.BadParameter("--vectors and --embed both say where vectors come from; drop one")
    format, no_header = given.pop("format"), given.pop("no_header")
    text = given.pop("text") or []
    unlabeled = tuple(given.pop("unlabeled", None) or ())
    return Reading(
        **given,
        text=None if not text else text[0] if len(text) == 1 else tuple(text),
        unlabeled=unlabeled,
        format=None if format is None else format.value,
        header=not no_header,
    )
