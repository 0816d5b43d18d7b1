"""Results as HTML for notebooks: tables and bars that fit light and dark themes.

Everything that is not `Markup` is escaped, so that words, labels and file names cannot add
elements. Control characters are shown as on terminals, and every text is isolated, so that writing
from right to left does not reorder what stands beside it. No scripts, no external resources.
"""

from collections.abc import Iterable, Sequence
from html import escape

from leaven._base.printing import printable
from leaven._base.tables import TextTable

__all__ = [
    "Markup",
    "bar",
    "bold",
    "document",
    "folded",
    "isolated",
    "joined",
    "muted",
    "paragraph",
    "signed_bar",
    "table",
]

# Mid-tones that stand out on white and on black, also for people who confuse red and green.
AHEAD, BEHIND = "#4c8dd6", "#d9822b"
MOST_ROWS = 200
LINE = "rgba(128,128,128,.45)"
# Notebooks style tables of their own accord, by selectors that three classes outweigh. The
# background of rows is left to them.
IN = ".leaven.leaven.leaven"
STYLE = (
    f"{IN}{{line-height:1.45;color:inherit}}"
    f"{IN} p{{margin:.2em 0}}"
    f"{IN} table{{border-collapse:collapse;border:0;margin:.5em 0;color:inherit;"
    "font-size:inherit;table-layout:auto;width:auto}"
    f"{IN} th,{IN} td{{border:0;padding:.15em 1.2em .15em .3em;text-align:left;"
    "vertical-align:baseline;max-width:45em;white-space:normal;overflow-wrap:break-word}"
    f"{IN} thead th{{border-bottom:1px solid {LINE};font-weight:600;white-space:nowrap}}"
    f"{IN} th.n,{IN} td.n{{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}"
    f"{IN} .m{{opacity:.7}}"
    f"{IN} summary{{cursor:pointer}}"
    f"{IN} .b{{display:inline-block;position:relative;width:10em;height:.75em}}"
    f"{IN} .b i{{position:absolute;top:0;bottom:0;border-radius:1px}}"
    f"{IN} .b.two::after{{content:'';position:absolute;left:50%;top:-.2em;bottom:-.2em;"
    f"border-left:1px solid {LINE}}}"
)


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def document(*parts: Markup) -> str:
    """What a result's ``_repr_html_`` returns: its parts, and the style that they need."""
    return f'<style>{STYLE}</style><div class="leaven">{"".join(parts)}</div>'


def table(content: TextTable) -> Markup:
    """A table of at most ``MOST_ROWS``; cells that are markup are left as they are."""
    kinds = ["n" if title in content.numeric else "" for title in content.titles]
    body = "".join(f"<tr>{_cells('td', row, kinds)}</tr>" for row in content.rows[:MOST_ROWS])
    head = _cells("th", content.titles, kinds)
    shown = Markup(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if len(content.rows) <= MOST_ROWS:
        return shown
    note = paragraph(muted(f"{MOST_ROWS} of {len(content.rows):,} rows are shown"))
    return joined("", [shown, note])


def paragraph(*parts: str) -> Markup:
    """Text, parts of which may be markup."""
    return Markup(f'<p dir="auto">{"".join(map(_safe, parts))}</p>')


def bold(text: str) -> Markup:
    """Text in bold, isolated from what stands beside it."""
    return Markup(f"<b><bdi>{_safe(text)}</bdi></b>")


def isolated(text: str) -> Markup:
    """Text whose direction of writing does not affect its neighbors."""
    return Markup(f"<bdi>{_safe(text)}</bdi>")


def joined(between: str, parts: Iterable[str]) -> Markup:
    """Parts, some of which may be markup, with something between them."""
    return Markup(_safe(between).join(map(_safe, parts)))


def muted(text: str) -> Markup:
    """Text of less importance."""
    return Markup(f'<span class="m">{_safe(text)}</span>')


def folded(title: str, *parts: Markup) -> Markup:
    """Parts that are shown after a click on their title."""
    return Markup(f"<details><summary>{_safe(title)}</summary>{''.join(parts)}</details>")


def bar(share: float) -> Markup:
    """A bar from the left, full for a share of 1."""
    return _bar("", 0.0, _limited(share), AHEAD)


def signed_bar(share: float) -> Markup:
    """A bar from the middle: to the right for shares up to 1, to the left down to -1."""
    half = _limited(abs(share)) / 2
    if share < 0:
        return _bar(" two", 0.5 - half, half, BEHIND)
    return _bar(" two", 0.5, half, AHEAD)


def _limited(share: float) -> float:
    return min(max(share, 0.0), 1.0)


def _bar(kind: str, start: float, width: float, color: str) -> Markup:
    # Screen readers read the number that stands beside it.
    style = f"left:{100 * start:.1f}%;width:{100 * width:.1f}%;background:{color}"
    return Markup(f'<span class="b{kind}" aria-hidden="true"><i style="{style}"></i></span>')


def _cells(tag: str, contents: Sequence[str], kinds: Sequence[str]) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    classes = [f' class="{kind}"' if kind else "" for kind in kinds]
    return "".join(
        f'<{tag}{given}{scope} dir="auto">{_safe(content)}</{tag}>'
        for content, given in zip(contents, classes, strict=True)
    )


def _safe(text: str) -> str:
    return text if isinstance(text, Markup) else escape(printable(text))
