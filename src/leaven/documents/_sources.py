"""Paths, patterns, folders and standard input resolved to sources of documents."""

import csv
import glob
import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from leaven._base.interrupts import uninterrupted
from leaven.documents._columns import TEXT_NAMES, guess, parts_of
from leaven.documents._csv import DelimitedSource
from leaven.documents._encodings import BOM
from leaven.documents._folders import FolderSource
from leaven.documents._formats import LinesSource, ParquetSource, Source
from leaven.documents._json import JsonSource
from leaven.documents._reading import Columns
from leaven.documents._writers import SPREADSHEETS, SUFFIXES
from leaven.exceptions import DataError

__all__ = ["FORMATS", "SourceFinder"]

FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "txt")
DATA = frozenset(
    SUFFIXES.values()
)  # a folder with files of these formats is a folder of data files

PROSE = (".docx", ".doc", ".odt", ".rtf", ".pdf")

Opening = tuple[str, Callable[[], Source]]  # a name for messages, and what opens the source


@dataclass(frozen=True)
class SourceFinder:
    """How to read files, and the object that owns temporary ones."""

    encoding: str | None  # None: detected
    block_bytes: int
    format: str | None
    has_header: bool
    text: Columns | None  # column of the text, if the user named it
    owner: object  # the copy of standard input is deleted together with it

    def at(self, path: str | Path) -> Iterator[Opening]:
        """The sources that a path, a pattern, a folder or ``-`` refers to."""
        if str(path) == "-":
            yield "standard input", self._standard_input
        elif os.path.isdir(path):
            yield from self._in_folder(Path(path).absolute(), str(path))
        elif os.path.exists(path):
            # Absolute paths, because a worker of a cluster runs in another folder.
            yield str(path), partial(self._file, Path(path).absolute(), str(path))
        elif glob.has_magic(str(path)):
            found = sorted(glob.glob(str(path), recursive=True))
            for name in found:
                yield from self.at(name)
            if not found:
                yield (
                    str(path),
                    partial(_refuse, f"no file matches {str(path)!r}; check the pattern"),
                )
        else:
            yield str(path), partial(_refuse, f"{path} does not exist; check the path")

    def _in_folder(self, folder: Path, name: str) -> Iterator[Opening]:
        inside = sorted(p for p in folder.iterdir() if not p.name.startswith("."))
        files = [p for p in inside if p.is_file() and (self.format or _format_of(p) in DATA)]
        folders = [p for p in inside if p.is_dir()]
        if not files:
            yield name, partial(FolderSource, folder, name, self.encoding, self.block_bytes)
        elif folders:
            raise DataError(
                f"{name} must hold either data files or a folder per class, but holds both "
                f"({files[0].name!r} and the folder {folders[0].name!r}); name the files "
                f"themselves, or move them elsewhere to use the folders"
            )
        for file in files:
            shown = os.path.join(name, file.name)
            yield shown, partial(self._file, file, shown)

    def _file(self, path: Path, name: str) -> Source:
        return self._source(path, name, self.format or _known_format(Path(name)))

    def _source(self, path: Path, name: str, format: str) -> Source:
        reading = (self.encoding, self.block_bytes)
        if format in ("csv", "tsv"):
            delimiter = "\t" if format == "tsv" else ","
            return DelimitedSource(path, name, *reading, delimiter, self.has_header)
        kinds: dict[str, type[Source]]
        kinds = {"jsonl": JsonSource, "json": JsonSource, "parquet": ParquetSource}
        return kinds.get(format, LinesSource)(path, name, *reading)

    def _standard_input(self) -> Source:
        # Every pass reads the documents again, which a pipe does not allow: copy them to a file.
        with uninterrupted():  # or the file could be left behind
            handle, name = tempfile.mkstemp(prefix="leaven-")
            weakref.finalize(self.owner, Path(name).unlink, missing_ok=True)
        with open(handle, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        format = self.format
        with open(name, "rb") as file:
            if format is None and file.read(4) == b"PAR1":
                format = "parquet"
        if format is not None:
            return self._source(Path(name), "standard input", format)
        lines = LinesSource(Path(name), "standard input", self.encoding, self.block_bytes)
        with lines.explained():
            raw, stream = lines.open()
            with raw, stream:
                head = stream.read(1 << 16).removeprefix(BOM).lstrip()
        return self._source(lines.path, lines.name, _sniffed(head, self.text, self.has_header))


def _refuse(message: str) -> NoReturn:
    raise DataError(message)


def _format_of(path: Path) -> str | None:
    ending = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    return "txt" if ending == ".txt" else SUFFIXES.get(ending)


def _known_format(path: Path) -> str:
    format = _format_of(path)
    if path.suffix.lower() in SPREADSHEETS:
        raise DataError(
            f"{path} must be a file of plain text or Parquet, but is a spreadsheet; open it and "
            "save it as CSV UTF-8 (File → Save As)"
        )
    if path.suffix.lower() in PROSE:
        raise DataError(
            f"{path} must be a file of plain text or Parquet, but is a "
            f"{path.suffix[1:].upper()} file; save its text as .txt, one document per line, or one "
            "file per document in a folder per class"
        )
    if format is None:
        raise DataError(
            f"{path} must have one of the endings {', '.join(SUFFIXES)}, .txt (.gz may follow) to "
            f"tell its format; rename it or pass --format {'|'.join(FORMATS)} (format= in Python)"
        )
    return format


def _sniffed(head: bytes, text: Columns | None, has_header: bool) -> str:
    """Guess the format of standard input from its first line."""
    if re.match(rb"\{|\[\s*\{", head):
        return "jsonl"
    first = head.partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    for delimiter, format in (("\t", "tsv"), (",", "csv"), (";", "csv"), ("|", "csv")):
        names = next(csv.reader([first], delimiter=delimiter), [])
        # A sentence with a comma is not a header, even if it begins with "Review".
        is_named = text is not None and set(parts_of(text, names)) <= set(names)
        if not has_header and len(names) > 1:
            return format
        if is_named or (
            guess(names, TEXT_NAMES) and all(re.fullmatch(r"|\S|\S.{,62}\S", n) for n in names)
        ):
            return format
    return "txt"
