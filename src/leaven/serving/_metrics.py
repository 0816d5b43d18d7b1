"""Metrics in the text format of Prometheus, version 0.0.4."""

import bisect
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from leaven._version import __version__

__all__ = ["CONTENT_TYPE", "Histogram", "Metrics", "resident_bytes"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Histogram:
    """Values counted in buckets."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(bounds) + 1)  # the last one is of what exceeds all bounds
        self.total = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect.bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: str = "") -> Iterator[str]:
        """Samples; ``labels`` as in ``route="/predict"``."""
        before, n_below = f"{labels}," if labels else "", 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            n_below += count
            yield f'{name}_bucket{{{before}le="{bound}"}} {n_below}'
        both = f"{{{labels}}}" if labels else ""
        yield f"{name}_sum{both} {self.total!r}"
        yield f"{name}_count{both} {n_below}"


class Metrics:
    """Counts of a server, which its event loop alone changes; a thread counts reloads.

    Labels have few values: routes are those of the API, everything else is ``other``, and models
    are those that are served.
    """

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()  # by route and status
        self.durations: dict[str, Histogram] = {}  # by route
        self.batches = Histogram(TEXTS)
        self.texts: Counter[str] = Counter()  # by model
        self.reloads: Counter[tuple[str, str]] = Counter()  # by model and result
        self.rejected: Counter[str] = Counter()  # by code

    def add_request(self, route: str, status: int, seconds: float) -> None:
        self.requests[route, status] += 1
        duration = self.durations.get(route)
        if duration is None:
            duration = self.durations[route] = Histogram(SECONDS)
        duration.add(seconds)

    def text(self, n_waiting: int) -> str:
        """All metrics, as /metrics shows them."""
        return "\n".join(self._lines(n_waiting)) + "\n"

    def _lines(self, n_waiting: int) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Requests answered, by route and status.")
        for (route, status), n in sorted(self.requests.items()):
            yield f'leaven_requests_total{{route="{_escaped(route)}",status="{status}"}} {n}'
        name = "leaven_request_duration_seconds"
        yield from _head("request_duration_seconds", "histogram", "Time from request to reply.")
        for route, duration in sorted(self.durations.items()):
            yield from duration.lines(name, f'route="{_escaped(route)}"')
        yield from _head("batch_texts", "histogram", "Texts that were computed together.")
        yield from self.batches.lines("leaven_batch_texts")
        yield from _head("texts_total", "counter", "Texts predicted, by model.")
        for model, n in sorted(self.texts.items()):
            yield f'leaven_texts_total{{model="{_escaped(model)}"}} {n}'
        yield from _head("queue_texts", "gauge", "Texts that wait or are being computed.")
        yield f"leaven_queue_texts {n_waiting}"
        yield from _head("rejected_total", "counter", "Requests refused for lack of room or time.")
        for code, n in sorted(self.rejected.items()):
            yield f'leaven_rejected_total{{reason="{_escaped(code)}"}} {n}'
        yield from _head("reloads_total", "counter", "Models loaded again, by result.")
        for (model, result), n in sorted(self.reloads.items()):
            yield f'leaven_reloads_total{{model="{_escaped(model)}",result="{result}"}} {n}'
        if (n_bytes := resident_bytes()) is not None:
            yield "# HELP process_resident_memory_bytes Resident memory of the process."
            yield "# TYPE process_resident_memory_bytes gauge"
            yield f"process_resident_memory_bytes {n_bytes}"
        yield from _head("build_info", "gauge", "Always 1; its label is the version.")
        yield f'leaven_build_info{{version="{_escaped(__version__)}"}} 1'


def _head(name: str, kind: str, help: str) -> tuple[str, str]:
    return f"# HELP leaven_{name} {help}", f"# TYPE leaven_{name} {kind}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def resident_bytes() -> int | None:
    """Resident memory of this process; where the system does not tell, its peak or None."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        try:
            import resource
        except ModuleNotFoundError:  # as on Windows
            return None
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
