"""How a TextClassifier is trained, wherever its documents are."""

import time
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from leaven._base.bars import listening
from leaven._base.progress import OnProgress, Progress
from leaven._base.validation import Seed, check_choice, check_seed, checked_seed
from leaven.corpora import Uncounted
from leaven.documents._excerpts import check_length
from leaven.documents._reading import Reading
from leaven.learners import Learner, Run
from leaven.methods._explained_texts import ExplainedTexts
from leaven.methods._options import check_vectors, checked_learner, merged_text_options
from leaven.methods._registry import Method, find_method, methods_where
from leaven.methods._training import Training
from leaven.methods._warm_start import NO_START, WarmStart
from leaven.text._embeddings import check_embedding

__all__ = ["TrainedTexts"]


class TrainedTexts(ExplainedTexts):
    """The part of [`leaven.TextClassifier`][] that checks its parameters and trains."""

    method: str
    options: Mapping[str, Any] | None
    subwords: bool | None
    calibrate: bool
    diagnose: bool
    keep_documents: bool
    keep_excerpts: int
    random_state: Seed
    allow_empty: bool | None

    def _train(
        self,
        documents: Uncounted,
        has_vectors: bool,
        on_progress: OnProgress,
        began: float,
        reading: Reading,
        start: WarmStart = NO_START,
        data: Mapping[str, Any] | None = None,
        warns: bool = True,
    ) -> Self:
        method, learner = self._checked(documents.place, has_vectors)
        seed = checked_seed(self.random_state)
        with listening(on_progress) as listener:
            training = Training(
                method,
                learner,
                Run.seeded(seed, self.n_jobs, progress=Progress(listener)),
                seed,
                self.calibrate,
                self.diagnose,
                start,
                reading,
                dict(data or {}),
                seconds={"preparing": time.perf_counter() - began},
                keep_documents=bool(self.keep_documents),
                keep_excerpts=int(self.keep_excerpts),
                options=self.options,
                given_text_options=self._text_options,
                has_vectors=has_vectors,
                subwords=self.subwords,
                is_segmented=self.segment is not None,
                allow_empty=self.allow_empty,
            )
            self._fitted = training.fit(documents)
        self.classes_, self.report_ = self._fitted.classes, self._fitted.report
        if warns:
            training.warn(stacklevel=4)
        return self

    def _checked(self, place: str, has_vectors: bool) -> tuple[Method, Learner]:
        """The method and its learner; raises all errors that can be found before reading."""
        check_choice("subwords", self.subwords, (None, True, False))
        method = find_method(self.method).with_subwords(self.subwords)
        method.check_place(place)
        if has_vectors:
            check_vectors(method, methods_where(sees_vectors=True))
        merged_text_options(method, self._text_options, 1)
        learner = checked_learner(method, self.options, np.dtype(np.float32))
        if self._embedding_name is not None:
            check_embedding(self._embedding_name)
        check_seed(self.random_state)
        check_choice("allow_empty", self.allow_empty, (None, True, False))
        check_choice("keep_documents", self.keep_documents, (True, False))
        check_length("keep_excerpts", self.keep_excerpts)
        if self.keep_excerpts and not self.keep_documents:
            raise ValueError(
                f"keep_excerpts={self.keep_excerpts} needs keep_documents=True, the documents that "
                "excerpts are of; set it, or leave out keep_excerpts"
            )
        return method, learner
