"""What a command imports, how long that takes, and what it is needed for."""

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence

LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")
LEAST = 0.005  # seconds from which on a package has a row of its own
NEEDED_FOR = {
    "leaven": "the command itself",
    "llvmlite": "numba: compiled code from disk into memory",
    "numba": "kernels: finding their compiled code by the types of arguments",
    "numpy": "arrays; scipy.sparse also imports numpy.f2py, numpy.testing and numpy.typing",
    "pyarrow": "texts, tables, files",
    "pydantic": "typer: checks of arguments",
    "pydantic_core": "typer: checks of arguments",
    "annotated_types": "typer: checks of arguments",
    "safetensors": "the model file",
    "scipy": "sparse counts",
    "typer": "arguments and help",
    "yaml": "numba: its configuration file",
}
OTHERS = "others"


def imported_packages(
    arguments: Sequence[str], environment: dict[str, str]
) -> list[dict[str, object]]:
    """Packages with the number of their modules and the seconds these took, longest first."""
    command = [sys.executable, "-X", "importtime", "-m", "leaven", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    seconds: dict[str, float] = defaultdict(float)
    modules: dict[str, int] = defaultdict(int)
    for own, name in LINE.findall(done.stderr):
        package = name.partition(".")[0]
        seconds[package] += int(own) / 1e6
        modules[package] += 1
    for package in [name for name, total in seconds.items() if total < LEAST]:
        seconds[OTHERS] += seconds.pop(package)
        modules[OTHERS] += modules.pop(package)
    return [
        {
            "package": package,
            "modules": modules[package],
            "seconds": round(total, 4),
            "needed_for": NEEDED_FOR.get(package, "the standard library, and small packages"),
        }
        for package, total in sorted(seconds.items(), key=lambda item: -item[1])
    ]
