"""Cases for the tests of the harness itself, in a module that worker processes can import."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzzing._cases import Fault
from fuzzing._shrinking import shorter


@dataclass(frozen=True)
class Toy:
    """A case whose check crashes, hangs in Python, raises, or does none of it."""

    content: bytes
    group: str = "toy"

    def check(self, folder: Path) -> str:
        if b"crash" in self.content:
            os._exit(9)
        if b"bad" in self.content:
            raise Fault("bad", "as told")
        if b"error" in self.content:
            raise KeyError("error")
        return "good"

    def smaller(self) -> Iterator["Toy"]:
        return (Toy(content) for content in shorter(self.content))


def draw_toy(rng: Random) -> Toy:
    return Toy(rng.choice((b"good", b"good", b"a bad one", b"crash")))
