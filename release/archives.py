"""Archives that depend on their files alone, not on the time, the user or the umask.

setuptools writes the times and permissions of files in the checkout, and their owner, into what it
builds. Here the archives are written again, with names in order, one time, and no owner.
"""

import gzip
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path
from time import gmtime

__all__ = ["EARLIEST", "build_time", "rewrite_sdist", "rewrite_wheel"]

EARLIEST = 315_532_800  # 1980-01-01, the first time that zip files can hold


def build_time() -> int:
    """Time to write into archives: ``SOURCE_DATE_EPOCH``, or a constant without it."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)), EARLIEST)


def rewrite_sdist(path: Path, time: int) -> None:
    """Write a ``.tar.gz`` again, the same for the same files."""
    with tarfile.open(path) as archive:
        members = sorted(archive.getmembers(), key=lambda member: member.name)
        files = [(each, _content(archive, each)) for each in members if not each.isdir()]
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member, content in files:
            entry = tarfile.TarInfo(member.name)
            entry.size, entry.mtime, entry.mode = len(content), time, _mode(member.mode)
            archive.addfile(entry, io.BytesIO(content))
    with _replaced(path) as new, gzip.GzipFile("", "wb", 9, new, mtime=time) as zipped:
        zipped.write(plain.getvalue())


def rewrite_wheel(path: Path, time: int) -> None:
    """Write a wheel again, the same for the same files; its ``RECORD`` stays valid."""
    with zipfile.ZipFile(path) as archive:
        members = [each for each in archive.infolist() if not each.is_dir()]
        files = [(each, archive.read(each)) for each in members]
    # The metadata go last, as the specification of wheels recommends.
    files.sort(key=lambda pair: (".dist-info/" in pair[0].filename, pair[0].filename))
    with _replaced(path) as new, zipfile.ZipFile(new, "w") as archive:
        for member, content in files:
            entry = zipfile.ZipInfo(member.filename, gmtime(time)[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3  # Unix
            entry.external_attr = (stat.S_IFREG | _mode(member.external_attr >> 16)) << 16
            archive.writestr(entry, content, compresslevel=9)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member) if member.isreg() else None
    if file is None:
        raise ValueError(
            f"{member.name} must be a regular file to be published, but it is a link or a device; "
            "exclude it in MANIFEST.in"
        )
    return file.read()


def _mode(mode: int) -> int:
    """Permissions without traces of a umask: whether the owner may execute the file."""
    return 0o755 if mode & stat.S_IXUSR else 0o644


class _replaced:
    """A file to write that takes the place of another one when it is complete."""

    def __init__(self, path: Path) -> None:
        self.path, self.new = path, path.with_name(f"{path.name}.new")

    def __enter__(self) -> io.BufferedWriter:
        self.file = self.new.open("wb")
        return self.file

    def __exit__(self, kind: object, *_: object) -> None:
        self.file.close()
        if kind is None:
            self.new.replace(self.path)
        else:
            self.new.unlink()
