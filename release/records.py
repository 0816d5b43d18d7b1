"""Which parts have passed, and for which files: a part is not repeated for the same ones."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time

__all__ = ["Record", "Records"]


@dataclass(frozen=True)
class Record:
    """A part that passed."""

    inputs: str  # a hash of the files and options that the outcome depends on
    left: str  # a hash of the files that the part left
    detail: str
    seconds: float
    finished: float  # seconds since 1970


@dataclass(frozen=True)
class Records:
    """A folder with one small JSON file per part that passed."""

    folder: Path

    def log(self, part: str) -> Path:
        """Where the output of a part's commands goes; emptied first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{part}.log"
        path.write_text("", encoding="utf-8")
        return path

    def find(self, part: str, inputs: str, left: str, lasts: float) -> Record | None:
        """The record of a part, if all is as it was and it is at most so many seconds old."""
        try:
            record = Record(**json.loads(self._file(part).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):  # never passed, or written by another version
            return None
        is_same = (record.inputs, record.left) == (inputs, left)
        return record if is_same and time() - record.finished <= lasts else None

    def keep(self, part: str, record: Record) -> None:
        """Store a record."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file(part).write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")

    def forget(self, part: str) -> None:
        """Remove a record, before its part runs again."""
        self._file(part).unlink(missing_ok=True)

    def _file(self, part: str) -> Path:
        return self.folder / f"{part}.json"
