"""Bring the numbers that examples print up to date: ``python -m docgen.examples PAGE…``.

Lines are changed where nothing but numbers differs; anything else is printed, to be looked at.
"""

import os
import sys
import tempfile
from pathlib import Path

from docgen.examples.comparing import updated
from docgen.examples.files import FILES, GIVEN
from docgen.examples.pages import Command, Page
from docgen.examples.running import ExampleError, Runner, lines_of, without_blank_end


class Updater(Runner):
    """Remembers what should be shown instead of what is."""

    def __init__(self, folder: Path, given: dict[str, object]) -> None:
        super().__init__(folder, given)
        self.changes: list[tuple[str, str]] = []

    def check(self, command: Command, printed: str) -> None:
        """Replace numbers; complain about other differences."""
        expected = without_blank_end(command.expected)
        found = updated(expected, without_blank_end(lines_of(printed)))
        if found is None:
            super().check(command, printed)
        elif found != expected:
            self.changes.append(("\n".join(expected), "\n".join(found)))


def update(path: Path) -> None:
    """Run the examples of a page, and rewrite it."""
    page = Page.read(path.resolve())
    with tempfile.TemporaryDirectory() as folder:
        for name in page.files:
            FILES[name](Path(folder))
        given = {key: value for name in page.given for key, value in GIVEN[name]().items()}
        before = Path.cwd()
        os.chdir(folder)
        runner = Updater(Path(folder), given)
        try:
            runner.run(page)
        except ExampleError as error:
            print(error, file=sys.stderr)
        finally:
            os.chdir(before)
    text = path.read_text(encoding="utf-8")
    for old, new in runner.changes:
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    print(f"{page.name}: {len(runner.changes)} outputs changed")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m docgen.examples PAGE…")
    for argument in sys.argv[1:]:
        update(Path(argument))
