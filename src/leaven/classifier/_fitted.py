"""A trained text classifier as data: everything prediction needs, free of scikit-learn."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from leaven._base.parts import parts_of
from leaven._base.progress import OnDone
from leaven._base.typing import BoolArray, ClassArray, FloatArray, IntArray
from leaven._base.validation import check_whole
from leaven.classifier._channel import Channel, Seen, without_rows
from leaven.classifier._nearby import NO_DOCUMENTS, Nearby, find_nearby, listed_neighbors
from leaven.classifier._origins import explain_origin
from leaven.classifier._pulls import count_unknown, word_pulls
from leaven.classifier._report import FitReport
from leaven.documents._arrow import as_text_array
from leaven.documents._excerpts import Excerpts
from leaven.documents._labels import EncodedLabels, Labels
from leaven.documents._reading import Reading
from leaven.exceptions import UnseenWordsWarning
from leaven.experts import (
    Components,
    ComponentWords,
    Decision,
    Expert,
    Explanation,
    MixtureExpert,
    NeighborLists,
    TopWords,
    component_words,
    documents_of,
    highest,
)
from leaven.learning import View
from leaven.learning._correspondence import by_hand
from leaven.learning._em_facts import class_lines
from leaven.neighbors import KeptDocuments
from leaven.text._counter import TextCounter
from leaven.text._labeled_texts import text_hashes

__all__ = ["FittedClassifier", "wordless_message"]

# Documents that are counted and scored at once during prediction; fewer where classes are many.
DOCUMENTS_PER_BATCH = 50_000
NEIGHBORS_SHOWN = 5  # documents that are listed as similar, by default
# Known subwords of a text without a known word, below which they may be there by chance; a word of
# five letters has twelve.
FEWEST_SUBWORDS = 6
DOCUMENTS_PER_SEARCH = 4096  # whose voters, a thousand at most, are in memory at once


def _no_hashes() -> NDArray[np.uint64]:
    return np.zeros(0, np.uint64)


@dataclass(frozen=True, eq=False)
class FittedClassifier:
    """Counter and experts that together classify raw text.

    log p(class | text) is the weighted sum of the experts' scores, normalized.
    """

    counter: TextCounter
    experts: tuple[Expert, ...]
    weights: FloatArray  # (n_experts,)
    decision: Decision
    report: FitReport
    view: View | None = None  # where documents' vectors come from, if experts use any
    dtype: Any = np.float32  # of counts
    labels_digest: str = ""  # of which documents had which label; not saved
    reading: Reading | None = None  # how the training files were read
    labeled_hashes: NDArray[np.uint64] = field(default_factory=_no_hashes)  # sorted, of the texts
    documents: KeptDocuments | None = None  # to compare with: an expert's own, or labeled ones
    excerpts: Excerpts | None = None  # of these documents
    beside: Channel | None = None  # experts that see subwords, where there are any

    @property
    def labels(self) -> Labels:
        return self.decision.labels

    @property
    def classes(self) -> ClassArray:
        return self.labels.classes

    def learned_from(self, texts: pa.LargeStringArray) -> BoolArray:
        """Which of these texts were among the labeled ones of the training."""
        known = self.labeled_hashes
        if not len(known):
            return np.zeros(len(texts), bool)
        hashes = text_hashes(texts)
        places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        found: BoolArray = known[places] == hashes
        return found

    @property
    def needs_vectors(self) -> bool:
        """Whether the user must provide vectors of documents."""
        return self.view is not None and self.view.n_given > 0

    @property
    def mixture(self) -> MixtureExpert | None:
        """The first expert that consists of components, if there is one."""
        return next((found for expert in self.experts if (found := expert.as_mixture())), None)

    def decide(self, probability: FloatArray) -> EncodedLabels:
        """Labels of documents: the one place where probabilities become a decision."""
        return self.decision.decided(probability)

    def confidence(self, probability: FloatArray, decided: EncodedLabels) -> FloatArray:
        """Probability that each document's label is correct."""
        return self.decision.confidence(probability, decided)

    @property
    def words(self) -> Channel:
        """How words are seen."""
        return Channel(self.counter, self.experts, self.weights, self.view)

    def seen(self, texts: pa.LargeStringArray, n_threads: int | None = None) -> Seen:
        """Texts as the experts see them."""
        X = self.counter.count(texts, dtype=self.dtype, n_threads=n_threads)
        if self.beside is None:
            return Seen(X)
        return Seen(X, self.beside.counter.count(texts, dtype=self.dtype, n_threads=n_threads))

    def scores(self, seen: Seen, given: Any = None, n_threads: int | None = None) -> FloatArray:
        """Weighted sum of the experts' scores of counted documents."""
        n_classes = len(self.labels)
        total = self.words.scores(seen.X, n_classes, given, n_threads)
        if self.beside is not None:
            assert seen.beside is not None
            total += self.beside.scores(seen.beside, n_classes, None, n_threads)
        return total

    def evidence(self, seen: Seen) -> tuple[Seen, BoolArray]:
        """What documents are classified by, and which have no known word, nor enough subwords."""
        is_wordless = np.diff(seen.X.indptr) == 0
        if seen.beside is None:
            return seen, is_wordless
        is_wordless &= np.diff(seen.beside.indptr) < FEWEST_SUBWORDS
        return Seen(seen.X, without_rows(seen.beside, is_wordless)), is_wordless

    def classify_counts(
        self, seen: Seen, given: Any = None, n_threads: int | None = None
    ) -> tuple[FloatArray, BoolArray]:
        """Class probabilities of counted documents, and which are classified without evidence."""
        seen, is_wordless = self.evidence(seen)
        if self.needs_vectors:  # which are evidence too
            is_wordless[:] = False
        probability = self.decision.probability(self.scores(seen, given, n_threads))
        return self.decision.without_words(probability, is_wordless), is_wordless

    def predict_proba(
        self,
        texts: Any,
        *,
        vectors: Any = None,
        n_threads: int | None = None,
        on_progress: OnDone | None = None,
        warn: bool = True,
    ) -> FloatArray:
        """Class probabilities, (n_documents, n_classes)."""
        probability, is_wordless = self.classify(
            texts, vectors=vectors, n_threads=n_threads, on_progress=on_progress
        )
        if is_wordless.any() and warn:
            message = wordless_message(int(is_wordless.sum()), len(probability))
            warnings.warn(message, UnseenWordsWarning, stacklevel=3)
        return probability

    def classify(
        self,
        texts: Any,
        *,
        vectors: Any = None,
        n_threads: int | None = None,
        on_progress: OnDone | None = None,
    ) -> tuple[FloatArray, BoolArray]:
        """Class probabilities, and which documents are classified without evidence."""
        array = as_text_array(texts)
        self._check_vectors(vectors, len(array))
        probability = np.empty((len(array), len(self.classes)))
        is_wordless = np.zeros(len(array), bool)
        for part in parts_of(len(array), len(self.classes), DOCUMENTS_PER_BATCH):
            batch = array.slice(part.start, part.stop - part.start)
            given = None if vectors is None else vectors[part]
            seen = self.seen(batch, n_threads)
            probability[part], is_wordless[part] = self.classify_counts(seen, given, n_threads)
            if on_progress is not None:
                on_progress(part.stop, len(array))
        return probability, is_wordless

    def _check_vectors(self, vectors: Any, n_documents: int) -> None:
        if self.needs_vectors and vectors is None:
            raise ValueError(
                "this classifier was trained with vectors of your own and needs one for every "
                "document; give the same embed function, or the column that holds them"
            )
        if vectors is not None and not self.needs_vectors:
            raise ValueError(
                "vectors were given, but this classifier was trained without any; leave them out"
            )
        if vectors is not None and len(vectors) != n_documents:
            raise ValueError(
                f"vectors must have one row per document, got {len(vectors):,} for {n_documents:,}"
            )

    def top_words(self, how_many: int = 10) -> TopWords:
        """Most characteristic words of each class.

        Those of the first expert that models word probabilities of classes, which are easiest to
        interpret; without such an expert, those that change the classifier's scores most.
        """
        words = self._word_list("top_words")
        check_whole("how_many", how_many, "[0, inf)")
        weighted = list(zip(self.weights, self.experts, strict=True))
        describing = [pair for pair in weighted if pair[1].describes_words][:1] or weighted
        found: list[IntArray] = []
        for part in parts_of(len(self.classes), len(words)):
            scores = [weight * expert.word_scores_of(part) for weight, expert in describing]
            found += highest(np.sum(scores, axis=0), how_many)
        return TopWords(
            (name, words.take(pa.array(numbers)).to_pylist())
            for name, numbers in zip(self.classes.tolist(), found, strict=True)
        )

    def components(self, how_many: int = 10) -> Components:
        """Every component with its most characteristic words, numbered as for ``assigned``."""
        words = self._word_list("components")
        check_whole("how_many", how_many, "[0, inf)")
        mixture = self.mixture or self._only_mixture("components")
        names, share = self.classes.tolist(), np.exp(mixture.params.log_weight)
        return Components(
            ComponentWords(
                number,
                names[int(mixture.model.component_class[number])],
                float(share[number]),
                words.take(pa.array(numbers)).to_pylist(),
            )
            for number, numbers in enumerate(component_words(mixture.params, how_many))
        )

    def assigned(self, mapping: Mapping[int, Any]) -> "FittedClassifier":
        """This classifier with components assigned to other classes, by number."""
        mixture = self._only_mixture("assign")
        model = by_hand(mixture.model, self.classes, mapping)
        moved = ", ".join(str(number) for number in sorted(mapping))
        sizes = np.bincount(model.component_class, minlength=len(self.labels)).tolist()
        # What the fit reported about the classes no longer holds.
        facts = {"components": self.labels.by_name(sizes), "unlabeled_shares": {}}
        report = replace(
            self.report,
            facts={**self.report.facts, **facts},
            class_lines=class_lines(facts),
            diagnosis={},
            expected_accuracy={},
            warnings=[f"components assigned by hand: {moved}"],
        )
        return replace(self, experts=(replace(mixture, model=model),), report=report)

    def _only_mixture(self, what: str) -> MixtureExpert:
        mixture = self.mixture
        if mixture is None or len(self.experts) > 1:
            raise ValueError(
                f"{what} needs a model that consists of components only, but this one "
                f"{'combines several models' if len(self.experts) > 1 else 'has none'}; train with "
                "method em, mixture, annealed or two-view"
            )
        return mixture

    @property
    def decides_by_neighbors(self) -> bool:
        """Whether predictions come from documents that experts keep."""
        return documents_of(self.experts) is not None

    def kept_documents(self) -> KeptDocuments:
        """The documents to compare with, or an error where the model holds none."""
        if self.documents is None:
            raise ValueError(NO_DOCUMENTS)
        return self.documents

    def nearby(
        self, texts: Any, how_many: int = NEIGHBORS_SHOWN, n_threads: int | None = None
    ) -> Nearby:
        """Places of the documents nearest to each text among those that are kept."""
        documents = self.kept_documents()
        check_whole("how_many", how_many, "[1, inf)")
        array = as_text_array(texts)
        parts = []
        for start in range(0, max(len(array), 1), DOCUMENTS_PER_SEARCH):
            batch = array.slice(start, DOCUMENTS_PER_SEARCH)
            X = self.counter.count(batch, dtype=self.dtype, n_threads=n_threads)
            parts.append(find_nearby(documents, self.experts, X, how_many, n_threads))
        places, similarity, shares = zip(*parts, strict=True)
        voted = None if shares[0] is None else np.concatenate(shares)
        return Nearby(np.concatenate(places), np.concatenate(similarity), voted)

    def neighbors(
        self, texts: Any, how_many: int = NEIGHBORS_SHOWN, n_threads: int | None = None
    ) -> NeighborLists:
        """The documents nearest to each text; where documents vote, those that voted."""
        nearby = self.nearby(texts, how_many, n_threads)
        return listed_neighbors(nearby, self.kept_documents(), self.excerpts, self.labels)

    def explain(
        self,
        text: str,
        how_many: int = 10,
        vector: Any = None,
        n_neighbors: int | None = None,
    ) -> Explanation:
        """The prediction for one text, the words behind it, and the documents nearest to it.

        By default, documents are listed where predictions come from them.
        """
        if n_neighbors is None:
            n_neighbors = NEIGHBORS_SHOWN if self.decides_by_neighbors else 0
        check_whole("n_neighbors", n_neighbors, "[0, inf)")
        check_whole("how_many", how_many, "[0, inf)")
        is_hashed = bool(self.counter.options.hash_features)
        if not (is_hashed and n_neighbors):  # else documents explain the prediction
            self._word_list("explain")
        neighbors = self.neighbors([text], n_neighbors, 1)[0] if n_neighbors else []
        seen, _ = self.evidence(self.seen(as_text_array([text]), 1))
        given = None if vector is None else np.asarray(vector)[None]
        if given is None and self.view is not None and self.view.n_given:
            given = np.zeros((1, self.view.n_given))
            warnings.warn(
                "the text was explained by its words alone: this classifier also uses vectors, and "
                "none was given; with its vector, the prediction may differ",
                stacklevel=3,
            )
        self._check_vectors(given, 1)
        probability, _ = self.classify_counts(seen, given, 1)
        decided = self.decide(probability)
        names = self.classes.tolist()
        wanted = None
        if self.labels.has_sets:  # the classes decided on, or the one that comes nearest
            is_likely = probability[0] == probability[0].max()
            wanted = decided.membership[0] if decided.membership.any() else is_likely
        return Explanation(
            decided.labels.meanings[int(decided.codes[0])],
            dict(zip(names, map(float, probability[0]), strict=True)),
            [] if is_hashed else word_pulls(self, text, seen, given, wanted, how_many),
            0 if is_hashed else count_unknown(self.counter, text, seen.X),
            neighbors,
            is_hashed,
            float(self.confidence(probability, decided)[0]),
            None
            if is_hashed
            else explain_origin(self.counter, self.experts, text, seen.X, decided),
        )

    def _word_list(self, what: str) -> pa.LargeStringArray:
        if self.counter.options.hash_features:
            raise ValueError(
                f"{what} needs a vocabulary, but this model hashed its words; train without "
                "hash_features"
            )
        return self.counter.vocabulary.words


def wordless_message(n_wordless: int, n_documents: int) -> str:
    """The warning about documents without a known word."""
    verb, their = (
        ("contains", "its prediction is")
        if n_wordless == 1
        else ("contain", "their predictions are")
    )
    return (
        f"{n_wordless:,} of {n_documents:,} documents {verb} no word of the model's vocabulary; "
        f"{their} not meaningful. Train on text of the same kind and language"
    )
