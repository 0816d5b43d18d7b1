"""What is refused, and that nothing makes the server fail."""

import json
import random
import time

import pytest
from fuzzing.requests import answer, draw_request, fault
from pydantic import ValidationError

from leaven.serving._requests import PredictRequest

N_MALFORMED = 400


def post(served, status, code, body=None, path="/predict", **how):
    return served.refused(status, code, "POST", path, body, **how)[0]


@pytest.fixture(scope="module", autouse=True)
def is_alive_and_quiet(served):
    """After all tests the server still predicts, and no request failed for its own reasons."""
    yield
    assert served.post("/models/em/predict", text="dough yeast bread")["predicted"] == "baking"
    assert not [line for line in served.get("/metrics").splitlines() if 'status="5' in line]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "either text or texts, got none"),
        ({"text": "a", "texts": ["b"]}, "either text or texts, got both"),
        ({"text": 1}, "text: must be a valid string, got 1"),
        ({"texts": "a"}, "texts: must be a valid array, got 'a'"),
        ({"texts": ["a", None]}, "texts.1: must be a valid string, got null"),
        ({"text": "a", "top": 0}, "top: must be greater than or equal to 1, got 0"),
        ({"text": "a", "top": 4}, "top must be at most 3, the number of the model's classes"),
        ({"text": "a", "top": 10**30}, "top: must be less than or equal to"),
        ({"text": "a", "top": "2"}, "top: must be a valid integer, got '2'"),
        ({"text": "a", "min_probability": 1.5}, "min_probability: must be less than or equal to 1"),
        ({"text": "a", "extra": []}, "extra: is not part of a request"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(served, body, told):
    assert told in post(served, 422, "bad_request", {"model": "em", **body})


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b'{"text": "\xff"}', b'{"text": "\\ud800"}', b"[" * 10_000, b'{"text": "a"} b',
        b'{"text":' * 9999,
    ],
)  # fmt: skip
def test_a_body_must_be_json(served, body):
    told = post(served, 400, "not_json", encoded=body, path="/models/em/predict")
    assert told.startswith("the body must be JSON in UTF-8, and is not:")


@pytest.mark.parametrize("body", [b"null", b"[]", b'"a"', b"1"])
def test_a_body_must_be_an_object(served, body):
    assert post(served, 422, "bad_request", encoded=body).startswith("the body: must be an object")


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"1e999"])
def test_numbers_must_be_finite(served, number):
    body = b'{"text": "a", "model": "em", "min_probability": ' + number + b"}"
    assert "must be a finite number" in post(served, 422, "bad_request", encoded=body)


def test_what_is_missing_is_named(served):
    told = post(served, 422, "bad_request", {"model": "em"}, path="/explain")
    assert told == "text: is missing; add it"


def test_a_list_is_refused_at_its_first_wrong_value():
    """A million of them would otherwise be described, which takes a second."""
    with pytest.raises(ValidationError) as error:
        PredictRequest.model_validate_json(b'{"texts": ["a", 1, 2, 3]}')
    assert error.value.error_count() == 1


def test_an_unknown_model_is_named(served):
    told = post(served, 404, "unknown_model", {"text": "a", "model": "other"})
    assert told == "there is no model 'other'; choose one of auto, em, numbers, sets, knn"
    post(served, 404, "unknown_model", {"text": "a"}, path="/models/other/predict")
    post(served, 404, "unknown_model", {"text": "a"}, path="/models/other/explain")
    assert served.refused(404, "unknown_model", "GET", "/models/other")


def test_a_model_must_be_named_where_there_are_several(served):
    assert "name one" in post(served, 422, "no_model", {"text": "a"})
    told = post(served, 422, "bad_request", {"text": "a", "model": "em"}, "/models/knn/predict")
    assert "must be that of the address" in told


def test_addresses_and_methods(served):
    for path in ("/", "/docs", "/redoc", "/predict/", "/predict/x", "/models"):
        served.refused(404, "not_found", "GET", path)
    for method, path in [
        ("GET", "/predict"),
        ("PUT", "/explain"),
        ("POST", "/health"),
        ("POST", "/models/predict"),
    ]:
        _, headers = served.refused(405, "method_not_allowed", method, path)
        assert headers["allow"]


def test_long_bodies_and_many_texts(serve, models):
    small = serve(models["em"], max_body=1000, max_texts=3)
    long = {"text": "a" * 1000}
    told = post(small, 413, "too_large", long)
    assert told == "a request may have at most 1,000 bytes"
    # Without a length in its header, it is noticed while it arrives.
    pieces = iter([b'{"text": "', b"a" * 600, b"a" * 600, b'"}'])
    post(small, 413, "too_large", encoded=pieces, headers={"transfer-encoding": "chunked"})
    post(small, 413, "too_large", long, path="/explain")
    told = post(small, 413, "too_many_texts", {"texts": ["a"] * 4})
    assert told == "a request may have at most 3 texts, got 4; send several requests"
    assert len(small.post("/predict", texts=["a"] * 3)["predictions"]) == 3


def test_a_body_that_does_not_arrive_is_given_up(serve, models):
    import socket

    hurried = serve(models["em"], timeout=0.2)
    with socket.create_connection(("127.0.0.1", hurried.port), timeout=10) as connection:
        head = b"POST /predict HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n"
        start = time.monotonic()
        connection.sendall(head + b'{"text"')
        received = connection.recv(4096)
    assert received.startswith(b"HTTP/1.1 408 ")
    assert json.loads(received.partition(b"\r\n\r\n")[2])["error"]["code"] == "timeout"
    assert time.monotonic() - start < 5


def test_malformed_requests_are_refused(served):
    """``python -m fuzzing.requests`` sends many more, to a process of its own."""
    chosen = random.Random(0)
    n_refused = 0
    for _ in range(N_MALFORMED):
        drawn = draw_request(chosen)
        received = answer(served.port, drawn)
        assert fault(drawn, received) is None, (drawn, received)
        n_refused += received.startswith(b"HTTP/1.1 4")
    assert n_refused > N_MALFORMED / 2


def test_texts_are_not_executed_or_changed(served):
    for text in ("{{7*7}}", "<script>", "'; DROP TABLE", "\x1b[31m", "%s%n", "\\"):
        assert served.post("/models/em/predict", text=text)["note"] == "no known word"
