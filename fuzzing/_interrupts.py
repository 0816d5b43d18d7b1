"""Ctrl-C at random moments of a fit in Python, in a child process that may crash.

``python -m fuzzing._interrupts 300 0`` interrupts 300 fits and prints the outcomes as JSON.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from random import Random

from fuzzing._cases import described

__all__ = ["EXPECTED", "in_child", "interrupted_fits"]

EXPECTED = {"KeyboardInterrupt", "finished"}
TIMEOUT = 1800.0


def in_child(n_fits: int, seed: int) -> dict[str, int]:
    """Outcomes of the fits, run in a process of its own."""
    command = [sys.executable, "-m", "fuzzing._interrupts", str(n_fits), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    try:
        outcomes: dict[str, int] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.splitlines() or [""])[-1][:200]
        return {f"crashes the process with exit code {done.returncode}: {last}": 1}
    return outcomes


def interrupted_fits(n_fits: int, seed: int) -> dict[str, int]:
    """Fit again and again, interrupted each time; the main thread must call this."""
    from leaven import TextClassifier

    signal.signal(signal.SIGINT, signal.default_int_handler)  # even if a shell has it ignored
    texts, labels = _documents()
    expected = TextClassifier("nb").fit(texts, labels).predict_proba(texts[:50])
    begun = time.monotonic()
    TextClassifier("nb").fit(texts, labels)
    usual = time.monotonic() - begun
    outcomes: Counter[str] = Counter()
    ignored: list[str] = []
    sys.unraisablehook = lambda args: ignored.append(type(args.exc_value).__name__)
    rng = Random(f"interrupts {seed}")
    main = threading.main_thread().ident
    assert main is not None
    for _ in range(n_fits):
        moment = rng.uniform(0, 1.1 * usual)
        timer = threading.Timer(moment, signal.pthread_kill, (main, signal.SIGINT))
        result = "finished"
        try:
            timer.start()
            try:
                classifier = TextClassifier("nb").fit(texts, labels)
                if (classifier.predict_proba(texts[:50]) != expected).any():
                    result = "finished with another result"
            finally:
                timer.cancel()
                timer.join()
                time.sleep(0)  # a signal that is on its way arrives here
        except KeyboardInterrupt:
            result = "KeyboardInterrupt" if result == "finished" else result
        except BaseException as error:
            result = described(error)[0]
        outcomes[result] += 1
    outcomes.update(f"exception ignored: {name}" for name in ignored)
    return dict(outcomes)


def _documents() -> tuple[list[str], list[str]]:
    """Documents of random words, some of which belong to a class."""
    rng = Random(0)
    classes = ("a", "b", "c", "d")
    labels = [rng.choice(classes) for _ in range(600)]
    texts = [
        " ".join(rng.choice(("", label)) + f"word{rng.randrange(500)}" for _ in range(60))
        for label in labels
    ]
    return texts, labels


if __name__ == "__main__":
    print(json.dumps(interrupted_fits(int(sys.argv[1]), int(sys.argv[2]))))
