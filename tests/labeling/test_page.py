"""The labeling page in a real browser, with a real server and real models."""

import csv
import io
import json
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pyarrow.parquet as pq
import pytest

from leaven import load
from leaven.datasets import load_docstrings

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

CLASSES = ["billing", "delivery", "login"]
LETTERS = "1234567890abcdfghijklmopqrtuvwxyz"


def number_on(page):
    """Number of the document on screen, once there is one."""
    expect(page.locator("#document-number")).to_have_text(re.compile(r"\d"))
    return int(re.sub(r"\D", "", page.locator("#document-number").inner_text()))


def shows_document(page, number):
    expect(page.locator("#document-number")).to_have_text(f"Document {number:,}")


def has_counts(page, *texts):
    for text in texts:
        expect(page.locator("#counts")).to_contain_text(text)


def press(page, key):
    """Answer with a key, and wait for the next document; the number of the answered one."""
    number = number_on(page)
    shown = page.locator("#document-number")
    page.keyboard.press(key)
    for _ in range(3):
        try:
            expect(shown).not_to_have_text(f"Document {number:,}", timeout=2000)
            return number
        except AssertionError:
            # A new model changed the suggestion in the same moment: nobody can have read it.
            if "press Enter again" in page.locator("#toast").inner_text():
                page.keyboard.press(key)
    expect(shown).not_to_have_text(f"Document {number:,}")
    return number


def name_class(page, name):
    """Create a class by keyboard, which labels the document on screen."""
    number = number_on(page)
    page.keyboard.press("n")
    expect(page.locator("#new-class-name")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.locator("#class-dialog")).to_be_hidden()
    expect(page.locator("#document-number")).not_to_have_text(f"Document {number:,}")
    return number


def first_class(page, name):
    number = number_on(page)
    page.locator("#start-class-name").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator("#document-number")).not_to_have_text(f"Document {number:,}")
    return number


def class_row(page, name):
    exactly = re.compile(f"^{re.escape(name)}$")
    return page.locator(".class-row", has=page.locator(".class-name", has_text=exactly))


def choose_from_menu(page, name, entry):
    class_row(page, name).locator(".class-more").click()
    page.get_by_role("menuitem", name=entry).click()


def search(page, words):
    page.keyboard.press("/")
    expect(page.locator("#search-box")).to_be_focused()
    page.keyboard.type(words)


def open_document(page, words):
    """Open the only document that contains these words."""
    search(page, words)
    expect(page.locator("#search-results mark.match")).to_have_text([words])
    page.locator("#search-results .excerpt").click()
    expect(page.locator("#panel-label")).to_be_visible()
    expect(page.locator("#go-on")).to_be_visible()


def to_toast(page, text):
    expect(page.locator("#toast")).to_contain_text(text)


def has_model_of(page, n_labels):
    expect(page.locator("#model-text")).to_contain_text(f", {n_labels} labels")


def answer_rightly(page, truth, known, n):
    """Answer until there are ``n`` more answers; new classes are named when they first appear."""
    answers = {}
    while len(answers) < n:
        number = number_on(page)
        name = truth[number]
        if page.locator("#why").inner_text().startswith("Audit"):
            assert page.locator("#text mark").count() == 0
            assert page.locator(".is-suggested").count() == 0
            assert not "".join(page.locator(".class-percent").all_inner_texts())
        if name not in known:
            (first_class if not known else name_class)(page, name)
            known[name] = LETTERS[len(known)]
        else:
            press(page, known[name])
        answers[number] = [name]
    return answers


