"""What results were made with: the version, commit and date of leaven, seeds, Python and NumPy.

A result is stale when the code it measures has changed since. The code is recognized by a hash of
its files (``source``), so a study that was run before its code was committed is current after the
commit; git, if there, says how many commits lie between.
"""

import hashlib
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import leaven

LIBRARY = Path(leaven.__file__).resolve().parent
UNRECORDED = "made before results recorded their version"
Seed = int | Sequence[int] | None
MadeWith = dict[str, Any]
OF_A_ROW = ("version", "commit", "source", "python", "numpy", "dirty")  # and its date


@cache
def code(library: Path = LIBRARY) -> MadeWith:
    """Versions, commit, source and day, as they are at the first call: later edits do not count."""
    commit = _git(library, "rev-parse", "--short", "HEAD") if _is_tracked(library) else None
    found: MadeWith = {
        "version": leaven.__version__,
        "commit": commit,
        "source": source(library),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    if commit and _git(library, "status", "--porcelain", "--", "."):
        found["dirty"] = True
    return found


def source(library: Path = LIBRARY) -> str:
    """A short hash of the library's Python files."""
    digest = hashlib.sha256()
    for path in sorted(library.rglob("*.py")):
        digest.update(path.relative_to(library).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def made_now(seed: Seed = None, library: Path = LIBRARY) -> MadeWith:
    """What results computed by this process are made with."""
    return {**code(library), "seed": list(seed) if isinstance(seed, Sequence) else seed}


def made_of_rows(rows: Iterable[Mapping[str, Any]], seed: Seed = None) -> MadeWith:
    """What results summed up from stored rows are made with.

    ``rows`` carry the fields of ``code()``. Rows of one version give that version, with the day
    of the oldest. Otherwise there is no single commit, and ``parts`` lists each version with its
    number of rows; for rows stored without a version, it is None there.
    """
    groups: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        key = tuple(row.get(name) for name in OF_A_ROW)
        groups.setdefault(key, []).append(row.get("date", ""))
    parts: list[dict[str, Any]] = []
    for key, dates in groups.items():
        fields = {
            name: value for name, value in zip(OF_A_ROW, key, strict=True) if value is not None
        }
        made = {"commit": None, **fields, "date": min(dates)} if fields else None
        parts.append({"rows": len(dates), "made_with": made})
    seeds = {"seed": list(seed) if isinstance(seed, Sequence) else seed}
    if len(parts) == 1 and parts[0]["made_with"]:
        return {**parts[0]["made_with"], **seeds}
    return {"commit": None, "parts": parts, **seeds}


def staleness(made_with: Mapping[str, Any] | None, library: Path = LIBRARY) -> str | None:
    """One sentence if the code has changed since these results were made, else None."""
    if made_with and "parts" in made_with:
        return _staleness_of_parts(made_with["parts"], library)
    if not made_with or not _is_recorded(made_with):
        return UNRECORDED
    if made_with.get("source") == source(library):
        return None
    commit = made_with.get("commit")
    n_commits = commits_since(commit, library)
    if n_commits == 0 and "source" not in made_with and not made_with.get("dirty"):
        return None
    text = f"made with {_what(made_with)} of {made_with.get('date') or 'an unknown date'}"
    if n_commits is None and commit:
        return f"{text}, a commit that git does not know here"
    if not n_commits:
        return f"{text}; src/leaven is different now"
    noun = "commit" if n_commits == 1 else "commits"
    return f"{text}; src/leaven has changed in {n_commits} {noun} since"


def commits_since(commit: str | None, library: Path = LIBRARY) -> int | None:
    """Number of commits that changed the library after this one; None if git cannot tell."""
    if not commit:
        return None
    lines = _git(library, "log", "--oneline", f"{commit}..HEAD", "--", ".")
    return None if lines is None else len(lines.splitlines())


def described(made_with: Mapping[str, Any] | None) -> str:
    """What results were made with, in words."""
    if made_with and "parts" in made_with:
        text = _parts_in_words(made_with["parts"])
    elif not made_with or not _is_recorded(made_with):
        return UNRECORDED
    else:
        text = f"made with {_version(made_with)}{_what(made_with)} of {made_with.get('date')}"
    return text + _seeds_in_words(made_with.get("seed"))


def _is_recorded(made_with: Mapping[str, Any]) -> bool:
    """Whether it says which code was measured."""
    return bool(made_with.get("commit") or made_with.get("source"))


def _staleness_of_parts(parts: Sequence[Mapping[str, Any]], library: Path) -> str | None:
    """The sentence about rows that are not of the current code."""
    total = sum(part["rows"] for part in parts)
    counts: Counter[str] = Counter()
    for part in parts:
        text = staleness(part["made_with"], library)
        if text is not None:
            counts[text] += part["rows"]
    if not counts:
        return None
    return "; ".join(f"{rows:,} of {total:,} rows were {text}" for text, rows in counts.items())


def _parts_in_words(parts: Sequence[Mapping[str, Any]]) -> str:
    """Every version of rows, and how many rows it has."""
    text = (
        f"{part['rows']:,} row{'' if part['rows'] == 1 else 's'} {described(part['made_with'])}"
        for part in parts
    )
    return f"made of {'; '.join(text)}"


def _version(made_with: Mapping[str, Any]) -> str:
    """The version, before a commit."""
    return f"leaven {made_with['version']}, " if made_with.get("commit") else ""


def _what(made_with: Mapping[str, Any]) -> str:
    """The commit, or the version where there is none."""
    commit = made_with.get("commit")
    named = str(commit) if commit else f"leaven {made_with.get('version')}"
    return f"{named} and uncommitted changes" if made_with.get("dirty") else named


def _seeds_in_words(seed: Seed) -> str:
    if seed is None:
        return ""
    if isinstance(seed, int):
        return f", seed {seed}"
    seeds = list(seed)
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f", seeds {seeds[0]} to {seeds[-1]}"
    return ", seeds " + ", ".join(map(str, seeds))


def _is_tracked(library: Path) -> bool:
    """Whether the library is part of a git repository, not merely installed inside of one."""
    return bool(_git(library, "ls-files", "--", "__init__.py"))


def _git(folder: Path, *arguments: str) -> str | None:
    """What a git command prints; None without git, outside a repository, or if it fails."""
    # Inside a hook, variables such as GIT_DIR would lead to another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        found = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
    except OSError:
        return None
    return found.stdout.strip() if found.returncode == 0 else None
