"""Encodings of files: which one a file is in, and advice where its bytes do not fit."""

import codecs
from pathlib import Path

import numpy as np
import pyarrow as pa

from leaven.exceptions import DataError

__all__ = [
    "codec_name",
    "damaged_gzip",
    "detect_encoding",
    "encoding_of",
    "open_plain",
    "wrong_encoding",
]

BOM = codecs.BOM_UTF8
GZIP_MAGIC = b"\x1f\x8b"
MARKS = {  # the longer ones first: UTF-32's begins with UTF-16's
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
OFFICE = {b"PK\x03\x04": "a ZIP or Office file", b"\xd0\xcf\x11\xe0": "an Office file",
          b"%PDF": "a PDF file"}  # fmt: skip
HEAD = 4096  # bytes that show the encoding
UNDEFINED_IN_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")


def codec_name(encoding: str | None) -> str | None:
    """Python's name of an encoding; None, which means that it is detected, stays None."""
    if encoding is None:
        return None
    try:
        name = codecs.lookup(encoding).name
        "".encode(encoding)
    except (LookupError, TypeError):
        raise DataError(
            f"encoding must be a text encoding that Python knows, got {encoding!r}; use for "
            "example utf-8, latin-1, cp1252 or utf-16"
        ) from None
    return name


def open_plain(path: Path) -> tuple[pa.NativeFile, pa.NativeFile]:
    """Open a file: as it is on disk, and decompressed."""
    raw = pa.OSFile(str(path))
    is_zipped = raw.read(2) == GZIP_MAGIC
    raw.seek(0)
    return raw, pa.CompressedInputStream(raw, "gzip") if is_zipped else raw


def detect_encoding(path: Path, name: str, given: str | None) -> str:
    """The encoding given, or else the one that the first bytes of a file show."""
    raw, stream = open_plain(path)
    with raw, stream:
        return encoding_of(stream.read(HEAD), name, given)


def encoding_of(head: bytes, name: str, given: str | None) -> str:
    """The encoding given, or else the one that these first bytes show."""
    for magic, what in OFFICE.items():
        if head.startswith(magic):
            raise DataError(
                f"{name} must hold plain text, but is {what}; open it and save it as CSV UTF-8 "
                "(File → Save As)"
            )
    if given is not None:
        return given
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return encoding
    if unmarked := _unmarked_utf_16(head):
        raise DataError(
            f"{name} looks like UTF-16 without a byte order mark, because every other byte is 0; "
            f"pass --encoding {unmarked} (encoding={unmarked!r} in Python), or --encoding utf-8 "
            "if it is not"
        )
    return "utf-8"


def _unmarked_utf_16(head: bytes) -> str | None:
    """Texts of European languages in UTF-16 have a zero in nearly every other byte."""
    is_zero = np.frombuffer(head, dtype=np.uint8) == 0
    if len(is_zero) < 16 or not is_zero.any():
        return None
    even, odd = is_zero[::2].mean(), is_zero[1::2].mean()
    if min(even, odd) > 0.1 or max(even, odd) < 0.4:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def damaged_gzip(name: str, message: str) -> DataError:
    """The error for a compressed file that cannot be decompressed."""
    return DataError(
        f"{name} is a truncated or damaged gzip file ({message}); fetch or compress it again"
    )


def wrong_encoding(path: Path, name: str, encoding: str) -> DataError:
    """The error that names the first byte of a file that the encoding does not allow."""
    try:
        where, remedy = _first_wrong_byte(path, encoding)
    except OSError as error:
        return damaged_gzip(name, " ".join(str(error).split()))
    if encoding != "utf-8":
        return DataError(
            f"{name} is not valid {encoding}{where}; pass the encoding it was written in with "
            "--encoding (encoding= in Python)"
        )
    return DataError(
        f"{name} is not valid UTF-8{where}; pass --encoding {remedy} (encoding={remedy!r} in "
        "Python) or convert the file to UTF-8"
    )


def _first_wrong_byte(path: Path, encoding: str) -> tuple[str, str]:
    """Where it is, for the message, and an encoding that allows it.

    The file is read to its end, because a damaged gzip file may show it only there.
    """
    where, line = "", 1
    mark = b""
    found = np.zeros(256, dtype=bool)
    decoder = codecs.getincrementaldecoder(encoding)()
    raw, stream = open_plain(path)
    with raw, stream:
        while True:
            chunk = stream.read(1 << 20)
            mark = mark or chunk[:4]
            found[np.frombuffer(chunk, dtype=np.uint8)] = True
            if not where:
                try:
                    decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    line += error.object.count(b"\n", 0, error.start)
                    where = f" (byte 0x{error.object[error.start]:02x} on line {line})"
                except UnicodeError:
                    where = " "
                line += chunk.count(b"\n")
            if not chunk:
                break
    used = set(np.flatnonzero(found).tolist())
    for start, marked in MARKS.items():
        if mark.startswith(start):
            return where.rstrip(), marked
    # Latin-1 has only control characters from 0x80 to 0x9f, where cp1252 has quotes and dashes.
    is_windows = used & set(range(0x80, 0xA0)) and not used & UNDEFINED_IN_CP1252
    return where.rstrip(), "cp1252" if is_windows else "latin-1"
