"""McCallum, table 1: the most probable words of classes and of the background.

The literal model of ``mccallum_table_2`` after ten iterations on the ten largest classes of
Reuters-21578. The paper left out SMART's stop words, a list that is not at hand: scikit-learn's
English stop words are left out, three words of SMART's that it lacks and that would have places in
the table ("said", "new", "vs"), and "reuter", which ends most of the documents. "d*" is any
number. "blah", the whole body of some documents in the paper, does not occur in our copy. Run:
``python -m studies mccallum_table_1``.
"""

from typing import Any

import numpy as np

from leaven.text._stop_words import stop_word_list
from studies import _common
from studies._common import run_study, write_results
from studies._label_sets import load, markdown
from studies.mccallum_table_2 import LITERAL, WORDS, classifier

ROOT = "root"  # what the paper calls the background here, "English" elsewhere
NUMBER = "d*"
PAPER = {
    "grain": "d* grain tonnes mln agriculture year usda crop farmers farm",
    "wheat": "d* wheat tonnes mln export agriculture offer department soviet march",
    "corn": "d* corn tonnes mln maize pct usda acres year production",
    "ship": "d* gulf ships strike port shipping seamen march union iran",
    "trade": "trade billion d* japan deficit year japanese surplus exports countries",
    "crude": "oil d* crude opec prices bpd barrels mln production pct",
    ROOT: "d* mln dlrs march pct year billion april blah company",
}
OF_SMART, OF_REUTERS = ("said", "new", "vs"), ("reuter",)
HOW_MANY = 10


def top_words() -> dict[str, list[str]]:
    """The ten most probable words of the classes in the paper's table, most probable first."""
    corpus = load("R10")
    stop_words = [*stop_word_list("english"), *OF_SMART, *OF_REUTERS]
    text = {**WORDS, "stop_words": stop_words}
    fitted = classifier(LITERAL, text, False).fit(corpus.texts, corpus.labels).fitted
    words = [
        NUMBER if word == "<number>" else word
        for word in fitted.counter.vocabulary.words.to_pylist()
    ]
    probabilities: Any = fitted.experts[0].probabilities  # type: ignore[attr-defined]
    return {
        name: [words[place] for place in np.argsort(-column, kind="stable")[:HOW_MANY]]
        for name, column in zip([*corpus.classes, ROOT], probabilities.T, strict=True)
        if name in PAPER
    }


def n_found(found: dict[str, list[str]]) -> dict[str, int]:
    """How many of the paper's words are found, by class."""
    return {name: len(set(words.split()) & set(found[name])) for name, words in PAPER.items()}


def compute() -> dict[str, Any]:
    found = top_words()
    return {
        "paper": {name: words.split() for name, words in PAPER.items()},
        "words": {name: found[name] for name in PAPER},
        "n_found": n_found(found),
        "stop_words_added": [*OF_SMART, *OF_REUTERS],
    }


def table(results: dict[str, Any]) -> str:
    """Words in Markdown; those that the paper has too are bold."""
    head = [f"{name} ({results['n_found'][name]} of {HOW_MANY})" for name in results["words"]]
    columns = [
        [
            f"**{_escaped(word)}**" if word in results["paper"][name] else _escaped(word)
            for word in words
        ]
        for name, words in results["words"].items()
    ]
    return markdown(head, list(zip(*columns, strict=True)))


def _escaped(word: str) -> str:
    return word.replace("*", r"\*")


def main() -> None:
    results = compute()
    shown = table(results)
    print(shown)
    (_common.RESULTS / "mccallum_table_1.md").write_text(shown, encoding="utf-8")
    print(f"wrote {write_results('mccallum_table_1', results).name}")


if __name__ == "__main__":
    run_study(main)
