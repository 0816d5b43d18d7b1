"""What is computed for requests: predictions of texts together, explanations one by one."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from leaven.serving._answers import answers
from leaven.serving._batches import Job
from leaven.serving._models import ServedModel

if TYPE_CHECKING:
    from leaven.experts import Explanation

__all__ = ["Explaining", "Predicting"]

Explain = Callable[["Explanation"], dict[str, Any]]


class Predicting:
    """Predicts with one model; each job wants one thing of all of its texts."""

    def __init__(self, model: ServedModel) -> None:
        self.model = model
        self.seconds_per_character = 0.0  # short until measured, as most models are fast

    def __call__(self, jobs: Sequence[Job]) -> list[list[Any]]:
        if len(jobs) == 1:
            return [self._answers(jobs[0].texts, [jobs[0].wanted] * len(jobs[0].texts))]
        texts = list(chain.from_iterable(job.texts for job in jobs))
        wanted = list(chain.from_iterable([job.wanted] * len(job.texts) for job in jobs))
        found = self._answers(texts, wanted)
        results, end = [], 0
        for job in jobs:
            start, end = end, end + len(job.texts)
            results.append(found[start:end])
        return results

    def _answers(self, texts: list[str], wanted: list[Any]) -> list[dict[str, Any]]:
        return answers(self.model.fitted, *self.model.classify(texts), wanted)


class Explaining:
    """Explains predictions of one model; jobs want (number of words, number of neighbors)."""

    def __init__(self, model: ServedModel, as_json: Explain) -> None:
        self.model, self._as_json = model, as_json
        self.seconds_per_character = float("inf")  # never by the event loop itself

    def __call__(self, jobs: Sequence[Job]) -> list[list[Any]]:
        return [[self._explained(job, text) for text in job.texts] for job in jobs]

    def _explained(self, job: Job, text: str) -> dict[str, Any] | ValueError:
        n_words, n_neighbors = job.wanted
        vector = self.model.vector_of(text)
        try:
            found = self.model.fitted.explain(text, n_words, vector, n_neighbors)
        except ValueError as error:  # such as a model without words or documents to show
            return error
        return self._as_json(found)