@pytest.mark.slow
def test_a_newcomer_labels_sixty_documents_from_nothing(label):
    texts, truth, _ = load_docstrings()
    rows = [{"text": text[:600]} for text in texts[::18]]
    served, page = label(rows)
    expect(page.locator("#start-class-name")).to_be_visible()
    known = {}
    answers = answer_rightly(page, truth[::18], known, 30)
    has_counts(page, f"30 of {len(rows)} labeled")
    page.reload()
    has_counts(page, f"30 of {len(rows)} labeled")
    assert number_on(page) not in answers
    expect(page.locator(".class-name")).to_have_text([*known])
    answers |= answer_rightly(page, truth[::18], known, 30)
    has_counts(page, f"60 of {len(rows)} labeled")
    has_model_of(page, 60)
    assert served.given() == answers
    labels = served.session.store.labels()
    n_audits = sum(each.why == "audit" for each in labels)
    assert 6 <= n_audits <= 14
    assert not any(each.shown for each in labels if each.why == "audit")
    expect(page.locator("#accuracy")).to_have_text(re.compile(r"audits"))
    page.locator("#tab-progress").click()
    expect(page.locator("#panel-progress h2")).to_have_count(4)
    expect(page.locator(".shares tbody tr")).to_have_count(len(known))


def test_undo_goes_back_answer_by_answer(label, tickets, watch):
    watch.expected.append("409")
    served, page = label(tickets(), classes=CLASSES)
    asked = [press(page, key) for key in ("1", "2", "3", "Space", "1")]
    has_counts(page, "4 of 90", "1 skipped")
    for i, key in enumerate(("Backspace", "Control+z", "Backspace", "Backspace", "Backspace")):
        page.keyboard.press(key)
        shows_document(page, asked[-1 - i])
    has_counts(page, "0 of 90")
    expect(page.locator("#counts")).not_to_contain_text("skipped")
    assert served.given() == {}
    page.keyboard.press("Backspace")
    to_toast(page, "Nothing to undo")
    assert press(page, "2") == asked[0]
    has_counts(page, "1 of 90")
    assert served.given() == {asked[0]: ["delivery"]}


def test_enter_accepts_and_skipped_documents_do_not_come_back(label, tickets):
    served, page = label(tickets(n_labeled=30))
    has_model_of(page, 30)
    skipped = {press(page, "Space") for _ in range(8)}
    assert len(skipped) == 8
    # The first questions may be older than the model, so that audits come an answer earlier or
    # later; of two questions at most one is an audit, which has no suggestion.
    if page.locator("#why.audit").count():
        skipped.add(press(page, "Space"))
    expect(page.locator(".is-suggested")).to_have_count(1)
    name = page.locator(".is-suggested .class-name").inner_text()
    page.wait_for_timeout(500)  # a suggestion that has just changed is not accepted
    number = press(page, "Enter")
    has_counts(page, "31 of 90", f"{len(skipped)} skipped")
    assert served.given()[number] == [name]
    with closing(sqlite3.connect(served.labels)) as stored:
        found = stored.execute("SELECT document FROM event WHERE accepted = 1").fetchall()
    assert found == [(number,)]
    assert press(page, "Space") not in skipped


def test_answers_can_be_seen_again_and_changed(label, tickets):
    served, page = label(tickets(), classes=CLASSES)
    first, second = press(page, "1"), press(page, "2")
    page.keyboard.press("ArrowLeft")
    shows_document(page, second)
    expect(page.locator("#why")).to_have_text("Labeled delivery")
    page.keyboard.press("ArrowLeft")
    shows_document(page, first)
    page.keyboard.press("3")
    shows_document(page, second)
    page.keyboard.press("Escape")
    expect(page.locator("#go-on")).to_be_hidden()
    has_counts(page, "2 of 90")
    expect(class_row(page, "login").locator(".class-count")).to_have_text("1")
    assert served.given() == {first: ["login"], second: ["delivery"]}


