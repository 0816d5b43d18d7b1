"""Types of parameters as docstrings write them: an extension of griffe, which mkdocs.yml names.

griffe reads a type such as ``{"as-is", "labels"}`` as Python, and the reference would show
``(as - is, labels)``. Here it becomes ``one of "as-is", "labels"``, and ``int, "auto" or None``
gets a comma before its last alternative: neither is Python, so that both are shown as written.
"""

import re
from typing import Any

import griffe

PARAMETER = re.compile(r"^(?P<names> *\w+(?:, \w+)* : )(?P<type>[^\n]+)$", re.MULTILINE)
CHOICES = re.compile(r"\{([^}]*)\}")
LAST = re.compile(r"(?<=, )([^,()\[\]]+) or ")
DEFAULT = re.compile(r",\s+default=")


class AsWritten(griffe.Extension):
    """Docstrings whose types are no expressions of Python."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of anything that has one."""
        if obj.docstring is not None:
            obj.docstring.value = with_plain_types(obj.docstring.value)


def with_plain_types(docstring: str) -> str:
    """The docstring with types that are shown as they are."""

    def changed(found: re.Match[str]) -> str:
        kind, *default = DEFAULT.split(found["type"], maxsplit=1)
        kind = CHOICES.sub(lambda listed: "one of " + re.sub(r"\s+", " ", listed[1].strip()), kind)
        kind = LAST.sub(r"\1, or ", kind)
        return found["names"] + ", default=".join([kind, *default])

    return PARAMETER.sub(changed, docstring)
