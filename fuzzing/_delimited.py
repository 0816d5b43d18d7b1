"""CSV and TSV files: quotation marks, line endings, headers and rows of all sorts."""

from random import Random

from fuzzing._draws import some_text

__all__ = ["delimited_file"]

NAMES = ("id", "n", "body", "Text", " text", "", "a b", "x;y", "w|z", 'q"q', "é")
ENDS = ("\n", "\n", "\r\n", "\r")


def delimited_file(rng: Random, delimiter: str) -> bytes:
    """A file with a header; most are well-formed, or nearly."""
    names = _names(rng)
    end = rng.choice(ENDS)
    careless = rng.choice((0.0, 0.0, 0.0, 0.03, 0.2))  # chance that a value is quoted wrongly
    ragged = rng.choice((0.0, 0.0, 0.0, 0.05))  # chance that a row has too few or too many fields
    awkward = rng.choice((0.0, 0.2, 0.5))
    lines = [delimiter.join(_quoted(name, delimiter, rng, careless / 4) for name in names)]
    for _ in range(rng.choice((0, 1, 2, 5, 12, 12, 25))):
        n_fields = len(names)
        if rng.random() < ragged:
            n_fields += rng.choice((-1, 1))
        fields = [some_text(rng, awkward) for _ in range(n_fields)]
        lines.append(delimiter.join(_quoted(f, delimiter, rng, careless) for f in fields))
        if rng.random() < 0.02:
            lines.append(rng.choice(("", " ", delimiter, '""')))
    content = ""
    for line in lines:
        content += line + (rng.choice(ENDS) if rng.random() < 0.008 else end)
    if rng.random() < 0.3:
        content = content.removesuffix(end)
    if rng.random() < 0.05:
        content = rng.choice((end, " ", end * 3, "#" + end, "\ufeff" + end)) + content
    return (b"\xef\xbb\xbf" if rng.random() < 0.1 else b"") + content.encode()


def _names(rng: Random) -> list[str]:
    names = ["text", "label"][: rng.choice((1, 2, 2, 2))]
    for _ in range(rng.choice((0, 0, 1, 2, 3))):
        name = rng.choice(NAMES) if rng.random() < 0.9 else some_text(rng)
        names.insert(rng.randrange(len(names) + 1), name)
    if rng.random() < 0.03:
        names.append(rng.choice(names))
    if rng.random() < 0.01:
        names += [f"column {i} " + "x" * rng.choice((1, 40)) for i in range(30)]
    return names


def _quoted(value: str, delimiter: str, rng: Random, careless: float) -> str:
    if rng.random() < careless:
        return rng.choice((value, f'"{value}"', f'"{value}', f' "{value}"', f'"{value}"x'))
    if rng.random() < 0.1 or any(special in value for special in ('"', "\n", "\r", delimiter)):
        value = value.replace('"', '""')
        return f'"{value}"'
    return value
