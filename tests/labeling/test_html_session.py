"""Labeling of HTML documents: they are shown, tinted and learned without their markup."""

import csv
import time
from itertools import count

from leaven.documents._reading import Reading
from leaven.labeling._documents import LabelingDocuments
from leaven.labeling._session import LabelingSession
from leaven.labeling._views import document_view

WORDS = {
    "baking": ["dough", "yeast", "bread", "oven", "flour"],
    "space": ["stars", "planets", "orbit", "moon", "comet"],
}
fresh = map("request {}".format, count()).__next__


def test_documents_are_shown_tinted_and_learned_without_markup(tmp_path):
    path = tmp_path / "pages.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text"])
        for i in range(40):
            own = list(WORDS.values())[i % 2]
            inner = f"<b>{own[i % 5]}</b> &amp; {own[(i // 2) % 5]}"
            writer.writerow([f"<script>var moon{i};</script><p title=dough>{inner}</p>"])
    documents = LabelingDocuments.read([str(path)], Reading(), html=True)
    session = LabelingSession(
        documents,
        tmp_path / "labels",
        classes=list(WORDS),
        method="nb",
        text_options={"html": True},
        n_jobs=1,
    )
    try:
        session.label_each({i: (i % 2 + 1,) for i in range(12)}, fresh(), "asked")
        end = time.monotonic() + 60
        while session.trainer.is_training:
            assert time.monotonic() < end, "nothing happened"
            time.sleep(0.01)
        view = document_view(session, 20)
        assert view["text"].split() == ["dough", "&", "dough"]
        tinted = [view["text"][each["start"] : each["end"]] for each in view["words"]]
        assert tinted == ["dough", "dough"]
        assert view["suggested"] == [1]
        saved = session.fit_to_save()
        assert set(saved.counter.vocabulary.words.to_pylist()) <= {
            *WORDS["baking"],
            *WORDS["space"],
        }
    finally:
        session.close()
