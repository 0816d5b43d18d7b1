"""Who may talk to the page: refusals, headers, and many requests that nobody should send."""

import http.client
import json
import os
import random
import socket
import struct
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi")

from labeling_page import Page, check_error, fresh, make_session, until

from leaven.labeling import _trainer
from leaven.labeling._guard import HEADERS, LARGEST_BODY

N_MALFORMED = int(os.environ.get("LEAVEN_MALFORMED", "500"))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_trainer, "IDLE", 600)
        page = Page(make_session(tmp_path_factory.mktemp("guarded")))
        yield page
        page.close()


ANSWER = {"document": 1, "classes": [1]}


def answer():
    return {"request": fresh(), **ANSWER}


@pytest.fixture(autouse=True)
def is_alive_and_quiet(page, capfd):
    """After every test the page still answers, nothing was labeled, and no traceback was shown."""
    yield
    assert page.get("/api/state")["n_labeled"] == 0
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "", "[::1]", None])
def test_another_host_is_refused(page, host):
    for path in ("/", "/api/state", f"/?token={page.token}", "/static/main.js"):
        headers = page.headers(Host=host)
        if host is None:  # as HTTP/1.0 may do
            told = page.raw(f"GET {path} HTTP/1.0\r\n\r\n".encode())
            assert b" 403 " in told.partition(b"\r\n")[0] or b" 400 " in told.partition(b"\r\n")[0]
        else:
            page.refused(403, "wrong_host", "GET", path, headers=headers)


def test_localhost_is_the_same_machine(page):
    host = f"LOCALHOST:{page.port}"
    status, _, _ = page.ask("GET", "/api/state", headers=page.headers(Host=host))
    assert status == 200


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "https://127.0.0.1", ""])
def test_writes_from_elsewhere_are_refused(page, origin):
    headers = page.headers(Origin=origin)
    page.refused(403, "wrong_origin", "POST", "/api/answers", answer(), headers=headers)
    page.refused(403, "wrong_origin", "PATCH", "/api/classes/1", answer(), headers=headers)


@pytest.mark.parametrize(
    "cookie",
    [
        None,
        "",
        "leaven_token=",
        "leaven_token=wrong",
        "other={token}",
        "leaven_token={token}x",
        "leaven_token=\xff\xfe",
        ";;;=\x01",
        'leaven_token="',
        "leaven_token" * 500,
    ],
)
def test_without_the_token_nothing_is_answered(page, cookie):
    given = None if cookie is None else cookie.format(token=page.token)
    headers = page.headers(Cookie=given)
    for path in ("/", "/api/state", "/api/export", "/api/events", "/static/main.js", "/nothing"):
        page.refused(401, "no_token", "GET", path, headers=headers)
    page.refused(401, "no_token", "POST", "/api/answers", answer(), headers=headers)
    told = page.raw(
        f"DELETE /api/state HTTP/1.1\r\nHost: {page.host}\r\nConnection: close\r\n\r\n".encode()
    )
    assert b" 401 " in told.partition(b"\r\n")[0]


def test_the_address_gives_a_cookie_that_scripts_and_other_sites_do_not_get(page):
    plain = {"Host": page.host}
    status, headers, body = page.ask("GET", f"/?token={page.token}", headers=plain)
    assert (status, headers["location"], body) == (303, "/", b"")
    cookie, *facts = headers["set-cookie"].split("; ")
    assert cookie == f"leaven_token={page.token}"
    assert set(facts) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    for wrong in ("x", page.token + "x", "%ff", ""):
        status, headers, _ = page.ask("GET", f"/?token={wrong}", headers=plain)
        assert status in (401, 403)
        assert headers["set-cookie"] is None
    for path in (f"/api/state?token={page.token}", f"/static/main.js?token={page.token}"):
        page.refused(401, "no_token", "GET", path, headers=plain)
    page.refused(401, "no_token", "POST", f"/?token={page.token}", headers=plain)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_methods_that_are_not_used(page, method):
    page.refused(405, "method_not_allowed", method, "/api/state")


