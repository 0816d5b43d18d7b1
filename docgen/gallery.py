"""The gallery: for each method its picture, and what is seen in it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from studies._provenance import described, staleness

from docgen.methods import PAGES
from docgen.sections import Section
from docgen.studies import read
from leaven._base.percent import percent
from leaven.methods import METHODS

PAGE = "docs/gallery.md"
STUDY = "gallery"
Found = dict[str, Any]


def stale_results() -> list[str]:
    """A sentence if the code has changed since the study ran."""
    told = staleness(read(STUDY).get("made_with"))
    return [f"studies/results/{STUDY}.json was {told}"] if told else []


def setting() -> str:
    """What all pictures show, and what they were made with."""
    found = read(STUDY)
    sizes = found["methods"]["nb"]
    return (
        f"The documents are docstrings of SciPy, and the {sizes['n_classes']} classes its "
        f"sub-packages. Unless a picture says otherwise, {sizes['n_labeled']} documents are "
        f"labeled, {sizes['n_labeled'] // sizes['n_classes']} of each class, and "
        f"{sizes['n_unlabeled']:,} are unlabeled; accuracy is measured on the unlabeled ones "
        f"(`python -m studies {STUDY}`; {described(found['made_with'])})."
    )


def every_method() -> str:
    """A heading, the picture, sentences and a link for each method, in the registry's order."""
    page_of = {name: page for page, names in PAGES.items() for name in names}
    return "\n\n".join(
        f"### {name}\n\n{picture(name)}\n\n{caption(name)} [More about it](methods/{page_of[name]})"
        for name in METHODS
    )


def picture(method: str, to_docs: str = "") -> str:
    """The picture of a method; ``to_docs`` leads from the page to the folder of documentation."""
    return f"![{ALTERNATIVES[method]}]({to_docs}images/gallery/{method}.png)"


def caption(method: str) -> str:
    """What is seen in the picture of a method."""
    return CAPTIONS[method](read(STUDY)["methods"][method])


def _auto(found: Found) -> str:
    sizes = found["sizes"]

    def at(place: int) -> str:
        shares = {name: np.mean(own[place]) for name, own in found["shares"].items()}
        of_em = sum(share for name, share in shares.items() if name.endswith("EM"))
        return percent(of_em)

    together = [percent(np.mean(own)) for own in found["accuracy"]["auto"]]
    return (
        "Labels that are held out decide how much each member counts; with one per class there "
        "are none, and fixed weights are used. The two kinds of EM have "
        f"{at(0)} of the decision with {sizes[0]} label per class and {at(-1)} with {sizes[-1]}; "
        f"the accuracy of all together rises from {together[0]} to {together[-1]} and follows "
        f"that of the best member (means over {found['draws']} draws of labels)."
    )


def _nb(found: Found) -> str:
    odds = found["certain"] / (1 - found["certain"])
    return (
        f"The labeled documents contain {percent(found['share_of_words_labeled'])} of the words, "
        "and naive Bayes knows nothing of the others. It is right for "
        f"{percent(found['accuracy'])} of the unlabeled documents: for "
        f"{percent(found['accuracy_of_sure'])} of those beyond the dotted lines, where the odds "
        f"between two classes are over {odds:.0f} to 1, and for "
        f"{percent(found['accuracy_of_others'])} of those between them."
    )


def _em(found: Found) -> str:
    words = found["words"]
    return (
        f"None of the {found['n_labeled_of_class']} labeled documents of “{found['class']}” "
        f"contains “{words[0]}” or “{words[1]}”, but unlabeled documents that EM counts to the "
        "class do: after two iterations these words are evidence for it. Accuracy rises from "
        f"{percent(found['accuracy'][0])} to {percent(found['accuracy'][-1])}."
    )


def _mixture(found: Found) -> str:
    labels = " and ".join(f"{number} of “{name}”" for name, number in found["labels"].items())
    one, several = (
        percent(found["accuracy"][name], 1) for name in ("one component", "several components")
    )
    return (
        f"There are two classes and {found['n_labeled']} labels, {labels}. Each row is a "
        "component of the broad class, with its most characteristic words; the columns show how "
        "the documents of each sub-package are distributed over the components, though no label "
        f"names one. With these components {several} of the documents are right, with one "
        f"component per class {one}."
    )


