"""Rows of a study in a file, so that a run can be continued, and what is made of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies import _common, _provenance

Row = dict[str, Any]


@dataclass(frozen=True)
class RowFile:
    """Rows of a study in a file, one JSON object per line, so that a run can be continued."""

    path: Path
    key: Sequence[str]  # fields that tell rows apart

    def read(self) -> list[Row]:
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        return [json.loads(line) for line in lines]

    def known(self) -> set[str]:
        """Identities of the stored rows."""
        return {self.identity(row) for row in self.read()}

    def missing(self, plans: Sequence[Row]) -> list[Row]:
        """Those of the plans that no row is stored of."""
        known = self.known()
        return [plan for plan in plans if self.identity(plan) not in known]

    def of(self, plans: Sequence[Row]) -> list[Row]:
        """The rows of these plans, without those of earlier settings."""
        current = {self.identity(plan) for plan in plans}
        return [row for row in self.read() if self.identity(row) in current]

    def identity(self, row: Row) -> str:
        """The key of a row, the same for equal values before and after JSON."""
        return json.dumps([row[name] for name in self.key], sort_keys=True)

    def add(self, row: Row) -> None:
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def report(
    name: str, rows: Sequence[Row], results: Row, shown: str, seeds: int | Sequence[int]
) -> None:
    """Print a table, and write it and the results it is made of, with what they were made with.

    ``seeds`` are those of the draws, or their number, of draws from 0 on.
    """
    used = range(seeds) if isinstance(seeds, int) else seeds
    made_with = _provenance.made_of_rows(rows, seed=used)
    print("\n" + shown)
    note = f"\nThese results were {_provenance.described(made_with)}.\n"
    (_common.RESULTS / f"{name}.md").write_text(shown + note, encoding="utf-8")
    path = _common.write_results(name, results, made_with=made_with)
    print(f"wrote {path.name}")
