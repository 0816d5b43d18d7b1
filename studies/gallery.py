"""The gallery: for each method, one picture of what it does to real documents.

Data: SciPy's docstrings, labeled by sub-package, of which five per class are labeled and all
others unlabeled; where another number of labels shows more, the picture says so. The words of
headlines by label are those of Reuters-21578. Nothing is averaged but in the picture of ``auto``:
a picture shows one draw of labels, and how methods compare is what other studies measure.

The numbers are stored; ``python -m studies --redraw gallery`` draws the pictures from them, into
docs/images/gallery. Run: ``python -m studies gallery``
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from leaven.methods import METHODS
from studies._common import run_study, write_results
from studies._gallery import bayes, combined, label_sets, log_linear, margins, mixtures, neighbors
from studies._gallery._style import save

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "gallery"


class Picture(NamedTuple):
    """How the picture of a method is made."""

    compute: Callable[[], dict[str, Any]]  # numbers that JSON can hold
    draw: Callable[[dict[str, Any]], Any]  # a figure of these numbers


PICTURES = {
    "auto": Picture(combined.compute_auto, combined.draw_auto),
    "nb": Picture(bayes.compute_nb, bayes.draw_nb),
    "em": Picture(bayes.compute_em, bayes.draw_em),
    "mixture": Picture(mixtures.compute_mixture, mixtures.draw_mixture),
    "annealed": Picture(mixtures.compute_annealed, mixtures.draw_annealed),
    "sfe": Picture(bayes.compute_sfe, bayes.draw_sfe),
    "two-view": Picture(mixtures.compute_two_view, mixtures.draw_two_view),
    "svm": Picture(margins.compute_svm, margins.draw_svm),
    "tsvm": Picture(margins.compute_tsvm, margins.draw_tsvm),
    "maxent": Picture(log_linear.compute_maxent, log_linear.draw_maxent),
    "mcl": Picture(log_linear.compute_mcl, log_linear.draw_mcl),
    "pcp": Picture(log_linear.compute_pcp, log_linear.draw_pcp),
    "fisher": Picture(neighbors.compute_fisher, neighbors.draw_fisher),
    "knn": Picture(neighbors.compute_knn, neighbors.draw_knn),
    "ss-cknn": Picture(neighbors.compute_ss_cknn, neighbors.draw_ss_cknn),
    "multilabel": Picture(label_sets.compute_multilabel, label_sets.draw_multilabel),
}


def run() -> dict[str, Any]:
    """The numbers of all pictures, in the order of the methods."""
    found: dict[str, Any] = {}
    for method in METHODS:
        start = time.perf_counter()
        found[method] = PICTURES[method].compute()
        print(f"{method:<10} {time.perf_counter() - start:5.1f} s", flush=True)
    return {"methods": found}


def plot(results: dict[str, Any]) -> str:
    """Draw all pictures; returns what was written."""
    for method, found in results["methods"].items():
        save(PICTURES[method].draw(found), FOLDER / f"{method}.png")
    return f"{len(results['methods'])} pictures"


def main() -> None:
    results = run()
    path = write_results("gallery", results, seed=range(combined.DRAWS))
    print(f"wrote {path.name}, {plot(results)}")


if __name__ == "__main__":
    run_study(main)
