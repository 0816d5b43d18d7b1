"""``leaven info``: what a model file holds."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from leaven._base.bars import readable_size
from leaven._base.printing import printable
from leaven.cli._common import AsJson, Model, Quiet, Talk, print_json

if TYPE_CHECKING:
    from leaven.classifier import FittedClassifier

__all__ = ["describe", "describe_model", "info_command"]


def describe(model: str) -> dict[str, Any]:
    """Everything recorded in a model file."""
    from leaven.classifier._model_file import load_model, parse_model

    if model == "-":
        content, name = sys.stdin.buffer.read(), "standard input"
        fitted = parse_model(content, name)
    else:
        fitted, name = load_model(model), model
        content = Path(model).read_bytes()
    return describe_model(fitted, content, name)


def describe_model(fitted: "FittedClassifier", content: bytes, name: str) -> dict[str, Any]:
    """Everything recorded in a model file that has been read."""
    from leaven.classifier._model_file import read_metadata

    about = read_metadata(content, name)
    report = fitted.report
    return {
        "file": name,
        "bytes": len(content),
        "format": about["format"],
        "leaven": about.get("leaven", "unknown"),
        "method": report.method,
        "classes": [str(each) for each in fitted.classes.tolist()],
        "n_words": fitted.counter.n_words,
        "n_subwords": 0 if fitted.beside is None else fitted.beside.counter.n_words,
        "n_labeled_hashes": len(fitted.labeled_hashes),
        "decision": fitted.decision.to_tensors()[0] if fitted.labels.has_sets else None,
        "documents": _documents(fitted),
        "options": report.options,
        "report": report.to_json(),
        "warnings": report.warnings,
    }


def _documents(fitted: "FittedClassifier") -> dict[str, Any] | None:
    """What a model holds about documents; None if nothing."""
    if fitted.documents is None:
        return None
    is_labeled = fitted.documents.is_labeled
    return {
        "n_labeled": int(is_labeled.sum()),
        "n_classified": int((~is_labeled).sum()),
        "excerpt_characters": 0 if fitted.excerpts is None else fitted.excerpts.n_characters,
    }


def info_command(model: Model, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Show how MODEL was trained: method, classes, sizes, options.

    Example: leaven info reviews.leaven
    """
    with Talk(quiet):
        about = describe(model)
        if as_json:
            print_json(about)
        else:
            typer.echo("\n".join(map(printable, _lines(about))))


def _lines(about: dict[str, Any]) -> list[str]:
    from leaven.classifier import FitReport

    report = FitReport.from_json(about["report"])
    lines = [
        f"{about['file']}: {readable_size(about['bytes'])}, model format {about['format']}, "
        f"written by leaven {about['leaven']}",
        *str(report).split("\n"),
    ]
    if about["decision"] is not None:
        allows_empty = about["decision"]["allows_empty"]
        lines.append(
            "documents can be predicted to have several labels, one, or none"
            if allows_empty
            else "documents can be predicted to have several labels; every one gets at least one"
        )
    if about["n_labeled_hashes"]:
        lines.append(
            f"contains hashes of {about['n_labeled_hashes']:,} labeled texts, so that leaven "
            "evaluate can leave them out"
        )
    lines.append(_documents_line(about["documents"], report.n_labeled))
    for title, options in about["options"].items():
        lines.append(f"{title} options")
        width = max(map(len, options), default=0)
        lines += [f"  {name:<{width}}  {_shown(value)}" for name, value in options.items()]
    return lines


def _documents_line(documents: dict[str, Any] | None, n_labeled: int) -> str:
    if documents is None:
        return "contains no documents to compare with, and no text"
    n_kept, n_classified = documents["n_labeled"], documents["n_classified"]
    of_all = f" of {n_labeled:,}" if n_kept < n_labeled else ""
    noun = "document" if n_kept == n_labeled == 1 else "documents"
    line = f"contains words of {n_kept:,}{of_all} labeled {noun}"
    if n_classified:
        line += f" and {n_classified:,} unlabeled ones that these classified"
    n_characters = documents["excerpt_characters"]
    if not n_characters:
        return f"{line}, no text"
    return f"{line}, and the first {n_characters:,} characters of each"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        first = ", ".join(map(str, value[:5]))
        return first if len(value) <= 5 else f"{len(value)} words ({first}, …)"
    return str(value)
