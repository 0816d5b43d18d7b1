"""Render a long description as package indexes do, and report links that lead nowhere there.

Run in the environment of the tools: ``python rendering.py DESCRIPTION CLASSIFIERS``.
"""

import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

__all__ = ["relative_links"]


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attributes if name in ("href", "src") and value]


def relative_links(html: str) -> list[str]:
    """Targets of links and pictures that are neither absolute nor inside the page."""
    links = _Links()
    links.feed(html)
    return sorted({each for each in links.found if not urlsplit(each).scheme and each[0] != "#"})


def main(description: Path, classifiers: list[str]) -> None:
    """Print what was found as JSON."""
    from readme_renderer import markdown
    from trove_classifiers import classifiers as known

    html = markdown.render(description.read_text(encoding="utf-8"))
    if not html:
        sys.exit("The long description cannot be rendered.")
    unknown = [each for each in classifiers if each not in known]
    print(json.dumps({"relative": relative_links(html), "unknown": unknown}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
