"""Counters and experts in model files."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from leaven._base.tensors import MOST
from leaven.classifier._channel import Channel
from leaven.classifier._kinds import check_kinds
from leaven.experts import experts_from, experts_to
from leaven.learning._views import view_from, view_to
from leaven.text._counter import TextCounter
from leaven.text._hash_table_kernels import PADDING
from leaven.text._options import TextOptions
from leaven.text._vocabulary import Vocabulary

__all__ = ["channel_from", "channel_to"]

_TENSORS = {
    "vocabulary": (1, {"uint8"}),
    "vocabulary_starts": (1, {"int64"}),
    "idf": (1, {"float64"}),
    "weights": (1, {"float64"}),
}


def channel_to(channel: Channel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays of a channel, and the settings that ``channel_from`` needs."""
    counter = channel.counter
    of_experts, experts = experts_to(channel.experts)
    of_view, view = view_to(channel.view)
    tensors = {
        "vocabulary": counter.vocabulary.arena,
        "vocabulary_starts": counter.vocabulary.starts,
        "idf": np.asarray(counter.idf, dtype=np.float64),
        "weights": np.asarray(channel.weights, dtype=np.float64),
        **of_experts,
        **of_view,
    }
    return tensors, {"text": counter.options.to_json(), "experts": experts, "view": view}


def channel_from(tensors: Mapping[str, Any], about: Mapping[str, Any], n_classes: int) -> Channel:
    """The channel that was stored, every part checked, or a ValueError."""
    for name, (n_dimensions, types) in _TENSORS.items():
        if tensors[name].ndim != n_dimensions or tensors[name].dtype.name not in types:
            raise ValueError(f"its array {name!r} is of the wrong type")
    check_kinds(TextOptions, about["text"])
    options = TextOptions.from_json(about["text"])
    if options.length is not None and options.length > 1e9:
        raise ValueError(f"its document length is {options.length}")
    vocabulary = _checked_vocabulary(tensors["vocabulary"], tensors["vocabulary_starts"])
    counter = TextCounter(options, options.as_tokens, vocabulary, tensors["idf"])
    view = view_from(tensors, about["view"], counter.n_words)
    n_dims = view.n_dims if view is not None else 0
    experts = experts_from(tensors, about["experts"], counter.n_words, n_dims, n_classes)
    weights = tensors["weights"]
    if len(counter.idf) not in ({counter.n_words} if options.idf else {0}):
        raise ValueError("its arrays do not fit together")
    if len(weights) != len(experts) or not ((weights > 0) & (weights < MOST**2)).all():
        raise ValueError("its experts' weights are not positive numbers of a sensible size")
    if not ((counter.idf > 1 / MOST) & (counter.idf < MOST)).all():
        raise ValueError("its word weights are not positive numbers of a sensible size")
    return Channel(counter, experts, weights, view)


def _checked_vocabulary(arena: Any, starts: Any) -> Vocabulary:
    # Compiled code does not check these numbers, so they must not lead it out of bounds.
    inside = len(arena) - PADDING
    # Compared, not subtracted: differences of 64-bit numbers can wrap around.
    if not (
        len(starts) and starts[0] == 0 and starts[-1] == inside and (starts[1:] > starts[:-1]).all()
    ):
        raise ValueError("its vocabulary is malformed")
    # Copied, because kernels are compiled for arrays that can be written to.
    vocabulary = Vocabulary(np.array(arena), np.array(starts))
    vocabulary.words.validate(full=True)  # raises pa.ArrowInvalid, a ValueError, unless UTF-8
    return vocabulary
