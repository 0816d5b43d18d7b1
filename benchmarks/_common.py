"""Timing, and one table for all benchmarks."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from benchmarks._machine import Machine, probe
from leaven.datasets import load_corpus


@dataclass
class Row:
    """One claim: ours against a peer, and the least ratio it should reach."""

    what: str
    seconds: float
    peer: str = ""
    peer_seconds: float | None = None
    target: float | None = None  # least ratio, or most seconds where there is no peer
    details: dict[str, Any] = field(default_factory=dict)
    unit: str = "s"  # of seconds; "" for a pure number
    limit: float | None = None  # least seconds that this machine's memory and arithmetic allow

    @property
    def ratio(self) -> float | None:
        return None if self.peer_seconds is None else self.peer_seconds / self.seconds

    @property
    def reached(self) -> bool | None:
        if self.target is None:
            return None
        return self.seconds <= self.target if self.ratio is None else self.ratio >= self.target

    @property
    def share_of_limit(self) -> float | None:
        """How near the limit it is: 1 would be as fast as the machine could be."""
        return None if self.limit is None else self.limit / self.seconds

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "seconds": self.seconds,
            "unit": self.unit,
            "peer": self.peer,
            "peer_seconds": self.peer_seconds,
            "ratio": self.ratio,
            "target": self.target,
            "reached": self.reached,
            "limit": self.limit,
            "share_of_limit": self.share_of_limit,
            **self.details,
        }


def best_seconds(tasks: Mapping[str, Callable[[], Any]], rounds: int = 5) -> dict[str, float]:
    """Least time of each task; tasks alternate so that noise affects all of them equally."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def newsgroups() -> tuple[list[str], list[str]]:
    table = load_corpus("20news_19997", columns=["text", "label"])
    return table["text"].to_pylist(), table["label"].to_pylist()


@cache
def machine() -> Machine:
    """The machine's best rates, measured once per run."""
    return probe()


def n_bytes(texts: list[str]) -> int:
    """Bytes of texts in UTF-8, which have to be read once at least."""
    return sum(len(text.encode()) for text in texts)
