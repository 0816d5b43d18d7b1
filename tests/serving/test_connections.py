"""Connections and bodies that do not end: what clients can hold is bounded in time and memory."""

import json
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress

import pytest
from prediction_server import until

from leaven.web import _connections

HEAD = b"POST /predict HTTP/1.1\r\nhost: a\r\n"


@contextmanager
def connected(served, sent=b""):
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
        connection.sendall(sent)
        yield connection


def received_until_closed(connection):
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


def seconds_until_refused(connection, piece):
    """How long a piece can be sent again and again."""
    start = time.monotonic()
    with suppress(ConnectionError):
        while time.monotonic() - start < 5:
            connection.sendall(piece)
            time.sleep(0.02)
    return time.monotonic() - start


def test_a_connection_without_a_request_is_closed(serve, models):
    served = serve(models["em"], keep_alive=0.2)
    with connected(served) as idle:
        start = time.monotonic()
        assert received_until_closed(idle) == b""
    assert 0.1 < time.monotonic() - start < 5


def test_headers_must_arrive_in_time_however_slowly_they_come(serve, models):
    served = serve(models["em"], timeout=0.3)
    with connected(served, HEAD) as slow:
        assert seconds_until_refused(slow, b"x: a\r\n") < 5


def test_the_second_request_of_a_connection_must_arrive_in_time_too(serve, models):
    served = serve(models["em"], timeout=0.3)
    body = b'{"text": "dough"}'
    whole = HEAD + b"content-length: %d\r\n\r\n" % len(body) + body
    with connected(served, whole) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        time.sleep(0.5)  # idle connections may take longer
        connection.sendall(whole)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        connection.sendall(HEAD)
        start = time.monotonic()
        assert received_until_closed(connection) == b""
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    "piece", [b"x: " + b"a" * 1000 + b"\r\n", b"a" * 1000], ids=["many headers", "a long header"]
)
def test_headers_have_a_limit(serve, models, piece):
    served = serve(models["em"])
    with connected(served, HEAD + b"y: ") as connection:
        n_pieces = 1 + _connections.MAX_HEAD // len(piece)
        connection.sendall(piece * n_pieces)
        assert connection.recv(4096).startswith(b"HTTP/1.1 431 ")
    assert served.post("/predict", text="dough")["predicted"] == "baking"


def test_headers_of_usual_length_and_many_pieces_of_a_body_are_accepted(serve, models):
    served = serve(models["em"])
    headers = HEAD + b"".join(b"x-%d: %s\r\n" % (i, b"a" * 500) for i in range(100))
    body = json.dumps({"text": "dough " * 5000}).encode()
    pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in body)  # six times as long
    sent = headers + b"transfer-encoding: chunked\r\n\r\n" + pieces + b"0\r\n\r\n"
    with connected(served, sent) as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")


def test_the_rest_of_a_body_that_is_refused_is_not_read_for_ever(serve, models):
    served = serve(models["em"], timeout=0.3, max_body=100)
    with connected(served, HEAD + b"content-length: 1000000\r\n\r\n") as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")
        assert seconds_until_refused(connection, b"a") < 5


def test_a_body_that_is_late_ends_its_connection(serve, models):
    served = serve(models["em"], timeout=0.2)
    with connected(served, HEAD + b'content-length: 100\r\n\r\n{"text"') as connection:
        assert received_until_closed(connection).startswith(b"HTTP/1.1 408 ")


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="needs TCP_USER_TIMEOUT")
def test_a_client_that_reads_no_replies_is_given_up(serve, models):
    """Each reply is far longer than its request, until the system's buffers are full."""
    served = serve(models["em"], timeout=0.3)
    body = json.dumps({"texts": [""] * 1000, "top": 3}).encode()
    whole = HEAD + b"content-length: %d\r\n\r\n" % len(body) + body
    connections = served.server._server.server_state.connections
    with connected(served, whole) as connection:
        until(lambda: connections)
        assert seconds_until_refused(connection, whole) < 5
    assert served.post("/predict", text="dough")["predicted"] == "baking"


def test_a_client_that_reads_slowly_gets_all_of_its_reply(serve, models):
    served = serve(models["em"], timeout=0.3, max_texts=100_000)
    body = json.dumps({"texts": [""] * 100_000, "top": 3}).encode()
    with connected(served) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        close = b"connection: close\r\n"
        connection.sendall(HEAD + close + b"content-length: %d\r\n\r\n" % len(body) + body)
        pieces, start = [], time.monotonic()
        while piece := connection.recv(1 << 20):
            pieces.append(piece)
            if time.monotonic() - start < 1.5:
                time.sleep(0.05)
    reply = json.loads(b"".join(pieces).partition(b"\r\n\r\n")[2])
    assert len(reply["predictions"]) == 100_000


def test_announced_bodies_do_not_keep_others_out(serve, models):
    """Only bytes that have arrived count."""
    served = serve(models["em"])
    n_clients = served.service.limits.max_held // served.service.limits.max_body
    announced = HEAD + b"content-length: %d\r\n\r\n" % served.service.limits.max_body
    with ExitStack() as stack:
        for _ in range(n_clients):
            stack.enter_context(connected(served, announced))
        assert served.post("/predict", text="dough")["predicted"] == "baking"


def test_bodies_are_counted_until_they_are_answered(serve, models):
    served = serve(models["em"])
    limits, batcher = served.service.limits, served.service.batcher
    bodies = served.server.bodies
    can_go_on, has_begun = threading.Event(), threading.Event()

    class Blocked:
        seconds_per_character = float("inf")

        def __call__(self, jobs):
            has_begun.set()
            assert can_go_on.wait(20)
            return [[None]] * len(jobs)

    batcher._pool.submit(Blocked(), [None])  # the one thread that computes
    served.service._work(served.service.model("em")).predicting.seconds_per_character = 1e9
    assert has_begun.wait(20)
    found = []
    long = json.dumps({"text": "dough " * ((limits.max_body - 100) // 6)}).encode()
    n_held = limits.max_held // len(long)
    threads = [
        threading.Thread(target=lambda: found.append(served.ask("POST", "/predict", encoded=long)))
        for _ in range(n_held)
    ]
    for thread in threads:
        thread.start()
    until(lambda: bodies.n_held == n_held * len(long))
    message, headers = served.refused(503, "overloaded", "POST", "/predict", encoded=long)
    assert message == "too many large requests are under way; try again later"
    assert headers["retry-after"] == "1"
    can_go_on.set()
    for thread in threads:
        thread.join(20)
    assert [status for status, _, _ in found] == [200] * n_held
    assert bodies.n_held == 0