def test_classes_are_named_renamed_and_merged(label, tickets, watch):
    watch.expected.append("409")
    served, page = label(tickets())
    first = first_class(page, "bills")
    second = name_class(page, "post")
    page.keyboard.press("n")
    page.keyboard.type("Bills")
    page.keyboard.press("Enter")
    expect(page.locator("#class-dialog .error")).to_contain_text("Bills")
    page.keyboard.press("Escape")
    expect(page.locator("#class-dialog")).to_be_hidden()

    choose_from_menu(page, "bills", "Rename")
    page.locator("#rename-class-name").fill("billing <b>&amp;")
    page.keyboard.press("Enter")
    expect(page.locator(".class-name")).to_have_text(["billing <b>&amp;", "post"])
    expect(page.locator("#rename-dialog")).to_be_hidden()

    choose_from_menu(page, "post", "Change key")
    page.locator("#class-key").fill("q")
    page.keyboard.press("Enter")
    expect(class_row(page, "post").locator("kbd")).to_have_text("q")
    expect(page.locator("#key-dialog")).to_be_hidden()
    third = press(page, "q")
    wanted = {first: ["billing <b>&amp;"], second: ["post"], third: ["post"]}
    has_counts(page, "3 of 90")
    assert served.given() == wanted

    choose_from_menu(page, "post", "Merge")
    page.locator("#merge-dialog [type=submit]").click()
    expect(page.locator(".class-name")).to_have_text(["billing <b>&amp;"])
    assert {*map(tuple, served.given().values())} == {("billing <b>&amp;",)}
    expect(page.locator("#merge-dialog")).to_be_hidden()
    page.keyboard.press("Backspace")
    expect(page.locator(".class-name")).to_have_text(["billing <b>&amp;", "post"])
    assert served.given() == wanted


def test_all_results_of_a_search_are_labeled_at_once_and_undone_at_once(label, tickets):
    rows = tickets(n_labeled=6)
    served, page = label(rows)
    found = {i for i, row in enumerate(rows) if "courier" in row["text"]}
    before = served.given()
    search(page, "Courier")
    expect(page.locator("#search-total")).to_have_text(f"{len(found)} documents")
    expect(page.locator("#search-results mark.match").first).to_have_text("courier")
    page.locator("#bulk-all").click()
    to_toast(page, "Choose the class first")
    page.locator("#bulk-class").select_option("login")
    page.locator("#bulk-all").click()
    page.locator("#confirm-yes").click()
    n_new = len(found - {*before})
    to_toast(page, f"{n_new} documents labeled login")
    has_counts(page, f"{6 + n_new} of 90")
    given = served.given()
    assert {number for number in found if given[number] == ["login"]} == found - {*before}
    page.locator("#tab-label").click()
    page.keyboard.press("Backspace")
    has_counts(page, "6 of 90")
    assert served.given() == before

    page.locator("#tab-search").click()
    for i in (0, 1):
        page.locator("#search-results input").nth(i).check()
    page.locator("#bulk-selected").click()
    page.locator("#confirm-yes").click()
    to_toast(page, "2 documents labeled login")
    changed = {*sorted(found)[:2]}
    assert {n for n, names in served.given().items() if names == ["login"]} >= changed


def test_a_second_tab_sees_the_first_ones_answers_and_its_own_count(label, tickets, watch):
    served, page = label(tickets(), classes=CLASSES)
    other = watch.open(served.address, context=page.context)
    first = press(page, "1")
    has_counts(other, "1 of 90")
    second = press(other, "2")
    for each in (page, other):
        has_counts(each, f"{len(served.given())} of 90")
    third = press(page, "3")
    has_counts(other, f"{len({first, second, third})} of 90")
    name_class(other, "refunds")
    expect(page.locator(".class-name")).to_have_text([*CLASSES, "refunds"])
    assert {first, second, third} <= {*served.given()}


def download(page, name):
    page.locator("#export-menu > summary").click()
    with page.expect_download() as started:
        page.get_by_role("link", name=name, exact=True).click()
    return started.value


def import_labels(page, path):
    page.locator("#export-menu > summary").click()
    with page.expect_file_chooser() as chooser:
        page.locator("#import-labels").click()
    chooser.value.set_files(path)


