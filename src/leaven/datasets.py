"""Corpora for experiments: SciPy's docstrings, and a folder of real corpora."""

import ast
import gzip
import importlib.util
import inspect
import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.json

__all__ = ["TextDataset", "data_folder", "load_corpus", "load_docstrings"]

SUBPACKAGES = (
    "stats", "optimize", "signal", "sparse", "interpolate", "special", "linalg", "spatial",
    "io", "integrate", "ndimage",
)  # fmt: skip


class TextDataset(NamedTuple):
    """Labeled documents.

    Attributes
    ----------
    texts : list of str
        The documents.
    labels : list of str
        The class of each.
    name : str
        Name of the corpus.
    """

    texts: list[str]
    labels: list[str]
    name: str


def load_docstrings(min_characters: int = 80) -> TextDataset:
    """Collect the docstrings of the installed SciPy, labeled by sub-package.

    About 2,500 real documents in 11 classes, without a download. SciPy's files are parsed,
    not imported. Which documents there are depends on the SciPy version.

    Parameters
    ----------
    min_characters : int, default=80
        Shorter docstrings are left out.

    Returns
    -------
    TextDataset
        In the order of the sorted file names; a text that occurs twice is included once.

    Examples
    --------
    >>> from leaven.datasets import load_docstrings
    >>> texts, labels, name = load_docstrings()
    >>> sorted(set(labels))[:3]
    ['integrate', 'interpolate', 'io']
    """
    kept = [(text, label) for text, label in _scipy_docstrings() if len(text) >= min_characters]
    return TextDataset([text for text, _ in kept], [label for _, label in kept], "scipy-docstrings")


@cache
def _scipy_docstrings() -> tuple[tuple[str, str], ...]:
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("load_docstrings needs the files of SciPy; install scipy")
    root = Path(spec.origin).parent
    label_of: dict[str, str] = {}
    for label in sorted(SUBPACKAGES):
        for path in sorted((root / label).rglob("*.py")):
            if not _is_test(path.relative_to(root)):
                for text in _docstrings(path):
                    label_of.setdefault(text, label)
    return tuple(label_of.items())


def _is_test(path: Path) -> bool:
    return (
        any("tests" in part for part in path.parts[:-1])
        or path.name.startswith(("test_", "_test", "conftest"))
        or path.stem.endswith("_test")
    )


def _docstrings(path: Path) -> Iterator[str]:
    # Only statements have docstrings, so expressions, most of a tree, are not visited.
    waiting: list[ast.AST] = [ast.parse(path.read_bytes())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield inspect.cleandoc(text)
        children = [
            child
            for field in ("body", "orelse", "handlers", "finalbody")
            for child in getattr(node, field, [])
        ]
        waiting.extend(reversed(children))


def data_folder() -> Path | None:
    """Find the folder of real corpora: ``LEAVEN_DATA``, or shared/data beside the project.

    Returns
    -------
    Path or None
        The folder; None if there is none.

    Raises
    ------
    FileNotFoundError
        If ``LEAVEN_DATA`` names no folder.
    """
    named = os.environ.get("LEAVEN_DATA")
    if named:
        if not Path(named).is_dir():
            raise FileNotFoundError(
                f"LEAVEN_DATA must name a folder of corpora, got {named!r}, which does not exist; "
                "correct or unset it"
            )
        return Path(named)
    project = Path(__file__).resolve().parents[2]
    beside = project.parent / "shared" / "data"
    return beside if beside.is_dir() else None


def load_corpus(name: str, columns: Sequence[str] = ("text", "label")) -> pa.Table:
    """Read fields of a corpus from the data folder.

    Parameters
    ----------
    name : str
        The file's name without ``.jsonl.gz``.
    columns : sequence of str, default=("text", "label")
        Fields to read. Dates stay strings.

    Returns
    -------
    pyarrow.Table
        One row per document, with ``columns`` in this order.

    Raises
    ------
    FileNotFoundError
        If there is no folder of corpora, or no such corpus in it.
    KeyError
        If the corpus has no such field.

    Examples
    --------
    >>> load_corpus("reuters", columns=["title"])  # doctest: +SKIP
    """
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(
            f"the corpus {name!r} needs the folder of corpora, which was not found; set "
            f"LEAVEN_DATA to a folder that holds {name}.jsonl.gz"
        )
    path = folder / f"{name}.jsonl.gz"
    if not path.is_file():
        there = ", ".join(sorted(p.name[: -len(".jsonl.gz")] for p in folder.glob("*.jsonl.gz")))
        raise FileNotFoundError(
            f"the corpus {name!r} is not in the folder {str(folder)!r} (it holds: {there or 'none'}"
            "); set LEAVEN_DATA to a folder that has it"
        )
    with pa.input_stream(str(path), compression="gzip") as stream:
        return pa.json.read_json(
            stream,
            pa.json.ReadOptions(block_size=1 << 24),
            pa.json.ParseOptions(
                explicit_schema=pa.schema(_field_types(path, columns)),
                unexpected_field_behavior="ignore",
            ),
        ).select(list(columns))


def _field_types(path: Path, columns: Sequence[str]) -> list[tuple[str, pa.DataType]]:
    # By itself, Arrow would convert some dates to timestamps and refuse fields that begin with
    # many nulls, so the first value of each field determines its type.
    types: dict[str, pa.DataType] = {}
    names: set[str] = set()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            names.update(row)
            for column in columns:
                if column not in types and row.get(column) not in (None, []):
                    is_text = isinstance(row[column], str)
                    types[column] = pa.large_string() if is_text else pa.array([row[column]]).type
            if len(types) == len(set(columns)):
                break
    missing = [column for column in columns if column not in names]
    if missing:
        raise KeyError(
            f"{path.name} has no field {missing[0]!r}; choose among {', '.join(sorted(names))}"
        )
    return [(column, types.get(column, pa.large_string())) for column in columns]
