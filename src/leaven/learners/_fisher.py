"""Linear support vector machines on the Fisher scores of a mixture that EM fitted."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from leaven._base.validation import check_in
from leaven.corpora import Block, CorpusSize, TrainingSet, labeled_documents
from leaven.documents._labels import EncodedLabels
from leaven.experts import Expert, FisherExpert, MixtureExpert
from leaven.learners._base import Learned, Run
from leaven.learners._naive_bayes import MixtureLearned
from leaven.learners._svm import MOST_LABELED, fit_kernel_machines, fit_machines
from leaven.learners._two_view import TwoViewLearner
from leaven.models import FeatureOptions, FisherScores

__all__ = ["FisherLearned", "FisherLearner"]

# Labeled documents up to which machines are fitted to the kernel matrix (200 MB of float64); beyond
# it, to the features themselves.
MOST_BY_KERNEL = 5000
MOST_STORED = 200_000_000  # features of labeled documents; of more documents, a sample is used


@dataclass(frozen=True)
class FisherLearner(TwoViewLearner):
    """Two-view EM, then one-vs-rest linear SVMs on the Fisher scores of labeled documents.

    Unlabeled documents change the mixture, and so the features; the machines are of labeled ones.

    Parameters
    ----------
    C : float, default=10.0
        How much a misclassified document counts against large weights of features. The loss is
        the hinge, or its square where more than 5,000 documents are labeled.
    feature_beta : float in (0, 1], default=0.2
        Inverse temperature of the components' shares in a document, in its features.
    vector_share : float in [0, 1), default=0.2
        Share of the features of vectors in the squared length of all.
    least_share : float in [0, 1), default=0.03
        Components with a smaller share in a document, relative to the largest one, are left out
        of its features, which are then sparser and as accurate.

    The others are those of [`leaven.TwoViewEM`][], for the mixture.
    """

    title: ClassVar[str] = "SVM of Fisher scores"

    C: float = 10.0
    feature_beta: float = 0.2
    vector_share: float = 0.2
    least_share: float = 0.03

    def check(self, dtype: Any) -> None:
        super().check(dtype)
        check_in("C", self.C, "(0, inf)")
        self.features.check()

    @property
    def features(self) -> FeatureOptions:
        """How Fisher scores become features."""
        return FeatureOptions(self.feature_beta, self.vector_share, self.least_share)

    def fit(self, training: TrainingSet, run: Run) -> "FisherLearned":
        mixture = self.fitted_mixture(training, run)
        return FisherLearned(
            learner=self,
            expert=self.machines(mixture.expert, training, run),
            facts=mixture.facts,
            lines=mixture.lines,
            class_lines=mixture.class_lines,
            messages=mixture.messages,
            ascent=mixture.ascent,
            is_chosen_by_labels=mixture.is_chosen_by_labels,
            mixture=mixture,
        )

    def machines(self, mixture: MixtureExpert, training: TrainingSet, run: Run) -> FisherExpert:
        """The machines on Fisher scores of this mixture."""
        fisher = mixture.fisher_scores(self.features)
        documents = self._documents(fisher, training)
        X, vectors, weight = documents.X, documents.vectors, documents.weight
        labels = EncodedLabels(documents.y, training.labels)
        features = fisher.features(X, vectors, run.n_threads)
        is_present = np.zeros(fisher.n_features, bool)
        is_present[features.indices] = True
        columns = np.flatnonzero(is_present)
        places = np.cumsum(is_present, dtype=np.int32) - 1
        kept = csr_array(
            (features.data, places[features.indices], features.indptr),
            shape=(features.shape[0], len(columns)),
        )
        if len(weight) <= MOST_BY_KERNEL:
            gram = fisher.kernel(X, X, (vectors, vectors), run.n_threads)
            of_documents, bias = fit_kernel_machines(gram, weight, labels, self.C, run)
            weights = np.asarray(kept.T @ of_documents, np.float32)
        else:
            weights, bias = fit_machines(kept, weight, labels, self.C, run)
        return FisherExpert(self.title, mixture, self.features, columns, weights, bias)

    def _documents(self, fisher: FisherScores, training: TrainingSet) -> Block:
        """The labeled documents, or a sample of them whose features fit in memory."""
        per_document = (training.size.words_per_document + fisher.n_dims + 1) * fisher.n_components
        most = max(int(MOST_STORED / per_document), MOST_BY_KERNEL)
        return labeled_documents(training.corpus, min(most, MOST_LABELED))

    def prior_weight(self, size: CorpusSize) -> float:
        return 1.0  # scores are margins, whatever the documents' length


@dataclass(frozen=True, eq=False, kw_only=True)
class FisherLearned(Learned):
    """Machines on the Fisher scores of a mixture."""

    learner: FisherLearner
    expert: FisherExpert
    mixture: MixtureLearned = field(repr=False)

    def refit(self, training: TrainingSet, run: Run) -> Expert:
        """With a mixture from one start, as two-view EM is fitted again."""
        return self.learner.machines(self.mixture.refit(training, run), training, run)
