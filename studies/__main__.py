"""Run studies: ``python -m studies`` all of them, ``python -m studies figure_3_4`` those named."""

import importlib
import sys
from pathlib import Path

NAMES = sorted(
    path.stem
    for kind in ("figure", "table", "clark")
    for path in Path(__file__).parent.glob(f"{kind}_*.py")
)


def main() -> None:
    wanted = sys.argv[1:] or NAMES
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        sys.exit(f"no study is called {unknown[0]!r}; choose among {', '.join(NAMES)}")
    for name in wanted:
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"studies.{name}").main()


if __name__ == "__main__":
    main()
