"""Predictions over HTTP: requests per second and latency, beside FastAPI with scikit-learn.

Both services are processes of their own on this machine, trained on 20 Newsgroups with 15 labels a
class; a third process asks, with 1, 8 and 64 clients that each wait for a reply before they ask
again. Measurements of the services alternate, and the median of the rounds counts. Then 512 clients
at once, of a server that lets 64 texts wait. ``python -m benchmarks.serving --minutes 10`` asks for
minutes and records the resident memory.
"""

import argparse
import json
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from studies._provenance import made_now

from benchmarks._common import Row, newsgroups
from benchmarks._load import HOST
from benchmarks.default import few_labels
from leaven import TextClassifier

SOAK = Path(__file__).with_name("serving_soak.json")
CLIENTS = (1, 8, 64)
METHODS = ("auto", "em", "nb")
TEXTS = {"messages": None, "first 100 characters": 100}  # characters of each
N_TEXTS = 500
ROUNDS, SECONDS, WARM_UP = 3, 2.0, 0.5
TARGET = 3.0  # times as many requests as scikit-learn's service
PEER = "FastAPI + scikit-learn"
N_OVERLOAD, MAX_WAITING, PAUSE = 512, 64, 0.1  # clients, texts, seconds after a refusal
STARTUP = 120.0  # seconds until a service must answer


