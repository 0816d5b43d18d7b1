"""Whether output is what an example shows: ``…`` is anything, numbers may differ a little."""

import math
import re
from importlib.metadata import version

from docgen.examples.pages import ROOT

NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
BAR = re.compile("[█▉▊▋▌▍▎▏]+")
RULE = re.compile("─+")
ANY = "…"
DECIDING = ("numpy", "scipy", "scikit-learn", "numba")  # versions of which change last digits


def has_pinned_versions() -> bool:
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    return all(f"{name}=={version(name)}" in pinned for name in DECIDING)


TOLERANCE = 0.005 if has_pinned_versions() else 0.08


def agrees(expected: list[str], printed: list[str]) -> bool:
    """Whether lines match, in order."""
    return matches(expected, printed, TOLERANCE) is not None


def updated(expected: list[str], printed: list[str]) -> list[str] | None:
    """The expected lines with the numbers that were printed; None if more than these differs."""
    pairs = matches(expected, printed, math.inf)
    if pairs is None:
        return None
    return [line if found is None else with_numbers(line, found) for line, found in pairs]


def matches(
    expected: list[str], printed: list[str], tolerance: float
) -> list[tuple[str, str | None]] | None:
    """Each expected line with the one that was printed, None for ``…``; None if they differ."""
    if not expected:
        return None if printed else []
    first, *rest = expected
    if first.strip() == ANY:
        for skipped in range(len(printed) + 1):
            found = matches(rest, printed[skipped:], tolerance)
            if found is not None:
                return [(first, None), *found]
        return None
    if not printed or not line_agrees(first, printed[0], tolerance):
        return None
    found = matches(rest, printed[1:], tolerance)
    return None if found is None else [(first, printed[0]), *found]


def line_agrees(expected: str, printed: str, tolerance: float) -> bool:
    """Whether a line is as expected, but for its numbers."""
    match = re.fullmatch(line_pattern(expected), simplified(printed))
    shown = NUMBER.findall(simplified(expected))
    return match is not None and all(
        number_agrees(*pair, tolerance) for pair in zip(shown, match.groups(), strict=True)
    )


def with_numbers(expected: str, printed: str) -> str:
    """An expected line with the numbers that were printed."""
    if ANY not in expected:
        return printed
    match = re.fullmatch(line_pattern(expected), simplified(printed))
    numbers = iter(() if match is None else match.groups())
    return NUMBER.sub(lambda _: next(numbers), expected)


def line_pattern(expected: str) -> str:
    """A regular expression of a line, with a group for each number."""
    pattern, end, line = "", 0, simplified(expected)
    for found in NUMBER.finditer(line):
        pattern += _literal(line[end : found.start()]) + f"({NUMBER.pattern})"
        end = found.end()
    return pattern + _literal(line[end:])


def number_agrees(expected: str, printed: str, tolerance: float) -> bool:
    """Whether a number differs by two in its last digit, or a small share, at most."""
    wanted, found = (float(number.replace(",", "")) for number in (expected, printed))
    mantissa, _, exponent = expected.partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - decimals) if decimals else 1.0
    return abs(wanted - found) <= 2 * unit + tolerance * (abs(wanted) or 1)


def simplified(line: str) -> str:
    """A line without what the lengths of numbers decide: spaces, bars and rules."""
    return " ".join(RULE.sub("─", BAR.sub("█", line)).split())


def _literal(text: str) -> str:
    return ".*?".join(map(re.escape, text.split(ANY)))
