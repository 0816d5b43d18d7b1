"""The label-set mixture finds the words of McCallum's table 1."""

import sys
from pathlib import Path

import pytest

from leaven.datasets import data_folder

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

LEAST = 8  # of the paper's ten words


@pytest.mark.slow
def test_the_most_probable_words_of_classes_are_those_of_the_paper():
    folder = data_folder()
    if folder is None or not (folder / "reuters21578.jsonl.gz").is_file():
        pytest.skip("needs reuters21578 in the folder of real corpora; set LEAVEN_DATA")
    from studies import mccallum_table_1 as study

    found = study.top_words()
    n_found = study.n_found(found)
    assert {name: n for name, n in n_found.items() if n < LEAST} == {}
    assert found["wheat"][1] == "wheat"
    assert found["crude"][0] == "oil"