def test_labels_go_out_in_three_formats_and_come_in_again(label, tickets, tmp_path):
    rows = tickets(n_labeled=30)
    served, page = label(rows)
    has_model_of(page, 30)
    given = {}
    for key, name in (("1", "billing"), ("2", "delivery"), ("3", "login")) * 2:
        given[press(page, key)] = name
    has_model_of(page, 36)
    wanted = [row["label"] or given.get(i) for i, row in enumerate(rows)]
    columns = ["id", "text", "label", "label_chosen", "predicted", "probability"]

    found = download(page, "CSV")
    assert found.suggested_filename == "tickets.labeled.csv"
    table = [*csv.DictReader(io.StringIO(found.path().read_text(encoding="utf-8")))]
    assert [*table[0]] == columns
    assert [row["text"] for row in table] == [row["text"] for row in rows]
    assert [row["label"] or None for row in table] == wanted
    chosen = [row["label_chosen"] for row in table]
    assert chosen[:30] == ["file"] * 30
    assert {chosen[number] for number in given} == {"audit", "chosen"}
    assert {row["predicted"] for row in table} == {*CLASSES}
    assert all(0 < float(row["probability"]) <= 1 for row in table)

    lines = download(page, "JSONL").path().read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    assert [*documents[0]] == columns
    assert [each["label"] for each in documents] == wanted

    stored = pq.read_table(download(page, "Parquet").path())
    assert stored.column_names == columns
    assert stored["label"].to_pylist() == wanted
    labeled = pq.read_table(download(page, "Parquet, labeled").path())
    assert labeled["id"].to_pylist() == [row["id"] for i, row in enumerate(rows) if wanted[i]]

    one, two, three = [number for number in range(30, 90) if number not in given][:3]
    path = tmp_path / "more.csv"
    path.write_text(f"document,label\n{one},refunds\n{two},billing\n5000,billing\n")
    import_labels(page, path)
    to_toast(page, "2 labels imported; 1 row matched no document")
    has_counts(page, "38 of 90")
    expect(page.locator(".class-name").last).to_have_text("refunds")
    # As leaven suggest writes it: numbers from 1, which the texts correct.
    text = rows[three]["text"]
    path.write_text(f'document,text,label\n{three + 1},"{text}",login\n')
    import_labels(page, path)
    has_counts(page, "39 of 90")
    found = served.given()
    assert (found[one], found[two], found[three]) == (["refunds"], ["billing"], ["login"])


STRANGE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(2)> invoice &amp; <b>payment</b>",
    "emoji": "😀😀👩‍👩‍👧 emojis 🎉 invoice 𝒳 charged 🇺🇳 twice, then password ✓ captcha",
    "rtl": "שלום הפקס שלי invoice לא הגיע עדיין",
}


def test_texts_are_shown_as_text_and_tints_are_at_their_words(label, tickets):
    rows = tickets(60, n_labeled=60)
    rows += [{"id": name, "text": text, "label": ""} for name, text in STRANGE.items()]
    _, page = label(rows)
    has_model_of(page, 60)
    text = page.locator("#text")

    open_document(page, "onerror")
    expect(text).to_have_text(STRANGE["script"])
    assert page.locator("#text script, #text img, #text b").count() == 0
    expect(page.locator("#text mark").filter(has_text="invoice")).to_have_count(1)

    open_document(page, "emojis")
    expect(text).to_have_text(STRANGE["emoji"])
    expect(page.locator("#text mark").first).to_be_visible()
    marks = page.locator("#text mark").all_inner_texts()
    assert {*re.findall(r"\w+", STRANGE["emoji"])} >= {*marks} >= {"invoice", "charged", "captcha"}
    page.keyboard.press("e")
    expect(page.locator("#text mark")).to_have_count(0)
    page.keyboard.press("e")
    expect(page.locator("#text mark")).to_have_count(len(marks))

    open_document(page, "הפקס")
    expect(text).to_have_text(STRANGE["rtl"])
    assert text.evaluate("node => getComputedStyle(node).direction") == "rtl"


