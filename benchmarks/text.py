"""Text to counts against CountVectorizer: same matrix, same machine, one and two threads.

n-grams of characters take CountVectorizer minutes, so they are of every fourth document.
"""

from sklearn.feature_extraction.text import CountVectorizer

from benchmarks._common import Row, best_seconds, machine, n_bytes, newsgroups
from leaven.text import TextVectorizer


def run() -> list[Row]:
    texts, _ = newsgroups()
    return [*_words(texts), *_characters(texts[::4])]


def _words(texts: list[str]) -> list[Row]:
    best = best_seconds(
        {
            "peer": lambda: CountVectorizer().fit_transform(texts),
            "one": lambda: TextVectorizer(n_jobs=1).fit_transform(texts),
            "two": lambda: TextVectorizer(n_jobs=2).fit_transform(texts),
        }
    )
    size = n_bytes(texts)
    peer = "CountVectorizer"
    return [
        Row(
            f"text → counts, {name} thread{'s' if name == 'two' else ''}",
            best[name],
            peer,
            best["peer"],
            target,
            {"megabytes_per_second": size / 1e6 / best[name]},
            limit=machine().seconds(size),
        )
        for name, target in (("one", 15.0), ("two", 30.0))
    ]


def _characters(texts: list[str]) -> list[Row]:
    rows = []
    for analyzer in ("char_wb", "char"):
        options = {"analyzer": analyzer, "ngram_range": (3, 5)}
        TextVectorizer(**options).fit(texts[:1])  # compiles
        best = best_seconds(
            {
                "peer": lambda options=options: CountVectorizer(**options).fit_transform(texts),
                "two": lambda options=options: TextVectorizer(**options, n_jobs=2).fit_transform(
                    texts
                ),
            },
            rounds=2,
        )
        megabytes = n_bytes(texts) / 1e6
        rows.append(
            Row(
                f"text → counts of 3 to 5 characters, {analyzer}, two threads",
                best["two"],
                "CountVectorizer",
                best["peer"],
                10.0,
                {"megabytes_per_second": megabytes / best["two"]},
            )
        )
    return rows