def _annealed(found: Found) -> str:
    accuracy = {name: percent(value) for name, value in found["accuracy"].items()}
    return (
        f"With {found['n_labeled']} labels, one per class, annealing begins at a temperature at "
        "which all components are the same. As β rises they separate, and at the end they are "
        f"those of plain EM from a better start: EM alone is right for {accuracy['em']}, "
        f"`annealed` with its defaults for {accuracy['annealed']}. The picture shows a run from a "
        f"lower β than the default, which is right for {accuracy['shown']}."
    )


def _sfe(found: Found) -> str:
    known = dict(zip(found["words"], found["is_labeled"], strict=True))
    missing = next((word for word, is_labeled in known.items() if not is_labeled), None)
    still = (
        "" if missing is None else f" A word of no labeled document, “{missing}”, does not move."
    )
    return (
        "A class's words are far more characteristic of it than few labels show. One pass over "
        "all documents moves them towards their true frequencies: the root mean squared error of "
        f"the log₂ ratios falls from {found['error']['labels']:.2f} to "
        f"{found['error']['sfe']:.2f}, and accuracy rises from "
        f"{percent(found['accuracy']['labels'])} to {percent(found['accuracy']['sfe'])}.{still}"
    )


def _two_view(found: Found) -> str:
    first, last = found["steps"]
    return (
        "Each point is an unlabeled document: right of the vertical line its words favor the "
        "true class, above the horizontal line its vector does. By labels alone the views agree "
        f"on {percent(first['agreement'])} of the documents, after {last['n_iterations']} "
        f"iterations on {percent(last['agreement'])}; together they are right for "
        f"{percent(first['accuracy'])} before and {percent(last['accuracy'])} after."
    )


def _svm(found: Found) -> str:
    return (
        f"The machine of “{found['class']}” separates the labeled documents, but of the unlabeled "
        f"ones of its class only {percent(found['share_of_own_positive'])} reach its side of the "
        f"boundary, and {percent(found['share_of_others_positive'])} of the others. What decides "
        "is which machine's score is highest, and that is the true class's for "
        f"{percent(found['accuracy'])} of the documents."
    )


def _tsvm(found: Found) -> str:
    before, after = found["before"], found["after"]
    return (
        "A document between the margins costs something, whatever its class, so that the boundary "
        f"moves to where there are few. The share of “{after['class']}” on its side rises from "
        f"{percent(before['share_of_own_positive'])} to {percent(after['share_of_own_positive'])}; "
        f"of the other documents, {percent(after['share_of_others_positive'], 1)} are there. "
        f"Accuracy rises from {percent(before['accuracy'])} to {percent(after['accuracy'])}."
    )


def _maxent(found: Found) -> str:
    name, own = next(iter(found["classes"].items()))
    return (
        f"Of {found['n_words']:,} words, {percent(found['share_of_words_used'])} have a weight, "
        "and the greatest belong to whatever the labeled documents happen to be about: for "
        f"“{name}”, “{own['words'][0]}” and “{own['words'][1]}”. Accuracy is "
        f"{percent(found['accuracy'])}."
    )


def _mcl(found: Found) -> str:
    n_new = sum(not known for own in found["classes"].values() for known in own["is_labeled"])
    n_words = sum(len(own["words"]) for own in found["classes"].values())
    return (
        "The same weights must explain the words of all documents. Those of greatest weight are "
        f"now the words of the topics, {n_new} of the {n_words} shown in no labeled document, and "
        f"accuracy rises from {percent(found['accuracy_of_maxent'])} to "
        f"{percent(found['accuracy'])}."
    )


def _pcp(found: Found) -> str:
    steps = found["steps"]
    accuracy = [f"{percent(step['accuracy'])} at α = {step['alpha']:g}" for step in steps]
    return (
        "Two tables of weights, one that classifies and one that explains documents, are drawn to "
        f"each other. At α = {steps[0]['alpha']:g} they are nearly equal (correlation "
        f"{steps[0]['correlation']:.2f}); as α rises, those that classify become smaller and "
        f"depend less on the others ({steps[-1]['correlation']:.2f} at α = "
        f"{steps[-1]['alpha']:g}). Each search starts where the one before ended, and accuracy is "
        f"{', '.join(accuracy[:-1])} and {accuracy[-1]}; held-out labels choose α."
    )


