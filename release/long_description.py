"""README as package indexes show it: without links and pictures that lead into the checkout.

An index renders the description on a page of its own, where ``docs/…`` leads nowhere. Texts of
such links stay as plain text, such pictures are left out, and a sentence says where the files are.
"""

import re

__all__ = ["long_description"]

NOTE = (
    "The pages, figures and results that this text mentions are in the source distribution, in the "
    "folders `docs` and `studies`."
)

LINKS = "\n## More\n"  # the last section: nothing but links

# Code comes first, so that brackets inside of it are not mistaken for links.
_PARTS = re.compile(
    r"(?P<code>^```.*?^```|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|<!--.*?-->\n*"
    r"|(?P<picture>!)?\[(?P<text>(?:`[^`]*`|[^\[\]`])*)\]\((?P<target>[^()\s]+)(?:\s+\"[^\"]*\")?\)",
    re.DOTALL | re.MULTILINE,
)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def long_description(readme: str) -> str:
    """Markdown of a README whose relative links are plain text."""
    text = _PARTS.sub(_replacement, readme.partition(LINKS)[0])
    return re.sub(r"\n{3,}", "\n\n", text).strip() + f"\n\n{NOTE}\n"


def _replacement(found: re.Match[str]) -> str:
    if found["code"] is not None:
        return found[0]
    if found["target"] is None:  # a comment: the mark of a generated part
        return ""
    if _ABSOLUTE.match(found["target"]):
        return found[0]
    return "" if found["picture"] else found["text"]
