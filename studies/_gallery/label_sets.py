"""Documents with several labels: which label each word of a headline comes from."""

import warnings
from collections import Counter
from typing import Any

import numpy as np

from leaven import TextClassifier
from leaven.datasets import load_corpus
from leaven.experts import Generated
from studies._gallery._style import BLUE, DARK, GREEN, LABEL, ORANGE, PALE, figure, headline, note
from studies._gallery._task import SEED, rounded

Found = dict[str, Any]
N_CATEGORIES = 10  # the most frequent ones
N_SHOWN = 6
MOST_CHARACTERS = 46  # of a headline
COMMON, OTHER = "common", "other"
COLORS = (BLUE, ORANGE, GREEN)  # of the first, second and third label


def compute_multilabel() -> Found:
    """Headlines of test documents whose labels are all found, one of each set of labels."""
    table = load_corpus("reuters21578", columns=["title", "text", "labels", "split"]).to_pylist()
    texts = [f"{row['title'] or ''}\n{row['text'] or ''}" for row in table]
    counts = Counter(
        name for row in table if row["split"] == "train" for name in row["labels"] or []
    )
    frequent = {name for name, _ in counts.most_common(N_CATEGORIES)}
    labels = [sorted(frequent & set(row["labels"] or [])) for row in table]
    train, test = (
        [i for i, row in enumerate(table) if row["split"] == part and labels[i]]
        for part in ("train", "test")
    )
    model = TextClassifier("multilabel", random_state=SEED, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about labels of few documents
        model.fit([texts[i] for i in train], [labels[i] for i in train])
    several = [i for i in test if len(labels[i]) > 1]
    predicted = model.predict([texts[i] for i in several])
    is_right = [sorted(own) == labels[i] for i, own in zip(several, predicted, strict=True)]
    clearest: dict[tuple[str, ...], tuple[float, Found]] = {}
    for i, right in zip(several, is_right, strict=True):
        if not right or len(table[i]["title"] or "") > MOST_CHARACTERS or not table[i]["title"]:
            continue
        generated = model.explain(texts[i]).generated
        assert generated is not None
        clearness, shown = _described(generated, labels[i])
        key = tuple(labels[i])
        if key not in clearest or clearness > clearest[key][0]:
            clearest[key] = clearness, shown
    ranked = sorted(clearest.values(), key=lambda pair: -pair[0])
    return {
        "n_train": len(train),
        "n_several": len(several),
        "share_exactly_right": float(np.mean(is_right)),
        "documents": [shown for _, shown in ranked[:N_SHOWN]],
    }


def draw_multilabel(found: Found) -> Any:
    documents = found["documents"]
    card, axes = figure(0.62 * len(documents) + 0.9)
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(-0.1, len(documents) - 0.2)
    for place, document in enumerate(documents):
        height = len(documents) - 1 - place + 0.35
        names = list(document["shares"])
        colors = {name: COLORS[k] for k, name in enumerate(document["labels"])}
        before: Any = None
        for piece, origin in document["pieces"]:
            color = colors.get(origin, DARK)
            style = {"fontsize": 10, "color": color, "va": "bottom"}
            if origin in colors:
                style["fontweight"] = "bold"
            if before is None:
                before = axes.annotate(piece, (0, height), **style)
            else:  # where the last piece ends
                before = axes.annotate(piece, (1, 0), xycoords=before, **style)
        left = 0.0
        for name in names:
            share = document["shares"][name]
            axes.barh(height - 0.1, share, 0.13, left=left, color=colors.get(name, PALE))
            if share > 0.1:
                middle, color = left + share / 2, colors.get(name, DARK)
                text = f"{name} {100 * share:.0f} %"
                style = {"color": color, "ha": "center", "va": "top", "fontsize": LABEL - 1.5}
                note(axes, middle, height - 0.19, text, **style)
            left += share
    headline(card, "multilabel: each word comes from one of the labels, or from all")
    return card


def _described(generated: Generated, labels: list[str]) -> tuple[float, Found]:
    """How surely each label has a word of the headline, and what is drawn of the document."""
    origins = {each.word: _origin(each) for each in generated.words}
    pieces: list[tuple[str, str]] = []
    for text, word in generated.pieces:
        before, newline, _ = text.partition("\n")
        pieces.append((before, COMMON if word is None else origins.get(word, OTHER)))
        if newline:
            break
    known = {each.word: each for each in generated.words}
    in_headline = [known[word] for _, word in generated.pieces[: len(pieces)] if word in known]
    shares = {name: generated.shares[name] for name in labels}
    shares |= {COMMON: generated.common, OTHER: generated.other}
    clearness = min(
        max((word.shares[name] for word in in_headline), default=0.0) for name in labels
    )
    return clearness, {
        "labels": labels,
        "pieces": [list(piece) for piece in pieces if piece[0]],
        "shares": {name: rounded(share) for name, share in shares.items()},
    }


def _origin(word: Any) -> str:
    """The label that most of a word comes from, or what all labels have in common."""
    shares = {**word.shares, COMMON: word.common, OTHER: word.other}
    return max(shares, key=lambda name: shares[name])