def _fisher(found: Found) -> str:
    words, fisher = (found["kernels"][name]["contrast"] for name in ("words", "fisher"))
    return (
        "Rows and columns are unlabeled documents in the order of their classes, and dark cells "
        f"are similar pairs. Documents of a class are {words:.1f} times as similar as others by "
        f"the cosine of their words, and {fisher:.0f} times by the kernel, which compares how "
        "they would change the mixture. Machines on it are right for "
        f"{percent(found['accuracy']['fisher'])} of the documents, those on words (`svm`) for "
        f"{percent(found['accuracy']['svm'])}."
    )


def _knn(found: Found) -> str:
    voters = found["voters"]
    own = sum(voter["share"] for voter in voters if voter["class"] == found["predicted"])
    return (
        f"The {len(voters)} labeled documents nearest to an unlabeled one vote, nearer ones with "
        f"more weight; “{found['predicted']}” gets {percent(own)} of the votes. Below each title "
        "are words that both documents contain. Over all unlabeled documents accuracy is "
        f"{percent(found['accuracy'])}."
    )


def _ss_cknn(found: Found) -> str:
    knn, grown = found["steps"]["knn"], found["steps"]["ss-cknn"]
    n_accepted, n_considered = found["n_accepted"], found["n_considered"]
    accepted = f"{n_accepted:,} of the" if n_accepted < n_considered else "All"
    return (
        f"The labeled documents nearest to “{knn['title']}” have little in common with it "
        f"(similarity {knn['voters'][0]['similarity']:.2f} at most) and say "
        f"“{knn['predicted']}”. {accepted} unlabeled documents were given a class by their own "
        f"neighbors and vote too, the nearest at {grown['voters'][0]['similarity']:.2f}. "
        f"Accuracy rises from {percent(knn['accuracy'])} to {percent(grown['accuracy'])}."
    )


def _multilabel(found: Found) -> str:
    first = found["documents"][0]
    names = " and ".join(f"“{name}”" for name in first["labels"])
    return (
        "Headlines of test documents of Reuters-21578, each word in the color of the label that "
        "most probably generated it, or grey if it is common to all; the bar below shows the "
        f"shares in the whole text. The first has the labels {names}. Trained on "
        f"{found['n_train']:,} documents, the model finds exactly the right set for "
        f"{percent(found['share_exactly_right'])} of the {found['n_several']} test documents with "
        "several labels."
    )


CAPTIONS: dict[str, Callable[[Found], str]] = {
    "auto": _auto,
    "nb": _nb,
    "em": _em,
    "mixture": _mixture,
    "annealed": _annealed,
    "sfe": _sfe,
    "two-view": _two_view,
    "svm": _svm,
    "tsvm": _tsvm,
    "maxent": _maxent,
    "mcl": _mcl,
    "pcp": _pcp,
    "fisher": _fisher,
    "knn": _knn,
    "ss-cknn": _ss_cknn,
    "multilabel": _multilabel,
}
ALTERNATIVES = {  # for those who cannot see the pictures
    "auto": "Shares of four members in the decision, and their accuracies, by labels per class",
    "nb": "Histogram of the log odds of the true class of unlabeled documents",
    "em": "Lines of the evidence of words for a class, and of accuracy, by iteration of EM",
    "mixture": "Matrix of the components of a broad class and the sub-packages they contain",
    "annealed": "Lines of components that coincide at low β and branch off as it rises",
    "sfe": "Log ratios of words by labels alone, by all documents, and if all were labeled",
    "two-view": "Documents by the log odds of words and of vectors, before EM and after it",
    "svm": "Histogram of the scores of one machine, and ranks of the true class's machine",
    "tsvm": "Histograms of the scores of one machine, before and after unlabeled documents count",
    "maxent": "Bars of the words of greatest weight of three classes, by labels alone",
    "mcl": "Bars of the words of greatest weight of three classes, by all documents",
    "pcp": "Weights of words that classify against those that explain documents, for three α",
    "fisher": "Matrices of similarities of documents, by words and by the Fisher kernel",
    "knn": "Bars of the similarity of five labeled documents to one that they vote on",
    "ss-cknn": "Bars of the similarity of documents that vote, labeled ones and unlabeled ones",
    "multilabel": "Headlines whose words have the colors of the labels they come from",
}
SECTIONS = [
    Section(PAGE, "gallery: setting", setting),
    Section(PAGE, "gallery: methods", every_method),
]
