"""Where the work is done: in memory, streamed from disk, or on a Dask cluster."""

import contextlib
import json
import logging
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from leaven.cli._help import DATA, WHERE

__all__ = [
    "Cache",
    "DaskAddress",
    "SkipBadFiles",
    "Stream",
    "check_where",
    "connected",
]

CONNECT_SECONDS = 10
LOOPBACK = "127.0.0.1"
TLS_SETTINGS = "DASK_DISTRIBUTED__COMM__TLS__"  # in the environment

Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="For files larger than memory: read them in pieces and keep counts on disk.",
        rich_help_panel=WHERE,
    ),
]
DaskAddress = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS|local",
        help="Run on a Dask cluster: the scheduler's address or its JSON file, or local to start "
        "one on this machine. Workers must find DATA under the same paths.",
        show_default="no cluster",
        rich_help_panel=WHERE,
    ),
]
SkipBadFiles = Annotated[
    bool,
    typer.Option(
        "--skip-bad-files",
        help="Skip files that are missing or damaged, with a warning.",
        rich_help_panel=DATA,
    ),
]
Cache = Annotated[
    str | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        help="Where --stream keeps counts, about 8 bytes per distinct word of a document, until "
        "the process ends.",
        show_default="the system's temporary folder",
        rich_help_panel=WHERE,
    ),
]


def check_where(
    stream: bool, dask: str | None, data: Sequence[str], cache: str | None = None
) -> None:
    """Refuse options that exclude each other."""
    if stream and dask is not None:
        raise typer.BadParameter(
            "--stream is for one machine and --dask for a cluster, whose driver never holds all "
            "documents either; choose one"
        )
    if cache is not None and not stream:
        raise typer.BadParameter("--cache is where --stream keeps counts; add --stream")
    if dask is not None and "-" in data:
        raise typer.BadParameter(
            "workers of a cluster cannot read standard input; save it in a file that they can open"
        )


@contextlib.contextmanager
def connected(address: str | None, n_workers: int | None = None) -> Iterator[Any]:
    """A Dask client for as long as it is needed; None where no address is given."""
    if address is None:
        yield None
        return
    try:
        import distributed
    except ImportError:
        raise ImportError(
            "a Dask cluster needs packages that are not installed; install them with "
            "pip install 'leaven[dask]'"
        ) from None
    if os.environ.get("LEAVEN_DEBUG", "0") in ("", "0"):
        for name in ("distributed", *logging.root.manager.loggerDict):
            if name.split(".")[0] == "distributed":  # what matters is reported in one line
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    dask: Any = distributed  # has no type hints
    with contextlib.ExitStack() as undo:
        cluster = undo.enter_context(_local(n_workers)) if address == "local" else None
        if address.endswith(".json"):
            address = _address_in(address)
        if address.startswith("tls://"):
            _check_certificates(address)
        try:
            client = dask.Client(
                cluster or address,
                timeout=CONNECT_SECONDS,
                set_as_default=False,
                direct_to_workers=cluster is not None,
            )
        except Exception as error:  # a bad address raises many kinds of errors in Dask
            raise ConnectionError(
                f"no Dask scheduler answers at {address} ({' '.join(str(error).split())[:120]}); "
                "start one with: dask scheduler, and pass the address that it prints"
            ) from None
        undo.callback(_close, client)
        yield client


def _address_in(file: str) -> str:
    """The address that a scheduler wrote into its file; it may still be starting."""
    deadline = time.monotonic() + CONNECT_SECONDS
    while not os.path.exists(file) and time.monotonic() < deadline:
        time.sleep(0.1)
    try:
        with open(file, encoding="utf-8") as content:
            address = json.load(content)["address"]
    except FileNotFoundError:
        raise ConnectionError(
            f"{file} does not exist, and no scheduler wrote it within {CONNECT_SECONDS} s; "
            f"start one with: dask scheduler --scheduler-file {file}"
        ) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise ConnectionError(
            f"{file} must be what dask scheduler --scheduler-file writes, a JSON object with an "
            "address, and is not; name that file, or the scheduler's address"
        ) from None
    return str(address)


def _check_certificates(address: str) -> None:
    """Refuse an address that needs certificates where Dask's configuration names none."""
    import distributed

    dask: Any = distributed  # has no type hints
    reason = "none is named"
    try:
        if dask.Security().get_connection_args("client")["ssl_context"] is not None:
            return
    except OSError as error:  # also what the ssl module raises
        reason = " ".join(str(error).split())
    raise ConnectionError(
        f"{address} needs certificates ({reason}); name them in Dask's configuration: "
        f"{TLS_SETTINGS}CA_FILE, {TLS_SETTINGS}CLIENT__CERT and {TLS_SETTINGS}CLIENT__KEY"
    )


@contextlib.contextmanager
def _local(n_workers: int | None) -> Iterator[Any]:
    """A cluster on this machine: a process per processor, closed when done."""
    import dask.config
    import distributed

    from leaven._base.threads import count_threads

    LocalCluster: Any = distributed.LocalCluster
    with tempfile.TemporaryDirectory(prefix="leaven-dask-") as folder:
        # Only this process handles Ctrl-C; workers inherit that it is ignored.
        with _ignoring_interrupts(), dask.config.set(temporary_directory=folder):
            cluster = LocalCluster(
                host=LOOPBACK,  # whoever reaches a port of a cluster can run code as its owner
                n_workers=count_threads(n_workers),
                threads_per_worker=1,
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=f"{LOOPBACK}:0",
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            )
        try:
            yield cluster
        finally:
            with contextlib.suppress(Exception):
                cluster.close(timeout=5)


@contextlib.contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _close(client: Any) -> None:
    with contextlib.suppress(Exception):
        client.close(timeout=2)
