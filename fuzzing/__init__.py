"""Seeded inputs that look for faults: files, model files and signals (``python -m fuzzing``)."""
