"""Collect the pages of the site, and build it: ``python -m docgen.site [--serve]``.

The site has the pages of docs/, the changelog, the page for contributors, and the results of
studies that a page links to. Links from one to another are changed to where a file is in the site.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"
MOVED = {  # files that are not below docs/, and where they are in the site
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "license.txt",
    "constraints.txt": "constraints.txt",
}
RESULTS = ("studies/results/", "benchmarks/")  # files that are linked are copied to results/
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]+)")
FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2`*\s*$", re.MULTILINE | re.DOTALL)


class BrokenLinkError(ValueError):
    """A page links to a file that does not exist, or that the site does not have."""


def place(file: str) -> str:
    """Where a file of the project is in the site."""
    if file in MOVED:
        return MOVED[file]
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    for folder in RESULTS:
        if file.startswith(folder):
            return f"results/{file.removeprefix(folder)}"
    raise BrokenLinkError(f"{file} is not part of the site")


def outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """A page in parts, and whether each is text, not code."""
    end = 0
    for found in FENCE.finditer(text):
        yield text[end : found.start()], True
        yield found[0], False
        end = found.end()
    yield text[end:], True


def targets(file: str, text: str) -> list[str]:
    """The files of the project that a page links to."""
    links = (
        link[1] for part, is_text in outside_fences(text) if is_text for link in LINK.finditer(part)
    )
    return [os.path.normpath(os.path.join(os.path.dirname(file), link)) for link in links]


def with_links_of_the_site(file: str, text: str) -> str:
    """The text of a page, with links from its place in the site."""
    folder = os.path.dirname(place(file))

    def moved(link: re.Match[str]) -> str:
        target = os.path.normpath(os.path.join(os.path.dirname(file), link[1]))
        if not (ROOT / target).is_file():
            raise BrokenLinkError(f"{file} links to {link[1]}, which does not exist")
        return os.path.relpath(place(target), folder or ".")

    parts = outside_fences(text)
    return "".join(LINK.sub(moved, part) if is_text else part for part, is_text in parts)


def collect(folder: Path = SOURCE) -> list[str]:
    """Write the pages of the site to a folder; the files of the project that it is made of."""
    waiting = [str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*") if path.is_file()]
    waiting += ["CONTRIBUTING.md", "CHANGELOG.md"]
    known = set(waiting)
    content: dict[str, bytes] = {}
    while waiting:
        file = waiting.pop()
        data = (ROOT / file).read_bytes()
        if file.endswith(".md"):
            text = data.decode()
            data = with_links_of_the_site(file, text).encode()
            new = [
                each for each in targets(file, text) if each not in known and each != "README.md"
            ]
            waiting += new
            known.update(new)
        content[place(file)] = data
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return sorted(known)


def configured(folder: Path) -> Path:
    """A configuration like mkdocs.yml, of a site whose pages and files are all in a folder."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for old, new in (
        ("docs_dir: build/docs", "docs_dir: docs"),
        ("site_dir: build/site", "site_dir: site"),
        ("paths: [src]", f"paths: ['{ROOT / 'src'}']"),
        ("extensions: [docgen/", f"extensions: [{ROOT}/docgen/"),
    ):
        if old not in text:
            sys.exit(f"mkdocs.yml must have {old!r}, which docgen/site.py replaces")
        text = text.replace(old, new)
    path = folder / "mkdocs.yml"
    path.write_text(text, encoding="utf-8")
    return path


def zensical(*arguments: str, configuration: Path, capture: bool = False) -> tuple[int, str]:
    """Run zensical; its exit code and what it printed, if that is captured."""
    program = Path(sys.executable).with_name("zensical")
    command = [str(program), *arguments, "--config-file", str(configuration)]
    done = subprocess.run(
        command,
        cwd=configuration.parent,
        stdout=subprocess.PIPE if capture else None,
        stderr=subprocess.STDOUT if capture else None,
        text=True,
    )
    return done.returncode, done.stdout or ""


def main(
    serve: bool = typer.Option(False, "--serve", help="Serve the site on this machine."),
) -> None:
    """Build the site in build/site."""
    try:
        collect()
    except BrokenLinkError as error:
        sys.exit(f"error: {error}")
    command = ("serve",) if serve else ("build", "--clean", "--strict")
    code, _ = zensical(*command, configuration=ROOT / "mkdocs.yml")
    if code == 0 and not serve:
        print(f"wrote {SITE.relative_to(ROOT)}/index.html, which a browser can open")
    sys.exit(code)


if __name__ == "__main__":
    typer.run(main)
