"""Pages of methods have the same parts, and list every constant of the code with its meaning."""

import re
from pathlib import Path

import pytest
from docgen import constants, methods, options
from docgen.constants import constants_of, modules

from leaven.methods import METHODS

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "methods"
HEADINGS = (  # of level 2, in this order
    "How to use it",
    "The model",
    "The algorithm",
    "Symbols",
    "Options",
    "Constants",
    "Departures from the paper",
    "Cost",
    "Results",
    "References",
)
WITHOUT_PAPER = ("auto.md", "two-view.md")
ABOUT_METHODS = (*methods.PAGES, *(f"{page}.md" for page in constants.PAGES))
every_page = pytest.mark.parametrize("page", sorted(set(ABOUT_METHODS)))
every_method_page = pytest.mark.parametrize("page", sorted(methods.PAGES))


def headings(page):
    text = (FOLDER / page).read_text(encoding="utf-8")
    without_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^## (.+)$", without_code, re.MULTILINE)


def section(page, heading):
    text = (FOLDER / page).read_text(encoding="utf-8")
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_module_with_constants_is_on_a_page():
    listed = {module for of_page in constants.PAGES.values() for module in of_page}
    with_constants = [module for module in modules() if constants_of(module)]
    assert len(with_constants) > 50
    assert [module for module in with_constants if module not in listed] == []


@pytest.mark.parametrize("page", sorted(constants.PAGES))
def test_every_constant_has_a_meaning_and_is_on_the_page(page):
    text = section(f"{page}.md", "Constants")
    found = [each for module in constants.PAGES[page] for each in constants_of(module)]
    assert found, "a page that lists no constants needs no entry"
    assert [f"{each.module}.{each.name}" for each in found if not each.meaning] == []
    assert [each.name for each in found if f"`{each.name}`" not in text] == []


@every_page
def test_a_page_has_the_usual_headings_in_the_usual_order(page):
    found = headings(page)
    usual = [heading for heading in found if heading in HEADINGS]
    assert usual == [heading for heading in HEADINGS if heading in found]
    assert {"How to use it", "The algorithm", "Constants", "References"} <= set(found)


@every_page
def test_an_item_of_a_list_after_an_indented_paragraph_is_an_item(page):
    # Without a blank line before it, Markdown takes it for a part of that paragraph.
    text = (FOLDER / page).read_text(encoding="utf-8")
    without_code = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^ {4}\S.*\n(?:\d+\.|-) .{0,40}", without_code, re.MULTILINE) == []


@every_method_page
def test_the_page_of_a_method_has_all_headings(page):
    wanted = set(HEADINGS)
    if page in WITHOUT_PAPER:
        wanted -= {"Departures from the paper"}
    assert wanted - set(headings(page)) == set()


@every_method_page
def test_the_page_of_a_method_says_how_symbols_are_called(page):
    table = [line for line in section(page, "Symbols").splitlines() if line.startswith("| ")]
    assert len(table) > 3
    assert all("`" in line for line in table[1:] if line.count("$")) or "$" in table[1]


@every_method_page
def test_the_page_of_a_method_names_each_of_its_methods_and_shows_how_to_call_it(page):
    text = (FOLDER / page).read_text(encoding="utf-8")
    for name in methods.PAGES[page]:
        assert re.search(rf"[`\"' ]{re.escape(name)}[`\"' \n]", text), name
    usage = section(page, "How to use it")
    assert "```console" in usage
    assert re.search("^```py(thon|con)$", usage, re.MULTILINE)


def test_an_entry_in_the_list_of_pages_is_a_page():
    assert [page for page in ABOUT_METHODS if not (FOLDER / page).is_file()] == []


def test_comments_beside_and_above_are_the_meanings():
    found = {each.name: each for each in constants_of("learners._linear")}
    assert found["C"].value == 10.0
    assert found["C"].meaning.startswith("inverse strength of the ridge penalty")  # beside
    assert found["MOST_EXACT"].meaning == found["MOST_BEYOND"].meaning  # above both
    assert found["MOST_EXACT"].meaning.startswith("Labeled documents up to which")
    table = constants.constants_table("learners._linear")
    assert (
        f"| `MOST_EXACT`, `MOST_BEYOND` | 2,500; 1,500 | {found['MOST_EXACT'].meaning} |" in table
    )


def test_numbers_in_hexadecimal_digits_are_shown_as_the_code_has_them():
    assert "| `JOINERS` | (0x200C, 0x200D) |" in constants.constants_table("text._unspaced")


def test_names_of_other_things_than_numbers_are_no_constants():
    assert {each.name for each in constants_of("text._options")} == {"LONGEST_NGRAM"}
    assert constants_of("posteriors") == []


def test_options_have_the_defaults_of_the_method_and_the_words_of_its_estimator():
    table = options.options_table(("sfe",), "FrequencyEstimateNB")
    assert METHODS["sfe"].settings["unlabeled_weight"] == 0.1
    assert "| `unlabeled_weight` | 0.1 | How much a word of an unlabeled document counts" in table
    assert "random_state" not in table


def test_options_that_refer_to_another_estimator_are_explained():
    found = options.parameters_of(options.leaven.TwoViewEM)
    assert found["concentration"].startswith("How narrowly")
    assert found["n_init"].startswith("Random initializations")
    assert not any(meaning.startswith("As in ") for meaning in found.values())


def test_every_option_of_a_page_is_in_its_table():
    for page, (names, estimator, chosen) in options.PAGES.items():
        table = options.options_table(names, estimator, chosen)
        assert table.count("\n") == 1 + len(chosen or ("alpha", "unlabeled_weight", "shrinkage"))
        assert table in (FOLDER / f"{page}.md").read_text(encoding="utf-8")