def test_a_document_of_a_megabyte_can_be_read_and_labeled(label, tickets):
    line = "the invoice of the parcel was charged twice, and again and again\n"
    long = "needle\n" + line * (2**20 // len(line))
    rows = [{"id": "long", "text": long, "label": ""}, *tickets(30, n_labeled=30)]
    served, page = label(rows)
    has_model_of(page, 30)
    shows_document(page, 0)  # the only one without a label
    length = "node => node.textContent.replaceAll('\\n', '').length"
    assert page.locator("#text").evaluate(length) <= 20_000
    expect(page.locator("#cut-text")).to_have_text(f"The first 20,000 of {len(long):,} characters.")
    page.locator("#show-whole").click()
    expect(page.locator("#cut")).to_be_hidden()
    assert page.locator("#text").evaluate(length) == len(long.replace("\n", ""))
    page.keyboard.press("2")
    expect(page.locator("#text")).to_contain_text("Every document is labeled")
    has_counts(page, "31 of 31")
    assert served.given()[0] == ["delivery"]


def test_forty_classes_have_keys_a_filter_and_room(label, tickets, watch):
    names = [f"topic {i + 1}" for i in range(40)]
    served, page = label(tickets(), classes=names)
    expect(page.locator(".class-key")).to_have_text([*LETTERS, *["\u00a0"] * 7])
    first = press(page, "z")
    page.keyboard.press(".")
    page.keyboard.type("topic 38")
    second = press(page, "Enter")
    expect(page.locator("#class-filter")).to_have_value("")
    has_counts(page, "2 of 90")
    assert served.given() == {first: ["topic 33"], second: ["topic 38"]}
    narrow = watch.open(served.address, viewport={"width": 390, "height": 844}, has_touch=True)
    for tab in ("label", "search", "review", "progress"):
        narrow.locator(f"#tab-{tab}").click()
        expect(narrow.locator(f"#panel-{tab}")).to_be_visible()
        assert narrow.evaluate("document.documentElement.scrollWidth") == 390
    narrow.locator("#tab-label").click()
    class_row(narrow, "topic 1").locator(".class-button").tap()
    has_counts(page, "3 of 90")


def test_a_document_can_have_several_labels_or_none(label, tickets):
    served, page = label(tickets(), classes=CLASSES, several_labels=True)
    number_on(page)
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.keyboard.press("2")
    expect(page.locator("#confirm-text")).to_have_text("Confirm 2 classes")
    both = press(page, "Enter")
    expect(page.locator("#confirm-text")).to_have_text("Confirm: none of them")
    none = press(page, "Enter")
    page.keyboard.press("2")
    one = press(page, "Enter")
    has_counts(page, "3 of 90")
    assert served.given() == {both: ["billing", "login"], none: [], one: ["delivery"]}
    found = download(page, "CSV").path().read_text(encoding="utf-8")
    table = [*csv.DictReader(io.StringIO(found))]
    assert [table[n]["label"] for n in (both, none, one)] == ["billing;login", ";", "delivery"]
    page.keyboard.press("Backspace")
    shows_document(page, one)
    has_counts(page, "2 of 90")


def test_a_choice_stays_when_questions_arrive_late(label, tickets):
    served, page = label(tickets(), classes=CLASSES, several_labels=True)
    number_on(page)
    held = []
    page.route("**/api/next*", lambda route: held.append(route))
    press(page, "Enter")
    press(page, "Enter")  # the request for questions after the first answer is still under way
    page.keyboard.press("2")
    expect(page.locator("#confirm-text")).to_have_text("Confirm 1 class")
    with page.expect_response("**/api/next*"):
        held[0].continue_()
    page.wait_for_timeout(200)
    expect(page.locator("#confirm-text")).to_have_text("Confirm 1 class")
    page.unroute_all(behavior="ignoreErrors")
    number = press(page, "Enter")
    has_counts(page, "3 of 90")
    assert served.given()[number] == ["delivery"]


def test_a_page_for_reading_only_changes_nothing(serve, watch, tickets):
    served = serve(tickets(n_labeled=30))
    served.stop()
    served.options["read_only"] = True
    served.start()
    page = watch.open(served.address)
    has_model_of(page, 30)
    expect(page.locator("#banner")).to_contain_text("Read-only")
    number = number_on(page)
    page.keyboard.press("1")
    to_toast(page, "read-only")
    shows_document(page, number)
    press(page, "Space")
    page.keyboard.press("Backspace")
    page.keyboard.press("n")
    expect(page.locator("#class-dialog")).to_be_hidden()
    expect(page.locator("#new-class")).to_be_hidden()
    expect(page.locator(".class-button").first).to_be_disabled()
    has_counts(page, "30 of 90")
    expect(page.locator("#counts")).not_to_contain_text("skipped")
    page.locator("#export-menu > summary").click()
    expect(page.locator("#import-labels")).to_be_hidden()


def test_keys_do_nothing_in_fields_and_dialogs_or_while_held_down(label, tickets):
    _, page = label(tickets(), classes=CLASSES)
    number = number_on(page)
    page.keyboard.press("?")
    expect(page.locator("#help-dialog")).to_be_visible()
    for key in ("1", "n", "Backspace"):
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    expect(page.locator("#help-dialog")).to_be_hidden()
    page.keyboard.press("n")
    expect(page.locator("#new-class-name")).to_be_focused()
    page.keyboard.type("123 nes /?.")
    expect(page.locator("#new-class-name")).to_have_value("123 nes /?.")
    page.keyboard.press("Escape")
    expect(page.locator("#class-dialog")).to_be_hidden()
    for key in ("Control+1", "Alt+1", "Meta+1", "Shift+A"):
        page.keyboard.press(key)
    search(page, "1 2 3 n e")
    expect(page.locator("#search-box")).to_have_value("1 2 3 n e")
    page.keyboard.press("Backspace")
    expect(page.locator("#search-box")).to_have_value("1 2 3 n ")
    page.locator("#tab-label").click()
    shows_document(page, number)
    has_counts(page, "0 of 90")
    expect(page.locator(".class-name")).to_have_text(CLASSES)
    page.keyboard.down("1")
    expect(page.locator("#document-number")).not_to_have_text(f"Document {number}")
    following = number_on(page)
    for _ in range(3):
        page.keyboard.down("1")  # repeated by the keyboard
    page.keyboard.up("1")
    has_counts(page, "1 of 90")
    shows_document(page, following)


def test_answers_given_without_a_connection_arrive_when_it_is_back(label, tickets, watch):
    watch.expected.append("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY|ERR_CONNECTION")
    served, page = label(tickets(), classes=CLASSES)
    first = press(page, "1")
    has_counts(page, "1 of 90")
    served.stop()
    expect(page.locator("#banner")).to_contain_text("Connection lost")
    second, third = press(page, "2"), press(page, "3")
    expect(page.locator("#banner")).to_contain_text("2 answers waiting")
    served.start()
    expect(page.locator("#banner")).to_be_hidden()
    has_counts(page, "3 of 90")
    assert served.given() == {first: ["billing"], second: ["delivery"], third: ["login"]}
    press(page, "1")
    has_counts(page, "4 of 90")


def test_a_full_disk_is_reported_and_no_answer_is_lost(label, tickets, watch):
    watch.expected.append("507")
    served, page = label(tickets(), classes=CLASSES)
    db = served.session.store._journal._db
    n_pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {n_pages + 1}")
    answered = [press(page, "123"[n % 3]) for n in range(2)]
    banner = page.locator("#banner")
    while "full disk" not in banner.inner_text() and len(answered) < 60:
        answered.append(press(page, "123"[len(answered) % 3]))
    expect(banner).to_contain_text("full disk")
    expect(banner).to_contain_text("not saved")
    stored = served.given()
    assert 0 < len(stored) < len(answered)
    db.execute("PRAGMA max_page_count = 100000")
    has_counts(page, f"{len(answered)} of 90")
    expect(banner).not_to_contain_text("full disk")
    assert sorted(served.given()) == sorted(answered)


def test_a_model_that_cannot_be_trained_is_reported(label, tickets):
    served, page = label(tickets(), classes=CLASSES)
    number_on(page)
    served.session.trainer.failure = "labels are too few"
    page.reload()
    expect(page.locator("#banner")).to_contain_text("could not be trained: labels are too few")


def test_a_disputed_label_is_changed_or_kept_under_review(label, tickets):
    rows = tickets(60, n_labeled=45)
    rows[0]["label"], rows[4]["label"] = "login", "billing"
    served, page = label(rows)
    has_model_of(page, 45)
    page.locator("#tab-review").click()
    for _ in range(20):  # labels are compared with a model when nobody has answered for a while
        if served.session.disputes:
            break
        page.wait_for_timeout(500)
    page.locator("#review-history").click()
    expect(page.locator("#review-results .result").first).to_contain_text("from the file")
    page.locator("#review-disputed").click()
    expect(page.locator("#review-results .result")).to_have_count(2)
    numbers = [int(each.get_attribute("data-document")) for each in page.locator(".result").all()]
    assert {*numbers} == {0, 4}
    right = {0: "billing", 4: "delivery"}
    page.keyboard.press("Enter")
    to_toast(page, f"Document {numbers[0]} is {right[numbers[0]]} now")
    page.keyboard.press("Space")
    to_toast(page, f"Document {numbers[1]} stays {rows[numbers[1]]['label']}")
    expect(page.locator("#review-message")).to_contain_text("disputes no label")
    assert served.given()[numbers[0]] == [right[numbers[0]]]
    assert served.given()[numbers[1]] == [rows[numbers[1]]["label"]]


def start_command(path):
    """``leaven label``, and the address that it prints."""
    command = [sys.executable, "-m", "leaven", "label", str(path), "--no-browser", "--port", "0"]
    running = subprocess.Popen(
        [*command, "--text", "wording", "--method", "nb"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return running, running.stdout.readline().removeprefix("Open ").strip()


@pytest.mark.slow
def test_the_command_labels_saves_and_continues(watch, tickets, tmp_path):
    path = tmp_path / "tickets.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "wording", "label"])
        writer.writerows(row.values() for row in tickets(60))
    running, address = start_command(path)
    try:
        page = watch.open(address)
        answers = {first_class(page, "billing"): "billing", name_class(page, "other"): "other"}
        for key, name in (("1", "billing"), ("2", "other")) * 3:
            answers[press(page, key)] = name
        has_counts(page, "8 of 60 labeled")
        page.context.close()
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
        assert running.returncode == 0, told
        assert "8 labels are in" in told
        assert f"Go on: leaven label {path} --text wording --method nb\n" in told
        assert f"Predict: leaven predict {path}.leaven {path} -o predicted.csv" in told
        assert "Traceback" not in told
    finally:
        running.kill()
        running.communicate()
    model = load(f"{path}.leaven")
    assert model.fitted.reading.text == "wording"  # so that predicting needs no option
    assert model.classes_.tolist() == ["billing", "other"]
    with closing(sqlite3.connect(f"{path}.labels.sqlite")) as stored:
        events = stored.execute("SELECT document FROM event WHERE kind = 'label'").fetchall()
    assert {document for (document,) in events} == {*answers}

    running, address = start_command(path)
    try:
        page = watch.open(address)
        has_counts(page, "8 of 60 labeled")
        expect(page.locator(".class-name")).to_have_text(["billing", "other"])
        assert press(page, "1") not in answers
        has_counts(page, "9 of 60 labeled")
        page.context.close()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        assert running.returncode == 0
    finally:
        running.kill()
        running.communicate()
