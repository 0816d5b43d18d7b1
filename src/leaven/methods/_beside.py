"""Documents seen a second time, by their subwords, beside their words."""

from dataclasses import dataclass, replace

from leaven.classifier import Channel
from leaven.corpora import Counting, TrainingSet, Uncounted
from leaven.exceptions import DataError
from leaven.held_out import Combination
from leaven.learners import Run
from leaven.learning import View, learn_view
from leaven.methods._warm_start import WarmStart
from leaven.text._counter import TextCounter
from leaven.text._options import TextOptions
from leaven.text._vocabulary import EmptyVocabularyError

__all__ = ["Beside", "seen_beside"]


@dataclass(frozen=True, eq=False)
class Beside:
    """Documents by their subwords: how they are counted, where their vectors come from."""

    counter: TextCounter
    view: View
    training: TrainingSet

    def channel(self, chosen: Combination | None) -> Channel | None:
        """The experts of subwords that were chosen, if any, with what they see."""
        if chosen is None:
            return None
        return Channel(self.counter, chosen.experts, chosen.weights, self.view)


def seen_beside(
    documents: Uncounted,
    options: TextOptions,
    words: TrainingSet,
    n_documents: int,
    n_dims: int,
    run: Run,
    earlier: WarmStart,
) -> Beside | None:
    """The documents of ``words`` counted with other options; None where they share no subword."""
    how = Counting(lambda _: options, run.n_threads, run.progress, with_vectors=False)
    try:
        found = documents.counted(how)
    except EmptyVocabularyError:
        return None
    if found.n_documents != n_documents:
        raise DataError(
            f"there were {n_documents:,} documents at first and {found.n_documents:,} when their "
            "subwords were counted: a file changed meanwhile; train again once nothing writes to it"
        )
    view = earlier.beside_view(found.counter)
    if view is None:
        on_pass = run.progress.phase("vectors")
        view = learn_view(found.training.corpus, n_dims, run.seed, on_pass, run.n_threads)
    same = replace(found.training, like=words)
    return Beside(found.counter, view, same.with_vectors(view.seen, view.n_dims))
