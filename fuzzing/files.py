"""Files of documents: drawn at random, with what the check does to each, and made smaller."""

import ast
import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Self

from fuzzing import readers
from fuzzing._delimited import delimited_file
from fuzzing._draws import damaged, some_text
from fuzzing._json_lines import json_lines_file
from fuzzing._parquet import parquet_file, smaller_files
from fuzzing._shrinking import shorter

__all__ = ["FileCase", "draw"]

ENCODINGS = ("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "ascii", "shift_jis", "utf-7")
BLOCKS = (1, 16, 64, 64, 100, 300, 1000, 1100, 2000)
PIECES = (10, 20, 50, 64, 100, 200, 400)
WRITTEN = ("csv", "tsv", "jsonl", "parquet")


@dataclass(frozen=True)
class FileCase:
    """A file, and how to read it."""

    name: str  # its ending tells the format
    content: bytes
    encoding: str = "utf-8"
    columns: dict[str, str] = field(default_factory=dict)  # text= and label=, where given
    blocks: tuple[int, ...] = (64, 1000)  # block_bytes when streamed
    pieces: tuple[int, ...] = (50,)  # bytes of a piece
    written: tuple[str, ...] = WRITTEN  # formats of the round trips

    @property
    def group(self) -> str:
        return self.name.removeprefix("case.")

    def check(self, folder: Path) -> str:
        path = folder / self.name
        path.write_bytes(self.content)
        return readers.check(self, path)

    def smaller(self) -> Iterator[Self]:
        for written in self.written:
            if len(self.written) > 1:
                yield replace(self, written=(written,))
        if self.written:
            yield replace(self, written=())
        for block in self.blocks:
            if len(self.blocks) > 1:
                yield replace(self, blocks=(block,))
        if self.pieces:
            yield replace(self, pieces=())
        if self.blocks:
            yield replace(self, blocks=())
        if self.columns:
            yield replace(self, columns={})
        if self.encoding != "utf-8":
            yield replace(self, encoding="utf-8")
        if self.name.endswith(".gz"):
            try:
                plain = gzip.decompress(self.content)
            except (OSError, EOFError, zlib.error):
                pass
            else:
                yield replace(self, name=self.name.removesuffix(".gz"), content=plain)
        is_parquet = self.name.endswith(".parquet")
        for content in (smaller_files if is_parquet else shorter)(self.content):
            yield replace(self, content=content)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "content": repr(self.content),
            "encoding": self.encoding,
            "columns": self.columns,
            "blocks": self.blocks,
            "pieces": self.pieces,
            "written": self.written,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        lists = {name: tuple(stored[name]) for name in ("blocks", "pieces", "written")}
        content = ast.literal_eval(stored["content"])
        return cls(stored["name"], content, stored["encoding"], stored["columns"], **lists)


def draw(rng: Random) -> FileCase:
    """A file of any format: most of them sound or nearly so, some damaged, some gzipped."""
    kind, make = rng.choice(KINDS)
    content = make(rng)
    encoding = "utf-8"
    if kind != "parquet" and rng.random() < 0.12:
        encoding = rng.choice(ENCODINGS)
        if rng.random() < 0.8:
            content = content.decode().encode(encoding, rng.choice(("ignore", "replace")))
    if rng.random() < 0.25:
        content = damaged(content, rng)
    if kind != "parquet" and rng.random() < 0.1:
        kind += ".gz"
        if rng.random() < 0.9:
            content = gzip.compress(content, 1, mtime=0)
        if rng.random() < 0.3:
            content = damaged(content, rng)
    columns = {}
    if rng.random() < 0.1:
        columns["text"] = rng.choice(("text", "text", "body", "id", ""))
    if rng.random() < 0.2:
        columns["label"] = rng.choice(("label", "label", "n", "id", "text"))
    return FileCase(
        f"case.{kind}",
        content,
        encoding,
        columns,
        tuple(rng.sample(BLOCKS, 2)),
        (max(rng.choice(PIECES), len(content) // 40),),
        (rng.choice(WRITTEN),),
    )


def _csv(rng: Random) -> bytes:
    return delimited_file(rng, rng.choice(",,;\t|"))


def _tsv(rng: Random) -> bytes:
    return delimited_file(rng, "\t")


def _lines(rng: Random) -> bytes:
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    content = end.join(some_text(rng) for _ in range(rng.choice((1, 2, 5, 12, 25))))
    return (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + content.encode()


KINDS: tuple[tuple[str, Callable[[Random], bytes]], ...] = (
    ("csv", _csv),
    ("csv", _csv),
    ("csv", _csv),
    ("tsv", _tsv),
    ("jsonl", json_lines_file),
    ("jsonl", json_lines_file),
    ("jsonl", json_lines_file),
    ("parquet", parquet_file),
    ("txt", _lines),
)
