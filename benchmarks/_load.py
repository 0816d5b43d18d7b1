"""Load on a service of this machine: clients that each wait for a reply before asking again.

Runs as a process of its own, ``python -m benchmarks._load``, so that it does not take time from the
service: one thread, one epoll, and requests whose bytes are prepared before the clock starts.
"""

import json
import select
import socket
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

HOST = "127.0.0.1"
SECONDS_TO_REPLY = 30.0  # after which a client counts as failed


@dataclass
class Load:
    """What the clients saw."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: dict[int, list[float]] = field(default_factory=dict)  # seconds, by status
    n_failed: int = 0  # connections that ended without a reply

    def to_json(self) -> dict[str, Any]:
        accepted = sorted(self.latencies.get(200, []))
        n_replies = sum(self.statuses.values())
        return {
            "seconds": self.seconds,
            "requests_per_second": n_replies / self.seconds,
            "statuses": {str(status): n for status, n in sorted(self.statuses.items())},
            "n_failed": self.n_failed,
            "p50_ms": 1e3 * quantile(accepted, 0.5),
            "p99_ms": 1e3 * quantile(accepted, 0.99),
        }


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value that this share of the others is below; not a number where there are none."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


def request_bytes(path: str, body: Any) -> bytes:
    """A POST request as it is sent."""
    content = json.dumps(body).encode()
    return (
        f"POST {path} HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(content)}\r\n\r\n"
    ).encode() + content


class Client:
    """A connection that is kept open."""

    def __init__(self, port: int, number: int) -> None:
        self.port, self.next, self.sent = port, number, 0.0
        self.received = b""
        self.open()

    def open(self) -> None:
        self.socket = socket.create_connection((HOST, self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, requests: Sequence[bytes], step: int) -> None:
        self.received = b""
        self.sent = time.perf_counter()
        self.socket.sendall(requests[self.next % len(requests)])
        self.next += step

    def status(self) -> int | None:
        """The status of the reply, once all of it is here."""
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError
        self.received += piece
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        place = head.lower().find(b"content-length:")
        length = int(head[place + 15 :].split(b"\r\n", 1)[0])
        return int(head[9:12]) if len(body) >= length else None


def put_load(
    port: int, requests: Sequence[bytes], n_clients: int, seconds: float, pause: float = 0.0
) -> Load:
    """Let so many clients ask for so many seconds; each pauses after a reply that is no success."""
    clients = {}
    load = Load()
    poll = select.epoll()
    start = time.perf_counter()
    for number in range(n_clients):
        client = Client(port, number)
        clients[client.socket.fileno()] = client
        poll.register(client.socket.fileno(), select.EPOLLIN)
        client.ask(requests, n_clients)
    paused: list[tuple[float, Client]] = []
    while (now := time.perf_counter()) - start < seconds:
        while paused and paused[0][0] <= now:
            paused.pop(0)[1].ask(requests, n_clients)
        for number, _ in poll.poll(0.01 if paused else 1.0):
            client = clients[number]
            try:
                status = client.status()
            except ConnectionError:
                load.n_failed += 1
                poll.unregister(number)
                del clients[number]
                client.socket.close()
                continue
            if status is None:
                continue
            now = time.perf_counter()
            load.statuses[status] += 1
            load.latencies.setdefault(status, []).append(now - client.sent)
            if status != 200 and pause:
                paused.append((now + pause, client))
            else:
                client.ask(requests, n_clients)
    load.seconds = time.perf_counter() - start
    for client in clients.values():
        client.socket.close()
    return load


def main() -> None:
    """Read a task as JSON from standard input, print what was seen as JSON."""
    task = json.load(sys.stdin)
    requests = [request_bytes(task["path"], body) for body in task["bodies"]]
    load = put_load(
        task["port"], requests, task["clients"], task["seconds"], task.get("pause", 0.0)
    )
    print(json.dumps(load.to_json()))


if __name__ == "__main__":
    main()
