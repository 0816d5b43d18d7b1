"""Where the work is done: in memory, streamed from disk, or on a Dask cluster."""

import contextlib
import gc
import json
import logging
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from leaven._base.interrupts import uninterrupted
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
    if address == "local":
        with _local(dask, n_workers) as client:
            yield client
        return
    if address.endswith(".json"):
        address = _address_in(address)
    if address.startswith("tls://"):
        _check_certificates(address)
    client, reason = None, ""
    try:
        client = dask.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # a bad address raises many kinds of errors in Dask
        reason = " ".join(str(error).split())[:120]
    if client is None:
        gc.collect()  # ends what is left of the client, see _local
        raise ConnectionError(
            f"no Dask scheduler answers at {address} ({reason}); "
            "start one with: dask scheduler, and pass the address that it prints"
        )
    try:
        yield client
    finally:
        with uninterrupted():
            _close(client, 2)


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
def _local(dask: Any, n_workers: int | None) -> Iterator[Any]:
    """A client of a cluster on this machine: a process per processor, ended when done.

    An interrupt of its start or its end waits until nothing of it can be left behind.
    """
    from dask.config import set as configured

    from leaven._base.threads import count_threads

    undo = contextlib.ExitStack()
    try:
        # A client that is collected while Dask starts a loop waits for a lock that is held then.
        gc.collect()
        with uninterrupted(), _workers_without_interrupts():
            folder = undo.enter_context(tempfile.TemporaryDirectory(prefix="leaven-dask-"))
            undo.enter_context(configured(temporary_directory=folder))
            cluster = dask.LocalCluster(
                host=LOOPBACK,  # whoever reaches a port of a cluster can run code as its owner
                n_workers=count_threads(n_workers),
                threads_per_worker=1,
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=f"{LOOPBACK}:0",
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            )
            undo.callback(_close, cluster, 5)
            client = dask.Client(
                cluster, timeout=CONNECT_SECONDS, set_as_default=False, direct_to_workers=True
            )
            undo.callback(_close, client, 2)
        yield client
    finally:
        with uninterrupted():
            undo.close()


@contextlib.contextmanager
def _workers_without_interrupts() -> Iterator[None]:
    """Processes started inside are not disturbed by Ctrl-C, which a terminal sends to all.

    Only this process handles it. Threads and processes inherit which signals are blocked.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # Python starts this process with the first worker, and unblocks signals when it has.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _close(opened: Any, seconds: float) -> None:
    """Close a client or a cluster; errors do not matter any more."""
    with contextlib.suppress(Exception):
        opened.close(timeout=seconds)