def test_reading_writes_nothing_and_writing_needs_its_own_method(page):
    for path in ("/api/answers", "/api/undo", "/api/bulk", "/api/classes", "/api/model"):
        page.refused(405, "method_not_allowed", "GET", f"{path}?document=1&classes=1")
    page.refused(405, "method_not_allowed", "POST", "/api/state", {})
    page.refused(405, "method_not_allowed", "PATCH", "/api/answers", answer())
    status, _, body = page.ask("HEAD", "/api/state")
    assert (status, body) == (405, b"")


@pytest.mark.parametrize(
    "kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_writes_must_be_json(page, kind):
    headers = page.headers(Content_Type=kind)
    page.refused(415, "not_json", "POST", "/api/answers", answer(), headers=headers)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"document": ' + b"9" * 5000 + b"}", b"\x00"],
)
def test_bodies_that_are_no_json(page, body):
    status, _, told = page.ask("POST", "/api/answers", encoded=body)
    assert status in (400, 422)
    check_error(told)


def test_bodies_that_are_too_large(page):
    big = b" " * (LARGEST_BODY + 1)
    page.refused(413, "too_large", "POST", "/api/answers", encoded=big)
    chunks = [b" " * 65536] * (LARGEST_BODY // 65536 + 1)
    page.refused(
        413, "too_large", "POST", "/api/answers", encoded=iter(chunks), encode_chunked=True
    )
    head = "".join(f"{name}: {value}\r\n" for name, value in page.headers().items())
    for length in ("99999999999", "9" * 400):
        told = page.raw(
            f"POST /api/import HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n{{}}".encode()
        )
        assert told.split(b" ")[1] in (b"413", b"400")
    text = json.dumps(answer()).encode()
    fits = text + b" " * (LARGEST_BODY - len(text))
    page.refused(  # large, but not too large
        404,
        "unknown_document",
        "POST",
        "/api/answers",
        encoded=fits.replace(b'"document": 1', b'"document": 99').rstrip(),
    )


@pytest.mark.parametrize(
    "path",
    [
        "/static/../_app.py",
        "/static/%2e%2e/_app.py",
        "/static/..%2f_app.py",
        "/static/%2e%2e%2f_app.py",
        "/static/..%5c_app.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/main.js%00.css",
        "/static/",
        "/static",
        "//",
        "//evil.example/",
        "/api//state",
        "/api/state/",
        "/API/STATE",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/documents/1/2",
        "/.git/config",
        "/static/main.js/..",
        "*",
    ],
)
def test_tricks_with_paths_lead_nowhere(page, path):
    status, headers, told = page.ask("GET", path)
    assert status == 404
    check_error(told)
    assert "location" not in headers


def test_headers_of_security_are_on_every_response(page):
    requests = [
        ("GET", "/", {}),
        ("GET", "/static/main.js", {}),
        ("GET", "/api/state", {}),
        ("GET", "/api/export", {}),
        ("GET", "/nothing", {}),
        ("GET", "/api/next?n=x", {}),
        ("PUT", "/api/state", {}),
        ("POST", "/api/answers", {}),
        ("GET", "/api/state", {"Host": "evil.example"}),
        ("GET", "/api/state", {"Cookie": None}),
        ("GET", f"/?token={page.token}", {}),
        ("POST", "/api/answers", {"Origin": None}),
    ]
    for method, path, changed in requests:
        _, headers, _ = page.ask(method, path, headers=page.headers(**changed))
        for name, value in HEADERS.items():
            assert headers.get_all(name) == [value], (method, path, name)
        assert headers["server"] is None


def test_a_websocket_is_not_spoken(page):
    told = page.raw(
        f"GET /api/events HTTP/1.1\r\nHost: {page.host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode(),
        2.0,
    )
    assert b" 101 " not in told.partition(b"\r\n")[0]


# Requests that nobody should send: LEAVEN_MALFORMED=10000 sends more of them.

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 50)
    | st.integers()
    | st.floats()
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["request", "document", "classes", "why", "model", "search", "name", "key", "csv", "method"]
)
PATHS = st.sampled_from(
    ["/api/answers", "/api/undo", "/api/bulk", "/api/classes", "/api/import", "/api/model"]
)


