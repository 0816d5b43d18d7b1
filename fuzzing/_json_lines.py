"""JSON Lines files: numbers, strings and nesting that parsers disagree about."""

import json
from random import Random

from fuzzing._draws import some_text

__all__ = ["json_lines_file"]

NUMBERS = (
    "0", "1", "-1", "2", "3", "1.0", "1.5", "-0", "-0.0", "1e5", "1E+2", "1e-400",
    "9007199254740993", "-9007199254740993", "9223372036854775807",
    "9223372036854775808", "-9223372036854775809", "18446744073709551616", "0.1", "1" * 25,
)  # fmt: skip
NO_NUMBERS = ("01", "+1", "1.", ".5", "0x10", "1_000", "1e400", "-1e400", "1e", "- 1", "--1")
WORDS = ("null", "null", "true", "false", "NaN", "Infinity", "-Infinity", "undefined", "")
STRINGS = (
    r'"\ud800"', r'"\udc00x"', r'"\ud83d\ude00"', r'"\u0000"', r'"a\u0000b"', r'"\n"', r'"\/"',
    r'"\x41"', r'"\u12"', '"\t"', '"\x00"', '"\x1f"', '"\x7f"', r'"\\"', r'"\""', '"', "'a'",
    '"\ufeff"', '" x "', '"1"', '"1.0"', '"null"', '"\x85"', '"\u2028"', '"2020-01-01"',
    '"2020-01-01T00:00:00Z"',
)  # fmt: skip
BEGINNING = 101  # rows
SPACES = ("", "", "", " ", "\t", "  ", "\x0b", "\x0c", "\xa0", "\x1c", "\x00", "\r")
NAMES = ("id", "n", "meta", "body", "", "é", "a.b", "x\\n", "TEXT", "y", "z")
ODD_NAMES = (r"\u0074ext", r"la\u0062el", r"\ud800", "text", "label", "a\x00b", "a\tb")


def json_lines_file(rng: Random) -> bytes:
    """A file of one object per line; most are well-formed, or nearly."""
    odd = rng.choice((0.0, 0.01, 0.03, 0.1))  # chance of an odd value, key, space or line
    end = rng.choice(("\n", "\n", "\r\n"))
    columns = {name: rng.choice(KINDS) for name in rng.sample(NAMES, rng.choice((0, 1, 1, 2, 3)))}
    of_label = rng.choice((_string, _string, _integer, _float, _word, _number, _list))
    lines = []
    if rng.random() < 0.08:  # Python's parser sees the first rows, which tell the columns
        lines = ['{"text": "a", "label": "b"}' + end] * BEGINNING
    for _ in range(rng.choice((1, 2, 5, 12, 12, 25))):
        pairs = [("text", _odd(rng, odd) or _string(rng))]
        if rng.random() < 0.9:
            pairs.append(("label", _odd(rng, odd) or of_label(rng)))
        for name, kind in columns.items():
            if rng.random() < 0.8:
                pairs.append((name, _odd(rng, odd) or kind(rng)))
        if rng.random() < odd / 2:
            pairs.append((rng.choice(ODD_NAMES), _string(rng)))
        if rng.random() < 0.1:
            rng.shuffle(pairs)
        line = "{" + ", ".join(f'"{name}": {value}' for name, value in pairs) + "}"
        if rng.random() < odd:
            line = _odd_line(line, rng)
        lines.append(
            line + (rng.choice(("\n", "\r\n", "\r", " ")) if rng.random() < 0.005 else end)
        )
    content = "".join(lines)
    if rng.random() < 0.3:
        content = content.removesuffix(end)
    return (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + content.encode()


def _string(rng: Random) -> str:
    return json.dumps(some_text(rng), ensure_ascii=rng.random() < 0.3)


def _integer(rng: Random) -> str:
    return str(rng.randrange(4))


def _float(rng: Random) -> str:
    return rng.choice(("1.0", "2.0", "0.5", "1e3", "1"))


def _word(rng: Random) -> str:
    return rng.choice(("true", "false", "null"))


def _number(rng: Random) -> str:
    return rng.choice(NUMBERS)


def _nested(rng: Random, depth: int = 2) -> str:
    inner = [_nested(rng, depth - 1) if depth else rng.choice(FLAT)(rng) for _ in range(2)]
    inner = inner[: rng.randrange(3)]
    if rng.random() < 0.5:
        return "[" + ",".join(inner) + "]"
    return "{" + ",".join(f'"{key}": {v}' for key, v in zip("ab", inner, strict=False)) + "}"


def _list(rng: Random) -> str:
    """The labels of a document that may have several."""
    return "[" + ", ".join(rng.choice(FLAT)(rng) for _ in range(rng.randrange(4))) + "]"


FLAT = (_string, _integer, _float, _word)
KINDS = (*FLAT, _number, _nested)


def _odd(rng: Random, chance: float) -> str:
    """A value that may be invalid, or ""."""
    if rng.random() >= chance:
        return ""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice((*NUMBERS, *NO_NUMBERS))
    if kind == 1:
        return rng.choice(WORDS)
    if kind == 2:
        return rng.choice(STRINGS)
    if kind == 3:
        return _nested(rng)
    if kind == 4 and rng.random() < 0.1:
        return rng.choice(
            ("9" * 4301, "9" * 400 + ".5", "[" * 1200 + "]" * 1200, "[" * 30 + "]" * 30)
        )
    return _string(rng)


def _odd_line(line: str, rng: Random) -> str:
    space = rng.choice(SPACES)
    return rng.choice(
        (
            space + line,
            line + space,
            line.replace(": ", ":" + space),
            line.replace(", ", "," + space),
            line + " " + line,
            line + line,
            line + ",",
            f"[{line}]",
            line[:-1] + ",}",
            line.replace(", ", ",\n"),
            line.replace('"', "'"),
            "{}",
            "[]",
            "1",
            "null",
            '"text"',
            "// " + line,
            line[: rng.randrange(len(line))],
            line.replace("text", "TEXT"),
            "",
            "  ",
        )
    )
