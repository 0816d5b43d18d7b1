"""What a fitted classifier asks: experts score classes, explain a score, become tensors."""

from leaven.experts._experts import Expert, LinearExpert, MixtureExpert, linear_top_words, row_norms

__all__ = ["Expert", "LinearExpert", "MixtureExpert", "linear_top_words", "row_norms"]
