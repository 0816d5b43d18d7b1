"""Folders of text files with one folder per class."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from leaven.documents._columns import Wanted
from leaven.documents._encodings import BOM, HEAD, encoding_of, wrong_encoding
from leaven.documents._formats import Source
from leaven.exceptions import DataError

__all__ = ["FolderSource"]


class FolderSource(Source):
    """A folder per class: every file is a document, its top folder the label."""

    kind = "a folder of texts"
    format = "folder"
    unlabeled = ("unlabeled", "unsup")

    def __init__(self, path: Path, name: str, encoding: str | None, block_bytes: int) -> None:
        self.files: list[tuple[Path, str | None]] = []
        self.has_labels = False
        super().__init__(path, name, encoding, block_bytes)

    def measure(self) -> int:
        folders = sorted(p for p in self.path.iterdir() if p.is_dir() and not _hidden(p))
        self.has_labels = any(folder.name not in self.unlabeled for folder in folders)
        if folders:
            self.files = [
                (file, None if folder.name in self.unlabeled else folder.name)
                for folder in folders
                for file in _files_below(folder)
            ]
        else:
            self.files = [(file, None) for file in _files_below(self.path)]
        if not self.files:
            raise DataError(
                f"{self.name} must hold data files or a folder of texts per class, but holds "
                "no file; check the path"
            )
        return sum(file.stat().st_size for file, _ in self.files)

    def find_encoding(self, given: str | None) -> str:
        self._detects = given is None  # file by file
        return given or "utf-8"

    @property
    def n_files(self) -> int:
        return len(self.files)

    def header(self, enough: Callable[[Sequence[str]], bool]) -> None:
        return None

    def tables(self, wanted: Wanted) -> Iterator[tuple[pa.Table, int]]:
        waiting: list[tuple[str, bytes, str | None]] = []
        n_bytes = done = 0
        for file, name in self.files:
            content = self._content(file)
            waiting.append((file.relative_to(self.path).as_posix(), content, name))
            n_bytes += len(content)
            done += file.stat().st_size
            if n_bytes >= self.block_bytes:
                yield self._table(waiting, wanted), done
                waiting, n_bytes = [], 0
        if waiting:
            yield self._table(waiting, wanted), done

    def _content(self, file: Path) -> bytes:
        shown = f"{self.name}/{file.relative_to(self.path).as_posix()}"
        encoding = self.encoding
        try:
            content = file.read_bytes()
            if self._detects and content:
                encoding = encoding_of(content[:HEAD], shown, None)
            if encoding != "utf-8":
                content = content.decode(encoding).encode()
            elif not content.isascii():
                content.decode()
        except UnicodeError:
            raise wrong_encoding(file, shown, encoding) from None
        except OSError as error:
            raise DataError(f"{shown} cannot be read: {error.strerror}") from None
        return content.removeprefix(BOM)

    def _table(self, waiting: list[tuple[str, bytes, str | None]], wanted: Wanted) -> pa.Table:
        files, contents, names = zip(*waiting, strict=True)
        columns = {
            "file": pa.array(files, pa.large_string()),
            wanted.text[0]: pa.array(contents, pa.large_binary()).cast(pa.large_string()),
        }
        if wanted.label is not None:
            columns[wanted.label] = pa.array(names, pa.large_string())
        return pa.table(columns)


def _hidden(path: Path) -> bool:
    return path.name.startswith(".")


def _files_below(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    )
