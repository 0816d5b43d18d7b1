"""Nigam, McCallum and Mitchell, table 3.4: top ten words per class of News5.

Words of largest weighted log-likelihood ratio in naive Bayes trained on all labels of News5 (data:
``studies._news5``). The paper states neither the length of documents nor which words were used,
so eight conventions are tried: raw counts or counts at length 200, all words or the 4,000 of most
mutual information, encoded messages kept or left out. A picture posted in 14 parts
and a program in three fill the list of os.ms-windows.misc with pieces of code unless left out. The
paper's "ei", "um" and "el" are such pieces too, from a message that begins with text and so escapes
the rule for encoded ones.

Expected: at least 7 of the paper's 10 words in every class. Run: ``python -m studies.table_3_4``
"""

import itertools
import time
from dataclasses import replace
from typing import Any

import numpy as np

from leaven.documents._arrow import as_text_array
from leaven.experts import top_words
from leaven.learning import Climb, fit_mixture
from leaven.text._counter import fit_counter
from leaven.text._options import TextOptions
from studies._common import run_study, save_figure, subplots, write_results
from studies._news5 import COUNTS, MODEL, N_WORDS, News5, as_corpus, load_news5

PAPER = {
    "comp.graphics": "jpeg image graphics images gif format pub ray tiff siggraph",
    "comp.os.ms-windows.misc": "windows ei win um dos ms ini microsoft nt el",
    "comp.sys.ibm.pc.hardware": "scsi ide drive controller bus dx bios drives mb card",
    "comp.sys.mac.hardware": "apple mac lc duo nubus fpu centris quadra iisi powerbook",
    "comp.windows.x": "window widget motif xterm server lib entry openwindows usr sun",
}
LENGTHS = {"raw counts": None, "length 200": 200.0}
VOCABULARIES = {"all words": None, "4,000 words": N_WORDS}
USED = ("raw counts", "all words", "encoded out")


def best_words(news: News5, options: TextOptions) -> dict[str, list[str]]:
    """Ten words per class."""
    counter, X = fit_counter(as_text_array(news.texts), options, codes=news.codes)
    supervised = Climb(max_iter=0)
    corpus = as_corpus(X, news.codes)
    params = fit_mixture(MODEL, corpus, supervised).result.params
    words = counter.vocabulary.words.to_pylist()
    best = top_words(MODEL, params, 10)
    return {
        name: [words[i] for i in columns]
        for name, columns in zip(news.names.tolist(), best, strict=True)
    }


def overlap(found: dict[str, list[str]]) -> list[int]:
    return [len(set(found[name]) & set(words.split())) for name, words in PAPER.items()]


def run() -> dict[str, Any]:
    start = time.perf_counter()
    datasets = {"encoded kept": load_news5(encoded=True), "encoded out": load_news5()}
    found = {}
    for length, vocabulary, data in itertools.product(LENGTHS, VOCABULARIES, datasets):
        options = replace(
            COUNTS,
            length=LENGTHS[length],
            max_features=VOCABULARIES[vocabulary],
            rank_by="mutual_information",
        )
        found[length, vocabulary, data] = best_words(datasets[data], options)
    return {
        "paper": {name: words.split() for name, words in PAPER.items()},
        "convention": ", ".join(USED),
        "words": found[USED],
        "overlap": {", ".join(key): overlap(words) for key, words in found.items()},
        "seconds": time.perf_counter() - start,
    }


def report(results: dict[str, Any]) -> None:
    print("Words shared with the paper's ten, per class")
    for convention, counts in results["overlap"].items():
        mark = "  ← used below" if convention == results["convention"] else ""
        print(
            f"  {convention:<38} {'  '.join(f'{n:>2}' for n in counts)}   {sum(counts)} of 50{mark}"
        )
    for name, words in results["words"].items():
        paper = results["paper"][name]
        shown = " ".join(word if word in paper else f"[{word}]" for word in words)
        missing = " ".join(word for word in paper if word not in words)
        print(f"{name}\n  ours   {shown}\n  paper  {' '.join(paper)}")
        if missing:
            print(f"  the paper's that ours lacks: {missing}")
    least = min(results["overlap"][results["convention"]])
    print(f"\nExpected 7 of 10 or more in every class: {least} in the worst")


def plot(results: dict[str, Any]) -> None:
    """Words shared with the paper, by convention and class."""
    conventions = list(results["overlap"])
    shared = np.array([results["overlap"][name] for name in conventions])
    figure, axes = subplots(figsize=(9.5, 4.2))
    axes.imshow(shared, cmap="Oranges", vmin=0, vmax=10, aspect="auto")
    axes.grid(visible=False)
    rows = [name.replace("encoded", "encoded messages") for name in conventions]
    axes.set_yticks(range(len(conventions)), rows)
    names = [name.removeprefix("comp.").replace(".", ".\n") for name in PAPER]
    axes.set_xticks(range(len(PAPER)), names)
    axes.tick_params(length=0)
    for (row, column), count in np.ndenumerate(shared):
        color = "white" if count > 6 else "black"
        axes.text(column, row, str(count), ha="center", va="center", color=color)
    axes.set_title(
        "number of the paper's ten words per class that are among leaven's ten", fontsize=11
    )
    save_figure("table_3_4", figure)


def main() -> None:
    results = run()
    report(results)
    plot(results)
    path = write_results("table_3_4", results, seed=None)
    print(f"{results['seconds']:.0f} s; wrote {path.name}")


if __name__ == "__main__":
    run_study(main)
