"""Import every module and every public name of the installed leaven, and print how many there are.

Run in the environment that is checked. Modules for extras that are not installed are left out.
"""

import importlib
import pkgutil
import sys

import leaven

OF_EXTRAS = {"dask", "distributed", "fastapi", "jinja2", "matplotlib", "starlette", "uvicorn"}


def main() -> None:
    """Import all; any error but a missing package of an extra ends the program."""
    names = ["leaven", *(each.name for each in pkgutil.walk_packages(leaven.__path__, "leaven."))]
    imported, public, left_out = 0, 0, []
    for name in names:
        if name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in OF_EXTRAS:
                raise
            left_out.append(name)
            continue
        imported += 1
        for public_name in getattr(module, "__all__", []):
            getattr(module, public_name)
            public += 1
    if public < len(leaven.__all__):
        sys.exit("No public names were found.")
    print(f"{imported} modules, {public} public names; for extras: {' '.join(left_out) or 'none'}")


if __name__ == "__main__":
    main()