def run() -> list[Row]:
    texts, names = newsgroups()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = Path(folder)
        _train(place, texts, few_labels(names))
        asked = texts[:: len(texts) // N_TEXTS][:N_TEXTS]
        batching = {"off": ["--max-batch", "1"], "on": []}
        ports = {PEER: stack.enter_context(_sklearn_service(place / "labeled.json")).port}
        for method in METHODS:
            for name, options in batching.items():
                started = _leaven_service(place / f"{method}.leaven", *options)
                ports[f"{method}, batching {name}"] = stack.enter_context(started).port
        rows = [row for name in TEXTS for row in compared(ports, name, asked)]
    with tempfile.TemporaryDirectory() as folder:
        _train(Path(folder), texts, few_labels(names), ["auto"])
        return [*rows, overloaded(Path(folder) / "auto.leaven", asked)]


def compared(ports: dict[str, int], kind: str, texts: list[str]) -> list[Row]:
    """Every service with every number of clients."""
    bodies = [{"text": text[: TEXTS[kind]]} for text in texts]
    rows = []
    for n_clients in CLIENTS:
        found: dict[str, list[Any]] = {name: [] for name in ports}
        for port in ports.values():
            put_load(port, bodies, n_clients, WARM_UP)
        for _ in range(ROUNDS):
            for name, port in ports.items():
                found[name].append(put_load(port, bodies, n_clients, SECONDS))
        medians = {name: _median(loads) for name, loads in found.items()}
        rows += [
            _row(kind, n_clients, name, load, medians[PEER])
            for name, load in medians.items()
            if name != PEER
        ]
    return rows


def _row(kind: str, n_clients: int, name: str, load: Any, peer: Any) -> Row:
    is_promised = name == "auto, batching off"
    return Row(
        f"serving: {kind}, {n_clients} {'client' if n_clients == 1 else 'clients'}, {name}",
        1 / load["requests_per_second"],
        PEER,
        1 / peer["requests_per_second"],
        TARGET if is_promised else None,
        {
            "texts": kind,
            "clients": n_clients,
            "service": name,
            **load,
            "peer_requests_per_second": peer["requests_per_second"],
            "peer_p50_ms": peer["p50_ms"],
            "peer_p99_ms": peer["p99_ms"],
        },
        unit="s per request",
    )


def _median(loads: list[Any]) -> dict[str, float]:
    names = ("requests_per_second", "p50_ms", "p99_ms")
    assert all(set(load["statuses"]) == {"200"} and not load["n_failed"] for load in loads), loads
    return {name: statistics.median(load[name] for load in loads) for name in names}


def overloaded(model: Path, texts: list[str]) -> Row:
    """Far more clients than may wait: the accepted are answered, the others refused at once."""
    bodies = [{"text": text} for text in texts]
    with _leaven_service(model, "--max-waiting", str(MAX_WAITING)) as service:
        put_load(service.port, bodies, 8, WARM_UP)
        before = service.mebibytes
        load = put_load(service.port, bodies, N_OVERLOAD, 10.0, PAUSE)
        details = {
            **{name: load[name] for name in ("statuses", "n_failed", "seconds", "p50_ms")},
            "p99_ms": load["p99_ms"],
            "mebibytes_before": before,
            "mebibytes": service.peak_mebibytes,
            "clients": N_OVERLOAD,
            "max_waiting": MAX_WAITING,
        }
    what = f"serving: overload, {N_OVERLOAD} clients, p99 of the accepted"
    return Row(what, load["p99_ms"] / 1e3, details=details)


def soak(minutes: float, n_clients: int = 8) -> dict[str, Any]:
    """Load for minutes; memory, and what was answered, after every part of it."""
    texts, names = newsgroups()
    bodies = [{"text": text} for text in texts[:: len(texts) // N_TEXTS][:N_TEXTS]]
    parts: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        _train(Path(folder), texts, few_labels(names), ["auto"])
        with _leaven_service(Path(folder) / "auto.leaven") as service:
            start = time.monotonic()
            while (passed := time.monotonic() - start) < 60 * minutes:
                seconds = min(15.0, 60 * minutes - passed + 0.1)
                load = put_load(service.port, bodies, n_clients, seconds)
                after = (time.monotonic() - start) / 60
                parts.append({"minutes": after, "mebibytes": service.mebibytes, **load})
    return {"minutes": minutes, "clients": n_clients, "parts": parts}


def put_load(
    port: int, bodies: list[Any], n_clients: int, seconds: float, pause: float = 0.0
) -> Any:
    """What clients in a process of their own saw."""
    task = {"port": port, "path": "/predict", "bodies": bodies, "clients": n_clients}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks._load"],
        input=json.dumps({**task, "seconds": seconds, "pause": pause}),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


class Service:
    """A service that is a process."""

    def __init__(self, command: list[str], port: int) -> None:
        self.port = port
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def wait(self) -> None:
        """Until it can be asked."""
        end = time.monotonic() + STARTUP
        while True:
            try:
                socket.create_connection((HOST, self.port)).close()
                return
            except ConnectionError:
                assert self.process.poll() is None, "the service has ended"
                assert time.monotonic() < end, "the service does not answer"
                time.sleep(0.05)

    @property
    def mebibytes(self) -> float:
        return self._status("VmRSS")

    @property
    def peak_mebibytes(self) -> float:
        return self._status("VmHWM")

    def _status(self, name: str) -> float:
        found = re.search(
            rf"{name}:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text()
        )
        assert found is not None
        return int(found[1]) / 1024


@contextmanager
def _service(command: list[str], port: int) -> Iterator[Service]:
    started = Service(command, port)
    try:
        started.wait()
        yield started
    finally:
        started.process.terminate()
        started.process.wait(60)


def _leaven_service(model: Path, *options: str) -> Any:
    port = _free_port()
    command = [sys.executable, "-m", "leaven", "serve", str(model), "--port", str(port), *options]
    return _service(command, port)


def _sklearn_service(data: Path) -> Any:
    port = _free_port()
    command = [sys.executable, "-m", "benchmarks._sklearn_service", str(data), str(port)]
    return _service(command, port)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        port: int = found.getsockname()[1]
        return port


def _train(folder: Path, texts: list[str], labels: list[Any], methods: Any = METHODS) -> None:
    """Models of leaven, and the labeled texts for scikit-learn."""
    for method in methods:
        TextClassifier(method).fit(texts, labels).save(folder / f"{method}.leaven")
    labeled = [(text, label) for text, label in zip(texts, labels, strict=True) if label]
    data = {"texts": [text for text, _ in labeled], "labels": [label for _, label in labeled]}
    (folder / "labeled.json").write_text(json.dumps(data))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True, help="of load")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--json", type=Path, default=SOAK)
    wanted = parser.parse_args()
    found = {"made_with": made_now(), **soak(wanted.minutes, wanted.clients)}
    wanted.json.write_text(json.dumps(found, indent=1) + "\n")
    for part in found["parts"]:
        print(f"{part['minutes']:6.2f} min {part['mebibytes']:8.1f} MiB", part["statuses"])


if __name__ == "__main__":
    main()
