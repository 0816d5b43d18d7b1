"""Shared foundations: array types, checks, threads, compilation, atomic files, folds."""
