"""Malformed requests to ``leaven serve``: ``python -m fuzzing.requests --requests 10000 --seed 1``.

Requests are drawn at random from a seed: damaged JSON, values of wrong types, bytes that are no
text, odd addresses, methods and headers. The server, a process of its own, must answer each with a
status below 500 and one line of JSON, print no traceback, and predict as before at the end.
"""

import argparse
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Drawn", "answer", "draw_request", "fault"]

SOUND = {"text": "dough and yeast"}
PATHS = (
    "/predict", "/predict", "/predict", "/explain", "/models/m/predict", "/models/m/explain",
    "/models/other/predict", "/predict/", "//predict", "/models//predict", "/%00", "/predict?a=%ff",
    "/models/%2e%2e/predict", "/info", "/health", "/nothing", "/models/m", "/docs", "/é",
)  # fmt: skip
METHODS = ("POST",) * 12 + ("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "post", "BREW")
ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**400, "", "a\u0000b", [], [[]], {}, {"text": "a"}, [None],
    ["a", 1], "x" * 5000, ["word"] * 2000, {"a": {"b": [1, 2, {"c": None}]}},
)  # fmt: skip
ODD_BODIES = (
    b"", b"null", b"[]", b"{", b'{"text"', b'{"text": "\xff\xfe"}', b'{"text": "\\ud800"}',
    b'{"text": "a", "min_probability": NaN}', b'{"text": "a", "min_probability": 1e999}',
    b'{"text": "a", "top": 99999999999999999999999999}', b'{"text": "a"} trailing',
    b"[" * 100_000, b'{"text":' * 20_000, b"\xef\xbb\xbf{}", b"text=a", b"\x00" * 100,
    b'{"text": "a", "text": 1}', b'{"text": "\\u0000"}', b'{"texts": []}', b"-", b"1e5", b'"a"',
    b'{"text": "a\nb"}', "{“text”: 1}".encode(), b'{"text": Infinity}',
)  # fmt: skip
ALLOWED = range(200, 500)
SECONDS = 5.0  # until a request that does not end is given up


@dataclass(frozen=True)
class Drawn:
    """A request as it is sent, and whether its reply has a body."""

    content: bytes
    is_head: bool = False


def draw_request(chosen: random.Random) -> Drawn:
    """One request, most of them malformed."""
    body = _drawn_body(chosen)
    method, path = chosen.choice(METHODS), chosen.choice(PATHS)
    length = str(len(body)).encode()
    headers = [b"host: localhost", b"content-type: application/json", b"connection: close"]
    kind = chosen.random()
    if kind < 0.8:
        headers.append(b"content-length: " + length)
    elif kind < 0.9:
        headers.append(b"transfer-encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    elif kind < 0.95:
        headers.append(b"content-length: " + chosen.choice([b"-1", b"abc", b"9" * 30, b"1e3", b""]))
    else:
        headers += [b"content-length: " + length, b"x-odd: " + chosen.randbytes(20)]
    head = b"%s %s HTTP/1.1\r\n" % (method.encode(), path.encode())
    return Drawn(head + b"\r\n".join(headers) + b"\r\n\r\n" + body, method == "HEAD")


def _drawn_body(chosen: random.Random) -> bytes:
    kind = chosen.random()
    if kind < 0.3:
        return chosen.choice(ODD_BODIES)
    if kind < 0.6:  # sound JSON with odd values
        names = ("text", "texts", "top", "min_probability", "model", "words", "neighbors", "extra")
        body: dict[str, Any] = dict(SOUND) if chosen.random() < 0.5 else {}
        for name in chosen.sample(names, chosen.randint(1, 3)):
            body[name] = chosen.choice(ODD_VALUES)
        return json.dumps(body).encode()
    sound = bytearray(json.dumps({**SOUND, "top": 2, "min_probability": 0.5}).encode())
    for _ in range(chosen.randint(1, 4)):  # damaged JSON
        place = chosen.randrange(len(sound))
        change = chosen.choice(["flip", "cut", "add"])
        if change == "flip":
            sound[place] = chosen.randrange(256)
        elif change == "cut":
            del sound[place : place + chosen.randint(1, 5)]
        else:
            sound[place:place] = chosen.randbytes(chosen.randint(1, 3))
        if not sound:
            break
    return bytes(sound)


def answer(port: int, drawn: Drawn) -> bytes:
    """All that the server sends back until it closes the connection."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:
        with suppress(OSError):  # it may answer before it has read everything
            connection.sendall(drawn.content)
        with suppress(ConnectionError, TimeoutError):
            while piece := connection.recv(65536):
                received += piece
    return received


def fault(drawn: Drawn, received: bytes) -> str | None:
    """What is wrong with a reply; None if nothing."""
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", received)
    if not found:
        # The server may close a connection whose request never ends.
        return None if not received else "no HTTP reply"
    status = int(found[1])
    if status not in ALLOWED:
        return f"status {status}"
    head, _, body = received.partition(b"\r\n\r\n")
    if status == 200 or drawn.is_head or b"text/plain" in head:  # what is no HTTP is told in text
        return None
    try:
        error = json.loads(body)["error"]
        is_sound = set(error) == {"code", "message"} and "\n" not in error["message"]
    except (ValueError, KeyError, TypeError):
        is_sound = False
    return None if is_sound else f"status {status} without an error of one line"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    chosen, faults, statuses = random.Random(wanted.seed), list[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        process, port = _started(Path(folder))
        try:
            before = _prediction(port)
            for _ in range(wanted.requests):
                drawn = draw_request(chosen)
                received = answer(port, drawn)
                statuses[received[9:12].decode("latin-1") or "closed"] += 1
                what = fault(drawn, received)
                if what is not None:
                    faults.append(f"{what}: {drawn.content[:200]!r}")
            if _prediction(port) != before:
                faults.append("the prediction has changed")
        finally:
            process.terminate()
            shown = process.communicate(timeout=60)[0]
    if "Traceback" in shown or process.returncode:
        faults.append(f"exit code {process.returncode}, and printed: {shown[-2000:]}")
    print(dict(sorted(statuses.items())), f"{len(faults)} faults", *faults[:20], sep="\n")
    return 1 if faults else 0


def _started(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """A server of a small model, and its port."""
    from leaven import TextClassifier

    texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
    TextClassifier("em").fit(texts, ["baking", "space", None, None]).save(folder / "m.leaven")
    command = [sys.executable, "-m", "leaven", "serve", str(folder / "m.leaven"), "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    )
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            return process, int(found[1])
    raise RuntimeError("the server did not start")


def _prediction(port: int) -> Any:
    body = json.dumps(SOUND).encode()
    head = b"POST /predict HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
    return json.loads(answer(port, Drawn(head % len(body) + body)).partition(b"\r\n\r\n")[2])


if __name__ == "__main__":
    sys.exit(main())
