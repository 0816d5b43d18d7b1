"""``leaven serve``: names of models, and what is refused before anything is served."""

import socket

import pytest

pytest.importorskip("fastapi")

from leaven import TextClassifier
from leaven.serving._models import named_paths


def test_the_name_of_a_model_is_that_of_its_file():
    assert named_paths(["a/tickets.leaven", "spam=b.leaven", "x=y=z"]) == {
        "tickets": "a/tickets.leaven",
        "spam": "b.leaven",
        "x": "y=z",
    }


def test_a_file_that_exists_is_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.leaven").touch()
    assert named_paths(["a=b.leaven"]) == {"a=b": "a=b.leaven"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["a.leaven", "x/a.leaven"], "'a.leaven' and 'x/a.leaven' are both 'a'"),
        (["m=a.leaven", "m=b.leaven"], "'a.leaven' and 'b.leaven' are both 'm'"),
        (["m="], "'m=' must name a model file"),
        (["a\nb=m.leaven"], "must be printable"),
    ],
)
def test_names_must_differ_and_be_printable(run, given, told):
    result = run("serve", *given)
    assert result.exit_code == 1
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_is_no_model_is_named(run, tmp_path):
    (tmp_path / "m.leaven").write_text("no model")
    for path in ("m.leaven", "nowhere.leaven", str(tmp_path)):
        result = run("serve", path)
        assert result.exit_code == 1
        assert path in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_model_whose_vectors_come_from_a_function_is_refused(run, tmp_path):
    def embed(texts):
        return [[len(text), text.count("a")] for text in texts]

    texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"] * 3
    labels = ["baking", "space", None, None] * 3
    TextClassifier("two-view", embed=embed).fit(texts, labels).save(tmp_path / "m.leaven")
    result = run("serve", "m.leaven")
    assert result.exit_code == 1
    assert "was trained with vectors of a function or column" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_named(run, em_model):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("serve", em_model, "--port", str(port))
    assert result.exit_code == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in result.stderr


def test_a_host_that_is_not_of_this_machine_is_refused(run, em_model):
    for host in ("203.0.113.7", "no.such.host.invalid"):
        result = run("serve", em_model, "--host", host, "--port", "0")
        assert result.exit_code == 1
        assert host in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_options_are_checked(run, em_model):
    for option in ("--max-batch", "--max-waiting", "--max-body", "--max-texts", "--timeout"):
        assert run("serve", em_model, option, "0").exit_code == 2
    assert run("serve").exit_code == 2


def test_models_can_be_checked_without_serving_them(run, em_model, tmp_path):
    result = run("serve", em_model, f"other={em_model}", "--check")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == "can be served: three, other"
    (tmp_path / "m.leaven").write_bytes(em_model.read_bytes()[:-10])
    assert run("serve", "m.leaven", "--check").exit_code == 1
