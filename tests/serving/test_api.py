"""The description of the API is true, and metrics can be read."""

import re
import sys

import pytest
from pydantic import TypeAdapter

from leaven.serving import _metrics, _replies
from leaven.serving._metrics import Histogram, Metrics

ROUTES = {
    "/predict": {"post"},
    "/models/{name}/predict": {"post"},
    "/explain": {"post"},
    "/models/{name}/explain": {"post"},
    "/info": {"get"},
    "/models/{name}": {"get"},
    "/health": {"get"},
    "/metrics": {"get"},
}
SAMPLE = re.compile(
    r"(?P<name>[a-z_]+)(\{(?P<labels>([a-z]+=\"([^\"\\\n]|\\[\\\"n])*\",?)*)\})? (?P<value>\S+)"
)


@pytest.fixture(scope="module")
def described(served):
    return served.get("/openapi.json")


def test_every_route_is_described(described):
    assert {path: set(methods) for path, methods in described["paths"].items()} == ROUTES


def test_requests_replies_and_errors_have_schemas(described):
    for path, methods in described["paths"].items():
        for method, about in methods.items():
            if method == "post":
                schema = about["requestBody"]["content"]["application/json"]["schema"]
                assert "text" in schema["properties"]
                assert schema["additionalProperties"] is False
                statuses = {"200", "400", "404", "408", "413", "422", "503"}
                assert statuses <= set(about["responses"]), path
            for status, reply in about["responses"].items():
                (content,) = reply["content"].values()
                assert content["schema"], (path, status)
                if status != "200":
                    assert content["schema"] == {"$ref": "#/components/schemas/ErrorReply"}


def test_replies_are_as_described(served, described):
    def check(kind, reply):
        known = TypeAdapter(kind).validate_python(reply, strict=True)
        written = known.model_dump(by_alias=True, exclude_unset=True)
        assert written == reply  # nothing more than described
        assert kind.__name__ in described["components"]["schemas"]

    for name in ("em", "sets", "numbers"):
        body = {"model": name, "top": 2}
        check(_replies.PredictionOfText, served.post("/predict", text="dough", **body))
        check(_replies.Predictions, served.post("/predict", texts=["dough", ""], **body))
        check(_replies.ExplanationReply, served.post("/explain", text="dough", model=name))
        check(_replies.ModelInfo, served.get(f"/models/{name}"))
    check(_replies.ExplanationReply, served.post("/explain", text="dough oven", model="knn"))
    check(_replies.Health, served.get("/health"))
    _, _, error = served.ask("POST", "/predict", {})
    check(_replies.ErrorReply, error)


def test_nothing_is_loaded_from_other_sites(served):
    for path in ("/docs", "/redoc"):
        served.refused(404, "not_found", "GET", path)


def test_metrics_are_in_the_text_format(served):
    served.post("/predict", model="em", text="dough")
    served.refused(404, "not_found", "GET", "/a/strange/address")
    _, headers, text = served.ask("GET", "/metrics")
    assert headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    kinds, samples = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            found = SAMPLE.fullmatch(line)
            assert found, line
            family = re.sub(r"_(bucket|sum|count)$", "", found["name"])
            assert found["name"] in kinds or kinds[family] == "histogram"
            samples[found["name"], found["labels"] or ""] = float(found["value"])
    assert text.endswith("\n")
    assert set(kinds) >= {
        "leaven_requests_total", "leaven_request_duration_seconds", "leaven_batch_texts",
        "leaven_queue_texts", "leaven_rejected_total", "leaven_texts_total",
        "leaven_reloads_total", "process_resident_memory_bytes",
    }  # fmt: skip
    assert samples["leaven_requests_total", 'route="/predict",status="200"'] >= 1
    assert samples["leaven_requests_total", 'route="other",status="404"'] >= 1
    assert samples["leaven_texts_total", 'model="em"'] >= 1
    assert samples["process_resident_memory_bytes", ""] > 10_000_000
    routes = {labels for name, labels in samples if name == "leaven_requests_total"}
    assert not [each for each in routes if "strange" in each]


def test_buckets_of_a_histogram_add_up():
    histogram = Histogram((1, 2, 4))
    for value in (0.5, 1, 1.5, 3, 100):
        histogram.add(value)
    assert list(histogram.lines("n")) == [
        'n_bucket{le="1"} 2',
        'n_bucket{le="2"} 3',
        'n_bucket{le="4"} 4',
        'n_bucket{le="+Inf"} 5',
        "n_sum 106.0",
        "n_count 5",
    ]


def test_memory_is_left_out_where_the_system_does_not_tell(monkeypatch):
    def no_such_file(*_):
        raise FileNotFoundError

    monkeypatch.setattr(_metrics, "open", no_such_file, raising=False)
    assert _metrics.resident_bytes() > 10_000_000
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    assert _metrics.resident_bytes() is None
    assert "process_resident_memory_bytes" not in Metrics().text(0)


def test_names_of_models_are_escaped():
    metrics = Metrics()
    metrics.texts['a"b\\c\nd'] += 1
    assert r'leaven_texts_total{model="a\"b\\c\nd"} 1' in metrics.text(0)
