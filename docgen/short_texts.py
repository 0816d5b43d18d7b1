"""Markdown about short texts and languages, from the results of three studies."""

from typing import Any

from studies import languages, short_text_members, short_texts
from studies._names import LANGUAGE_CORPORA, SHORT_CORPORA
from studies._provenance import described, staleness

from docgen.sections import Section
from docgen.studies import read

SHORT_PAGE = "docs/how-to/short-texts.md"
LANGUAGES_PAGE = "docs/how-to/languages.md"

SHORT, LANGUAGES, TRIED = "short_texts", "languages", "short_text_members"
Row = dict[str, Any]


def stale_results() -> list[str]:
    """A sentence for each study whose code has changed since it ran."""
    told = {name: staleness(read(name).get("made_with")) for name in (SHORT, LANGUAGES, TRIED)}
    return [f"studies/results/{name}.json was {stale}" for name, stale in told.items() if stale]


def size_table() -> str:
    """Accuracy, macro F1, calibration error and seconds by method."""
    found = read(SHORT)
    about = (
        f"{len(found['corpora'])} corpora, {found['draws']} draws; accuracy on test documents in "
        f"%, by labels per class, and means over all of them ({_made(SHORT)}):"
    )
    return f"{about}\n\n{short_texts.size_table(found).strip()}"


def findings() -> str:
    """The differences in words."""
    found = read(SHORT)["comparisons"]
    return "\n".join(
        [
            f"- {_difference(found['auto_before'], '`auto`', 'the default before subwords')}",
            f"- {_difference(found['words_before'], '`subwords=False`', 'it')}",
            f"- {_difference(found['auto_svm'], '`auto`', 'the best of the three SVMs')}",
            f"- {_cost()}",
        ]
    )


def _difference(own: Row, ours: str, theirs: str, names: dict[str, str] = SHORT_CORPORA) -> str:
    """One comparison; its cells are pairs of a corpus and a number of labels."""
    below = sorted(
        (cell for cell in own["cells"] if cell["difference"] < -short_texts.WORTH_COUNTING),
        key=lambda cell: float(cell["difference"]),
    )
    shown = (
        f"{names[cell['corpus']]} with {cell['per_class']}: "
        f"{100 * cell['difference']:+.1f}, p = {cell['p_value']:.2g}"
        for cell in below
    )
    least = f"{100 * short_texts.WORTH_COUNTING:g} points"
    mean = 100 * own["difference"]
    return (
        f"{ours} is {abs(mean):.1f} points {'above' if mean > 0 else 'below'} {theirs} on average, "
        f"more than {least} above it in {own['n_above']} of {own['n_cells']} combinations of a "
        f"corpus and a number of labels ({own['n_above_sure']} with p < {short_texts.SURE}), and "
        f"more than {least} below it in {own['n_below'] or 'none'}"
        + (f" ({own['n_below_sure']} with p < {short_texts.SURE})" if below else "")
        + (f": {'; '.join(shown)}." if 0 < len(below) <= 5 else ".")
    )


def _cost() -> str:
    of_method = {row["method"]: row for row in read(SHORT)["by_size"]}
    own, words = of_method["auto"], of_method["auto_words"]
    return (
        f"With subwords a fit takes {own['seconds']:.1f} CPU seconds on average, with words only "
        f"{words['seconds']:.1f}; predictions of 100,000 documents take "
        f"{100 * own['predict_ms']:.1f} and {100 * words['predict_ms']:.1f} seconds; a model file "
        f"has {own['model_mb']:.1f} and {words['model_mb']:.1f} MB."
    )


def corpus_table() -> str:
    """Documents, classes and accuracy by corpus."""
    table = short_texts.corpus_table(read(SHORT)).strip()
    return f"Mean accuracy over all numbers of labels, in %, by corpus:\n\n{table}"


def interval_table() -> str:
    """Coverage of stated intervals and calibration."""
    return short_texts.stated_table(read(SHORT), ("auto", "auto_before")).strip()


def tried_table() -> str:
    """Accuracy of other blends."""
    head, _, table = short_text_members.markdown(read(TRIED)).partition("\n\n")
    return f"{head.removesuffix(':')} ({_made(TRIED)}):\n\n{table.strip()}"


def language_table() -> str:
    """Accuracy by language and method."""
    found = read(LANGUAGES)
    sizes = f"{', '.join(map(str, found['sizes'][:-1]))} and {found['sizes'][-1]}"
    about = (
        f"Accuracy on test documents in % with {sizes} labels per class, mean of {found['draws']} "
        f"draws ({_made(LANGUAGES)}):"
    )
    return f"{about}\n\n{languages.accuracy_table(found).strip()}"


def language_findings() -> str:
    """The differences in words."""
    found, names = read(LANGUAGES)["comparisons"], LANGUAGE_CORPORA
    return "\n".join(
        [
            f"- {_difference(found['before'], '`auto`', 'the default before', names)}",
            f"- {_difference(found['svm'], '`auto`', 'the best of the three SVMs', names)}",
        ]
    )


def language_examples() -> str:
    """What a reader of the language can check."""
    return "\n".join(languages.examples_shown(read(LANGUAGES))).strip()


def _made(study: str) -> str:
    link = f"[all tables](../../studies/results/{study}.md)"
    return f"`python -m studies {study}`; {described(read(study).get('made_with'))}; {link}"


SECTIONS = [
    Section(SHORT_PAGE, "tried", tried_table),
    Section(SHORT_PAGE, "short_texts: accuracy table", size_table),
    Section(SHORT_PAGE, "short_texts: findings", findings),
    Section(SHORT_PAGE, "short_texts: corpora", corpus_table),
    Section(SHORT_PAGE, "short_texts: intervals", interval_table),
    Section(LANGUAGES_PAGE, "languages: accuracy table", language_table),
    Section(LANGUAGES_PAGE, "languages: findings", language_findings),
    Section(LANGUAGES_PAGE, "languages: examples", language_examples),
]