@given(
    st.sampled_from(["POST", "PATCH"]),
    PATHS | st.sampled_from(["/api/classes/1", "/api/classes/x", "/api/classes/99"]),
    st.dictionaries(FIELDS, VALUES, max_size=5) | VALUES,
)
@settings(
    max_examples=max(N_MALFORMED // 5, 50),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_bodies_of_any_shape(page, method, path, body):
    if isinstance(body, dict):
        body.pop("skip", None)
        body.setdefault("request", fresh())
    status, _, told = page.ask(method, path, encoded=json.dumps(body).encode())
    assert status < 500, told
    if status >= 400:
        check_error(told)
    else:  # what makes sense by chance is taken back
        while page.session.store.can_undo:
            page.session.undo(fresh())


@given(
    st.sampled_from(["/api/next", "/api/documents", "/api/export", "/api/documents/1", "/"]),
    st.lists(
        st.tuples(
            st.sampled_from(["n", "without", "view", "search", "class", "offset", "limit", "what"]),
            st.text(st.sampled_from("0123456789,-.% \x00aé&=+;/'\"<"), max_size=8),
        ),
        max_size=4,
    ),
    st.booleans(),
)
@settings(
    max_examples=max(N_MALFORMED // 5, 50),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_addresses_of_any_shape(page, path, query, is_encoded):
    from urllib.parse import quote

    def said(text):
        return quote(text) if is_encoded else quote(text, safe="%,&=+;/'\"<")

    status, _, told = page.ask("GET", path + "?" + "&".join(f"{k}={said(v)}" for k, v in query))
    assert status in (200, 303, 403, 404, 422), told
    if status >= 400:
        check_error(told)


def malformed(rng, page):
    """Bytes that are hardly a request."""
    good = (
        f"POST /api/answers HTTP/1.1\r\nHost: {page.host}\r\nCookie: leaven_token={page.token}\r\n"
        f"Origin: http://{page.host}\r\nContent-Type: application/json\r\n"
    )
    body = b'{"request": "r", "document": 99, "classes": [9]}'
    whole = good.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body
    kind = rng.randrange(9)
    if kind == 0:
        return rng.randbytes(rng.randrange(1, 400))
    if kind == 1:  # half a request
        return whole[: rng.randrange(1, len(whole))]
    if kind == 2:  # some bytes are others
        changed = bytearray(whole)
        for _ in range(rng.randrange(1, 6)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    if kind == 3:
        return b"GET / HTTP/1.1\r\nX: " + b"a" * rng.choice([1000, 100_000]) + b"\r\n\r\n"
    if kind == 4:
        return b"GET /" + b"a" * rng.choice([1000, 100_000]) + b" HTTP/1.1\r\n\r\n"
    if kind == 5:
        return b"".join(b"H%d: x\r\n" % i for i in range(rng.randrange(300)))
    if kind == 6:
        return (
            good.encode()
            + b"Transfer-Encoding: chunked\r\n\r\n"
            + rng.choice(
                [b"zz\r\n", b"-1\r\n", b"ffffffffffff\r\n{}", b"5\r\n{}\r\n0\r\n\r\n", b"0\r\n"]
            )
        )
    if kind == 7:
        return good.encode() + rng.choice(
            [
                b"Content-Length: -1\r\n\r\n",
                b"Content-Length: x\r\n\r\n",
                b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345",
                b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n{",
            ]
        )
    return whole + whole[: rng.randrange(len(whole))]  # and the next one at once


def test_bytes_that_are_no_requests(page):
    rng = random.Random(0)
    for number in range(N_MALFORMED):
        told = page.raw(malformed(rng, page)).removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
        if told:
            status = int(told.split(b" ", 2)[1])
            assert 400 <= status < 500, (number, told[:200])
    assert page.get("/api/state")["n_labeled"] == 0


def test_connections_that_are_left_alone_or_cut_off(page):
    idle = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(30)]
    for plain in idle[:20]:
        plain.sendall(b"GET /api/state HTTP/1.1\r\nHost: ")
    began = time.perf_counter()
    page.get("/api/state")
    assert time.perf_counter() - began < 5
    for plain in idle:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        plain.close()
    streams = []
    for _ in range(10):
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=10)
        connection.request("GET", "/api/events", headers=page.headers())
        streams.append((connection, connection.getresponse()))
    for connection, response in streams:
        response.close()
        connection.close()
    page.session._notify()
    until(lambda: not page.session._listeners)
