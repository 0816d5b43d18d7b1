"""Labeling: a page where every answer trains the model."""

__all__: list[str] = []
