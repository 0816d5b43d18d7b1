"""How long a person waits for the command line, with compiled code cached."""

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._common import Row, best_seconds
from leaven import TextClassifier


def run() -> list[Row]:
    leaven = str(Path(sys.executable).with_name("leaven"))
    with tempfile.TemporaryDirectory() as folder:
        model, document = Path(folder, "model.leaven"), Path(folder, "one.txt")
        texts = ["dough and yeast", "stars and planets", "yeast bread", "planets orbit"]
        TextClassifier().fit(texts, ["baking", "space", None, None]).save(model)
        document.write_text("bread dough\n")

        def call(*arguments: str) -> None:
            subprocess.run([leaven, *arguments], check=True, capture_output=True)

        predict = ("predict", str(model), str(document))
        call(*predict)
        best = best_seconds(
            {"help": lambda: call("--help"), "predict": lambda: call(*predict)}, rounds=5
        )
    return [
        Row("leaven --help (seconds)", best["help"], target=0.4),
        Row("leaven predict, one document (seconds)", best["predict"], target=2.0),
    ]
