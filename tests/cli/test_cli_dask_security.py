"""Who can reach a cluster: a local one from this machine only, one with TLS by certificate."""

import shutil
import subprocess

import dask.config
import psutil
import pytest
from distributed import LocalCluster, Security
from tests.cli.conftest import make_rows

import leaven
from leaven.cli._where import TLS_SETTINGS, connected


def listening():
    """Addresses at which this process and those that it started wait for connections."""
    me = psutil.Process()
    return {
        connection.laddr
        for process in (me, *me.children(recursive=True))
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    }


def test_a_local_cluster_listens_on_this_machine_only():
    before = listening()
    with connected("local", 1) as client:
        found = listening() - before
        about = client.scheduler_info()
        (address, worker), *_ = about["workers"].items()
        addresses = (about["address"], address, worker["nanny"])
        ports = {int(own.rpartition(":")[2]) for own in addresses}
        ports |= {about["services"]["dashboard"], worker["services"]["dashboard"]}
    assert ports <= {own.port for own in found}  # of scheduler, worker, nanny, both dashboards
    assert {own.ip for own in found} == {"127.0.0.1"}


@pytest.fixture
def certificates(tmp_path):
    """Two certificates, each of which trusts itself alone, with their keys."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates")
    made = []
    for name in ("ours", "theirs"):
        cert, key = str(tmp_path / f"{name}.pem"), str(tmp_path / f"{name}.key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-days", "1", "-subj", f"/CN={name}", "-keyout", key, "-out", cert],
            check=True, capture_output=True,
        )  # fmt: skip
        made.append((cert, key))
    return made


def configured(cert, key):
    """Dask's own configuration, which the environment or its YAML files set."""
    names = {"ca-file": cert, "client.cert": cert, "client.key": key}
    return {f"distributed.comm.tls.{name}": value for name, value in names.items()}


def test_the_environment_sets_what_the_message_names():
    names = ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
    environment = dask.config.collect_env({TLS_SETTINGS + name: name for name in names})
    for name, expected in zip(configured("", ""), names, strict=True):
        assert dask.config.get(name, config=environment) == expected


def test_a_cluster_with_tls_is_used_by_certificate_only(run, data, certificates, monkeypatch):
    monkeypatch.setattr("leaven.cli._where.CONNECT_SECONDS", 1)
    ours, theirs = certificates
    roles = {f"tls_{role}_{kind}": ours[kind == "key"]
             for role in ("scheduler", "worker", "client") for kind in ("cert", "key")}  # fmt: skip
    security = Security(require_encryption=True, tls_ca_file=ours[0], **roles)
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0",
        host="127.0.0.1", protocol="tls://", security=security,
    ) as cluster:  # fmt: skip
        address = cluster.scheduler_address
        train = ("train", data, "--method", "em", "--dask")
        with dask.config.set(configured(*ours)):
            done = run(*train, address, "-o", "tls.leaven")
        assert done.exit_code == 0, done.output
        with dask.config.set(configured(*theirs)):
            stranger = run(*train, address, "-o", "no.leaven")
        plain = run(*train, address.replace("tls://", "tcp://"), "-o", "no.leaven")
    assert address.startswith("tls://127.0.0.1:")
    for refused in (stranger, plain):
        assert refused.exit_code == 1
        assert refused.stderr.startswith("error: no Dask scheduler answers at t")
        assert refused.stderr.count("\n") == 1
    clf = leaven.TextClassifier("em").fit_files(data, stream=False)
    texts = [row["text"] for row in make_rows(9, 0)]
    there = leaven.load("tls.leaven").predict_proba(texts)
    assert abs(clf.predict_proba(texts) - there).max() < 1e-4


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({}, "none is named"), (configured("none.pem", "none.key"), "No such file")],
    ids=["none", "missing"],
)
def test_tls_without_certificates_is_an_error_of_one_line(run, data, settings, reason):
    with dask.config.set(settings):
        done = run("train", data, "--dask", "tls://127.0.0.1:9", "-o", "m.leaven")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: tls://127.0.0.1:9 needs certificates (")
    assert reason in done.stderr
    assert f"{TLS_SETTINGS}CLIENT__CERT" in done.stderr
    assert done.stderr.count("\n") == 1
