"""Random choices that several generators make: words, awkward characters, damage to bytes."""

from random import Random

__all__ = ["damaged", "some_bytes", "some_text"]

WORDS = (
    "good", "bad", "film", "goal", "team", "x", "Ümlaut", "naïve", "日本", "😀", "it's", "a b",
    "0", "1", "-1", "1.0", "1e5", "null", "NA", "nan", "true", "", "", " ",
)  # fmt: skip
# Characters that have a meaning in some format, or that programs disagree about.
AWKWARD = (
    '"', '""', "'", ",", ";", "\t", "|", "\n", "\r\n", "\r", "\\", "\\n", "{", "}", "[", "\0",
    "\x0b", "\x0c", "\x1a", "\x1c", "\x1f", "\x7f", "\x85", "\xa0", "\u2028", "\ufeff",
    "\ufffd", "e\u0301",
)  # fmt: skip
TOKENS = (
    b'"', b'""', b'"\r\n', b"\r\n", b"\r", b"\n", b"\n\n", b",", b";", b"\t", b"|", b"\0", b"\xff",
    b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"{", b"}", b"[", b"]", b":", b"\\",
    b"\\u0000", b"\\ud800", b"null", b"NaN", b"1e999", b"\x1f\x8b", b"PAR1", b'",\n"', b" ",
    b"text",
)  # fmt: skip


def some_text(rng: Random, awkward: float = 0.3) -> str:
    """A few words, some with awkward characters between them; now and then very many."""
    if rng.random() < 0.01:
        return rng.choice(("long ", "é", "x", '"', "\n")) * rng.choice((70, 300, 5000))
    parts = []
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        parts.append(rng.choice(AWKWARD if rng.random() < awkward else WORDS))
    return rng.choice(("", " ")).join(parts)


def some_bytes(rng: Random) -> bytes:
    """A token that means something somewhere, or bytes that mean nothing."""
    if rng.random() < 0.7:
        return rng.choice(TOKENS)
    return rng.randbytes(rng.choice((1, 1, 2, 4)))


def damaged(content: bytes, rng: Random) -> bytes:
    """The content after a few changes: bytes replaced, inserted, removed, repeated, or cut off."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(content) + 1)
        end = min(len(content), at + rng.choice((1, 1, 2, 8, 30)))
        change = rng.randrange(6)
        if change == 0:
            content = content[:at] + some_bytes(rng) + content[at:]
        elif change == 1:
            content = content[:at] + content[end:]
        elif change == 2:
            content = content[:at] + some_bytes(rng) + content[end:]
        elif change == 3:
            content = content[:end] + content[at:]
        elif change == 4 and at < len(content):
            content = (
                content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
            )
        elif rng.random() < 0.2:
            content = content[:at]
    return content
